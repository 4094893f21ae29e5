/* A reduced state stands for a plain one *by* a renumbering: the plain state, renumbered so, is the
 * reduced one. Each step says which renumbering came behind it (labels_own); all those so far, one
 * after the other, lead from the numbers of the plain execution to those of the reduced one.
 *
 * So the counterpart of a step from p to q is a run of one process of the plain model, from the
 * state that p stands for, with the step's events in the plain numbers, to a state that q stands
 * for. It is looked for depth first, with few steps before more: a process may run far on its own,
 * in many ways, without ever taking the step that is looked for. */
#include "tell/concretise.h"

#include <assert.h>
#include <string.h>

#define MOST_EVENTS 20 /* of one step: a call, linearization points, an answer */

/* What a step has to become: its events in order, and where it leads. */
struct target {
    label labels[MOST_EVENTS];
    uint32_t count;
    const uint32_t *state; /* of the reduced graph; null: any, behind the last label */
    bool is_fault;         /* there is none: it breaks off where the model is wrong */
};

struct concretising {
    const struct concretise_options *options;
    struct worker *reduced;
    const struct graph *graph; /* of the execution, its states reduced ones */
    struct graph *plain;
    struct execution *execution; /* under construction */
    struct target target;
    struct renumbering by; /* from the plain numbers to those of the target's state */
    unsigned most;         /* steps of the run, for now */
    VECTOR(uint32_t) scratch;
    struct error *error;
};

/* Whether the reduced state stands for the plain one. */
static enum status stands_for(struct concretising *work, const uint32_t *plain,
                              const uint32_t *reduced, bool *stands)
{
    const struct model *model = work->reduced->model;
    memcpy(work->scratch.items, plain, model->slots * sizeof *plain);
    TRY(model->class->turn(work->reduced, work->scratch.items, work->by, work->error));
    *stands = memcmp(work->scratch.items, reduced, model->identity_slots * sizeof *plain) == 0;
    return STATUS_OK;
}

/* A fault, or a linearization point out of place: what is behind it does not count. */
static bool ends_executions(enum label_kind kind)
{
    return kind == LABEL_FAULT || kind == LABEL_NO_POINT || kind == LABEL_SECOND_POINT ||
           kind == LABEL_IDLE_POINT;
}

/* Sets the target to a step of the reduced execution. */
static enum status set_target(struct concretising *work, label l, state_id to)
{
    const struct model *model = work->reduced->model;
    struct target *target = &work->target;
    struct renumbering behind;
    l = labels_own(model->labels, l, &behind);
    l = model->class->turn_label(work->reduced, l, renumbering_back(work->by));
    TRY_MEMORY(l != LABEL_REFUSED);
    work->by = renumbering_then(work->by, behind);
    const struct action *event = labels_get(model->labels, l);
    *target = (struct target){.labels = {l}, .count = l != LABEL_TAU};
    if (!ends_executions(event->kind))
        target->state = graph_state(work->graph, to);
    if (event->kind == LABEL_SEVERAL) {
        assert(event->count <= MOST_EVENTS); /* as many as a label has components */
        memcpy(target->labels, event->components, event->count * sizeof *event->components);
        target->count = event->count;
    }
    return STATUS_OK;
}

/* How many of the target's events behind `seen` a label stands for: one, those of several, or 0: it
 * is none of them. */
static uint32_t count_seen(const struct concretising *work, label l, uint32_t seen)
{
    const struct target *target = &work->target;
    const struct action *event = labels_get(work->plain->model->labels, l);
    const label *labels = event->kind == LABEL_SEVERAL ? event->components : &l;
    uint32_t count = event->kind == LABEL_SEVERAL ? event->count : 1;
    bool same = seen + count <= target->count;
    for (uint32_t i = 0; same && i < count; i++)
        same = target->labels[seen + i] == labels[i];
    return same ? count : 0;
}

/* Whether a step may be taken behind `depth` others of the run, which had `seen` of the events. A
 * call may stand before a fault: the fused step did not say which. */
static bool may_follow(const struct concretising *work, label l, uint32_t seen, unsigned depth)
{
    const struct target *target = &work->target;
    if (l == LABEL_TAU || count_seen(work, l, seen) > 0)
        return true;
    return target->is_fault ? depth == 0 : !target->state && seen == 0;
}

/* Whether the run is complete with a step by that label to a state. */
static enum status is_complete(struct concretising *work, const uint32_t *state, label l,
                               uint32_t seen, bool *complete)
{
    const struct target *target = &work->target;
    *complete = !target->is_fault && !target->state && l == target->labels[target->count - 1];
    if (!target->state || seen < target->count)
        return STATUS_OK;
    return stands_for(work, state, target->state, complete);
}

/* Adds a state that a step of the plain model leads to: the one that stands for it, behind all that
 * are skipped. */
static enum status add_state(struct concretising *work, uint32_t *state, state_id *id)
{
    const struct model_class *class = work->plain->model->class;
    uint32_t process = 0;
    bool fresh;
    TRY(worker_represent(work->plain->own.worker, state, work->error));
    for (uint32_t i = 0;
         work->plain->skips && class->skip && process != UINT32_MAX && i < GRAPH_SKIPS_MOST; i++)
        TRY(class->skip(work->plain->own.worker, state, &process, work->error));
    *id = state_table_intern(&work->plain->states.parts[0].states, state, &fresh);
    return *id == STATE_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

static enum status search(struct concretising *work, uint32_t process, uint32_t seen,
                          unsigned depth, bool *found);

/* Takes a step, and goes on from there; takes it back unless that completes the run. */
static enum status try_step(struct concretising *work, const struct step *step, uint32_t *to,
                            uint32_t seen, unsigned depth, bool *found)
{
    struct execution *execution = work->execution;
    state_id id = STATE_REFUSED;
    TRY(add_state(work, to, &id));
    TRY_MEMORY(execution_push(execution, step->label, id));
    seen += count_seen(work, step->label, seen);
    TRY(is_complete(work, graph_state(work->plain, id), step->label, seen, found));
    if (!*found && depth + 1 < work->most)
        TRY(search(work, step->process, seen, depth + 1, found));
    if (*found)
        return STATUS_OK;
    assert(execution->states.length == execution->labels.length + 1); /* as it was before */
    execution->labels.length--;
    execution->states.length--;
    return STATUS_OK;
}

/* Depth first from the execution's last state, by steps of one process; UINT32_MAX: any. *found
 * with STATUS_INPUT: the model is wrong in what comes next, and the execution leads there. */
static enum status search(struct concretising *work, uint32_t process, uint32_t seen,
                          unsigned depth, bool *found)
{
    const struct model *model = work->plain->model;
    const struct execution *execution = work->execution;
    const state_id from = execution->states.items[execution->states.length - 1];
    struct successors out;
    successors_init(&out, model->budget);
    enum status status = worker_successors(work->plain->own.worker, graph_state(work->plain, from),
                                           &out, work->error);
    *found = status == STATUS_INPUT;
    for (size_t i = 0; status == STATUS_OK && !*found && i < out.steps.length; i++) {
        const struct step *step = &out.steps.items[i];
        if ((process == UINT32_MAX || step->process == process) &&
            may_follow(work, step->label, seen, depth))
            status = try_step(work, step, out.states.items + i * model->slots, seen, depth, found);
    }
    successors_release(&out);
    return status;
}

static enum status search_deeper(struct concretising *work, bool *found)
{
    *found = false;
    for (work->most = 1; !*found && work->most <= work->options->most; work->most *= 2)
        TRY(search(work, UINT32_MAX, 0, 0, found));
    return STATUS_OK;
}

/* Begins at the first initial state that the reduced one stands for. */
static enum status start(struct concretising *work, state_id first, bool *found)
{
    const uint32_t *reduced = graph_state(work->graph, first);
    const struct graph *plain = work->plain;
    for (size_t i = 0; i < plain->initial.length && !*found; i++) {
        const state_id id = plain->initial.items[i];
        TRY(stands_for(work, graph_state(plain, id), reduced, found));
        if (*found && !vector_push(&work->execution->states, id))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

static enum status concretise_all(struct concretising *work, const struct execution *execution,
                                  bool *found)
{
    TRY(start(work, execution->states.items[0], found));
    for (size_t i = 0; i < execution->labels.length && *found; i++) {
        TRY(set_target(work, execution->labels.items[i], execution->states.items[i + 1]));
        TRY(search_deeper(work, found));
    }
    return STATUS_OK;
}

/* On to where the model is wrong, if it is that in a step from the reduced execution's last state.
 */
static enum status go_to_fault(struct concretising *work, state_id last)
{
    struct successors out;
    bool found;
    successors_init(&out, work->plain->model->budget);
    enum status status =
        worker_successors(work->reduced, graph_state(work->graph, last), &out, work->error);
    successors_release(&out);
    if (status != STATUS_INPUT)
        return status;
    work->target = (struct target){.is_fault = true};
    return search_deeper(work, &found);
}

enum status concretise(struct worker *reduced, const struct graph *graph, struct graph *plain,
                       const struct concretise_options *options, struct execution *execution,
                       bool *found, struct error *error)
{
    struct budget *budget = plain->model->budget;
    struct execution made;
    struct concretising work = {.options = options,
                                .reduced = reduced,
                                .graph = graph,
                                .plain = plain,
                                .execution = &made,
                                .by = RENUMBERING_NONE,
                                .error = error};
    assert(reduced->model->slots == plain->model->slots &&
           reduced->model->slots <= graph->model->slots);
    *found = false;
    execution_init(&made, budget);
    vector_init(&work.scratch, budget);
    enum status status = vector_reserve(&work.scratch, plain->model->slots)
                             ? concretise_all(&work, execution, found)
                             : STATUS_LIMIT;
    if (status == STATUS_OK && *found && options->to_fault)
        status = go_to_fault(&work, execution->states.items[execution->states.length - 1]);
    vector_release(&work.scratch);
    if (status == STATUS_INPUT && options->to_fault)
        status = STATUS_OK; /* that is where it was to lead */
    *found &= status == STATUS_OK;
    struct execution *unused = *found ? execution : &made;
    execution_release(unused);
    if (*found)
        *execution = made;
    return status;
}
