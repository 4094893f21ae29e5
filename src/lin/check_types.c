/* Whether one type fits another is one function; the rest says what was expected. Built-in
 * functions are rows of a table. */
#include "lin/check_types.h"

#include <stdio.h>
#include <string.h>

#include "lin/lexer.h"

struct lin_type lin_type_of(enum lin_type_kind kind)
{
    return (struct lin_type){.kind = (uint8_t)kind};
}

bool lin_is_kind(const struct lin_expression *expression, enum lin_type_kind kind)
{
    return expression->type.kind == kind && expression->type.dimensions == 0;
}

/* Of a kind that is only known when the specification runs. */
bool checker_is_dynamic(const struct checker *checker, const struct lin_expression *expression)
{
    return checker->object->is_spec && lin_is_kind(expression, LIN_TYPE_VALUE);
}

/* What may be a value of a program, or become of one. */
static bool fits_answer(enum lin_type_kind kind)
{
    return kind == LIN_TYPE_INT || kind == LIN_TYPE_BOOL || kind == LIN_TYPE_SYMBOL ||
           kind == LIN_TYPE_NULL;
}

bool lin_is_tuple(const struct lin_expression *answer)
{
    return answer && (answer->kind == LIN_EXPRESSION_LIST || lin_is_kind(answer, LIN_TYPE_RECORD) ||
                      answer->type.dimensions > 0);
}

bool checker_fits(const struct checker *checker, const struct lin_type *target,
                  const struct lin_expression *source)
{
    if (target->dimensions > 0 || source->type.dimensions > 0 ||
        source->type.kind == LIN_TYPE_VOID || target->is_address != source->type.is_address)
        return false;
    if (target->is_address)
        return target->kind == source->type.kind && target->of == source->type.of;
    if (target->kind == source->type.kind)
        return target->of == source->type.of;
    if (target->kind == LIN_TYPE_ANSWER || source->type.kind == LIN_TYPE_ANSWER)
        return fits_answer(target->kind == LIN_TYPE_ANSWER ? source->type.kind : target->kind);
    if (source->type.kind == LIN_TYPE_NULL)
        return target->kind == LIN_TYPE_STRUCT || target->kind == LIN_TYPE_VALUE;
    if (target->kind == LIN_TYPE_MAP && source->kind == LIN_EXPRESSION_SET && source->count == 0)
        return true;
    if (!checker->object->is_spec)
        return false;
    return target->kind == LIN_TYPE_VALUE || source->type.kind == LIN_TYPE_VALUE;
}

static const char *distinct_words(const struct lin_type *type, char *room, size_t size)
{
    const struct lin_type item = {.kind = type->kind, .of = type->of};
    char inner[64];
    if (type->dimensions > 0) {
        snprintf(room, size, "an array (%u dimension%s) whose items are each %.40s",
                 type->dimensions, type->dimensions == 1 ? "" : "s",
                 distinct_words(&item, inner, sizeof inner));
        return room;
    }
    if (!type->of)
        return lin_type_name(type);
    snprintf(room, size, "%s `%.40s`", type->of->is_record ? "a record" : "a reference to a",
             type->of->name);
    return room;
}

void lin_tell_types(const struct lin_type *one, const struct lin_type *other,
                    struct type_words *words)
{
    words->one = lin_type_name(one);
    words->other = lin_type_name(other);
    if (strcmp(words->one, words->other) != 0)
        return;
    words->one = distinct_words(one, words->room[0], sizeof words->room[0]);
    words->other = distinct_words(other, words->room[1], sizeof words->room[1]);
}

enum status checker_expect_fit(const struct checker *checker, const struct lin_type *target,
                               const struct lin_expression *source)
{
    if (checker_fits(checker, target, source))
        return STATUS_OK;
    if (target->is_address)
        return complain(checker, source->at,
                        "expected the address of something shared, as in `&x`, %s",
                        source->type.is_address ? "found one of another type" : "found none");
    bool is_tested = target->kind == LIN_TYPE_BOOL && source->type.kind == LIN_TYPE_STRUCT;
    struct type_words words;
    lin_tell_types(target, &source->type, &words);
    return complain(checker, source->at, "expected %s, found %s%s", words.one, words.other,
                    is_tested ? ": compare it with `null`" : "");
}

/* Made of numbers and parameters. */
static bool is_constant(const struct lin_expression *expression)
{
    bool constant =
        expression->kind == LIN_EXPRESSION_INTEGER || expression->meaning == LIN_MEANS_PARAMETER ||
        expression->kind == LIN_EXPRESSION_UNARY || expression->kind == LIN_EXPRESSION_BINARY;
    for (uint32_t i = 0; i < expression->count; i++)
        constant &= is_constant(expression->items[i]);
    return constant && lin_is_kind(expression, LIN_TYPE_INT);
}

bool lin_names_a_value(const struct lin_expression *one, const struct lin_expression *other)
{
    return lin_is_kind(one, LIN_TYPE_VALUE) && is_constant(other);
}

enum status checker_expect_comparable(const struct checker *checker, place at,
                                      const struct lin_expression *left,
                                      const struct lin_expression *right)
{
    if (lin_names_a_value(left, right) || lin_names_a_value(right, left))
        return STATUS_OK;
    if (checker_fits(checker, &left->type, right) || checker_fits(checker, &right->type, left))
        return STATUS_OK;
    if (left->type.dimensions && right->type.dimensions)
        return complain(checker, at,
                        "expected no arrays to compare: their items can be, or records of them");
    struct type_words words;
    lin_tell_types(&left->type, &right->type, &words);
    return complain(checker, at, "expected two of one type to compare, found %s and %s", words.one,
                    words.other);
}

enum status checker_expect_kind(const struct checker *checker, enum lin_type_kind kind,
                                const struct lin_expression *source)
{
    struct lin_type type = lin_type_of(kind);
    return checker_expect_fit(checker, &type, source);
}

bool checker_may_be_collection(const struct checker *checker,
                               const struct lin_expression *expression)
{
    return lin_is_kind(expression, LIN_TYPE_LIST) || lin_is_kind(expression, LIN_TYPE_SET) ||
           lin_is_kind(expression, LIN_TYPE_MAP) || checker_is_dynamic(checker, expression);
}

/* A collection, or something that may turn out to be one. */
enum status checker_expect_collection(const struct checker *checker,
                                      const struct lin_expression *expression, bool list_only)
{
    bool is_list =
        lin_is_kind(expression, LIN_TYPE_LIST) || checker_is_dynamic(checker, expression);
    if (is_list || (!list_only && (lin_is_kind(expression, LIN_TYPE_SET) ||
                                   lin_is_kind(expression, LIN_TYPE_MAP))))
        return STATUS_OK;
    return complain(checker, expression->at, "expected %s, found %s",
                    list_only ? "a list" : "a list, set or map", lin_type_name(&expression->type));
}

/* Something that holds a value and can be changed. */
enum status checker_expect_location(const struct checker *checker,
                                    const struct lin_expression *expression)
{
    const struct lin_expression *base = expression;
    while (base->kind == LIN_EXPRESSION_INDEX || base->kind == LIN_EXPRESSION_FIELD)
        base = base->items[0];
    if (base->kind == LIN_EXPRESSION_UNARY && base->sign == LIN_STAR &&
        expression->type.dimensions == 0)
        return STATUS_OK;
    if ((base->meaning == LIN_MEANS_SHARED || base->meaning == LIN_MEANS_LOCAL) &&
        expression->type.dimensions == 0)
        return STATUS_OK;
    return complain(checker, expression->at, "expected a variable, %s",
                    expression->type.dimensions > 0 ? "found a whole array"
                                                    : "found something that cannot be changed");
}

enum status checker_expect_count(const struct checker *checker,
                                 const struct lin_expression *expression, uint32_t count)
{
    if (expression->count == count)
        return STATUS_OK;
    return complain(checker, expression->at, "expected %u argument%s for `%s`, found %u", count,
                    count == 1 ? "" : "s", expression->name, expression->count);
}

/* ---- built-in functions ---- */

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
        if (i != 1 || expression->number != LIN_BUILTIN_CAS ||
            !lin_names_a_value(location, expression->items[i]))
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
