#include "support/telling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value/print.h"

static void tell_value(struct text *text, const char *before, value v)
{
    text_append(text, before);
    value_print_edn(v, text);
}

static void tell_invocation(const struct history *history, const struct operation *operation,
                            struct text *text)
{
    tell_value(text, "", history->processes.items[operation->process]);
    text_format(text, " invoke %s", history_function_name(history, operation->function));
    tell_value(text, " ", operation->argument);
    if (operation->has_key)
        tell_value(text, " key=", operation->key);
    if (operation->object != NO_OBJECT)
        text_format(text, " object=%s",
                    value_get_text(history->objects.items[operation->object], NULL));
}

static void tell_response(const struct history *history, const struct operation *operation,
                          struct text *text)
{
    static const char *const names[] = {
        [OUTCOME_OK] = "ok", [OUTCOME_FAIL] = "fail", [OUTCOME_UNKNOWN] = "info"};
    tell_value(text, "", history->processes.items[operation->process]);
    text_format(text, " %s", names[operation->outcome]);
    if (operation->result_recorded)
        tell_value(text, " ", operation->result);
}

void history_tell(const struct history *history, struct text *text)
{
    size_t note = 0;
    for (uint32_t position = 0; position <= history->positions; position++) {
        for (; note < history->annotations.length &&
               history->annotations.items[note].position == position;
             note++) {
            tell_value(text, "note ", history->annotations.items[note].process);
            tell_value(text, " ", history->annotations.items[note].function);
            tell_value(text, " ", history->annotations.items[note].value);
            text_append(text, "\n");
        }
        for (size_t i = 0; i < history->operations.length; i++) {
            const struct operation *operation = &history->operations.items[i];
            if (operation->invoke == position)
                tell_invocation(history, operation, text);
            else if (operation->response == position)
                tell_response(history, operation, text);
            else
                continue;
            text_append(text, "\n");
        }
    }
}

static void assert_tells(const struct history *history, const char *expected)
{
    struct text text = TEXT_EMPTY;
    history_tell(history, &text);
    assert_string_equal(text_string(&text), expected);
    text_release(&text);
}

void assert_reads(const char *format, const char *input, const char *expected)
{
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, input, strlen(input), format);
    assert_tells(history, expected);
    history_destroy(history);
    library_close(&library);
}

void assert_refuses(const char *format, const char *input, uint32_t line, const char *message)
{
    static const size_t blocks[] = {0, 7, 1000};
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct library library;
        struct histories histories;
        struct error error = {0};
        library_open(&library, 0);
        if (library_read(&library, input, strlen(input), format, threads, blocks[threads - 1],
                         &histories, &error) != STATUS_INPUT)
            fail_msg("not refused: %s", input);
        if (message)
            assert_string_equal(error.message, message);
        if (error.line != line)
            fail_msg("%s: refused in line %u, not %u", input, error.line, line);
        assert_string_equal(error.file, "name");
        histories_release(&histories);
        library_close(&library);
    }
}

enum status assert_same_in_blocks(struct library *library, const char *format, const char *text,
                                  size_t length, struct random *random, struct histories *read)
{
    struct histories again;
    struct error first = {0}, second = {0};
    enum status status = library_read(library, text, length, format, 1, 0, read, &first);
    unsigned threads = 1 + random_below(random, 4);
    size_t block = 1 + random_below(random, 300);
    assert_int_equal(library_read(library, text, length, format, threads, block, &again, &second),
                     status);
    assert_string_equal(first.message, second.message);
    assert_int_equal(first.line, second.line);
    assert_int_equal(read->items.length, again.items.length);
    for (size_t i = 0; i < read->items.length; i++) {
        const char *difference =
            history_difference_with_lines(read->items.items[i], again.items.items[i]);
        if (difference)
            fail_msg("%s of %.*s", difference, (int)length, text);
    }
    histories_release(&again);
    return status;
}

void assert_round_trip(const char *format, const char *input, const char *to)
{
    struct library library;
    struct text told = TEXT_EMPTY;
    size_t length;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, input, strlen(input), format);
    history_tell(history, &told);
    char *written = library_write(history, to, &length);
    struct history *again = library_read_one(&library, written, length, NULL);
    assert_tells(again, text_string(&told));
    assert_string_equal(again->format, to);
    history_destroy(again);
    history_destroy(history);
    library_close(&library);
    text_release(&told);
    free(written);
}

void assert_cannot_write(const char *format, const char *input, const char *to, const char *what)
{
    struct library library;
    struct text expected = TEXT_EMPTY;
    struct error error = {0};
    char *written = NULL;
    size_t length;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, input, strlen(input), format);
    text_format(&expected, "the format %s cannot say %s, which operation 0 (`%s`) has", to, what,
                history_function_name(history, history->operations.items[0].function));
    FILE *out = open_memstream(&written, &length);
    assert_int_equal(format_find(to)->write(history, out, &error), STATUS_INPUT);
    fclose(out);
    assert_string_equal(error.message, text_string(&expected));
    assert_int_equal(length, 0);
    history_destroy(history);
    library_close(&library);
    text_release(&expected);
    free(written);
}
