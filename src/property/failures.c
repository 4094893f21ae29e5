#include "property/failures.h"

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
    vector_init(&divergence->path, graph->model->budget);
}

void divergence_release(struct divergence *divergence)
{
    vector_release(&divergence->known);
    vector_release(&divergence->path);
}

static enum status known_of(struct divergence *divergence, state_id state, uint8_t **known)
{
    while (divergence->known.length <= state)
        if (!vector_push(&divergence->known, UNKNOWN))
            return STATUS_LIMIT;
    *known = &divergence->known.items[state];
    return STATUS_OK;
}

static enum status path_push(struct divergence *divergence, state_id state)
{
    uint8_t *known;
    TRY(known_of(divergence, state, &known));
    *known = ON_PATH;
    return vector_push(&divergence->path, state) && vector_push(&divergence->path, 0)
               ? STATUS_OK
               : STATUS_LIMIT;
}

/* Every state on the path can reach what diverges. */
static void path_diverges(struct divergence *divergence)
{
    for (size_t i = 0; i < divergence->path.length; i += 2)
        divergence->known.items[divergence->path.items[i]] = DIVERGES;
    divergence->path.length = 0;
}

static enum status path_step(struct divergence *divergence, struct error *error)
{
    size_t top = divergence->path.length - 2;
    state_id state = (state_id)divergence->path.items[top];
    uint64_t next = divergence->path.items[top + 1]++;
    const struct edge *edges;
    uint32_t count;
    uint8_t *known;
    TRY(graph_edges(divergence->graph, state, &edges, &count, error));
    if (next >= count || edges[next].label != LABEL_TAU) { /* τ is the least label */
        divergence->known.items[state] = CONVERGES;
        divergence->path.length = top;
        return STATUS_OK;
    }
    TRY(known_of(divergence, edges[next].target, &known));
    if (*known == UNKNOWN)
        return path_push(divergence, edges[next].target);
    if (*known != CONVERGES)
        path_diverges(divergence);
    return STATUS_OK;
}

enum status divergence_of(struct divergence *divergence, state_id state, bool *diverges,
                          struct error *error)
{
    uint8_t *known;
    TRY(known_of(divergence, state, &known));
    if (*known == UNKNOWN) {
        divergence->path.length = 0;
        TRY(path_push(divergence, state));
        while (divergence->path.length)
            TRY(path_step(divergence, error));
    }
    *diverges = divergence->known.items[state] == DIVERGES;
    return STATUS_OK;
}

/* ---- the run that diverges ---- */

struct telling {
    struct divergence *divergence;
    struct execution *execution;
    VECTOR(state_id) parents; /* by state: that it was found from; STATE_REFUSED: not found */
    VECTOR(state_id) queue;
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

static enum status discover(struct telling *telling, state_id state, state_id parent)
{
    while (telling->parents.length <= state)
        if (!vector_push(&telling->parents, STATE_REFUSED))
            return STATUS_LIMIT;
    if (telling->parents.items[state] != STATE_REFUSED)
        return STATUS_OK;
    telling->parents.items[state] = parent;
    return vector_push(&telling->queue, state) ? STATUS_OK : STATUS_LIMIT;
}

/* Breadth first by one invisible step or more, to `to`; STATE_REFUSED: to the cycle. */
static enum status search_way(struct telling *telling, state_id from, state_id to,
                              state_id *reached)
{
    size_t looked = 0;
    telling->queue.length = telling->parents.length = 0;
    for (state_id at = from;; at = telling->queue.items[looked++]) {
        const struct edge *edges;
        uint32_t count;
        TRY(tau_edges(telling, at, &edges, &count));
        for (uint32_t i = 0; i < count; i++) {
            *reached = edges[i].target;
            TRY(discover(telling, *reached, at));
            if (to == STATE_REFUSED ? is_in_cycle(telling, *reached) : *reached == to)
                return STATUS_OK;
        }
        if (looked == telling->queue.length)
            return error_set(telling->error, STATUS_INTERNAL, NULL, 0,
                             "a divergence has no invisible steps");
    }
}

static enum status append_way(struct telling *telling, state_id from, state_id to)
{
    size_t length = telling->cycle.length = 0;
    do {
        if (!vector_push(&telling->cycle, to))
            return STATUS_LIMIT;
        to = telling->parents.items[to];
        length++;
    } while (to != from);
    while (length-- > 0)
        if (!execution_push(telling->execution, LABEL_TAU, telling->cycle.items[length]))
            return STATUS_LIMIT;
    return STATUS_OK;
}

static enum status tell(struct telling *telling)
{
    struct execution *execution = telling->execution;
    state_id from = execution->states.items[execution->states.length - 1], entry = from;
    TRY(find_cycle(telling, from));
    if (!is_in_cycle(telling, from)) {
        TRY(search_way(telling, from, STATE_REFUSED, &entry));
        TRY(append_way(telling, from, entry));
    }
    execution->is_lasso = true;
    execution->loop_start = (uint32_t)execution->labels.length;
    TRY(search_way(telling, entry, entry, &entry));
    return append_way(telling, entry, entry);
}

enum status divergence_tell(struct divergence *divergence, struct execution *execution,
                            struct error *error)
{
    struct budget *budget = divergence->graph->model->budget;
    struct telling telling = {.divergence = divergence, .execution = execution, .error = error};
    vector_init(&telling.parents, budget);
    vector_init(&telling.queue, budget);
    vector_init(&telling.cycle, budget);
    vector_init(&telling.in_cycle, budget);
    enum status status = tell(&telling);
    vector_release(&telling.parents);
    vector_release(&telling.queue);
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
    *diverges = *known == DIVERGES;
    return STATUS_OK;
}

/* Whether all labels of `some` are among those of `all`; both ascending. */
static bool offers_all(const struct edge *some, uint32_t some_count, const struct edge *all,
                       uint32_t all_count)
{
    uint32_t j = 0;
    for (uint32_t i = 0; i < some_count; i++) {
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
