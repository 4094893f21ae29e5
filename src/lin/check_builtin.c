#include "lin/check_builtin.h"

#include <string.h>

#include "lin/check_types.h"

static const struct builtin builtins[] = {
    {"len", LIN_BUILTIN_LEN, 1, true, false, LIN_TYPE_INT},
    {"first", LIN_BUILTIN_FIRST, 1, true, false, LIN_TYPE_VALUE},
    {"last", LIN_BUILTIN_LAST, 1, true, false, LIN_TYPE_VALUE},
    {"but_first", LIN_BUILTIN_BUT_FIRST, 1, true, false, LIN_TYPE_LIST},
    {"but_last", LIN_BUILTIN_BUT_LAST, 1, true, false, LIN_TYPE_LIST},
    {"min", LIN_BUILTIN_MIN, 1, true, false, LIN_TYPE_VALUE},
    {"max", LIN_BUILTIN_MAX, 1, true, false, LIN_TYPE_VALUE},
    {"cas", LIN_BUILTIN_CAS, 3, false, true, LIN_TYPE_BOOL},
    {"swap", LIN_BUILTIN_SWAP, 2, false, true, LIN_TYPE_VALUE},
    {"fetch_add", LIN_BUILTIN_FETCH_ADD, 2, false, true, LIN_TYPE_INT},
    {"ll", LIN_BUILTIN_LL, 1, false, true, LIN_TYPE_VALUE},
    {"sc", LIN_BUILTIN_SC, 2, false, true, LIN_TYPE_BOOL},
    {"lock", LIN_BUILTIN_LOCK, 1, false, true, LIN_TYPE_VOID},
    {"unlock", LIN_BUILTIN_UNLOCK, 1, false, true, LIN_TYPE_VOID},
    {"free", LIN_BUILTIN_FREE, 1, false, true, LIN_TYPE_VOID},
};

const struct builtin *lin_find_builtin(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(builtins); i++)
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}

enum status checker_undeclared_function(const struct checker *checker,
                                        const struct lin_expression *call)
{
    const char *known[MOST_KNOWN];
    const struct lin_object *object = checker->object;
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(builtins) && count < MOST_KNOWN; i++)
        if (object->is_spec ? builtins[i].in_spec : builtins[i].in_impl)
            known[count++] = builtins[i].name;
    for (uint32_t i = 0; i < object->function_count && count < MOST_KNOWN; i++)
        known[count++] = object->functions[i]->name;
    return checker_undeclared(checker, call->at, "a function", call->name, known, count);
}

static enum status check_location_builtin(struct checker *checker,
                                          struct lin_expression *expression)
{
    struct lin_expression *location = expression->items[0];
    TRY(checker_expect_location(checker, location));
    switch ((enum lin_builtin)expression->number) {
    case LIN_BUILTIN_FETCH_ADD:
        TRY(checker_expect_kind(checker, LIN_TYPE_INT, location));
        return checker_expect_kind(checker, LIN_TYPE_INT, expression->items[1]);
    case LIN_BUILTIN_LOCK:
    case LIN_BUILTIN_UNLOCK:
        return checker_expect_kind(checker, LIN_TYPE_BOOL, location);
    case LIN_BUILTIN_SWAP:
    case LIN_BUILTIN_LL:
        expression->type = location->type;
        break;
    default:
        break;
    }
    for (uint32_t i = 1; i < expression->count; i++)
        TRY(checker_expect_fit(checker, &location->type, expression->items[i]));
    return STATUS_OK;
}

enum status checker_check_builtin(struct checker *checker, struct lin_expression *expression,
                                  const struct builtin *builtin)
{
    expression->meaning = LIN_MEANS_BUILTIN;
    expression->number = builtin->builtin;
    expression->type = lin_type_of(builtin->result);
    if (checker->in_condition || checker->in_point)
        return complain(checker, expression->at, "expected %s, found `%s`, which changes the state",
                        checker->in_point ? "an answer" : "a condition", builtin->name);
    if (!(checker->object->is_spec ? builtin->in_spec : builtin->in_impl))
        return complain(checker, expression->at, "`%s` is for %s only", builtin->name,
                        builtin->in_spec ? "specifications" : "implementations");
    TRY(checker_expect_count(checker, expression, builtin->count));
    switch (builtin->builtin) {
    case LIN_BUILTIN_LEN:
    case LIN_BUILTIN_MIN:
    case LIN_BUILTIN_MAX:
        return checker_expect_collection(checker, expression->items[0], false);
    case LIN_BUILTIN_FIRST:
    case LIN_BUILTIN_LAST:
    case LIN_BUILTIN_BUT_FIRST:
    case LIN_BUILTIN_BUT_LAST:
        return checker_expect_collection(checker, expression->items[0], true);
    case LIN_BUILTIN_FREE:
        if (lin_is_kind(expression->items[0], LIN_TYPE_STRUCT))
            return STATUS_OK;
        return complain(checker, expression->items[0]->at,
                        "expected a reference to a node, found %s",
                        lin_type_name(&expression->items[0]->type));
    default:
        return check_location_builtin(checker, expression);
    }
}
