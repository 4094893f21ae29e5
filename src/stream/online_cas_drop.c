/* What need not be kept of the operations on a register with cas; docs/internals/streams.md says
 * why.
 *
 * Blocks that are closed go, but for the two that were invoked last among those that answered
 * before `since`, those that a cas that runs may add to, and those because of which it may not. Of
 * a block that stays its writes and cas are kept, of each stage the first answer, of all the last
 * invocation. Where a block is long, and all others are known to lie on one side of it, the history
 * begins anew with one of its stages that nobody can read any more: what comes before is its
 * initial value from then on. */
#include "stream/online_cas.h"

#include <string.h>

#include "base/faults.h"
#include "base/hash.h"

#define CUT_LEAST SIZE_OR_SMALL(16, 1) /* stages, from which it is worth while to begin anew */

static void keep(struct cas_online *cas, uint32_t operation)
{
    if (operation != CAS_NONE)
        cas->operations.items[operation].kept = true;
}

/* ---- beginning anew ---- */

/* The last stage of a block that nobody can add to any more and that was replaced; CAS_NONE, if
 * these are few. */
static uint32_t last_closed(const struct cas_online *cas, const struct cas_block *block,
                            uint64_t since)
{
    const struct cas_stage *stages = cas->stages.items;
    uint32_t found = CAS_NONE;
    size_t count = 0;
    for (uint32_t at = block->head; stages[at].next != CAS_NONE && stages[at].left < since;
         at = stages[at].next) {
        if (stages[at].writer != CAS_NONE &&
            cas->operations.items[stages[at].writer].handle != CAS_NONE)
            return CAS_NONE;
        found = at;
        count++;
    }
    const size_t least = cas->online.drops == DROPS_AT_ONCE ? 1 : CUT_LEAST;
    return count >= least && found != block->head ? found : CAS_NONE;
}

/* Whether each other block certainly comes before the block, and nothing is open of it, or behind
 * it. */
static bool parts_others(const struct cas_online *cas, const struct cas_block *block)
{
    for (size_t i = 0; i < cas->blocks.length; i++) {
        const struct cas_block *other = &cas->blocks.items[i];
        if (other == block || block->first < other->last)
            continue;
        if (other->first >= block->last || other->running || other->pinned)
            return false;
    }
    return true;
}

bool cas_may_precede(const struct cas_online *cas, const struct cas_block *block)
{
    const struct running_operation *running = cas->swaps.items.items;
    for (uint32_t i = cas->swaps.first; i != CAS_NONE && running[i].invoked < block->first;
         i = running[i].after) {
        const struct access *access = &cas->operations.items[running[i].detail].access;
        const uint32_t found = cas_stage_of(cas, access->expected);
        if (found != CAS_NONE && !cas->stages.items[found].certain)
            return true;
    }
    return false;
}

/* Where the history may begin anew: a stage; CAS_NONE. */
static uint32_t find_cut(struct cas_online *cas, uint64_t since)
{
    const uint32_t most = cas_last_of(cas, cas_blocks_before(cas, since), CAS_NONE);
    if (most == CAS_NONE || cas->open_since != CAS_NEVER || cas->put_away || cas->lacking.length)
        return CAS_NONE;
    const struct cas_block *block = &cas->blocks.items[most];
    const uint32_t stage = last_closed(cas, block, since);
    return stage != CAS_NONE && block->first < running_since(&cas->writes) &&
                   !cas_may_precede(cas, block) && parts_others(cas, block)
               ? stage
               : CAS_NONE;
}

static void begin_anew(struct cas_online *cas, uint32_t stage)
{
    struct cas_block *block = &cas->blocks.items[cas->stages.items[stage].block];
    for (size_t i = 0; i < cas->blocks.length; i++) {
        struct cas_block *other = &cas->blocks.items[i];
        if (other != block && block->first >= other->last)
            other->kept = false;
    }
    cas->initial = cas->stages.items[stage].value;
    cas->is_initial = cas->goes_on = true;
    block->head = stage;
    block->first_operation = CAS_NONE;
}

/* ---- operations ---- */

/* Of a block that begins with `cut`, the initial value now; CAS_NONE: it is as it was. */
static void keep_block(struct cas_online *cas, const struct cas_block *block, uint32_t cut)
{
    const struct cas_stage *stages = cas->stages.items;
    bool has_last = cut == CAS_NONE;
    for (uint32_t at = block->head; at != CAS_NONE; at = stages[at].next) {
        keep(cas, stages[at].question);
        if (at == cut)
            continue;
        has_last |= block->last_operation != CAS_NONE &&
                    cas->operations.items[block->last_operation].stage == at;
        keep(cas, stages[at].writer);
        keep(cas, stages[at].first_operation);
    }
    keep(cas, block->first_operation);
    if (has_last)
        keep(cas, block->last_operation);
}

/* Marks the values that something depends on that may still happen. */
static void find_needed(struct cas_online *cas)
{
    for (size_t i = cas->put_away; i < cas->operations.length; i++) {
        const struct cas_operation *operation = &cas->operations.items[i];
        const bool swaps = operation->access.kind == ACCESS_SWAP &&
                           !cas->stages.items[operation->stage].certain; /* else that is certain */
        const bool asks = swaps || operation->asks == CAS_ASKS_OPEN;
        const uint32_t stage = asks ? cas_stage_of(cas, operation->access.expected) : CAS_NONE;
        if (stage != CAS_NONE)
            cas->stages.items[stage].needed = true;
    }
}

/* Whether a cas may find its value, among all that is known. */
static bool is_there(const struct cas_online *cas, const struct access *access)
{
    return access->kind == ACCESS_SWAP && cas_stage_of(cas, access->expected) != CAS_NONE;
}

/* Puts a write or cas that never answers, and whose value nobody has read, to the others. */
static bool put_by(struct cas_online *cas, const struct cas_operation *operation)
{
    const bool swaps = operation->access.kind == ACCESS_SWAP;
    struct added added = {.value = operation->access.written,
                          .invoked = operation->invoked,
                          .serial = operation->serial};
    if (swaps) {
        added.value = operation->access.expected;
        added.other = operation->access.written;
    }
    return unseen_add_pair(swaps ? &cas->absent : &cas->unseen, &added);
}

/* Operations that run, or may still have happened. False when refused. */
static bool keep_uncertain(struct cas_online *cas)
{
    for (uint32_t i = (uint32_t)cas->put_away; i < cas->operations.length; i++) {
        struct cas_operation *operation = &cas->operations.items[i];
        const bool writes = cas_writes(&operation->access);
        operation->kept |= operation->handle != CAS_NONE || operation->asks == CAS_ASKS_OPEN;
        if (operation->kept || operation->ended != CAS_NEVER || !writes)
            continue;
        const struct cas_stage *stage = &cas->stages.items[operation->stage];
        if (stage->certain)
            continue;
        operation->kept = stage->needed || is_there(cas, &operation->access);
        if (!operation->kept && !put_by(cas, operation))
            return false;
    }
    return true;
}

/* Copies an operation of a group that begins at `from`, unless it is there. False when refused. */
static bool copy_away(struct cas_online *cas, size_t from, uint32_t number)
{
    if (number == CAS_NONE)
        return true;
    const struct cas_operation *operation = &cas->operations.items[number];
    for (size_t i = from; i < cas->away.length; i++)
        if (cas->away.items[i].serial == operation->serial)
            return true;
    return vector_push(&cas->away, *operation);
}

static bool copy_block(struct cas_online *cas, size_t from, uint32_t number)
{
    const struct cas_block *block = &cas->blocks.items[number];
    bool done =
        copy_away(cas, from, block->first_operation) && copy_away(cas, from, block->last_operation);
    for (uint32_t at = block->head; at != CAS_NONE && done; at = cas->stages.items[at].next)
        done = copy_away(cas, from, cas->stages.items[at].writer) &&
               copy_away(cas, from, cas->stages.items[at].first_operation);
    return done;
}

/* Copies what is put away, each block behind the cas that failed. False when refused. */
static bool copy_lacking(struct cas_online *cas)
{
    cas->away.length = 0;
    for (size_t i = 0; i < cas->lacking.length; i++) {
        const struct cas_lacking *lacking = &cas->lacking.items[i];
        const size_t from = cas->away.length;
        if (!copy_away(cas, from, lacking->question) || !copy_block(cas, from, lacking->block) ||
            !copy_block(cas, from, lacking->behind))
            return false;
        if (cas->blocks.items[lacking->behind].first > cas->parted)
            cas->parted = cas->blocks.items[lacking->behind].first;
        if (cas->blocks.items[lacking->block].first > cas->parted)
            cas->parted = cas->blocks.items[lacking->block].first;
    }
    return vector_reserve(&cas->operations, cas->operations.length + cas->away.length);
}

/* Takes out what is not kept, and puts away what was copied. False when refused. */
static bool forget(struct cas_online *cas)
{
    struct cas_operation *operations = cas->operations.items;
    size_t kept = cas->put_away;
    for (size_t i = cas->put_away; i < cas->operations.length; i++)
        if (operations[i].kept)
            operations[kept++] = operations[i];
    const size_t away = cas->away.length;
    memmove(operations + cas->put_away + away, operations + cas->put_away,
            (kept - cas->put_away) * sizeof *operations);
    if (away)
        memcpy(operations + cas->put_away, cas->away.items, away * sizeof *operations);
    cas->operations.length = kept + away;
    cas->put_away += away;
    cas->away.length = cas->lacking.length = 0;
    if (cas->events.length)
        cas->looked = cas->events.items[cas->events.length - 1].time;
    cas->events.length = 0;
    table_clear(&cas->by_value);
    for (size_t i = cas->put_away - away; i < cas->operations.length; i++) {
        struct cas_operation *operation = &operations[i];
        const bool is_away = i < cas->put_away;
        if (!is_away && operation->handle != CAS_NONE) {
            struct running *running = cas_running(cas, operation->access.kind);
            running->items.items[operation->handle].detail = i;
        }
        if (cas_writes(&operation->access) &&
            !table_add(is_away ? &cas->by_away : &cas->by_value,
                       hash_word(operation->access.written), (uint32_t)i))
            return false;
    }
    return true;
}

/* Whether nothing is open, and what the value is. */
static void find_rest(struct cas_online *cas)
{
    size_t open = 0;
    cas->rests = cas->reads.count + cas->swaps.count + cas->writes.count +
                     unseen_count(&cas->unseen) + unseen_count(&cas->absent) ==
                 0;
    for (size_t i = 0; i < cas->stages.length; i++)
        cas->rests &= cas->stages.items[i].certain;
    for (size_t i = 0; i < cas->blocks.length; i++) {
        if (cas->blocks.items[i].closed)
            continue;
        cas->now = cas->stages.items[cas->blocks.items[i].tail].value;
        open++;
    }
    cas->rests &=
        open == 1 && cas->open_since == CAS_NEVER && !cas->put_away && !cas->lacking.length;
}

bool cas_drop(struct cas_online *cas)
{
    const uint64_t since = running_since(&cas->reads);
    for (size_t i = cas->put_away; i < cas->operations.length; i++)
        cas->operations.items[i].kept = false;
    find_needed(cas);
    const uint32_t cut = find_cut(cas, since);
    if (cut != CAS_NONE)
        begin_anew(cas, cut);
    const bool was_initial = cas->is_initial;
    cas->is_initial = false;
    for (size_t i = 0; i < cas->blocks.length; i++) {
        const struct cas_block *block = &cas->blocks.items[i];
        if (!block->kept)
            continue;
        const bool begins_anew = cut != CAS_NONE && block->head == cut;
        cas->is_initial |= cas->stages.items[block->head].writer == CAS_NONE || begins_anew;
        keep_block(cas, block, begins_anew ? cut : CAS_NONE);
    }
    cas->is_initial &= was_initial;
    return keep_uncertain(cas) && (find_rest(cas), true) && copy_lacking(cas) && forget(cas);
}
