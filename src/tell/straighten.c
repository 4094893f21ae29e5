#include "tell/straighten.h"

#include <string.h>

struct straightening {
    const struct graph *reduced;
    struct graph *plain;
    struct execution *straight;
    struct successors out;
    uint32_t *state, *turned; /* scratch */
    struct renumbering by;    /* from the model's own numbers to those of the reduced graph */
    struct error *error;
};

/* Whether the state, brought into form and then renumbered, is the stored one. */
static enum status is_there(struct straightening *work, const uint32_t *state,
                            struct renumbering by, const uint32_t *stored, bool *same)
{
    const struct model *model = work->plain->model;
    memcpy(work->turned, state, model->slots * sizeof *state);
    TRY(symmetry_turn(work->reduced->worker, work->turned, by, work->error));
    *same = memcmp(work->turned, stored, model->identity_slots * sizeof *stored) == 0;
    return STATUS_OK;
}

static enum status start(struct straightening *work, state_id first, bool *found)
{
    const uint32_t *stored = state_table_get(&work->reduced->states, first);
    for (size_t i = 0; i < work->plain->initial.length && !*found; i++) {
        state_id initial = work->plain->initial.items[i];
        TRY(is_there(work, state_table_get(&work->plain->states, initial), RENUMBERING_NONE, stored,
                     found));
        if (*found && !vector_push(&work->straight->states, initial))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

/* Adds the step of the model that this step of the reduced graph stands for. */
static enum status follow_step(struct straightening *work, label l, state_id target, bool *found)
{
    struct worker *symmetry = work->reduced->worker;
    const struct model *inner = work->plain->model;
    struct execution *straight = work->straight;
    const uint32_t *stored = state_table_get(&work->reduced->states, target);
    struct renumbering behind;
    label wanted = labels_own(inner->labels, l, &behind);
    wanted = symmetry_turn_label(symmetry, wanted, renumbering_back(work->by));
    if (wanted == LABEL_REFUSED)
        return STATUS_LIMIT;
    behind = renumbering_then(work->by, behind);
    successors_clear(&work->out);
    state_id from = straight->states.items[straight->states.length - 1];
    TRY(worker_successors(work->plain->worker, state_table_get(&work->plain->states, from),
                          &work->out, work->error));
    *found = false;
    for (size_t i = 0; i < work->out.steps.length; i++) {
        if (work->out.steps.items[i].label != wanted)
            continue;
        memcpy(work->state, work->out.states.items + i * inner->slots,
               inner->slots * sizeof *work->state);
        TRY(symmetry_settle(symmetry, work->state, work->error));
        TRY(is_there(work, work->state, behind, stored, found));
        if (!*found)
            continue;
        bool fresh;
        state_id to = state_table_intern(&work->plain->states, work->state, &fresh);
        work->by = behind;
        return to != STATE_REFUSED && execution_push(straight, wanted, to) ? STATUS_OK
                                                                           : STATUS_LIMIT;
    }
    return STATUS_OK;
}

static enum status follow_all(struct straightening *work, const struct execution *execution,
                              bool *found)
{
    TRY(start(work, execution->states.items[0], found));
    for (size_t i = 0; i < execution->labels.length && *found; i++)
        TRY(follow_step(work, execution->labels.items[i], execution->states.items[i + 1], found));
    return STATUS_OK;
}

enum status straighten(const struct graph *reduced, struct graph *plain,
                       struct execution *execution, bool *found, struct error *error)
{
    struct budget *budget = plain->model->budget;
    size_t slots = plain->model->slots;
    struct execution straight;
    uint32_t *scratch = memory_allocate(budget, 2 * slots * sizeof *scratch);
    *found = false;
    if (!scratch)
        return STATUS_LIMIT;
    struct straightening work = {.reduced = reduced,
                                 .plain = plain,
                                 .straight = &straight,
                                 .state = scratch,
                                 .turned = scratch + slots,
                                 .error = error};
    execution_init(&straight, budget);
    successors_init(&work.out, budget);
    enum status status = follow_all(&work, execution, found);
    successors_release(&work.out);
    memory_release(budget, scratch, 2 * slots * sizeof *scratch);
    if (status != STATUS_OK || !*found) {
        execution_release(&straight);
        return status;
    }
    execution_release(execution);
    *execution = straight;
    return STATUS_OK;
}
