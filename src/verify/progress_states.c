#include "verify/progress_states.h"

#include <assert.h>
#include <string.h>

#include "explore/rounds.h"

/* So many parts of the store that two threads rarely want one. */
#define PART_BITS 6

static size_t numbered_size(const struct progress_states *graph)
{
    return sizeof *graph->numbered << graph->states.bits;
}

bool progress_states_init(struct progress_states *graph, const struct lin_model *model,
                          const struct model *reduced, struct linear_normal *waiting)
{
    struct budget *budget = model->model.budget;
    const uint32_t more = waiting ? 1 : 0, slots = model->model.slots;
    assert(!waiting || slots == model->model.identity_slots);
    *graph = (struct progress_states){.model = model,
                                      .reduced = reduced,
                                      .waiting = waiting,
                                      .threads = model->steps->setting.threads};
    vectors_init(budget, &graph->edges, &graph->first, &graph->parents, &graph->from,
                 &graph->running, &graph->resting, &graph->starving, &graph->left_out, &graph->wide,
                 &graph->stored);
    const bool room =
        state_store_init(&graph->states, budget, slots + more, model->model.identity_slots + more);
    return state_adder_init(&graph->adder, &graph->states) && room;
}

void progress_states_release(struct progress_states *graph)
{
    for (uint32_t i = 0; graph->numbered && i >> graph->states.bits == 0; i++)
        vector_release(&graph->numbered[i].states);
    memory_release(graph->states.budget, graph->numbered, numbered_size(graph));
    state_adder_release(&graph->adder);
    state_store_release(&graph->states);
    vectors_release(&graph->edges, &graph->first, &graph->parents, &graph->from, &graph->running,
                    &graph->resting, &graph->starving, &graph->left_out, &graph->wide,
                    &graph->stored);
}

/* ---- states by number ---- */

static state_id stored(const struct progress_states *graph, uint32_t state)
{
    return graph->numbered ? graph->stored.items[state] : state;
}

const uint32_t *progress_states_get(const struct progress_states *graph, uint32_t state)
{
    return state_store_get(&graph->states, stored(graph, state));
}

/* Where the number of a stored state is written; null when refused. */
static uint32_t *place_of_number(struct progress_states *graph, state_id id)
{
    struct numbered_part *part = &graph->numbered[state_store_part_number(&graph->states, id)];
    const size_t within = id >> graph->states.bits;
    while (part->states.length <= within)
        if (!vector_push(&part->states, PROGRESS_NONE))
            return NULL;
    return &part->states.items[within];
}

/* Gives a stored state a number, unless it has one. False when refused. */
static bool number_state(struct progress_states *graph, state_id id, uint32_t parent,
                         uint32_t *state)
{
    const uint32_t next = progress_states_count(graph);
    uint32_t *number = graph->numbered ? place_of_number(graph, id) : NULL;
    if (graph->numbered && !number)
        return false;
    *state = number ? *number : id;
    if (number ? *number != PROGRESS_NONE : id < next)
        return true;
    assert(number || id == next);
    if (number) {
        if (!vector_push(&graph->stored, id))
            return false;
        *state = *number = next;
    }
    return vector_push(&graph->parents, parent);
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
    if (graph->waiting) {
        if (!vector_reserve(&graph->wide, count + 1))
            return false;
        memcpy(graph->wide.items, slots, count * sizeof *slots);
        graph->wide.items[count] = before;
        slots = graph->wide.items;
    }
    const state_id id = state_store_intern(&graph->states, &graph->adder, slots,
                                           state_store_hash(&graph->states, slots));
    return id != STATE_REFUSED && number_state(graph, id, parent, state);
}

static bool add_edge(struct progress_states *graph, uint32_t from, struct progress_edge edge)
{
    return vector_push(&graph->edges, edge) && vector_push(&graph->from, from);
}

/* Of a state that was expanded: who is running in it, and which of the model's bounds show. */
struct described {
    uint64_t running, resting, starving;
    bool cut;
    size_t edges; /* of a state that a thread has taken up: how many it has */
};

static struct described described_of(const struct successors *out)
{
    return (struct described){.running = out->running,
                              .resting = out->resting,
                              .starving = out->starving,
                              .cut = out->cut != 0};
}

static bool describe(struct progress_states *graph, const struct described *as)
{
    const bool starves = as->starving != 0;
    graph->operations_ran_out |= as->cut;
    graph->nodes_ran_out |= starves;
    return vector_push(&graph->first, (uint32_t)graph->edges.length) &&
           vector_push(&graph->running, as->running) && vector_push(&graph->resting, as->resting) &&
           vector_push(&graph->starving, as->starving) &&
           vector_push(&graph->left_out, as->cut || starves);
}

struct progress_thread;

struct exploring {
    struct progress_states *graph;
    struct worker *worker;
    struct successors out; /* scratch */
    bool *faulty;
    struct error *error;
    struct progress_thread *threads; /* null: there is one so far */
    unsigned thread_count;
    VECTOR(struct progress_batch) batches;
};

/* What has happened up to a state; nothing can be said of it behind what is no history of the
 * specification. */
static normal_id history_of(struct progress_states *graph, uint32_t state)
{
    return graph->waiting ? progress_states_get(graph, state)[graph->model->model.slots]
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

/* An edge by a step; its target is not known yet. */
static struct progress_edge edge_by(const struct labels *labels, const struct step *step)
{
    struct renumbering ignored;
    const label l = labels_own(labels, step->label, &ignored);
    return (struct progress_edge){.shown = step->shown,
                                  .process = (uint8_t)step->process,
                                  .kind = (uint8_t)kind_of(labels, l)};
}

static bool is_fault(const struct labels *labels, const struct step *step)
{
    struct renumbering ignored;
    return labels_kind(labels, labels_own(labels, step->label, &ignored)) == LABEL_FAULT;
}

static struct progress_edge spin_of(uint32_t state, const struct step *wait)
{
    return (struct progress_edge){.target = state,
                                  .shown = wait->shown,
                                  .process = (uint8_t)wait->process,
                                  .kind = EDGE_SPIN};
}

static enum status add_steps(struct exploring *exploring, uint32_t state)
{
    const normal_id history = history_of(exploring->graph, state);
    struct progress_states *graph = exploring->graph;
    const struct model *model = graph->reduced;
    const struct successors *out = &exploring->out;
    for (size_t i = 0; i < out->steps.length && !*exploring->faulty; i++) {
        const struct step *step = &out->steps.items[i];
        struct progress_edge edge = edge_by(model->labels, step);
        normal_id then;
        *exploring->faulty = is_fault(model->labels, step);
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
    for (size_t i = 0; i < out->waits.length; i++)
        TRY_MEMORY(add_edge(graph, state, spin_of(state, &out->waits.items[i])));
    return STATUS_OK;
}

/* One state's steps. Behind a fault of the algorithm, the last edge then, nothing is looked at. */
static enum status visit(void *self, uint32_t state, bool *stop)
{
    struct exploring *exploring = self;
    struct progress_states *graph = exploring->graph;
    const uint32_t *slots = progress_states_get(graph, state);
    successors_clear(&exploring->out);
    TRY(worker_successors(exploring->worker, slots, &exploring->out, exploring->error));
    const struct described as = described_of(&exploring->out);
    TRY_MEMORY(describe(graph, &as));
    TRY(add_steps(exploring, state));
    *stop = *exploring->faulty;
    if (*stop)
        memcpy(graph->fault, exploring->out.fault, sizeof graph->fault);
    return *stop ? STATUS_OK : add_spins(graph, state, &exploring->out);
}

static enum status found(void *self, uint32_t *count)
{
    *count = progress_states_count(((struct exploring *)self)->graph);
    return STATUS_OK;
}

/* ---- several threads ---- */

/* What one of them has found in a round, state after state. */
struct progress_thread {
    struct worker *worker;
    struct successors out; /* scratch, as the next two */
    struct state_adder adder;
    VECTOR(uint32_t) slots;
    VECTOR(struct described) states;
    VECTOR(struct progress_edge) edges; /* to stored states; spins to that which they leave */
    struct error error;
};

struct progress_batch {
    struct progress_thread *by;
    const uint32_t *states;
    size_t first, first_edge, count;
};

/* False when refused; release it whatever it answers. */
static bool thread_init(const struct progress_states *graph, struct progress_thread *thread)
{
    struct budget *budget = graph->states.budget;
    *thread = (struct progress_thread){0};
    vectors_init(budget, &thread->slots, &thread->states, &thread->edges);
    successors_init(&thread->out, budget);
    const bool room = state_adder_init(&thread->adder, &graph->states);
    thread->worker = worker_create(graph->reduced);
    return room && thread->worker && vector_reserve(&thread->slots, graph->states.slots);
}

static void thread_release(struct progress_thread *thread)
{
    vectors_release(&thread->slots, &thread->states, &thread->edges);
    successors_release(&thread->out);
    state_adder_release(&thread->adder);
    worker_destroy(thread->worker);
}

static void threads_release(struct exploring *exploring)
{
    struct budget *budget = exploring->graph->states.budget;
    for (unsigned i = 0; i < exploring->thread_count; i++)
        thread_release(&exploring->threads[i]);
    memory_release(budget, exploring->threads,
                   exploring->thread_count * sizeof *exploring->threads);
    vector_release(&exploring->batches);
}

/* The store is divided, and each state keeps its number. */
static enum status divide(struct progress_states *graph)
{
    struct budget *budget = graph->states.budget;
    const uint32_t count = progress_states_count(graph);
    TRY_MEMORY(vector_reserve(&graph->stored, count));
    TRY(state_store_divide(&graph->states, PART_BITS, graph->stored.items));
    graph->stored.length = count;
    graph->numbered = memory_zeroed(budget, numbered_size(graph));
    TRY_MEMORY(graph->numbered);
    for (uint32_t i = 0; i >> graph->states.bits == 0; i++)
        vector_init(&graph->numbered[i].states, budget);
    for (uint32_t state = 0; state < count; state++) {
        uint32_t *number = place_of_number(graph, graph->stored.items[state]);
        TRY_MEMORY(number);
        *number = state;
    }
    return STATUS_OK;
}

static enum status begin(void *self, struct team *team, unsigned threads)
{
    (void)team;
    struct exploring *exploring = self;
    TRY(divide(exploring->graph));
    TRY_MEMORY(vector_reserve(&exploring->batches, ROUND_BATCHES));
    exploring->threads =
        memory_allocate(exploring->graph->states.budget, threads * sizeof *exploring->threads);
    TRY_MEMORY(exploring->threads);
    exploring->thread_count = threads;
    bool room = true;
    for (unsigned i = 0; i < threads; i++)
        room &= thread_init(exploring->graph, &exploring->threads[i]);
    return granted(room);
}

/* Works out the steps of a state, and stores where they lead. *alone: it must be visited by one
 * thread, for one of them is a fault. */
static enum status take_one(const struct progress_states *graph, struct progress_thread *thread,
                            uint32_t state, bool *alone)
{
    struct successors *out = &thread->out;
    const struct labels *labels = graph->reduced->labels;
    const size_t first = thread->edges.length;
    state_store_read(&graph->states, stored(graph, state), thread->slots.items);
    successors_clear(out);
    const enum status status =
        worker_successors(thread->worker, thread->slots.items, out, &thread->error);
    *alone = status == STATUS_INPUT;
    if (status != STATUS_OK)
        return *alone ? STATUS_OK : status;
    for (size_t i = 0; i < out->steps.length; i++) {
        const uint32_t *slots = out->states.items + i * graph->reduced->slots;
        struct progress_edge edge = edge_by(labels, &out->steps.items[i]);
        *alone |= is_fault(labels, &out->steps.items[i]);
        edge.target = state_store_intern(&graph->states, &thread->adder, slots,
                                         state_store_hash(&graph->states, slots));
        TRY_MEMORY(edge.target != STATE_REFUSED && vector_push(&thread->edges, edge));
    }
    for (size_t i = 0; i < out->waits.length; i++)
        TRY_MEMORY(vector_push(&thread->edges, spin_of(state, &out->waits.items[i])));
    struct described as = described_of(out);
    as.edges = thread->edges.length - first;
    return granted(vector_push(&thread->states, as));
}

static enum status take(void *self, unsigned number, uint32_t batch, const uint32_t *states,
                        uint32_t count, bool *alone)
{
    struct exploring *exploring = self;
    struct progress_thread *thread = &exploring->threads[number];
    exploring->batches.items[batch] =
        (struct progress_batch){thread, states, thread->states.length, thread->edges.length, count};
    for (uint32_t i = 0; i < count && !*alone; i++)
        TRY(take_one(exploring->graph, thread, states[i], alone));
    return STATUS_OK;
}

/* Adds what was found in a batch, as one thread would have. */
static enum status add_batch(struct progress_states *graph, const struct progress_batch *batch)
{
    const struct progress_edge *edges = batch->by->edges.items + batch->first_edge;
    for (size_t i = 0; i < batch->count; i++) {
        const struct described *as = &batch->by->states.items[batch->first + i];
        assert(batch->states[i] == graph->first.length); /* one after the other */
        TRY_MEMORY(describe(graph, as));
        for (size_t j = 0; j < as->edges; j++) {
            struct progress_edge edge = *edges++;
            if (edge.kind != EDGE_SPIN)
                TRY_MEMORY(
                    number_state(graph, edge.target, (uint32_t)graph->edges.length, &edge.target));
            TRY_MEMORY(add_edge(graph, batch->states[i], edge));
        }
    }
    return STATUS_OK;
}

static enum status end_round(void *self, uint32_t batches, bool drop)
{
    struct exploring *exploring = self;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < batches && !drop && status == STATUS_OK; i++)
        status = add_batch(exploring->graph, &exploring->batches.items[i]);
    for (unsigned i = 0; i < exploring->thread_count; i++)
        exploring->threads[i].states.length = exploring->threads[i].edges.length = 0;
    return status;
}

static const struct together together = {.begin = begin, .take = take, .end = end_round};

/* ---- all of it ---- */

/* Where the specification waits its steps are followed by one thread. */
static enum status explore_states(struct exploring *exploring,
                                  const struct assertion_options *options)
{
    static const struct visitor visitor = {.visit = visit, .found = found};
    struct explorer explorer;
    explorer_init(&explorer, EXPLORE_OLDEST_FIRST, options->limits,
                  exploring->graph->states.budget);
    explorer.task = "progress";
    explorer.nodes = "states";
    explorer.threads = options->threads;
    if (options->threads_from)
        explorer.threads_from = options->threads_from;
    explorer.together = exploring->graph->waiting ? NULL : &together;
    const enum status status = explore(&explorer, &visitor, exploring);
    explorer_release(&explorer);
    return status;
}

static enum status explore_all(struct exploring *exploring, const struct assertion_options *options)
{
    struct progress_states *graph = exploring->graph;
    const struct model *model = graph->reduced;
    uint32_t state;
    exploring->worker = worker_create(model);
    TRY_MEMORY(exploring->worker);
    exploring->out.limits = options->limits;
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
    TRY(explore_states(exploring, options));
    return granted(vector_push(&graph->first, (uint32_t)graph->edges.length));
}

enum status progress_states_explore(struct progress_states *graph,
                                    const struct assertion_options *options,
                                    struct assertion_result *result, bool *faulty,
                                    struct error *error)
{
    struct exploring exploring = {.graph = graph, .faulty = faulty, .error = error};
    successors_init(&exploring.out, graph->model->model.budget);
    vector_init(&exploring.batches, graph->states.budget);
    enum status status = explore_all(&exploring, options);
    threads_release(&exploring);
    successors_release(&exploring.out);
    worker_destroy(exploring.worker);
    if (status == STATUS_LIMIT)
        result->limit = limits_reached(options->limits);
    result->states = progress_states_count(graph);
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
