#include "property/lin_unfold.h"

#include <string.h>

#define MOST_STEPS 1100 /* of one fused step */

/* What a fused step has to become: its labels in order, and where it leads. */
struct target {
    label labels[2];
    uint32_t count;
    const uint32_t *state; /* null: any, behind the last label */
};

struct unfolding {
    struct graph *plain;
    struct execution *execution; /* under construction */
    struct target target;
    struct error *error;
};

static void set_target(struct unfolding *unfolding, const struct labels *labels, label l,
                       label fault, const uint32_t *state)
{
    struct target *target = &unfolding->target;
    *target = (struct target){.labels = {l}, .count = l != LABEL_TAU, .state = state};
    if (l == fault)
        target->state = NULL;
    if (l != LABEL_TAU && strcmp(labels_name(labels, l), "inv+res") == 0) {
        size_t count;
        const uint32_t *both = labels_components(labels, l, &count);
        target->labels[0] = both[0];
        target->labels[1] = both[1];
        target->count = 2;
    }
}

/* A call may stand before a fault: the fused step did not say which. */
static bool may_follow(const struct unfolding *unfolding, label l, uint32_t seen)
{
    const struct target *target = &unfolding->target;
    if (l == LABEL_TAU || (seen < target->count && target->labels[seen] == l))
        return true;
    return !target->state && seen == 0;
}

static bool is_there(const struct unfolding *unfolding, const uint32_t *state, label l,
                     uint32_t seen)
{
    const struct target *target = &unfolding->target;
    if (!target->state)
        return l == target->labels[target->count - 1];
    return seen == target->count &&
           memcmp(state, target->state, unfolding->plain->model->identity_slots * sizeof *state) ==
               0;
}

/* Depth first from the execution's last state, by steps of one process. */
static enum status search(struct unfolding *unfolding, uint32_t process, uint32_t seen,
                          unsigned depth, bool *found)
{
    struct model *model = unfolding->plain->model;
    struct execution *execution = unfolding->execution;
    const uint32_t *from = state_table_get(&unfolding->plain->states,
                                           execution->states.items[execution->states.length - 1]);
    struct successors out;
    successors_init(&out, model->budget);
    enum status status = model->class->successors(model, from, &out, unfolding->error);
    for (size_t i = 0; status == STATUS_OK && !*found && i < out.steps.length; i++) {
        const struct step *step = &out.steps.items[i];
        const uint32_t *to = out.states.items + i * model->slots;
        if ((process != UINT32_MAX && step->process != process) ||
            !may_follow(unfolding, step->label, seen))
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
        if (!*found && depth < MOST_STEPS)
            status = search(unfolding, step->process, then, depth + 1, found);
        if (!*found) {
            execution->labels.length--;
            execution->states.length--;
        }
    }
    successors_release(&out);
    return status;
}

static enum status unfold_all(struct unfolding *unfolding, const struct graph *fused, label fault,
                              const struct execution *execution)
{
    for (size_t i = 0; i < execution->labels.length; i++) {
        bool found = false;
        set_target(unfolding, fused->model->labels, execution->labels.items[i], fault,
                   state_table_get(&fused->states, execution->states.items[i + 1]));
        TRY(search(unfolding, UINT32_MAX, 0, 0, &found));
        if (!found)
            return error_set(unfolding->error, STATUS_INTERNAL, NULL, 0,
                             "a fused step is none of the implementation");
    }
    return STATUS_OK;
}

enum status lin_unfold(const struct graph *fused, struct graph *plain, label fault,
                       struct execution *execution, struct error *error)
{
    struct execution unfolded;
    struct unfolding unfolding = {.plain = plain, .execution = &unfolded, .error = error};
    bool fresh;
    execution_init(&unfolded, plain->model->budget);
    state_id initial = state_table_intern(
        &plain->states, state_table_get(&fused->states, execution->states.items[0]), &fresh);
    enum status status = initial != STATE_REFUSED && vector_push(&unfolded.states, initial)
                             ? unfold_all(&unfolding, fused, fault, execution)
                             : STATUS_LIMIT;
    if (status != STATUS_OK) {
        execution_release(&unfolded);
        return status;
    }
    execution_release(execution);
    *execution = unfolded;
    return STATUS_OK;
}
