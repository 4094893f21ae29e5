/* Scripts made of several files: what is included is found, once, and places know their file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "csp/lexer.h"
#include "lang/parser.h"
#include "lin/lexer.h"

struct fixture {
    char folder[64];
    struct budget budget;
    struct arena arena;
    struct script script;
    struct error error;
};

static void path_of(const struct fixture *fixture, const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", fixture->folder, name);
}

static void write_file(struct fixture *fixture, const char *name, const char *text)
{
    char path[256];
    path_of(fixture, name, path, sizeof path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    strcpy(fixture->folder, "/tmp/linchpin-script-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    char path[256];
    path_of(fixture, "deep", path, sizeof path);
    assert_int_equal(mkdir(path, 0700), 0);
    budget_init(&fixture->budget, NULL, 0);
    arena_init(&fixture->arena, &fixture->budget);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    static const char *const names[] = {"a.lin", "b.lin", "c.lin", "deep/d.lin", "deep"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[256];
        path_of(fixture, names[i], path, sizeof path);
        remove(path);
    }
    rmdir(fixture->folder);
    arena_release(&fixture->arena);
    assert_int_equal(fixture->budget.used, 0);
    free(fixture);
    return 0;
}

static enum status read_script(struct fixture *fixture)
{
    char path[256];
    path_of(fixture, "a.lin", path, sizeof path);
    return script_read(path, &fixture->arena, NULL, &fixture->script, &fixture->error);
}

/* The script's tokens as text, each with its line. */
static void expect_tokens(struct fixture *fixture, const char *expected)
{
    struct parser parser;
    struct text text = TEXT_EMPTY;
    enum status status =
        parser_start(&parser, &fixture->script, &lin_dialect, &fixture->arena, &fixture->error);
    assert_int_equal(status, STATUS_OK);
    for (; !parser_at(&parser, TOKEN_END); parser.next++) {
        const struct token *token = parser_token(&parser);
        text_format(&text, "%s%.*s:%u", text.length ? " " : "", (int)token->length,
                    fixture->script.text + token->at, script_line(&fixture->script, token->at));
    }
    assert_string_equal(text_string(&text), expected);
    text_release(&text);
    parser_release(&parser);
}

static void files_stand_where_they_are_included(void **state)
{
    struct fixture *fixture = *state;
    write_file(fixture, "a.lin", "one\n#include \"deep/d.lin\"; two\n# include  \"c.lin\"\nthree");
    write_file(fixture, "c.lin",
               "\xef\xbb\xbf"
               "cc\n/* x */ c2 // y");
    write_file(fixture, "deep/d.lin", "\n#include \"../c.lin\" d1\n#include \"../a.lin\"");
    assert_int_equal(read_script(fixture), STATUS_OK);
    expect_tokens(fixture, "one:1 cc:1 c2:2 d1:2 two:2 three:4");
    assert_int_equal(fixture->script.part_count, 5);
}

static void comments_and_strings_include_nothing(void **state)
{
    struct fixture *fixture = *state;
    write_file(fixture, "a.lin",
               "/* #include \"b\" */ x // #include \"b\"\n \"#include \" y \"b\" #other");
    assert_int_equal(read_script(fixture), STATUS_OK);
    expect_tokens(fixture, "x:1 #include :2 y:2 b:2 #:2 other:2");
}

static void faults_name_the_file_that_has_them(void **state)
{
    struct fixture *fixture = *state;
    write_file(fixture, "a.lin", "\n\n#include \"b.lin\"");
    assert_int_equal(read_script(fixture), STATUS_INPUT);
    assert_int_equal(fixture->error.line, 3);
    assert_non_null(strstr(fixture->error.message, "#include \"b.lin\": cannot open"));
    write_file(fixture, "b.lin", "x\n\"open");
    assert_int_equal(read_script(fixture), STATUS_OK);
    struct parser parser;
    assert_int_equal(
        parser_start(&parser, &fixture->script, &lin_dialect, &fixture->arena, &fixture->error),
        STATUS_INPUT);
    parser_release(&parser);
    assert_int_equal(fixture->error.line, 2);
    assert_string_equal(strrchr(fixture->error.file, '/'), "/b.lin");
    assert_string_equal(strchr(fixture->error.message, '\n'), "\n    \"open\n    ^");
}

static void lines_and_columns_are_those_of_the_files(void **state)
{
    struct fixture *fixture = *state;
    struct error error;
    write_file(fixture, "a.lin", "\n\n#include \"b.lin\"\n\nxyz\n");
    write_file(fixture, "b.lin", "#include \"c.lin\"\nb\r\n\n  b");
    write_file(fixture, "c.lin", "");
    assert_int_equal(read_script(fixture), STATUS_OK);
    const struct script *script = &fixture->script;
    for (uint32_t i = 0; i < script->part_count; i++) {
        uint32_t line = 1, column = 1;
        for (place at = script->parts[i].start; at <= script->parts[i].end; at++) {
            assert_int_equal(script_line(script, at), line);
            assert_int_equal(script_column(script, at), column);
            assert_int_equal(script_error(script, at, &error, "wrong"), STATUS_INPUT);
            assert_int_equal(error.line, line);
            assert_string_equal(error.file, script->parts[i].name);
            column++;
            if (script->text[at] == '\n') {
                line++;
                column = 1;
            }
        }
    }
}

static void a_long_line_is_shown_around_the_place(void **state)
{
    struct fixture *fixture = *state;
    char text[1000], found[500];
    struct error error;
    memset(text, 'x', sizeof text);
    for (size_t length = 158; length < 400; length += 7)
        for (size_t at = 0; at <= length; at++) {
            struct script script;
            assert_int_equal(script_from_text("m", text, length, &fixture->arena, &script, &error),
                             STATUS_OK);
            script_error(&script, (place)at, &error, "wrong");
            const bool cut = length > 160 && at > 80;
            const size_t from = cut ? at - 80 : 0, rest = length - from;
            snprintf(found, sizeof found, "wrong\n    %s%.*s%s\n    %s%*s^", cut ? "..." : "",
                     (int)(rest > 160 ? 160 : rest), text, rest > 160 ? "..." : "",
                     cut ? "   " : "", (int)(at - from), "");
            assert_string_equal(error.message, found);
        }
}

static void reading_ends_when_a_limit_is_reached(void **state)
{
    struct fixture *fixture = *state;
    struct text text = TEXT_EMPTY;
    struct parser parser;
    struct limits limits;
    atomic_bool interrupt = false;
    limits_init(&limits, &fixture->budget);
    limits.interrupt = &interrupt;
    for (int i = 0; i < 3000; i++)
        text_append(&text, "x ");
    assert_int_equal(script_from_text("m", text_string(&text), text.length, &fixture->arena,
                                      &fixture->script, &fixture->error),
                     STATUS_OK);
    fixture->script.limits = &limits;
    for (int i = 0; i < 2; i++) {
        atomic_store(&interrupt, i);
        assert_int_equal(
            parser_start(&parser, &fixture->script, &lin_dialect, &fixture->arena, &fixture->error),
            i ? STATUS_LIMIT : STATUS_OK);
        if (i == 0) {
            size_t made = 0;
            while (made < 3000 && parser_allocate(&parser, 1)) {
                atomic_store(&interrupt, true);
                made++;
            }
            assert_in_range(made, 1, 2000);
        }
        parser_release(&parser);
    }
    text_release(&text);
}

static void an_open_comment_ends_with_its_file(void **state)
{
    struct fixture *fixture = *state;
    write_file(fixture, "a.lin", "#include \"b.lin\" x */ y");
    write_file(fixture, "b.lin", "b /* open");
    assert_int_equal(read_script(fixture), STATUS_OK);
    struct parser parser;
    assert_int_equal(
        parser_start(&parser, &fixture->script, &lin_dialect, &fixture->arena, &fixture->error),
        STATUS_INPUT);
    parser_release(&parser);
    assert_non_null(strstr(fixture->error.message, "this comment is not closed"));
}

static void what_is_added_stands_behind_the_model(void **state)
{
    struct fixture *fixture = *state;
    write_file(fixture, "a.lin", "one\n#include \"b.lin\"\n");
    write_file(fixture, "b.lin", "bb #include \"c.lin\" b2");
    write_file(fixture, "c.lin", "cc");
    assert_int_equal(read_script(fixture), STATUS_OK);
    struct script before = fixture->script;
    assert_int_equal(
        script_extend(&before, "more", &fixture->arena, &fixture->script, &fixture->error),
        STATUS_OK);
    expect_tokens(fixture, "one:1 bb:1 cc:1 b2:1 more:3");
    fixture->script = script_of_part(&fixture->script, 1);
    assert_int_equal(
        script_extend(&fixture->script, "!", &fixture->arena, &fixture->script, &fixture->error),
        STATUS_OK);
    expect_tokens(fixture, "bb:1 cc:1 b2:1 !:1");
}

static void texts_in_memory_read_no_files(void **state)
{
    struct fixture *fixture = *state;
    static const char text[] = "\n#include \"b.lin\"";
    write_file(fixture, "b.lin", "x");
    assert_int_equal(script_from_text("text", text, strlen(text), &fixture->arena, &fixture->script,
                                      &fixture->error),
                     STATUS_OK);
    struct parser parser;
    assert_int_equal(
        parser_start(&parser, &fixture->script, &lin_dialect, &fixture->arena, &fixture->error),
        STATUS_INPUT);
    parser_release(&parser);
    assert_int_equal(fixture->error.line, 2);
    assert_non_null(strstr(fixture->error.message, "expected no #include"));
}

static void depth_has_a_limit(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < 60; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/chain%d.lin", fixture->folder, i);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "#include \"chain%d.lin\"", i + 1);
        fclose(file);
    }
    write_file(fixture, "a.lin", "#include \"chain0.lin\"");
    assert_int_equal(read_script(fixture), STATUS_INPUT);
    assert_non_null(strstr(fixture->error.message, "less deeply"));
    for (int i = 0; i < 60; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/chain%d.lin", fixture->folder, i);
        remove(path);
    }
}

/* Bytes that continue a character which never began, more of them than are shown of a line. */
static void a_place_among_bytes_that_are_no_text_can_be_shown(void **state)
{
    struct fixture *fixture = *state;
    char text[400];
    memset(text, 0x85, sizeof text);
    for (place at = 0; at <= sizeof text; at += 40) {
        assert_int_equal(script_from_text("bytes", text, sizeof text, &fixture->arena,
                                          &fixture->script, &fixture->error),
                         STATUS_OK);
        assert_int_equal(script_error(&fixture->script, at, &fixture->error, "found bytes"),
                         STATUS_INPUT);
        assert_int_equal(fixture->error.line, 1);
        assert_int_equal(strncmp(fixture->error.message, "found bytes\n", 12), 0);
    }
}

/* Over a long line and many short ones, of two parts of which the first has no newline at its end.
 */
static void a_place_has_the_line_and_column_that_are_counted(void **state)
{
    struct fixture *fixture = *state;
    struct text text = TEXT_EMPTY;
    text_append(&text, "spec s {\n#include \"b.lin\"\n");
    for (unsigned i = 0; i < 6000; i++)
        text_append_char(&text, i % 7 == 0 || (i > 2000 && i % 31 == 0) ? '\n' : ' ');
    for (unsigned i = 0; i < 3000; i++)
        text_append_char(&text, ' ');
    text_append(&text, "}");
    write_file(fixture, "a.lin", text_string(&text));
    write_file(fixture, "b.lin", "\n\nint n = 0;");
    text_release(&text);
    assert_int_equal(read_script(fixture), STATUS_OK);
    const struct script *script = &fixture->script;
    assert_int_equal(script->part_count, 2);
    for (uint32_t part = 0; part < script->part_count; part++) {
        uint32_t line = 1, column = 1;
        for (place at = script->parts[part].start; at <= script->parts[part].end; at++) {
            assert_int_equal(script_line(script, at), line);
            assert_int_equal(script_column(script, at), column++);
            if (script->text[at] == '\n') {
                line++;
                column = 1;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_stand_where_they_are_included, set_up, tear_down),
        cmocka_unit_test_setup_teardown(comments_and_strings_include_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(faults_name_the_file_that_has_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_and_columns_are_those_of_the_files, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_long_line_is_shown_around_the_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reading_ends_when_a_limit_is_reached, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_open_comment_ends_with_its_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_added_stands_behind_the_model, set_up, tear_down),
        cmocka_unit_test_setup_teardown(texts_in_memory_read_no_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(depth_has_a_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_place_among_bytes_that_are_no_text_can_be_shown, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_place_has_the_line_and_column_that_are_counted, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
