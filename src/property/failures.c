/* Divergence of a state: depth first along invisible steps; an edge back to the path, or to what is
 * known to diverge, and all on the path diverges. What is left without either converges. Refusals
 * of a pair: some stable member of the normalised state must offer no more than the
 * implementation's state, by merging the two sorted lists of labels. */
#include "property/failures.h"

#include <assert.h>

#include "explore/shortest_way.h"

/* ---- divergence ---- */

enum known {
    UNKNOWN,
    ON_PATH,
    CONVERGES,
    DIVERGES,
};

void divergence_init(struct divergence *divergence, struct graph *graph)
{
    *divergence = (struct divergence){.graph = graph};
    vector_init(&divergence->known, graph->model->budget);
    depth_first_init(&divergence->search, graph->model->budget);
}

void divergence_release(struct divergence *divergence)
{
    vector_release(&divergence->known);
    depth_first_release(&divergence->search);
}

static enum status known_of(struct divergence *divergence, state_id state, uint8_t **known)
{
    while (divergence->known.length <= state)
        if (!vector_push(&divergence->known, UNKNOWN))
            return STATUS_LIMIT;
    *known = &divergence->known.items[state];
    return STATUS_OK;
}

/* A state that is on the path, or is known to diverge: so does what is on the path. */
static enum status meet(void *self, uint32_t state, bool *enter)
{
    struct divergence *divergence = self;
    const struct depth_first *search = &divergence->search;
    uint8_t *known;
    TRY(known_of(divergence, state, &known));
    *enter = *known == UNKNOWN;
    if (*enter)
        *known = ON_PATH;
    else if (*known != CONVERGES)
        divergence->search.stop = true;
    for (size_t i = 0; i < search->path.length && search->stop; i++)
        divergence->known.items[search->path.items[i].node] = DIVERGES;
    return STATUS_OK;
}

static enum status tau_edge(void *self, uint32_t state, uint32_t number, uint32_t *target)
{
    struct divergence *divergence = self;
    const struct edge *edges;
    uint32_t count;
    TRY(graph_edges(divergence->graph, state, &edges, &count, divergence->error));
    if (number < count && edges[number].label == LABEL_TAU) /* τ is the least label */
        *target = edges[number].target;
    return STATUS_OK;
}

static enum status leave(void *self, uint32_t state)
{
    struct divergence *divergence = self;
    assert(divergence->known.items[state] == ON_PATH); /* and no cycle was closed through it */
    divergence->known.items[state] = CONVERGES;
    return STATUS_OK;
}

enum status divergence_of(struct divergence *divergence, state_id state, bool *diverges,
                          struct error *error)
{
    static const struct depth_visitor visitor = {meet, tau_edge, leave};
    uint8_t *known;
    TRY(known_of(divergence, state, &known));
    if (*known == UNKNOWN) {
        divergence->error = error;
        TRY(depth_first_from(&divergence->search, &visitor, divergence, state));
    }
    *diverges = divergence->known.items[state] == DIVERGES;
    assert(*diverges || divergence->known.items[state] == CONVERGES);
    return STATUS_OK;
}

/* ---- the run that diverges ---- */

struct telling {
    struct divergence *divergence;
    struct execution *execution;
    struct shortest_way way;
    state_id to; /* where it ends; STATE_REFUSED: in the cycle */
    VECTOR(state_id) cycle;
    VECTOR(bool) in_cycle; /* by state */
    struct error *error;
};

static enum status tau_edges(struct telling *telling, state_id state, const struct edge **edges,
                             uint32_t *count)
{
    TRY(graph_edges(telling->divergence->graph, state, edges, count, telling->error));
    for (uint32_t i = 0; i < *count; i++)
        if ((*edges)[i].label != LABEL_TAU) /* τ is the least label */
            *count = i;
    return STATUS_OK;
}

/* A successor that diverges too: where there is one at all, there always is. */
static enum status diverging_successor(struct telling *telling, state_id state, state_id *next)
{
    const struct edge *edges;
    uint32_t count;
    bool diverges = false;
    *next = state;
    TRY(tau_edges(telling, state, &edges, &count));
    for (uint32_t i = 0; i < count && !diverges; i++) {
        *next = edges[i].target;
        TRY(divergence_of(telling->divergence, *next, &diverges, telling->error));
        TRY(tau_edges(telling, state, &edges, &count)); /* may have moved */
    }
    assert(diverges);
    return STATUS_OK;
}

/* Some cycle: from state to diverging state until one comes again. */
static enum status find_cycle(struct telling *telling, state_id from)
{
    state_id at = from;
    for (;;) {
        while (telling->in_cycle.length <= at)
            if (!vector_push(&telling->in_cycle, false))
                return STATUS_LIMIT;
        if (telling->in_cycle.items[at])
            break;
        telling->in_cycle.items[at] = true;
        if (!vector_push(&telling->cycle, at))
            return STATUS_LIMIT;
        TRY(diverging_successor(telling, at, &at));
    }
    for (size_t i = 0; telling->cycle.items[i] != at; i++)
        telling->in_cycle.items[telling->cycle.items[i]] = false; /* these lead to it */
    return STATUS_OK;
}

static bool is_in_cycle(const struct telling *telling, state_id state)
{
    return state < telling->in_cycle.length && telling->in_cycle.items[state];
}

/* An invisible step ends the way where it leads to `to`; STATE_REFUSED: to the cycle. */
static enum status way_edge(void *self, uint32_t state, uint32_t number, uint32_t *target,
                            bool *ends)
{
    struct telling *telling = self;
    const struct edge *edges;
    uint32_t count;
    TRY(tau_edges(telling, state, &edges, &count));
    if (number == count)
        return STATUS_OK;
    *target = edges[number].target;
    *ends = telling->to == STATE_REFUSED ? is_in_cycle(telling, *target) : *target == telling->to;
    return STATUS_OK;
}

/* Appends one invisible step or more, as few as can be, to `to`; STATE_REFUSED: to the cycle. */
static enum status append_way(struct telling *telling, state_id from, state_id to)
{
    static const struct way_edges invisible = {way_edge};
    struct shortest_way *way = &telling->way;
    bool found = false;
    telling->to = to;
    TRY(shortest_way_find(way, &invisible, telling, &from, 1, &found));
    if (!found)
        return error_set(telling->error, STATUS_INTERNAL, NULL, 0,
                         "a divergence has no invisible steps");
    for (size_t i = 0; i < way->steps.length; i++) {
        const struct edge *edges;
        uint32_t count;
        TRY(tau_edges(telling, way->steps.items[i].node, &edges, &count));
        assert(way->steps.items[i].number < count);
        if (!execution_push(telling->execution, LABEL_TAU,
                            edges[way->steps.items[i].number].target))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

static state_id last_state(const struct execution *execution)
{
    return execution->states.items[execution->states.length - 1];
}

static enum status tell(struct telling *telling)
{
    struct execution *execution = telling->execution;
    TRY(find_cycle(telling, last_state(execution)));
    if (!is_in_cycle(telling, last_state(execution)))
        TRY(append_way(telling, last_state(execution), STATE_REFUSED));
    const state_id entry = last_state(execution);
    execution->is_lasso = true;
    execution->loop_start = (uint32_t)execution->labels.length;
    TRY(append_way(telling, entry, entry));
    assert(last_state(execution) == entry && execution->loop_start < execution->labels.length);
    return STATUS_OK;
}

enum status divergence_tell(struct divergence *divergence, struct execution *execution,
                            struct error *error)
{
    struct budget *budget = divergence->graph->model->budget;
    struct telling telling = {.divergence = divergence, .execution = execution, .error = error};
    shortest_way_init(&telling.way, budget);
    vector_init(&telling.cycle, budget);
    vector_init(&telling.in_cycle, budget);
    enum status status = tell(&telling);
    shortest_way_release(&telling.way);
    vector_release(&telling.cycle);
    vector_release(&telling.in_cycle);
    return status;
}

/* ---- failures ---- */

void failures_init(struct failures *failures, struct graph *implementation,
                   struct graph_normal *specification, bool divergences)
{
    *failures = (struct failures){.implementation = implementation,
                                  .specification = specification,
                                  .divergences = divergences};
    divergence_init(&failures->implementation_divergence, implementation);
    divergence_init(&failures->specification_divergence, specification->specification);
    vector_init(&failures->normal_diverges, implementation->model->budget);
}

void failures_release(struct failures *failures)
{
    divergence_release(&failures->implementation_divergence);
    divergence_release(&failures->specification_divergence);
    vector_release(&failures->normal_diverges);
}

static enum status normal_diverges(struct failures *failures, normal_id normal, bool *diverges,
                                   struct error *error)
{
    while (failures->normal_diverges.length <= normal)
        if (!vector_push(&failures->normal_diverges, UNKNOWN))
            return STATUS_LIMIT;
    uint8_t *known = &failures->normal_diverges.items[normal];
    if (*known == UNKNOWN) {
        size_t count;
        const uint32_t *members = graph_normal_members(failures->specification, normal, &count);
        bool any = false;
        for (size_t i = 0; i < count && !any; i++)
            TRY(divergence_of(&failures->specification_divergence, members[i], &any, error));
        *known = any ? DIVERGES : CONVERGES;
    }
    assert(*known == DIVERGES || *known == CONVERGES);
    *diverges = *known == DIVERGES;
    return STATUS_OK;
}

/* Whether all labels of `some` are among those of `all`; both ascending. */
static bool offers_all(const struct edge *some, uint32_t some_count, const struct edge *all,
                       uint32_t all_count)
{
    uint32_t j = 0;
    for (uint32_t i = 0; i < some_count; i++) {
        assert(i == 0 || some[i - 1].label <= some[i].label);
        while (j < all_count && all[j].label < some[i].label)
            j++;
        if (j == all_count || all[j].label != some[i].label)
            return false;
    }
    return true;
}

/* Whether some stable member offers nothing that the implementation's state refuses. */
static enum status is_allowed(struct failures *failures, const struct edge *offered, uint32_t count,
                              normal_id normal, bool *allowed, struct error *error)
{
    size_t members_count;
    const uint32_t *members = graph_normal_members(failures->specification, normal, &members_count);
    *allowed = false;
    for (size_t i = 0; i < members_count && !*allowed; i++) {
        const struct edge *edges;
        uint32_t edge_count;
        TRY(graph_edges(failures->specification->specification, members[i], &edges, &edge_count,
                        error));
        bool stable = edge_count == 0 || edges[0].label != LABEL_TAU;
        assert(i == 0 || members[i - 1] < members[i]);
        *allowed = stable && offers_all(edges, edge_count, offered, count);
    }
    return STATUS_OK;
}

enum status failures_look(struct failures *failures, state_id state, normal_id normal,
                          enum failure *found, struct error *error)
{
    const struct edge *edges;
    uint32_t count;
    bool diverges = false, allowed = true;
    *found = FAILURE_NONE;
    if (failures->divergences) {
        TRY(normal_diverges(failures, normal, &diverges, error));
        if (diverges) {
            *found = FAILURE_CHAOS;
            return STATUS_OK;
        }
        TRY(divergence_of(&failures->implementation_divergence, state, &diverges, error));
        if (diverges) {
            *found = FAILURE_DIVERGENCE;
            return STATUS_OK;
        }
    }
    TRY(graph_edges(failures->implementation, state, &edges, &count, error));
    if (count == 0 || edges[0].label != LABEL_TAU)
        TRY(is_allowed(failures, edges, count, normal, &allowed, error));
    if (!allowed)
        *found = FAILURE_REFUSAL;
    return STATUS_OK;
}
