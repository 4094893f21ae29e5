/* A state is the bytes that the functions work on, in whole words, the last of which is filled up
 * with zeros: equal states are equal words. */
#include "runtime/functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/describe.h"
#include "runtime/threads.h"
#include "scenario/serial_histories.h"

struct functions {
    struct spec_class class;
    struct spec_operation operations[16]; /* as lp_test has them at most */
    const lp_test *test;
    uint64_t words[FUNCTIONS_WORDS]; /* a step at work */
    size_t word_count;               /* of a state */
};

static struct functions *functions_of(const struct spec *spec)
{
    return spec->data;
}

static bool init(const struct spec *spec, value key, struct outcomes *state)
{
    struct functions *functions = functions_of(spec);
    const lp_sequential *sequential = functions->test->sequential;
    (void)key;
    memset(functions->words, 0, sizeof functions->words);
    if (sequential->init)
        sequential->init(functions->words);
    return outcomes_add(state, functions->words, functions->word_count, VALUE_NIL);
}

static lp_int number_of(value number)
{
    int64_t integer = 0;
    (void)value_get_integer(number, &integer);
    return (lp_int)integer;
}

static void take_arguments(const struct functions *functions, const struct call *call,
                           lp_sequential_call *taken)
{
    size_t count;
    const value *several = value_get_items(call->argument, &count);
    *taken = (lp_sequential_call){.operation = call->operation,
                                  .name = functions->test->ops[call->operation].name};
    taken->argument = number_of(several ? several[0] : call->argument);
    taken->second = several ? number_of(several[1]) : 0;
    taken->third = several && count > 2 ? number_of(several[2]) : 0;
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    struct functions *functions = functions_of(spec);
    const lp_sequential *sequential = functions->test->sequential;
    lp_sequential_call taken;
    take_arguments(functions, call, &taken);
    for (; taken.choice == 0 || taken.choice < sequential->choices; taken.choice++) {
        lp_int result = LP_DONE;
        if (length)
            memcpy(functions->words, words, length * sizeof *words);
        execution.entered++;
        execution.in_code = "a step of the specification";
        bool happens = sequential->step(functions->words, &taken, &result);
        execution.in_code = NULL;
        if (!happens)
            continue;
        value answer = serial_answer(spec->pool, result);
        if (answer == VALUE_REFUSED)
            return false;
        if (call->result_known && answer != call->result)
            continue;
        if (!outcomes_add(outcomes, functions->words, length, answer))
            return false;
    }
    return true;
}

static void destroy(struct spec *spec)
{
    free(spec->data);
}

enum status functions_spec(const lp_test *test, struct value_pool *pool, struct budget *budget,
                           struct spec **spec, struct error *error)
{
    const struct spec_request request = {.name = ""};
    struct exchange_functions described;
    describe_functions(test, &described);
    if (described.complaint[0])
        return error_set(error, STATUS_USAGE, NULL, 0, "%s", described.complaint);
    struct functions *functions = memory_small(sizeof *functions);
    memset(functions, 0, sizeof *functions);
    functions->test = test;
    functions->word_count = described.words;
    functions->class = (struct spec_class){.name = test->name,
                                           .summary = "functions in C",
                                           .operations = functions->operations,
                                           .init = init,
                                           .step = step,
                                           .destroy = destroy};
    for (size_t i = 0; i < ARRAY_LENGTH(functions->operations) && test->ops[i].name; i++)
        functions->operations[functions->class.operation_count++] =
            (struct spec_operation){.name = test->ops[i].name, .argument = "v", .result = "v"};
    return spec_create_class(&functions->class, &request, functions, pool, budget, spec, error);
}
