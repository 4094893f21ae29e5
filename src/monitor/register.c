/* Decides a register's history in which each value that is read was written once, so that a read
 * says which write it read (Gibbons and Korach, "Testing shared memories", SIAM J. Comput. 1997,
 * section 4; the chains of compare and swap are ours). Time and space are linear.
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
 * result is not known fits anywhere.
 *
 * A cas that failed, and a get of a key that was deleted several times, do not say which write they
 * found. They change nothing, so that a history that is not linearizable without them is not with
 * them; if it is, they are placed when the blocks are in order (register_questions.c). A cas that
 * replaced what was deleted several times is a write in the meantime. Most cas that failed have a
 * place in every order (register_failed.c), and are put there in the end (register_asked.c). */
#include "monitor/register.h"

#include <assert.h>

#include "monitor/monitors.h"
#include "monitor/register_given.h"

static bool finds_value(const struct blocks *blocks, uint32_t operation)
{
    return blocks->kinds[operation] == ACCESS_READ || blocks->kinds[operation] == ACCESS_SWAP;
}

static bool writes(const struct access *access)
{
    return access->kind == ACCESS_WRITE || access->kind == ACCESS_SWAP;
}

/* Makes questions, and conditional writes, of what found the absence of a value, which does not say
 * which deletion it found. */
static void leave_absence_open(struct blocks *blocks)
{
    for (uint32_t i = 0; i < blocks->part->count; i++) {
        if (!finds_value(blocks, i) || access_of(blocks, i).expected != blocks->accesses.absent)
            continue;
        blocks->kinds[i] = blocks->kinds[i] == ACCESS_SWAP ? ACCESS_WRITE : ACCESS_FREE;
        blocks->open++;
    }
}

static enum step number_values(struct blocks *blocks, struct inapplicable *why)
{
    const struct part *part = blocks->part;
    if (!accesses_init(&blocks->accesses, part, blocks->limits))
        return step_inapplicable(why, part->count, "the object is not a register", VALUE_REFUSED,
                                 "");
    if (blocks->accesses.initial == VALUE_REFUSED || blocks->accesses.absent == VALUE_REFUSED)
        return STEP_REFUSED;
    if (blocks->given) {
        blocks->accesses.initial = blocks->initial;
        if (!blocks->deletes) /* what deletes writes a value like any other */
            blocks->accesses.has_deletion = false;
    }
    blocks->kinds = arena_allocate(blocks->arena, part->count * sizeof *blocks->kinds);
    blocks->block = arena_allocate(blocks->arena, part->count * sizeof *blocks->block);
    if (!blocks->kinds || !blocks->block)
        return STEP_REFUSED;
    struct span span = SPAN_EMPTY;
    const value absent = blocks->accesses.absent;
    uint32_t deletions = blocks->accesses.initial == absent;
    for (uint32_t i = 0; i < part->count; i++) {
        struct access access = access_of(blocks, i);
        if (access.kind == ACCESS_OTHER)
            return step_inapplicable(why, i, "the operation does more than read or write a value",
                                     VALUE_REFUSED, "");
        const bool failed = access.kind == ACCESS_FAILED;
        blocks->kinds[i] = failed ? ACCESS_FREE : (uint8_t)access.kind;
        blocks->open += failed;
        blocks->failed += failed;
        deletions += writes(&access) && access.written == absent;
        if (finds_value(blocks, i))
            span_include(&span, access.expected);
    }
    if (blocks->accesses.has_deletion && deletions > 1)
        leave_absence_open(blocks);
    if (!numbering_init(&blocks->numbering, &span, blocks->arena))
        return STEP_REFUSED;
    for (uint32_t i = 0; i < part->count; i++)
        if (finds_value(blocks, i))
            blocks->block[i] = numbering_add(&blocks->numbering, access_of(blocks, i).expected);
    return STEP_READY;
}

static bool allocate(struct blocks *blocks)
{
    size_t clusters = blocks->numbering.count;
    blocks->clusters = arena_allocate(blocks->arena, clusters * sizeof *blocks->clusters);
    blocks->next = arena_allocate(blocks->arena, blocks->part->count * sizeof *blocks->next);
    if (!blocks->clusters || !blocks->next)
        return false;
    for (size_t i = 0; i < clusters; i++)
        blocks->clusters[i] = (struct cluster){.writer = NONE,
                                               .first_read = NONE,
                                               .last_read = NONE,
                                               .swap = NONE,
                                               .first = NONE,
                                               .end = NONE,
                                               .cause = NONE};
    struct cluster *initial = cluster_of(blocks, blocks->accesses.initial);
    if (initial)
        initial->initial = true;
    return true;
}

static enum step attach_write(struct blocks *blocks, uint32_t operation, struct inapplicable *why)
{
    value written = access_of(blocks, operation).written;
    uint32_t number = numbering_find(&blocks->numbering, written);
    if (number == NUMBER_NONE) {
        if (blocks->kinds[operation] == ACCESS_WRITE)
            blocks->block[operation] = is_pending(blocks, operation) ? BLOCK_DROPPED : BLOCK_ALONE;
        return STEP_READY;
    }
    struct cluster *cluster = &blocks->clusters[number];
    if (cluster->writer != NONE || cluster->initial)
        return step_inapplicable(why, operation, "value ", written,
                                 cluster->initial ? ", there at first, is written again, and read"
                                                  : " is written twice, and read");
    cluster->writer = operation;
    if (blocks->kinds[operation] == ACCESS_WRITE)
        blocks->block[operation] = number;
    return STEP_READY;
}

/* Gives each operation to its cluster. Beyond this point the monitor applies. */
static enum step attach_operations(struct blocks *blocks, struct inapplicable *why)
{
    if (!allocate(blocks))
        return STEP_REFUSED;
    for (uint32_t i = 0; i < blocks->part->count; i++) {
        blocks->next[i] = NONE;
        if (blocks->kinds[i] == ACCESS_READ) {
            struct cluster *cluster = &blocks->clusters[blocks->block[i]];
            if (cluster->first_read == NONE)
                cluster->first_read = i;
            else
                blocks->next[cluster->last_read] = i;
            cluster->last_read = i;
        } else if (blocks->kinds[i] == ACCESS_FREE) {
            blocks->block[i] = is_pending(blocks, i) ? BLOCK_DROPPED : BLOCK_FREE;
        } else {
            TRY_STEP(attach_write(blocks, i, why));
        }
    }
    return STEP_READY;
}

/* `cause` found the cluster's value, so its writer happened, and if that is a pending swap, so did
 * the writer of what that replaced. */
static void mark_needed(struct blocks *blocks, struct cluster *cluster, uint32_t cause)
{
    while (cluster->cause == NONE) {
        cluster->cause = cause;
        uint32_t writer = cluster->writer;
        if (writer == NONE || !is_pending(blocks, writer) || blocks->kinds[writer] != ACCESS_SWAP)
            return;
        cause = writer;
        cluster = &blocks->clusters[blocks->block[writer]];
    }
}

/* Finds out which pending operations happened, and what replaced each value. */
static enum step link_swaps(struct blocks *blocks)
{
    uint32_t count = blocks->part->count, again = NONE;
    for (uint32_t i = 0; i < count; i++)
        if (finds_value(blocks, i) && !is_pending(blocks, i))
            mark_needed(blocks, &blocks->clusters[blocks->block[i]], i);
    for (uint32_t i = 0; i < count; i++) {
        bool swaps = blocks->kinds[i] == ACCESS_SWAP, pending = is_pending(blocks, i);
        if (!swaps && (!pending || blocks->kinds[i] != ACCESS_WRITE))
            continue;
        struct cluster *written = NULL;
        if (pending && blocks->block[i] != BLOCK_DROPPED)
            written = cluster_of(blocks, access_of(blocks, i).written);
        if (pending && !(written && written->cause != NONE)) {
            blocks->block[i] = BLOCK_DROPPED;
            if (written)
                written->writer = NONE;
        } else if (swaps) {
            struct cluster *cluster = &blocks->clusters[blocks->block[i]];
            if (cluster->swap == NONE)
                cluster->swap = i;
            else if (again == NONE)
                again = i;
        }
    }
    return again == NONE ? STEP_READY : blocks_swapped_twice(blocks, again);
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
    assert(head->end != operation && blocks->block[operation] < BLOCK_DROPPED);
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
    return chain.before == NONE ? STEP_READY
                                : blocks_out_of_order(blocks, chain.before, chain.after);
}

static enum step build_blocks(struct blocks *blocks)
{
    struct cluster *clusters = blocks->clusters, *end = clusters + blocks->numbering.count;
    for (struct cluster *cluster = clusters; cluster < end; cluster++) {
        if (cluster->cause != NONE && cluster->writer == NONE && !cluster->initial)
            return blocks_never_written(blocks, cluster);
        bool begins = cluster->writer == NONE ? cluster->initial && cluster->cause != NONE
                                              : blocks->kinds[cluster->writer] == ACCESS_WRITE;
        if (begins)
            TRY_STEP(chain_build(blocks, cluster));
    }
    for (struct cluster *cluster = clusters; cluster < end; cluster++)
        if (cluster->writer != NONE && !cluster->in_block)
            return blocks_circle(blocks, cluster);
    return STEP_READY;
}

static enum step register_applies(const struct part *part, struct limits *limits,
                                  struct arena *arena, struct inapplicable *why)
{
    struct blocks blocks = {.part = part, .limits = limits, .arena = arena};
    TRY_STEP(number_values(&blocks, why));
    return attach_operations(&blocks, why);
}

enum step blocks_order(struct blocks *blocks)
{
    enum step (*const steps[])(struct blocks *) = {link_swaps, build_blocks, blocks_linearize};
    TRY_STEP(number_values(blocks, NULL));
    TRY_STEP(attach_operations(blocks, NULL));
    for (size_t i = 0; i < ARRAY_LENGTH(steps); i++) {
        if (limits_reached(blocks->limits) != LIMIT_NONE)
            return STEP_REFUSED;
        TRY_STEP(steps[i](blocks));
    }
    return STEP_READY;
}

enum step blocks_decide(struct blocks *blocks)
{
    TRY_STEP(blocks_order(blocks));
    enum step step = STEP_UNDECIDED;
    if (blocks->failed > 0 && !blocks->given)
        step = blocks_answer_failed(blocks);
    if (step != STEP_UNDECIDED)
        return step;
    return blocks->open > 0 ? blocks_answer(blocks) : STEP_READY;
}

static enum step register_decide(const struct part *part, struct limits *limits,
                                 struct arena *arena, struct decision *decision)
{
    struct blocks blocks = {.part = part, .limits = limits, .decision = decision, .arena = arena};
    decision->explored = part->positions;
    enum step step = blocks_decide(&blocks);
    if (step == STEP_VIOLATION && blocks.open > 0 && !blocks_show_failed(&blocks))
        return STEP_REFUSED;
    return step;
}

enum status register_decide_accesses(const struct part *part, const struct access *given,
                                     value initial, struct limits *limits,
                                     struct decision *decision)
{
    struct arena arena;
    decision_clear(decision);
    arena_init(&arena, limits->budget);
    struct blocks blocks = {.part = part,
                            .limits = limits,
                            .decision = decision,
                            .arena = &arena,
                            .given = given,
                            .initial = initial};
    enum step step = blocks_decide(&blocks);
    arena_release(&arena);
    if (step == STEP_READY)
        decision->verdict = VERDICT_LINEARIZABLE;
    else if (step == STEP_VIOLATION)
        decision->verdict = VERDICT_VIOLATION;
    else if (step != STEP_UNDECIDED)
        return decision_limit(decision, limits);
    return STATUS_OK;
}

const struct monitor register_monitor = {
    register_applies, NULL, register_decide,
    "no order was found in which each cas that failed, and each get of what was deleted, fits"};
