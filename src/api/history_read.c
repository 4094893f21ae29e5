/* Reading and writing histories. */
#include <linchpin/history.h>

#include <stdlib.h>

#include "api/objects.h"
#include "api/require.h"
#include "history/format.h"

/* Hands out what was read: an array of handles, released with free(). */
static enum status wrap_all(lp_context *context, struct histories *read, uint64_t hash,
                            lp_history ***histories, size_t *count, struct error *error)
{
    size_t wanted = read->items.length;
    *histories = malloc((wanted ? wanted : 1) * sizeof **histories);
    for (*count = 0; *histories && *count < wanted; (*count)++) {
        struct history **item = &read->items.items[*count];
        lp_history *wrapped = history_wrap(context, *item, hash);
        if (!wrapped)
            break;
        (*histories)[*count] = wrapped;
        *item = NULL; /* it has an owner now */
    }
    if (*histories && *count == wanted)
        return STATUS_OK;
    while (*histories && *count > 0)
        lp_history_destroy((*histories)[--*count]);
    free(*histories);
    *histories = NULL;
    *count = 0;
    return error_set(error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
}

static enum status read_source(lp_context *context, struct source *source,
                               const lp_read_options *options, lp_history ***histories,
                               size_t *count, struct error *error)
{
    static const lp_read_options defaults;
    if (!options)
        options = &defaults;
    /* The history is charged to the context; an earlier refusal there says nothing of now. */
    struct budget scratch;
    budget_init(&scratch, &context->budget, 0);
    struct limits limits;
    limits_for(&limits, context, &scratch, options->timeout);
    struct read_options inner = {
        .format = options->format, .threads = threads_for(options->jobs), .limits = &limits};
    struct histories read = {.budget = &context->budget};
    vector_init(&read.items, &context->budget);
    enum status status =
        histories_read(source, context->pool, &context->budget, &inner, &read, error);
    if (status == STATUS_OK)
        status = wrap_all(context, &read, source_hash(source), histories, count, error);
    histories_release(&read);
    return status;
}

lp_status lp_history_read(lp_context *context, const char *path, const lp_read_options *options,
                          lp_history ***histories, size_t *count, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(path);
    REQUIRE_NOT_NULL(histories);
    REQUIRE_NOT_NULL(count);
    struct error fault;
    struct source *source;
    enum status status = source_open(path, &context->budget, &source, &fault);
    if (status == STATUS_OK) {
        status = read_source(context, source, options, histories, count, &fault);
        report_status(status, &fault, error); /* while the names in it live */
        source_close(source);
        return (lp_status)status;
    }
    return report_status(status, &fault, error);
}

lp_status lp_history_parse(lp_context *context, const char *name, const void *bytes, size_t length,
                           const lp_read_options *options, lp_history ***histories, size_t *count,
                           lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(name);
    REQUIRE(bytes || length == 0, "bytes is null");
    REQUIRE_NOT_NULL(histories);
    REQUIRE_NOT_NULL(count);
    struct error fault;
    struct source *source;
    enum status status = source_open_memory(name, bytes, length, &context->budget, &source, &fault);
    if (status == STATUS_OK) {
        status = read_source(context, source, options, histories, count, &fault);
        report_status(status, &fault, error);
        source_close(source);
        return (lp_status)status;
    }
    return report_status(status, &fault, error);
}

static const struct format *writer_of(const struct history *history, const char *name)
{
    const struct format *format = format_find(name ? name : history->format);
    return format || name ? format : format_find("json");
}

lp_status lp_history_write(const lp_history *history, const char *format, FILE *out,
                           lp_error *error)
{
    REQUIRE_ALIVE(history, HISTORY_MAGIC);
    REQUIRE(!history->builder, "the history is not closed");
    REQUIRE_NOT_NULL(out);
    struct error fault;
    enum status status;
    const struct format *writer = writer_of(history->history, format);
    if (!writer)
        status = error_set(&fault, STATUS_USAGE, NULL, 0, "expected a format, found %s", format);
    else if (!writer->write)
        status =
            error_set(&fault, STATUS_USAGE, NULL, 0,
                      "the format %s is only read, not written; choose another one", writer->name);
    else
        status = writer->write(history->history, out, &fault);
    return report_status(status, &fault, error);
}

bool lp_format_at(size_t index, const char **name, const char **description, bool *writable)
{
    REQUIRE_NOT_NULL(name);
    size_t count;
    const struct format *const *table = formats(&count);
    if (index >= count)
        return false;
    *name = table[index]->name;
    if (description)
        *description = table[index]->description;
    if (writable)
        *writable = table[index]->write != NULL;
    return true;
}
