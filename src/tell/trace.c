#include "tell/trace.h"

#include <string.h>

void trace_init(struct trace *trace, struct budget *budget)
{
    *trace = (struct trace){0};
    arena_init(&trace->arena, budget);
    vector_init(&trace->steps, budget);
}

void trace_release(struct trace *trace)
{
    arena_release(&trace->arena);
    vector_release(&trace->steps);
}

static const char *keep(struct trace *trace, const struct text *text)
{
    return arena_copy_text(&trace->arena, text_string(text), text->length);
}

static const char *keep_state(struct trace *trace, const struct model *model, const uint32_t *state,
                              const uint32_t *before)
{
    struct text text = TEXT_EMPTY;
    model->class->print(model, state, before, &text);
    const char *kept = keep(trace, &text);
    text_release(&text);
    return kept;
}

bool trace_start(struct trace *trace, const struct model *model, const uint32_t *state)
{
    trace->start = keep_state(trace, model, state, NULL);
    return trace->start != NULL;
}

bool trace_add(struct trace *trace, const struct model *model, const char *before, label shown,
               uint32_t process, bool visible, const uint32_t *from, const uint32_t *to)
{
    struct text text = TEXT_EMPTY;
    text_append(&text, before);
    labels_print(model->labels, shown, &text);
    struct trace_step step = {.event = keep(trace, &text),
                              .changes = keep_state(trace, model, to, from),
                              .process = process,
                              .visible = visible};
    text_release(&text);
    return step.event && step.changes &&
           action_copy(&trace->arena, labels_get(model->labels, shown), &step.said) &&
           vector_push(&trace->steps, step);
}

/* An execution at work on the model as it is: where a reduction lets one state stand for several,
 * the states here are those that the steps really lead to. */
struct replay {
    struct graph *graph;
    uint32_t *state;  /* reached so far */
    uint32_t *before; /* the one before it */
    uint32_t *trial;  /* scratch */
    uint32_t *begun;  /* where a round of the loop began */
    struct error *error;
};

/* Whether the stored state `to` stands for `state`; both stay as they are. */
static enum status stands_for(struct replay *replay, const uint32_t *state, const uint32_t *to,
                              bool *same)
{
    const struct model *model = replay->graph->model;
    memcpy(replay->trial, state, model->slots * sizeof *state);
    TRY(worker_represent(replay->graph->worker, replay->trial, replay->error));
    *same = memcmp(replay->trial, to, model->identity_slots * sizeof *to) == 0;
    return STATUS_OK;
}

/* Whether the state leads to `to` by way of states that were skipped; `processes` took those steps,
 * `skips` of them. */
static enum status leads_to(struct replay *replay, const uint32_t *state, const uint32_t *to,
                            uint32_t *processes, uint32_t *skips, bool *same)
{
    const struct model *model = replay->graph->model;
    size_t size = model->identity_slots * sizeof *to;
    TRY(stands_for(replay, state, to, same));
    for (*skips = 0; replay->graph->skips && !*same && *skips < GRAPH_SKIPS_MOST; ++*skips) {
        TRY(model->class->skip(replay->graph->worker, replay->trial, &processes[*skips],
                               replay->error));
        if (processes[*skips] == UINT32_MAX)
            return STATUS_OK;
        *same = memcmp(replay->trial, to, size) == 0;
    }
    return STATUS_OK;
}

static enum status does_not_replay(struct replay *replay)
{
    return error_set(replay->error, STATUS_INTERNAL, NULL, 0,
                     "an execution does not replay on its model");
}

static void move_to(struct replay *replay, const uint32_t *state)
{
    size_t size = replay->graph->model->slots * sizeof *state;
    memcpy(replay->before, replay->state, size);
    memcpy(replay->state, state, size);
}

static enum status write_step(struct replay *replay, const struct step *step, struct trace *trace)
{
    return trace_add(trace, replay->graph->model, "", step->shown, step->process,
                     step->label != LABEL_TAU, replay->before, replay->state)
               ? STATUS_OK
               : STATUS_LIMIT;
}

/* Moves on by the step of a process in a state that was skipped. */
static enum status take_skipped(struct replay *replay, uint32_t process, struct trace *trace)
{
    const struct model *model = replay->graph->model;
    struct successors *out = &replay->graph->successors;
    successors_clear(out);
    TRY(worker_successors(replay->graph->worker, replay->state, out, replay->error));
    for (size_t i = 0; i < out->steps.length; i++) {
        if (out->steps.items[i].process != process)
            continue;
        move_to(replay, out->states.items + i * model->slots);
        return write_step(replay, &out->steps.items[i], trace);
    }
    return does_not_replay(replay);
}

/* Whether the step is the one with this label, and if that is said, `taken`. */
static bool is_taken(const struct step *step, label by, const struct step *taken)
{
    return step->label == by &&
           (!taken || (step->shown == taken->shown && step->processes == taken->processes));
}

/* Moves on by the step with this label to a state that `to` stands for, or that leads there by way
 * of states that were skipped. */
static enum status take_step(struct replay *replay, const uint32_t *to, label by,
                             const struct step *taken, struct trace *trace)
{
    const struct model *model = replay->graph->model;
    struct successors *out = &replay->graph->successors;
    successors_clear(out);
    TRY(worker_successors(replay->graph->worker, replay->state, out, replay->error));
    for (size_t i = 0; i < out->steps.length; i++) {
        const uint32_t *state = out->states.items + i * model->slots;
        uint32_t processes[GRAPH_SKIPS_MOST], skips = 0;
        bool same = false;
        if (is_taken(&out->steps.items[i], by, taken))
            TRY(leads_to(replay, state, to, processes, &skips, &same));
        if (!same)
            continue;
        move_to(replay, state);
        TRY(write_step(replay, &out->steps.items[i], trace));
        for (uint32_t k = 0; k < skips; k++)
            TRY(take_skipped(replay, processes[k], trace));
        return STATUS_OK;
    }
    return does_not_replay(replay);
}

/* The initial state that the stored one stands for. */
static enum status start_at(struct replay *replay, const uint32_t *stored)
{
    const struct model *model = replay->graph->model;
    struct successors *out = &replay->graph->successors;
    successors_clear(out);
    TRY(worker_initial(replay->graph->worker, out, replay->error));
    for (size_t i = 0; i < out->steps.length; i++) {
        const uint32_t *state = out->states.items + i * model->slots;
        bool same = false;
        TRY(stands_for(replay, state, stored, &same));
        if (same) {
            memcpy(replay->state, state, model->slots * sizeof *state);
            return STATUS_OK;
        }
    }
    return error_set(replay->error, STATUS_INTERNAL, NULL, 0,
                     "an execution does not start where its model does");
}

/* The steps from `first` to before `end`. */
static enum status replay_steps(struct replay *replay, const struct execution *execution,
                                size_t first, size_t end, struct trace *trace)
{
    for (size_t i = first; i < end; i++) {
        const uint32_t *to =
            state_table_get(&replay->graph->states, execution->states.items[i + 1]);
        const struct step *taken = NULL;
        if (i >= execution->loop_start && i - execution->loop_start < execution->taken.length)
            taken = &execution->taken.items[i - execution->loop_start];
        TRY(take_step(replay, to, execution->labels.items[i], taken, trace));
    }
    return STATUS_OK;
}

/* Where stored states leave out what nobody reads again, the first round may begin with other
 * values of that than it ends with. The second one writes the same, and then it is a loop. */
static enum status replay_loop(struct replay *replay, const struct execution *execution,
                               struct trace *trace)
{
    const struct model *model = replay->graph->model;
    size_t size = model->identity_slots * sizeof *replay->begun;
    for (unsigned round = 0; round < 2; round++) {
        memcpy(replay->begun, replay->state, size);
        trace->loop_start = (uint32_t)trace->steps.length;
        TRY(replay_steps(replay, execution, execution->loop_start, execution->labels.length,
                         trace));
        if (memcmp(replay->begun, replay->state, size) == 0)
            return STATUS_OK;
    }
    return does_not_replay(replay);
}

static enum status replay_all(struct replay *replay, const struct execution *execution,
                              struct trace *trace)
{
    if (execution->states.length == 0)
        return STATUS_OK;
    TRY(start_at(replay, state_table_get(&replay->graph->states, execution->states.items[0])));
    if (!trace_start(trace, replay->graph->model, replay->state))
        return STATUS_LIMIT;
    if (!execution->is_lasso)
        return replay_steps(replay, execution, 0, execution->labels.length, trace);
    TRY(replay_steps(replay, execution, 0, execution->loop_start, trace));
    return replay_loop(replay, execution, trace);
}

enum status trace_replay(struct graph *graph, const struct execution *execution,
                         struct trace *trace, struct error *error)
{
    struct budget *budget = graph->model->budget;
    size_t slots = graph->model->slots;
    uint32_t *states = memory_allocate(budget, 4 * slots * sizeof *states);
    if (!states)
        return STATUS_LIMIT;
    struct replay replay = {graph, states, states + slots, states + 2 * slots, states + 3 * slots,
                            error};
    trace->is_lasso = execution->is_lasso;
    trace->loop_start = execution->loop_start;
    enum status status = replay_all(&replay, execution, trace);
    memory_release(budget, states, 4 * slots * sizeof *states);
    return status;
}

uint32_t trace_threads(const struct trace *trace)
{
    uint64_t seen = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < trace->steps.length; i++)
        if (trace->steps.items[i].process < 64)
            seen |= UINT64_C(1) << trace->steps.items[i].process;
    for (; seen; seen &= seen - 1)
        count++;
    return count ? count : 1;
}
