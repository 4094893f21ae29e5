/* A node is a pair of a state of the implementation and a normalised state of the specification. A
 * normalised state says all that matters of a trace, so each pair is taken up once; with antichains
 * only pairs that no smaller one makes superfluous are.
 *
 * Breadth first that is settled at the end of each level: of the pairs found in it those are taken
 * up which are minimal among all that were found so far. What is found later is as far away or
 * farther, so it makes none of them superfluous: the first violation is a shortest one, and which
 * pairs are taken up is a matter of the levels, not of the order within one.
 *
 * Where all pairs are taken up, those of a level that have one state stand beside one another: its
 * edges, and the rows of pairs that these lead to, are near while they are visited. States are in
 * the order in which the level has met them, so this is no matter of threads either.
 *
 * Several threads share a search as property/search_threads.h says. They look for steps of the
 * specification among those known; new ones are worked out by each thread, or by one at a time.
 */
#include "property/refinement.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>

#include "base/faults.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/team.h"
#include "explore/checkpoint.h"
#include "explore/rounds.h"
#include "explore/stats.h"
#include "model/labels.h"
#include "property/pair_parts.h"
#include "property/search_threads.h"

struct walk {
    struct graph *implementation;
    struct normal *specification;
    const struct refinement_options *options;
    struct refinement *result;
    struct pair_parts pairs;
    struct nodes nodes;
    struct finder finder;
    const struct explorer *explorer;
    uint64_t asked; /* steps of the specification */
    uint32_t level; /* where the one begins that is taken up: those before have been */
    struct error *error;
    struct search_threads threads;
    struct normal **specifications; /* those of threads, if they have their own; owned */
    pthread_mutex_t stepping;       /* of the specification, by a thread that has none */
};

void refinement_init(struct refinement *result, struct budget *budget)
{
    *result = (struct refinement){.answer = UNDECIDED};
    execution_init(&result->execution, budget);
}

void refinement_release(struct refinement *result)
{
    execution_release(&result->execution);
}

static enum status leads(void *self, const struct search_node *from, label by,
                         const struct search_node *to, bool *leads)
{
    struct walk *walk = self;
    normal_id next = from->with;
    if (by != LABEL_TAU)
        TRY(walk->specification->class->step(walk->specification, from->with, by, &next,
                                             walk->error));
    *leads = next == to->with;
    return STATUS_OK;
}

/* The run to a pair, and one step more unless it is null. */
static enum status write_execution(struct walk *walk, uint32_t at, const struct edge *last)
{
    const struct node_edges edges = {walk->implementation, leads, walk};
    struct execution *execution = &walk->result->execution;
    const struct edge step = last ? *last : (struct edge){0}; /* edges may be forgotten */
    TRY(execution_to_node(execution, &walk->nodes, at, &edges, walk->error));
    assert(execution->states.items[execution->labels.length] == nodes_get(&walk->nodes, at).state);
    return granted(!last || execution_push(execution, step.label, step.target));
}

/* The failures of a pair; *go_on: its steps are to be followed. */
static enum status look_at_failures(struct walk *walk, uint32_t at, bool *go_on)
{
    enum failure failure = FAILURE_NONE;
    const struct search_node here = nodes_get(&walk->nodes, at);
    TRY(failures_look(walk->options->failures, here.state, here.with, &failure, walk->error));
    *go_on = failure == FAILURE_NONE;
    if (failure == FAILURE_NONE || failure == FAILURE_CHAOS)
        return STATUS_OK;
    walk->result->answer = VIOLATED;
    walk->result->failure = failure;
    walk->result->before = here.with;
    TRY(write_execution(walk, at, NULL));
    if (failure != FAILURE_DIVERGENCE)
        return STATUS_OK;
    return divergence_tell(&walk->options->failures->implementation_divergence,
                           &walk->result->execution, walk->error);
}

void refinement_tell_log(const struct log *log, const struct graph *implementation, state_id state,
                         normal_id normal, label event)
{
    struct text name = TEXT_EMPTY;
    if (!log_wants(log, LOG_MOMENTS))
        return;
    labels_print(implementation->model->labels, event, &name);
    LOG(log, "refinement: pair (%" PRIu32 ", %" PRIu32 ") cannot follow %s", state, normal,
        text_string(&name));
    text_release(&name);
}

/* Why a pair ends the search: a step that the specification cannot follow, or one that is an error,
 * or null where the state's steps are one. */
struct ending {
    enum status status;
    bool is_ended;
    struct edge last;
    bool has_last;
};

/* Where the specification goes with a step. Inline, as those below: where there is no thread nobody
 * asks for one at each step. */
static inline enum status step(struct walk *walk, struct search_thread *thread, normal_id from,
                               label l, normal_id *next)
{
    struct normal *specification = walk->specification;
    *next = from;
    if (l == LABEL_TAU)
        return STATUS_OK;
    if (!thread)
        return specification->class->step(specification, from, l, next, walk->error);
    if (walk->specifications)
        return specification->class->step(walk->specifications[thread->number], from, l, next,
                                          &thread->error);
    if (specification->class->known_step &&
        specification->class->known_step(specification, from, l, next))
        return STATUS_OK;
    lock_briefly(&walk->stepping);
    enum status status = specification->class->step(specification, from, l, next, &thread->error);
    pthread_mutex_unlock(&walk->stepping);
    return status;
}

/* `fetched`: the pair need not wait for its row, and pairs are in one part. */
static inline enum status find(struct walk *walk, struct search_thread *thread, bool fetched,
                               state_id state, normal_id normal, uint32_t parent)
{
    bool fresh;
    if (thread)
        return search_thread_find(thread, state, normal, parent);
    if (!fetched)
        return finder_find(&walk->finder, state, normal, parent);
    TRY_MEMORY(pairs_add(walk->pairs.pairs, state, normal, &fresh));
    return fresh ? nodes_push(&walk->nodes, (struct search_node){state, normal, parent})
                 : STATUS_OK;
}

/* Follows each of these steps of the implementation from a pair. */
static inline enum status follow(struct walk *walk, struct search_thread *thread, bool fetched,
                                 uint32_t at, normal_id from, const struct edge *edges,
                                 uint32_t count, struct ending *ending)
{
    for (uint32_t i = 0; i < count; i++) {
        normal_id next;
        *(thread ? &thread->asked : &walk->asked) += edges[i].label != LABEL_TAU;
        const enum status status = step(walk, thread, from, edges[i].label, &next);
        if (UNLIKELY(status == STATUS_INPUT || (status == STATUS_OK && next == NORMAL_NONE))) {
            *ending = (struct ending){status, true, edges[i], true};
            return STATUS_OK;
        }
        TRY(status);
        assert(next == from || edges[i].label != LABEL_TAU); /* τ is no part of a trace */
        if (next != NORMAL_EVERYTHING)
            TRY(find(walk, thread, fetched, edges[i].target, next, at));
        else if (thread) /* the state is stored all the same */
            TRY(search_thread_find(thread, edges[i].target, NORMAL_NONE, at));
    }
    return STATUS_OK;
}

/* Writes down why a pair ends the search. An event out of place is shown as the last step. */
static enum status end(struct walk *walk, uint32_t at, const struct ending *ending)
{
    const struct search_node here = nodes_get(&walk->nodes, at);
    if (ending->status == STATUS_OK) {
        walk->result->answer = VIOLATED;
        walk->result->before = here.with;
        refinement_tell_log(walk->options->limits->log, walk->implementation, here.state, here.with,
                            ending->last.label);
    }
    TRY(write_execution(walk, at, ending->has_last ? &ending->last : NULL));
    return ending->status;
}

/* Whether it need not be taken up: a smaller one of its level or before has replaced it. */
static bool is_replaced(const struct search_node *pair)
{
    return pair->with == NORMAL_NONE;
}

static bool is_kept(const struct walk *walk, const struct search_node *pair)
{
    return !is_replaced(pair) && pair_parts_has(&walk->pairs, pair->state, pair->with);
}

#define SETTLED_TOGETHER SIZE_OR_SMALL(2048, 4)

struct settling {
    const struct walk *walk;
    const uint32_t *nodes;
    uint32_t count;
    bool goes[ROUND_MOST]; /* nodes beside one another are in one word, so one thread marks them */
};

static void settle_some(void *context, size_t i, unsigned thread)
{
    struct settling *settling = context;
    const uint32_t first = (uint32_t)i * SETTLED_TOGETHER, left = settling->count - first;
    (void)thread;
    for (uint32_t j = first; j < first + (left < SETTLED_TOGETHER ? left : SETTLED_TOGETHER); j++) {
        const struct search_node pair = nodes_get(&settling->walk->nodes, settling->nodes[j]);
        settling->goes[j] = !is_kept(settling->walk, &pair);
    }
}

/* Marks the pairs that are not minimal. */
static void settle(void *self, const uint32_t *nodes, uint32_t count)
{
    struct walk *walk = self;
    struct settling settling;
    assert(walk->options->antichain && count <= ROUND_MOST);
    settling.walk = walk;
    settling.nodes = nodes;
    settling.count = count;
    team_for(walk->threads.team, (count + SETTLED_TOGETHER - 1) / SETTLED_TOGETHER, settle_some,
             &settling);
    for (uint32_t i = 0; i < count; i++)
        if (settling.goes[i])
            node_list_unpair(&walk->nodes.items, nodes[i]);
}

static enum status visit(void *self, uint32_t node, bool *stop)
{
    struct walk *walk = self;
    struct ending ending = {0};
    const struct edge *edges;
    uint32_t count;
    bool go_on = true;
    const struct search_node here = nodes_get(&walk->nodes, node);
    if (is_replaced(&here))
        return STATUS_OK;
    const enum status status =
        graph_edges(walk->implementation, here.state, &edges, &count, walk->error);
    if (status == STATUS_INPUT)
        return end(walk, node, &(struct ending){.status = status});
    TRY(status);
    if (walk->options->failures)
        TRY(look_at_failures(walk, node, &go_on));
    walk->result->transitions += go_on ? count : 0;
    if (go_on)
        TRY(follow(walk, NULL, false, node, here.with, edges, count, &ending));
    if (ending.is_ended)
        TRY(end(walk, node, &ending));
    *stop = walk->result->answer == VIOLATED;
    return STATUS_OK;
}

static enum status found(void *self, uint32_t *count)
{
    struct walk *walk = self;
    if (walk->explorer->has_turned)
        node_list_go_on(&walk->nodes.items);
    TRY(finder_settle(&walk->finder, count));
    if (walk->options->antichain && !walk->options->checkpoint && !walk->explorer->has_turned &&
        !walk->explorer->is_newest)
        node_list_close(&walk->nodes.items, walk->level);
    walk->level = *count;
    return STATUS_OK;
}

/* ---- a full product, by one thread ---- */

static enum status gather(void *self, uint32_t first)
{
    return granted(node_list_gather(&((struct walk *)self)->nodes.items, first));
}

/* Pairs that are visited by one call. */
#define VISITED_TOGETHER SIZE_OR_SMALL(256, 4)
#define FETCHED_AHEAD    12 /* pairs */

/* A pair whose rows are fetched before they are looked at. */
struct ahead {
    state_id state;
    const struct edge *edges;
    uint32_t degree;
};

/* Only where the state has been expanded, and along τ: where the specification goes with an event
 * would have to be looked up. */
static inline void fetch_ahead(const struct walk *walk, const struct search_node *pair,
                               struct ahead *ahead)
{
    const struct pairs *pairs = walk->pairs.pairs;
    if (pair->state != ahead->state) {
        const struct edge_row *row = graph_row(walk->implementation, pair->state);
        ahead->state = pair->state;
        ahead->degree = row->first ? row->count : 0;
        ahead->edges = row->first ? graph_edges_at(walk->implementation->parts, row->first) : NULL;
    }
    for (uint32_t i = 0; i < ahead->degree && ahead->edges[i].label == LABEL_TAU; i++)
        pairs_prefetch(pairs, ahead->edges[i].target, pair->with);
}

static enum status visit_some(void *self, uint32_t first, uint32_t count, uint32_t *taken,
                              bool *stop)
{
    struct walk *walk = self;
    struct search_node pairs[VISITED_TOGETHER];
    const struct edge *edges = NULL;
    uint32_t degree = 0;
    state_id state = STATE_REFUSED;
    struct ahead ahead = {.state = STATE_REFUSED};
    struct ending ending = {0};
    if (walk->nodes.class != &nodes_are_pairs) { /* they are in parts */
        *taken = 1;
        return visit(self, first, stop);
    }
    count = count < VISITED_TOGETHER ? count : VISITED_TOGETHER;
    node_list_read(&walk->nodes.items, first, count, pairs);
    for (uint32_t i = 0; i < FETCHED_AHEAD && i < count; i++)
        fetch_ahead(walk, &pairs[i], &ahead);
    for (*taken = 0; *taken < count && !*stop; ++*taken) {
        const uint32_t at = first + *taken;
        if (*taken + FETCHED_AHEAD < count)
            fetch_ahead(walk, &pairs[*taken + FETCHED_AHEAD], &ahead);
        if (pairs[*taken].state != state) {
            state = pairs[*taken].state;
            const enum status status =
                graph_edges(walk->implementation, state, &edges, &degree, walk->error);
            if (status == STATUS_INPUT)
                return end(walk, at, &(struct ending){.status = status});
            TRY(status);
        }
        walk->result->transitions += degree;
        TRY(follow(walk, NULL, true, at, pairs[*taken].with, edges, degree, &ending));
        if (UNLIKELY(ending.is_ended)) {
            *stop = true;
            TRY(end(walk, at, &ending));
        }
    }
    return STATUS_OK;
}

/* ---- several threads ---- */

/* The pairs are in parts, and those that were covered or replaced are counted still. */
static enum status divide(void *self, uint32_t bits)
{
    struct walk *walk = self;
    TRY_MEMORY(pair_parts_divide(&walk->pairs, walk->specification, bits));
    walk->nodes.class = &nodes_are_in_parts;
    walk->nodes.set = &walk->pairs;
    walk->finder.waits = false;
    return STATUS_OK;
}

/* Gives each thread a specification of its own, if that can be shared. */
static enum status share_specification(struct walk *walk)
{
    const struct normal_class *class = walk->specification->class;
    const unsigned count = walk->threads.count;
    if (!class->share)
        return STATUS_OK;
    walk->specifications =
        memory_zeroed(walk->options->limits->budget, count * sizeof *walk->specifications);
    TRY_MEMORY(walk->specifications);
    for (unsigned i = 0; i < count; i++) {
        walk->specifications[i] = class->share(walk->specification);
        TRY_MEMORY(walk->specifications[i]);
    }
    pair_parts_ask(&walk->pairs, walk->specifications, count);
    return STATUS_OK;
}

static enum status begin(void *self, struct team *team, unsigned threads)
{
    struct walk *walk = self;
    size_t bytes;
    uint64_t covered, replaced;
    uint32_t count;
    TRY(finder_settle(&walk->finder, &count));
    pair_parts_tell(&walk->pairs, &bytes, &covered, &replaced);
    TRY(search_threads_begin(&walk->threads, team, threads));
    pair_parts_recount(&walk->pairs, covered, replaced);
    return share_specification(walk);
}

static enum status threads_release(struct walk *walk)
{
    const struct normal_class *class = walk->specification->class;
    enum status status = STATUS_OK;
    for (unsigned i = 0; i < walk->threads.count && walk->specifications; i++)
        if (walk->specifications[i] &&
            class->unshare(walk->specification, walk->specifications[i]) != STATUS_OK)
            status = STATUS_LIMIT;
    memory_release(walk->options->limits->budget, walk->specifications,
                   walk->threads.count * sizeof *walk->specifications);
    search_threads_release(&walk->threads);
    pthread_mutex_destroy(&walk->stepping);
    return status;
}

static enum status take_one(void *self, struct search_thread *thread, uint32_t node, bool *alone)
{
    struct walk *walk = self;
    struct ending ending = {0};
    const struct search_node here = nodes_get(&walk->nodes, node);
    if (is_replaced(&here))
        return STATUS_OK;
    const enum status status = search_thread_edges(thread, here.state);
    *alone = status == STATUS_INPUT;
    if (status != STATUS_OK)
        return *alone ? STATUS_OK : status;
    thread->transitions += thread->degree;
    TRY(follow(walk, thread, false, node, here.with, thread->edges, thread->degree, &ending));
    *alone = ending.is_ended;
    return STATUS_OK;
}

static enum status take(void *self, unsigned thread, uint32_t batch, const uint32_t *nodes,
                        uint32_t count, bool *alone)
{
    struct walk *walk = self;
    return search_threads_take(&walk->threads, thread, batch, nodes, count, alone);
}

/* What is looked at of the normalised states that were found. */
static enum status expect_pairs(struct walk *walk)
{
    uint32_t last;
    return granted(!search_threads_greatest(&walk->threads, &last) ||
                   pair_parts_expect(&walk->pairs, last));
}

static enum status end_round(void *self, uint32_t batches, bool drop)
{
    struct walk *walk = self;
    enum status status = STATUS_OK;
    if (!drop && !walk->specifications)
        status = expect_pairs(walk);
    if (!drop && status == STATUS_OK)
        status =
            search_threads_add(&walk->threads, batches, &walk->result->transitions, &walk->asked);
    search_threads_forget(&walk->threads);
    return status;
}

static const struct together together = {
    .settle = settle, .begin = begin, .take = take, .end = end_round};
static const struct together together_without = {.begin = begin, .take = take, .end = end_round};
static const struct search_threads_class threads_class = {.divide = divide, .take = take_one};

/* Failures look at states one after the other. */
static bool may_share(const struct walk *walk)
{
    return !walk->options->failures && !walk->options->checkpoint &&
           search_threads_may_share(walk->implementation);
}

/* ---- the whole ---- */

/* Which pairs are taken up before smaller ones replace them depends on the order, once it is not
 * that of levels: their steps are not counted then. */
static enum status count_kept(struct walk *walk)
{
    struct search_node pairs[NODES_A_CHUNK];
    for (uint32_t first = 0; first < walk->nodes.items.length; first += NODES_A_CHUNK) {
        const uint32_t some = node_list_chunk(&walk->nodes.items, first);
        node_list_read(&walk->nodes.items, first, some, pairs);
        for (uint32_t i = 0; i < some; i++) {
            const struct edge *edges;
            uint32_t count;
            if (is_replaced(&pairs[i]) || is_kept(walk, &pairs[i]))
                continue;
            TRY(graph_edges(walk->implementation, pairs[i].state, &edges, &count, walk->error));
            walk->result->transitions -= count;
        }
    }
    return STATUS_OK;
}

/* ---- checkpoints ---- */

static void count_all(void *self, struct search_counts *counts)
{
    const struct walk *walk = self;
    const struct model *model = walk->implementation->model;
    counts->known =
        model->class->known(model) + walk->specification->class->known(walk->specification);
    counts->moved = graph_count(walk->implementation) + walk->nodes.items.length +
                    walk->finder.count + walk->result->transitions;
}

static enum status repeat(void *self, uint32_t node)
{
    struct walk *walk = self;
    const struct search_node here = nodes_get(&walk->nodes, node);
    const struct normal_class *class = walk->specification->class;
    const struct edge *edges;
    uint32_t count;
    TRY(graph_edges(walk->implementation, here.state, &edges, &count, walk->error));
    bool go_on = true;
    if (here.with == NORMAL_NONE)
        return STATUS_OK; /* it was not visited */
    if (walk->options->failures)
        TRY(look_at_failures(walk, node, &go_on));
    for (uint32_t i = 0; i < count && go_on; i++) {
        normal_id next;
        if (edges[i].label != LABEL_TAU)
            TRY(class->step(walk->specification, here.with, edges[i].label, &next, walk->error));
    }
    return STATUS_OK;
}

static bool stays(void *self, uint32_t node)
{
    const struct walk *walk = self;
    const struct search_node pair = nodes_get(&walk->nodes, node);
    return !walk->options->antichain || is_kept(walk, &pair);
}

static void save(void *self, struct sections_out *out)
{
    sections_put(out, ((const struct walk *)self)->result->transitions);
}

static enum status restore(void *self, struct sections_in *in, struct error *error)
{
    return sections_take(in, &((struct walk *)self)->result->transitions, error);
}

/* ---- the walk ---- */

static enum status walk_all(struct walk *walk, struct explorer *explorer)
{
    const struct resumption resumption = {.graph = walk->implementation,
                                          .nodes = &walk->nodes,
                                          .finder = &walk->finder,
                                          .count = count_all,
                                          .repeat = repeat,
                                          .is_kept = stays,
                                          .save = save,
                                          .restore = restore};
    const bool full = !walk->options->antichain && !walk->options->failures;
    const struct visitor visitor = {.visit = visit,
                                    .found = found,
                                    .resumption = &resumption,
                                    .visit_some = full ? visit_some : NULL,
                                    .gather = full ? gather : NULL};
    normal_id initial = 0;
    TRY(walk->specification->class->initial(walk->specification, &initial, walk->error));
    for (size_t i = 0; i < walk->implementation->initial.length; i++)
        TRY(finder_find(&walk->finder, walk->implementation->initial.items[i], initial, NODE_NONE));
    TRY(explore(explorer, &visitor, walk));
    if (walk->result->answer == VIOLATED)
        return STATUS_OK;
    if (walk->options->antichain && explorer->has_turned)
        TRY(count_kept(walk));
    walk->result->answer = HOLDS;
    return STATUS_OK;
}

static void tell_stats(const struct walk *walk, struct search_stats *stats)
{
    search_stats_take_graph(stats, walk->implementation);
    stats->found = walk->nodes.items.length;
    stats->nodes = node_list_bytes(&walk->nodes.items);
    pair_parts_tell(&walk->pairs, &stats->pairs, &stats->covered, &stats->replaced);
    stats->asked = walk->asked;
    stats->has_specification = true;
    walk->specification->class->sizes(walk->specification, &stats->normal);
}

enum status refine(struct graph *implementation, struct normal *specification,
                   const struct refinement_options *options, struct refinement *result,
                   struct error *error)
{
    struct budget *budget = options->limits->budget;
    struct walk walk = {.implementation = implementation,
                        .specification = specification,
                        .options = options,
                        .result = result,
                        .error = error};
    struct explorer explorer;
    pthread_mutex_init(&walk.stepping, NULL);
    search_threads_init(&walk.threads, &threads_class, &walk, implementation, &walk.nodes, budget);
    const bool room = pair_parts_init(&walk.pairs, specification, options->antichain, budget);
    if (options->antichain || !room)
        nodes_init(&walk.nodes, &nodes_are_in_parts, &walk.pairs, budget);
    else
        nodes_init(&walk.nodes, &nodes_are_pairs, walk.pairs.pairs, budget);
    finder_init(&walk.finder, &walk.nodes, options->order != EXPLORE_NEWEST_FIRST);
    explorer_init(&explorer, options->order, options->limits, budget);
    explorer.stall = options->stall ? options->stall : EXPLORE_STALL;
    explorer.work = &options->limits->work;
    explorer.task = "refinement";
    explorer.nodes = "pairs";
    explorer.checkpoint = options->checkpoint;
    explorer.stats = options->stats;
    if (options->stats)
        search_stats_begin(options->stats);
    explorer.threads = may_share(&walk) ? options->threads : 1;
    if (options->threads_from)
        explorer.threads_from = options->threads_from;
    explorer.together = options->antichain ? &together : &together_without;
    walk.explorer = &explorer;
    enum status status = room ? walk_all(&walk, &explorer) : STATUS_LIMIT;
    uint32_t count;
    if (status == STATUS_INPUT && finder_settle(&walk.finder, &count) != STATUS_OK)
        status = STATUS_LIMIT; /* what was found counts, on its way or not */
    if (status == STATUS_USAGE)
        *error = options->checkpoint->error;
    if (threads_release(&walk) != STATUS_OK && status == STATUS_OK)
        status = STATUS_LIMIT;
    if (options->stats)
        tell_stats(&walk, options->stats);
    const uint64_t kept = pair_parts_count(&walk.pairs);
    assert(status != STATUS_OK || kept == walk.nodes.items.length ||
           (options->antichain && kept < walk.nodes.items.length)); /* smaller ones replace some */
    if (status == STATUS_LIMIT) {
        result->answer = UNDECIDED; /* perhaps while a violation was written down */
        result->execution.states.length = result->execution.labels.length = 0;
        result->execution.is_lasso = false;
        result->limit = limits_which(options->limits);
        status = STATUS_OK;
    }
    result->extent = nodes_extent(&walk.nodes, &explorer);
    result->pairs = kept;
    explorer_release(&explorer);
    pair_parts_release(&walk.pairs);
    nodes_release(&walk.nodes);
    return status;
}
