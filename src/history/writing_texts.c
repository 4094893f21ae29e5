/* EDN has three kinds of text, most formats one. Becoming strings loses nothing as long as no two
 * texts of the same letters are of different kinds, for values are only compared; but for `append`,
 * which joins strings and makes a list of anything else. */
#include "history/writing.h"

#include <stdlib.h>
#include <string.h>

#include "value/print.h"

struct texts {
    VECTOR(value) found;
    bool mixed; /* some text is no string */
    bool refused;
};

static void collect(struct texts *texts, value v)
{
    size_t length;
    const value *items = value_get_items(v, &length);
    for (size_t i = 0; i < length; i++)
        collect(texts, items[i]);
    if (items || !value_get_text(v, &length))
        return;
    texts->mixed |= value_kind_of(v) != KIND_STRING;
    if (texts->found.length && texts->found.items[texts->found.length - 1] == v)
        return;
    texts->refused |= !vector_push(&texts->found, v);
}

/* The letters first, then the value, so that equal ones are neighbours. */
static int compare_letters(const void *a, const void *b)
{
    value first = *(const value *)a, second = *(const value *)b;
    size_t first_length, second_length;
    const char *first_letters = value_get_text(first, &first_length);
    const char *second_letters = value_get_text(second, &second_length);
    if (first_length != second_length)
        return first_length < second_length ? -1 : 1;
    int order = memcmp(first_letters, second_letters, first_length);
    return order ? order : (first > second) - (first < second);
}

/* The first of two values with the same letters, null if there are none. */
static const value *find_alike(struct texts *texts)
{
    value *items = texts->found.items;
    if (texts->found.length > 1)
        qsort(items, texts->found.length, sizeof *items, compare_letters);
    for (size_t i = 1; i < texts->found.length; i++) {
        size_t length, other;
        const char *letters = value_get_text(items[i - 1], &length);
        if (items[i - 1] != items[i] &&
            memcmp(letters, value_get_text(items[i], &other), length) == 0 && length == other)
            return &items[i - 1];
    }
    return NULL;
}

/* An operation that appends a text which is no string. */
static bool appends_name(const struct history *history, const struct operation *operation)
{
    size_t length;
    value appended = operation->argument;
    const value *items = value_get_items(appended, &length);
    if (!value_text_is(history->functions.items[operation->function], "append"))
        return false;
    if (!operation->has_key && length > 0)
        appended = items[length - 1];
    enum value_kind kind = value_kind_of(appended);
    return kind == KIND_KEYWORD || kind == KIND_SYMBOL;
}

static enum status complain(const struct history *history, const char *format, const value *alike,
                            struct error *error)
{
    struct text both = TEXT_EMPTY;
    value_print_edn(alike[0], &both);
    text_append(&both, " and ");
    value_print_edn(alike[1], &both);
    enum status status =
        error_set(error, STATUS_INPUT, history->name, 0,
                  "the format %s has one kind of text, so it cannot tell %s apart, which the "
                  "history both has",
                  format, text_string(&both));
    text_release(&both);
    return status;
}

enum status writing_texts(const struct history *history, const char *format, struct error *error)
{
    struct texts texts = {0};
    vector_init(&texts.found, history->budget);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < history->operations.length && status == STATUS_OK; i++) {
        const struct operation *operation = &history->operations.items[i];
        collect(&texts, operation->argument);
        collect(&texts, operation->result);
        if (operation->has_key)
            collect(&texts, operation->key);
        if (appends_name(history, operation))
            status =
                writing_impossible(history, i, format, "an appended text that is no string", error);
    }
    const value *alike = NULL;
    if (status == STATUS_OK && texts.mixed && !texts.refused)
        alike = find_alike(&texts);
    if (texts.refused)
        status = error_set(error, STATUS_LIMIT, history->name, 0, "the memory limit was reached");
    else if (alike)
        status = complain(history, format, alike, error);
    vector_release(&texts.found);
    return status;
}
