/* Depth first over pairs. Each state's pairs on the path are linked, so that whether an ample set
 * leads back to the path is looked up by state. */
#include "property/paper_refinement.h"

#include <assert.h>

#include "base/interning.h"
#include "explore/depth_first.h"

/* A pair on the search's path, with the steps chosen for it. */
struct pair_step {
    state_id state;
    normal_id normal;
    uint32_t below; /* index + 1 of the next pair down the path with this state; 0: none */
    const struct edge *edges;
    uint32_t count;
};

struct paper_walk {
    struct graph *implementation;
    struct normal *specification;
    struct refinement *result;
    struct word_arrays pairs; /* state and normalised state: the nodes, in the order entered */
    struct depth_first search;
    struct explorer explorer;
    VECTOR(struct pair_step) steps; /* by node on the path */
    VECTOR(uint32_t) tops; /* by state: index + 1 of the last pair on the path that has it */
    struct error *error;
};

/* The path, and one step more. */
static enum status write_execution(struct paper_walk *walk, const struct edge *last)
{
    struct execution *execution = &walk->result->execution;
    TRY_MEMORY(vector_push(&execution->states, walk->steps.items[0].state));
    for (size_t i = 1; i < walk->steps.length; i++) {
        uint32_t taken = walk->search.path.items[i - 1].next - 1;
        TRY_MEMORY(execution_push(execution, walk->steps.items[i - 1].edges[taken].label,
                                  walk->steps.items[i].state));
    }
    return granted(!last || execution_push(execution, last->label, last->target));
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
        refinement_tell_log(walk->explorer.log, walk->implementation, step->state, step->normal,
                            step->edges[i].label);
        return write_execution(walk, &step->edges[i]);
    }
    return STATUS_OK;
}

static bool is_on_path(const struct paper_walk *walk, state_id state, normal_id normal)
{
    uint32_t at = state < walk->tops.length ? walk->tops.items[state] : 0;
    while (at && walk->steps.items[at - 1].normal != normal)
        at = walk->steps.items[at - 1].below;
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
        TRY_MEMORY(vector_push(&walk->tops, 0));
    step.below = walk->tops.items[step.state];
    assert(step.below <= walk->steps.length);
    TRY_MEMORY(vector_push(&walk->steps, step));
    walk->tops.items[step.state] = (uint32_t)walk->steps.length;
    return STATUS_OK;
}

/* Looks at a pair's events and chooses its steps. */
static enum status enter_pair(struct paper_walk *walk, state_id state, normal_id normal)
{
    TRY(push(walk, (struct pair_step){.state = state, .normal = normal}));
    struct pair_step *step = &walk->steps.items[walk->steps.length - 1];
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
    walk->search.stop = walk->result->answer == VIOLATED;
    return STATUS_OK;
}

/* Pairs are numbered as they are found, and entered at once. */
static enum status meet(void *self, uint32_t pair, bool *enter)
{
    struct paper_walk *walk = self;
    size_t words;
    assert(pair <= walk->explorer.taken);
    *enter = pair == walk->explorer.taken;
    if (!*enter)
        return STATUS_OK;
    const uint32_t *found = word_arrays_get(&walk->pairs, pair, &words);
    return enter_pair(walk, found[0], found[1]);
}

static enum status number_pair(struct paper_walk *walk, state_id state, normal_id normal,
                               uint32_t *pair)
{
    const uint32_t words[] = {state, normal};
    *pair = word_arrays_intern(&walk->pairs, words, ARRAY_LENGTH(words), NULL);
    return *pair == UINT32_MAX ? STATUS_LIMIT : STATUS_OK;
}

static enum status follow(void *self, uint32_t pair, uint32_t number, uint32_t *target)
{
    struct paper_walk *walk = self;
    const struct pair_step *top = &walk->steps.items[walk->steps.length - 1];
    (void)pair;
    assert(walk->steps.length == walk->search.path.length && number <= top->count);
    if (number == top->count)
        return STATUS_OK;
    const struct edge edge = top->edges[number];
    normal_id next = top->normal;
    if (edge.label != LABEL_TAU)
        TRY(walk->specification->class->step(walk->specification, top->normal, edge.label, &next,
                                             walk->error));
    return number_pair(walk, edge.target, next, target);
}

static enum status leave(void *self, uint32_t pair)
{
    struct paper_walk *walk = self;
    const struct pair_step *top = &walk->steps.items[--walk->steps.length];
    (void)pair;
    assert(walk->steps.length == walk->search.path.length); /* one for each on the path */
    walk->tops.items[top->state] = top->below;
    return STATUS_OK;
}

static enum status walk_all(struct paper_walk *walk)
{
    static const struct depth_visitor visitor = {meet, follow, leave};
    normal_id initial = 0;
    TRY(walk->specification->class->initial(walk->specification, &initial, walk->error));
    for (size_t i = 0; i < walk->implementation->initial.length; i++) {
        uint32_t root;
        TRY(number_pair(walk, walk->implementation->initial.items[i], initial, &root));
        TRY(depth_first_from(&walk->search, &visitor, walk, root));
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
                              .error = error};
    word_arrays_init(&walk.pairs, limits->budget);
    vectors_init(limits->budget, &walk.tops, &walk.steps);
    depth_first_init(&walk.search, limits->budget);
    explorer_init(&walk.explorer, EXPLORE_ALONG_EDGES, limits, limits->budget);
    walk.explorer.work = &limits->work;
    walk.explorer.task = "refinement as in the paper";
    walk.explorer.nodes = "pairs";
    walk.search.explorer = &walk.explorer;
    enum status status = walk_all(&walk);
    explorer_tell_end(&walk.explorer, status);
    if (status == STATUS_LIMIT) {
        result->answer = UNDECIDED;
        result->limit = limits_which(limits);
        status = STATUS_OK;
    }
    result->pairs = walk.pairs.items.length;
    word_arrays_release(&walk.pairs);
    vectors_release(&walk.tops, &walk.steps);
    depth_first_release(&walk.search);
    explorer_release(&walk.explorer);
    return status;
}
