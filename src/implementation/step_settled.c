#include "implementation/step_settled.h"

#include <string.h>

#include "base/attributes.h"

#define MOST_FIELDS 64

/* Of an instruction that writes, whenever it does: */
enum write_flag {
    WRITES_TO_OTHERS = 1, /* to a node that others may know */
    WRITES_TO_OWN = 2,    /* to a node of the operation's, which they perhaps do not */
    WRITES_KNOWN = 4,     /* a node that others may know, or none of the operation's */
};

static const struct instruction *code_of(const struct lin_settled *settled)
{
    return settled->steps->listing.code.items;
}

/* ---- what is the writer's alone ---- */

static uint64_t flag_value(void *observer, struct lin_ways *ways, uint32_t at)
{
    struct lin_settled *settled = observer;
    const uint64_t names = ways->now.items[ways->now.length - 1].names;
    if (code_of(settled)[at].op == OP_CAS && (!names || !lin_ways_are_private(ways, names)))
        settled->flags[at] |= WRITES_KNOWN;
    return 0;
}

static uint64_t flag_address(void *observer, const struct lin_ways *ways, uint32_t at,
                             const struct lin_way_word *address, uint32_t count)
{
    struct lin_settled *settled = observer;
    (void)count;
    if (address->kind != LIN_WORD_FIELD)
        return 0;
    if (!address->names || !lin_ways_are_private(ways, address->names))
        settled->flags[at] |= WRITES_TO_OTHERS;
    if (address->names & ~LIN_WAYS_OTHER)
        settled->flags[at] |= WRITES_TO_OWN;
    return 0;
}

static const struct lin_ways_class flags_class = {.begins = flag_value, .writes = flag_address};

/* ---- what leads where ---- */

static struct lin_advance *advance_of(struct lin_settled *settled, uint32_t slot)
{
    for (size_t i = 0; i < settled->advances.length; i++)
        if (settled->advances.items[i].slot == slot)
            return &settled->advances.items[i];
    return NULL;
}

static uint64_t field_bit(const struct lin_settled *settled, uint32_t pool, uint32_t field)
{
    return UINT64_C(1) << (settled->ways.starts[pool] + field);
}

static uint64_t pool_bits(const struct lin_settled *settled, uint32_t pool)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < settled->steps->pools[pool].words; i++)
        bits |= field_bit(settled, pool, i);
    return bits;
}

/* Anything may be written to so many words from an address on. */
static void write_anything(struct lin_settled *settled, const struct lin_paths *paths,
                           uint32_t address, uint32_t words, uint32_t at)
{
    const struct lin_term *to = lin_path_term(paths, address);
    uint64_t fields = 0;
    switch (to->kind) {
    case LIN_TERM_OWN_ADDRESS:
        return;
    case LIN_TERM_SHARED_ADDRESS:
        for (uint32_t i = to->first; i < to->first + words; i++)
            if (advance_of(settled, i))
                advance_of(settled, i)->along = 0;
        return;
    case LIN_TERM_FIELD_ADDRESS:
        for (uint32_t i = to->field; i < to->field + words; i++)
            fields |= to->moved ? pool_bits(settled, to->pool) : field_bit(settled, to->pool, i);
        settled->alone |= fields;
        if (settled->flags[at] & WRITES_TO_OTHERS)
            settled->unsettled |= fields;
        return;
    default:
        settled->lost = true;
    }
}

/* A cas on a shared variable of one word. */
static void move_variable(struct lin_settled *settled, const struct lin_paths *paths,
                          const struct lin_path *path, uint32_t slot, uint32_t at)
{
    struct lin_advance *advance = advance_of(settled, slot);
    const uint32_t next = lin_path_top(path, 0), before = lin_path_top(path, 1);
    const struct lin_term *to = lin_path_term(paths, next);
    uint64_t along = 0;
    if (!advance || lin_path_is_null(paths, next))
        return;
    if (to->kind == LIN_TERM_FIELD && lin_path_equal(paths, path, to->first, before) &&
        (lin_path_term(paths, to->first)->kind == LIN_TERM_SHARED ||
         lin_path_term(paths, to->first)->kind == LIN_TERM_FIELD) &&
        to->pool == advance->pool)
        along |= field_bit(settled, to->pool, to->field);
    if (!(settled->flags[at] & WRITES_KNOWN))
        along |= pool_bits(settled, advance->pool) & ~settled->alone;
    for (uint32_t i = 0; i < settled->steps->pools[advance->pool].words; i++) {
        const uint32_t leads_to = lin_path_content(paths, path, next, advance->pool, i),
                       behind = lin_path_content(paths, path, before, advance->pool, i);
        if ((!(settled->flags[at] & WRITES_KNOWN) && leads_to != UINT32_MAX &&
             lin_path_equal(paths, path, leads_to, before)) ||
            (behind != UINT32_MAX && lin_path_equal(paths, path, behind, next)))
            along |= field_bit(settled, advance->pool, i);
    }
    advance->along &= along;
}

static void write_by_cas(struct lin_settled *settled, const struct lin_paths *paths,
                         const struct lin_path *path, uint32_t at, uint32_t words)
{
    const uint32_t address = lin_path_top(path, 2 * words);
    const struct lin_term *to = lin_path_term(paths, address);
    const bool one = words == 1 && !to->moved;
    if (one && to->kind == LIN_TERM_SHARED_ADDRESS) {
        move_variable(settled, paths, path, to->first, at);
    } else if (one && to->kind == LIN_TERM_FIELD_ADDRESS &&
               (settled->flags[at] & WRITES_TO_OTHERS) &&
               lin_path_is_null(paths, lin_path_top(path, 1))) {
        const uint64_t field = field_bit(settled, to->pool, to->field);
        settled->linked |= field;
        settled->alone |= settled->flags[at] & WRITES_TO_OWN ? field : 0;
        settled->linked_wrongly |= settled->flags[at] & WRITES_KNOWN ? field : 0;
    } else {
        write_anything(settled, paths, address, words, at);
    }
}

static enum lin_path_end note_write(void *observer, struct lin_paths *paths,
                                    const struct lin_path *path, uint32_t at)
{
    struct lin_settled *settled = observer;
    const struct instruction *i = &code_of(settled)[at];
    const uint32_t words = i->wide;
    switch ((enum opcode)i->op) {
    case OP_STEP:
        return settled->steps->pure[at].is_head ? LIN_PATH_ENDS : LIN_PATH_GOES_ON;
    case OP_CAS:
        write_by_cas(settled, paths, path, at, words);
        break;
    case OP_STORE:
    case OP_SWAP:
    case OP_STORE_CONDITIONAL:
        write_anything(settled, paths, lin_path_top(path, words), words, at);
        break;
    case OP_FETCH_ADD:
        write_anything(settled, paths, lin_path_top(path, 1), 1, at);
        break;
    case OP_LOCK:
    case OP_UNLOCK:
        write_anything(settled, paths, lin_path_top(path, 0), 1, at);
        break;
    case OP_STORE_SHARED:
        for (uint32_t j = (uint32_t)i->operand; j < (uint32_t)i->operand + words; j++)
            if (advance_of(settled, j))
                advance_of(settled, j)->along = 0;
        break;
    default:
        break;
    }
    return LIN_PATH_GOES_ON;
}

static const struct lin_paths_class writes_class = {.begins = note_write};

/* From every head, and from where each operation begins. */
static bool follow_all(struct lin_settled *settled, struct lin_paths *paths)
{
    const struct lin_steps *steps = settled->steps;
    for (uint32_t i = 0; i < steps->object->operation_count; i++) {
        const uint32_t start = steps->entries[i].start, end = lin_ways_end(steps, i);
        /* a way that begins at a head would end there */
        for (uint32_t at = start; at < end; at++) {
            const bool is_head = code_of(settled)[at].op == OP_STEP && steps->pure[at].is_head;
            if ((at == start && !is_head && !lin_paths_run(paths, at)) ||
                (is_head && !lin_paths_run(paths, at + 1)))
                return false;
        }
    }
    return true;
}

static bool list_variables(struct lin_settled *settled)
{
    const struct lin_steps *steps = settled->steps;
    for (size_t i = 0; i < steps->shared_references.length; i++) {
        const struct lin_reference_slot *reference = &steps->shared_references.items[i];
        for (uint32_t j = 0; j < steps->object->variable_count; j++)
            if (steps->shared[j].first == reference->slot && steps->shared[j].length == 1 &&
                steps->shared[j].words == 1 &&
                !vector_push(&settled->advances,
                             ((struct lin_advance){.slot = reference->slot,
                                                   .pool = reference->pool,
                                                   .along = pool_bits(settled, reference->pool)})))
                return false;
    }
    return true;
}

/* Fields that are references into the pool itself and null in a new node. */
static uint64_t links_of(const struct lin_settled *settled, uint32_t pool)
{
    const struct lin_pool *of = &settled->steps->pools[pool];
    uint64_t links = 0;
    for (uint32_t i = 0; i < of->reference_count; i++)
        if (of->initial[of->references[i].slot] == 0 && of->references[i].pool == pool)
            links |= field_bit(settled, pool, of->references[i].slot);
    return links;
}

/* Fields along which a variable may be known to advance, those among them of which it has to be
 * supposed what is linked by them. */
static uint64_t chains_of(const struct lin_settled *settled, uint32_t pool)
{
    const uint64_t fields = links_of(settled, pool) & ~settled->unsettled;
    return fields & ~(settled->linked & settled->alone) &
           ~(settled->linked_wrongly & ~settled->supposed);
}

/* ---- what is supposed ---- */

/* Has each cas on a field look at one more supposition, if they do at any. */
static bool look_at_links(struct lin_steps *steps, uint32_t pool, uint32_t field, uint64_t more)
{
    bool looks = false;
    for (uint32_t at = 0; at < listing_here(&steps->listing); at++) {
        struct lin_access *access = &steps->accesses[at];
        if (steps->listing.code.items[at].op != OP_CAS || !access->supposed ||
            access->pool != pool || access->field != field)
            continue;
        access->supposed |= more;
        looks = true;
    }
    return looks;
}

static uint64_t supposition_of(const struct lin_steps *steps, uint32_t pool, uint32_t field)
{
    for (size_t i = 0; i < steps->suppositions.length; i++) {
        const struct lin_supposition *supposed = &steps->suppositions.items[i];
        if (supposed->pool == pool && supposed->field == field && supposed->guard == LIN_ENDS_THERE)
            return UINT64_C(1) << i;
    }
    return 0;
}

/* Where others' nodes are linked, it is supposed that they lead nowhere: by a field along which
 * some variable advances, and which is itself supposed to be sticky, so that every cas on it is
 * looked at. */
static bool suppose_links(struct lin_settled *settled, uint32_t pool, uint64_t fields)
{
    struct lin_steps *steps = settled->steps;
    for (uint64_t left = fields; left; left &= left - 1) {
        const uint32_t field = (uint32_t)__builtin_ctzll(left) - settled->ways.starts[pool];
        const size_t number = steps->suppositions.length;
        const struct lin_supposition supposition = {pool, field, LIN_ENDS_THERE};
        if (number == LIN_MOST_SUPPOSITIONS)
            break;
        if (!vector_push(&steps->suppositions, supposition))
            return false;
        const uint64_t supposed = steps->setting.supposed & UINT64_C(1) << number;
        if (supposed && look_at_links(steps, pool, field, supposed))
            settled->supposed |= left & -left;
        else
            steps->setting.supposed &= ~supposed;
    }
    return true;
}

static bool suppose_all(struct lin_settled *settled)
{
    const struct lin_steps *steps = settled->steps;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        uint64_t along = 0;
        for (size_t j = 0; j < settled->advances.length; j++)
            if (settled->advances.items[j].pool == i)
                along |= settled->advances.items[j].along;
        if (!suppose_links(settled, i,
                           along & links_of(settled, i) & settled->linked &
                               settled->linked_wrongly & ~settled->unsettled & ~settled->alone))
            return false;
    }
    return true;
}

/* ---- what follows of a local ---- */

/* The next of what makes a local that is a reference stale: fills in all of `asked` but the STEPs.
 * Begin with *next = 0; false: there is no more. */
static bool take_next(const struct lin_settled *settled, const struct lin_reference_slot *local,
                      uint32_t *next, struct lin_stale *asked)
{
    const uint64_t fields = links_of(settled, local->pool) & ~settled->unsettled;
    const uint64_t chains = chains_of(settled, local->pool);
    const uint32_t start = settled->ways.starts[local->pool],
                   variables = (uint32_t)settled->advances.length;
    *asked = (struct lin_stale){.local = local->slot, .pool = local->pool};
    asked->nodes[local->slot / 64] = UINT64_C(1) << local->slot % 64;
    while (*next < variables) {
        const struct lin_advance *advance = &settled->advances.items[(*next)++];
        const uint64_t along = advance->pool == local->pool ? advance->along & chains : 0;
        if (!along)
            continue;
        asked->slot = advance->slot;
        asked->along = (uint32_t)__builtin_ctzll(along) - start;
        asked->supposed = settled->linked_wrongly & along & -along
                              ? supposition_of(settled->steps, local->pool, asked->along)
                              : 0;
        return true;
    }
    while (*next < variables + MOST_FIELDS) {
        const uint32_t field = (*next)++ - variables;
        if (!(fields & settled->linked & UINT64_C(1) << field))
            continue;
        asked->linked = true;
        asked->along = field - start;
        return true;
    }
    return false;
}

bool lin_settled_ask(const struct lin_settled *settled,
                     bool (*ask)(void *user, const struct lin_entry *entry,
                                 const struct lin_stale *asked),
                     void *user)
{
    const struct lin_steps *steps = settled->steps;
    for (uint32_t i = 0; i < steps->object->operation_count; i++) {
        const struct lin_entry *entry = &steps->entries[i];
        for (uint32_t at = entry->start; at < lin_ways_end(steps, i); at++) {
            if (code_of(settled)[at].op != OP_STEP)
                continue;
            for (uint32_t j = 0; j < entry->reference_count; j++) {
                const struct lin_reference_slot *local = &entry->references[j];
                struct lin_stale asked;
                if (!lin_steps_live(steps, at, local->slot))
                    continue;
                for (uint32_t next = 0; take_next(settled, local, &next, &asked);) {
                    asked.at = at;
                    if (!ask(user, entry, &asked))
                        return false;
                }
            }
        }
    }
    return true;
}

/* ---- on the ways ---- */

static bool is_local(const struct lin_stale *asked, const struct lin_term *term)
{
    return term->kind == LIN_TERM_LOCAL && term->first == asked->local;
}

bool lin_settled_is_field(const struct lin_stale *asked, const struct lin_paths *paths,
                          const struct lin_term *term)
{
    return (term->kind == LIN_TERM_FIELD || term->kind == LIN_TERM_FIELD_ADDRESS) && !term->moved &&
           term->pool == asked->pool && term->field == asked->along &&
           is_local(asked, lin_path_term(paths, term->first));
}

static bool is_variable(const struct lin_stale *asked, const struct lin_term *term)
{
    return (term->kind == LIN_TERM_SHARED || term->kind == LIN_TERM_SHARED_ADDRESS) &&
           !term->moved && term->first == asked->slot;
}

bool lin_settled_differs(void *user, struct lin_paths *paths, const struct lin_path *path,
                         uint32_t at)
{
    struct lin_asking *asking = user;
    const struct lin_stale *asked = asking->asked;
    const struct instruction *i = &paths->steps->listing.code.items[at];
    const uint32_t words = i->op == OP_SAME || i->op == OP_CAS ? i->wide : 1;
    bool differs;
    if (words != 1)
        return false;
    const struct lin_term *one = lin_path_term(paths, lin_path_top(path, 0)),
                          *other = lin_path_term(paths, lin_path_top(path, 1));
    if (i->op == OP_CAS) {
        const struct lin_term *to = lin_path_term(paths, lin_path_top(path, 2));
        differs = asked->linked ? lin_settled_is_field(asked, paths, to) &&
                                      lin_path_is_null(paths, lin_path_top(path, 1))
                                : is_variable(asked, to) && is_local(asked, other);
    } else {
        differs = !asked->linked && ((is_local(asked, one) && is_variable(asked, other)) ||
                                     (is_local(asked, other) && is_variable(asked, one)));
    }
    asking->compared |= differs;
    return differs;
}

uint32_t *lin_settled_index(const struct lin_steps *steps, const struct lin_stale *items,
                            size_t count)
{
    const uint32_t instructions = listing_here(&steps->listing);
    uint32_t next = 0, *from = arena_allocate(steps->arena, (instructions + 1) * sizeof *from);
    for (uint32_t at = 0; from && at <= instructions; at++) {
        from[at] = next;
        while (next < count && items[next].at == at)
            next++;
    }
    return from;
}

/* ---- all of it ---- */

/* Sets settled->lost where the code is not what is expected here; false when refused. */
static bool find(struct lin_settled *settled)
{
    struct lin_steps *steps = settled->steps;
    struct lin_paths paths;
    for (uint32_t i = 0; i < steps->object->operation_count; i++)
        if (!lin_ways_run(&settled->ways, i))
            return false;
    settled->lost = settled->ways.lost || settled->ways.words > MOST_FIELDS;
    if (settled->lost)
        return true;
    if (!list_variables(settled))
        return false;
    /* Which fields are written while a node is alone is known behind the first time. */
    lin_paths_init(&paths, steps, &writes_class, settled);
    bool followed = follow_all(settled, &paths);
    for (size_t i = 0; i < settled->advances.length; i++)
        settled->advances.items[i].along = pool_bits(settled, settled->advances.items[i].pool);
    followed = followed && follow_all(settled, &paths);
    settled->lost |= !followed;
    const bool refused = paths.refused;
    lin_paths_release(&paths);
    return !refused && (settled->lost || suppose_all(settled));
}

enum status lin_settled_find(struct lin_settled *settled, struct lin_steps *steps)
{
    const uint32_t count = listing_here(&steps->listing);
    *settled = (struct lin_settled){.steps = steps, .lost = true};
    vector_init(&settled->advances, steps->arena->budget);
    if (!steps->pure || steps->locals > LIN_PATH_WORDS)
        return STATUS_OK;
    settled->flags = arena_allocate(steps->arena, count);
    TRY_MEMORY(settled->flags);
    memset(settled->flags, 0, count);
    TRY(lin_ways_open(&settled->ways, steps, &flags_class, settled));
    settled->lost = false;
    return granted(find(settled));
}

void lin_settled_release(struct lin_settled *settled)
{
    if (settled->ways.steps)
        lin_ways_close(&settled->ways);
    vector_release(&settled->advances);
}
