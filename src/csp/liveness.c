#include "csp/liveness.h"

#include <assert.h>
#include <string.h>

/* Adds to `killed` the slots that a program always writes, and to `live` those that it may read
 * before it has. */
static void add_program(struct csp_footprints *footprints, code_id id, uint32_t *live,
                        uint32_t *killed, uint32_t *single)
{
    if (!id)
        return;
    const struct code *code = codes_get(footprints->terms.pool->program->codes, id);
    size_t size = 2 * (size_t)footprints->words * sizeof *single;
    uint32_t sure = 0; /* from here on no jump met so far passes over an instruction; jumps
                          backwards come after what they repeat */
    for (uint32_t i = 0; i < code->length; i++) {
        const struct instruction *at = &code->instructions[i];
        struct slot_access access = instruction_slots(at);
        if (access.reads) {
            memset(single, 0, size);
            csp_footprint_add(single, footprints->words, access.first, access.count, false);
            for (uint32_t w = 0; w < footprints->words; w++)
                live[w] |= single[w] & ~killed[w];
        }
        if (instruction_is_jump(at) && (uint32_t)at->operand > sure)
            sure = (uint32_t)at->operand;
        if ((at->op == OP_STORE_SLOT || at->op == OP_STORE_OBJECT) && i >= sure)
            csp_footprint_add(killed, footprints->words, (uint32_t)at->operand, 1, false);
    }
}

/* One round: what `t` has live, given what is known of its children so far. True if it grew. */
static enum status improve(struct csp_footprints *footprints, term t, uint32_t *scratch,
                           bool *changed)
{
    uint32_t words = footprints->words;
    uint32_t *live = scratch, *killed = scratch + 2 * words, *single = scratch + 4 * words;
    memset(scratch, 0, 6 * (size_t)words * sizeof *scratch);
    size_t length, start = footprints->children.length;
    const uint32_t *at = term_words(&footprints->terms, t, &length);
    enum term_kind kind = term_kind_of(&footprints->terms, t);
    uint8_t ignored = 0;
    TRY(csp_term_node(footprints, t, false, live, &ignored));
    if (kind == TERM_KIND_EVENT) {
        memset(live, 0, 2 * (size_t)words * sizeof *live);
        for (size_t i = 3; i < length; i++)
            csp_footprint_add_code(footprints->terms.pool->program, at[i], live);
        add_program(footprints, at[1], live, killed, single);
    }
    for (size_t i = start; i < footprints->children.length; i++) {
        uint32_t child = footprints->children.items[i] / 2;
        const struct csp_outlook *outlook = blocks_at(&footprints->outlooks, child);
        uint32_t known = outlook ? outlook->live : 0;
        const uint32_t *below = known ? csp_footprint(footprints, known - 1) : NULL;
        for (uint32_t w = 0; below && w < words; w++)
            live[w] |= below[w] & ~killed[w];
    }
    footprints->children.length = start;
    uint32_t number = shared_words_intern(&footprints->footprints, live, words);
    struct csp_outlook *own = csp_outlook_reach(footprints, t);
    TRY_MEMORY(number != UINT32_MAX && own);
    assert(!atomic_load(&own->has_live)); /* what others read stays */
    *changed |= own->live != number + 1;
    own->live = number + 1;
    return STATUS_OK;
}

/* Collects the terms below `t` of which nothing is known, those below a term behind it. */
static enum status collect(struct csp_footprints *footprints, term t, uint32_t *scratch)
{
    footprints->stack.length = 0;
    TRY_MEMORY(vector_push(&footprints->stack, t));
    for (size_t next = 0; next < footprints->stack.length; next++) {
        term at = footprints->stack.items[next];
        uint8_t ignored = 0;
        footprints->children.length = 0;
        TRY(csp_term_node(footprints, at, false, scratch, &ignored));
        for (size_t i = 0; i < footprints->children.length; i++) {
            term child = footprints->children.items[i] / 2;
            struct csp_outlook *outlook = csp_outlook_reach(footprints, child);
            TRY_MEMORY(outlook);
            if (outlook->live || outlook->collected)
                continue;
            outlook->collected = true;
            TRY_MEMORY(vector_push(&footprints->stack, child));
        }
    }
    footprints->children.length = 0;
    return STATUS_OK;
}

static enum status find_live(struct csp_footprints *footprints, term t, uint32_t *scratch)
{
    TRY(collect(footprints, t, scratch));
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t i = footprints->stack.length; i-- > 0;)
            TRY(improve(footprints, footprints->stack.items[i], scratch, &changed));
    }
    for (size_t i = 0; i < footprints->stack.length; i++)
        atomic_store(&csp_outlook_reach(footprints, footprints->stack.items[i])->has_live, true);
    atomic_fetch_add(&footprints->worked_out, 1);
    return STATUS_OK;
}

static enum status find_live_of(struct csp_footprints *footprints, term t)
{
    size_t size = 6 * (size_t)footprints->words * sizeof(uint32_t);
    uint32_t *scratch = memory_zeroed(footprints->terms.pool->budget, size);
    enum status status = scratch ? find_live(footprints, t, scratch) : STATUS_LIMIT;
    memory_release(footprints->terms.pool->budget, scratch, size);
    return status;
}

enum status csp_live_slots(struct csp_footprints *footprints, term t, const uint32_t **live)
{
    struct csp_outlook *outlook = csp_outlook_reach(footprints, t);
    enum status status = outlook ? STATUS_OK : STATUS_LIMIT;
    if (outlook && !atomic_load_explicit(&outlook->has_live, memory_order_acquire)) {
        pthread_mutex_lock(&footprints->lock);
        if (!atomic_load(&outlook->has_live)) /* found by now, perhaps */
            status = find_live_of(footprints, t);
        pthread_mutex_unlock(&footprints->lock);
    }
    TRY(status);
    assert(outlook->live > 0);
    *live = csp_footprint(footprints, outlook->live - 1);
    return STATUS_OK;
}
