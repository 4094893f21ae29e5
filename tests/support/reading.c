#include "support/reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

void library_open(struct library *library, size_t memory_limit)
{
    budget_init(&library->budget, NULL, memory_limit);
    limits_init(&library->limits, &library->budget);
    library->pool = value_pool_create(&library->budget);
    assert_non_null(library->pool);
}

void library_close(struct library *library)
{
    value_pool_destroy(library->pool);
    assert_int_equal(library->budget.used, 0);
}

enum status library_read(struct library *library, const char *text, size_t length,
                         const char *format, unsigned threads, size_t block,
                         struct histories *histories, struct error *error)
{
    struct read_options options = {
        .format = format, .threads = threads, .block = block, .limits = &library->limits};
    struct source *source;
    *histories = (struct histories){.budget = &library->budget};
    vector_init(&histories->items, &library->budget);
    enum status status = source_open_memory("name", text, length, &library->budget, &source, error);
    if (status != STATUS_OK)
        return status;
    status = histories_read(source, library->pool, &library->budget, &options, histories, error);
    source_close(source);
    return status;
}

struct history *library_read_one(struct library *library, const char *text, size_t length,
                                 const char *format)
{
    struct histories histories;
    struct error error = {0};
    if (library_read(library, text, length, format, 1, 0, &histories, &error) != STATUS_OK)
        fail_msg("line %u: %s", error.line, error.message);
    assert_int_equal(histories.items.length, 1);
    struct history *history = histories.items.items[0];
    histories.items.length = 0;
    histories_release(&histories);
    return history;
}

char *library_write(const struct history *history, const char *format, size_t *length)
{
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, length);
    struct error error = {0};
    if (format_find(format)->write(history, out, &error) != STATUS_OK)
        fail_msg("%s: %s", format, error.message);
    fclose(out);
    return bytes;
}

static const char *operation_difference(const struct history *a, const struct operation *x,
                                        const struct history *b, const struct operation *y)
{
    if (a->processes.items[x->process] != b->processes.items[y->process])
        return "process";
    if (a->functions.items[x->function] != b->functions.items[y->function])
        return "function";
    if ((x->object == NO_OBJECT) != (y->object == NO_OBJECT) ||
        (x->object != NO_OBJECT && a->objects.items[x->object] != b->objects.items[y->object]))
        return "object";
    if (x->argument != y->argument)
        return "argument";
    if (x->result != y->result || x->result_recorded != y->result_recorded)
        return "result";
    if (x->has_key != y->has_key || (x->has_key && x->key != y->key))
        return "key";
    if (x->invoke_time != y->invoke_time || x->response_time != y->response_time)
        return "time";
    if (x->invoke != y->invoke || x->response != y->response)
        return "position";
    if (x->record != y->record)
        return "record";
    return x->outcome != y->outcome ? "outcome" : NULL;
}

const char *history_difference(const struct history *a, const struct history *b)
{
    if (a->operations.length != b->operations.length)
        return "number of operations";
    if (a->annotations.length != b->annotations.length)
        return "number of annotations";
    if (a->positions != b->positions)
        return "positions";
    for (size_t i = 0; i < a->operations.length; i++) {
        const char *difference =
            operation_difference(a, &a->operations.items[i], b, &b->operations.items[i]);
        if (difference)
            return difference;
    }
    for (size_t i = 0; i < a->annotations.length; i++) {
        const struct annotation *x = &a->annotations.items[i], *y = &b->annotations.items[i];
        if (x->process != y->process || x->value != y->value || x->time != y->time ||
            x->type != y->type || x->position != y->position || x->function != y->function)
            return "annotation";
    }
    return NULL;
}

const char *history_difference_with_lines(const struct history *a, const struct history *b)
{
    const char *difference = history_difference(a, b);
    if (difference)
        return difference;
    for (size_t i = 0; i < a->operations.length; i++)
        if (a->operations.items[i].invoke_line != b->operations.items[i].invoke_line ||
            a->operations.items[i].response_line != b->operations.items[i].response_line)
            return "line";
    for (size_t i = 0; i < a->annotations.length; i++)
        if (a->annotations.items[i].line != b->annotations.items[i].line)
            return "annotation's line";
    return NULL;
}
