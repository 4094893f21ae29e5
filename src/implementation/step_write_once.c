/* Runs the code of each operation on abstract words (implementation/step_ways.h). A field is
 * write-once if nodes of its struct are never given back and every write to it, in all operations,
 * is to unpublished nodes. docs/internals/reductions.md has what follows from that. */
#include "implementation/step_write_once.h"

#include <string.h>

#include "base/memory.h"
#include "implementation/step_places.h"
#include "implementation/step_ways.h"

struct analysis {
    struct lin_ways ways;
    struct bits late;         /* by word of a node: its field is written to published nodes */
    struct bits reads, other; /* by DEREFERENCE: its address is loaded from; used otherwise */
};

static void note_read(void *observer, const struct lin_ways *ways, uint32_t at,
                      const struct lin_way_word *address, uint32_t count)
{
    const struct analysis *analysis = observer;
    (void)ways, (void)at, (void)count;
    if (address->kind == LIN_WORD_FIELD)
        bits_set(analysis->reads, address->origin);
}

static uint64_t note_write(void *observer, const struct lin_ways *ways, uint32_t at,
                           const struct lin_way_word *address, uint32_t count)
{
    const struct analysis *analysis = observer;
    (void)at, (void)count;
    if (address->kind != LIN_WORD_FIELD)
        return 0;
    bits_set(analysis->other, address->origin);
    if (!lin_ways_are_private(ways, address->names))
        bits_set(analysis->late, address->first);
    return 0;
}

static const struct lin_ways_class class = {.reads = note_read, .writes = note_write};

static bool name_fields(const struct analysis *analysis)
{
    struct lin_steps *steps = analysis->ways.steps;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        struct lin_pool *pool = &steps->pools[i];
        uint32_t count = pool->of->field_count, at = analysis->ways.starts[i] + 1;
        bool freed = lin_steps_free(steps, i);
        pool->write_once = arena_allocate(steps->arena, count * sizeof *pool->write_once);
        if (!pool->write_once)
            return false;
        for (uint32_t j = 0; j < count; j++) {
            if (analysis->ways.lost || freed)
                bits_set(analysis->late, at);
            pool->write_once[j] = !bits_get(analysis->late, at);
            at += pool->lengths[j] * lin_step_words_of(&pool->of->fields[j]->type);
        }
    }
    return true;
}

static void mark_reads(const struct analysis *analysis)
{
    struct lin_steps *steps = analysis->ways.steps;
    for (uint32_t at = 0; at < steps->listing.code.length; at++) {
        struct instruction *instruction = &steps->listing.code.items[at];
        if (instruction->op != OP_DEREFERENCE || !bits_get(analysis->reads, at) ||
            bits_get(analysis->other, at) ||
            bits_get(analysis->late,
                     analysis->ways.starts[instruction->operand] + instruction->wide))
            continue;
        instruction->small = 1;
        steps->reads_write_once = true;
    }
}

static bool analyse(struct analysis *analysis)
{
    const struct lin_steps *steps = analysis->ways.steps;
    for (uint32_t i = 0; i < steps->object->operation_count; i++)
        if (!lin_ways_run(&analysis->ways, i))
            return false;
    if (!name_fields(analysis))
        return false;
    mark_reads(analysis);
    return true;
}

enum status lin_step_find_write_once(struct lin_steps *steps)
{
    struct budget *budget = steps->arena->budget;
    uint32_t count = listing_here(&steps->listing);
    struct analysis analysis;
    if (steps->pool_count == 0)
        return STATUS_OK;
    enum status status = lin_ways_open(&analysis.ways, steps, &class, &analysis);
    analysis.late = bits_allocate(budget, analysis.ways.words);
    analysis.reads = bits_allocate(budget, count);
    analysis.other = bits_allocate(budget, count);
    bool done = status == STATUS_OK && analysis.late.words && analysis.reads.words &&
                analysis.other.words && analyse(&analysis);
    bits_release(budget, analysis.other);
    bits_release(budget, analysis.reads);
    bits_release(budget, analysis.late);
    lin_ways_close(&analysis.ways);
    return granted(done);
}
