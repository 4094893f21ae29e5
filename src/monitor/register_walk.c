/* Puts a register's blocks (register.c) in order, or finds two that exclude one another: a walk
 * over the positions, on which each block takes place.
 *
 * A block with a zone takes place during its zone: first those of its operations that were invoked
 * before it begins, the others as soon as they are invoked; its own order allows that, as it
 * respects precedence. A block without a zone takes place at its last invocation, or, if that is
 * within a zone, when that ends. */
#include "monitor/register.h"

#include <assert.h>

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

static void walk_enter(struct walk *walk, uint32_t block, uint32_t position)
{
    assert(walk->zone == NONE && walk->deferred == NONE);
    walk->zone = block;
    walk->next = cluster_begin(&walk->blocks->clusters[block]);
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
        begin = cluster_begin(&blocks->clusters[block]);
    }
    if (walk->zone != NONE && limit < blocks->clusters[walk->zone].last)
        return blocks_overwritten(blocks, walk->zone, operation);
    walk_place(walk, begin, end);
    return STEP_READY;
}

static bool walk_init(struct walk *walk, struct blocks *blocks)
{
    size_t positions = blocks->part->positions;
    *walk = (struct walk){.blocks = blocks, .zone = NONE, .next = NONE, .deferred = NONE};
    walk->starts = arena_allocate(blocks->arena, positions * sizeof *walk->starts);
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
        walk->next = cluster_begin(&blocks->clusters[walk->zone]);
    return true;
}

enum step blocks_linearize(struct blocks *blocks)
{
    struct walk walk;
    if (!walk_init(&walk, blocks))
        return STEP_REFUSED;
    uint32_t operation = 0;
    for (uint32_t looked = LOOK_FIRST, position = 0; position < blocks->part->positions;
         position++) {
        if (limits_look(blocks->limits, &looked))
            return STEP_REFUSED;
        uint32_t start = walk.starts[position];
        if (start != NONE && walk.zone != NONE)
            return blocks_both_held(blocks, walk.zone, start);
        if (start != NONE)
            walk_enter(&walk, start, position);
        if (operation < blocks->part->count &&
            blocks->part->intervals[operation].invoke == position)
            TRY_STEP(walk_invocation(&walk, operation++));
    }
    return STEP_READY;
}
