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
