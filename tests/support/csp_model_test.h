/* A CSP# model given as text, read and ready to have its assertions decided. What cannot be read
 * fails the test. */
#ifndef TESTS_SUPPORT_CSP_MODEL_TEST_H
#define TESTS_SUPPORT_CSP_MODEL_TEST_H

#include "verify/csp_assertion.h"

struct csp_model_test {
    struct budget budget;
    struct arena arena;
    struct script script;
    struct csp_module module;
    struct csp_program program;
    struct value_pool *pool;
    struct limits limits;
    struct error error;
};

void csp_model_test_open(struct csp_model_test *test, const char *text);
void csp_model_test_close(struct csp_model_test *test);

/* The same for a text that may be wrong: the status of reading it. Close it whatever it is. */
enum status csp_model_test_try(struct csp_model_test *test, const char *text);

/* Decides one assertion; release the result whatever the status. */
enum status csp_model_test_decide(struct csp_model_test *test, size_t assertion, reductions with,
                                  bool depth_first, struct assertion_result *result);

#endif
