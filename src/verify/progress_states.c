#include "verify/progress_states.h"

#include <assert.h>
#include <string.h>

#include "explore/explore.h"

void progress_states_init(struct progress_states *graph, const struct lin_model *model,
                          const struct model *reduced, struct linear_normal *waiting)
{
    struct budget *budget = model->model.budget;
    const uint32_t more = waiting ? 1 : 0, slots = model->model.slots;
    assert(!waiting || slots == model->model.identity_slots);
    *graph = (struct progress_states){.model = model,
                                      .reduced = reduced,
                                      .waiting = waiting,
                                      .threads = model->steps->setting.threads};
    state_table_init(&graph->states, budget, slots + more, model->model.identity_slots + more);
    vectors_init(budget, &graph->edges, &graph->first, &graph->parents, &graph->from,
                 &graph->running, &graph->resting, &graph->starving, &graph->left_out,
                 &graph->wide);
}

void progress_states_release(struct progress_states *graph)
{
    state_table_release(&graph->states);
    vectors_release(&graph->edges, &graph->first, &graph->parents, &graph->from, &graph->running,
                    &graph->resting, &graph->starving, &graph->left_out, &graph->wide);
}

static enum edge_kind kind_of(const struct labels *labels, label l)
{
    if (l == LABEL_TAU)
        return EDGE_STEP;
    return labels_kind(labels, l) == LABEL_INVOKE ? EDGE_CALL : EDGE_ANSWER;
}

/* What has happened so far is `before` in the state, as the specification has it. */
static bool add_state(struct progress_states *graph, const uint32_t *slots, normal_id before,
                      uint32_t parent, uint32_t *state)
{
    const uint32_t count = graph->model->model.slots;
    bool fresh;
    if (graph->waiting) {
        if (!vector_reserve(&graph->wide, count + 1))
            return false;
        memcpy(graph->wide.items, slots, count * sizeof *slots);
        graph->wide.items[count] = before;
        slots = graph->wide.items;
    }
    *state = state_table_intern(&graph->states, slots, &fresh);
    return *state != STATE_REFUSED && (!fresh || vector_push(&graph->parents, parent));
}

static bool add_edge(struct progress_states *graph, uint32_t from, struct progress_edge edge)
{
    return vector_push(&graph->edges, edge) && vector_push(&graph->from, from);
}

/* Who is running in the state that was expanded, and which of the model's bounds show. */
static bool describe(struct progress_states *graph, const struct successors *out)
{
    const bool cut = out->cut != 0, starves = out->starving != 0;
    graph->operations_ran_out |= cut;
    graph->nodes_ran_out |= starves;
    return vector_push(&graph->running, out->running) &&
           vector_push(&graph->resting, out->resting) &&
           vector_push(&graph->starving, out->starving) &&
           vector_push(&graph->left_out, cut || starves);
}

struct exploring {
    struct progress_states *graph;
    struct worker *worker;
    struct successors out; /* scratch */
    bool *faulty;
    struct error *error;
};

/* What has happened up to a state; nothing can be said of it behind what is no history of the
 * specification. */
static normal_id history_of(struct progress_states *graph, uint32_t state)
{
    return graph->waiting ? state_table_get(&graph->states, state)[graph->model->model.slots]
                          : NORMAL_NONE;
}

static enum status follow(struct exploring *exploring, normal_id from, label l, normal_id *to)
{
    struct linear_normal *waiting = exploring->graph->waiting;
    *to = from;
    if (!waiting || l == LABEL_TAU || !normal_is_state(from))
        return STATUS_OK;
    struct normal *normal = &waiting->base.normal;
    return normal->class->step(normal, from, l, to, exploring->error);
}

static enum status add_steps(struct exploring *exploring, uint32_t state)
{
    const normal_id history = history_of(exploring->graph, state);
    struct progress_states *graph = exploring->graph;
    const struct model *model = graph->reduced;
    const struct successors *out = &exploring->out;
    for (size_t i = 0; i < out->steps.length && !*exploring->faulty; i++) {
        const struct step *step = &out->steps.items[i];
        struct renumbering ignored;
        const label l = labels_own(model->labels, step->label, &ignored);
        struct progress_edge edge = {.shown = step->shown,
                                     .process = (uint8_t)step->process,
                                     .kind = (uint8_t)kind_of(model->labels, l)};
        normal_id then;
        *exploring->faulty = labels_kind(model->labels, l) == LABEL_FAULT;
        TRY(follow(exploring, history, step->label, &then));
        TRY_MEMORY(add_state(graph, out->states.items + i * model->slots, then,
                             (uint32_t)graph->edges.length, &edge.target) &&
                   add_edge(graph, state, edge));
    }
    return STATUS_OK;
}

static enum status add_spins(struct progress_states *graph, uint32_t state,
                             const struct successors *out)
{
    for (size_t i = 0; i < out->waits.length; i++) {
        const struct step *wait = &out->waits.items[i];
        const struct progress_edge spin = {.target = state,
                                           .shown = wait->shown,
                                           .process = (uint8_t)wait->process,
                                           .kind = EDGE_SPIN};
        TRY_MEMORY(add_edge(graph, state, spin));
    }
    return STATUS_OK;
}

/* One state's steps. Behind a fault of the algorithm, the last edge then, nothing is looked at. */
static enum status visit(void *self, uint32_t state, bool *stop)
{
    struct exploring *exploring = self;
    struct progress_states *graph = exploring->graph;
    const uint32_t *slots = state_table_get(&graph->states, state);
    successors_clear(&exploring->out);
    TRY(worker_successors(exploring->worker, slots, &exploring->out, exploring->error));
    TRY_MEMORY(vector_push(&graph->first, (uint32_t)graph->edges.length) &&
               describe(graph, &exploring->out));
    TRY(add_steps(exploring, state));
    *stop = *exploring->faulty;
    if (*stop)
        memcpy(graph->fault, exploring->out.fault, sizeof graph->fault);
    return *stop ? STATUS_OK : add_spins(graph, state, &exploring->out);
}

static enum status found(void *self, uint32_t *count)
{
    *count = ((struct exploring *)self)->graph->states.count;
    return STATUS_OK;
}

static enum status explore_all(struct exploring *exploring, const struct limits *limits)
{
    static const struct visitor visitor = {.visit = visit, .found = found};
    struct progress_states *graph = exploring->graph;
    const struct model *model = graph->reduced;
    uint32_t state;
    exploring->worker = worker_create(model);
    TRY_MEMORY(exploring->worker);
    TRY(worker_initial(exploring->worker, &exploring->out, exploring->error));
    normal_id history = NORMAL_NONE;
    if (graph->waiting)
        TRY(graph->waiting->base.normal.class->initial(&graph->waiting->base.normal, &history,
                                                       exploring->error));
    for (size_t i = 0; i < exploring->out.steps.length; i++) {
        normal_id then;
        TRY(follow(exploring, history, exploring->out.steps.items[i].label, &then));
        TRY_MEMORY(add_state(graph, exploring->out.states.items + i * model->slots, then,
                             PROGRESS_NONE, &state));
    }
    TRY(explore_oldest_first(limits, "progress", "states", &visitor, exploring));
    return granted(vector_push(&graph->first, (uint32_t)graph->edges.length));
}

enum status progress_states_explore(struct progress_states *graph, const struct limits *limits,
                                    struct assertion_result *result, bool *faulty,
                                    struct error *error)
{
    struct exploring exploring = {.graph = graph, .faulty = faulty, .error = error};
    successors_init(&exploring.out, graph->model->model.budget);
    enum status status = explore_all(&exploring, limits);
    successors_release(&exploring.out);
    worker_destroy(exploring.worker);
    if (status == STATUS_LIMIT)
        result->limit = limits_reached(limits);
    result->states = graph->states.count;
    result->transitions = graph->edges.length;
    return status;
}

enum status progress_states_wait(struct progress_states *graph, uint32_t state, uint64_t threads,
                                 bool *wait)
{
    *wait = false;
    if (!graph->waiting)
        return STATUS_OK;
    return linear_normal_waits(graph->waiting, history_of(graph, state), threads, wait);
}
