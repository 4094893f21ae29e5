/* A node is a pair of a state of the implementation and a normalised state of the specification. A
 * normalised state says all that matters of a trace, so each pair is taken up once; with antichains
 * only pairs that no smaller one makes superfluous are.
 *
 * Breadth first that is settled at the end of each level: of the pairs found in it those are taken
 * up which are minimal among all that were found so far. What is found later is as far away or
 * farther, so it makes none of them superfluous: the first violation is a shortest one, and which
 * pairs are taken up is a matter of the levels, not of the order within one. */
#include "property/refinement.h"

#include <assert.h>
#include <inttypes.h>

#include "base/log.h"
#include "explore/checkpoint.h"
#include "explore/stats.h"
#include "model/labels.h"
#include "property/antichain.h"

struct walk {
    struct graph *implementation;
    struct normal *specification;
    const struct refinement_options *options;
    struct refinement *result;
    struct pairs pairs;
    struct antichain antichain;
    struct nodes nodes;
    struct finder finder;
    const struct explorer *explorer;
    uint64_t asked;   /* steps of the specification */
    uint32_t settled; /* with antichains: nodes of which it is known whether they are taken up */
    struct error *error;
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

static bool add_minimal(void *antichain, uint32_t state, uint32_t normal, bool *fresh)
{
    return antichain_add(antichain, state, normal, fresh);
}

static const struct node_set nodes_are_minimal = {.add = add_minimal};

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
    assert(execution->states.items[execution->labels.length] == nodes_get(&walk->nodes, at)->state);
    return granted(!last || execution_push(execution, step.label, step.target));
}

/* The failures of a pair; *go_on: its steps are to be followed. */
static enum status look_at_failures(struct walk *walk, uint32_t at, bool *go_on)
{
    const struct search_node here = *nodes_get(&walk->nodes, at);
    enum failure failure = FAILURE_NONE;
    if (walk->options->failures)
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

/* Follows each of the implementation's steps from a pair. */
static enum status follow(struct walk *walk, uint32_t at)
{
    const struct search_node here = *nodes_get(&walk->nodes, at);
    const struct edge *edges;
    uint32_t count;
    enum status status = graph_edges(walk->implementation, here.state, &edges, &count, walk->error);
    if (status == STATUS_INPUT) {
        TRY(write_execution(walk, at, NULL));
        return status;
    }
    TRY(status);
    bool go_on = true;
    TRY(look_at_failures(walk, at, &go_on));
    walk->result->transitions += go_on ? count : 0;
    for (uint32_t i = 0; i < count && go_on; i++) {
        normal_id next = here.with;
        walk->asked += edges[i].label != LABEL_TAU;
        if (edges[i].label != LABEL_TAU)
            status = walk->specification->class->step(walk->specification, here.with,
                                                      edges[i].label, &next, walk->error);
        if (status == STATUS_INPUT) /* an event out of place: it is shown as the last step */
            TRY(write_execution(walk, at, &edges[i]));
        TRY(status);
        if (next == NORMAL_NONE) {
            walk->result->answer = VIOLATED;
            walk->result->before = here.with;
            refinement_tell_log(walk->options->limits->log, walk->implementation, here.state,
                                here.with, edges[i].label);
            return write_execution(walk, at, &edges[i]);
        }
        assert(next == here.with || edges[i].label != LABEL_TAU); /* τ is no part of a trace */
        if (next != NORMAL_EVERYTHING)
            TRY(finder_find(&walk->finder, edges[i].target, next, at));
    }
    return STATUS_OK;
}

/* Levels are of the breadth-first order alone. */
static bool has_levels(const struct walk *walk)
{
    return !walk->explorer->is_newest && !walk->explorer->has_turned;
}

static bool is_kept(const struct walk *walk, uint32_t at)
{
    const struct search_node *pair = nodes_get(&walk->nodes, at);
    return pair->with != NORMAL_NONE && antichain_has(&walk->antichain, pair->state, pair->with);
}

/* A pair that a smaller one has replaced need not be taken up: one of its level or an earlier one;
 * out of levels, any that was found since. */
static bool is_replaced(const struct walk *walk, uint32_t at)
{
    if (!walk->options->antichain)
        return false;
    return has_levels(walk) ? nodes_get(&walk->nodes, at)->with == NORMAL_NONE : !is_kept(walk, at);
}

/* Marks the pairs of the level that ends which are not minimal. */
static void settle(struct walk *walk, uint32_t count)
{
    for (; walk->settled < count; walk->settled++)
        if (!is_kept(walk, walk->settled))
            walk->nodes.items.items[walk->settled].with = NORMAL_NONE;
}

static enum status visit(void *self, uint32_t node, bool *stop)
{
    struct walk *walk = self;
    if (is_replaced(walk, node))
        return STATUS_OK;
    TRY(follow(walk, node));
    *stop = walk->result->answer == VIOLATED;
    return STATUS_OK;
}

static enum status found(void *self, uint32_t *count)
{
    struct walk *walk = self;
    TRY(finder_settle(&walk->finder, count));
    if (walk->options->antichain && has_levels(walk))
        settle(walk, *count);
    return STATUS_OK;
}

/* ---- checkpoints ---- */

static void count_all(void *self, struct search_counts *counts)
{
    const struct walk *walk = self;
    const struct model *model = walk->implementation->model;
    counts->known =
        model->class->known(model) + walk->specification->class->known(walk->specification);
    counts->moved = walk->implementation->states.count + walk->nodes.items.length +
                    walk->finder.count + walk->result->transitions;
}

static enum status repeat(void *self, uint32_t node)
{
    struct walk *walk = self;
    const struct search_node here = *nodes_get(&walk->nodes, node);
    const struct normal_class *class = walk->specification->class;
    const struct edge *edges;
    uint32_t count;
    TRY(graph_edges(walk->implementation, here.state, &edges, &count, walk->error));
    bool go_on = true;
    if (here.with == NORMAL_NONE)
        return STATUS_OK; /* it was not visited */
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
    return !walk->options->antichain || is_kept(walk, node);
}

static void save(void *self, struct sections_out *out)
{
    const struct walk *walk = self;
    sections_put(out, walk->settled);
    sections_put(out, walk->result->transitions);
}

static enum status restore(void *self, struct sections_in *in, struct error *error)
{
    struct walk *walk = self;
    uint64_t settled;
    TRY(sections_take_below(in, walk->nodes.items.length + UINT64_C(1), &settled, error));
    walk->settled = (uint32_t)settled;
    return sections_take(in, &walk->result->transitions, error);
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
    const struct visitor visitor = {visit, found, &resumption};
    normal_id initial = 0;
    TRY(walk->specification->class->initial(walk->specification, &initial, walk->error));
    for (size_t i = 0; i < walk->implementation->initial.length; i++)
        TRY(finder_find(&walk->finder, walk->implementation->initial.items[i], initial, NODE_NONE));
    TRY(explore(explorer, &visitor, walk));
    if (walk->result->answer != VIOLATED)
        walk->result->answer = HOLDS;
    return STATUS_OK;
}

static void tell_stats(const struct walk *walk, struct search_stats *stats)
{
    search_stats_take_graph(stats, walk->implementation);
    stats->found = walk->nodes.items.length;
    stats->nodes = walk->nodes.items.capacity * sizeof *walk->nodes.items.items;
    stats->covered = walk->antichain.covered;
    stats->replaced = walk->antichain.replaced;
    stats->pairs =
        walk->options->antichain ? antichain_bytes(&walk->antichain) : pairs_bytes(&walk->pairs);
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
    pairs_init(&walk.pairs, budget);
    antichain_init(&walk.antichain, specification, budget);
    if (options->antichain)
        nodes_init(&walk.nodes, &nodes_are_minimal, &walk.antichain, budget);
    else
        nodes_init(&walk.nodes, &nodes_are_pairs, &walk.pairs, budget);
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
    walk.explorer = &explorer;
    enum status status = walk_all(&walk, &explorer);
    uint32_t count;
    if (status == STATUS_INPUT && finder_settle(&walk.finder, &count) != STATUS_OK)
        status = STATUS_LIMIT; /* what was found counts, on its way or not */
    if (status == STATUS_USAGE)
        *error = options->checkpoint->error;
    if (options->stats)
        tell_stats(&walk, options->stats);
    const uint64_t kept = options->antichain ? walk.antichain.count : walk.pairs.count;
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
    pairs_release(&walk.pairs);
    antichain_release(&walk.antichain);
    nodes_release(&walk.nodes);
    return status;
}
