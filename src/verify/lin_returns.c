/* The graph is explored first, and the states from which one can be reached in which nothing runs
 * are found by going over all states, the last first, until no more are found. If there are others,
 * pairs of a state and the threads whose running operation has changed something are walked. */
#include "verify/lin_returns.h"

#include <assert.h>
#include <string.h>

#include "base/interning.h"
#include "explore/nodes.h"
#include "implementation/changes.h"
#include "implementation/symmetry.h"
#include "space/graph.h"

struct returning {
    const struct lin_model *model;
    const struct limits *limits;
    struct graph graph;
    VECTOR(bool) ends;       /* by state: one in which nothing runs can be reached */
    struct word_arrays sets; /* of threads, as two words of bits */
    struct pairs pairs;
    struct nodes
        nodes; /* a state, and the number of the set of threads that have changed something */
    struct finder finder;
    bool *returns;
    struct text *reason;
    struct error *error;
};

static uint64_t running_in(const struct returning *returning, state_id state)
{
    const uint32_t *slots = graph_state(&returning->graph, state);
    uint64_t running = 0;
    for (uint32_t i = 0; i < returning->model->steps->setting.threads; i++)
        running |= (uint64_t)lin_model_is_running(returning->model, slots, i) << i;
    return running;
}

static enum status visit_state(void *self, uint32_t state, bool *stop)
{
    struct returning *returning = self;
    const struct edge *edges;
    uint32_t count;
    (void)stop; /* all are wanted */
    TRY(graph_edges(&returning->graph, state, &edges, &count, returning->error));
    return granted(vector_push(&returning->ends, running_in(returning, state) == 0));
}

static enum status found_states(void *self, uint32_t *count)
{
    *count = graph_count(&((struct returning *)self)->graph);
    return STATUS_OK;
}

/* No search: what can reach an end is found by going over the stored edges until nothing changes.
 */
static enum status find_ends(struct returning *returning, bool *all)
{
    uint32_t steps = 0;
    for (bool grows = true; grows;) {
        grows = false;
        *all = true;
        for (size_t i = returning->ends.length; i-- > 0;) {
            bool *ends = &returning->ends.items[i];
            const struct edge *edges;
            uint32_t count = 0;
            if (limits_look(returning->limits, &steps))
                return STATUS_LIMIT;
            if (!*ends)
                TRY(graph_edges(&returning->graph, (state_id)i, &edges, &count, returning->error));
            for (uint32_t j = 0; j < count && !*ends; j++)
                if (returning->ends.items[edges[j].target])
                    *ends = grows = true;
            *all &= *ends;
        }
    }
    return STATUS_OK;
}

static enum status find_pair(struct returning *returning, state_id state, uint64_t changed,
                             uint32_t parent)
{
    const uint32_t words[2] = {(uint32_t)changed, (uint32_t)(changed >> 32)};
    uint32_t number = word_arrays_intern(&returning->sets, words, 2, NULL);
    return number == UINT32_MAX ? STATUS_LIMIT
                                : finder_find(&returning->finder, state, number, parent);
}

static uint64_t set_at(const struct returning *returning, uint32_t number)
{
    size_t ignored;
    const uint32_t *words = word_arrays_get(&returning->sets, number, &ignored);
    return words[0] | (uint64_t)words[1] << 32;
}

/* The threads of a set, and the one that a step's label names, by their numbers behind it. */
static uint64_t set_after(const struct returning *returning, uint64_t changed, label l)
{
    const struct labels *labels = returning->model->model.labels;
    label own = lin_model_own_label(returning->model, l);
    uint32_t changer = lin_changer(returning->model, own);
    uint64_t after = 0;
    if (changer != UINT32_MAX)
        changed |= UINT64_C(1) << changer;
    if (own == l)
        return changed;
    turning by = labels_get(labels, l)->components[1];
    for (uint32_t i = 0; i < returning->model->steps->setting.threads; i++)
        after |= (changed >> i & 1) << turning_of(by, i);
    return after;
}

/* "`enqueue` may never return, once it stands before 18: await (full)" */
static void tell(const struct returning *returning, state_id state)
{
    const struct lin_model *model = returning->model;
    const struct lin_steps *steps = model->steps;
    const uint32_t *slots = graph_state(&returning->graph, state);
    uint32_t thread = 0;
    while (!lin_model_is_running(model, slots, thread))
        thread++;
    label note = lin_model_note(model, slots, thread);
    uint32_t at = slots[steps->thread_first + thread * steps->thread_words + LIN_THREAD_AT] - 1;
    text_format(returning->reason, "`%s` may never return, once it stands before line ",
                entry_at(steps, at)->operation->name);
    labels_print(model->model.labels, note, returning->reason);
}

static enum status follow(struct returning *returning, uint32_t at)
{
    const struct search_node pair = nodes_get(&returning->nodes, at);
    const struct edge *edges;
    uint32_t count;
    TRY(graph_edges(&returning->graph, pair.state, &edges, &count, returning->error));
    for (uint32_t i = 0; i < count; i++) {
        uint64_t changed = set_after(returning, set_at(returning, pair.with), edges[i].label);
        changed &= running_in(returning, edges[i].target);
        TRY(find_pair(returning, edges[i].target, changed, at));
    }
    return STATUS_OK;
}

static enum status visit_pair(void *self, uint32_t at, bool *stop)
{
    struct returning *returning = self;
    const struct search_node pair = nodes_get(&returning->nodes, at);
    *returning->returns = returning->ends.items[pair.state] ||
                          set_at(returning, pair.with) != running_in(returning, pair.state);
    *stop = !*returning->returns;
    if (!*stop)
        return follow(returning, at);
    tell(returning, pair.state);
    return STATUS_OK;
}

static enum status found_pairs(void *self, uint32_t *count)
{
    return finder_settle(&((struct returning *)self)->finder, count);
}

static enum status decide(struct returning *returning)
{
    static const struct visitor states = {.visit = visit_state, .found = found_states},
                                pairs = {.visit = visit_pair, .found = found_pairs};
    TRY(explore_oldest_first(returning->limits, "returns", "states", &states, returning));
    TRY(find_ends(returning, returning->returns));
    if (*returning->returns)
        return STATUS_OK;
    for (size_t i = 0; i < returning->graph.initial.length; i++)
        TRY(find_pair(returning, returning->graph.initial.items[i], 0, NODE_NONE));
    return explore_oldest_first(returning->limits, "returns", "pairs", &pairs, returning);
}

enum status lin_returns_decide(const struct lin_model *model, const struct model *reduced,
                               const struct limits *limits, bool *returns, struct text *reason,
                               struct error *error)
{
    struct returning returning = {
        .model = model, .limits = limits, .returns = returns, .reason = reason, .error = error};
    struct budget *budget = limits->budget;
    vector_init(&returning.ends, budget);
    word_arrays_init(&returning.sets, budget);
    pairs_init(&returning.pairs, budget);
    nodes_init(&returning.nodes, &nodes_are_pairs, &returning.pairs, budget);
    finder_init(&returning.finder, &returning.nodes, true);
    assert(model->options.tells_changes);
    enum status status = graph_create(reduced, limits, &returning.graph, error);
    returning.graph.limits = limits;
    if (status == STATUS_OK)
        status = decide(&returning);
    graph_release(&returning.graph);
    vector_release(&returning.ends);
    nodes_release(&returning.nodes);
    word_arrays_release(&returning.sets);
    pairs_release(&returning.pairs);
    return status;
}
