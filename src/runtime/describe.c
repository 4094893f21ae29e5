#include "runtime/describe.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_CHOICES = 1024
};

_Static_assert(LP_MAY_FAIL == (int)EXCHANGE_MAY_FAIL && LP_MAY_WAIT == (int)EXCHANGE_MAY_WAIT &&
                   LP_ONCE == (int)EXCHANGE_ONCE,
               "flags mean the same to the program and to who reads them");

static void describe_operation(const lp_op *operation, struct exchange_operation *described)
{
    strncpy(described->name, operation->name, EXCHANGE_NAME - 1);
    described->from = operation->from;
    described->to = operation->to;
    described->only_thread = operation->only_thread;
    described->flags = operation->flags;
    described->can_run = operation->run || operation->run2 || operation->run3;
    described->takes_two = operation->run2 || operation->run3;
    described->runs_both_ways = !!operation->run + !!operation->run2 + !!operation->run3 > 1;
    described->from2 = operation->from2;
    described->to2 = operation->to2;
    described->takes_three = operation->run3 != NULL;
    described->from3 = operation->from3;
    described->to3 = operation->to3;
}

void describe_test(const lp_test *test, struct exchange_test *described)
{
    memset(described, 0, sizeof *described);
    strncpy(described->name, test->name ? test->name : "", EXCHANGE_NAME - 1);
    strncpy(described->spec, test->spec ? test->spec : "", EXCHANGE_SENTENCE - 1);
    described->in_functions = test->sequential != NULL;
    if (described->in_functions && !test->spec)
        strncpy(described->spec, "functions in C", EXCHANGE_SENTENCE - 1);
    for (size_t i = 0; i < SCENARIO_OPERATIONS && test->ops[i].name; i++)
        describe_operation(&test->ops[i], &described->operations[described->operation_count++]);
}

static const char *find_complaint(const lp_test *test)
{
    const lp_sequential *sequential = test->sequential;
    if (test->spec)
        return "expected no .spec beside .sequential";
    if (!sequential->step)
        return "expected a function step, found a null pointer";
    if (sequential->size > FUNCTIONS_WORDS * sizeof(uint64_t))
        return "expected a state of at most 4096 bytes, found a larger one";
    if (sequential->choices > MOST_CHOICES)
        return "expected at most 1024 choices, found more";
    return NULL;
}

void describe_functions(const lp_test *test, struct exchange_functions *described)
{
    const char *complaint = find_complaint(test);
    *described = (struct exchange_functions){.version = EXCHANGE_VERSION};
    if (complaint) {
        snprintf(described->complaint, sizeof described->complaint, "the functions of %s: %s",
                 test->name, complaint);
        return;
    }
    described->size = (uint32_t)test->sequential->size;
    described->words = (uint32_t)((described->size + sizeof(uint64_t) - 1) / sizeof(uint64_t));
}
