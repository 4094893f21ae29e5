/* The specification that docs/internals/add-a-specification.md adds: it works, and every block of
 * code of that page stands here, between the two lines of dashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decide/definition.h"
#include "monitor/decision.h"
#include "spec/bind.h"
#include "support/generate.h"
#include "value/print.h"

extern const struct spec_class max_register_class;

/* ---------------------------------------------------------------------------------------------- */

enum {
    MAX_REGISTER_WRITE,
    MAX_REGISTER_READ,
};

static const struct spec_operation operations[] = {
    [MAX_REGISTER_WRITE] = {.name = "write-max", .argument = "n", .result = ""},
    [MAX_REGISTER_READ] = {.name = "read", .argument = "", .result = "n", .read_only = true},
};

static bool is_integer(value v)
{
    int64_t integer;
    return value_get_integer(v, &integer);
}

static enum status bind(const struct spec *spec, uint16_t operation,
                        const struct recorded *recorded, struct call *call, struct text *complaint)
{
    (void)spec;
    if (operation == MAX_REGISTER_WRITE) {
        bind_no_result(call);
        return is_integer(call->argument) ? STATUS_OK
                                          : bind_complain(complaint, "an integer", call->argument);
    }
    bind_answer(recorded, call);
    if (call->result_known && !is_integer(call->result))
        return bind_complain(complaint, "an integer as result", call->result);
    return STATUS_OK;
}

static bool init(const struct spec *spec, value key, struct outcomes *state)
{
    (void)key;
    value largest = spec->has_initial ? spec->initial : value_small(0);
    return outcomes_add(state, &largest, 1, VALUE_NIL);
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    (void)spec;
    if (call->operation == MAX_REGISTER_READ) {
        if (call->result_known && call->result != words[0])
            return true;
        return outcomes_add(outcomes, words, length, words[0]);
    }
    bool larger = value_compare(call->argument, words[0]) > 0;
    return outcomes_add(outcomes, larger ? &call->argument : words, 1, VALUE_NIL);
}

static enum status create(struct spec *spec, struct error *error)
{
    if (spec->has_initial && !is_integer(spec->initial))
        return bind_bad_initial(spec, "an integer", error);
    return STATUS_OK;
}

static void print_state(const struct spec *spec, const uint64_t *words, size_t length,
                        struct text *text)
{
    (void)spec;
    (void)length;
    value_print_edn(words[0], text);
}

const struct spec_class max_register_class = {
    .name = "max-register",
    .summary = "keeps the largest integer",
    .operations = operations,
    .operation_count = ARRAY_LENGTH(operations),
    .create = create,
    .bind = bind,
    .init = init,
    .step = step,
    .print_state = print_state,
};

/* ---------------------------------------------------------------------------------------------- */

static const struct workload workload = {
    .name = "max-register",
    .calls = {{"write-max", "#", NULL}, {"read", NULL, "0 #"}},
};

static enum verdict decide_text(const char *text)
{
    struct subject subject;
    struct sample sample = {0};
    struct limits limits;
    struct decision decision;
    struct error error;
    subject_open_class(&subject, &workload, &max_register_class);
    sample_parse(&sample, &subject, text);
    limits_init(&limits, &subject.budget);
    decision_init(&decision, &subject.budget);
    assert_int_equal(definition_decide(&sample.part, &limits, &decision, &error), STATUS_OK);
    enum verdict verdict = decision.verdict;
    decision_release(&decision);
    sample_release(&sample);
    subject_close(&subject);
    return verdict;
}

static void the_new_specification_is_decided(void **unused)
{
    (void)unused;
    assert_int_equal(decide_text("write-max 3 [0 1]; write-max 2 [2 3]; read 3 [4 5]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text("write-max 3 [0 1]; write-max 2 [2 3]; read 2 [4 5]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_text("write_max 3 [0 3]; write-max 2 [1 2]; read 2 [4 5]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_text("write-max 3 [0 5]; write-max 2 [1 2]; read 2 [3 4]"),
                     VERDICT_LINEARIZABLE);
}

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *bytes = calloc(1, 1 << 16);
    assert_non_null(bytes);
    size_t length = fread(bytes, 1, (1 << 16) - 1, file);
    assert_true(length > 0 && feof(file));
    fclose(file);
    return bytes;
}

static void the_page_shows_this_code(void **unused)
{
    (void)unused;
    char *page = read_whole(SOURCE_DIR "/docs/internals/add-a-specification.md");
    char *code = read_whole(SOURCE_DIR "/tests/unit/test_add_a_specification.c");
    size_t blocks = 0;
    for (char *at = page; (at = strstr(at, "```c\n")) != NULL; blocks++) {
        char *start = at + strlen("```c\n"), *end = strstr(start, "```\n");
        assert_non_null(end);
        *end = 0;
        if (!strstr(code, start))
            fail_msg("not in the test:\n%s", start);
        at = end + 1;
    }
    assert_int_equal(blocks, 5);
    free(page);
    free(code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_new_specification_is_decided),
        cmocka_unit_test(the_page_shows_this_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
