/* A register whose values are told apart: whoever read a value knows which write it read (Gibbons
 * and Korach, "Testing shared memories", SIAM J. Comput. 1997, section 4; the chains of compare and
 * swap are ours). Time and space are linear.
 *
 * A write, the reads of its value and the successful cas that replaced it, the reads of what that
 * wrote, and so on: a block. Its operations are an unbroken stretch of every linearization, in an
 * order that the block itself fixes. With
 *
 *     first = the least response, last = the greatest invocation of a block's operations
 *
 * the block holds the register throughout (first, last) if first < last, its zone; otherwise all
 * its operations overlap throughout [last, first], and it fits anywhere in there at one point. So
 * the history is linearizable exactly when every block's own order respects precedence, no two
 * zones overlap, and no block without a zone lies within a zone.
 *
 * Sound without uniqueness of what nobody read: a write that is not read is a block of its own. A
 * pending operation that wrote is kept only if a completed operation depends on it; a read whose
 * result is not known fits anywhere. */
#include "monitor/accesses.h"
#include "monitor/monitors.h"
#include "monitor/numbering.h"
#include "monitor/step.h"

#include <assert.h>

#include "value/print.h"

#define NONE UINT32_MAX

/* A value that was read or swapped, and the operations on it; and, where it begins a block, that
 * block. Operations are numbers of intervals. */
struct cluster {
    uint32_t writer; /* NONE: the initial value, or nobody */
    uint32_t first_read, last_read;
    uint32_t swap;  /* replaced it by another value; NONE if none did */
    uint32_t first; /* of the block: the least response; 0 if it begins with the initial value */
    uint32_t last;  /* of the block: the greatest invocation */
    uint32_t end;   /* of the block: its last operation */
    bool initial;   /* there before all writes */
    bool needed;    /* a completed operation depends on its having been written */
    bool in_block;
};

/* What an operation belongs to, if not to the block that begins with a cluster of that number. */
enum {
    BLOCK_DROPPED = NONE - 3, /* pending, and need not have happened */
    BLOCK_FREE = NONE - 2,    /* a read of an unknown value */
    BLOCK_ALONE = NONE - 1,   /* a write of what nobody read */
};

struct blocks {
    const struct part *part;
    struct limits *limits;
    struct decision *decision;
    struct arena arena;
    struct accesses accesses;
    struct numbering numbering; /* the number is the cluster's */
    struct cluster *clusters;
    uint32_t *next;  /* by operation: the one behind it in its block; NONE at the end */
    uint32_t *block; /* by operation */
};

static bool is_pending(const struct blocks *blocks, uint32_t operation)
{
    return blocks->part->intervals[operation].response == POSITION_NEVER;
}

static struct access access_of(const struct blocks *blocks, uint32_t operation)
{
    return accesses_of(&blocks->accesses, &blocks->part->intervals[operation]);
}

static struct cluster *cluster_of(const struct blocks *blocks, value v)
{
    uint32_t number = numbering_find(&blocks->numbering, v);
    return number == NUMBER_NONE ? NULL : &blocks->clusters[number];
}

static enum step number_values(struct blocks *blocks, struct inapplicable *why)
{
    const struct part *part = blocks->part;
    if (!accesses_init(&blocks->accesses, part, blocks->limits))
        return step_inapplicable(why, part->count, "the object is not a register", VALUE_NIL, "");
    if (blocks->accesses.initial == VALUE_REFUSED || blocks->accesses.absent == VALUE_REFUSED)
        return STEP_REFUSED;
    struct span span = SPAN_EMPTY;
    for (uint32_t i = 0; i < part->count; i++) {
        struct access access = access_of(blocks, i);
        if (access.kind == ACCESS_OTHER)
            return step_inapplicable(why, i, "the operation does more than read or write a value",
                                     VALUE_NIL, "");
        if (access.kind == ACCESS_READ || access.kind == ACCESS_SWAP)
            span_include(&span, access.expected);
    }
    if (!numbering_init(&blocks->numbering, &span, &blocks->arena))
        return STEP_REFUSED;
    for (uint32_t i = 0; i < part->count; i++) {
        struct access access = access_of(blocks, i);
        if (access.kind == ACCESS_READ || access.kind == ACCESS_SWAP)
            numbering_add(&blocks->numbering, access.expected);
    }
    return STEP_READY;
}

static bool allocate(struct blocks *blocks)
{
    size_t clusters = blocks->numbering.count, operations = blocks->part->count;
    blocks->clusters = arena_allocate(&blocks->arena, clusters * sizeof *blocks->clusters);
    blocks->next = arena_allocate(&blocks->arena, operations * sizeof *blocks->next);
    blocks->block = arena_allocate(&blocks->arena, operations * sizeof *blocks->block);
    if (!blocks->clusters || !blocks->next || !blocks->block)
        return false;
    for (size_t i = 0; i < clusters; i++)
        blocks->clusters[i] = (struct cluster){.writer = NONE,
                                               .first_read = NONE,
                                               .last_read = NONE,
                                               .swap = NONE,
                                               .first = NONE,
                                               .end = NONE};
    struct cluster *initial = cluster_of(blocks, blocks->accesses.initial);
    if (initial)
        initial->initial = true;
    return true;
}

static enum step attach_write(struct blocks *blocks, uint32_t operation, value written,
                              struct inapplicable *why)
{
    struct cluster *cluster = cluster_of(blocks, written);
    if (!cluster) {
        blocks->block[operation] = is_pending(blocks, operation) ? BLOCK_DROPPED : BLOCK_ALONE;
        return STEP_READY;
    }
    if (cluster->writer == NONE && !cluster->initial) {
        cluster->writer = operation;
        return STEP_READY;
    }
    return step_inapplicable(why, operation, "value ", written,
                             cluster->initial ? ", there at first, is written again, and read"
                                              : " is written twice, and read");
}

/* Gives each operation to its cluster. Beyond this point the monitor applies. */
static enum step attach_operations(struct blocks *blocks, struct inapplicable *why)
{
    if (!allocate(blocks))
        return STEP_REFUSED;
    for (uint32_t i = 0; i < blocks->part->count; i++) {
        struct access access = access_of(blocks, i);
        blocks->next[i] = NONE;
        if (access.kind == ACCESS_READ) {
            struct cluster *cluster = cluster_of(blocks, access.expected);
            if (cluster->first_read == NONE)
                cluster->first_read = i;
            else
                blocks->next[cluster->last_read] = i;
            cluster->last_read = i;
        } else if (access.kind == ACCESS_FREE) {
            blocks->block[i] = is_pending(blocks, i) ? BLOCK_DROPPED : BLOCK_FREE;
        } else if (attach_write(blocks, i, access.written, why) == STEP_INAPPLICABLE) {
            return STEP_INAPPLICABLE;
        }
    }
    return STEP_READY;
}

/* A completed operation found `v`: its writer happened, and if that is a pending swap, so did the
 * writer of what that replaced. */
static void mark_needed(struct blocks *blocks, value v)
{
    for (struct cluster *cluster = cluster_of(blocks, v); cluster && !cluster->needed;
         cluster = cluster_of(blocks, v)) {
        cluster->needed = true;
        if (cluster->writer == NONE || !is_pending(blocks, cluster->writer))
            return;
        struct access access = access_of(blocks, cluster->writer);
        if (access.kind != ACCESS_SWAP)
            return;
        v = access.expected;
    }
}

/* "read returned 3", "write of 3", "cas from 3 to 4". */
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
    if (access.kind == ACCESS_SWAP) {
        text_append(reason, " to ");
        value_print_edn(access.written, reason);
    }
}

/* The value that was in the register when the operation had taken place. */
static value value_after(const struct blocks *blocks, uint32_t operation)
{
    struct access access = access_of(blocks, operation);
    return access.kind == ACCESS_READ ? access.expected : access.written;
}

static bool show(const struct blocks *blocks, uint32_t operation)
{
    return operation == NONE || vector_push(&blocks->decision->evidence, operation);
}

/* A pending operation, and what it is known from to have happened. */
static bool show_needed(const struct blocks *blocks, uint32_t operation)
{
    while (operation != NONE) {
        if (!show(blocks, operation))
            return false;
        if (!is_pending(blocks, operation))
            return true;
        const struct cluster *cluster = cluster_of(blocks, access_of(blocks, operation).written);
        operation = !cluster                      ? NONE
                    : cluster->first_read != NONE ? cluster->first_read
                                                  : cluster->swap;
    }
    return true;
}

/* `again` replaced a value that another swap had replaced. */
static enum step swapped_twice(struct blocks *blocks, uint32_t again)
{
    const struct cluster *cluster = cluster_of(blocks, access_of(blocks, again).expected);
    struct text *reason = &blocks->decision->reason;
    say(blocks, cluster->swap);
    text_append(reason, " succeeded, and so did ");
    say(blocks, again);
    text_append(reason, ", though ");
    value_print_edn(access_of(blocks, again).expected, reason);
    text_append(reason, " was written only once");
    return step_violation(show(blocks, cluster->writer) && show_needed(blocks, cluster->swap) &&
                          show_needed(blocks, again));
}

/* Finds out which pending operations happened, and what replaced each value. */
static enum step link_swaps(struct blocks *blocks)
{
    uint32_t count = blocks->part->count, again = NONE;
    for (uint32_t i = 0; i < count; i++) {
        struct access access = access_of(blocks, i);
        if (access.kind == ACCESS_READ || (access.kind == ACCESS_SWAP && !is_pending(blocks, i)))
            mark_needed(blocks, access.expected);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct access access = access_of(blocks, i);
        if (access.kind != ACCESS_SWAP && access.kind != ACCESS_WRITE)
            continue;
        struct cluster *written = cluster_of(blocks, access.written);
        if (is_pending(blocks, i) && !(written && written->needed)) {
            blocks->block[i] = BLOCK_DROPPED;
            if (written)
                written->writer = NONE;
        } else if (access.kind == ACCESS_SWAP) {
            struct cluster *cluster = cluster_of(blocks, access.expected);
            if (cluster->swap == NONE)
                cluster->swap = i;
            else if (again == NONE)
                again = i;
        }
    }
    return again == NONE ? STEP_READY : swapped_twice(blocks, again);
}

static enum step never_written(struct blocks *blocks, const struct cluster *cluster)
{
    uint32_t user = cluster->first_read != NONE ? cluster->first_read : cluster->swap;
    say(blocks, user);
    text_append(&blocks->decision->reason, ", but ");
    value_print_edn(access_of(blocks, user).expected, &blocks->decision->reason);
    text_append(&blocks->decision->reason, " was never written");
    return step_violation(show_needed(blocks, user));
}

/* `later` must come after `earlier` by what they wrote and read, but precedes it. */
static enum step out_of_order(struct blocks *blocks, uint32_t earlier, uint32_t later)
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
    return step_violation(shown && show_needed(blocks, later));
}

/* A block in the making. */
struct chain {
    struct blocks *blocks;
    struct cluster *head;
    uint32_t number;        /* of the head */
    uint32_t latest;        /* the operation with the greatest invocation so far */
    uint32_t before, after; /* if not NONE: two operations that precedence orders otherwise */
};

static void chain_append(struct chain *chain, uint32_t operation)
{
    struct blocks *blocks = chain->blocks;
    struct cluster *head = chain->head;
    const struct interval *interval = &blocks->part->intervals[operation];
    if (head->end != NONE)
        blocks->next[head->end] = operation;
    blocks->next[operation] = NONE;
    blocks->block[operation] = chain->number;
    head->end = operation;
    if (interval->response < head->first)
        head->first = interval->response;
    if (chain->latest != NONE && interval->response < head->last && chain->before == NONE) {
        chain->before = chain->latest;
        chain->after = operation;
    }
    if (chain->latest == NONE || interval->invoke > head->last) {
        chain->latest = operation;
        head->last = interval->invoke;
    }
}

static enum step chain_build(struct blocks *blocks, struct cluster *head)
{
    struct chain chain = {.blocks = blocks,
                          .head = head,
                          .number = (uint32_t)(head - blocks->clusters),
                          .latest = NONE,
                          .before = NONE,
                          .after = NONE};
    head->first = head->initial ? 0 : POSITION_NEVER;
    for (struct cluster *cluster = head; cluster;) {
        cluster->in_block = true;
        if (cluster->writer != NONE)
            chain_append(&chain, cluster->writer);
        for (uint32_t read = cluster->first_read, next; read != NONE; read = next) {
            next = read == cluster->last_read ? NONE : blocks->next[read];
            chain_append(&chain, read);
        }
        if (cluster->swap == NONE)
            break;
        struct cluster *replaced_by = cluster_of(blocks, access_of(blocks, cluster->swap).written);
        if (!replaced_by)
            chain_append(&chain, cluster->swap);
        cluster = replaced_by;
    }
    return chain.before == NONE ? STEP_READY : out_of_order(blocks, chain.before, chain.after);
}

/* A circle of swaps: each found what another of them wrote. */
static enum step circle(struct blocks *blocks, const struct cluster *begin)
{
    /* Walking back from a needed cluster leads into the circle, and not out of it again. */
    const struct cluster *cluster = begin;
    for (uint32_t i = 0; i < blocks->numbering.count; i++)
        cluster = cluster_of(blocks, access_of(blocks, cluster->writer).expected);
    begin = cluster;
    do {
        if (!show_needed(blocks, cluster->writer))
            return STEP_REFUSED;
        cluster = cluster_of(blocks, access_of(blocks, cluster->writer).expected);
    } while (cluster != begin);
    say(blocks, begin->writer);
    text_append(&blocks->decision->reason, " succeeded, but ");
    value_print_edn(access_of(blocks, begin->writer).expected, &blocks->decision->reason);
    text_append(&blocks->decision->reason, " was written only by way of what it wrote itself");
    return STEP_VIOLATION;
}

static enum step build_blocks(struct blocks *blocks)
{
    struct cluster *clusters = blocks->clusters, *end = clusters + blocks->numbering.count;
    for (struct cluster *cluster = clusters; cluster < end; cluster++) {
        if (cluster->needed && cluster->writer == NONE && !cluster->initial)
            return never_written(blocks, cluster);
        bool begins = cluster->writer == NONE
                          ? cluster->initial && cluster->needed
                          : access_of(blocks, cluster->writer).kind == ACCESS_WRITE;
        if (begins)
            TRY_STEP(chain_build(blocks, cluster));
    }
    for (struct cluster *cluster = clusters; cluster < end; cluster++)
        if (cluster->writer != NONE && !cluster->in_block)
            return circle(blocks, cluster);
    return STEP_READY;
}

/* Linearizing: a walk over the positions, on which each block takes place. */
struct walk {
    struct blocks *blocks;
    uint32_t *starts;                /* by position: the block whose zone begins there, NONE */
    uint32_t zone;                   /* block whose zone we are in, NONE: in none */
    uint32_t next;                   /* its next operation */
    uint32_t deferred, deferred_end; /* operations that take place when the zone ends */
};

static void take(struct walk *walk, uint32_t operation)
{
    struct decision *decision = walk->blocks->decision;
    decision->linearization.items[decision->linearization.length++] = operation;
}

/* Enters a zone, or goes on in it: all of its operations that have been invoked. */
static void walk_zone(struct walk *walk, uint32_t position)
{
    const struct blocks *blocks = walk->blocks;
    while (walk->next != NONE && blocks->part->intervals[walk->next].invoke <= position) {
        take(walk, walk->next);
        walk->next = blocks->next[walk->next];
    }
    if (position < blocks->clusters[walk->zone].last)
        return;
    assert(walk->next == NONE);
    walk->zone = NONE;
    for (uint32_t i = walk->deferred; i != NONE; i = blocks->next[i])
        take(walk, i);
    walk->deferred = NONE;
}

static uint32_t block_begin(const struct blocks *blocks, uint32_t block)
{
    const struct cluster *head = &blocks->clusters[block];
    return head->writer != NONE       ? head->writer
           : head->first_read != NONE ? head->first_read
                                      : head->swap;
}

static void walk_enter(struct walk *walk, uint32_t block, uint32_t position)
{
    walk->zone = block;
    walk->next = block_begin(walk->blocks, block);
    walk_zone(walk, position);
}

/* A block without a zone, from `begin` to `end`: now, or when the zone ends. */
static void walk_place(struct walk *walk, uint32_t begin, uint32_t end)
{
    uint32_t *next = walk->blocks->next;
    if (walk->zone == NONE) {
        for (uint32_t i = begin; i != NONE; i = next[i])
            take(walk, i);
    } else if (walk->deferred == NONE) {
        walk->deferred = begin;
        walk->deferred_end = end;
    } else {
        next[walk->deferred_end] = begin;
        walk->deferred_end = end;
    }
}

/* The operations of a block that make it as long as it is: `*first` has the least response (NONE
 * if that is the initial value's), `*last` the greatest invocation. */
static void block_extremes(const struct blocks *blocks, uint32_t block, uint32_t *first,
                           uint32_t *last)
{
    const struct cluster *head = &blocks->clusters[block];
    *first = *last = NONE;
    for (uint32_t i = block_begin(blocks, block);; i = blocks->next[i]) {
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
           show_needed(blocks, last);
}

/* Another block lies within the zone of `block`, and so overwrote it. */
static enum step overwritten(struct blocks *blocks, uint32_t block, uint32_t operation)
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

static enum step both_held(struct blocks *blocks, uint32_t one, uint32_t other)
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
    return step_violation(show_block(blocks, one) && show_block(blocks, other));
}

static enum step walk_invocation(struct walk *walk, uint32_t operation)
{
    struct blocks *blocks = walk->blocks;
    const struct interval *interval = &blocks->part->intervals[operation];
    uint32_t block = blocks->block[operation];
    uint32_t limit = interval->response, end = operation, begin = operation;
    if (block == BLOCK_DROPPED)
        return STEP_READY;
    if (block == BLOCK_FREE) {
        take(walk, operation);
        return STEP_READY;
    }
    if (block == walk->zone) {
        walk_zone(walk, interval->invoke);
        return STEP_READY;
    }
    if (block != BLOCK_ALONE) {
        const struct cluster *head = &blocks->clusters[block];
        if (head->first < head->last || head->last != interval->invoke)
            return STEP_READY;
        limit = head->first;
        end = head->end;
        begin = block_begin(blocks, block);
    }
    if (walk->zone != NONE && limit < blocks->clusters[walk->zone].last)
        return overwritten(blocks, walk->zone, operation);
    walk_place(walk, begin, end);
    return STEP_READY;
}

static bool walk_init(struct walk *walk, struct blocks *blocks)
{
    size_t positions = blocks->part->positions;
    *walk = (struct walk){.blocks = blocks, .zone = NONE, .next = NONE, .deferred = NONE};
    walk->starts = arena_allocate(&blocks->arena, positions * sizeof *walk->starts);
    if (!walk->starts || !vector_reserve(&blocks->decision->linearization, blocks->part->count))
        return false;
    memset(walk->starts, 0xff, positions * sizeof *walk->starts);
    for (uint32_t i = 0; i < blocks->numbering.count; i++) {
        const struct cluster *head = &blocks->clusters[i];
        if (head->end == NONE)
            continue;
        if (head->initial)
            walk->zone = i;
        else if (head->first < head->last)
            walk->starts[head->first] = i;
    }
    if (walk->zone != NONE)
        walk->next = block_begin(blocks, walk->zone);
    return true;
}

static enum step linearize(struct blocks *blocks)
{
    struct walk walk;
    if (!walk_init(&walk, blocks))
        return STEP_REFUSED;
    uint32_t operation = 0;
    for (uint32_t position = 0; position < blocks->part->positions; position++) {
        if ((position & 0xffff) == 0 && limits_reached(blocks->limits) != LIMIT_NONE)
            return STEP_REFUSED;
        uint32_t start = walk.starts[position];
        if (start != NONE && walk.zone != NONE)
            return both_held(blocks, walk.zone, start);
        if (start != NONE)
            walk_enter(&walk, start, position);
        if (operation < blocks->part->count &&
            blocks->part->intervals[operation].invoke == position)
            TRY_STEP(walk_invocation(&walk, operation++));
    }
    return STEP_READY;
}

static enum step blocks_prepare(struct blocks *blocks, const struct part *part,
                                struct limits *limits, struct decision *decision,
                                struct inapplicable *why)
{
    *blocks = (struct blocks){.part = part, .limits = limits, .decision = decision};
    arena_init(&blocks->arena, limits->budget);
    TRY_STEP(number_values(blocks, why));
    return attach_operations(blocks, why);
}

static bool register_applies(const struct part *part, struct limits *limits,
                             struct inapplicable *why)
{
    struct blocks blocks;
    enum step step = blocks_prepare(&blocks, part, limits, NULL, why);
    arena_release(&blocks.arena);
    return step != STEP_INAPPLICABLE;
}

static enum status register_run(const struct part *part, struct limits *limits,
                                struct decision *decision, struct error *error)
{
    (void)error;
    decision_clear(decision);
    struct blocks blocks;
    enum step (*const steps[])(struct blocks *) = {link_swaps, build_blocks, linearize};
    enum step step = blocks_prepare(&blocks, part, limits, decision, NULL);
    for (size_t i = 0; i < ARRAY_LENGTH(steps) && step == STEP_READY; i++)
        step = limits_reached(limits) == LIMIT_NONE ? steps[i](&blocks) : STEP_REFUSED;
    decision->explored = part->positions;
    arena_release(&blocks.arena);
    return step_finish(step, part, limits, decision);
}

const struct monitor register_monitor = {"register", register_applies, register_run};
