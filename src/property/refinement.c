/* The walk keeps every pair it has found, in the order found, with the pair it was found from: a
 * counterexample is read backwards from the last. Breadth first takes pairs up in that order; depth
 * first keeps a stack of the ones still to take up.
 *
 * Where a pair goes is anywhere in memory. Breadth first and without antichains, pairs therefore
 * wait in a short queue on their way into the set, while the memory that they need is fetched. */
#include "property/refinement.h"

#include "property/antichain.h"
#include "property/pairs.h"

#define LOOK_EVERY 4096 /* pairs between two looks at the limits */
#define NO_PARENT  UINT32_MAX
#define WAITING    32 /* pairs in the queue; a power of two */

struct found {
    state_id state;
    normal_id normal;
    uint32_t parent; /* index into found */
};

struct walk {
    struct graph *implementation;
    struct normal *specification;
    const struct refinement_options *options;
    struct refinement *result;
    struct pairs pairs;
    struct antichain antichain;
    VECTOR(struct found) found;
    VECTOR(uint32_t) stack; /* depth first: indices into found */
    struct found waiting[WAITING];
    uint32_t waiting_first, waiting_count;
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

static enum status add_pair(struct walk *walk, state_id state, normal_id normal, uint32_t parent)
{
    bool fresh = false;
    if (walk->options->antichain ? !antichain_add(&walk->antichain, state, normal, &fresh)
                                 : !pairs_add(&walk->pairs, state, normal, &fresh))
        return STATUS_LIMIT;
    if (!fresh)
        return STATUS_OK;
    if (walk->found.length >= NO_PARENT ||
        !vector_push(&walk->found, ((struct found){state, normal, parent})))
        return STATUS_LIMIT;
    if (walk->options->depth_first && !vector_push(&walk->stack, (uint32_t)walk->found.length - 1))
        return STATUS_LIMIT;
    return STATUS_OK;
}

static enum status add_waiting(struct walk *walk)
{
    const struct found first = walk->waiting[walk->waiting_first];
    walk->waiting_first = (walk->waiting_first + 1) % WAITING;
    walk->waiting_count--;
    return add_pair(walk, first.state, first.normal, first.parent);
}

static enum status add_all_waiting(struct walk *walk)
{
    while (walk->waiting_count > 0)
        TRY(add_waiting(walk));
    return STATUS_OK;
}

static enum status find(struct walk *walk, state_id state, normal_id normal, uint32_t parent)
{
    if (walk->options->antichain || walk->options->depth_first)
        return add_pair(walk, state, normal, parent);
    if (walk->waiting_count == WAITING)
        TRY(add_waiting(walk));
    uint32_t last = (walk->waiting_first + walk->waiting_count++) % WAITING;
    walk->waiting[last] = (struct found){state, normal, parent};
    pairs_prefetch_row(&walk->pairs, state);
    if (walk->waiting_count > WAITING / 2) {
        const struct found *half_way = &walk->waiting[(last + WAITING / 2) % WAITING];
        pairs_prefetch(&walk->pairs, half_way->state, half_way->normal);
    }
    return STATUS_OK;
}

/* The label of some edge between two states. */
static enum status label_between(struct walk *walk, state_id from, state_id to, normal_id normal,
                                 normal_id after, label *l)
{
    const struct edge *edges;
    uint32_t count;
    TRY(graph_edges(walk->implementation, from, &edges, &count, walk->error));
    for (uint32_t i = 0; i < count; i++) {
        normal_id next = normal;
        if (edges[i].target != to)
            continue;
        *l = edges[i].label;
        if (*l != LABEL_TAU)
            TRY(walk->specification->class->step(walk->specification, normal, *l, &next,
                                                 walk->error));
        if (next == after)
            return STATUS_OK;
    }
    return STATUS_INTERNAL;
}

/* The run to found[at], and if `last` is a label one step more. */
static enum status write_execution(struct walk *walk, uint32_t at, label last, state_id target)
{
    struct execution *execution = &walk->result->execution;
    for (uint32_t i = at; i != NO_PARENT; i = walk->found.items[i].parent)
        if (!vector_push(&execution->states, walk->found.items[i].state) ||
            !vector_push(&execution->labels, LABEL_REFUSED))
            return STATUS_LIMIT;
    for (size_t i = 0, j = execution->states.length - 1; i < j; i++, j--) {
        state_id swapped = execution->states.items[i];
        execution->states.items[i] = execution->states.items[j];
        execution->states.items[j] = swapped;
    }
    size_t step = execution->labels.length - 1;
    execution->labels.length = step;
    for (uint32_t i = at; walk->found.items[i].parent != NO_PARENT;
         i = walk->found.items[i].parent) {
        const struct found *to = &walk->found.items[i], *from = &walk->found.items[to->parent];
        TRY(label_between(walk, from->state, to->state, from->normal, to->normal,
                          &execution->labels.items[--step]));
    }
    if (last == LABEL_REFUSED)
        return STATUS_OK;
    return execution_push(execution, last, target) ? STATUS_OK : STATUS_LIMIT;
}

/* The failures of found[at]; *go_on: its steps are to be followed. */
static enum status look_at_failures(struct walk *walk, uint32_t at, bool *go_on)
{
    const struct found here = walk->found.items[at];
    enum failure failure = FAILURE_NONE;
    if (walk->options->failures)
        TRY(failures_look(walk->options->failures, here.state, here.normal, &failure, walk->error));
    *go_on = failure == FAILURE_NONE;
    if (failure == FAILURE_NONE || failure == FAILURE_CHAOS)
        return STATUS_OK;
    walk->result->answer = VIOLATED;
    walk->result->failure = failure;
    walk->result->before = here.normal;
    TRY(write_execution(walk, at, LABEL_REFUSED, 0));
    if (failure != FAILURE_DIVERGENCE)
        return STATUS_OK;
    return divergence_tell(&walk->options->failures->implementation_divergence,
                           &walk->result->execution, walk->error);
}

/* Takes up found[at]: follows each of its implementation's steps. */
static enum status follow(struct walk *walk, uint32_t at)
{
    const struct found here = walk->found.items[at];
    const struct edge *edges;
    uint32_t count;
    enum status status = graph_edges(walk->implementation, here.state, &edges, &count, walk->error);
    if (status == STATUS_INPUT) {
        TRY(write_execution(walk, at, LABEL_REFUSED, 0));
        return status;
    }
    TRY(status);
    bool go_on = true;
    TRY(look_at_failures(walk, at, &go_on));
    walk->result->transitions += go_on ? count : 0;
    for (uint32_t i = 0; i < count && go_on; i++) {
        normal_id next = here.normal;
        if (edges[i].label != LABEL_TAU)
            status = walk->specification->class->step(walk->specification, here.normal,
                                                      edges[i].label, &next, walk->error);
        if (status == STATUS_INPUT) /* an event out of place: it is shown as the last step */
            TRY(write_execution(walk, at, edges[i].label, edges[i].target));
        TRY(status);
        if (next == NORMAL_NONE) {
            walk->result->answer = VIOLATED;
            walk->result->before = here.normal;
            return write_execution(walk, at, edges[i].label, edges[i].target);
        }
        if (next != NORMAL_EVERYTHING)
            TRY(find(walk, edges[i].target, next, at));
    }
    return STATUS_OK;
}

static enum status start(struct walk *walk)
{
    normal_id initial = 0;
    TRY(walk->specification->class->initial(walk->specification, &initial, walk->error));
    for (size_t i = 0; i < walk->implementation->initial.length; i++)
        TRY(find(walk, walk->implementation->initial.items[i], initial, NO_PARENT));
    return add_all_waiting(walk);
}

/* A pair that a smaller one has replaced since need not be taken up. */
static bool is_replaced(const struct walk *walk, uint32_t at)
{
    return walk->options->antichain && !antichain_has(&walk->antichain, walk->found.items[at].state,
                                                      walk->found.items[at].normal);
}

static enum status walk_all(struct walk *walk)
{
    TRY(start(walk));
    size_t taken = 0, level_end = walk->found.length;
    for (;;) {
        uint32_t at;
        if (walk->options->depth_first) {
            if (walk->stack.length == 0)
                break;
            at = walk->stack.items[--walk->stack.length];
        } else {
            if (taken == level_end)
                TRY(add_all_waiting(walk));
            if (taken == walk->found.length)
                break;
            if (taken == level_end) {
                level_end = walk->found.length;
                walk->result->depth++;
            }
            at = (uint32_t)taken;
        }
        if (taken++ % LOOK_EVERY == 0) {
            walk->result->limit = limits_reached(walk->options->limits);
            atomic_store(&walk->options->limits->work, taken);
            if (walk->result->limit != LIMIT_NONE)
                return STATUS_LIMIT;
        }
        if (is_replaced(walk, at))
            continue;
        TRY(follow(walk, at));
        if (walk->result->answer == VIOLATED)
            return add_all_waiting(walk); /* they count */
    }
    walk->result->answer = HOLDS;
    return STATUS_OK;
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
    pairs_init(&walk.pairs, budget);
    antichain_init(&walk.antichain, specification, budget);
    vector_init(&walk.found, budget);
    vector_init(&walk.stack, budget);
    enum status status = walk_all(&walk);
    if (status == STATUS_LIMIT) {
        result->answer = UNDECIDED; /* perhaps while a violation was written down */
        result->execution.states.length = result->execution.labels.length = 0;
        result->execution.is_lasso = false;
        if (result->limit == LIMIT_NONE)
            result->limit = limits_reached(options->limits);
        if (result->limit == LIMIT_NONE)
            result->limit = LIMIT_MEMORY;
        status = STATUS_OK;
    }
    result->pairs = options->antichain ? walk.antichain.count : walk.pairs.count;
    pairs_release(&walk.pairs);
    antichain_release(&walk.antichain);
    vector_release(&walk.found);
    vector_release(&walk.stack);
    return status;
}
