/* A reference that a thread holds is *stale* if a shared variable is not equal to it, and never
 * will be. Of two kinds:
 *
 * - A field is *settled* once it is not null, where every write to it is to a node that only the
 *   writer's locals lead to, or a cas that expects null. A cas that expects null of a settled field
 *   that has been set fails for ever.
 * - A shared variable *advances* along a settled field if it is written by cas only, from a node to
 *   the one that this field of it leads to; or to a node that only the writer leads to, whose field
 *   leads nowhere or to the node before; or to null. Nodes are linked behind others only while they
 *   are the writer's alone and lead nowhere. What the variable does not lead to along the field now
 *   it will never be.
 *
 * Which these are is found by the flow of implementation/step_ways.h, for what is the writer's
 * alone, and on the ways from head to head (implementation/step_paths.h), for what leads where.
 *
 * Then, for each STEP and each reference that is live there: if that reference were stale, would
 * each way lead back to a head, with nothing left of the iteration? These are the steps->stale. */
#include "implementation/step_stale.h"

#include <string.h>

#include "base/attributes.h"
#include "implementation/step_paths.h"
#include "implementation/step_ways.h"

#define MOST_FIELDS 64 /* words of nodes, in a row of all pools' */

/* Of an instruction that writes, whenever it does: */
enum write_flag {
    WRITES_TO_OTHERS = 1, /* to a node that others may know */
    WRITES_TO_OWN = 2,    /* to a node of the operation's, which they perhaps do not */
    WRITES_KNOWN = 4,     /* a node that others may know, or none of the operation's */
};

/* A shared variable that is a reference. */
struct advance {
    uint32_t slot, pool;
    uint64_t along; /* fields */
};

struct staleness {
    struct lin_steps *steps;
    struct lin_ways *ways;
    uint8_t *flags;                            /* by instruction */
    uint64_t unsettled, linked_wrongly, alone; /* fields; perhaps written while a node is alone */
    uint64_t linked;                           /* written by cas, behind nodes of others */
    VECTOR(struct advance) advances;           /* of variables that are references */
    bool lost;                                 /* nothing is known of some write */
    uint32_t head, local;                      /* that are asked for */
    uint64_t nodes;                            /* locals that must not be null */
    bool compared;
    const struct lin_stale *asked;
};

static const struct instruction *code_of(const struct staleness *stale)
{
    return stale->steps->listing.code.items;
}

/* ---- what is the writer's alone ---- */

static uint64_t flag_value(void *observer, struct lin_ways *ways, uint32_t at)
{
    struct staleness *stale = observer;
    const uint64_t names = ways->now.items[ways->now.length - 1].names;
    if (code_of(stale)[at].op == OP_CAS && (!names || !lin_ways_are_private(ways, names)))
        stale->flags[at] |= WRITES_KNOWN;
    return 0;
}

static uint64_t flag_address(void *observer, const struct lin_ways *ways, uint32_t at,
                             const struct lin_way_word *address, uint32_t count)
{
    struct staleness *stale = observer;
    (void)count;
    if (address->kind != LIN_WORD_FIELD)
        return 0;
    if (!address->names || !lin_ways_are_private(ways, address->names))
        stale->flags[at] |= WRITES_TO_OTHERS;
    if (address->names & ~LIN_WAYS_OTHER)
        stale->flags[at] |= WRITES_TO_OWN;
    return 0;
}

static const struct lin_ways_class flags_class = {.begins = flag_value, .writes = flag_address};

/* ---- what leads where ---- */

static struct advance *advance_of(struct staleness *stale, uint32_t slot)
{
    for (size_t i = 0; i < stale->advances.length; i++)
        if (stale->advances.items[i].slot == slot)
            return &stale->advances.items[i];
    return NULL;
}

static uint64_t field_bit(const struct staleness *stale, uint32_t pool, uint32_t field)
{
    return UINT64_C(1) << (stale->ways->starts[pool] + field);
}

static uint64_t pool_bits(const struct staleness *stale, uint32_t pool)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < stale->steps->pools[pool].words; i++)
        bits |= field_bit(stale, pool, i);
    return bits;
}

/* Anything may be written to so many words from an address on. */
static void write_anything(struct staleness *stale, const struct lin_paths *paths, uint32_t address,
                           uint32_t words, uint32_t at)
{
    const struct lin_term *to = lin_path_term(paths, address);
    uint64_t fields = 0;
    switch (to->kind) {
    case LIN_TERM_OWN_ADDRESS:
        return;
    case LIN_TERM_SHARED_ADDRESS:
        for (uint32_t i = to->first; i < to->first + words; i++)
            if (advance_of(stale, i))
                advance_of(stale, i)->along = 0;
        return;
    case LIN_TERM_FIELD_ADDRESS:
        for (uint32_t i = to->field; i < to->field + words; i++)
            fields |= to->moved ? pool_bits(stale, to->pool) : field_bit(stale, to->pool, i);
        stale->alone |= fields;
        if (stale->flags[at] & WRITES_TO_OTHERS)
            stale->unsettled |= fields;
        return;
    default:
        stale->lost = true;
    }
}

/* A cas on a shared variable of one word. */
static void move_variable(struct staleness *stale, const struct lin_paths *paths,
                          const struct lin_path *path, uint32_t slot, uint32_t at)
{
    struct advance *advance = advance_of(stale, slot);
    const uint32_t next = lin_path_top(path, 0), before = lin_path_top(path, 1);
    const struct lin_term *to = lin_path_term(paths, next);
    uint64_t along = 0;
    if (!advance || lin_path_is_null(paths, next))
        return;
    if (to->kind == LIN_TERM_FIELD && lin_path_equal(paths, path, to->first, before) &&
        (lin_path_term(paths, to->first)->kind == LIN_TERM_SHARED ||
         lin_path_term(paths, to->first)->kind == LIN_TERM_FIELD) &&
        to->pool == advance->pool)
        along |= field_bit(stale, to->pool, to->field);
    if (!(stale->flags[at] & WRITES_KNOWN))
        along |= pool_bits(stale, advance->pool) & ~stale->alone;
    for (uint32_t i = 0; i < stale->steps->pools[advance->pool].words; i++) {
        const uint32_t leads_to = lin_path_content(paths, path, next, advance->pool, i),
                       behind = lin_path_content(paths, path, before, advance->pool, i);
        if ((!(stale->flags[at] & WRITES_KNOWN) && leads_to != UINT32_MAX &&
             lin_path_equal(paths, path, leads_to, before)) ||
            (behind != UINT32_MAX && lin_path_equal(paths, path, behind, next)))
            along |= field_bit(stale, advance->pool, i);
    }
    advance->along &= along;
}

static void write_by_cas(struct staleness *stale, const struct lin_paths *paths,
                         const struct lin_path *path, uint32_t at, uint32_t words)
{
    const uint32_t address = lin_path_top(path, 2 * words);
    const struct lin_term *to = lin_path_term(paths, address);
    const bool one = words == 1 && !to->moved;
    if (one && to->kind == LIN_TERM_SHARED_ADDRESS) {
        move_variable(stale, paths, path, to->first, at);
    } else if (one && to->kind == LIN_TERM_FIELD_ADDRESS && (stale->flags[at] & WRITES_TO_OTHERS) &&
               lin_path_is_null(paths, lin_path_top(path, 1))) {
        const uint64_t field = field_bit(stale, to->pool, to->field);
        stale->linked |= field;
        stale->alone |= stale->flags[at] & WRITES_TO_OWN ? field : 0;
        stale->linked_wrongly |= stale->flags[at] & WRITES_KNOWN ? field : 0;
    } else {
        write_anything(stale, paths, address, words, at);
    }
}

static enum lin_path_end note_write(void *observer, struct lin_paths *paths,
                                    const struct lin_path *path, uint32_t at)
{
    struct staleness *stale = observer;
    const struct instruction *i = &code_of(stale)[at];
    const uint32_t words = i->wide;
    switch ((enum opcode)i->op) {
    case OP_STEP:
        return stale->steps->pure[at].token ? LIN_PATH_ENDS : LIN_PATH_GOES_ON;
    case OP_CAS:
        write_by_cas(stale, paths, path, at, words);
        break;
    case OP_STORE:
    case OP_SWAP:
    case OP_STORE_CONDITIONAL:
        write_anything(stale, paths, lin_path_top(path, words), words, at);
        break;
    case OP_FETCH_ADD:
        write_anything(stale, paths, lin_path_top(path, 1), 1, at);
        break;
    case OP_LOCK:
    case OP_UNLOCK:
        write_anything(stale, paths, lin_path_top(path, 0), 1, at);
        break;
    case OP_STORE_SHARED:
        for (uint32_t j = (uint32_t)i->operand; j < (uint32_t)i->operand + words; j++)
            if (advance_of(stale, j))
                advance_of(stale, j)->along = 0;
        break;
    default:
        break;
    }
    return LIN_PATH_GOES_ON;
}

static const struct lin_paths_class writes_class = {.begins = note_write};

/* From every head, and from where each operation begins. */
static bool follow_all(struct staleness *stale, struct lin_paths *paths)
{
    const struct lin_steps *steps = stale->steps;
    for (uint32_t i = 0; i < steps->object->operation_count; i++) {
        const uint32_t start = steps->entries[i].start, end = lin_ways_end(steps, i);
        /* a way that begins at a head would end there */
        for (uint32_t at = start; at < end; at++) {
            const bool is_head = code_of(stale)[at].op == OP_STEP && steps->pure[at].token;
            if ((at == start && !is_head && !lin_paths_run(paths, at)) ||
                (is_head && !lin_paths_run(paths, at + 1)))
                return false;
        }
    }
    return true;
}

static bool list_variables(struct staleness *stale)
{
    const struct lin_steps *steps = stale->steps;
    for (size_t i = 0; i < steps->shared_references.length; i++) {
        const struct lin_reference_slot *reference = &steps->shared_references.items[i];
        for (uint32_t j = 0; j < steps->object->variable_count; j++)
            if (steps->shared[j].first == reference->slot && steps->shared[j].length == 1 &&
                steps->shared[j].words == 1 &&
                !vector_push(&stale->advances,
                             ((struct advance){.slot = reference->slot,
                                               .pool = reference->pool,
                                               .along = pool_bits(stale, reference->pool)})))
                return false;
    }
    return true;
}

/* Fields that are references into the pool itself and null in a new node. */
static uint64_t links_of(const struct staleness *stale, uint32_t pool)
{
    const struct lin_pool *of = &stale->steps->pools[pool];
    uint64_t links = 0;
    for (uint32_t i = 0; i < of->reference_count; i++)
        if (of->initial[of->references[i].slot] == 0 && of->references[i].pool == pool)
            links |= field_bit(stale, pool, of->references[i].slot);
    return links;
}

/* ---- iterations that cannot but end for nothing ---- */

/* Whether what runs next compares the stale reference with what it never equals. */
static bool compares_stale(void *observer, struct lin_paths *paths, const struct lin_path *path,
                           uint32_t at)
{
    struct staleness *stale = observer;
    const struct lin_stale *asked = stale->asked;
    const struct instruction *i = &code_of(stale)[at];
    const uint32_t words = i->op == OP_SAME || i->op == OP_CAS ? i->wide : 1;
    bool found = false;
    if (words != 1)
        return false;
    const struct lin_term *one = lin_path_term(paths, lin_path_top(path, 0)),
                          *other = lin_path_term(paths, lin_path_top(path, 1)), *to;
    if (i->op == OP_CAS) {
        to = lin_path_term(paths, lin_path_top(path, 2));
        found = asked->linked ? to->kind == LIN_TERM_FIELD_ADDRESS && !to->moved &&
                                    to->pool == asked->pool && to->field == asked->along &&
                                    lin_path_term(paths, to->first)->kind == LIN_TERM_LOCAL &&
                                    lin_path_term(paths, to->first)->first == asked->local &&
                                    lin_path_is_null(paths, lin_path_top(path, 1))
                              : to->kind == LIN_TERM_SHARED_ADDRESS && !to->moved &&
                                    to->first == asked->slot && other->kind == LIN_TERM_LOCAL &&
                                    other->first == asked->local;
    } else if (!asked->linked) {
        for (unsigned turned = 0; turned < 2 && !found; turned++) {
            found = one->kind == LIN_TERM_LOCAL && one->first == asked->local &&
                    other->kind == LIN_TERM_SHARED && other->first == asked->slot;
            to = one;
            one = other;
            other = to;
        }
    }
    stale->compared |= found;
    return found;
}

/* Whether a local that is live at the head is among these. */
static bool is_live_at_head(const struct staleness *stale, uint32_t first, uint32_t count)
{
    bool live = false;
    for (uint32_t i = first; i < first + count; i++)
        live |= lin_steps_live(stale->steps, stale->head, i);
    return live;
}

/* A reference is followed: it must surely be no null. */
static enum lin_path_end follow(struct staleness *stale, const struct lin_paths *paths,
                                const struct lin_path *path)
{
    const uint32_t reference = lin_path_top(path, 0);
    const struct lin_term *term = lin_path_term(paths, reference);
    if (lin_path_is_node(paths, path, reference))
        return LIN_PATH_GOES_ON;
    if (term->kind != LIN_TERM_LOCAL)
        return LIN_PATH_FAILS;
    stale->nodes |= UINT64_C(1) << term->first;
    return LIN_PATH_GOES_ON;
}

static enum lin_path_end lead_back(void *observer, struct lin_paths *paths,
                                   const struct lin_path *path, uint32_t at)
{
    struct staleness *stale = observer;
    const struct instruction *i = &code_of(stale)[at];
    switch ((enum opcode)i->op) {
    case OP_STEP:
        return at == stale->head ? LIN_PATH_ENDS : LIN_PATH_GOES_ON;
    case OP_STORE_OWN:
        return is_live_at_head(stale, (uint32_t)i->operand, i->wide) ? LIN_PATH_FAILS
                                                                     : LIN_PATH_GOES_ON;
    case OP_DEREFERENCE:
        return follow(stale, paths, path);
    case OP_CAS:
        return compares_stale(stale, paths, path, at) ? LIN_PATH_GOES_ON : LIN_PATH_FAILS;
    case OP_PUSH:
    case OP_POP:
    case OP_THREAD:
    case OP_NOT:
    case OP_JUMP:
    case OP_JUMP_IF_FALSE:
    case OP_JUMP_IF_TRUE:
    case OP_LOAD_OWN:
    case OP_ADDRESS:
    case OP_LOAD_SHARED:
    case OP_LOAD:
    case OP_PICK:
    case OP_SAME:
    case OP_EQUAL:
    case OP_NOT_EQUAL:
        return LIN_PATH_GOES_ON;
    default:
        return LIN_PATH_FAILS;
    }
}

static const struct lin_paths_class back_class = {.begins = lead_back, .differs = compares_stale};

/* Whether what a thread does first behind a head is to read a variable that others share, so that
 * it is a step that nothing joins. */
static bool begins_by_reading(const struct staleness *stale, uint32_t head)
{
    const struct lin_steps *steps = stale->steps;
    for (uint32_t at = head + 1; at < steps->listing.code.length; at++) {
        const struct instruction *i = &code_of(stale)[at];
        if (instruction_is_jump(i) || !instruction_goes_on(i) || i->op == OP_STEP)
            return false;
        for (uint32_t j = 0; i->op == OP_LOAD_SHARED && j < steps->object->variable_count; j++)
            if (steps->shared[j].first == (uint32_t)i->operand && steps->shared[j].length == 1)
                return true;
    }
    return false;
}

/* Asks of one reference, before one STEP. */
static bool ask(struct staleness *stale, struct lin_paths *paths, const struct lin_entry *entry,
                struct lin_stale asked)
{
    struct lin_steps *steps = stale->steps;
    const uint32_t end = lin_ways_end(steps, (uint32_t)(entry - steps->entries));
    for (uint32_t head = entry->start; head < end; head++) {
        const struct lin_pure_step *pure = &steps->pure[head];
        if (code_of(stale)[head].op != OP_STEP || head == asked.at ||
            !(pure->token & steps->pure[asked.at].pure) || pure->needs_link ||
            !begins_by_reading(stale, head))
            continue;
        stale->head = head;
        stale->nodes = UINT64_C(1) << asked.local;
        stale->compared = false;
        stale->asked = &asked;
        const bool leads_back = lin_paths_run(paths, asked.at + 1);
        asked.head = head;
        asked.nodes = stale->nodes;
        if (leads_back && stale->compared)
            return vector_push(&steps->stale, asked);
    }
    return !paths->refused;
}

/* Asks of all that a reference may be compared with. */
static bool ask_each(struct staleness *stale, struct lin_paths *paths,
                     const struct lin_entry *entry, uint32_t at,
                     const struct lin_reference_slot *local)
{
    const uint64_t settled = links_of(stale, local->pool) & ~stale->unsettled;
    const uint64_t chains = settled & ~(stale->linked_wrongly | (stale->linked & stale->alone));
    struct lin_stale asked = {.at = at, .local = local->slot, .pool = local->pool};
    for (size_t i = 0; i < stale->advances.length; i++) {
        const struct advance *advance = &stale->advances.items[i];
        const uint64_t along = advance->pool == local->pool ? advance->along & chains : 0;
        asked.slot = advance->slot;
        if (!along)
            continue;
        asked.along = (uint32_t)__builtin_ctzll(along) - stale->ways->starts[local->pool];
        if (!ask(stale, paths, entry, asked))
            return false;
    }
    asked.linked = true;
    for (uint64_t left = settled & stale->linked; left; left &= left - 1) {
        asked.along = (uint32_t)__builtin_ctzll(left) - stale->ways->starts[local->pool];
        if (!ask(stale, paths, entry, asked))
            return false;
    }
    return true;
}

static bool ask_all(struct staleness *stale)
{
    const struct lin_steps *steps = stale->steps;
    struct lin_paths paths;
    bool done = true;
    lin_paths_init(&paths, steps, &back_class, stale);
    for (uint32_t i = 0; i < steps->object->operation_count; i++) {
        const struct lin_entry *entry = &steps->entries[i];
        for (uint32_t at = entry->start; at < lin_ways_end(steps, i); at++)
            for (uint32_t j = 0; done && j < entry->reference_count; j++)
                if (code_of(stale)[at].op == OP_STEP && steps->pure[at].pure &&
                    lin_steps_live(steps, at, entry->references[j].slot))
                    done = ask_each(stale, &paths, entry, at, &entry->references[j]);
    }
    lin_paths_release(&paths);
    return done;
}

/* ---- all of it ---- */

static bool find(struct staleness *stale)
{
    struct lin_steps *steps = stale->steps;
    struct lin_paths paths;
    for (uint32_t i = 0; i < steps->object->operation_count; i++)
        if (!lin_ways_run(stale->ways, i))
            return false;
    if (stale->ways->lost || stale->ways->words > MOST_FIELDS)
        return true;
    if (!list_variables(stale))
        return false;
    /* Which fields are written while a node is alone is known behind the first time. */
    lin_paths_init(&paths, steps, &writes_class, stale);
    bool followed = follow_all(stale, &paths);
    for (size_t i = 0; i < stale->advances.length; i++)
        stale->advances.items[i].along = pool_bits(stale, stale->advances.items[i].pool);
    followed = followed && follow_all(stale, &paths);
    const bool refused = paths.refused;
    lin_paths_release(&paths);
    return !refused && (stale->lost || !followed || ask_all(stale));
}

/* By instruction. */
static bool index_stale(struct lin_steps *steps)
{
    const uint32_t count = listing_here(&steps->listing);
    uint32_t next = 0;
    if (steps->stale.length == 0)
        return true;
    steps->stale_from = arena_allocate(steps->arena, (count + 1) * sizeof *steps->stale_from);
    for (uint32_t at = 0; steps->stale_from && at <= count; at++) {
        steps->stale_from[at] = next;
        while (next < steps->stale.length && steps->stale.items[next].at == at)
            next++;
    }
    return steps->stale_from;
}

enum status lin_step_find_stale(struct lin_steps *steps)
{
    const uint32_t count = listing_here(&steps->listing);
    struct staleness stale = {.steps = steps};
    struct lin_ways ways;
    if (!steps->pure || !steps->has_pure || steps->locals > LIN_PATH_WORDS)
        return STATUS_OK;
    stale.flags = arena_allocate(steps->arena, count);
    TRY_MEMORY(stale.flags);
    memset(stale.flags, 0, count);
    stale.ways = &ways;
    vector_init(&stale.advances, steps->arena->budget);
    bool done = lin_ways_open(&ways, steps, &flags_class, &stale) == STATUS_OK && find(&stale);
    lin_ways_close(&ways);
    vector_release(&stale.advances);
    return granted(done && index_stale(steps));
}
