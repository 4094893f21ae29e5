/* Texts are made by the model (states) and the labels (events), and copied into the arena. */
#include "tell/trace.h"

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
