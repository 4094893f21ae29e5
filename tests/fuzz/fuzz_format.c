/* Any bytes, read as a history of any format.
 *
 * An input is a line with the name of a format, and the file; without such a line the format is to
 * be recognised. Whatever the file is, the reader must come back with histories or a message, the
 * same with blocks of any size; where it can be ordered by its times, they must be in order then;
 * and what a writer makes of a history must be read back: by its own format as the same history, by
 * another as one of as many operations. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/formats.h"
#include "history/order.h"
#include "history/writing.h"
#include "support/difference.h"

#define MEMORY  ((size_t)256 << 20) /* input must not make the reader take much more than itself */
#define LONGEST 100000

struct fuzz {
    struct budget budget;
    struct limits limits;
    struct value_pool *pool;
};

static void must(bool condition, const char *what, const char *detail)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_format: %s: %s\n", what, detail);
    abort();
}

static enum status read_bytes(struct fuzz *fuzz, const void *bytes, size_t length,
                              const char *format, size_t block, struct histories *histories,
                              struct error *error)
{
    struct read_options options = {
        .format = format, .threads = 1, .block = block, .limits = &fuzz->limits};
    struct source *source;
    histories->budget = &fuzz->budget;
    vector_init(&histories->items, &fuzz->budget);
    enum status status = source_open_memory("name", bytes, length, &fuzz->budget, &source, error);
    if (status != STATUS_OK)
        return status;
    status = histories_read(source, fuzz->pool, &fuzz->budget, &options, histories, error);
    source_close(source);
    return status;
}

static void write_and_read(struct fuzz *fuzz, const struct history *history,
                           const struct format *format)
{
    char *bytes = NULL;
    size_t length = 0;
    struct error error = {0};
    FILE *out = open_memstream(&bytes, &length);
    enum status status = format->write(history, out, &error);
    fclose(out);
    must(status == STATUS_OK || length == 0, "written and refused", format->name);
    if (status == STATUS_OK) {
        struct histories again;
        status = read_bytes(fuzz, bytes, length, format->name, 0, &again, &error);
        must(status == STATUS_OK, format->name, error.message);
        must(again.items.length == 1, "not one history any more", format->name);
        const struct history *second = again.items.items[0];
        const char *difference = strcmp(format->name, "limo") == 0
                                     ? history_difference_but_processes(history, second)
                                     : history_difference(history, second);
        if (strcmp(history->format, format->name) == 0)
            must(!difference, format->name, difference);
        else
            must(history->operations.length == second->operations.length, format->name,
                 "another number of operations");
        histories_release(&again);
    }
    free(bytes);
}

static void compare(const struct histories *a, const struct histories *b)
{
    must(a->items.length == b->items.length, "blocks", "number of histories");
    for (size_t i = 0; i < a->items.length; i++) {
        const char *difference =
            history_difference_with_lines(a->items.items[i], b->items.items[i]);
        must(!difference, "blocks", difference);
    }
}

/* Positions by time: every event has one of its own, and no time runs backwards. */
static void order(struct history *history)
{
    struct error error = {0};
    enum status status = order_apply(history, ORDER_TIME, &error);
    must(status == STATUS_OK || (status == STATUS_INPUT && error.message[0]), "order",
         error.message);
    struct written_event *events;
    if (status != STATUS_OK || writing_order(history, &events, &error) != STATUS_OK)
        return;
    int64_t last = INT64_MIN;
    for (uint32_t i = 0; i < history->positions; i++) {
        const struct operation *operation = &history->operations.items[events[i].operation];
        must((events[i].response ? operation->response : operation->invoke) == i, "order",
             "a position twice");
        int64_t time = events[i].response ? operation->response_time : operation->invoke_time;
        bool unknown = events[i].response && operation->outcome == OUTCOME_UNKNOWN;
        must(unknown || time >= last, "order", "a time that runs backwards");
        last = unknown ? last : time;
        must(i == 0 || events[i].response || events[i].operation == 0 ||
                 history->operations.items[events[i].operation - 1].invoke < i,
             "order", "operations that are not");
    }
    writing_order_release(history, events);
}

static void try_bytes(struct fuzz *fuzz, const void *bytes, size_t length, const char *format)
{
    struct histories one, two;
    struct error first = {0}, second = {0};
    enum status status = read_bytes(fuzz, bytes, length, format, 0, &one, &first);
    size_t block = 1 + length % 97;
    must(status == read_bytes(fuzz, bytes, length, format, block, &two, &second), "blocks",
         first.message);
    must(status != STATUS_LIMIT, "memory", first.message);
    if (status != STATUS_OK) {
        must(first.line == second.line && strcmp(first.message, second.message) == 0,
             second.message, first.message);
        must(first.message[0] != 0 && one.items.length == 0, "refused", "without a message");
    }
    compare(&one, &two);
    size_t count;
    const struct format *const *table = formats(&count);
    for (size_t i = 0; i < one.items.length; i++)
        for (size_t j = 0; j < count; j++)
            if (table[j]->write)
                write_and_read(fuzz, one.items.items[i], table[j]);
    for (size_t i = 0; i < two.items.length; i++)
        order(two.items.items[i]);
    histories_release(&one);
    histories_release(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[32] = "";
    const uint8_t *newline = memchr(data, '\n', size);
    if (size > LONGEST)
        return 0;
    if (newline && newline - data < (long)sizeof name) {
        memcpy(name, data, (size_t)(newline - data));
        if (format_find(name)) {
            size -= (size_t)(newline + 1 - data);
            data = newline + 1;
        }
    }
    struct fuzz fuzz;
    budget_init(&fuzz.budget, NULL, MEMORY);
    limits_init(&fuzz.limits, &fuzz.budget);
    fuzz.pool = value_pool_create(&fuzz.budget);
    try_bytes(&fuzz, data, size, format_find(name) ? name : NULL);
    value_pool_destroy(fuzz.pool);
    must(fuzz.budget.used == 0, "memory", "is left");
    return 0;
}
