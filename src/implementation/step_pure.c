/* A *head* is a STEP to which a loop leads back. Each has a token (implementation/step_ways.h) that
 * is fresh whenever the thread stands there, and published, or *spoiled*, by whatever of what
 * follows may be left when the thread stands there again:
 *
 * - a write to what is shared, to nodes others may know or that the operation did not make, a lock,
 *   a linearization point, what is printed. A cas that fails spoils nothing, nor does making a
 *   node: it is collected when the thread lets go of it;
 * - a write to a local that is live at the head, an `ll` or `sc` where an `sc` behind the head may
 *   depend on it;
 * - a write to a field of a node of the operation's own that is live at the head: there is a way
 *   from there on which it is read, or the node is published, before the field is written. Where
 *   a pool may run out any such write does, for what the field leads to is not collected.
 *
 * At each STEP those tokens are noted that are spoiled on no way there. Whether the step that leads
 * back spoils anything is asked of the states before and behind it (implementation/model_steps.c),
 * not here.
 *
 * The first flow over an operation's code tells which fields of which of its nodes an instruction
 * reads and writes; live fields follow backwards; the second flow has the tokens. */
#include "implementation/step_pure.h"

#include <string.h>

#include "base/attributes.h"
#include "implementation/step_ways.h"

struct purity {
    struct lin_steps *steps;
    struct lin_ways *ways;
    uint32_t start, end; /* of the operation's code */
    uint32_t nodes;      /* that it names */
    uint32_t fields;     /* words of these: of each as many as all pools' nodes have together */
    /* By instruction from `start` on: */
    struct bits *used, *live; /* fields that are read there or published; live before it */
    struct overwritten {
        uint64_t names; /* that a STORE writes to */
        uint32_t first, count;
    } * overwritten;
    struct bits reached, set;
    uint64_t tokens, linked;        /* those at whose heads the link is live */
    uint32_t heads[LIN_WAYS_NAMES]; /* by token */
    bool bounded;                   /* a pool may run out */
};

static const struct instruction *code_of(const struct purity *purity)
{
    return purity->steps->listing.code.items;
}

/* ---- fields ---- */

/* So many words from one on of each node with such a name, or whole nodes. */
static void add_fields(const struct purity *purity, struct bits set, uint64_t names, uint32_t first,
                       uint32_t count)
{
    const uint32_t words = purity->ways->words;
    names &= ~LIN_WAYS_OTHER;
    for (; names; names &= names - 1) {
        uint32_t node = (uint32_t)__builtin_ctzll(names);
        for (uint32_t i = first; i < first + count; i++)
            bits_set(set, node * words + i);
    }
}

static void use_nodes(const struct purity *purity, uint32_t at, uint64_t names)
{
    add_fields(purity, purity->used[at - purity->start], names, 0, purity->ways->words);
}

static void note_read(void *observer, const struct lin_ways *ways, uint32_t at,
                      const struct lin_way_word *address, uint32_t count)
{
    const struct purity *purity = observer;
    (void)ways;
    if (address->kind == LIN_WORD_FIELD && address->moved)
        use_nodes(purity, at, address->names);
    else if (address->kind == LIN_WORD_FIELD)
        add_fields(purity, purity->used[at - purity->start], address->names, address->first, count);
}

static uint64_t note_write(void *observer, const struct lin_ways *ways, uint32_t at,
                           const struct lin_way_word *address, uint32_t count)
{
    const struct purity *purity = observer;
    (void)ways;
    if (address->kind != LIN_WORD_FIELD)
        return 0;
    if (code_of(purity)[at].op != OP_STORE || address->moved) {
        use_nodes(purity, at, address->names);
        return 0;
    }
    struct overwritten *overwritten = &purity->overwritten[at - purity->start];
    overwritten->names |= address->names;
    overwritten->first = address->first;
    overwritten->count = count;
    return 0;
}

static void note_publication(void *observer, uint32_t at, uint64_t names)
{
    use_nodes(observer, at, names);
}

/* A NEW makes another node; the old one may go on without a name. */
static uint64_t note_new(void *observer, struct lin_ways *ways, uint32_t at)
{
    const struct purity *purity = observer;
    uint64_t held = 0;
    if (code_of(purity)[at].op != OP_NEW)
        return 0;
    for (size_t i = 0; i < ways->now.length; i++)
        held |= ways->now.items[i].names;
    use_nodes(purity, at, held & lin_ways_name(purity->steps, ways->entry, at));
    return 0;
}

static const struct lin_ways_class fields_class = {
    .begins = note_new, .reads = note_read, .writes = note_write, .publishes = note_publication};

static void add_live(const struct purity *purity, uint32_t at)
{
    if (at >= purity->start && at < purity->end)
        bits_add(purity->set, purity->live[at - purity->start]);
}

/* Fields that an instruction surely writes, whatever they held, are not live before it. */
static void take_overwritten(const struct purity *purity, uint32_t at)
{
    const struct overwritten *overwritten = &purity->overwritten[at - purity->start];
    const uint64_t names = overwritten->names;
    if (!names || (names & LIN_WAYS_OTHER) || (names & (names - 1)))
        return;
    uint32_t node = (uint32_t)__builtin_ctzll(names) * purity->ways->words;
    for (uint32_t i = 0; i < overwritten->count; i++)
        bits_clear(purity->set, node + overwritten->first + i);
}

static void find_live_fields(const struct purity *purity)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t at = purity->end; at-- > purity->start;) {
            const struct instruction *instruction = &code_of(purity)[at];
            bits_clear_all(purity->set);
            if (instruction_goes_on(instruction))
                add_live(purity, at + 1);
            if (instruction_is_jump(instruction))
                add_live(purity, (uint32_t)instruction->operand);
            take_overwritten(purity, at);
            bits_add(purity->set, purity->used[at - purity->start]);
            changed |= bits_add(purity->live[at - purity->start], purity->set);
        }
    }
}

/* ---- heads ---- */

/* What is reached from an instruction on, up to those of one kind. */
static void reach(const struct purity *purity, uint32_t from, enum opcode last)
{
    bits_clear_all(purity->reached);
    bits_set(purity->reached, from - purity->start);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t at = purity->start; at < purity->end; at++) {
            const struct instruction *instruction = &code_of(purity)[at];
            if (!bits_get(purity->reached, at - purity->start) || instruction->op == last)
                continue;
            const uint32_t next[] = {
                instruction_goes_on(instruction) ? at + 1 : at,
                instruction_is_jump(instruction) ? (uint32_t)instruction->operand : at};
            for (size_t i = 0; i < ARRAY_LENGTH(next); i++) {
                if (next[i] >= purity->end || bits_get(purity->reached, next[i] - purity->start))
                    continue;
                bits_set(purity->reached, next[i] - purity->start);
                changed = true;
            }
        }
    }
}

static bool has_reached(const struct purity *purity, enum opcode op)
{
    bool found = false;
    for (uint32_t at = purity->start; at < purity->end; at++)
        found |= code_of(purity)[at].op == op && bits_get(purity->reached, at - purity->start);
    return found;
}

static void make_head(struct purity *purity, uint32_t at, unsigned token)
{
    struct lin_pure_step *head = &purity->steps->pure[at];
    head->token = UINT64_C(1) << token;
    purity->tokens |= head->token;
    purity->heads[token] = at;
}

static uint32_t count_nodes(const struct purity *purity)
{
    uint32_t nodes = 0;
    for (uint32_t at = purity->start; at < purity->end; at++)
        nodes += code_of(purity)[at].op == OP_NEW;
    return nodes < LIN_WAYS_NAMES ? nodes : LIN_WAYS_NAMES;
}

/* The first STEPs behind where jumps lead back to; as many as there are names for. */
static void find_heads(struct purity *purity)
{
    uint32_t free = LIN_WAYS_NAMES;
    for (uint32_t at = purity->start; at < purity->end; at++) {
        const struct instruction *jump = &code_of(purity)[at];
        if (!instruction_is_jump(jump) || (uint32_t)jump->operand > at)
            continue;
        reach(purity, (uint32_t)jump->operand, OP_STEP);
        for (uint32_t head = purity->start; head < purity->end; head++) {
            struct lin_pure_step *step = &purity->steps->pure[head];
            if (code_of(purity)[head].op != OP_STEP ||
                !bits_get(purity->reached, head - purity->start))
                continue;
            step->is_head = true;
            if (!step->token && free > purity->nodes)
                make_head(purity, head, --free);
        }
    }
    for (uint64_t left = purity->tokens; left; left &= left - 1) {
        uint32_t token = (uint32_t)__builtin_ctzll(left), head = purity->heads[token];
        reach(purity, head, OP_LOAD_LINKED);
        purity->steps->pure[head].needs_link = has_reached(purity, OP_STORE_CONDITIONAL);
        if (purity->steps->pure[head].needs_link)
            purity->linked |= UINT64_C(1) << token;
    }
}

/* ---- tokens ---- */

/* Of heads where one of these locals is live. */
static uint64_t spoiled_by_local(const struct purity *purity, uint32_t first, uint32_t count)
{
    uint64_t spoiled = 0;
    for (uint64_t left = purity->tokens; left; left &= left - 1) {
        uint32_t token = (uint32_t)__builtin_ctzll(left);
        for (uint32_t i = first; i < first + count; i++)
            if (lin_steps_live(purity->steps, purity->heads[token], i))
                spoiled |= UINT64_C(1) << token;
    }
    return spoiled;
}

/* Of heads where one of these fields is live. */
static uint64_t spoiled_by_field(const struct purity *purity, const struct lin_way_word *address,
                                 uint32_t count)
{
    uint64_t spoiled = 0;
    bits_clear_all(purity->set);
    if (address->moved)
        add_fields(purity, purity->set, address->names, 0, purity->ways->words);
    else
        add_fields(purity, purity->set, address->names, address->first, count);
    for (uint64_t left = purity->tokens; left; left &= left - 1) {
        uint32_t token = (uint32_t)__builtin_ctzll(left);
        if (bits_meet(purity->set, purity->live[purity->heads[token] - purity->start]))
            spoiled |= UINT64_C(1) << token;
    }
    return spoiled;
}

static uint64_t spoil_by_write(void *observer, const struct lin_ways *ways, uint32_t at,
                               const struct lin_way_word *address, uint32_t count)
{
    const struct purity *purity = observer;
    if (code_of(purity)[at].op == OP_LOAD_LINKED) /* it writes nothing but the link */
        return 0;
    switch (address->kind) {
    case LIN_WORD_OWN:
        return spoiled_by_local(purity, address->first, address->count);
    case LIN_WORD_FIELD:
        return purity->bounded || !lin_ways_are_private(ways, address->names)
                   ? purity->tokens
                   : spoiled_by_field(purity, address, count);
    default:
        return purity->tokens;
    }
}

/* Whether an instruction does nothing but compute, read, or write what spoil_by_write is told. */
static bool only_computes(enum opcode op)
{
    switch (op) {
    case OP_PUSH:
    case OP_POP:
    case OP_THREAD:
    case OP_JUMP:
    case OP_JUMP_IF_FALSE:
    case OP_JUMP_IF_TRUE:
    case OP_CHECK_RANGE:
    case OP_CHOOSE:
    case OP_ASSERT:
    case OP_AWAIT:
    case OP_LOAD_OWN:
    case OP_STORE_OWN:
    case OP_ADDRESS:
    case OP_ADDRESS_OWN:
    case OP_AT:
    case OP_OFFSET:
    case OP_DEREFERENCE:
    case OP_LOAD_SHARED:
    case OP_LOAD:
    case OP_STORE:
    case OP_PICK:
    case OP_SAME:
    case OP_CAS:
    case OP_SWAP:
    case OP_NEW:
    case OP_ANSWER:
    case OP_END:
        return true;
    default:
        return op >= OP_NEGATE && op <= OP_XOR;
    }
}

static uint64_t spoil_by_instruction(void *observer, struct lin_ways *ways, uint32_t at)
{
    const struct purity *purity = observer;
    const struct lin_steps *steps = purity->steps;
    const struct instruction *instruction = &code_of(purity)[at];
    switch ((enum opcode)instruction->op) {
    case OP_STEP:
        ways->published &= ~steps->pure[at].token;
        steps->pure[at].spoiled |= ways->published & purity->tokens;
        return 0;
    case OP_LOAD_LINKED:
    case OP_STORE_CONDITIONAL:
        return purity->linked;
    default:
        return only_computes((enum opcode)instruction->op) ? 0 : purity->tokens;
    }
}

static const struct lin_ways_class tokens_class = {.begins = spoil_by_instruction,
                                                   .writes = spoil_by_write};

/* ---- operations ---- */

static bool flow(struct purity *purity, uint32_t entry, const struct lin_ways_class *class,
                 bool *lost)
{
    struct lin_ways ways;
    bool done = lin_ways_open(&ways, purity->steps, class, purity) == STATUS_OK;
    ways.tokens = purity->tokens;
    purity->ways = &ways;
    done = done && lin_ways_run(&ways, entry);
    *lost |= ways.lost;
    lin_ways_close(&ways);
    return done;
}

/* The tokens that are spoiled nowhere are those of iterations that are pure so far. */
static void keep_tokens(const struct purity *purity, bool lost)
{
    struct lin_steps *steps = purity->steps;
    for (uint32_t at = purity->start; at < purity->end; at++) {
        struct lin_pure_step *step = &steps->pure[at];
        step->pure =
            lost || code_of(purity)[at].op != OP_STEP ? 0 : purity->tokens & ~step->spoiled;
        if (lost)
            step->token = 0;
        steps->has_pure |= step->token != 0;
    }
}

static bool find_in_entry(struct purity *purity, uint32_t entry)
{
    bool lost = false;
    if (!flow(purity, entry, &fields_class, &lost))
        return false;
    find_live_fields(purity);
    find_heads(purity);
    if (purity->tokens && !lost && !flow(purity, entry, &tokens_class, &lost))
        return false;
    keep_tokens(purity, lost);
    return true;
}

static bool make_sets(struct arena *arena, struct bits **sets, uint32_t count, uint32_t size)
{
    *sets = arena_allocate(arena, count * sizeof **sets);
    for (uint32_t i = 0; *sets && i < count; i++) {
        (*sets)[i] = bits_in_arena(arena, size);
        if (!(*sets)[i].words)
            return false;
    }
    return *sets;
}

static bool find_by_entry(struct lin_steps *steps, struct arena *scratch, uint32_t entry)
{
    struct purity purity = {
        .steps = steps, .start = steps->entries[entry].start, .end = lin_ways_end(steps, entry)};
    const uint32_t count = purity.end - purity.start;
    uint32_t words = 0;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        purity.bounded |= !steps->pools[i].is_default;
        words += steps->pools[i].words;
    }
    purity.nodes = count_nodes(&purity);
    purity.fields = purity.nodes * words;
    purity.overwritten = arena_allocate(scratch, count * sizeof *purity.overwritten);
    purity.reached = bits_in_arena(scratch, count);
    purity.set = bits_in_arena(scratch, purity.fields);
    if (!purity.overwritten || !purity.reached.words || !purity.set.words ||
        !make_sets(scratch, &purity.used, count, purity.fields) ||
        !make_sets(scratch, &purity.live, count, purity.fields))
        return false;
    memset(purity.overwritten, 0, count * sizeof *purity.overwritten);
    return find_in_entry(&purity, entry);
}

/* A node that was given back may be handed out while a thread refers to it; and where threads make
 * points for one another they look at each other's locals. */
static bool may_be_pure(const struct lin_steps *steps)
{
    bool frees = false;
    for (size_t i = 0; i < steps->listing.code.length; i++)
        frees |= steps->listing.code.items[i].op == OP_FREE;
    return !frees && !steps->helps;
}

enum status lin_step_find_pure(struct lin_steps *steps)
{
    const size_t bytes = listing_here(&steps->listing) * sizeof *steps->pure;
    bool done = true;
    if (!may_be_pure(steps))
        return STATUS_OK;
    steps->pure = arena_allocate(steps->arena, bytes);
    TRY_MEMORY(steps->pure);
    memset(steps->pure, 0, bytes);
    for (uint32_t i = 0; i < steps->object->operation_count && done; i++) {
        struct arena scratch;
        arena_init(&scratch, steps->arena->budget);
        done = find_by_entry(steps, &scratch, i);
        arena_release(&scratch);
    }
    return granted(done);
}
