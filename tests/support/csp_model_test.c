#include "support/csp_model_test.h"
#include "csp/parser.h"
#include "csp/resolve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

enum status csp_model_test_try(struct csp_model_test *test, const char *text)
{
    memset(test, 0, sizeof *test);
    budget_init(&test->budget, NULL, 0);
    limits_init(&test->limits, &test->budget);
    arena_init(&test->arena, &test->budget);
    test->pool = value_pool_create(&test->budget);
    enum status status =
        script_from_text("test.csp", text, strlen(text), &test->arena, &test->script, &test->error);
    if (status == STATUS_OK)
        status = csp_parse(&test->script, &test->arena, &test->module, &test->error);
    if (status == STATUS_OK)
        status = csp_program_create(&test->module, &test->budget, &test->program, &test->error);
    return status;
}

void csp_model_test_open(struct csp_model_test *test, const char *text)
{
    if (csp_model_test_try(test, text) != STATUS_OK)
        fail_msg("%s\nin\n%s", test->error.message, text);
}

void csp_model_test_close(struct csp_model_test *test)
{
    if (test->program.module)
        csp_program_release(&test->program);
    csp_module_release(&test->module);
    arena_release(&test->arena);
    value_pool_destroy(test->pool);
    assert_int_equal(test->budget.used, 0);
}

enum status csp_model_test_decide(struct csp_model_test *test, size_t assertion, reductions with,
                                  bool depth_first, struct assertion_result *result)
{
    const struct assertion_options options = {.reductions = with,
                                              .order = depth_first ? EXPLORE_NEWEST_FIRST
                                                                   : EXPLORE_OLDEST_FIRST,
                                              .limits = &test->limits};
    assertion_result_init(result, &test->budget);
    return csp_assertion_decide(&test->program, &test->module.assertions.items[assertion],
                                test->pool, &options, result, &test->error);
}
