/* Of the steps that the model has in the state reached, the first that is wanted and leads to
 * what the stored state stands for is taken. The invariant: the stored state that was asked for
 * last stands for the state reached. */
#include "tell/trace_writer.h"

#include <assert.h>
#include <string.h>

enum {
    ROOMS = 4
};

static size_t room_of(const struct trace_writer *writer)
{
    return ROOMS * writer->shown->model->slots * sizeof *writer->room;
}

enum status trace_writer_open(struct trace_writer *writer, struct worker *shown,
                              struct worker *stored, struct trace *trace, struct error *error)
{
    const size_t slots = shown->model->slots;
    assert(slots == stored->model->slots && shown->model->labels == stored->model->labels);
    *writer =
        (struct trace_writer){.shown = shown, .stored = stored, .trace = trace, .error = error};
    successors_init(&writer->out, shown->model->budget);
    followed_init(&writer->followed, shown->model->budget);
    vector_init(&writer->who, shown->model->budget);
    writer->room = memory_zeroed(shown->model->budget, room_of(writer));
    TRY_MEMORY(writer->room);
    writer->state = writer->room;
    writer->before = writer->state + slots;
    writer->trial = writer->before + slots;
    writer->marked = writer->trial + slots;
    return STATUS_OK;
}

void trace_writer_close(struct trace_writer *writer)
{
    successors_release(&writer->out);
    followed_release(&writer->followed);
    vector_release(&writer->who);
    memory_release(writer->shown->model->budget, writer->room, room_of(writer));
}

static enum status does_not_replay(struct trace_writer *writer)
{
    return error_set(writer->error, STATUS_INTERNAL, NULL, 0,
                     "an execution does not replay on its model");
}

static bool is_trial(const struct trace_writer *writer, const uint32_t *stored)
{
    return memcmp(writer->trial, stored, writer->shown->model->identity_slots * sizeof *stored) ==
           0;
}

/* Whether the stored state stands for `state`; both stay as they are. */
static enum status stands_for(struct trace_writer *writer, const uint32_t *state,
                              const uint32_t *stored, bool *stands)
{
    const struct model *model = writer->stored->model;
    struct renumbering by;
    memcpy(writer->trial, state, model->slots * sizeof *state);
    TRY(worker_represent(writer->stored, writer->trial, writer->error));
    if (writer->stored != writer->shown)
        TRY(model->class->arrange(writer->stored, writer->trial, &by, writer->error));
    *stands = is_trial(writer, stored);
    return STATUS_OK;
}

/* Whether the stored state stands for `state`, or for one that this leads to by way of states that
 * were skipped; `processes` took those steps, `skips` of them. */
static enum status leads_to(struct trace_writer *writer, const uint32_t *state,
                            const uint32_t *stored, uint32_t *processes, uint32_t *skips,
                            bool *leads)
{
    const struct model_class *class = writer->shown->model->class;
    TRY(stands_for(writer, state, stored, leads));
    for (*skips = 0; writer->skips && !*leads && *skips < GRAPH_SKIPS_MOST; ++*skips) {
        TRY(class->skip(writer->shown, writer->trial, &processes[*skips], writer->error));
        if (processes[*skips] == UINT32_MAX)
            return STATUS_OK;
        *leads = is_trial(writer, stored);
    }
    return STATUS_OK;
}

enum status trace_writer_start(struct trace_writer *writer, const uint32_t *stored)
{
    const struct model *model = writer->shown->model;
    struct successors *out = &writer->out;
    successors_clear(out);
    TRY(worker_initial(writer->shown, out, writer->error));
    for (size_t i = 0; i < out->steps.length; i++) {
        const uint32_t *state = out->states.items + i * model->slots;
        bool stands = false;
        TRY(stands_for(writer, state, stored, &stands));
        if (!stands)
            continue;
        memcpy(writer->state, state, model->slots * sizeof *state);
        writer->who.length = 0;
        return granted(trace_start(writer->trace, model, writer->state));
    }
    return error_set(writer->error, STATUS_INTERNAL, NULL, 0,
                     "an execution does not start where its model does");
}

/* Goes on to step `number` of those that there are. */
static enum status move_on(struct trace_writer *writer, size_t number)
{
    const struct model *model = writer->shown->model;
    const struct step *step = &writer->out.steps.items[number];
    const size_t size = model->slots * sizeof *writer->state;
    size_t length;
    const uint32_t *who = followed_words(&writer->followed, number, &length);
    TRY_MEMORY(vector_reserve(&writer->who, length));
    writer->who.length = length;
    if (length)
        memcpy(writer->who.items, who, length * sizeof *who);
    memcpy(writer->before, writer->state, size);
    memcpy(writer->state, writer->out.states.items + number * model->slots, size);
    return trace_add(writer->trace, model, "", step->shown,
                     writer->followed.processes.items[number], step->label != LABEL_TAU,
                     writer->before, writer->state)
               ? STATUS_OK
               : STATUS_LIMIT;
}

static enum status find_steps(struct trace_writer *writer)
{
    successors_clear(&writer->out);
    TRY(worker_successors(writer->shown, writer->state, &writer->out, writer->error));
    return worker_follow(writer->shown, writer->state, writer->who.items, writer->who.length,
                         &writer->out, &writer->followed, writer->error);
}

/* Goes on by the step of a process in a state that was skipped. */
static enum status take_skipped(struct trace_writer *writer, uint32_t process)
{
    TRY(find_steps(writer));
    for (size_t i = 0; i < writer->out.steps.length; i++)
        if (writer->out.steps.items[i].processes & step_bit(process))
            return move_on(writer, i);
    return does_not_replay(writer);
}

static bool is_wanted(const struct trace_wanted *wanted, const struct step *step)
{
    return (wanted->process == UINT32_MAX || step->process == wanted->process) &&
           (step->label != LABEL_TAU) == wanted->visible &&
           (!wanted->by || step->label == *wanted->by) &&
           (!wanted->taken ||
            (step->shown == wanted->taken->shown && step->processes == wanted->taken->processes));
}

enum status trace_writer_take(struct trace_writer *writer, const struct trace_wanted *wanted,
                              const uint32_t *stored)
{
    TRY(find_steps(writer));
    for (size_t i = 0; i < writer->out.steps.length; i++) {
        uint32_t processes[GRAPH_SKIPS_MOST], skips = 0;
        bool leads = false;
        if (is_wanted(wanted, &writer->out.steps.items[i]))
            TRY(leads_to(writer, writer->out.states.items + i * writer->shown->model->slots, stored,
                         processes, &skips, &leads));
        if (!leads)
            continue;
        TRY(move_on(writer, i));
        for (uint32_t k = 0; k < skips; k++)
            TRY(take_skipped(writer, processes[k]));
        return STATUS_OK;
    }
    return does_not_replay(writer);
}

enum status trace_writer_wait(struct trace_writer *writer, uint32_t process, label shown)
{
    return trace_add(writer->trace, writer->shown->model, "waits at ", shown, process, false,
                     writer->state, writer->state)
               ? STATUS_OK
               : STATUS_LIMIT;
}

/* ---- loops ---- */

/* Leaves in the trial the state reached, in the form in which such states are compared. */
static enum status compared_form(struct trace_writer *writer)
{
    const struct model *model = writer->stored->model;
    memcpy(writer->trial, writer->state, model->slots * sizeof *writer->state);
    return writer->stored == writer->shown
               ? STATUS_OK
               : model->class->turn(writer->stored, writer->trial, RENUMBERING_NONE, writer->error);
}

enum status trace_writer_mark(struct trace_writer *writer)
{
    TRY(compared_form(writer));
    memcpy(writer->marked, writer->trial, writer->shown->model->slots * sizeof *writer->marked);
    return STATUS_OK;
}

enum status trace_writer_is_back(struct trace_writer *writer, bool *is_back)
{
    TRY(compared_form(writer));
    *is_back = is_trial(writer, writer->marked);
    return STATUS_OK;
}

/* The steps from `first` to before `end`. */
static enum status replay_steps(struct trace_writer *writer, const struct graph *graph,
                                const struct execution *execution, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const label *by = &execution->labels.items[i];
        struct trace_wanted wanted = {.process = UINT32_MAX, .visible = *by != LABEL_TAU, .by = by};
        if (i >= execution->loop_start && i - execution->loop_start < execution->taken.length)
            wanted.taken = &execution->taken.items[i - execution->loop_start];
        TRY(trace_writer_take(writer, &wanted, graph_state(graph, execution->states.items[i + 1])));
    }
    return STATUS_OK;
}

/* Where stored states leave out what nobody reads again, the first round may begin with other
 * values of that than it ends with. The second one writes the same, and then it is a loop. */
static enum status replay_loop(struct trace_writer *writer, const struct graph *graph,
                               const struct execution *execution)
{
    for (unsigned round = 0; round < 2; round++) {
        bool is_back = false;
        TRY(trace_writer_mark(writer));
        writer->trace->loop_start = (uint32_t)writer->trace->steps.length;
        TRY(replay_steps(writer, graph, execution, execution->loop_start,
                         execution->labels.length));
        TRY(trace_writer_is_back(writer, &is_back));
        if (is_back)
            return STATUS_OK;
    }
    return does_not_replay(writer);
}

static enum status replay_all(struct trace_writer *writer, const struct graph *graph,
                              const struct execution *execution)
{
    const size_t length = execution->labels.length;
    writer->skips = graph->skips;
    writer->trace->is_lasso = execution->is_lasso;
    writer->trace->loop_start = execution->loop_start;
    if (execution->states.length == 0)
        return STATUS_OK;
    assert(execution->states.length == length + 1 && execution->loop_start <= length);
    TRY(trace_writer_start(writer, graph_state(graph, execution->states.items[0])));
    TRY(replay_steps(writer, graph, execution, 0,
                     execution->is_lasso ? execution->loop_start : length));
    return execution->is_lasso ? replay_loop(writer, graph, execution) : STATUS_OK;
}

enum status trace_replay_on(struct worker *shown, struct worker *stored, const struct graph *graph,
                            const struct execution *execution, struct trace *trace,
                            struct error *error)
{
    struct trace_writer writer;
    enum status status = trace_writer_open(&writer, shown, stored, trace, error);
    if (status == STATUS_OK)
        status = replay_all(&writer, graph, execution);
    trace_writer_close(&writer);
    return status;
}

enum status trace_replay(struct graph *graph, const struct execution *execution,
                         struct trace *trace, struct error *error)
{
    return trace_replay_on(graph->own.worker, graph->own.worker, graph, execution, trace, error);
}

enum status trace_replay_beside(struct graph *graph, const struct execution *execution,
                                struct trace *trace, enum status status, struct error *error)
{
    struct error other;
    const enum status replayed = trace_replay(graph, execution, trace, &other);
    if (replayed == STATUS_INTERNAL || replayed == STATUS_INPUT)
        *error = other;
    return replayed == STATUS_OK ? status : replayed;
}
