/* A field of one word is supposed to be sticky if nodes of its struct are never given back and
 * everything that writes it to nodes which others may know is an assignment or a cas. That it is so
 * is looked at whenever one of these runs. It may also be supposed that a field does not change
 * once *another* field of its node is set: where everything that writes the one is an assignment
 * behind which the other is assigned, too.
 *
 * Which instructions these are is found by the flow of implementation/step_ways.h. */
#include "implementation/step_accesses.h"

#include <string.h>

#include "base/memory.h"
#include "code/instruction.h"
#include "implementation/step_ways.h"

#define NO_ADDRESS 0 /* no instruction of an operation that pushes an address is the first */

/* What is known of an instruction that pushes an address, or has access by one. */
struct use {
    uint32_t from;             /* of a LOAD, STORE or CAS of one word: who pushed its address */
    bool reads, writes, other; /* of an address: what is done with it; other: not by these */
    bool is_known;             /* of a STORE or CAS: to nodes that others may know */
    bool brings_known;         /* of these, and a STORE_SHARED: a node that others may know */
};

struct analysis {
    struct lin_ways ways;
    struct use *uses; /* by instruction */
    /* By word of a node: it is written to known nodes; by something else than a STORE or CAS; by
     * something else than a STORE. */
    struct bits written, unsticky, compared;
};

static const struct instruction *code_of(const struct analysis *analysis)
{
    return analysis->ways.steps->listing.code.items;
}

static bool is_one_word(const struct instruction *i)
{
    return (i->op == OP_LOAD || i->op == OP_STORE || i->op == OP_CAS) && i->wide == 1;
}

static void note_use(struct analysis *analysis, uint32_t at, const struct lin_way_word *address)
{
    const bool moved = address->kind == LIN_WORD_FIELD && address->moved;
    if (address->kind != LIN_WORD_FIELD && address->kind != LIN_WORD_SHARED)
        return;
    struct use *from = &analysis->uses[address->origin];
    if (code_of(analysis)[at].op == OP_LOAD)
        from->reads = true;
    else
        from->writes = true;
    if (is_one_word(&code_of(analysis)[at]) && !moved)
        analysis->uses[at].from = address->origin;
    else
        from->other = true;
}

static void note_read(void *observer, const struct lin_ways *ways, uint32_t at,
                      const struct lin_way_word *address, uint32_t count)
{
    (void)ways, (void)count;
    note_use(observer, at, address);
}

static uint64_t note_write(void *observer, const struct lin_ways *ways, uint32_t at,
                           const struct lin_way_word *address, uint32_t count)
{
    struct analysis *analysis = observer;
    const struct instruction *i = &code_of(analysis)[at];
    (void)count;
    note_use(analysis, at, address);
    if (address->kind != LIN_WORD_FIELD || lin_ways_are_private(ways, address->names))
        return 0;
    analysis->uses[at].is_known = true;
    bits_set(analysis->written, address->first);
    if (i->op != OP_STORE)
        bits_set(analysis->compared, address->first);
    if (!is_one_word(i) || address->moved)
        bits_set(analysis->unsticky, address->first);
    return 0;
}

/* null is nobody's node. */
static uint64_t note_value(void *observer, struct lin_ways *ways, uint32_t at)
{
    struct analysis *analysis = observer;
    const struct instruction *i = &code_of(analysis)[at];
    if ((i->op == OP_STORE || i->op == OP_CAS || i->op == OP_STORE_SHARED) && i->wide == 1 &&
        !lin_ways_are_private(ways, ways->now.items[ways->now.length - 1].names))
        analysis->uses[at].brings_known = true;
    return 0;
}

static const struct lin_ways_class class = {
    .begins = note_value, .reads = note_read, .writes = note_write};

/* ---- fields ---- */

static bool is_sticky(const struct analysis *analysis, uint32_t pool, uint32_t field)
{
    const uint32_t word = analysis->ways.starts[pool] + field;
    return bits_get(analysis->written, word) && !bits_get(analysis->unsticky, word);
}

/* The field that an instruction has access to by a reference in a local; false: none. */
static bool find_field(const struct analysis *analysis, uint32_t at, uint32_t *pool,
                       uint32_t *field, int32_t *local)
{
    const uint32_t from = analysis->uses[at].from;
    const struct instruction *address = &code_of(analysis)[from];
    if (from == NO_ADDRESS || address->op != OP_DEREFERENCE)
        return false;
    *pool = (uint32_t)address->operand;
    *field = address->wide;
    *local = address[-1].op == OP_LOAD_OWN && address[-1].wide == 1 ? address[-1].operand : -1;
    return true;
}

/* Whether behind a STORE that field of the same node is stored, before anything can go elsewhere.
 */
static bool stores_then(const struct analysis *analysis, uint32_t at, int32_t local, uint32_t pool,
                        uint32_t guard)
{
    for (at++; at < analysis->ways.steps->listing.code.length; at++) {
        const struct instruction *i = &code_of(analysis)[at];
        uint32_t to_pool, to_field;
        int32_t to_local;
        if (instruction_is_jump(i) || !instruction_goes_on(i))
            return false;
        if (i->op == OP_STORE && find_field(analysis, at, &to_pool, &to_field, &to_local) &&
            to_pool == pool && to_field == guard && to_local == local && local >= 0)
            return true;
    }
    return false;
}

/* Whether one field of a node is always stored before the other. */
static bool comes_before(const struct analysis *analysis, uint32_t pool, uint32_t field,
                         uint32_t guard)
{
    bool before = !bits_get(analysis->compared, analysis->ways.starts[pool] + field);
    for (uint32_t at = 0; at < analysis->ways.steps->listing.code.length && before; at++) {
        uint32_t of_pool, of_field;
        int32_t local;
        if (analysis->uses[at].is_known && find_field(analysis, at, &of_pool, &of_field, &local) &&
            of_pool == pool && of_field == field)
            before = stores_then(analysis, at, local, pool, guard);
    }
    return before;
}

static bool suppose(const struct analysis *analysis, uint32_t pool, uint32_t field, uint32_t guard)
{
    struct lin_steps *steps = analysis->ways.steps;
    const struct lin_supposition supposition = {.pool = pool, .field = field, .guard = guard};
    return steps->suppositions.length == LIN_MOST_SUPPOSITIONS ||
           vector_push(&steps->suppositions, supposition);
}

static bool suppose_fields(const struct analysis *analysis)
{
    const struct lin_steps *steps = analysis->ways.steps;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const bool freed = lin_steps_free(steps, i);
        for (uint32_t j = 1; j < steps->pools[i].words && !freed; j++)
            for (uint32_t k = 1; k < steps->pools[i].words; k++)
                if (is_sticky(analysis, i, j) && is_sticky(analysis, i, k) &&
                    (j == k || comes_before(analysis, i, j, k)) && !suppose(analysis, i, j, k))
                    return false;
    }
    return true;
}

/* Whether a field is relied on to stay as it is once it is set. */
static bool is_relied_on(const struct lin_steps *steps, uint32_t pool, uint32_t field)
{
    bool relied = false;
    for (size_t i = 0; i < steps->suppositions.length; i++) {
        const struct lin_supposition *supposed = &steps->suppositions.items[i];
        relied |= supposed->pool == pool && supposed->field == field && supposed->guard == field &&
                  (steps->setting.supposed >> i & 1);
    }
    return relied;
}

/* Another field says nothing for ever unless it stays set. */
static void drop_loose_guards(struct lin_steps *steps)
{
    for (size_t i = 0; i < steps->suppositions.length; i++) {
        const struct lin_supposition *supposed = &steps->suppositions.items[i];
        if (!is_relied_on(steps, supposed->pool, supposed->guard))
            steps->setting.supposed &= ~(UINT64_C(1) << i);
    }
}

/* ---- items ---- */

/* The variable is an array of an item for each thread, not all of whose accesses are to the own
 * one, but all those that may write. */
static bool is_written_by_owners(const struct analysis *analysis,
                                 const struct lin_layout_of_shared *shared)
{
    const struct lin_steps *steps = analysis->ways.steps;
    const uint32_t end = shared->first + shared->length * shared->words;
    bool by_owners = shared->variable->length_count == 1, by_others = false;
    by_owners &= shared->length >= steps->setting.threads;
    for (uint32_t at = 0; at < steps->listing.code.length && by_owners; at++) {
        const struct instruction *i = &code_of(analysis)[at];
        const uint32_t slot = (uint32_t)i->operand;
        const struct use *use = &analysis->uses[at];
        if (!instruction_names_shared(i) || slot < shared->first || slot >= end ||
            lin_steps_are_initial(steps, at))
            continue;
        const bool own = i->op == OP_ADDRESS && slot == shared->first &&
                         code_item_use(&steps->code, at) == ITEM_OWN;
        by_others |= !own;
        by_owners &= own || i->op == OP_LOAD_SHARED ||
                     (i->op == OP_ADDRESS && slot == shared->first && use->reads && !use->writes &&
                      !use->other);
    }
    return by_owners && by_others;
}

/* ---- what is written new nodes alone ---- */

/* The variable holds references to nodes that are not given back. */
static bool holds_nodes(const struct lin_steps *steps, const struct lin_layout_of_shared *shared)
{
    for (size_t i = 0; i < steps->shared_references.length; i++)
        if (steps->shared_references.items[i].slot == shared->first)
            return shared->words == 1 &&
                   !lin_steps_free(steps, steps->shared_references.items[i].pool);
    return false;
}

/* Whether all that operations write to a variable are null and nodes that only the writer's locals
 * lead to: then no node comes back to it that another thread knows. */
static bool is_written_fresh(const struct analysis *analysis,
                             const struct lin_layout_of_shared *shared)
{
    const struct lin_steps *steps = analysis->ways.steps;
    const uint32_t end = shared->first + shared->length * shared->words;
    bool fresh = holds_nodes(steps, shared);
    for (uint32_t at = 0; at < steps->listing.code.length && fresh; at++) {
        const struct instruction *i = &code_of(analysis)[at], *from;
        const struct use *use = &analysis->uses[at];
        const uint32_t slot = (uint32_t)i->operand;
        if (instruction_names_shared(i) && slot >= shared->first && slot < end &&
            !lin_steps_are_initial(steps, at))
            fresh = i->op == OP_LOAD_SHARED || (i->op == OP_STORE_SHARED && !use->brings_known) ||
                    (i->op == OP_ADDRESS && slot == shared->first && !use->other);
        if (use->from == NO_ADDRESS || i->op == OP_LOAD)
            continue;
        from = &code_of(analysis)[use->from];
        if (from->op == OP_ADDRESS && (uint32_t)from->operand == shared->first)
            fresh &= !use->brings_known;
    }
    return fresh;
}

/* ---- accesses ---- */

static struct lin_access field_access(const struct lin_steps *steps, const struct instruction *from)
{
    struct lin_access access = {.pool = (uint32_t)from->operand, .field = from->wide};
    for (uint32_t i = 0; i < steps->suppositions.length; i++)
        if (steps->suppositions.items[i].pool == access.pool &&
            steps->suppositions.items[i].field == access.field)
            access.supposed |= UINT64_C(1) << i & steps->setting.supposed;
    return access;
}

static struct lin_access shared_access(const struct analysis *analysis, enum opcode op,
                                       const struct instruction *from)
{
    const struct lin_steps *steps = analysis->ways.steps;
    for (uint32_t i = 0; i < steps->object->variable_count; i++) {
        const struct lin_layout_of_shared *shared = &steps->shared[i];
        if (shared->first == (uint32_t)from->operand && is_written_by_owners(analysis, shared))
            return (struct lin_access){
                .pool = LIN_ACCESS_TO_ITEM, .field = shared->first, .words = shared->words};
        if (shared->first == (uint32_t)from->operand && op == OP_CAS &&
            is_written_fresh(analysis, shared))
            return (struct lin_access){
                .pool = LIN_ACCESS_TO_FRESH, .field = shared->first, .words = shared->words};
    }
    return (struct lin_access){.pool = LIN_ACCESS_TO_ITEM};
}

/* Whether it is to be asked what an access does when it runs. */
static bool find_access(const struct analysis *analysis, uint32_t at, struct lin_access *access)
{
    const struct use *use = &analysis->uses[at];
    const struct instruction *i = &code_of(analysis)[at], *from = &code_of(analysis)[use->from];
    if (use->from == NO_ADDRESS)
        return false;
    if (from->op == OP_ADDRESS) {
        *access = shared_access(analysis, (enum opcode)i->op, from);
        return access->words > 0;
    }
    if (i->op != OP_LOAD && !use->is_known)
        return false; /* to a node of its own */
    *access = field_access(analysis->ways.steps, from);
    return access->supposed != 0;
}

/* Whether an address is for accesses alone that tell themselves whether others notice them. */
static bool is_left(const struct analysis *analysis, uint32_t address)
{
    const struct lin_steps *steps = analysis->ways.steps;
    bool used = false;
    if (address == NO_ADDRESS || analysis->uses[address].other)
        return false;
    for (uint32_t at = 0; at < steps->listing.code.length; at++) {
        if (analysis->uses[at].from != address)
            continue;
        if (steps->listing.code.items[at].small == 0)
            return false;
        used = true;
    }
    return used;
}

static void mark(const struct analysis *analysis)
{
    struct lin_steps *steps = analysis->ways.steps;
    struct instruction *code = steps->listing.code.items;
    for (uint32_t at = 0; at < steps->listing.code.length; at++) {
        if (!find_access(analysis, at, &steps->accesses[at]))
            continue;
        code[at].small = 1;
        steps->writes_fresh |= steps->accesses[at].pool == LIN_ACCESS_TO_FRESH;
    }
    for (uint32_t at = 0; at < steps->listing.code.length; at++)
        if ((code[at].op == OP_ADDRESS || code[at].op == OP_DEREFERENCE) && is_left(analysis, at))
            code[at].small = LIN_ADDRESS_LEFT;
}

static bool analyse(struct analysis *analysis)
{
    struct lin_steps *steps = analysis->ways.steps;
    for (uint32_t i = 0; i < steps->object->operation_count; i++)
        if (!lin_ways_run(&analysis->ways, i))
            return false;
    if (analysis->ways.lost)
        return true;
    if (!suppose_fields(analysis))
        return false;
    drop_loose_guards(steps);
    mark(analysis);
    return true;
}

enum status lin_step_find_accesses(struct lin_steps *steps)
{
    struct budget *budget = steps->arena->budget;
    const uint32_t count = listing_here(&steps->listing);
    struct analysis analysis;
    steps->accesses = arena_allocate(steps->arena, count * sizeof *steps->accesses);
    TRY_MEMORY(steps->accesses);
    memset(steps->accesses, 0, count * sizeof *steps->accesses);
    enum status status = lin_ways_open(&analysis.ways, steps, &class, &analysis);
    analysis.uses = memory_zeroed(budget, count * sizeof *analysis.uses);
    analysis.written = bits_allocate(budget, analysis.ways.words);
    analysis.unsticky = bits_allocate(budget, analysis.ways.words);
    analysis.compared = bits_allocate(budget, analysis.ways.words);
    const bool done = status == STATUS_OK && analysis.uses && analysis.written.words &&
                      analysis.unsticky.words && analysis.compared.words && analyse(&analysis);
    bits_release(budget, analysis.compared);
    bits_release(budget, analysis.unsticky);
    bits_release(budget, analysis.written);
    memory_release(budget, analysis.uses, count * sizeof *analysis.uses);
    lin_ways_close(&analysis.ways);
    return granted(done);
}
