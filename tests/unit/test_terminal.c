/* Text fit to show: UTF-8, widths, control characters, wrapping, styles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/terminal.h"
#include "base/utf8.h"

static uint32_t decoded(const char *bytes, size_t length, size_t *taken)
{
    uint32_t point;
    *taken = utf8_decode(bytes, length, &point);
    return point;
}

static void utf8_is_decoded_strictly(void **unused)
{
    (void)unused;
    const struct {
        const char *bytes;
        size_t length;
        uint32_t point;
        size_t taken;
    } cases[] = {
        {"a", 1, 'a', 1},
        {"\xC3\xA9", 2, 0xE9, 2},
        {"\xE2\x82\xAC", 3, 0x20AC, 3},
        {"\xF0\x9F\x98\x80", 4, 0x1F600, 4},
        {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF, 4},
        {"\xC3", 1, UTF8_INVALID, 1},             /* cut off */
        {"\x80", 1, UTF8_INVALID, 1},             /* a continuation alone */
        {"\xC0\x80", 2, UTF8_INVALID, 1},         /* overlong 0 */
        {"\xE0\x80\xAF", 3, UTF8_INVALID, 1},     /* overlong / */
        {"\xED\xA0\x80", 3, UTF8_INVALID, 1},     /* a surrogate */
        {"\xF4\x90\x80\x80", 4, UTF8_INVALID, 1}, /* above U+10FFFF */
        {"\xFF", 1, UTF8_INVALID, 1},
        {"\xE2\x28\xA1", 3, UTF8_INVALID, 1},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        size_t taken;
        assert_int_equal(decoded(cases[i].bytes, cases[i].length, &taken), cases[i].point);
        assert_int_equal(taken, cases[i].taken);
    }
}

static void expect_shown(const char *bytes, bool unicode, const char *expected)
{
    struct text text = TEXT_EMPTY;
    utf8_append_shown(&text, bytes, strlen(bytes), unicode);
    assert_string_equal(text_string(&text), expected);
    text_release(&text);
}

/* A value in a log cannot move the cursor or change colours. */
static void control_characters_are_written_out(void **unused)
{
    (void)unused;
    expect_shown("a\033[31mb\n", true, "a\\x1b[31mb\\x0a");
    expect_shown("\x7F\xC2\x9B", true, "\\x7f\\x9b"); /* delete; the 8-bit escape */
    expect_shown("caf\xC3\xA9", true, "caf\xC3\xA9");
    expect_shown("caf\xC3\xA9", false, "caf\\u00e9");
    expect_shown("\xFF", true, "\\xff");
}

/* Nor can it show another order than there is, or begin a line. */
static void what_moves_text_is_written_out(void **unused)
{
    (void)unused;
    expect_shown("a\xE2\x80\xAEz", true, "a\\u202ez");                  /* right to left */
    expect_shown("\xE2\x81\xA6x\xE2\x81\xA9", true, "\\u2066x\\u2069"); /* an isolate */
    expect_shown("a\xE2\x80\xA8z", true, "a\\u2028z");                  /* a line separator */
    expect_shown("\xD8\x9C\xE2\x80\x8F", true, "\\u061c\\u200f");       /* marks */
    expect_shown("\xE2\x80\xA7\xE2\x80\xAF", true, "\xE2\x80\xA7\xE2\x80\xAF");
    expect_shown("\xD7\x90", true, "\xD7\x90"); /* a letter that is written right to left */
}

static void invalid_bytes_are_replaced(void **unused)
{
    (void)unused;
    struct text text = TEXT_EMPTY;
    utf8_append_valid(&text, "a\xFF\xC3\xA9\xE2", 5);
    assert_string_equal(text_string(&text), "a\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD");
    text_release(&text);
}

static void columns_are_counted(void **unused)
{
    (void)unused;
    assert_int_equal(utf8_columns("abc", 3), 3);
    assert_int_equal(utf8_columns("\xE6\xBC\xA2", 3), 2); /* wide */
    assert_int_equal(utf8_columns("e\xCC\x81", 3), 1);    /* e and a combining accent */
    assert_int_equal(utf8_fit("abc", 3, 2), 2);
    assert_int_equal(utf8_fit("a\xE6\xBC\xA2", 4, 2), 1); /* half a character does not fit */
    assert_int_equal(utf8_fit("e\xCC\x81x", 4, 1), 3);    /* its accent goes with the letter */
}

static void assert_ends(const char *bytes, size_t columns, bool unicode, const char *expected)
{
    struct text text = TEXT_EMPTY;
    utf8_append_ends(&text, bytes, strlen(bytes), columns, unicode);
    assert_string_equal(text_string(&text), expected);
    text_release(&text);
}

static void what_is_long_keeps_its_ends(void **unused)
{
    (void)unused;
    assert_ends("abcdefgh", 8, true, "abcdefgh");
    assert_ends("abcdefghi", 8, true, "abcd…ghi");
    assert_ends("abcdefghi", 8, false, "abc...hi");
    assert_ends("漢漢漢漢漢漢", 8, true, "漢漢…漢"); /* two columns each: 4, 1, and 2 of 3 */
    assert_ends("", 8, true, "");
}

static void expect_wrapped(const char *string, unsigned indent, unsigned column,
                           const char *expected)
{
    const struct terminal terminal = {.columns = 12};
    struct text text = TEXT_EMPTY;
    terminal_wrap(&terminal, string, indent, column, &text);
    assert_string_equal(text_string(&text), expected);
    text_release(&text);
}

static void text_is_wrapped_at_spaces(void **unused)
{
    (void)unused;
    expect_wrapped("", 2, 0, "\n");
    expect_wrapped("one two three", 0, 0, "one two\nthree\n");
    expect_wrapped("one two  three", 2, 0, "  one two\n  three\n");
    expect_wrapped("12345678901234 b", 0, 0, "12345678901234\nb\n"); /* too long for any line */
    expect_wrapped("a b c d", 8, 3, "     a b\n        c d\n");      /* behind three columns */
    expect_wrapped("123456 78901", 0, 0, "123456 78901\n");          /* twelve fit exactly */
}

static void styles_need_colour(void **unused)
{
    (void)unused;
    struct terminal terminal = TERMINAL_PLAIN;
    struct text text = TEXT_EMPTY;
    terminal_append(&terminal, STYLE_BAD, "x", &text);
    assert_string_equal(text_string(&text), "x");
    terminal.colour = true;
    terminal_append(&terminal, STYLE_BAD, "y", &text);
    assert_string_equal(text_string(&text), "x\033[1;31my\033[0m");
    text_release(&text);
}

/* No test runs on a terminal here: descriptor -1 is none. */
static void the_environment_decides(void **unused)
{
    (void)unused;
    setenv("TERM", "xterm", 1);
    unsetenv("COLUMNS");
    unsetenv("NO_COLOR");
    assert_false(terminal_detect(-1, COLOUR_AUTO).colour);
    assert_true(terminal_detect(-1, COLOUR_ALWAYS).colour);
    setenv("NO_COLOR", "1", 1);
    assert_true(terminal_detect(-1, COLOUR_ALWAYS).colour); /* an option beats the environment */
    assert_int_equal(terminal_detect(-1, COLOUR_AUTO).columns, TERMINAL_COLUMNS);
    setenv("COLUMNS", "120", 1);
    assert_int_equal(terminal_detect(-1, COLOUR_AUTO).columns, 120);
    setenv("COLUMNS", "7", 1);
    assert_int_equal(terminal_detect(-1, COLOUR_AUTO).columns, TERMINAL_LEAST_COLUMNS);
    setenv("COLUMNS", "many", 1);
    assert_int_equal(terminal_detect(-1, COLOUR_AUTO).columns, TERMINAL_COLUMNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_is_decoded_strictly),
        cmocka_unit_test(what_is_long_keeps_its_ends),
        cmocka_unit_test(control_characters_are_written_out),
        cmocka_unit_test(what_moves_text_is_written_out),
        cmocka_unit_test(invalid_bytes_are_replaced),
        cmocka_unit_test(columns_are_counted),
        cmocka_unit_test(text_is_wrapped_at_spaces),
        cmocka_unit_test(styles_need_colour),
        cmocka_unit_test(the_environment_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
