#include "history/reading.h"

#include <string.h>

#include "base/faults.h"
#include "history/order.h"

#define BLOCK ((size_t)SIZE_OR_SMALL(64 << 10, 16))

/* Null between the files of a history that is read from several. */
static const char *file_of(const struct read_context *context)
{
    return context->source ? source_name(context->source) : NULL;
}

enum status reading_stopped(struct read_context *context, struct error *error)
{
    enum limit limit = limits_reached(context->options->limits);
    return error_set(error, STATUS_LIMIT, file_of(context), 0, "%s",
                     limit == LIMIT_TIME        ? "the time limit was reached while reading"
                     : limit == LIMIT_INTERRUPT ? "interrupted while reading"
                                                : "the memory limit was reached while reading");
}

enum status reading_open(struct read_context *context, const char *name, const char *format,
                         struct reading *reading, struct error *error)
{
    *reading = (struct reading){.context = context};
    reading->history = history_create(name, context->pool, context->budget);
    if (!reading->history)
        return reading_stopped(context, error);
    reading->history->format = format;
    reading->builder = history_builder_create(reading->history);
    if (reading->builder)
        return STATUS_OK;
    history_destroy(reading->history);
    return reading_stopped(context, error);
}

static bool stopped(struct reading *reading)
{
    return limits_look(reading->context->options->limits, &reading->records);
}

enum status reading_event(struct reading *reading, const struct event *event, struct error *error)
{
    if (UNLIKELY(stopped(reading)))
        return reading_stopped(reading->context, error);
    return history_builder_event(reading->builder, event, error);
}

enum status reading_timed(struct reading *reading, const struct timed_operation *operation,
                          struct error *error)
{
    if (UNLIKELY(stopped(reading)))
        return reading_stopped(reading->context, error);
    return history_builder_timed(reading->builder, operation, error);
}

enum status reading_close(struct reading *reading, enum status so_far, struct error *error)
{
    struct read_context *context = reading->context;
    enum status status = so_far;
    if (so_far == STATUS_OK)
        status = history_builder_finish(reading->builder, error);
    else
        history_builder_abandon(reading->builder);
    if (status == STATUS_OK)
        status = order_apply(reading->history, context->options->order, error);
    if (status == STATUS_OK && !vector_push(&context->histories->items, reading->history))
        status = reading_stopped(context, error);
    if (status != STATUS_OK) {
        if (error && strcmp(error->file, reading->history->name) == 0)
            error_set_file(error, file_of(context));
        history_destroy(reading->history);
    }
    return status;
}

enum status reading_bytes(struct read_context *context, struct bytes *bytes, struct error *error)
{
    for (;;) {
        if (limits_reached(context->options->limits) != LIMIT_NONE ||
            !vector_reserve(bytes, bytes->length + BLOCK))
            return reading_stopped(context, error);
        size_t got;
        TRY(source_read(context->source, bytes->items + bytes->length, BLOCK, &got, error));
        if (got == 0)
            return STATUS_OK;
        bytes->length += got;
    }
}
