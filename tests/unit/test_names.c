/* What lp_model_parse_all says of texts as an editor has them, and lp_name_at of their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <linchpin/linchpin.h>

static lp_context *context;

static int set_up(void **state)
{
    (void)state;
    context = lp_context_create(0);
    return context ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    lp_context_destroy(context);
    return 0;
}

static lp_file_text file(const char *path, const char *text)
{
    return (lp_file_text){path, text, strlen(text)};
}

/* The place at a line and column; it must be one. */
static lp_name name_at(const lp_names *names, const char *of, uint32_t line, uint32_t column)
{
    lp_name name;
    for (size_t i = 0; lp_name_at(names, i, &name); i++)
        if (name.line == line && name.column == column &&
            (of ? name.file && strcmp(name.file, of) == 0 : !name.file))
            return name;
    fail_msg("there is no name at %u:%u", line, column);
    return name;
}

static void names_outlive_model_and_text(void **state)
{
    (void)state;
    char text[] = "spec s {\n    value held = null;\n    op get() { return held; }\n}\n";
    const lp_file_text files[] = {file("/nowhere/s.lin", text)};
    lp_model *model;
    lp_names *names;
    lp_error error;
    lp_name name;
    size_t count;
    assert_int_equal(lp_model_parse_all(context, files, 1, &model, &names, &error, 1, &count),
                     LP_OK);
    assert_int_equal(count, 0);
    lp_model_destroy(model);
    memset(text, 'x', sizeof text - 1);
    size_t total = 0;
    uint32_t line = 0;
    for (; lp_name_at(names, total, &name); total++) {
        assert_true(name.line >= line); /* in the order of the text */
        line = name.line;
        assert_null(name.file);
    }
    assert_int_equal(total, 4); /* s, held, get, held */
    name = name_at(names, NULL, 3, 23);
    assert_string_equal(name.name, "held");
    assert_int_equal(name.kind, LP_NAME_VARIABLE);
    assert_int_equal(name.declared_line, 2);
    assert_int_equal(name.declared_column, 11);
    assert_null(name.declared_file);
    lp_names_destroy(names);
    lp_names_destroy(NULL);
}

static void included_texts_need_no_files(void **state)
{
    (void)state;
    const char part[] = "spec s { op get() { return 1; } }\n";
    lp_file_text files[] = {
        file("/nowhere/main.lin", "#include \"a/part.lin\"\nimpl i { op get() { return 1; } }\n"
                                  "assert i linearizes s;\nassert i linearizes register;\n"),
        file("/nowhere/b/part.lin", "this is none"), file("/nowhere/a/part.lin", part)};
    lp_model *model;
    lp_names *names;
    lp_error error;
    lp_assertion assertion;
    size_t count;
    assert_int_equal(lp_model_parse_all(context, files, 3, &model, &names, &error, 1, &count),
                     LP_OK);
    assert_true(lp_model_assertion_at(model, 1, &assertion));
    assert_false(lp_model_assertion_at(model, 2, &assertion));
    lp_model_destroy(model);
    lp_name used = name_at(names, NULL, 3, 21), own = name_at(names, "/nowhere/a/part.lin", 1, 6);
    assert_string_equal(used.declared_file, "/nowhere/a/part.lin");
    assert_int_equal(used.declared_column, 6);
    assert_int_equal(own.declared_column, 6);
    used = name_at(names, NULL, 4, 21);
    assert_int_equal(used.declared_line, 0); /* it is built in */
    assert_null(used.declared_file);
    lp_names_destroy(names);
    /* Without its text the file is looked for, and is not there. */
    assert_int_equal(lp_model_parse_all(context, files, 2, &model, &names, &error, 1, &count),
                     LP_INPUT);
    assert_null(model);
    assert_int_equal(error.line, 1);
    lp_names_destroy(names);
}

static void errors_are_counted_beyond_the_room(void **state)
{
    (void)state;
    const char text[] = "spec s {\n op f() { return a + 1; }\n op g() { return b + 1; }\n"
                        " op h() { return c + 1; }\n}\n";
    const lp_file_text files[] = {file("s.lin", text)};
    lp_model *model;
    lp_names *names;
    lp_error errors[2];
    size_t count;
    assert_int_equal(lp_model_parse_all(context, files, 1, &model, &names, errors, 2, &count),
                     LP_INPUT);
    assert_null(model);
    assert_int_equal(count, 3);
    assert_int_equal(errors[0].line, 2);
    assert_int_equal(errors[1].line, 3);
    assert_non_null(names);
    name_at(names, NULL, 4, 5); /* h */
    lp_names_destroy(names);
    /* Nobody need ask for names; no text is none. */
    const lp_file_text empty[] = {{"s.lin", NULL, 0}};
    assert_int_equal(lp_model_parse_all(context, empty, 1, &model, NULL, errors, 2, &count), LP_OK);
    lp_model_destroy(model);
    assert_int_equal(lp_model_parse_all(context, empty, 1, &model, &names, errors, 2, &count),
                     LP_OK);
    assert_null(names);
    lp_model_destroy(model);
}

static void names_of_a_text_with_errors_keep_their_places(void **state)
{
    (void)state;
    const char text[] = "spec s {\n    value held = null;\n    op put(value v) { held = ; }\n"
                        "    op get() { return held }\n}\n";
    const lp_file_text files[] = {file("s.lin", text)};
    lp_model *model;
    lp_names *names;
    lp_error error;
    size_t count;
    assert_int_equal(lp_model_parse_all(context, files, 1, &model, &names, &error, 1, &count),
                     LP_INPUT);
    assert_int_equal(error.line, 3);
    assert_string_equal(name_at(names, NULL, 2, 11).name, "held");
    assert_string_equal(name_at(names, NULL, 3, 8).name, "put");
    assert_string_equal(name_at(names, NULL, 4, 8).name, "get");
    lp_names_destroy(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_outlive_model_and_text),
        cmocka_unit_test(included_texts_need_no_files),
        cmocka_unit_test(errors_are_counted_beyond_the_room),
        cmocka_unit_test(names_of_a_text_with_errors_keep_their_places),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
