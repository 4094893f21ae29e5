#include "tell/lin_retell.h"

#include <string.h>

#include "base/memory.h"
#include "lin/symmetry.h"

static size_t size_of(const struct lin_retelling *retelling)
{
    return retelling->searched->model.slots * sizeof *retelling->room;
}

enum status lin_retelling_open(struct lin_retelling *retelling, const struct lin_model *searched,
                               struct trace *trace, struct error *error)
{
    const struct lin_options options = {.forget = searched->options.forget, .names = true};
    struct budget *budget = searched->model.budget;
    *retelling = (struct lin_retelling){.searched = searched, .trace = trace, .error = error};
    successors_init(&retelling->successors, budget);
    retelling->room = memory_zeroed(budget, 3 * size_of(retelling));
    TRY(lin_model_create(searched->steps, &options, searched->model.labels, budget,
                         &retelling->named, error));
    retelling->searching = lin_worker_create(searched);
    retelling->naming = lin_worker_create(&retelling->named);
    if (!retelling->room || !retelling->searching || !retelling->naming)
        return STATUS_LIMIT;
    retelling->state = retelling->room;
    retelling->trial = retelling->room + searched->model.slots;
    retelling->marked = retelling->trial + searched->model.slots;
    return STATUS_OK;
}

void lin_retelling_close(struct lin_retelling *retelling)
{
    lin_worker_destroy(retelling->searching);
    lin_worker_destroy(retelling->naming);
    lin_model_release(&retelling->named);
    successors_release(&retelling->successors);
    memory_release(retelling->searched->model.budget, retelling->room, 3 * size_of(retelling));
}

/* Whether the search has `state` as `searched`. */
static enum status is_searched(struct lin_retelling *retelling, const uint32_t *state,
                               const uint32_t *searched, bool *same)
{
    memcpy(retelling->trial, state, size_of(retelling));
    if (!lin_model_represent(retelling->searching, retelling->trial))
        return STATUS_LIMIT;
    *same = memcmp(retelling->trial, searched, size_of(retelling)) == 0;
    return STATUS_OK;
}

/* What a step is looked for by. */
struct wanted {
    uint32_t process; /* UINT32_MAX: any */
    bool visible;
    const label *by;          /* null: whatever its label is, which the search may have otherwise */
    const struct step *taken; /* null: whatever it is called */
};

static bool is_wanted(const struct wanted *wanted, const struct step *step)
{
    return (wanted->process == UINT32_MAX || step->process == wanted->process) &&
           (step->label != LABEL_TAU) == wanted->visible &&
           (!wanted->by || step->label == *wanted->by) &&
           (!wanted->taken || step->shown == wanted->taken->shown);
}

/* The number of the first of the steps found that is wanted and leads there. */
static enum status find(struct lin_retelling *retelling, const struct wanted *wanted,
                        const uint32_t *target, size_t *number)
{
    const struct successors *out = &retelling->successors;
    bool same = false;
    for (*number = 0; *number < out->steps.length; ++*number) {
        if (!is_wanted(wanted, &out->steps.items[*number]))
            continue;
        TRY(is_searched(retelling, out->states.items + *number * retelling->named.model.slots,
                        target, &same));
        if (same)
            return STATUS_OK;
    }
    return error_set(retelling->error, STATUS_INTERNAL, NULL, 0,
                     "an execution cannot be told as it runs");
}

enum status lin_retelling_start(struct lin_retelling *retelling, const uint32_t *initial)
{
    const struct model *model = &retelling->named.model;
    struct successors *out = &retelling->successors;
    const struct wanted start = {.process = UINT32_MAX};
    size_t number;
    successors_clear(out);
    TRY(worker_initial(&retelling->naming->worker, out, retelling->error));
    TRY(find(retelling, &start, initial, &number));
    memcpy(retelling->state, out->states.items + number * model->slots, size_of(retelling));
    return trace_start(retelling->trace, model, retelling->state) ? STATUS_OK : STATUS_LIMIT;
}

static enum status add(struct lin_retelling *retelling, const char *before, label shown,
                       uint32_t process, bool visible, const uint32_t *to)
{
    const struct model *model = &retelling->named.model;
    bool added =
        trace_add(retelling->trace, model, before, shown, process, visible, retelling->state, to);
    memcpy(retelling->trial, to, size_of(retelling));
    memcpy(retelling->state, retelling->trial, size_of(retelling));
    return added ? STATUS_OK : STATUS_LIMIT;
}

static enum status take(struct lin_retelling *retelling, const struct wanted *wanted,
                        const uint32_t *target)
{
    const struct model *model = &retelling->named.model;
    struct successors *out = &retelling->successors;
    size_t number;
    successors_clear(out);
    TRY(worker_successors(&retelling->naming->worker, retelling->state, out, retelling->error));
    TRY(find(retelling, wanted, target, &number));
    const struct step *step = &out->steps.items[number];
    return add(retelling, "", step->shown, step->process, wanted->visible,
               out->states.items + number * model->slots);
}

enum status lin_retelling_step(struct lin_retelling *retelling, uint32_t process, bool visible,
                               const uint32_t *target)
{
    const struct wanted wanted = {.process = process, .visible = visible};
    return take(retelling, &wanted, target);
}

enum status lin_retelling_wait(struct lin_retelling *retelling, uint32_t process, label shown)
{
    return add(retelling, "waits at ", shown, process, false, retelling->state);
}

/* The state reached, with its nodes in order. */
static bool number_nodes(struct lin_retelling *retelling, uint32_t *out)
{
    memcpy(out, retelling->state, size_of(retelling));
    return lin_model_turn(retelling->searching, out, RENUMBERING_NONE);
}

enum status lin_retelling_mark(struct lin_retelling *retelling)
{
    return number_nodes(retelling, retelling->marked) ? STATUS_OK : STATUS_LIMIT;
}

enum status lin_retelling_is_back(struct lin_retelling *retelling, bool *is_back)
{
    if (!number_nodes(retelling, retelling->trial))
        return STATUS_LIMIT;
    *is_back = memcmp(retelling->trial, retelling->marked, size_of(retelling)) == 0;
    return STATUS_OK;
}

static enum status retell_all(struct lin_retelling *retelling, const struct graph *graph,
                              const struct execution *execution)
{
    TRY(lin_retelling_start(retelling,
                            state_table_get(&graph->states, execution->states.items[0])));
    for (size_t i = 0; i < execution->labels.length; i++) {
        const label *by = &execution->labels.items[i];
        struct wanted wanted = {.process = UINT32_MAX, .visible = *by != LABEL_TAU, .by = by};
        if (i >= execution->loop_start && i - execution->loop_start < execution->taken.length) {
            wanted.taken = &execution->taken.items[i - execution->loop_start];
            wanted.process = wanted.taken->process;
        }
        TRY(take(retelling, &wanted,
                 state_table_get(&graph->states, execution->states.items[i + 1])));
    }
    return STATUS_OK;
}

enum status lin_retell(const struct lin_model *searched, const struct graph *graph,
                       const struct execution *execution, struct trace *trace, struct error *error)
{
    struct lin_retelling retelling;
    trace->is_lasso = execution->is_lasso;
    trace->loop_start = execution->loop_start;
    enum status status = lin_retelling_open(&retelling, searched, trace, error);
    if (status == STATUS_OK)
        status = retell_all(&retelling, graph, execution);
    lin_retelling_close(&retelling);
    return status;
}
