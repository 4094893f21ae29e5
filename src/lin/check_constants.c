/* Constants in the order in which they stand, each made of numbers and of those before it: a name
 * that is found becomes an INTEGER or BOOLEAN in the tree, and an operator of two of these one. */
#include "lin/check_constants.h"

#include <string.h>

#include "lang/references.h"
#include "lin/flow.h"
#include "lin/lexer.h"

const struct lin_enum *checker_find_enum(const struct lin_module *module, const char *name)
{
    for (size_t i = 0; i < module->enums.length; i++)
        if (module->enums.items[i]->name && strcmp(module->enums.items[i]->name, name) == 0)
            return module->enums.items[i];
    return NULL;
}

/* Makes it a number, or with LIN_TYPE_BOOL true or false. */
static void become(struct lin_expression *expression, int64_t number, enum lin_type_kind kind)
{
    expression->kind = kind == LIN_TYPE_BOOL ? LIN_EXPRESSION_BOOLEAN : LIN_EXPRESSION_INTEGER;
    expression->integer = (int32_t)number;
    expression->meaning = LIN_MEANS_NOTHING;
    expression->type = (struct lin_type){.kind = (uint8_t)kind};
    expression->count = 0;
}

bool checker_take_constant(const struct lin_module *module, struct lin_expression *name)
{
    for (size_t i = 0; i < module->constants.length; i++) {
        const struct lin_named_constant *constant = module->constants.items[i];
        if (strcmp(constant->name, name->name) != 0)
            continue;
        references_add(module->script, name->at, name->name, constant->at, REFERENCE_CONSTANT);
        become(name, constant->integer, (enum lin_type_kind)constant->type.kind);
        return true;
    }
    return false;
}

/* ---- folding ---- */

static bool is_literal(const struct lin_expression *expression, enum lin_type_kind kind)
{
    return expression->kind ==
           (kind == LIN_TYPE_BOOL ? LIN_EXPRESSION_BOOLEAN : LIN_EXPRESSION_INTEGER);
}

static enum status expect_literals(const struct checker *checker,
                                   const struct lin_expression *expression, enum lin_type_kind kind)
{
    for (uint32_t i = 0; i < expression->count; i++)
        if (!is_literal(expression->items[i], kind))
            return complain(checker, expression->items[i]->at, "expected %s, found %s",
                            kind == LIN_TYPE_BOOL ? "a bool" : "an int",
                            kind == LIN_TYPE_BOOL ? "an int" : "a bool");
    return STATUS_OK;
}

/* Of two numbers. */
static bool compares(unsigned sign, int64_t left, int64_t right, bool *holds)
{
    switch (sign) {
    case LIN_EQUAL:
        *holds = left == right;
        return true;
    case LIN_NOT_EQUAL:
        *holds = left != right;
        return true;
    case LIN_LESS:
        *holds = left < right;
        return true;
    case LIN_LESS_EQUAL:
        *holds = left <= right;
        return true;
    case LIN_GREATER:
        *holds = left > right;
        return true;
    case LIN_GREATER_EQUAL:
        *holds = left >= right;
        return true;
    default:
        return false;
    }
}

static enum status become_int(const struct checker *checker, struct lin_expression *expression,
                              int64_t number)
{
    if (number < INT32_MIN || number > INT32_MAX)
        return complain(checker, expression->at, "expected an int of 32 bits, found %lld",
                        (long long)number);
    become(expression, number, LIN_TYPE_INT);
    return STATUS_OK;
}

static enum status fold_binary(const struct checker *checker, struct lin_expression *expression)
{
    int64_t number = 0;
    bool holds;
    if (expression->sign == LIN_AND_AND || expression->sign == LIN_BAR_BAR) {
        TRY(expect_literals(checker, expression, LIN_TYPE_BOOL));
        const int32_t left = expression->items[0]->integer, right = expression->items[1]->integer;
        become(expression, expression->sign == LIN_AND_AND ? left && right : left || right,
               LIN_TYPE_BOOL);
        return STATUS_OK;
    }
    const bool equals = expression->sign == LIN_EQUAL || expression->sign == LIN_NOT_EQUAL;
    const bool of_bools = equals && is_literal(expression->items[0], LIN_TYPE_BOOL);
    TRY(expect_literals(checker, expression, of_bools ? LIN_TYPE_BOOL : LIN_TYPE_INT));
    const int64_t left = expression->items[0]->integer, right = expression->items[1]->integer;
    if (compares(expression->sign, left, right, &holds)) {
        become(expression, holds, LIN_TYPE_BOOL);
        return STATUS_OK;
    }
    if (lin_calculate(expression->sign, left, right, &number) != STATUS_OK)
        return complain(checker, expression->at,
                        "expected + - * / or %% of two constants, and no division by 0");
    return become_int(checker, expression, number);
}

static enum status fold_unary(const struct checker *checker, struct lin_expression *expression)
{
    const bool negates = expression->sign == LIN_MINUS;
    const enum lin_type_kind kind = negates ? LIN_TYPE_INT : LIN_TYPE_BOOL;
    TRY(expect_literals(checker, expression, kind));
    const int64_t number = expression->items[0]->integer;
    if (negates)
        return become_int(checker, expression, -number);
    become(expression, !number, kind);
    return STATUS_OK;
}

enum status checker_fold(const struct checker *checker, struct lin_expression *expression)
{
    const char *name = expression->name;
    switch ((enum lin_expression_kind)expression->kind) {
    case LIN_EXPRESSION_INTEGER:
        expression->type = (struct lin_type){.kind = LIN_TYPE_INT};
        return STATUS_OK;
    case LIN_EXPRESSION_BOOLEAN:
        expression->type = (struct lin_type){.kind = LIN_TYPE_BOOL};
        return STATUS_OK;
    case LIN_EXPRESSION_NAME:
        if (expression->meaning == LIN_MEANS_NOTHING &&
            checker_take_constant(checker->module, expression))
            return STATUS_OK;
        return complain(checker, expression->at,
                        "expected a number or a constant of the file that is declared before, "
                        "found `%s`",
                        name);
    case LIN_EXPRESSION_UNARY:
    case LIN_EXPRESSION_BINARY:
        for (uint32_t i = 0; i < expression->count; i++)
            TRY(checker_fold(checker, expression->items[i]));
        return expression->kind == LIN_EXPRESSION_UNARY ? fold_unary(checker, expression)
                                                        : fold_binary(checker, expression);
    default:
        return complain(checker, expression->at,
                        "expected a constant, made of numbers and constants of the file");
    }
}

/* ---- declarations ---- */

/* Names that mean something wherever they stand. */
static bool is_taken(const char *name)
{
    static const char *const words[] = {"ok", "empty", "full", "thread", "threads"};
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

static enum status expect_new(const struct checker *checker,
                              const struct lin_named_constant *constant)
{
    const struct lin_module *module = checker->module;
    bool again = checker_find_enum(module, constant->name) != NULL;
    for (size_t i = 0; i < module->constants.length; i++)
        again |= module->constants.items[i]->name == constant->name;
    if (again)
        return complain(checker, constant->at, "expected a new name, found `%s` again",
                        constant->name);
    if (is_taken(constant->name))
        return complain(checker, constant->at,
                        "expected a new name, found `%s`, which means something everywhere",
                        constant->name);
    return STATUS_OK;
}

/* Its number, from those before it. */
static enum status find_number(const struct checker *checker, size_t i)
{
    struct lin_named_constant *constant = checker->module->constants.items[i];
    const struct lin_named_constant *before =
        i > 0 ? checker->module->constants.items[i - 1] : NULL;
    const bool follows = before && constant->of && before->of == constant->of;
    TRY(expect_new(checker, constant));
    if (!constant->expression) {
        if (follows && before->integer == INT32_MAX)
            return complain(checker, constant->at,
                            "expected an int of 32 bits, found a greater one");
        constant->integer = follows ? before->integer + 1 : 0;
        return STATUS_OK;
    }
    TRY(checker_fold(checker, constant->expression));
    if (!is_literal(constant->expression, (enum lin_type_kind)constant->type.kind))
        return complain(checker, constant->expression->at, "expected %s, found %s",
                        constant->type.kind == LIN_TYPE_BOOL ? "a bool" : "an int",
                        constant->type.kind == LIN_TYPE_BOOL ? "an int" : "a bool");
    constant->integer = constant->expression->integer;
    return STATUS_OK;
}

static struct lin_expression *make_bound(struct checker *checker, int32_t number, place at)
{
    struct lin_expression *bound = arena_allocate(checker->module->arena, sizeof *bound);
    if (bound)
        *bound = (struct lin_expression){.at = at};
    if (bound)
        become(bound, number, LIN_TYPE_INT);
    return bound;
}

static enum status bound_enum(struct checker *checker, struct lin_enum *bounded)
{
    struct lin_module *module = checker->module;
    if (bounded->name && checker_find_enum(module, bounded->name) != bounded)
        return complain(checker, bounded->at, "expected a new name, found `%s` again",
                        bounded->name);
    int32_t low = INT32_MAX, high = INT32_MIN;
    for (uint32_t i = 0; i < bounded->count; i++) {
        const int32_t number = module->constants.items[bounded->first + i]->integer;
        low = number < low ? number : low;
        high = number > high ? number : high;
    }
    bounded->low = make_bound(checker, low, bounded->at);
    bounded->high = make_bound(checker, high, bounded->at);
    return granted(bounded->low && bounded->high);
}

enum status checker_check_constants(struct checker *checker)
{
    struct lin_module *module = checker->module;
    const size_t count = module->constants.length;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        module->constants.length = i; /* the others are not declared yet */
        status = find_number(checker, i);
    }
    module->constants.length = count;
    TRY(status);
    for (size_t i = 0; i < module->enums.length; i++)
        TRY(bound_enum(checker, module->enums.items[i]));
    return STATUS_OK;
}

/* ---- where nothing else is declared ---- */

void checker_take_constants(const struct lin_module *module, struct lin_expression *expression)
{
    if (!expression)
        return;
    if (expression->kind == LIN_EXPRESSION_NAME)
        (void)checker_take_constant(module, expression);
    for (uint32_t i = 0; i < expression->count; i++)
        checker_take_constants(module, expression->items[i]);
}

/* Whether a word stands for a number: that of `threads = N`, but not `threads = any`. */
static bool wants_number(const struct lin_option *option)
{
    static const char *const names[] = {"threads", "ops", "values", "nodes"};
    bool wants = false;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        wants |= strcmp(names[i], option->name) == 0;
    return wants && strcmp(option->word, "any") != 0;
}

void checker_take_option(const struct lin_module *module, struct lin_option *option)
{
    struct lin_expression *constant;
    if (option->word && wants_number(option) &&
        (constant = arena_allocate(module->arena, sizeof *constant))) {
        *constant = (struct lin_expression){
            .kind = LIN_EXPRESSION_NAME, .at = option->word_at, .name = option->word};
        if (checker_take_constant(module, constant)) {
            option->word = NULL;
            option->expression = constant;
        }
    } else {
        checker_take_constants(module, option->expression);
    }
}

void checker_take_constants_of(const struct lin_module *module, struct lin_reference *reference)
{
    for (uint32_t i = 0; i < reference->argument_count; i++)
        checker_take_constants(module, reference->arguments[i].expression);
}
