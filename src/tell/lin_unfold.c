#include "tell/lin_unfold.h"

#include <assert.h>
#include <string.h>

#include "lin/symmetry.h"

#define MOST_STEPS 2048 /* of one fused step */

/* What a fused step has to become: its labels in order, and where it leads. */
struct target {
    label labels[3];
    uint32_t count;
    const uint32_t *state; /* of the fused graph; null: any, behind the last label */
    bool is_fault;         /* there is none: it breaks off where the model is wrong */
    struct renumbering by; /* from the threads' and values' own names to those in `state` */
};

struct unfolding {
    const struct lin_model *fused;
    struct lin_worker *worker; /* of that */
    struct graph *plain;
    struct execution *execution; /* under construction */
    struct target target;
    unsigned most;           /* steps that one fused step may become */
    VECTOR(uint32_t) turned; /* a state with its threads renumbered */
    struct error *error;
};

/* `by` is how threads and values are named before the step, and then behind it. */
static enum status set_target(struct unfolding *unfolding, label l, const uint32_t *state,
                              struct renumbering *by)
{
    const struct labels *labels = unfolding->fused->model.labels;
    struct target *target = &unfolding->target;
    const struct renumbering back = renumbering_back(*by);
    struct renumbering behind;
    const struct action *event;
    l = labels_own(labels, l, &behind);
    *by = renumbering_then(*by, behind);
    l = lin_model_turn_label(unfolding->fused, l, back);
    if (l == LABEL_REFUSED)
        return STATUS_LIMIT;
    *target = (struct target){.labels = {l}, .count = l != LABEL_TAU, .state = state, .by = *by};
    if (lin_model_is_last(unfolding->fused, l))
        target->state = NULL;
    event = labels_get(labels, l);
    if (event->kind == LABEL_SEVERAL) {
        assert(event->count <= ARRAY_LENGTH(target->labels));
        for (size_t i = 0; i < event->count; i++)
            target->labels[i] = event->components[i];
        target->count = event->count;
    }
    return STATUS_OK;
}

/* A call may stand before a fault: the fused step did not say which. */
static bool may_follow(const struct unfolding *unfolding, label l, uint32_t seen, unsigned depth)
{
    const struct target *target = &unfolding->target;
    if (l == LABEL_TAU || (seen < target->count && target->labels[seen] == l))
        return true;
    return target->is_fault ? depth == 0 : !target->state && seen == 0;
}

/* Whether `state` is the other one, of the fused graph, once it is named as there. */
static bool is_named(struct unfolding *unfolding, const uint32_t *state, const uint32_t *other,
                     struct renumbering by)
{
    memcpy(unfolding->turned.items, state, unfolding->plain->model->slots * sizeof *state);
    return lin_model_turn(unfolding->worker, unfolding->turned.items, by) &&
           memcmp(unfolding->turned.items, other,
                  unfolding->plain->model->identity_slots * sizeof *state) == 0;
}

static bool is_there(struct unfolding *unfolding, const uint32_t *state, label l, uint32_t seen)
{
    const struct target *target = &unfolding->target;
    if (target->is_fault)
        return false;
    if (!target->state)
        return l == target->labels[target->count - 1];
    return seen == target->count && is_named(unfolding, state, target->state, target->by);
}

/* Depth first from the execution's last state, by steps of one process. STATUS_INPUT: the model is
 * wrong in what comes next, and the execution leads there. */
static enum status search(struct unfolding *unfolding, uint32_t process, uint32_t seen,
                          unsigned depth, bool *found)
{
    const struct model *model = unfolding->plain->model;
    struct execution *execution = unfolding->execution;
    const uint32_t *from = state_table_get(&unfolding->plain->states,
                                           execution->states.items[execution->states.length - 1]);
    struct successors out;
    successors_init(&out, model->budget);
    enum status status = worker_successors(unfolding->plain->worker, from, &out, unfolding->error);
    *found = status == STATUS_INPUT;
    for (size_t i = 0; status == STATUS_OK && !*found && i < out.steps.length; i++) {
        const struct step *step = &out.steps.items[i];
        const uint32_t *to = out.states.items + i * model->slots;
        if ((process != UINT32_MAX && step->process != process) ||
            !may_follow(unfolding, step->label, seen, depth))
            continue;
        bool fresh;
        state_id id = state_table_intern(&unfolding->plain->states, to, &fresh);
        if (id == STATE_REFUSED || !execution_push(execution, step->label, id)) {
            status = STATUS_LIMIT;
            break;
        }
        uint32_t then = seen + (seen < unfolding->target.count &&
                                step->label == unfolding->target.labels[seen]);
        *found = is_there(unfolding, to, step->label, then);
        if (!*found && depth + 1 < unfolding->most)
            status = search(unfolding, step->process, then, depth + 1, found);
        if (!*found) {
            execution->labels.length--;
            execution->states.length--;
        }
    }
    successors_release(&out);
    return status;
}

/* A thread may run far on its own, in many ways, without ever taking the step that is looked for:
 * few steps are tried before more. */
static enum status search_deeper(struct unfolding *unfolding, bool *found)
{
    *found = false;
    for (unfolding->most = 1; !*found && unfolding->most <= MOST_STEPS; unfolding->most *= 2)
        TRY(search(unfolding, UINT32_MAX, 0, 0, found));
    return STATUS_OK;
}

/* Begins at the state in which nodes are named as `init` has made them. */
static enum status unfold_start(struct unfolding *unfolding, const uint32_t *first)
{
    static const struct renumbering none = {TURNING_IDENTITY, TURNING_IDENTITY};
    struct graph *plain = unfolding->plain;
    struct successors *out = &plain->successors;
    successors_clear(out);
    TRY(worker_initial(plain->worker, out, unfolding->error));
    size_t i = 0, slots = plain->model->slots;
    while (i < out->steps.length &&
           !is_named(unfolding, &out->states.items[i * slots], first, none))
        i++;
    if (i == out->steps.length)
        return error_set(unfolding->error, STATUS_INTERNAL, NULL, 0,
                         "a fused execution does not start where its implementation does");
    bool fresh;
    state_id id = state_table_intern(&plain->states, &out->states.items[i * slots], &fresh);
    return id != STATE_REFUSED && vector_push(&unfolding->execution->states, id) ? STATUS_OK
                                                                                 : STATUS_LIMIT;
}

static enum status unfold_all(struct unfolding *unfolding, const struct graph *graph,
                              const struct execution *execution)
{
    struct renumbering by = RENUMBERING_NONE;
    TRY(unfold_start(unfolding, state_table_get(&graph->states, execution->states.items[0])));
    for (size_t i = 0; i < execution->labels.length; i++) {
        bool found;
        TRY(set_target(unfolding, execution->labels.items[i],
                       state_table_get(&graph->states, execution->states.items[i + 1]), &by));
        TRY(search_deeper(unfolding, &found));
        if (!found)
            return error_set(unfolding->error, STATUS_INTERNAL, NULL, 0,
                             "a fused step is none of the implementation");
    }
    return STATUS_OK;
}

/* On to where the model is wrong, if it is that in a step from the fused execution's last state. */
static enum status unfold_fault(struct unfolding *unfolding, const uint32_t *last)
{
    const struct model *model = &unfolding->fused->model;
    struct successors out;
    bool found;
    successors_init(&out, model->budget);
    enum status status =
        worker_successors(&unfolding->worker->worker, last, &out, unfolding->error);
    successors_release(&out);
    if (status != STATUS_INPUT)
        return status;
    unfolding->target = (struct target){.is_fault = true};
    return search_deeper(unfolding, &found);
}

static enum status unfold(struct unfolding *unfolding, const struct graph *graph,
                          struct execution *execution, bool to_fault)
{
    struct execution unfolded;
    size_t slots = unfolding->plain->model->slots;
    state_id last = execution->states.items[execution->states.length - 1];
    struct budget *budget = unfolding->plain->model->budget;
    unfolding->execution = &unfolded;
    execution_init(&unfolded, budget);
    vector_init(&unfolding->turned, budget);
    unfolding->worker = lin_worker_create(unfolding->fused);
    enum status status = unfolding->worker && vector_reserve(&unfolding->turned, slots)
                             ? unfold_all(unfolding, graph, execution)
                             : STATUS_LIMIT;
    if (status == STATUS_OK && to_fault)
        status = unfold_fault(unfolding, state_table_get(&graph->states, last));
    vector_release(&unfolding->turned);
    lin_worker_destroy(unfolding->worker);
    if (status != STATUS_OK && !(to_fault && status == STATUS_INPUT)) {
        execution_release(&unfolded);
        return status;
    }
    execution_release(execution);
    *execution = unfolded;
    return STATUS_OK;
}

enum status lin_unfold(const struct lin_model *fused, const struct graph *graph,
                       struct graph *plain, struct execution *execution, struct error *error)
{
    struct unfolding unfolding = {.fused = fused, .plain = plain, .error = error};
    return unfold(&unfolding, graph, execution, false);
}

enum status lin_unfold_to_fault(const struct lin_model *fused, const struct graph *graph,
                                struct graph *plain, struct execution *execution,
                                struct error *error)
{
    struct unfolding unfolding = {.fused = fused, .plain = plain, .error = error};
    return unfold(&unfolding, graph, execution, true);
}
