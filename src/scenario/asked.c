#include "scenario/asked.h"

#include <string.h>

#include "scenario/serial_histories.h"

static int64_t number_of(value number)
{
    int64_t integer = 0;
    (void)value_get_integer(number, &integer);
    return integer;
}

struct exchange_step asked_step(const struct call *call)
{
    size_t count;
    const value *several = value_get_items(call->argument, &count);
    struct exchange_step step = {.operation = call->operation};
    step.argument = number_of(several && count > 0 ? several[0] : call->argument);
    step.second = several && count > 1 ? number_of(several[1]) : 0;
    step.third = several && count > 2 ? number_of(several[2]) : 0;
    return step;
}

value asked_answer(struct value_pool *pool, int64_t result)
{
    if (result == SCENARIO_DONE)
        return value_text(pool, KIND_STRING, &EXCHANGE_DONE[1], strlen(EXCHANGE_DONE) - 2);
    return serial_answer(pool, result);
}

struct spec_operation asked_operation(const struct exchange_operation *operation, char *name)
{
    bool has_argument = operation->takes_two || operation->from || operation->to;
    for (char *letter = name; *letter; letter++)
        if (*letter == '_') /* both are accepted */
            *letter = '-';
    return (struct spec_operation){
        .name = name, .argument = has_argument ? "v" : "", .result = "v"};
}
