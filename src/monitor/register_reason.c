/* Explains why a register allows no order of a history, in its own terms, and names the operations
 * that show it. */
#include "monitor/register.h"

#include "value/print.h"

/* "read returned 3", "write of 3", "cas from 3 to 4", "cas from 3 to 4 failed". */
static void say(const struct blocks *blocks, uint32_t operation)
{
    const struct call *call = &blocks->part->intervals[operation].call;
    struct access access = access_of(blocks, operation);
    struct text *reason = &blocks->decision->reason;
    text_append(reason, blocks->part->spec->class->operations[call->operation].name);
    text_append(reason, access.kind == ACCESS_READ    ? " returned "
                        : access.kind == ACCESS_WRITE ? " of "
                                                      : " from ");
    value_print_edn(access.kind == ACCESS_WRITE ? access.written : access.expected, reason);
    if (access.kind == ACCESS_SWAP || access.kind == ACCESS_FAILED) {
        text_append(reason, " to ");
        value_print_edn(access.written, reason);
    }
    if (access.kind == ACCESS_FAILED)
        text_append(reason, " failed");
}

static bool show(const struct blocks *blocks, uint32_t operation)
{
    return operation == NONE || vector_push(&blocks->decision->evidence, operation);
}

bool blocks_show_needed(const struct blocks *blocks, uint32_t operation)
{
    bool shown = show(blocks, operation);
    while (shown && is_pending(blocks, operation)) {
        operation = cluster_of(blocks, access_of(blocks, operation).written)->cause;
        shown = show(blocks, operation);
    }
    return shown;
}

enum step blocks_never_written(struct blocks *blocks, const struct cluster *cluster)
{
    uint32_t user = cluster->cause;
    say(blocks, user);
    text_append(&blocks->decision->reason, ", but ");
    value_print_edn(access_of(blocks, user).expected, &blocks->decision->reason);
    text_append(&blocks->decision->reason, " was never written");
    if (blocks->accesses.initial != REGISTER_NO_VALUE) {
        text_append(&blocks->decision->reason, ", and the initial value is ");
        value_print_edn(blocks->accesses.initial, &blocks->decision->reason);
    }
    return step_violation(blocks_show_needed(blocks, user));
}

enum step blocks_swapped_twice(struct blocks *blocks, uint32_t again)
{
    const struct cluster *cluster = cluster_of(blocks, access_of(blocks, again).expected);
    struct text *reason = &blocks->decision->reason;
    say(blocks, cluster->swap);
    text_append(reason, " succeeded, and so did ");
    say(blocks, again);
    text_append(reason, ", though ");
    value_print_edn(access_of(blocks, again).expected, reason);
    text_append(reason, " was written only once");
    return step_violation(show(blocks, cluster->writer) &&
                          blocks_show_needed(blocks, cluster->swap) &&
                          blocks_show_needed(blocks, again));
}

/* The cluster that the writer of this one replaced. */
static const struct cluster *replaced(const struct blocks *blocks, const struct cluster *cluster)
{
    return cluster_of(blocks, access_of(blocks, cluster->writer).expected);
}

enum step blocks_circle(struct blocks *blocks, const struct cluster *begin)
{
    struct text *reason = &blocks->decision->reason;
    for (uint32_t i = 0; i < blocks->numbering.count; i++)
        begin = replaced(blocks, begin); /* into the circle, and not out of it again */
    const struct cluster *cluster = begin;
    uint32_t first = begin->writer;
    do {
        if (!blocks_show_needed(blocks, cluster->writer))
            return STEP_REFUSED;
        if (cluster->writer < first)
            first = cluster->writer;
        cluster = replaced(blocks, cluster);
    } while (cluster != begin);
    say(blocks, first);
    text_append(reason, " succeeded, but ");
    value_print_edn(access_of(blocks, first).expected, reason);
    text_append(reason, " was written only by way of what it wrote itself");
    return STEP_VIOLATION;
}

enum step blocks_out_of_order(struct blocks *blocks, uint32_t earlier, uint32_t later)
{
    struct text *reason = &blocks->decision->reason;
    struct access before = access_of(blocks, earlier);
    value after = value_after(blocks, later);
    say(blocks, before.kind == ACCESS_READ ? earlier : later);
    if (before.kind == ACCESS_READ) {
        text_append(reason, " after ");
        value_print_edn(before.expected, reason);
        text_append(reason, " had been overwritten");
        if (after != before.expected) {
            text_append(reason, " by ");
            value_print_edn(after, reason);
        }
    } else {
        text_append(reason, " before the ");
        say(blocks, earlier);
        text_append(reason, " began");
    }
    bool shown = show(blocks, earlier);
    value v = value_after(blocks, earlier);
    while (shown && v != after) { /* the chain that leads from one to the other */
        uint32_t swap = cluster_of(blocks, v)->swap;
        v = access_of(blocks, swap).written;
        shown = swap == later || show(blocks, swap);
    }
    return step_violation(shown && blocks_show_needed(blocks, later));
}

/* The operations of a block that make it as long as it is: `*first` has the least response (NONE
 * if that is the initial value's), `*last` the greatest invocation. */
static void block_extremes(const struct blocks *blocks, uint32_t block, uint32_t *first,
                           uint32_t *last)
{
    const struct cluster *head = &blocks->clusters[block];
    *first = *last = NONE;
    for (uint32_t i = cluster_begin(&blocks->clusters[block]);; i = blocks->next[i]) {
        if (blocks->part->intervals[i].response == head->first)
            *first = i;
        if (blocks->part->intervals[i].invoke == head->last)
            *last = i;
        if (i == head->end)
            return;
    }
}

static bool show_block(const struct blocks *blocks, uint32_t block)
{
    uint32_t first, last;
    block_extremes(blocks, block, &first, &last);
    return show(blocks, blocks->clusters[block].writer) && show(blocks, first) &&
           blocks_show_needed(blocks, last);
}

enum step blocks_overwritten(struct blocks *blocks, uint32_t block, uint32_t operation)
{
    struct text *reason = &blocks->decision->reason;
    uint32_t first, last, other = blocks->block[operation];
    block_extremes(blocks, block, &first, &last);
    struct access access = access_of(blocks, last);
    say(blocks, last);
    text_append(reason, " after ");
    value_print_edn(access.expected, reason);
    text_append(reason, " had been overwritten by ");
    value_print_edn(value_after(blocks, operation), reason);
    bool shown = other == BLOCK_ALONE ? show(blocks, operation) : show_block(blocks, other);
    return step_violation(shown && show_block(blocks, block));
}

enum step blocks_both_held(struct blocks *blocks, uint32_t one, uint32_t other)
{
    struct text *reason = &blocks->decision->reason;
    uint32_t first, last, other_first, other_last;
    block_extremes(blocks, one, &first, &last);
    block_extremes(blocks, other, &other_first, &other_last);
    say(blocks, last);
    text_append(reason, " after ");
    value_print_edn(value_after(blocks, other_first), reason);
    text_append(reason, " had been in the register, and ");
    say(blocks, other_last);
    text_append(reason, " after ");
    if (first == NONE)
        value_print_edn(blocks->accesses.initial, reason);
    else
        value_print_edn(value_after(blocks, first), reason);
    text_append(reason, " had been: one of them had been overwritten");
    blocks->decision->vague = true;
    return step_violation(show_block(blocks, one) && show_block(blocks, other));
}

enum step blocks_held_throughout(struct blocks *blocks, uint32_t block, uint32_t question)
{
    struct text *reason = &blocks->decision->reason;
    say(blocks, question);
    text_append(reason, " while ");
    value_print_edn(value_after(blocks, blocks->clusters[block].end), reason);
    text_append(reason, " was in the register");
    return step_violation(show(blocks, question) && show_block(blocks, block));
}

enum step blocks_failed_while_held(struct blocks *blocks, uint32_t question, uint32_t last)
{
    struct text *reason = &blocks->decision->reason;
    say(blocks, question);
    text_append(reason, " while ");
    value_print_edn(access_of(blocks, question).expected, reason);
    text_append(reason, " was in the register");
    return step_violation(show(blocks, question) && blocks_show_needed(blocks, last));
}

bool blocks_show_failed(struct blocks *blocks)
{
    const struct decision *decision = blocks->decision;
    uint8_t *matters = arena_allocate(blocks->arena, blocks->numbering.count + 1);
    if (!matters)
        return false;
    memset(matters, 0, blocks->numbering.count + 1);
    for (size_t i = 0; i < decision->evidence.length; i++) {
        struct access access = access_of(blocks, decision->evidence.items[i]);
        const struct cluster *found =
            cluster_of(blocks, access.kind == ACCESS_WRITE ? access.written : access.expected);
        if (found)
            matters[found - blocks->clusters] = 1;
    }
    for (uint32_t i = 0; i < blocks->part->count; i++) {
        struct access access = access_of(blocks, i);
        const struct cluster *written =
            access.kind == ACCESS_FAILED ? cluster_of(blocks, access.written) : NULL;
        if (written && matters[written - blocks->clusters] && !show(blocks, i))
            return false;
    }
    return true;
}
