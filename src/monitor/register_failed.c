/* Finds out what the cas that failed ask of the order of a register's blocks.
 *
 * Take any order, and let everything in it take place as late as the answers allow: when it has,
 * it or something behind it in the order has answered. Let a cas have failed to find the value a,
 * which was written once at most.
 *
 * - Nobody who knew a had answered when the cas was invoked. If a was there then, it was because of
 *   something that was put behind it and had answered; that would have followed a, and then a was
 *   gone, but for another cas that failed, and was put where a was. So there is a place for the
 *   cas, unless such another asks for one itself, answered before the cas was invoked, and not
 *   before the write of a was (ASKS_IF_OTHERS).
 * - Else a was there, and was replaced before the cas answered. If something behind a in its block
 *   had answered by then it was, in every order. If a was replaced in its block at all, it is as
 *   if somebody had read the next value when the cas answered (ASKS_NEXT). Else another block took
 *   place by then (ASKS_DUE): if one that comes behind, by the zones, had answered by then, that is
 *   so in every order. If there is a pending write that nobody read, and nobody else asks for its
 *   absence later, let it take place just then (ASKS_HELPED): there is no zone there, for the block
 *   of a had to begin in front of it, and would be over, or to come behind it, and would begin.
 *
 * Of several cas that failed to find the same value while it was there, the first that answered
 * says all. Those that ask nothing can be left out of the question whether there is an order. */
#include "monitor/register_failed.h"

/* The initial value, where nobody found it; behind the numbers of clusters and of operations. */
#define INITIAL_ALONE (NONE - 1)

static const struct interval *interval_of(const struct failed *failed, uint32_t operation)
{
    return &failed->blocks->part->intervals[operation];
}

/* ---- what is known of the values ---- */

static bool number_avoided(struct failed *failed)
{
    const struct blocks *blocks = failed->blocks;
    const uint32_t count = blocks->part->count;
    struct span span = SPAN_EMPTY;
    for (uint32_t i = 0; i < count; i++) {
        const struct access access = access_of(blocks, i);
        if (access.kind == ACCESS_FAILED)
            span_include(&span, access.expected);
    }
    failed->count = span.count;
    if (!numbering_init(&failed->numbering, &span, blocks->arena))
        return false;
    failed->avoided = arena_allocate(blocks->arena, span.count * sizeof *failed->avoided);
    failed->events = operations_by_position(blocks->part, blocks->arena);
    failed->link = arena_allocate(blocks->arena, count * sizeof *failed->link);
    failed->behind = arena_allocate(blocks->arena, count * sizeof *failed->behind);
    failed->helper = arena_allocate(blocks->arena, count * sizeof *failed->helper);
    failed->asks = arena_zeroed(blocks->arena, count);
    return failed->avoided && failed->events && failed->link && failed->behind && failed->helper &&
           failed->asks;
}

static void list_questions(struct failed *failed)
{
    const struct blocks *blocks = failed->blocks;
    for (uint32_t i = 0; i < blocks->part->count; i++) {
        const struct access access = access_of(blocks, i);
        if (access.kind == ACCESS_FREE || access.kind == ACCESS_FAILED)
            failed->asks[i] = ASKS_NOTHING;
        if (access.kind != ACCESS_FAILED)
            continue;
        const uint32_t before = failed->numbering.count;
        struct avoided *avoided =
            &failed->avoided[numbering_add(&failed->numbering, access.expected)];
        if (failed->numbering.count > before)
            *avoided = (struct avoided){.writer = NONE,
                                        .begun = POSITION_NEVER,
                                        .begun_by = NONE,
                                        .held_by = NONE,
                                        .swap = NONE,
                                        .questions = NONE,
                                        .block = NONE};
        failed->link[i] = avoided->questions;
        avoided->questions = i;
    }
}

static void note_begun(struct avoided *avoided, uint32_t operation, uint32_t answered)
{
    if (answered >= avoided->begun)
        return;
    avoided->begun = answered;
    avoided->begun_by = operation;
}

static void note_held(const struct failed *failed, struct avoided *avoided, uint32_t operation)
{
    const uint32_t invoked = interval_of(failed, operation)->invoke;
    if (avoided->held_by != NONE && invoked <= avoided->held)
        return;
    avoided->held = invoked;
    avoided->held_by = operation;
}

/* What an operation that is no question says of values. */
static void note_operation(struct failed *failed, uint32_t operation)
{
    const struct blocks *blocks = failed->blocks;
    const struct access access = access_of(blocks, operation);
    const bool happened = blocks->block[operation] != BLOCK_DROPPED,
               writes = access.kind == ACCESS_WRITE || access.kind == ACCESS_SWAP;
    struct avoided *left = avoided_of(failed, writes ? access.written : access.expected);
    struct avoided *found = writes ? NULL : left;
    if (blocks->kinds[operation] == ACCESS_SWAP && happened) {
        found = avoided_of(failed, access.expected);
        if (found)
            found->swap = operation;
    }
    if (left && writes) {
        left->writer = operation;
        left->writers++;
    }
    if (left && happened)
        note_begun(left, operation, interval_of(failed, operation)->response);
    if (found && happened)
        note_held(failed, found, operation);
}

static void note_operations(struct failed *failed)
{
    const struct blocks *blocks = failed->blocks;
    struct avoided *initial = avoided_of(failed, blocks->accesses.initial);
    for (uint32_t i = 0; i < blocks->part->count; i++)
        if (access_of(blocks, i).kind != ACCESS_FREE && !is_question(blocks, i))
            note_operation(failed, i);
    if (!initial)
        return;
    initial->writers++;
    initial->begun = 0;
    initial->begun_by = NONE;
}

/* ---- what each asks, by itself ---- */

static enum step failed_while_held(struct failed *failed, const struct avoided *avoided,
                                   uint32_t question);

/* What the questions of a value ask that was certainly written, once. `behind`: the first answer of
 * what comes behind it in its block; `asks`: what the first asks that says something, *first; NONE.
 */
static enum step ask_value(struct failed *failed, const struct avoided *avoided, uint32_t behind,
                           enum asks asks, uint32_t *first)
{
    *first = NONE;
    for (uint32_t at = avoided->questions; at != NONE; at = failed->link[at]) {
        const struct interval *interval = interval_of(failed, at);
        if (behind < interval->response)
            continue;
        if (avoided->begun > interval->invoke) {
            failed->asks[at] = ASKS_IF_OTHERS;
            continue;
        }
        if (avoided->held_by != NONE && avoided->held > interval->response)
            return failed_while_held(failed, avoided, at);
        if (*first == NONE || interval->response < interval_of(failed, *first)->response)
            *first = at;
    }
    if (*first != NONE)
        failed->asks[*first] = (uint8_t)asks;
    return STEP_READY;
}

/* Of a value that was replaced in its block. */
static enum step ask_replaced(struct failed *failed, const struct avoided *avoided)
{
    uint32_t first;
    TRY_STEP(ask_value(failed, avoided, failed->behind[avoided->swap], ASKS_NEXT, &first));
    if (first == NONE)
        return STEP_READY;
    failed->nexts++;
    struct avoided *next = avoided_of(failed, access_of(failed->blocks, avoided->swap).written);
    if (next)
        note_begun(next, first, interval_of(failed, first)->response);
    return STEP_READY;
}

/* Of the last value of a block. */
static enum step ask_last(struct failed *failed, value v, uint32_t block, uint64_t first)
{
    struct avoided *avoided = avoided_of(failed, v);
    uint32_t question;
    if (!avoided || avoided->writers != 1)
        return STEP_READY;
    avoided->block = block;
    avoided->first = first;
    return ask_value(failed, avoided, POSITION_NEVER, ASKS_DUE, &question);
}

/* The operations of a block, the last first. */
static void find_behind(struct failed *failed, const struct cluster *head, uint32_t *order)
{
    const struct blocks *blocks = failed->blocks;
    uint32_t count = 0, behind = POSITION_NEVER;
    for (uint32_t at = cluster_begin(head);; at = blocks->next[at]) {
        order[count++] = at;
        if (at == head->end)
            break;
    }
    while (count-- > 0) {
        const uint32_t answered = interval_of(failed, order[count])->response;
        if (answered < behind)
            behind = answered;
        failed->behind[order[count]] = behind;
    }
}

static enum step ask_block(struct failed *failed, uint32_t number)
{
    const struct blocks *blocks = failed->blocks;
    const struct cluster *head = &blocks->clusters[number];
    for (uint32_t at = cluster_begin(head);; at = blocks->next[at]) {
        const struct avoided *found = blocks->kinds[at] == ACCESS_SWAP
                                          ? avoided_of(failed, access_of(blocks, at).expected)
                                          : NULL;
        if (found && found->writers == 1)
            TRY_STEP(ask_replaced(failed, found));
        if (at == head->end)
            break;
    }
    return ask_last(failed, value_after(blocks, head->end), number,
                    head->initial ? 0 : (uint64_t)head->first + 1);
}

static enum step ask_blocks(struct failed *failed)
{
    const struct blocks *blocks = failed->blocks;
    uint32_t *order = arena_allocate(blocks->arena, blocks->part->count * sizeof *order);
    if (!order)
        return STEP_REFUSED;
    for (uint32_t i = 0; i < blocks->numbering.count; i++) {
        if (blocks->clusters[i].end == NONE)
            continue;
        find_behind(failed, &blocks->clusters[i], order);
        TRY_STEP(ask_block(failed, i));
    }
    for (uint32_t i = 0; i < blocks->part->count; i++)
        if (blocks->block[i] == BLOCK_ALONE)
            TRY_STEP(ask_last(failed, access_of(blocks, i).written, blocks->numbering.count + i,
                              (uint64_t)interval_of(failed, i)->response + 1));
    const struct cluster *initial = cluster_of(blocks, blocks->accesses.initial);
    return initial && initial->end != NONE
               ? STEP_READY
               : ask_last(failed, blocks->accesses.initial, INITIAL_ALONE, 0);
}

/* Those of values that were not certainly written, or of which that was not said. */
static void ask_others(struct failed *failed)
{
    for (uint32_t i = 0; i < failed->numbering.count; i++) {
        const struct avoided *avoided = &failed->avoided[i];
        const bool once = avoided->writers == 1;
        if (once &&
            (avoided->writer == NONE || failed->blocks->block[avoided->writer] != BLOCK_DROPPED))
            continue;
        for (uint32_t at = avoided->questions; at != NONE && avoided->writers;
             at = failed->link[at]) {
            failed->asks[at] = once ? ASKS_IF_OTHERS : ASKS_ITSELF;
            failed->asked += !once;
        }
    }
}

/* ---- what they ask because of others ---- */

/* Where a walk over the positions is. */
struct asking {
    struct failed *failed;
    uint32_t most, second;           /* of the blocks that have begun the two that ... */
    uint64_t most_last, second_last; /* ... were invoked last; a position and 1; 0: there is none */
    uint64_t asked;                  /* where the last question was over that asks for itself; 0 */
    uint32_t helpers;                /* pending writes that may be put anywhere from here on, by
                                        `link`; NONE */
};

/* A block begins. */
static void begin_block(struct asking *asking, uint32_t number, uint32_t last)
{
    const uint64_t time = (uint64_t)last + 1;
    if (time > asking->most_last) {
        asking->second = asking->most;
        asking->second_last = asking->most_last;
        asking->most = number;
        asking->most_last = time;
    } else if (time > asking->second_last) {
        asking->second = number;
        asking->second_last = time;
    }
}

/* Whether a block that has begun comes behind that of the value. */
static bool is_followed(const struct asking *asking, const struct avoided *avoided)
{
    return (asking->most != avoided->block ? asking->most_last : asking->second_last) >
           avoided->first;
}

/* Whether it is a pending write, of something that nobody found. */
static bool is_free(const struct failed *failed, uint32_t operation)
{
    return operation != NONE && failed->blocks->block[operation] == BLOCK_DROPPED &&
           access_of(failed->blocks, operation).kind == ACCESS_WRITE;
}

/* A pending write may be put anywhere from here on if all have been invoked that did not find what
 * it writes. */
static void offer(struct asking *asking, uint32_t operation, uint32_t position)
{
    struct failed *failed = asking->failed;
    const struct avoided *avoided =
        avoided_of(failed, access_of(failed->blocks, operation).written);
    if (avoided &&
        (avoided->writers > 1 || interval_of(failed, avoided->questions)->invoke > position))
        return;
    failed->link[operation] = asking->helpers;
    asking->helpers = operation;
}

static void pass_invocation(struct asking *asking, uint32_t operation, uint32_t position)
{
    struct failed *failed = asking->failed;
    const struct access access = access_of(failed->blocks, operation);
    if (is_free(failed, operation))
        offer(asking, operation, position);
    if (access.kind != ACCESS_FAILED)
        return;
    const struct avoided *avoided = avoided_of(failed, access.expected);
    if (failed->asks[operation] == ASKS_IF_OTHERS) {
        const uint64_t invoked = interval_of(failed, avoided->writer)->invoke;
        const bool asks = asking->asked > invoked + 1;
        failed->asks[operation] = asks ? ASKS_ITSELF : ASKS_NOTHING;
        failed->asked += asks;
    }
    if (avoided->questions == operation && is_free(failed, avoided->writer) &&
        interval_of(failed, avoided->writer)->invoke < position)
        offer(asking, avoided->writer, position);
}

/* A question is over that may have been asked of something else than its value. */
static void pass_due(struct asking *asking, uint32_t question, uint32_t position)
{
    struct failed *failed = asking->failed;
    const struct blocks *blocks = failed->blocks;
    const uint32_t helper = asking->helpers;
    if (is_followed(asking, avoided_of(failed, access_of(blocks, question).expected))) {
        failed->asks[question] = ASKS_NOTHING;
    } else if (helper != NONE) {
        asking->helpers = failed->link[helper];
        failed->asks[question] = ASKS_HELPED;
        failed->asks[helper] = ASKS_HELPS;
        failed->helper[question] = helper;
        failed->helper[helper] = question;
        failed->helped++;
        begin_block(asking, blocks->numbering.count + helper, position);
    } else {
        failed->asks[question] = ASKS_ITSELF;
        failed->asked++;
    }
}

static void pass_response(struct asking *asking, uint32_t operation, uint32_t position)
{
    const struct failed *failed = asking->failed;
    const struct blocks *blocks = failed->blocks;
    const uint32_t block = blocks->block[operation];
    if (failed->asks[operation] == ASKS_DUE)
        pass_due(asking, operation, position);
    if (access_of(blocks, operation).kind == ACCESS_FAILED &&
        failed->asks[operation] == ASKS_ITSELF)
        asking->asked = (uint64_t)position + 1;
    if (block == BLOCK_ALONE)
        begin_block(asking, blocks->numbering.count + operation,
                    interval_of(failed, operation)->invoke);
    else if (block < BLOCK_DROPPED && blocks->clusters[block].first == position)
        begin_block(asking, block, blocks->clusters[block].last);
}

static void ask_because(struct failed *failed)
{
    const struct blocks *blocks = failed->blocks;
    struct asking asking = {.failed = failed, .most = NONE, .second = NONE, .helpers = NONE};
    for (uint32_t i = 0; i < blocks->numbering.count; i++)
        if (blocks->clusters[i].initial && blocks->clusters[i].end != NONE)
            begin_block(&asking, i, blocks->clusters[i].last);
    for (uint32_t position = 0; position < blocks->part->positions; position++) {
        const uint32_t operation = failed->events[position];
        if (interval_of(failed, operation)->invoke == position)
            pass_invocation(&asking, operation, position);
        else
            pass_response(&asking, operation, position);
    }
}

enum step failed_sort(struct failed *failed, struct blocks *blocks)
{
    *failed = (struct failed){.blocks = blocks};
    if (!number_avoided(failed))
        return STEP_REFUSED;
    list_questions(failed);
    note_operations(failed);
    ask_others(failed);
    TRY_STEP(ask_blocks(failed));
    ask_because(failed);
    return STEP_READY;
}

/* ---- evidence ---- */

/* What says that the value was there by `begun`. */
static bool show_begun(const struct failed *failed, const struct avoided *avoided)
{
    const struct blocks *blocks = failed->blocks;
    for (uint32_t by = avoided->begun_by; by != NONE; by = avoided->begun_by) {
        if (!vector_push(&blocks->decision->evidence, by))
            return false;
        if (access_of(blocks, by).kind != ACCESS_FAILED)
            return true;
        avoided = avoided_of(failed, access_of(blocks, by).expected);
        if (!blocks_show_needed(blocks, avoided->swap))
            return false;
    }
    return true;
}

static enum step failed_while_held(struct failed *failed, const struct avoided *avoided,
                                   uint32_t question)
{
    return show_begun(failed, avoided)
               ? blocks_failed_while_held(failed->blocks, question, avoided->held_by)
               : STEP_REFUSED;
}
