/* Reading and writing histories. */
#include <linchpin/history.h>

#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "base/require.h"
#include "history/order.h"
#include "history/store.h"
#include "value/print.h"

_Static_assert((int)LP_ORDER_TIME == (int)ORDER_TIME, "lp_order is enum history_order");

static enum status refused(struct error *error)
{
    return error_set(error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
}

/* The handles that a read hands out. */
struct handles {
    lp_history **items; /* from malloc: the caller releases it with free() */
    size_t count;
};

static void handles_release(struct handles *handles)
{
    while (handles->count > 0)
        lp_history_destroy(handles->items[--handles->count]);
    free(handles->items);
}

/* Takes over what was read. */
static enum status handles_add(struct handles *handles, lp_context *context, struct histories *read,
                               uint64_t hash, struct error *error)
{
    size_t wanted = handles->count + read->items.length;
    lp_history **items = realloc(handles->items, (wanted ? wanted : 1) * sizeof *items);
    if (!items)
        return refused(error);
    handles->items = items;
    for (size_t i = 0; i < read->items.length; i++) {
        lp_history *wrapped = history_wrap(context, read->items.items[i], hash);
        if (!wrapped)
            return refused(error);
        handles->items[handles->count++] = wrapped;
        read->items.items[i] = NULL; /* it has an owner now */
    }
    return STATUS_OK;
}

/* What all inputs of one call are read with. */
struct reading {
    lp_context *context;
    struct budget scratch; /* so that an earlier refusal in the context says nothing of now */
    struct limits limits;
    struct read_options options;
    struct handles handles;
};

static void reading_open(struct reading *reading, lp_context *context,
                         const lp_read_options *options)
{
    *reading = (struct reading){.context = context};
    budget_init(&reading->scratch, &context->budget, 0);
    limits_for(&reading->limits, context, &reading->scratch, options->timeout);
    reading->options = (struct read_options){.format = options->format,
                                             .threads = threads_for(options->jobs),
                                             .limits = &reading->limits,
                                             .order = (enum history_order)options->order};
}

static enum status read_input(struct reading *reading, const struct store_input *input,
                              struct error *error)
{
    struct budget *budget = &reading->context->budget;
    struct histories read = {.budget = budget};
    vector_init(&read.items, budget);
    unsigned long long hash;
    enum status status =
        store_read(input, reading->context->pool, budget, &reading->options, &read, &hash, error);
    if (status == STATUS_OK)
        status = handles_add(&reading->handles, reading->context, &read, hash, error);
    histories_release(&read);
    return status;
}

static enum status read_memory(struct reading *reading, const char *name, const void *bytes,
                               size_t length, struct error *error)
{
    struct budget *budget = &reading->context->budget;
    struct source *source;
    TRY(source_open_memory(name, bytes, length, budget, &source, error));
    struct histories read = {.budget = budget};
    vector_init(&read.items, budget);
    enum status status =
        histories_read(source, reading->context->pool, budget, &reading->options, &read, error);
    if (status == STATUS_OK)
        status =
            handles_add(&reading->handles, reading->context, &read, source_hash(source), error);
    histories_release(&read);
    source_close(source);
    return status;
}

/* Hands out the handles, or on a failure none. */
static lp_status reading_close(struct reading *reading, enum status status, lp_history ***histories,
                               size_t *count)
{
    if (status != STATUS_OK) {
        handles_release(&reading->handles);
        return (lp_status)status;
    }
    *histories = reading->handles.items;
    *count = reading->handles.count;
    return LP_OK;
}

lp_status lp_history_read(lp_context *context, const char *path, const lp_read_options *options,
                          lp_history ***histories, size_t *count, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(path);
    REQUIRE_NOT_NULL(histories);
    REQUIRE_NOT_NULL(count);
    lp_read_options own;
    REQUIRE_SIZED(&own, options, order);
    struct reading reading;
    struct store_inputs inputs;
    struct error fault;
    reading_open(&reading, context, &own);
    enum status status = store_expand(path, &context->budget, &inputs, &fault);
    for (size_t i = 0; status == STATUS_OK && i < inputs.items.length; i++)
        status = read_input(&reading, &inputs.items.items[i], &fault);
    report_status(status, &fault, error); /* while the names in it live */
    store_release(&inputs);
    return reading_close(&reading, status, histories, count);
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
    lp_read_options own;
    REQUIRE_SIZED(&own, options, order);
    struct reading reading;
    struct error fault;
    reading_open(&reading, context, &own);
    enum status status = read_memory(&reading, name, bytes, length, &fault);
    report_status(status, &fault, error);
    return reading_close(&reading, status, histories, count);
}

static const char *path_at(const struct store_inputs *inputs, bool without, size_t i)
{
    return without ? inputs->without.items[i] : inputs->items.items[i].name;
}

/* One block: the pointers, and behind them the texts. */
static char **copy_paths(const struct store_inputs *inputs, bool without)
{
    size_t count = without ? inputs->without.length : inputs->items.length;
    size_t size = (count + 1) * sizeof(char *);
    for (size_t i = 0; i < count; i++)
        size += strlen(path_at(inputs, without, i)) + 1;
    char **paths = malloc(size);
    if (!paths)
        return NULL;
    char *text = (char *)(paths + count + 1);
    for (size_t i = 0; i < count; i++) {
        paths[i] = text;
        text = stpcpy(text, path_at(inputs, without, i)) + 1;
    }
    paths[count] = NULL;
    return paths;
}

static lp_status find_paths(lp_context *context, const char *path, bool without, char ***paths,
                            size_t *count, lp_error *error)
{
    struct store_inputs inputs;
    struct error fault;
    enum status status = store_expand(path, &context->budget, &inputs, &fault);
    if (status == STATUS_OK) {
        *count = without ? inputs.without.length : inputs.items.length;
        *paths = copy_paths(&inputs, without);
        if (!*paths)
            status = refused(&fault);
    }
    report_status(status, &fault, error);
    store_release(&inputs);
    return (lp_status)status;
}

lp_status lp_history_find(lp_context *context, const char *path, char ***paths, size_t *count,
                          lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(path);
    REQUIRE_NOT_NULL(paths);
    REQUIRE_NOT_NULL(count);
    return find_paths(context, path, false, paths, count, error);
}

lp_status lp_history_find_without(lp_context *context, const char *path, char ***paths,
                                  size_t *count, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(path);
    REQUIRE_NOT_NULL(paths);
    REQUIRE_NOT_NULL(count);
    return find_paths(context, path, true, paths, count, error);
}

static const struct format *writer_of(const struct history *history, const char *name)
{
    const struct format *format = format_find(name ? name : history->format);
    return format || name ? format : format_find("json");
}

/* Without its times such a history would have an order that nobody chose. */
static enum status check_one_order(const struct history *history, const struct format *writer,
                                   struct error *error)
{
    if (!history->reversal.found || history->order != ORDER_UNSAID)
        return STATUS_OK;
    struct text text = TEXT_EMPTY;
    order_print_reversal(history, &text);
    enum status status = error_set(
        error, STATUS_INPUT, history->name, history->reversal.line,
        "the format %s has one order of events, and the times run backwards: %s; say whether the "
        "order of the file is meant or that of the times (--order=file, --order=time)",
        writer->name, text_string(&text));
    text_release(&text);
    return status;
}

/* What invokes is a client in other formats, or is not written at all: the history would become
 * another one. */
static enum status check_invocations(const struct history *history, const struct format *writer,
                                     struct error *error)
{
    for (size_t i = 0; i < history->annotations.length; i++) {
        const struct annotation *annotation = &history->annotations.items[i];
        if (annotation->type != EVENT_INVOKE)
            continue;
        struct text process = TEXT_EMPTY;
        value_print_edn(annotation->process, &process);
        enum status status = error_set(error, STATUS_INPUT, history->name, annotation->line,
                                       "the format %s cannot say that process %.100s, which is no "
                                       "client, invokes an operation",
                                       writer->name, text_string(&process));
        text_release(&process);
        return status;
    }
    return STATUS_OK;
}

lp_status lp_history_write(const lp_history *history, const char *format, FILE *out,
                           lp_error *error)
{
    REQUIRE_ALIVE(history, HISTORY_MAGIC);
    REQUIRE(!history->builder, "the history is not closed");
    REQUIRE_NOT_NULL(out);
    struct error fault;
    enum status status = STATUS_OK;
    const struct format *writer = writer_of(history->history, format);
    if (!writer)
        status = error_set(&fault, STATUS_USAGE, NULL, 0, "expected a format, found %s", format);
    else if (!writer->write)
        status =
            error_set(&fault, STATUS_USAGE, NULL, 0,
                      "the format %s is only read, not written; choose another one", writer->name);
    if (status == STATUS_OK && !writer->writes_times)
        status = check_one_order(history->history, writer, &fault);
    if (status == STATUS_OK && !writer->writes_invocations)
        status = check_invocations(history->history, writer, &fault);
    if (status == STATUS_OK)
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
