/* Arrays that are sent and passed on as a whole: values, one for each content. */
#include <string.h>

#include "support/csp_oracle_term.h"

typedef struct oracle_value value;

#define FIRST 2 /* `number` of the first array */

const struct oracle_array *oracle_array_of(const struct oracle *oracle, value v)
{
    return v.is_boolean && v.number >= FIRST ? &oracle->arrays[v.number - FIRST] : NULL;
}

static bool is_same(const struct oracle_array *array, const value *items, int32_t length)
{
    bool same = array->length == length;
    for (int32_t i = 0; same && i < length; i++)
        same = array->items[i].is_boolean == items[i].is_boolean &&
               array->items[i].number == items[i].number;
    return same;
}

value oracle_array_value(struct oracle *oracle, const value *items, int32_t length)
{
    int32_t at = 0, count = oracle->array_count;
    while (at < count && !is_same(&oracle->arrays[at], items, length))
        at++;
    if (at == count) {
        struct oracle_array *arrays = oracle_allocate(oracle, (size_t)(count + 1) * sizeof *arrays);
        if (count)
            memcpy(arrays, oracle->arrays, (size_t)count * sizeof *arrays);
        arrays[count].length = length;
        arrays[count].items = oracle_allocate(oracle, (size_t)length * sizeof *items);
        memcpy(arrays[count].items, items, (size_t)length * sizeof *items);
        oracle->arrays = arrays;
        oracle->array_count = count + 1;
    }
    return (value){true, FIRST + at};
}

void oracle_print_value(value v, struct writer *text)
{
    const struct oracle_array *array = oracle_array_of(text->oracle, v);
    for (int32_t i = 0; array && i < array->length; i++) {
        writer_append(text, i ? ", " : "[");
        oracle_print_value(array->items[i], text);
    }
    if (array)
        writer_append(text, "]");
    else if (v.is_boolean)
        writer_append(text, v.number ? "true" : "false");
    else
        writer_format(text, "%d", v.number);
}

value oracle_whole(struct oracle *oracle, const struct csp_expression *e,
                   const struct oracle_environment *environment, struct oracle_valuation *valuation)
{
    bool bound = false;
    for (const struct oracle_environment *at = environment; at; at = at->outer)
        bound |= e->kind == EXPRESSION_NAME && strcmp(at->name, e->name) == 0;
    int variable = e->kind == EXPRESSION_NAME && !bound ? oracle_variable(oracle, e->name) : -1;
    if (variable >= 0 && oracle->sizes[variable][0] != 0)
        return oracle_array_value(oracle, valuation->variables[variable],
                                  oracle->lengths[variable]);
    if (e->kind != EXPRESSION_RECORD)
        return oracle_evaluate(oracle, e, environment, valuation);
    value *items = oracle_allocate(oracle, e->count * sizeof *items);
    for (uint32_t i = 0; i < e->count; i++)
        items[i] = oracle_evaluate(oracle, e->operands[i], environment, valuation);
    return oracle_array_value(oracle, items, (int32_t)e->count);
}

void oracle_check_range(struct oracle *oracle, const struct csp_variable *declared, value v)
{
    if (!declared || (!declared->low && !declared->high))
        return;
    if (v.is_boolean ||
        (declared->low && v.number < oracle_constant(oracle, declared->low, NULL)) ||
        (declared->high && v.number > oracle_constant(oracle, declared->high, NULL)))
        oracle_fail(oracle, "%s out of its range", declared->name);
}

/* The array of the model that a name stands for, -1 if it is none. */
static int whole_array(const struct oracle *oracle, const char *name,
                       const struct oracle_environment *environment)
{
    for (; environment; environment = environment->outer)
        if (strcmp(environment->name, name) == 0)
            return -1;
    int variable = oracle_variable(oracle, name);
    return variable >= 0 && oracle->sizes[variable][0] != 0 ? variable : -1;
}

bool oracle_copy_array(struct oracle *oracle, const struct csp_expression *target,
                       const struct csp_expression *source,
                       const struct oracle_environment *environment,
                       struct oracle_valuation *valuation)
{
    int to = whole_array(oracle, target->name, environment);
    int from = whole_array(oracle, source->name, environment);
    if (to < 0 || from < 0 || oracle->lengths[to] != oracle->lengths[from])
        return false;
    for (int32_t i = 0; i < oracle->lengths[to]; i++) {
        value v = valuation->variables[from][i];
        oracle_check_range(oracle, &oracle->module->variables.items[to], v);
        valuation->variables[to][i] = v;
    }
    return true;
}
