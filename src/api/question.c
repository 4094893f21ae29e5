#include "api/question.h"

#include <stdlib.h>

#include "base/require.h"

static void require(bool condition, const char *function, const char *what)
{
    if (!condition)
        require_failed(function, what);
}

void question_require(const char *function, const lp_context *context, const lp_history *history,
                      const lp_binding *bindings, size_t count)
{
    require(context && context->magic == CONTEXT_MAGIC, function,
            "context is null, or was destroyed");
    require(history && history->magic == HISTORY_MAGIC, function,
            "history is null, or was destroyed");
    require(!history->builder, function, "the history is not closed");
    require(history->context == context, function, "the history belongs to another context");
    require(bindings || count == 0, function, "bindings is null");
    for (size_t i = 0; i < count; i++) {
        require(bindings[i].spec && bindings[i].spec->magic == SPEC_MAGIC, function,
                "a specification is null, or was destroyed");
        require(bindings[i].spec->context == context, function,
                "a specification belongs to another context");
    }
}

/* Whether some operation names no object, or there are none at all. */
static bool has_unnamed(const struct history *history)
{
    for (size_t i = 0; i < history->operations.length; i++)
        if (history->operations.items[i].object == NO_OBJECT)
            return true;
    return history->objects.length == 0;
}

/* Infers one specification for each object. */
static lp_status infer(struct question *question, lp_context *context,
                       const lp_spec_options *options, lp_error *error)
{
    const struct history *history = question->history->history;
    size_t objects = history->objects.length;
    bool unnamed = has_unnamed(history);
    question->inferred = memory_small((objects + 1) * sizeof *question->inferred);
    question->bindings = memory_small((objects + 1) * sizeof *question->bindings);
    for (size_t i = 0; i < objects + unnamed; i++) {
        const char *object = i < objects ? value_get_text(history->objects.items[i], NULL) : NULL;
        lp_spec **spec = &question->inferred[i];
        lp_status status = lp_spec_infer(context, question->history, object, options, spec, error);
        if (status != LP_OK)
            return status;
        question->bindings[question->binding_count++] = (lp_binding){object, *spec};
    }
    return LP_OK;
}

static void adapt(struct question *question)
{
    const struct history *history = question->history->history;
    size_t count = question->binding_count;
    question->inner = memory_small(count * sizeof *question->inner);
    question->adapted = memory_small(count * sizeof *question->adapted);
    for (size_t i = 0; i < count; i++) {
        const lp_binding *binding = &question->bindings[i];
        struct spec *adapted = spec_for_history(binding->spec, history);
        question->adapted[i] = adapted;
        question->inner[i] = (struct binding){.object = binding->object,
                                              .spec = adapted ? adapted : binding->spec->spec};
    }
}

lp_status question_open(struct question *question, lp_context *context, const lp_history *history,
                        const lp_binding *bindings, size_t count, const lp_spec_options *options,
                        lp_error *error)
{
    *question = (struct question){.history = history};
    if (count == 0) {
        lp_status status = infer(question, context, options, error);
        if (status != LP_OK) {
            question_close(question);
            return status;
        }
    } else {
        question->bindings = memory_small(count * sizeof *question->bindings);
        for (size_t i = 0; i < count; i++)
            question->bindings[i] = bindings[i];
        question->binding_count = count;
    }
    adapt(question);
    return LP_OK;
}

void question_close(struct question *question)
{
    for (size_t i = 0; i < question->binding_count; i++) {
        if (question->adapted)
            spec_destroy(question->adapted[i]);
        if (question->inferred)
            lp_spec_destroy(question->inferred[i]);
    }
    free(question->adapted);
    free(question->inner);
    free(question->inferred);
    free(question->bindings);
}
