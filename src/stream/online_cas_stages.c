/* What operations on a register with cas say of its values, each of which is written once.
 *
 * A value, its write, and those that found it are a stage; stages that replaced each other by cas
 * are a block, an unbroken stretch of every order (monitor/register.c). Everything may take place
 * as late as the answers allow: when a stage has begun in such an order, it or what comes later has
 * been answered.
 *
 * A cas that failed asks for a moment at which its value was not there. If nobody who knew that
 * value, or a later one of the block, had answered when it was invoked, it has one in every order
 * in which all takes place as late as it can: the value is not there yet, or something that comes
 * later was answered, and it is gone. Else the value was replaced when it answered:
 *
 * - by the next stage, if there is one: that had begun by then, just as if a read had answered it;
 * - else by another block, which had begun by then: which one is open, unless one that comes later
 *   was answered by then. Else the block is due (online_cas_settle.c).
 *
 * docs/internals/streams.md has more of this. */
#include "stream/online_cas.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/hash.h"

uint32_t cas_stage_of(const struct cas_online *cas, value v)
{
    if (cas->stages.length && cas->stages.items[0].writer == CAS_NONE &&
        cas->stages.items[0].value == v)
        return 0;
    struct table_search search = table_search(&cas->by_value, hash_word(v));
    while (table_next(&search))
        if (cas->operations.items[search.number].access.written == v)
            return cas->operations.items[search.number].stage;
    return CAS_NONE;
}

/* ---- stages ---- */

static bool add_stage(struct cas_online *cas, value v, uint32_t writer)
{
    const bool initial = writer == CAS_NONE;
    const struct cas_stage stage = {.value = v,
                                    .writer = writer,
                                    .before = CAS_NONE,
                                    .next = CAS_NONE,
                                    .block = CAS_NONE,
                                    .first_operation = CAS_NONE,
                                    .first = initial ? 0 : CAS_NEVER,
                                    .last_operation = CAS_NONE,
                                    .left = CAS_NEVER,
                                    .questions = CAS_NONE,
                                    .question = CAS_NONE,
                                    .certain = initial};
    return vector_push(&cas->stages, stage);
}

static void add_to_stage(struct cas_stage *stage, const struct cas_operation *operation,
                         uint32_t number)
{
    if (operation->ended < stage->first) {
        stage->first = operation->ended;
        stage->first_operation = number;
    }
    if (operation->invoked > stage->last) {
        stage->last = operation->invoked;
        stage->last_operation = number;
    }
}

/* Somebody who has answered knows the value: it was written, and what it replaced was. False: that
 * was not, or was replaced by another, too. */
static bool make_certain(struct cas_online *cas, uint32_t number)
{
    struct cas_stage *stages = cas->stages.items;
    while (!stages[number].certain) {
        struct cas_stage *stage = &stages[number];
        const struct cas_operation *write = &cas->operations.items[stage->writer];
        stage->certain = true;
        add_to_stage(stage, write, stage->writer);
        if (write->access.kind != ACCESS_SWAP)
            return true;
        stage->before = cas_stage_of(cas, write->access.expected);
        if (stage->before == CAS_NONE || stages[stage->before].next != CAS_NONE)
            return false;
        stages[stage->before].next = number;
        number = stage->before;
    }
    return true;
}

/* A stage for each value. False when refused. */
static bool add_stages(struct cas_online *cas)
{
    cas->stages.length = 0;
    if (cas->is_initial && !add_stage(cas, cas->initial, CAS_NONE))
        return false;
    for (uint32_t i = (uint32_t)cas->put_away; i < cas->operations.length; i++) {
        struct cas_operation *operation = &cas->operations.items[i];
        operation->stage = CAS_NONE;
        if (!cas_writes(&operation->access))
            continue;
        operation->stage = (uint32_t)cas->stages.length;
        if (!add_stage(cas, operation->access.written, i))
            return false;
    }
    return true;
}

/* Gives operations that are no questions to their stages. False: one found a value that is not
 * there. */
static bool fill_stages(struct cas_online *cas)
{
    for (uint32_t i = (uint32_t)cas->put_away; i < cas->operations.length; i++) {
        struct cas_operation *operation = &cas->operations.items[i];
        const enum access_kind kind = operation->access.kind;
        if (operation->ended == CAS_NEVER || kind == ACCESS_FAILED || kind == ACCESS_FREE)
            continue;
        if (kind == ACCESS_READ)
            operation->stage = cas_stage_of(cas, operation->access.expected);
        if (operation->stage == CAS_NONE || !make_certain(cas, operation->stage))
            return false;
        if (kind == ACCESS_READ)
            add_to_stage(&cas->stages.items[operation->stage], operation, i);
    }
    return true;
}

/* ---- blocks ---- */

static bool add_block(struct cas_online *cas, uint32_t head)
{
    struct cas_block block = {.head = head,
                              .first = CAS_NEVER,
                              .first_operation = CAS_NONE,
                              .last_operation = CAS_NONE,
                              .due = CAS_NEVER};
    for (uint32_t at = head; at != CAS_NONE; at = cas->stages.items[at].next) {
        struct cas_stage *stage = &cas->stages.items[at];
        if (stage->first < block.first) {
            block.first = stage->first;
            block.first_operation = stage->first_operation;
        }
        if (stage->last > block.last) {
            block.last = stage->last;
            block.last_operation = stage->last_operation;
        }
        block.running |=
            stage->writer != CAS_NONE && cas->operations.items[stage->writer].handle != CAS_NONE;
        stage->begun = stage->first;
        block.tail = at;
    }
    return vector_push(&cas->blocks, block);
}

static int compare_blocks(const void *first, const void *second)
{
    const struct cas_block *a = first, *b = second;
    return (a->first > b->first) - (a->first < b->first);
}

size_t cas_blocks_before(const struct cas_online *cas, uint64_t time)
{
    size_t low = 0, high = cas->blocks.length;
    BISECT(low, high, middle, cas->blocks.items[middle].first < time);
    return low;
}

uint32_t cas_last_of(const struct cas_online *cas, size_t count, uint32_t other)
{
    if (!count)
        return CAS_NONE;
    const struct cas_block *up_to = &cas->blocks.items[count - 1];
    return up_to->most != other ? up_to->most : up_to->second;
}

static void find_last(struct cas_online *cas)
{
    struct cas_block *blocks = cas->blocks.items;
    uint32_t most = CAS_NONE, second = CAS_NONE;
    for (uint32_t i = 0; i < cas->blocks.length; i++) {
        if (most == CAS_NONE || blocks[i].last > blocks[most].last) {
            second = most;
            most = i;
        } else if (second == CAS_NONE || blocks[i].last > blocks[second].last) {
            second = i;
        }
        blocks[i].most = most;
        blocks[i].second = second;
    }
}

/* When each stage was left, at the latest. */
static void find_left(struct cas_online *cas, const struct cas_block *block)
{
    uint64_t left = CAS_NEVER;
    for (uint32_t at = block->tail; at != CAS_NONE; at = cas->stages.items[at].before) {
        struct cas_stage *stage = &cas->stages.items[at];
        stage->left = left;
        if (stage->begun < left)
            left = stage->begun;
    }
}

/* A block that must come behind another, and in front of an operation that was invoked at that
 * time: so that is none of the other; CAS_NONE. */
static uint32_t crossed_by(const struct cas_online *cas, uint32_t number, uint64_t invoked)
{
    const uint32_t last = cas_last_of(cas, cas_blocks_before(cas, invoked), number);
    return last != CAS_NONE && cas->blocks.items[number].first < cas->blocks.items[last].last
               ? last
               : CAS_NONE;
}

/* The value that a cas replaces if it takes effect, and its writer, and so on: the first that is
 * certain; CAS_NONE. *invoked becomes the latest invocation of those between. */
static uint32_t replaced_by(const struct cas_online *cas, const struct access *access,
                            uint64_t *invoked)
{
    for (size_t i = 0; i <= cas->stages.length && access->kind == ACCESS_SWAP; i++) {
        const uint32_t found = cas_stage_of(cas, access->expected);
        if (found == CAS_NONE || cas->stages.items[found].certain)
            return found;
        const struct cas_operation *writer =
            &cas->operations.items[cas->stages.items[found].writer];
        access = &writer->access;
        if (writer->invoked > *invoked)
            *invoked = writer->invoked;
    }
    return CAS_NONE;
}

/* A cas that runs may turn out to have replaced the last value of a block, whatever was read since.
 */
static void pin_blocks(struct cas_online *cas)
{
    const struct running_operation *running = cas->swaps.items.items;
    for (uint32_t i = cas->swaps.first; i != CAS_NONE; i = running[i].after) {
        uint64_t invoked = running[i].invoked;
        const uint32_t found =
            replaced_by(cas, &cas->operations.items[running[i].detail].access, &invoked);
        if (found == CAS_NONE || cas->stages.items[found].next != CAS_NONE)
            continue;
        const uint32_t number = cas->stages.items[found].block;
        const uint32_t crosses = crossed_by(cas, number, invoked);
        if (crosses != CAS_NONE)
            cas->blocks.items[crosses].crosses = true;
        else
            cas->blocks.items[number].pinned = true;
    }
}

/* Whether the operations can take effect stage by stage, and block by block: nobody who found a
 * value answered before it was written, or before an operation of a former stage was invoked, and
 * of no two blocks each has to come in front of the other. */
static bool are_in_order(const struct cas_online *cas)
{
    size_t count = 0, certain = 0;
    for (uint32_t i = 0; i < cas->stages.length; i++)
        certain += cas->stages.items[i].certain;
    for (uint32_t i = 0; i < cas->blocks.length; i++) {
        const struct cas_block *block = &cas->blocks.items[i];
        uint64_t last = 0;
        for (uint32_t at = block->head; at != CAS_NONE; at = cas->stages.items[at].next) {
            const struct cas_stage *stage = &cas->stages.items[at];
            if (stage->writer != CAS_NONE) {
                const uint64_t written = cas->operations.items[stage->writer].invoked;
                if (stage->first < (written > last ? written : last))
                    return false;
            }
            if (stage->last > last)
                last = stage->last;
            count++;
        }
        if (crossed_by(cas, i, block->last) != CAS_NONE)
            return false;
    }
    return count == certain; /* else some replaced each other in a circle */
}

static bool find_blocks(struct cas_online *cas)
{
    cas->blocks.length = 0;
    for (uint32_t i = 0; i < cas->stages.length; i++)
        if (cas->stages.items[i].certain && cas->stages.items[i].before == CAS_NONE &&
            !add_block(cas, i))
            return false;
    if (cas->blocks.length)
        qsort(cas->blocks.items, cas->blocks.length, sizeof *cas->blocks.items, compare_blocks);
    for (uint32_t i = 0; i < cas->blocks.length; i++) {
        find_left(cas, &cas->blocks.items[i]);
        for (uint32_t at = cas->blocks.items[i].head; at != CAS_NONE;
             at = cas->stages.items[at].next)
            cas->stages.items[at].block = i;
    }
    find_last(cas);
    return true;
}

static void find_closed(struct cas_online *cas)
{
    const uint64_t since = running_since(&cas->reads);
    const size_t before = cas_blocks_before(cas, since);
    for (uint32_t i = 0; i < before; i++)
        cas->blocks.items[i].closed = crossed_by(cas, i, since) != CAS_NONE;
    pin_blocks(cas);
}

/* ---- cas that failed ---- */

/* Gives each to the stage of its value. False when refused. */
static bool sort_questions(struct cas_online *cas)
{
    cas->open.length = 0;
    for (uint32_t i = (uint32_t)cas->put_away; i < cas->operations.length; i++) {
        struct cas_operation *operation = &cas->operations.items[i];
        operation->asks = CAS_ASKS_NOTHING;
        if (operation->access.kind != ACCESS_FAILED)
            continue;
        const uint32_t number = cas_stage_of(cas, operation->access.expected);
        if (number == CAS_NONE)
            continue; /* nobody wrote it so far */
        struct cas_stage *stage = &cas->stages.items[number];
        if (!stage->certain) {
            if (!vector_push(&cas->open, i))
                return false;
            continue;
        }
        operation->link = stage->questions;
        stage->questions = i;
    }
    return true;
}

/* What the questions of a stage say. False when refused. */
static bool ask_stage(struct cas_online *cas, struct cas_stage *stage)
{
    const struct cas_operation *operations = cas->operations.items;
    for (uint32_t at = stage->questions; at != CAS_NONE; at = operations[at].link) {
        if (stage->left < operations[at].ended)
            continue;
        if (stage->begun > operations[at].invoked) {
            if (!vector_push(&cas->open, at))
                return false;
        } else if (stage->question == CAS_NONE ||
                   operations[at].ended < operations[stage->question].ended) {
            stage->question = at;
        }
    }
    return true;
}

static bool ask_block(struct cas_online *cas, struct cas_block *block)
{
    for (uint32_t at = block->head; at != CAS_NONE; at = cas->stages.items[at].next) {
        struct cas_stage *stage = &cas->stages.items[at];
        if (!ask_stage(cas, stage))
            return false;
        if (stage->question == CAS_NONE)
            continue;
        struct cas_operation *question = &cas->operations.items[stage->question];
        if (stage->next == CAS_NONE) {
            block->due = question->ended;
            question->asks = CAS_ASKS_OPEN;
            continue;
        }
        struct cas_stage *next = &cas->stages.items[stage->next];
        question->asks = CAS_ASKS_NEXT;
        cas->asks = true;
        if (question->ended < next->begun)
            next->begun = question->ended;
    }
    find_left(cas, block);
    return true;
}

enum cas_stages cas_find_stages(struct cas_online *cas)
{
    cas->asks = false;
    if (!add_stages(cas))
        return CAS_STAGES_REFUSED;
    if (!fill_stages(cas))
        return CAS_STAGES_IN_DISORDER;
    if (!find_blocks(cas))
        return CAS_STAGES_REFUSED;
    if (!are_in_order(cas))
        return CAS_STAGES_IN_DISORDER;
    find_closed(cas);
    if (!sort_questions(cas))
        return CAS_STAGES_REFUSED;
    for (uint32_t i = 0; i < cas->blocks.length; i++)
        if (!ask_block(cas, &cas->blocks.items[i]))
            return CAS_STAGES_REFUSED;
    cas_settle_questions(cas);
    return CAS_STAGES_FOUND;
}
