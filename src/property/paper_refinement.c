#include "property/paper_refinement.h"

#include "base/interning.h"

#define LOOK_EVERY 4096 /* pairs between two looks at the limits */

/* A pair on the search's path, with the steps chosen for it. */
struct pair_step {
    state_id state;
    normal_id normal;
    uint32_t below; /* index + 1 of the next pair down the path with this state; 0: none */
    label by;       /* the step that led here */
    const struct edge *edges;
    uint32_t count, next;
};

struct paper_walk {
    struct graph *implementation;
    struct normal *specification;
    struct refinement *result;
    struct limits *limits;
    struct word_arrays pairs;
    VECTOR(struct pair_step) path;
    VECTOR(uint32_t) tops; /* by state: index + 1 of the last pair on the path that has it */
    struct error *error;
};

/* The path, and one step more. */
static enum status write_execution(struct paper_walk *walk, const struct edge *last)
{
    struct execution *execution = &walk->result->execution;
    for (size_t i = 0; i < walk->path.length; i++) {
        const struct pair_step *step = &walk->path.items[i];
        if (i ? !execution_push(execution, step->by, step->state)
              : !vector_push(&execution->states, step->state))
            return STATUS_LIMIT;
    }
    return !last || execution_push(execution, last->label, last->target) ? STATUS_OK : STATUS_LIMIT;
}

/* Condition C1 of figure 2: the specification offers every event of the implementation. */
static enum status compare_events(struct paper_walk *walk, const struct pair_step *step)
{
    for (uint32_t i = 0; i < step->count; i++) {
        normal_id next = step->normal;
        if (step->edges[i].label != LABEL_TAU)
            TRY(walk->specification->class->step(walk->specification, step->normal,
                                                 step->edges[i].label, &next, walk->error));
        if (next != NORMAL_NONE)
            continue;
        walk->result->answer = VIOLATED;
        walk->result->before = step->normal;
        return write_execution(walk, &step->edges[i]);
    }
    return STATUS_OK;
}

static bool is_on_path(const struct paper_walk *walk, state_id state, normal_id normal)
{
    uint32_t at = state < walk->tops.length ? walk->tops.items[state] : 0;
    while (at && walk->path.items[at - 1].normal != normal)
        at = walk->path.items[at - 1].below;
    return at != 0;
}

/* Whether an ample set is invisible and leads to no pair on the path. */
static bool is_ample(const struct paper_walk *walk, const struct offer *offer, normal_id normal)
{
    for (uint32_t i = 0; i < offer->count; i++)
        if (offer->edges[i].label != LABEL_TAU || is_on_path(walk, offer->edges[i].target, normal))
            return false;
    return true;
}

static enum status push(struct paper_walk *walk, struct pair_step step)
{
    while (walk->tops.length <= step.state)
        if (!vector_push(&walk->tops, 0))
            return STATUS_LIMIT;
    step.below = walk->tops.items[step.state];
    if (!vector_push(&walk->path, step))
        return STATUS_LIMIT;
    walk->tops.items[step.state] = (uint32_t)walk->path.length;
    return STATUS_OK;
}

/* Enters a pair unless it was before: looks at its events and chooses its steps. */
static enum status enter(struct paper_walk *walk, state_id state, normal_id normal, label by)
{
    const uint32_t pair[] = {state, normal};
    bool fresh = false;
    if (word_arrays_intern(&walk->pairs, pair, ARRAY_LENGTH(pair), &fresh) == UINT32_MAX)
        return STATUS_LIMIT;
    if (!fresh)
        return STATUS_OK;
    if (walk->pairs.items.length % LOOK_EVERY == 0) {
        walk->result->limit = limits_reached(walk->limits);
        atomic_store(&walk->limits->work, walk->pairs.items.length);
        if (walk->result->limit != LIMIT_NONE)
            return STATUS_LIMIT;
    }
    TRY(push(walk, (struct pair_step){.state = state, .normal = normal, .by = by}));
    struct pair_step *step = &walk->path.items[walk->path.length - 1];
    enum status status =
        graph_edges(walk->implementation, state, &step->edges, &step->count, walk->error);
    if (status == STATUS_INPUT)
        TRY(write_execution(walk, NULL));
    TRY(status);
    TRY(compare_events(walk, step));
    for (const struct offer *offer = graph_offers(walk->implementation, state); offer->count;
         offer++) {
        if (!is_ample(walk, offer, normal))
            continue;
        step->edges = offer->edges;
        step->count = offer->count;
        break;
    }
    walk->result->transitions += step->count;
    return STATUS_OK;
}

static enum status go_on(struct paper_walk *walk)
{
    struct pair_step *top = &walk->path.items[walk->path.length - 1];
    if (top->next == top->count) {
        walk->tops.items[top->state] = top->below;
        walk->path.length--;
        return STATUS_OK;
    }
    const struct edge edge = top->edges[top->next++];
    normal_id next = top->normal;
    if (edge.label != LABEL_TAU)
        TRY(walk->specification->class->step(walk->specification, top->normal, edge.label, &next,
                                             walk->error));
    return enter(walk, edge.target, next, edge.label);
}

static enum status walk_all(struct paper_walk *walk)
{
    normal_id initial = 0;
    TRY(walk->specification->class->initial(walk->specification, &initial, walk->error));
    for (size_t i = 0; i < walk->implementation->initial.length; i++) {
        TRY(enter(walk, walk->implementation->initial.items[i], initial, LABEL_TAU));
        while (walk->path.length && walk->result->answer != VIOLATED)
            TRY(go_on(walk));
        if (walk->result->answer == VIOLATED)
            return STATUS_OK;
    }
    walk->result->answer = HOLDS;
    return STATUS_OK;
}

enum status refine_as_in_paper(struct graph *implementation, struct normal *specification,
                               struct limits *limits, struct refinement *result,
                               struct error *error)
{
    struct paper_walk walk = {.implementation = implementation,
                              .specification = specification,
                              .result = result,
                              .limits = limits,
                              .error = error};
    word_arrays_init(&walk.pairs, limits->budget);
    vector_init(&walk.tops, limits->budget);
    vector_init(&walk.path, limits->budget);
    enum status status = walk_all(&walk);
    if (status == STATUS_LIMIT) {
        result->answer = UNDECIDED;
        if (result->limit == LIMIT_NONE)
            result->limit = limits_reached(limits);
        if (result->limit == LIMIT_NONE)
            result->limit = LIMIT_MEMORY;
        status = STATUS_OK;
    }
    result->pairs = walk.pairs.items.length;
    word_arrays_release(&walk.pairs);
    vector_release(&walk.tops);
    vector_release(&walk.path);
    return status;
}
