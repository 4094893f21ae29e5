/* Decides the blocks of a register with the cas that failed, but asks no more of these than has to
 * be asked (register_failed.c): where they ask for what replaced their value, as if somebody had
 * read that. Those that were left out are put into the order that is found, where everything takes
 * place as late as it can. Where no order is found the search has an easier part. */
#include "monitor/monitors.h"
#include "monitor/register_failed.h"

static bool changes(const struct access *access)
{
    return access->kind == ACCESS_WRITE || access->kind == ACCESS_SWAP;
}

/* ---- without what asks nothing ---- */

struct asked {
    struct failed failed;
    struct part part;
    struct interval *intervals;
    struct access *given;
    uint32_t *origin; /* by operation: as in the part that was given */
    uint32_t *places; /* the other way round */
};

static void add_operation(struct asked *asked, uint32_t operation)
{
    const struct blocks *blocks = asked->failed.blocks;
    const uint32_t number = asked->part.count++;
    asked->intervals[number] = blocks->part->intervals[operation];
    asked->intervals[number].invoke = asked->part.positions++;
    asked->intervals[number].response = POSITION_NEVER;
    asked->given[number] = access_of(blocks, operation);
    asked->origin[number] = operation;
    asked->places[operation] = number;
    asked->part.pending++;
}

static void end_operation(struct asked *asked, uint32_t operation)
{
    asked->intervals[asked->places[operation]].response = asked->part.positions++;
    asked->part.pending--;
}

static void add_helper(struct asked *asked, uint32_t question)
{
    add_operation(asked, asked->failed.helper[question]);
    end_operation(asked, asked->failed.helper[question]);
}

/* What is asked for the value that replaced its own is a read of that, which began at any time. */
static void add_reads(struct asked *asked)
{
    const struct failed *failed = &asked->failed;
    const struct blocks *blocks = failed->blocks;
    for (uint32_t i = 0; i < blocks->part->count && asked->part.count < failed->nexts; i++) {
        if (failed->asks[i] != ASKS_NEXT)
            continue;
        const struct avoided *avoided = avoided_of(failed, access_of(blocks, i).expected);
        add_operation(asked, i);
        asked->given[asked->part.count - 1] = (struct access){
            .kind = ACCESS_READ, .expected = access_of(blocks, avoided->swap).written};
    }
}

static bool begin_part(struct asked *asked)
{
    const struct blocks *blocks = asked->failed.blocks;
    const size_t count = blocks->part->count;
    asked->intervals = arena_allocate(blocks->arena, count * sizeof *asked->intervals);
    asked->given = arena_allocate(blocks->arena, count * sizeof *asked->given);
    asked->origin = arena_allocate(blocks->arena, count * sizeof *asked->origin);
    asked->places = arena_allocate(blocks->arena, count * sizeof *asked->places);
    asked->part = *blocks->part;
    asked->part.intervals = asked->intervals;
    asked->part.count = asked->part.positions = asked->part.pending = 0;
    return asked->intervals && asked->given && asked->origin && asked->places;
}

static bool make_part(struct asked *asked)
{
    const struct failed *failed = &asked->failed;
    const struct part *part = failed->blocks->part;
    if (!begin_part(asked))
        return false;
    add_reads(asked);
    for (uint32_t position = 0; position < part->positions; position++) {
        const uint32_t operation = failed->events[position];
        const bool ends = part->intervals[operation].response == position;
        const enum asks asks = failed->asks[operation];
        if (ends && asks == ASKS_HELPED) {
            add_helper(asked, operation);
        } else if (ends && (asks == ASKS_ITSELF || asks == ASKS_NEXT)) {
            end_operation(asked, operation);
        } else if (!ends && asks == ASKS_ITSELF) {
            add_operation(asked, operation);
        }
    }
    return true;
}

/* The evidence becomes that of the part that was given. STEP_UNDECIDED if some of it is not what
 * was recorded there. */
static enum step translate_evidence(struct asked *asked)
{
    struct decision *decision = asked->failed.blocks->decision;
    for (size_t i = 0; i < decision->evidence.length; i++) {
        const uint32_t operation = asked->origin[decision->evidence.items[i]];
        decision->evidence.items[i] = operation;
        if (asked->failed.asks[operation] == ASKS_ITSELF)
            continue;
        decision->evidence.length = 0;
        text_clear(&decision->reason);
        return STEP_UNDECIDED;
    }
    return STEP_VIOLATION;
}

static enum step decide_asked(struct asked *asked)
{
    struct blocks *blocks = asked->failed.blocks;
    struct decision *decision = blocks->decision;
    struct blocks inner = {.part = &asked->part,
                           .limits = blocks->limits,
                           .decision = decision,
                           .arena = blocks->arena,
                           .given = asked->given,
                           .initial = blocks->accesses.initial,
                           .deletes = true};
    decision->linearization.length = 0;
    const enum step step = blocks_decide(&inner);
    for (size_t i = 0; i < decision->linearization.length; i++)
        decision->linearization.items[i] = asked->origin[decision->linearization.items[i]];
    if (step == STEP_INAPPLICABLE) /* what is read in place of a question was written twice */
        return STEP_UNDECIDED;
    return step == STEP_VIOLATION ? translate_evidence(asked) : step;
}

/* ---- with it ---- */

/* An order, and what is put between its operations: gap i is in front of the operation there. */
struct gaps {
    const struct failed *failed;
    uint32_t *order, count;
    uint32_t *taken;  /* by place: where the operation has taken place by, at the latest */
    uint32_t *others; /* by gap: the next one at which the register holds another value */
    value *holds;     /* by gap */
    uint32_t *first;  /* by gap: a list of the operations that are put there; NONE */
    uint32_t *link;
};

static bool is_left_out(const struct failed *failed, uint32_t operation)
{
    return failed->asks[operation] != ASKS_ITSELF && failed->asks[operation] != ASKS_HELPS &&
           failed->blocks->block[operation] != BLOCK_DROPPED;
}

static bool open_gaps(struct gaps *gaps, const struct failed *failed)
{
    const struct blocks *blocks = failed->blocks;
    const size_t count = blocks->decision->linearization.length, room = count + 1;
    *gaps = (struct gaps){
        .failed = failed,
        .order = arena_allocate(blocks->arena, count * sizeof *gaps->order),
        .taken = arena_allocate(blocks->arena, room * sizeof *gaps->taken),
        .others = arena_allocate(blocks->arena, room * sizeof *gaps->others),
        .holds = arena_allocate(blocks->arena, room * sizeof *gaps->holds),
        .first = arena_allocate(blocks->arena, room * sizeof *gaps->first),
        .link = arena_allocate(blocks->arena, blocks->part->count * sizeof *gaps->link)};
    if (!gaps->order || !gaps->taken || !gaps->others || !gaps->holds || !gaps->first ||
        !gaps->link)
        return false;
    for (size_t i = 0; i < count; i++) { /* what asks for the next value is there as its read */
        const uint32_t operation = blocks->decision->linearization.items[i];
        if (failed->asks[operation] == ASKS_NEXT || !is_left_out(failed, operation))
            gaps->order[gaps->count++] = operation;
    }
    memset(gaps->first, 0xff, room * sizeof *gaps->first);
    return true;
}

/* When an operation of the order has taken place by. */
static uint32_t taken_by(const struct failed *failed, uint32_t operation)
{
    if (failed->asks[operation] == ASKS_HELPS)
        operation = failed->helper[operation];
    return failed->blocks->part->intervals[operation].response;
}

static void find_holds(struct gaps *gaps)
{
    const struct blocks *blocks = gaps->failed->blocks;
    uint32_t taken = POSITION_NEVER;
    gaps->holds[0] = blocks->accesses.initial;
    for (uint32_t i = 0; i < gaps->count; i++) {
        const struct access access = access_of(blocks, gaps->order[i]);
        gaps->holds[i + 1] = changes(&access) ? access.written : gaps->holds[i];
    }
    gaps->taken[gaps->count] = POSITION_NEVER;
    gaps->others[gaps->count] = NONE;
    for (uint32_t i = gaps->count; i-- > 0;) {
        const uint32_t answered = taken_by(gaps->failed, gaps->order[i]);
        if (answered < taken)
            taken = answered;
        gaps->taken[i] = taken;
        gaps->others[i] = gaps->holds[i] != gaps->holds[i + 1] ? i + 1 : gaps->others[i + 1];
    }
}

/* Puts what was left out into gaps, the last invoked first. False if there is none for some. */
static bool fill_gaps(struct gaps *gaps)
{
    const struct blocks *blocks = gaps->failed->blocks;
    uint32_t earliest = gaps->count;
    for (uint32_t i = blocks->part->count; i-- > 0;) {
        const struct interval *interval = &blocks->part->intervals[i];
        const struct access access = access_of(blocks, i);
        if (!is_left_out(gaps->failed, i))
            continue;
        while (earliest > 0 && gaps->taken[earliest - 1] > interval->invoke)
            earliest--;
        uint32_t gap = earliest;
        if (access.kind == ACCESS_FAILED && gaps->holds[gap] == access.expected)
            gap = gaps->others[gap];
        if (gap == NONE || (gap > 0 && gaps->taken[gap - 1] > interval->response))
            return false;
        gaps->link[i] = gaps->first[gap];
        gaps->first[gap] = i;
    }
    return true;
}

static enum step put_back(const struct failed *failed)
{
    struct decision *decision = failed->blocks->decision;
    struct gaps gaps;
    if (!open_gaps(&gaps, failed) ||
        !vector_reserve(&decision->linearization, failed->blocks->part->count))
        return STEP_REFUSED;
    find_holds(&gaps);
    if (!fill_gaps(&gaps))
        return STEP_UNDECIDED;
    size_t length = 0;
    for (uint32_t gap = 0; gap <= gaps.count; gap++) {
        for (uint32_t i = gaps.first[gap]; i != NONE; i = gaps.link[i])
            decision->linearization.items[length++] = i;
        if (gap < gaps.count && !is_left_out(failed, gaps.order[gap]))
            decision->linearization.items[length++] = gaps.order[gap];
    }
    decision->linearization.length = length;
    return STEP_READY;
}

enum step blocks_answer_failed(struct blocks *blocks)
{
    struct asked asked = {0};
    TRY_STEP(failed_sort(&asked.failed, blocks));
    const struct failed *failed = &asked.failed;
    if (failed->nexts || failed->helped || failed->asked || blocks->open > blocks->failed) {
        if (!make_part(&asked))
            return STEP_REFUSED;
        TRY_STEP(decide_asked(&asked));
    }
    return put_back(failed);
}

/* ---- for the search ---- */

/* All operations but pending ones that need not have happened. */
static void add_all(struct asked *asked)
{
    const struct failed *failed = &asked->failed;
    const struct blocks *blocks = failed->blocks;
    for (uint32_t position = 0; position < blocks->part->positions; position++) {
        const uint32_t operation = failed->events[position];
        if (blocks->part->intervals[operation].response == position) {
            if (failed->asks[operation] == ASKS_HELPED)
                add_helper(asked, operation);
            end_operation(asked, operation);
        } else if (blocks->block[operation] != BLOCK_DROPPED) {
            add_operation(asked, operation);
        }
    }
}

bool monitor_narrow(const struct part *part, struct limits *limits, struct arena *arena,
                    struct decision *decision, struct narrowed *narrowed)
{
    struct asked asked = {0};
    struct blocks blocks = {.part = part, .limits = limits, .decision = decision, .arena = arena};
    decision_clear(decision);
    const bool made = monitor_find(part->spec->class) == &register_monitor && part->pending > 0 &&
                      blocks_order(&blocks) == STEP_READY && blocks.failed > 0 &&
                      failed_sort(&asked.failed, &blocks) == STEP_READY && begin_part(&asked);
    decision_clear(decision);
    if (!made)
        return false;
    add_all(&asked);
    *narrowed = (struct narrowed){asked.part, asked.origin};
    return true;
}
