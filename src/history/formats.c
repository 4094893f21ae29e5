#include "history/formats.h"

#include <string.h>

#include "base/text.h"
#include "history/recognise.h"

#define HEAD_SIZE ((size_t)64 << 10) /* what formats are recognised from */

/* One line per format; where two are equally sure of a file, the first is taken, so the narrower
 * stands before the wider. To add one: docs/internals/add-a-format.md. */
static const struct format *const table[] = {
    &format_etcd, &format_porcupine_operations, &format_porcupine_kv, &format_tla,
    &format_limo, &format_jepsen_text,          &format_edn,          &format_json,
    NULL,
};

const struct format *const *formats(size_t *count)
{
    *count = ARRAY_LENGTH(table) - 1;
    return table;
}

const struct format *format_find(const char *name)
{
    for (size_t i = 0; table[i]; i++)
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}

static void append_names(struct text *text)
{
    for (size_t i = 0; table[i]; i++)
        text_format(text, "%s%s", i ? ", " : "", table[i]->name);
}

enum status format_named(const char *name, const struct format **format, struct error *error)
{
    *format = format_find(name);
    if (*format)
        return STATUS_OK;
    struct text names = TEXT_EMPTY;
    append_names(&names);
    enum status status =
        error_set(error, STATUS_USAGE, NULL, 0,
                  "there is no history format `%s`; the formats are %s", name, text_string(&names));
    text_release(&names);
    return status;
}

static const struct format *recognise(const char *head, size_t length, bool whole)
{
    const struct format *best = NULL;
    int surest = 0;
    for (size_t i = 0; table[i]; i++) {
        int sure = table[i]->recognise(head, length, whole);
        if (sure > surest) {
            surest = sure;
            best = table[i];
        }
    }
    return best;
}

const struct format *format_recognise(const char *head, size_t length)
{
    return recognise(head, length < HEAD_SIZE ? length : HEAD_SIZE, false);
}

static bool is_model(const char *name)
{
    size_t length = name ? strlen(name) : 0;
    return length > 4 &&
           (strcmp(name + length - 4, ".csp") == 0 || strcmp(name + length - 4, ".lin") == 0);
}

static enum status unknown(const struct source *source, const char *head, size_t length,
                           struct error *error)
{
    const char *newline = memchr(head, '\n', length);
    int shown = (int)(newline ? newline - head : (long)length);
    struct text names = TEXT_EMPTY, line = TEXT_EMPTY;
    append_names(&names);
    for (int i = 0; i < shown && i < 60; i++)
        text_append_char(&line, head[i] >= ' ' && head[i] < 0x7f ? head[i] : '?');
    enum status status =
        error_set(error, STATUS_INPUT, source_name(source), 1,
                  "expected a history in one of the formats %s, found `%s`%s", text_string(&names),
                  text_string(&line),
                  is_model(source_name(source))
                      ? "; models are decided by linchpin verify, specifications given with --spec"
                      : "; another log can be written as json, an object for each event: "
                        "{\"process\": 0, \"type\": \"invoke\", \"f\": \"write\", \"value\": 1}");
    text_release(&names);
    text_release(&line);
    return status;
}

/* A file of nothing but white space is the empty history of whatever format. */
static bool is_empty(const char *head, size_t length, bool whole)
{
    return whole && recognise_skip(head, head + length, 0) == head + length &&
           !memchr(head, ',', length);
}

static enum status read_empty(struct read_context *context, const char *format, struct error *error)
{
    const char *name = source_name(context->source);
    char rest[512];
    for (size_t got = 1; got > 0;) /* so that the source has been read */
        TRY(source_read(context->source, rest, sizeof rest, &got, error));
    struct history *history = history_create(name, context->pool, context->budget);
    if (history)
        history->format = format;
    if (history && vector_push(&context->histories->items, history))
        return STATUS_OK;
    history_destroy(history);
    return error_set(error, STATUS_LIMIT, name, 0, "the memory limit is reached");
}

static enum status read_any(struct read_context *context, struct error *error)
{
    const struct format *format = NULL;
    const char *head;
    size_t length;
    if (context->options->format)
        TRY(format_named(context->options->format, &format, error));
    TRY(source_peek(context->source, &head, &length, HEAD_SIZE, error));
    bool whole = length < HEAD_SIZE;
    if (is_empty(head, length, whole))
        return read_empty(context, format ? format->name : "json", error);
    if (!format)
        format = recognise(head, length, whole);
    return format ? format->read(context, error) : unknown(context->source, head, length, error);
}

enum status histories_read(struct source *source, struct value_pool *pool, struct budget *budget,
                           const struct read_options *options, struct histories *histories,
                           struct error *error)
{
    struct read_context context = {.source = source,
                                   .pool = pool,
                                   .budget = budget,
                                   .options = options,
                                   .histories = histories};
    histories->budget = budget;
    vector_init(&histories->items, budget);
    source_set_limits(source, options->limits);
    enum status status = read_any(&context, error);
    source_set_limits(source, NULL);
    if (status == STATUS_OK)
        return STATUS_OK;
    if (error && *error->file)
        error_set_file(error, source_name(source)); /* not the name of one of its histories */
    histories_release(histories);
    return status;
}

void histories_release(struct histories *histories)
{
    for (size_t i = 0; i < histories->items.length; i++)
        history_destroy(histories->items.items[i]);
    vector_release(&histories->items);
}
