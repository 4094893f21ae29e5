/* The graph is explored first, and the states from which one can be reached in which nothing runs
 * are found by going over all states, the last first, until no more are found. If there are others,
 * pairs of a state and the threads whose running operation has changed something are walked. */
#include "property/lin_returns.h"

#include <string.h>

#include "base/interning.h"
#include "model/lin_changes.h"
#include "model/lin_symmetry.h"
#include "property/pairs.h"
#include "space/graph.h"

#define LOOK_EVERY 4096 /* states or pairs between two looks at the limits */

struct pair {
    state_id state;
    uint32_t changed; /* number of a set of threads */
};

struct returning {
    struct lin_model *model;
    const struct limits *limits;
    struct graph graph;
    VECTOR(bool) ends;       /* by state: one in which nothing runs can be reached */
    struct word_arrays sets; /* of threads, as two words of bits */
    struct pairs pairs;
    VECTOR(struct pair) found;
    struct error *error;
};

static enum status look(const struct returning *returning, size_t work)
{
    return work % LOOK_EVERY == 0 && limits_reached(returning->limits) != LIMIT_NONE ? STATUS_LIMIT
                                                                                     : STATUS_OK;
}

static uint64_t running_in(const struct returning *returning, state_id state)
{
    const uint32_t *slots = state_table_get(&returning->graph.states, state);
    uint64_t running = 0;
    for (uint32_t i = 0; i < returning->model->steps->setting.threads; i++)
        running |= (uint64_t)lin_model_is_running(returning->model, slots, i) << i;
    return running;
}

/* Expands all states; `ends` is then true of those in which nothing runs. */
static enum status explore(struct returning *returning)
{
    for (state_id state = 0; state < returning->graph.states.count; state++) {
        const struct edge *edges;
        uint32_t count;
        TRY(look(returning, state));
        TRY(graph_edges(&returning->graph, state, &edges, &count, returning->error));
        if (!vector_push(&returning->ends, running_in(returning, state) == 0))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

static enum status find_ends(struct returning *returning, bool *all)
{
    for (bool grows = true; grows;) {
        grows = false;
        *all = true;
        for (size_t i = returning->ends.length; i-- > 0;) {
            bool *ends = &returning->ends.items[i];
            const struct edge *edges;
            uint32_t count = 0;
            TRY(look(returning, i));
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

static enum status add_pair(struct returning *returning, state_id state, uint64_t changed)
{
    const uint32_t words[2] = {(uint32_t)changed, (uint32_t)(changed >> 32)};
    uint32_t number = word_arrays_intern(&returning->sets, words, 2, NULL);
    bool fresh = false;
    if (number == UINT32_MAX || !pairs_add(&returning->pairs, state, number, &fresh) ||
        (fresh && !vector_push(&returning->found, ((struct pair){state, number}))))
        return STATUS_LIMIT;
    return STATUS_OK;
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
static enum status tell(const struct returning *returning, state_id state, struct text *reason)
{
    struct lin_model *model = returning->model;
    const struct lin_steps *steps = model->steps;
    const uint32_t *slots = state_table_get(&returning->graph.states, state);
    uint32_t thread = 0;
    while (!lin_model_is_running(model, slots, thread))
        thread++;
    label note = lin_model_note(model, slots, thread);
    if (note == LABEL_REFUSED)
        return STATUS_LIMIT;
    uint32_t at = slots[steps->thread_first + thread * steps->thread_words + LIN_THREAD_AT] - 1;
    text_format(reason, "`%s` may never return, once it stands before line ",
                entry_at(steps, at)->operation->name);
    labels_print(model->model.labels, note, reason);
    return STATUS_OK;
}

static enum status follow(struct returning *returning, struct pair pair)
{
    const struct edge *edges;
    uint32_t count;
    TRY(graph_edges(&returning->graph, pair.state, &edges, &count, returning->error));
    for (uint32_t i = 0; i < count; i++) {
        uint64_t changed = set_after(returning, set_at(returning, pair.changed), edges[i].label);
        TRY(add_pair(returning, edges[i].target, changed & running_in(returning, edges[i].target)));
    }
    return STATUS_OK;
}

static enum status walk(struct returning *returning, bool *returns, struct text *reason)
{
    for (size_t i = 0; i < returning->graph.initial.length; i++)
        TRY(add_pair(returning, returning->graph.initial.items[i], 0));
    for (size_t i = 0; i < returning->found.length; i++) {
        const struct pair pair = returning->found.items[i];
        TRY(look(returning, i));
        *returns = returning->ends.items[pair.state] ||
                   set_at(returning, pair.changed) != running_in(returning, pair.state);
        if (!*returns)
            return tell(returning, pair.state, reason);
        TRY(follow(returning, pair));
    }
    return STATUS_OK;
}

enum status lin_returns_decide(struct lin_model *model, const struct limits *limits, bool *returns,
                               struct text *reason, struct error *error)
{
    struct returning returning = {.model = model, .limits = limits, .error = error};
    struct budget *budget = limits->budget;
    vector_init(&returning.ends, budget);
    vector_init(&returning.found, budget);
    word_arrays_init(&returning.sets, budget);
    pairs_init(&returning.pairs, budget);
    model->tells_changes = true;
    enum status status = graph_create(&model->model, &returning.graph, error);
    returning.graph.limits = limits;
    if (status == STATUS_OK)
        status = explore(&returning);
    if (status == STATUS_OK)
        status = find_ends(&returning, returns);
    if (status == STATUS_OK && !*returns)
        status = walk(&returning, returns, reason);
    graph_release(&returning.graph);
    vector_release(&returning.ends);
    vector_release(&returning.found);
    word_arrays_release(&returning.sets);
    pairs_release(&returning.pairs);
    return status;
}
