#include "support/progress_oracle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- what has happened ----
 *
 * An explanation is the object's state, and two bits for each thread: what it is about. */

enum about {
    ABOUT_NOTHING,
    ABOUT_F, /* called, and has not taken effect */
    ABOUT_G,
    ABOUT_DONE,
};

#define EXPLANATIONS (2u << 2 * PROGRESS_MOST_THREADS)

static bool has(const struct progress_explanations *all, uint32_t explanation)
{
    return all->bits[explanation / 64] >> explanation % 64 & 1;
}

static void add(struct progress_explanations *all, uint32_t explanation)
{
    all->bits[explanation / 64] |= (uint64_t)1 << explanation % 64;
}

static uint32_t about_of(uint32_t explanation, uint32_t thread)
{
    return explanation >> (1 + 2 * thread) & 3;
}

static uint32_t with_about(uint32_t explanation, uint32_t thread, uint32_t about)
{
    return (explanation & ~(3u << (1 + 2 * thread))) | about << (1 + 2 * thread);
}

/* Whether the thread's operation could take effect. */
static bool may_take_effect(const struct progress_specification *specification,
                            uint32_t explanation, uint32_t thread)
{
    uint32_t about = about_of(explanation, thread);
    return (about == ABOUT_F || about == ABOUT_G) &&
           !specification->waits_in[about - ABOUT_F][explanation & 1];
}

/* Adds what follows when operations take effect, until nothing is new. */
static void let_take_effect(const struct progress_specification *specification,
                            struct progress_explanations *all)
{
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t e = 0; e < EXPLANATIONS; e++)
            for (uint32_t t = 0; has(all, e) && t < PROGRESS_MOST_THREADS; t++)
                if (may_take_effect(specification, e, t)) {
                    uint32_t then = with_about(e, t, ABOUT_DONE) & ~1u;
                    then |= specification->leads_to[about_of(e, t) - ABOUT_F];
                    grows |= !has(all, then);
                    add(all, then);
                }
    }
}

/* The explanations behind a call of the operation (ABOUT_F, ABOUT_G), or behind an answer
 * (ABOUT_DONE). */
static struct progress_explanations explain(const struct progress_specification *specification,
                                            const struct progress_explanations *all,
                                            uint32_t thread, uint32_t event)
{
    struct progress_explanations then = {0};
    for (uint32_t e = 0; e < EXPLANATIONS; e++)
        if (has(all, e) && event != ABOUT_DONE)
            add(&then, with_about(e, thread, event));
        else if (has(all, e) && about_of(e, thread) == ABOUT_DONE)
            add(&then, with_about(e, thread, ABOUT_NOTHING));
    let_take_effect(specification, &then);
    return then;
}

/* Whether in some explanation these threads, one at least, all wait. */
static bool may_wait(const struct progress_graph *graph, uint32_t state, uint32_t threads)
{
    const struct progress_explanations *all = &graph->about.items[state].explanations;
    bool found = false;
    if (!graph->specification || threads == 0)
        return false;
    for (uint32_t e = 0; e < EXPLANATIONS && !found; e++) {
        found = has(all, e);
        for (uint32_t t = 0; t < graph->threads && found; t++)
            if (threads >> t & 1)
                found = (about_of(e, t) == ABOUT_F || about_of(e, t) == ABOUT_G) &&
                        !may_take_effect(graph->specification, e, t);
    }
    return found;
}

/* ---- the graph ---- */

static uint32_t state_of(struct progress_graph *graph, const uint32_t *slots, size_t count,
                         const struct progress_explanations *explanations)
{
    uint32_t whole[1024 + sizeof *explanations / sizeof(uint32_t)];
    memcpy(whole, slots, count * sizeof *slots);
    memcpy(whole + count, explanations, sizeof *explanations);
    uint32_t state = word_arrays_intern(&graph->states, whole,
                                        count + sizeof *explanations / sizeof *whole, NULL);
    assert(state != UINT32_MAX);
    return state;
}

static void push_step(struct progress_graph *graph, struct progress_step step)
{
    bool room = vector_push(&graph->steps, step);
    assert(room);
    (void)room;
}

static struct progress_state describe(const struct lin_model *model, const uint32_t *slots,
                                      uint64_t starving, uint32_t threads)
{
    struct progress_state about = {.beyond_bounds = starving != 0};
    for (uint32_t i = 0; i < threads; i++) {
        about.running[i] = lin_model_is_running(model, slots, i);
        about.may_rest[i] = !about.running[i] && !lin_model_is_inside_order(model, slots, i);
        about.beyond_bounds |= lin_model_is_cut(model, slots, i);
        about.starving[i] = starving >> i & 1;
    }
    for (uint32_t i = 0; i < model->steps->pool_count; i++) {
        const struct lin_pool *pool = &model->steps->pools[i];
        for (uint32_t j = 0; j < pool->nodes; j++)
            about.taken[i] += slots[pool->first + j * pool->words] == LIN_NODE_LIVE;
    }
    return about;
}

static enum progress_verdict expand(struct progress_graph *graph, const struct lin_model *model,
                                    struct worker *worker, uint32_t state, struct successors *out)
{
    struct error error;
    size_t count, room;
    uint32_t slots[1024];
    const uint32_t *whole = word_arrays_get(&graph->states, state, &count);
    struct progress_explanations so_far;
    memcpy(slots, whole, model->model.slots * 4);
    memcpy(&so_far, whole + model->model.slots, sizeof so_far);
    successors_clear(out);
    if (worker_successors(worker, slots, out, &error) != STATUS_OK)
        return PROGRESS_FAULTY;
    room =
        (size_t)vector_push(&graph->first, graph->steps.length) +
        (size_t)vector_push(&graph->about, describe(model, slots, out->starving, graph->threads));
    assert(room == 2);
    (void)room;
    graph->about.items[state].explanations = so_far;
    for (uint32_t i = 0; i < graph->threads; i++)
        if (out->waiting >> i & 1)
            push_step(graph, (struct progress_step){state, state, i, false, false, true});
    for (size_t i = 0; i < out->steps.length; i++) {
        const struct step *step = &out->steps.items[i];
        struct progress_step taken = {.from = state, .thread = step->process};
        enum label_kind kind = labels_kind(model->model.labels, step->label);
        if (step->label == model->fault)
            return PROGRESS_FAULTY;
        taken.calls = kind == LABEL_INVOKE;
        taken.answers = kind == LABEL_RESPOND;
        struct progress_explanations then = so_far;
        const char *name = labels_get(model->model.labels, step->label)->name;
        if (graph->specification && (taken.calls || taken.answers))
            then = explain(graph->specification, &so_far, taken.thread,
                           taken.answers            ? ABOUT_DONE
                           : strcmp(name, "f") == 0 ? ABOUT_F
                                                    : ABOUT_G);
        taken.to =
            state_of(graph, out->states.items + i * model->model.slots, model->model.slots, &then);
        push_step(graph, taken);
    }
    return PROGRESS_HOLDS;
}

void progress_graph_init(struct progress_graph *graph, const struct lin_model *model,
                         const struct progress_specification *specification, uint32_t most)
{
    struct progress_explanations initially = {{specification != NULL}};
    struct worker *worker = worker_create(&model->model);
    struct successors out;
    struct error error;
    struct budget *budget = model->model.budget;
    uint32_t slots = model->model.slots;
    *graph = (struct progress_graph){.specification = specification,
                                     .threads = model->steps->setting.threads,
                                     .pools = model->steps->pool_count,
                                     .for_ever = model->steps->setting.operations < 0};
    word_arrays_init(&graph->states, budget);
    vector_init(&graph->about, budget);
    vector_init(&graph->steps, budget);
    vector_init(&graph->first, budget);
    successors_init(&out, budget);
    if (graph->threads > PROGRESS_MOST_THREADS || graph->pools > PROGRESS_MOST_POOLS ||
        slots > 1024)
        graph->verdict = PROGRESS_TOO_LARGE;
    else if (!worker || worker_initial(worker, &out, &error) != STATUS_OK)
        graph->verdict = PROGRESS_FAULTY;
    for (size_t i = 0; graph->verdict == PROGRESS_HOLDS && i < out.steps.length; i++)
        (void)state_of(graph, out.states.items + i * slots, slots, &initially);
    graph->initial = (uint32_t)graph->states.items.length;
    for (uint32_t i = 0; graph->verdict == PROGRESS_HOLDS && i < graph->states.items.length; i++)
        graph->verdict = i < most ? expand(graph, model, worker, i, &out) : PROGRESS_TOO_LARGE;
    bool room = vector_push(&graph->first, graph->steps.length);
    assert(room);
    (void)room;
    successors_release(&out);
    worker_destroy(worker);
}

void progress_graph_release(struct progress_graph *graph)
{
    word_arrays_release(&graph->states);
    vector_release(&graph->about);
    vector_release(&graph->steps);
    vector_release(&graph->first);
}

/* ---- what is forbidden ---- */

#define ANYONE UINT32_MAX

/* A kind of cycle: steps that may be on it, and what must be on it. Duties are bits, one or one for
 * each thread. */
struct cycle {
    const struct progress_graph *graph;
    enum lin_property property;
    uint32_t victim; /* whose operation never returns; ANYONE: none does */
    uint32_t duties;
};

static bool is_fair(const struct cycle *cycle)
{
    return cycle->property == LIN_DEADLOCK_FREE || cycle->property == LIN_STARVATION_FREE;
}

static bool may_be_on(const struct cycle *cycle, const struct progress_step *step)
{
    const struct progress_state *about = cycle->graph->about.items;
    bool is_victim = cycle->victim == ANYONE || step->thread == cycle->victim;
    if (about[step->from].beyond_bounds || about[step->to].beyond_bounds)
        return false;
    if (cycle->property == LIN_OBSTRUCTION_FREE) /* one thread alone inside one operation */
        return is_victim && !step->calls && !step->answers;
    return !(is_victim && step->answers);
}

/* Every thread steps or need not; or some step of the victim is inside its operation. */
static uint32_t duties_done_by(const struct cycle *cycle, const struct progress_step *step)
{
    if (is_fair(cycle)) /* who waits has done so as well */
        return 1u << step->thread;
    bool inside = !step->calls && !step->answers;
    return inside && (cycle->victim == ANYONE || step->thread == cycle->victim) ? 1u << step->thread
                                                                                : 0;
}

/* Whether a cycle on which so many duties have been done is forbidden. */
static bool is_forbidden(const struct cycle *cycle, uint32_t state, uint32_t done)
{
    const struct progress_state *about = &cycle->graph->about.items[state];
    uint32_t threads = done;
    for (uint32_t i = 0; is_fair(cycle) && i < cycle->graph->threads; i++)
        threads = (threads & ~(1u << i)) | (uint32_t)about->running[i] << i;
    return (is_fair(cycle) ? done == cycle->duties : done != 0) &&
           !may_wait(cycle->graph, state, threads);
}

static uint32_t duties_done_in(const struct cycle *cycle, uint32_t state)
{
    uint32_t done = 0;
    for (uint32_t i = 0; is_fair(cycle) && i < cycle->graph->threads; i++)
        done |= (uint32_t)cycle->graph->about.items[state].may_rest[i] << i;
    return done;
}

/* Whether some walk from a state comes back to it with all duties done. */
static bool comes_back(const struct cycle *cycle, uint32_t start)
{
    const struct progress_graph *graph = cycle->graph;
    size_t width = cycle->duties + 1, count = graph->states.items.length * width, end = 0;
    bool *seen = calloc(count, sizeof *seen), found = false;
    size_t *queue = malloc(count * sizeof *queue);
    assert(seen && queue);
    queue[end] = start * width + duties_done_in(cycle, start);
    seen[queue[end++]] = true;
    for (size_t i = 0; i < end && !found; i++) {
        uint32_t state = (uint32_t)(queue[i] / width), done = (uint32_t)(queue[i] % width);
        for (size_t s = graph->first.items[state]; s < graph->first.items[state + 1]; s++) {
            const struct progress_step *step = &graph->steps.items[s];
            if (!may_be_on(cycle, step))
                continue;
            uint32_t then = done | duties_done_by(cycle, step) | duties_done_in(cycle, step->to);
            found |= step->to == start && is_forbidden(cycle, start, then);
            size_t next = step->to * width + then;
            if (!seen[next]) {
                seen[next] = true;
                queue[end++] = next;
            }
        }
    }
    free(seen);
    free(queue);
    return found;
}

/* Of a fair cycle: that there is an operation which never returns. */
static bool has_operation(const struct cycle *cycle, uint32_t state)
{
    const struct progress_state *about = &cycle->graph->about.items[state];
    bool running = false;
    for (uint32_t i = 0; i < cycle->graph->threads; i++)
        running |= about->running[i] && (cycle->victim == ANYONE || cycle->victim == i);
    return running;
}

static bool exists(const struct cycle *cycle)
{
    for (uint32_t state = 0; state < cycle->graph->states.items.length; state++)
        if ((!is_fair(cycle) || has_operation(cycle, state)) && comes_back(cycle, state))
            return true;
    return false;
}

/* An operation is running and nothing can step. */
static bool is_stuck_somewhere(const struct cycle *cycle)
{
    const struct progress_graph *graph = cycle->graph;
    for (uint32_t state = 0; state < graph->states.items.length; state++) {
        bool steps = false;
        for (size_t s = graph->first.items[state]; s < graph->first.items[state + 1]; s++)
            steps |= !graph->steps.items[s].waits;
        uint32_t running = 0;
        for (uint32_t i = 0; i < graph->threads; i++)
            running |= (uint32_t)graph->about.items[state].running[i] << i;
        if (!steps && has_operation(cycle, state) && !graph->about.items[state].beyond_bounds &&
            !may_wait(graph, state, running))
            return true;
    }
    return false;
}

/* ---- what holds only because nodes run out ---- */

struct call_outcome {
    bool returns, starves; /* in some run */
};

/* What can become of the operation that a thread is running: in any run, or while it is alone. */
static struct call_outcome follow_operation(const struct progress_graph *graph, uint32_t from,
                                            uint32_t thread, bool alone)
{
    struct call_outcome outcome = {false, false};
    size_t count = graph->states.items.length, end = 0;
    bool *seen = calloc(count, sizeof *seen);
    uint32_t *queue = malloc(count * sizeof *queue);
    assert(seen && queue);
    seen[queue[end++] = from] = true;
    for (size_t i = 0; i < end; i++) {
        outcome.starves |= graph->about.items[queue[i]].starving[thread];
        for (size_t s = graph->first.items[queue[i]]; s < graph->first.items[queue[i] + 1]; s++) {
            const struct progress_step *step = &graph->steps.items[s];
            if (alone && step->thread != thread)
                continue;
            if (step->thread == thread && step->answers)
                outcome.returns = true;
            else if (!seen[step->to])
                seen[queue[end++] = step->to] = true;
        }
    }
    free(seen);
    free(queue);
    return outcome;
}

/* Whether there are so many nodes taken in some initial state. */
static bool has_only_what_init_made(const struct progress_graph *graph, uint32_t state)
{
    bool all = true;
    for (uint32_t p = 0; p < graph->pools; p++) {
        bool some = false;
        for (uint32_t i = 0; i < graph->initial; i++)
            some |= graph->about.items[i].taken[p] >= graph->about.items[state].taken[p];
        all &= some;
    }
    return all;
}

/* Whether the thread, and no other, is inside an operation. */
static bool is_only_one(const struct progress_graph *graph, uint32_t state, uint32_t thread)
{
    bool only = true;
    for (uint32_t i = 0; i < graph->threads; i++)
        only &= graph->about.items[state].running[i] == (i == thread);
    return only;
}

/* Some operation that runs where no other does can never return, and in some run waits for a node.
 */
static bool some_is_lost(const struct progress_graph *graph)
{
    bool lost = false;
    for (uint32_t state = 0; state < graph->states.items.length && !lost; state++)
        for (uint32_t i = 0; i < graph->threads; i++)
            if (is_only_one(graph, state, i)) {
                struct call_outcome outcome = follow_operation(graph, state, i, false);
                lost |= outcome.starves && !outcome.returns;
            }
    return lost;
}

/* One operation, called where none is running and no more nodes are taken than `init` has made,
 * waits for a node though it is alone. */
static bool one_uses_up_all(const struct progress_graph *graph)
{
    bool uses_up = false;
    for (size_t s = 0; s < graph->steps.length && !uses_up; s++) {
        const struct progress_step *step = &graph->steps.items[s];
        uses_up = step->calls && is_only_one(graph, step->to, step->thread) &&
                  has_only_what_init_made(graph, step->from) &&
                  follow_operation(graph, step->to, step->thread, true).starves;
    }
    return uses_up;
}

static bool runs_out_of_nodes(const struct progress_graph *graph, enum lin_property property)
{
    bool single = property == LIN_WAIT_FREE || property == LIN_STARVATION_FREE;
    return graph->for_ever && (one_uses_up_all(graph) || (single && some_is_lost(graph)));
}

enum progress_verdict progress_by_definition(const struct progress_graph *graph,
                                             enum lin_property property)
{
    struct cycle cycle = {.graph = graph,
                          .property = property,
                          .victim = ANYONE,
                          .duties = (1u << graph->threads) - 1};
    bool violated = false;
    if (property == LIN_LOCK_FREE || property == LIN_DEADLOCK_FREE)
        violated = exists(&cycle) || (is_fair(&cycle) && is_stuck_somewhere(&cycle));
    for (uint32_t i = 0; !violated && i < graph->threads; i++) {
        cycle.victim = i;
        if (property == LIN_WAIT_FREE || property == LIN_OBSTRUCTION_FREE)
            violated = exists(&cycle);
        else if (property == LIN_STARVATION_FREE)
            violated = exists(&cycle) || is_stuck_somewhere(&cycle);
    }
    return violated                             ? PROGRESS_VIOLATED
           : runs_out_of_nodes(graph, property) ? PROGRESS_UNKNOWN
                                                : PROGRESS_HOLDS;
}
