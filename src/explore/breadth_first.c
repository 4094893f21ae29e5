/* Since numbers are handed out in the order found, the nodes of one distance from the initial ones
 * (a level) are those between two counts: how many were known when the level began, and when all of
 * these are taken up. Newest first needs a stack beside the numbers, and has no levels. In turns
 * both have the same nodes: the stack then has some that were taken up oldest first since, which
 * are those before the next one, and the others are marked. */
#include "explore/explore.h"

#include <assert.h>

#include "base/faults.h"
#include "base/log.h"
#include "base/team.h"
#include "explore/checkpoint.h"
#include "explore/rounds.h"
#include "explore/stats.h"

void explorer_init(struct explorer *explorer, enum explore_order order, const struct limits *limits,
                   struct budget *budget)
{
    *explorer = (struct explorer){.order = order,
                                  .limits = limits,
                                  .stall = EXPLORE_STALL,
                                  .threads_from = EXPLORE_THREADS_FROM,
                                  .is_newest = order == EXPLORE_NEWEST_FIRST,
                                  .log = limits ? limits->log : NULL};
    vectors_init(budget, &explorer->newest, &explorer->ahead, &explorer->round);
}

void explorer_release(struct explorer *explorer)
{
    team_destroy(explorer->team);
    vectors_release(&explorer->newest, &explorer->ahead, &explorer->round);
}

enum status explorer_take(struct explorer *explorer)
{
    if (explorer->taken++ % EXPLORE_LOOK_EVERY != 0 || !explorer->limits)
        return STATUS_OK;
    const enum limit limit = limits_reached(explorer->limits);
    if (explorer->work)
        atomic_store(explorer->work, explorer->taken);
    return granted(limit == LIMIT_NONE);
}

void explorer_tell(struct explorer *explorer, uint32_t found, uint32_t waiting)
{
    if (LIKELY(!explorer->log) || !explorer->task ||
        !log_due(explorer->log, found, &explorer->said))
        return;
    if (explorer->order != EXPLORE_ALONG_EDGES && !explorer->is_newest)
        LOG(explorer->log, "%s: depth %s, %s %s, frontier %s", explorer->task,
            count_text(explorer->depth).digits, count_text(found).digits, explorer->nodes,
            count_text(waiting).digits);
    else
        LOG(explorer->log, "%s: %s %s, %s %s", explorer->task, count_text(found).digits,
            explorer->nodes, count_text(waiting).digits,
            explorer->is_newest ? "of them not taken up" : "of them on the path");
}

void explorer_tell_end(const struct explorer *explorer, enum status status)
{
    if (explorer->task)
        LOG(explorer->log, "%s: %s after %s %s were taken up", explorer->task,
            status == STATUS_LIMIT ? "ended by a limit" : "done",
            count_text(explorer->taken).digits, explorer->nodes);
}

/* How far a search has come. */
struct progress {
    uint32_t next;    /* oldest first: the node that is due, unless it was taken up ahead */
    uint32_t end;     /* nodes known when the level began; later, when the turn did */
    uint32_t stacked; /* of those known they are in `newest`, or were */
    uint64_t until;   /* nodes taken up when the turn ends */
    bool stop;
    bool inside; /* oldest first: in a level, or a turn, that was begun before */
};

/* ---- what is saved now and then ---- */

enum {
    PLACE_NEXT,
    PLACE_END,
    PLACE_STACKED,
    PLACE_UNTIL,
    PLACE_NUMBERS
};

static enum status save(struct explorer *explorer, const struct visitor *visitor, void *self,
                        const struct progress *progress)
{
    uint64_t numbers[PLACE_NUMBERS] = {[PLACE_NEXT] = progress->next,
                                       [PLACE_END] = progress->end,
                                       [PLACE_STACKED] = progress->stacked,
                                       [PLACE_UNTIL] = progress->until};
    const struct loop_place place = {numbers, PLACE_NUMBERS};
    return checkpoint_save(explorer->checkpoint, explorer, visitor->resumption, self, &place);
}

/* Between two visits. */
static enum status save_if_due(struct explorer *explorer, const struct visitor *visitor, void *self,
                               const struct progress *progress)
{
    if (LIKELY(!explorer->checkpoint) || !checkpoint_is_due(explorer->checkpoint, explorer))
        return STATUS_OK;
    return save(explorer, visitor, self, progress);
}

static enum status resume(struct explorer *explorer, const struct visitor *visitor, void *self,
                          struct progress *progress)
{
    uint64_t numbers[PLACE_NUMBERS] = {0};
    uint32_t found;
    bool resumed = false;
    const struct loop_place place = {numbers, PLACE_NUMBERS};
    if (!explorer->checkpoint)
        return STATUS_OK;
    TRY(finder_settle(visitor->resumption->finder, &found));
    TRY(checkpoint_begin(explorer->checkpoint, explorer, visitor->resumption, self, &place,
                         &resumed));
    if (!resumed)
        return STATUS_OK;
    progress->inside = true;
    progress->next = (uint32_t)numbers[PLACE_NEXT];
    progress->end = (uint32_t)numbers[PLACE_END];
    progress->stacked = (uint32_t)numbers[PLACE_STACKED];
    progress->until = numbers[PLACE_UNTIL];
    return STATUS_OK;
}

/* A limit is looked at before a visit changes anything, as a rule. Then the search can be saved as
 * it was before the visit. */
static enum status save_before(struct explorer *explorer, const struct visitor *visitor, void *self,
                               const struct progress *progress)
{
    struct progress before = *progress;
    const enum limit limit = limits_which(explorer->limits);
    if (explorer->checkpoint->failed ||
        explorer->checkpoint->later > explorer->checkpoint->searches ||
        (limit != LIMIT_TIME && limit != LIMIT_INTERRUPT))
        return STATUS_LIMIT;
    before.next--;
    explorer->taken--;
    TRY(save(explorer, visitor, self, &before));
    return STATUS_LIMIT;
}

static enum status take_up_saved(struct explorer *explorer, const struct visitor *visitor,
                                 void *self, uint32_t node, struct progress *progress)
{
    const struct resumption *resumption = visitor->resumption;
    const uint32_t states = graph_count(resumption->graph);
    bool unmoved = true;
    checkpoint_before(explorer->checkpoint, resumption, self);
    enum status status = explorer_take(explorer);
    if (status == STATUS_OK) {
        status = visitor->visit(self, node, &progress->stop);
        enum status noted =
            checkpoint_behind(explorer->checkpoint, resumption, self, node, states, &unmoved);
        status = status == STATUS_OK ? noted : status;
    }
    if (status == STATUS_LIMIT && unmoved && !explorer->is_newest)
        return save_before(explorer, visitor, self, progress);
    return status;
}

static enum status take_up(struct explorer *explorer, const struct visitor *visitor, void *self,
                           uint32_t node, struct progress *progress)
{
    if (UNLIKELY(explorer->checkpoint))
        return take_up_saved(explorer, visitor, self, node, progress);
    TRY(explorer_take(explorer));
    return visitor->visit(self, node, &progress->stop);
}

/* ---- the loops ---- */

static bool was_taken_ahead(const struct explorer *explorer, uint32_t node)
{
    return node / 32 < explorer->ahead.length &&
           (explorer->ahead.items[node / 32] >> node % 32 & 1);
}

static enum status tell_level(struct explorer *explorer, uint32_t nodes)
{
    if (!explorer->stats || explorer->has_turned)
        return STATUS_OK;
    return granted(vector_push(&explorer->stats->levels, nodes));
}

/* Takes up explorer->round, in order, unless a visit stops it. */
static enum status take_round(struct explorer *explorer, const struct visitor *visitor, void *self,
                              struct progress *progress)
{
    bool taken = false;
    TRY(rounds_take(explorer, self, &taken));
    for (size_t i = 0; i < explorer->round.length && !taken && !progress->stop; i++)
        TRY(take_up(explorer, visitor, self, explorer->round.items[i], progress));
    return STATUS_OK;
}

/* Takes up the next nodes, as many as the visitor takes at once. */
static enum status take_some(struct explorer *explorer, const struct visitor *visitor, void *self,
                             struct progress *progress)
{
    const uint64_t due = progress->end - progress->next, turn = progress->until - explorer->taken,
                   look = EXPLORE_LOOK_EVERY - explorer->taken % EXPLORE_LOOK_EVERY;
    uint64_t most = due < turn ? due : turn;
    uint32_t taken = 0;
    most = most < look ? most : look;
    TRY(explorer_take(explorer));
    enum status status =
        visitor->visit_some(self, progress->next, (uint32_t)most, &taken, &progress->stop);
    assert(status != STATUS_OK || (taken > 0 && taken <= most));
    progress->next += taken;
    explorer->taken += status == STATUS_OK ? taken - 1 : taken; /* one is counted */
    return status;
}

/* Takes up the next node that is due, or several: none where the turn is over. */
static enum status take_oldest(struct explorer *explorer, const struct visitor *visitor, void *self,
                               struct progress *progress)
{
    const uint32_t most = rounds_most(explorer, progress->end - progress->next);
    if (most == 1 && visitor->visit_some && !explorer->has_turned && !explorer->checkpoint)
        return take_some(explorer, visitor, self, progress);
    if (most == 1) {
        const uint32_t node = progress->next++;
        if (was_taken_ahead(explorer, node))
            return STATUS_OK;
        return take_up(explorer, visitor, self, node, progress);
    }
    explorer->round.length = 0;
    TRY_MEMORY(vector_reserve(&explorer->round, most));
    while (progress->next < progress->end && explorer->round.length < most &&
           explorer->taken + explorer->round.length < progress->until) {
        const uint32_t node = progress->next++;
        if (!was_taken_ahead(explorer, node))
            explorer->round.items[explorer->round.length++] = node;
    }
    return take_round(explorer, visitor, self, progress);
}

/* Has the nodes of a level gathered, and settled, ROUND_MOST at a time. */
static enum status settle_level(struct explorer *explorer, const struct visitor *visitor,
                                void *self, const struct progress *progress)
{
    if (visitor->gather && !explorer->has_turned)
        TRY(visitor->gather(self, progress->next));
    if (!explorer->together || !explorer->together->settle)
        return STATUS_OK;
    for (uint32_t next = progress->next; next < progress->end;) {
        const uint32_t left = progress->end - next, most = left < ROUND_MOST ? left : ROUND_MOST;
        explorer->round.length = 0;
        TRY_MEMORY(vector_reserve(&explorer->round, most));
        for (uint32_t i = 0; i < most; i++, next++)
            if (!was_taken_ahead(explorer, next))
                explorer->round.items[explorer->round.length++] = next;
        explorer->together->settle(self, explorer->round.items, (uint32_t)explorer->round.length);
    }
    return STATUS_OK;
}

static enum status explore_oldest(struct explorer *explorer, const struct visitor *visitor,
                                  void *self, struct progress *progress)
{
    if (!progress->inside) {
        TRY(visitor->found(self, &progress->end));
        TRY(tell_level(explorer, progress->end - progress->next));
        TRY(settle_level(explorer, visitor, self, progress));
    }
    progress->inside = false;
    explorer_tell(explorer, progress->end, progress->end - progress->next);
    while (progress->next < progress->end) {
        TRY(save_if_due(explorer, visitor, self, progress));
        if (explorer->taken >= progress->until)
            return STATUS_OK;
        TRY(take_oldest(explorer, visitor, self, progress));
        if (!progress->stop && progress->next < progress->end)
            continue;
        uint32_t begin = progress->end;
        TRY(visitor->found(self, &progress->end));
        assert(progress->end >= begin); /* what is found stays found */
        if (progress->stop)
            return STATUS_OK;
        TRY(settle_level(explorer, visitor, self, progress));
        explorer->depth += progress->end > begin && !explorer->has_turned;
        if (progress->end > begin) {
            TRY(tell_level(explorer, progress->end - begin));
            explorer_tell(explorer, progress->end, progress->end - begin);
        }
    }
    return STATUS_OK;
}

/* The nodes found since, that were not taken up, go onto the stack. */
static enum status stack_nodes(struct explorer *explorer, struct progress *progress, uint32_t known)
{
    for (uint32_t node = progress->stacked; node < known; node++)
        if (node >= progress->next && !was_taken_ahead(explorer, node) &&
            !vector_push(&explorer->newest, node))
            return STATUS_LIMIT;
    progress->stacked = known;
    return STATUS_OK;
}

static enum status take_ahead(struct explorer *explorer, uint32_t node)
{
    while (explorer->ahead.length <= node / 32)
        if (!vector_push(&explorer->ahead, 0))
            return STATUS_LIMIT;
    explorer->ahead.items[node / 32] |= UINT32_C(1) << node % 32;
    return STATUS_OK;
}

/* In turns some nodes are taken up before those that they find: they make a round, and what finds
 * them has the memory fetched meanwhile that it needs (struct finder). */
#define TAKEN_TOGETHER SIZE_OR_SMALL(1024, 4)

/* Takes nodes from the stack. */
static enum status take_newest(struct explorer *explorer, const struct visitor *visitor, void *self,
                               struct progress *progress)
{
    const bool in_turns = explorer->order == EXPLORE_IN_TURNS;
    const unsigned most = in_turns ? TAKEN_TOGETHER : 1;
    explorer->round.length = 0;
    TRY_MEMORY(vector_reserve(&explorer->round, most));
    while (explorer->newest.length > 0 && explorer->round.length < most &&
           explorer->taken + explorer->round.length < progress->until) {
        const uint32_t node = explorer->newest.items[--explorer->newest.length];
        if (in_turns) {
            if (node < progress->next || was_taken_ahead(explorer, node))
                continue;
            TRY(take_ahead(explorer, node));
        }
        explorer->round.items[explorer->round.length++] = node;
    }
    if (explorer->together && explorer->together->settle)
        explorer->together->settle(self, explorer->round.items, (uint32_t)explorer->round.length);
    return take_round(explorer, visitor, self, progress);
}

static enum status explore_newest(struct explorer *explorer, const struct visitor *visitor,
                                  void *self, struct progress *progress)
{
    progress->inside = false;
    while (true) {
        uint32_t known = 0;
        TRY(visitor->found(self, &known));
        assert(known >= progress->stacked);
        TRY(stack_nodes(explorer, progress, known));
        assert(explorer->order == EXPLORE_IN_TURNS ||
               explorer->taken + explorer->newest.length == known); /* each node once */
        if (progress->stop || explorer->newest.length == 0 || explorer->taken >= progress->until)
            return STATUS_OK;
        explorer_tell(explorer, known, (uint32_t)explorer->newest.length);
        TRY(save_if_due(explorer, visitor, self, progress));
        TRY(take_newest(explorer, visitor, self, progress));
    }
}

/* Each turn takes up as many nodes as went before the first. */
static enum status explore_in_turns(struct explorer *explorer, const struct visitor *visitor,
                                    void *self, struct progress *progress)
{
    do {
        if (!progress->inside) /* else it goes on with a turn */
            progress->until = explorer->taken + explorer->stall;
        TRY(explorer->is_newest ? explore_newest(explorer, visitor, self, progress)
                                : explore_oldest(explorer, visitor, self, progress));
        if (progress->stop || explorer->taken < progress->until)
            return STATUS_OK; /* found, or all taken up */
        explorer->is_newest = !explorer->is_newest;
        explorer->has_turned = true;
        LOG(explorer->log, "%s: goes on %s after %s %s", explorer->task ? explorer->task : "search",
            explorer->is_newest ? "depth first" : "breadth first",
            count_text(explorer->taken).digits, explorer->nodes ? explorer->nodes : "nodes");
    } while (true);
}

enum status explore(struct explorer *explorer, const struct visitor *visitor, void *self)
{
    struct progress progress = {.until = UINT64_MAX};
    assert(explorer->order != EXPLORE_ALONG_EDGES);
    enum status status = resume(explorer, visitor, self, &progress);
    if (status == STATUS_OK)
        status = explorer->order == EXPLORE_NEWEST_FIRST
                     ? explore_newest(explorer, visitor, self, &progress)
                 : explorer->order == EXPLORE_IN_TURNS
                     ? explore_in_turns(explorer, visitor, self, &progress)
                     : explore_oldest(explorer, visitor, self, &progress);
    assert(status != STATUS_OK || progress.stop || explorer->order != EXPLORE_OLDEST_FIRST ||
           explorer->taken == progress.end);
    explorer_tell_end(explorer, status);
    return status;
}

enum status explore_oldest_first(const struct limits *limits, const char *task, const char *nodes,
                                 const struct visitor *visitor, void *self)
{
    struct explorer explorer = {.order = EXPLORE_OLDEST_FIRST,
                                .limits = limits,
                                .log = limits ? limits->log : NULL,
                                .task = task,
                                .nodes = nodes};
    return explore(&explorer, visitor, self);
}
