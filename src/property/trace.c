#include "property/trace.h"

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

static const char *keep(struct trace *trace, struct text *text)
{
    const char *kept = arena_copy_text(&trace->arena, text_string(text), text->length);
    text_clear(text);
    return kept;
}

/* The step of the model that leads from one state to the next with this label. */
static enum status find_step(struct graph *graph, const uint32_t *from, const uint32_t *to,
                             label by, struct step *found, struct error *error)
{
    struct model *model = graph->model;
    struct successors *out = &graph->successors;
    successors_clear(out);
    TRY(model->class->successors(model, from, out, error));
    for (size_t i = 0; i < out->steps.length; i++) {
        *found = out->steps.items[i];
        if (found->label == by && memcmp(out->states.items + i * model->slots, to,
                                         model->identity_slots * sizeof *to) == 0)
            return STATUS_OK;
    }
    return error_set(error, STATUS_INTERNAL, NULL, 0, "an execution does not replay on its model");
}

static enum status write_step(struct graph *graph, const struct execution *execution, size_t i,
                              struct trace *trace, struct text *text, struct error *error)
{
    const struct model *model = graph->model;
    const uint32_t *from = state_table_get(&graph->states, execution->states.items[i]);
    const uint32_t *to = state_table_get(&graph->states, execution->states.items[i + 1]);
    struct step step = {0};
    TRY(find_step(graph, from, to, execution->labels.items[i], &step, error));
    struct trace_step written = {.process = step.process, .visible = step.label != LABEL_TAU};
    labels_print(model->labels, step.shown, text);
    written.event = keep(trace, text);
    model->class->print(model, to, from, text);
    written.changes = keep(trace, text);
    if (!written.event || !written.changes || !vector_push(&trace->steps, written))
        return STATUS_LIMIT;
    return STATUS_OK;
}

enum status trace_replay(struct graph *graph, const struct execution *execution,
                         struct trace *trace, struct error *error)
{
    struct text text = TEXT_EMPTY;
    enum status status = STATUS_OK;
    trace->is_lasso = execution->is_lasso;
    trace->loop_start = execution->loop_start;
    if (execution->states.length) {
        graph->model->class->print(
            graph->model, state_table_get(&graph->states, execution->states.items[0]), NULL, &text);
        trace->start = keep(trace, &text);
        if (!trace->start)
            status = STATUS_LIMIT;
    }
    for (size_t i = 0; status == STATUS_OK && i < execution->labels.length; i++)
        status = write_step(graph, execution, i, trace, &text, error);
    text_release(&text);
    return status;
}
