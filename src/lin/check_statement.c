/* One function for each statement; a stack of declared names, cut back where a block ends. Behind a
 * wrong statement the next one is looked at, but behind a wrong declaration nothing that may use
 * it. */
#include "lin/check_statement.h"

#include <string.h>

#include "lang/faults.h"
#include "lin/check_constants.h"
#include "lin/check_expression.h"
#include "lin/check_types.h"
#include "lin/lexer.h"
#include "lin/walk.h"

static enum status check_statement(struct checker *checker, struct lin_statement *statement);

static enum status declare(struct checker *checker, struct lin_variable *variable)
{
    for (size_t i = checker->scope.length; i-- > 0;) {
        const struct scope_name *other = &checker->scope.items[i];
        if (other->depth == checker->depth && other->variable->name == variable->name)
            return complain(checker, variable->at, "expected a new name, found `%s` again",
                            variable->name);
    }
    variable->number = checker->operation->local_count++;
    struct scope_name name = {.variable = variable, .depth = checker->depth};
    return vector_push(&checker->scope, name) ? STATUS_OK : STATUS_LIMIT;
}

/* Goes on behind a statement that is wrong; behind a declaration only with the next operation. */
static enum status check_or_keep(struct checker *checker, struct lin_statement *statement)
{
    size_t outer = checker->scope.length;
    unsigned depth = checker->depth, loops = checker->loops, breakable = checker->breakable;
    if (limits_look(checker->module->script->limits, &checker->steps))
        return STATUS_LIMIT;
    enum status status = check_statement(checker, statement);
    if (status != STATUS_INPUT || checker->gives_up)
        return status;
    TRY(faults_keep(checker->module->script, status, checker->error));
    checker->scope.length = outer;
    checker->depth = depth;
    checker->loops = loops;
    checker->breakable = breakable;
    checker->in_point = checker->wants_address = false;
    checker->gives_up = statement->kind == LIN_STATEMENT_DECLARE;
    return checker->gives_up ? STATUS_INPUT : STATUS_OK;
}

static enum status check_items_of(struct checker *checker, struct lin_statement *statement)
{
    size_t outer = checker->scope.length;
    checker->depth++;
    for (uint32_t i = 0; i < statement->count; i++)
        if (statement->items[i])
            TRY(check_or_keep(checker, statement->items[i]));
    checker->depth--;
    checker->scope.length = outer;
    return STATUS_OK;
}

static enum status check_loop(struct checker *checker, struct lin_statement *statement)
{
    if (statement->expression)
        TRY(checker_check_kind(checker, statement->expression, LIN_TYPE_BOOL));
    checker->loops++;
    checker->breakable++;
    TRY(check_items_of(checker, statement));
    checker->loops--;
    checker->breakable--;
    return STATUS_OK;
}

/* ---- switch ---- */

/* Whether a symbol may be a label: where what is switched on is known when it runs. */
static bool may_be_symbol(const struct checker *checker, const struct lin_expression *subject)
{
    return checker_is_dynamic(checker, subject) || lin_is_kind(subject, LIN_TYPE_ANSWER);
}

/* Turns a label into a constant. */
static enum status fold_label(struct checker *checker, const struct lin_expression *subject,
                              struct lin_expression *label)
{
    const bool is_text = label->kind == LIN_EXPRESSION_STRING;
    if (is_text && !checker_is_dynamic(checker, subject))
        return complain(checker, label->at,
                        "expected a text as a label of a `value` in a specification, found one "
                        "elsewhere");
    TRY(checker_check_expression(checker, label));
    if (label->kind == LIN_EXPRESSION_NULL || is_text ||
        (label->meaning == LIN_MEANS_SYMBOL && may_be_symbol(checker, subject)))
        return STATUS_OK;
    return checker_fold(checker, label);
}

static bool is_same_label(const struct lin_expression *one, const struct lin_expression *other)
{
    if (!one || !other)
        return one == other;
    return one->kind == other->kind && one->integer == other->integer &&
           ((one->meaning != LIN_MEANS_SYMBOL && one->kind != LIN_EXPRESSION_STRING) ||
            one->name == other->name);
}

static enum status check_label(struct checker *checker, const struct lin_statement *statement,
                               uint32_t number)
{
    const struct lin_statement *part = statement->items[number];
    const struct lin_expression *subject = statement->expression;
    if (part->expression) {
        TRY(fold_label(checker, subject, part->expression));
        TRY(checker_expect_comparable(checker, part->expression->at, subject, part->expression));
    }
    for (uint32_t i = 0; i < number; i++)
        if (is_same_label(statement->items[i]->expression, part->expression))
            return complain(checker, part->at, "expected each label once, found one again");
    return STATUS_OK;
}

static enum status check_switch(struct checker *checker, struct lin_statement *statement)
{
    const struct lin_expression *subject = statement->expression;
    TRY(checker_check_expression(checker, statement->expression));
    if (!lin_is_kind(subject, LIN_TYPE_INT) && !lin_is_kind(subject, LIN_TYPE_BOOL) &&
        !lin_is_kind(subject, LIN_TYPE_VALUE) && !lin_is_kind(subject, LIN_TYPE_ANSWER))
        return complain(checker, subject->at,
                        "expected an int, bool or value to switch on, found %s",
                        lin_type_name(&subject->type));
    checker->breakable++;
    for (uint32_t i = 0; i < statement->count; i++) {
        TRY(check_label(checker, statement, i));
        TRY(check_items_of(checker, statement->items[i]));
    }
    checker->breakable--;
    return STATUS_OK;
}

static enum status check_for(struct checker *checker, struct lin_statement *statement)
{
    size_t outer = checker->scope.length;
    checker->depth++;
    if (statement->items[0])
        TRY(check_statement(checker, statement->items[0]));
    if (statement->expression)
        TRY(checker_check_kind(checker, statement->expression, LIN_TYPE_BOOL));
    if (statement->step)
        TRY(checker_check_expression(checker, statement->step));
    checker->loops++;
    checker->breakable++;
    TRY(check_statement(checker, statement->items[1]));
    checker->loops--;
    checker->breakable--;
    checker->depth--;
    checker->scope.length = outer;
    return STATUS_OK;
}

/* What an operation can answer. */
static enum status expect_answer(const struct checker *checker,
                                 const struct lin_expression *expression, const char *word)
{
    if (expression->type.dimensions == 0 && !lin_is_kind(expression, LIN_TYPE_VOID) &&
        !lin_is_kind(expression, LIN_TYPE_STRUCT) && !lin_is_kind(expression, LIN_TYPE_RECORD))
        return STATUS_OK;
    return complain(
        checker, expression->at, "expected a value to %s, found %s%s", word,
        lin_type_name(&expression->type),
        expression->type.dimensions > 0 ? ": a list of its items, `[a[0], a[1]]`, is one" : "");
}

/* What an operation answers here becomes part of what it may answer. */
static void merge_answer(struct lin_operation *operation, const struct lin_expression *expression)
{
    if (operation->type.kind == LIN_TYPE_VOID)
        operation->type = expression->type;
    else if (operation->type.kind != expression->type.kind)
        operation->type = lin_type_of(LIN_TYPE_VALUE);
}

/* Whether the operation can stay open: something says what it does when it has. */
static bool has_open_part(const struct lin_object *object, const struct lin_operation *operation)
{
    bool found = false;
    for (uint32_t i = 0; i < object->together_count; i++)
        for (uint32_t j = 0; j < object->togethers[i]->count; j++)
            found |=
                object->togethers[i]->open[j] && object->togethers[i]->names[j] == operation->name;
    return found;
}

static bool names_open(void *object, const struct lin_expression *expression)
{
    (void)object;
    return expression->meaning == LIN_MEANS_SYMBOL && strcmp(expression->name, "open") == 0;
}

/* An answer of a specification's operation: `open` is none where operations may stay so. */
static enum status take_answer(const struct checker *checker, struct lin_operation *operation,
                               struct lin_expression *answer)
{
    bool some = false;
    for (uint32_t i = 0; i < checker->object->together_count; i++)
        for (uint32_t j = 0; j < checker->object->togethers[i]->count; j++)
            some |= checker->object->togethers[i]->open[j];
    if (!some || !lin_some_part(answer, names_open, NULL)) {
        merge_answer(operation, answer);
        return STATUS_OK;
    }
    if (answer->kind != LIN_EXPRESSION_NAME)
        return complain(checker, answer->at,
                        "expected `open` as an answer of its own (`if (...) return open;`), found "
                        "it in another");
    if (!has_open_part(checker->object, operation))
        return complain(checker, answer->at,
                        "expected `op open %s` or a `together` with `open %s`, which say how an "
                        "operation that stays open goes on, found none",
                        operation->name, operation->name);
    answer->name = LIN_STAYS_OPEN;
    return STATUS_OK;
}

static bool stays_open(const struct lin_expression *answer)
{
    return answer && answer->meaning == LIN_MEANS_SYMBOL &&
           strcmp(answer->name, LIN_STAYS_OPEN) == 0;
}

/* A step in which nothing begins ends something: there is no end of steps otherwise. */
static enum status expect_progress(const struct checker *checker,
                                   const struct lin_statement *statement)
{
    const struct lin_together *together = checker->together;
    const struct lin_expression *answer = statement->expression;
    bool all = answer != NULL;
    for (uint32_t i = 0; all && i < together->count; i++)
        all = together->open[i] && stays_open(together->count > 1 ? answer->items[i] : answer);
    return all ? complain(checker, statement->at,
                          "expected an answer other than `open` of one of them at least, for none "
                          "begins here")
               : STATUS_OK;
}

/* The answer of an operation that has stayed open, by itself. */
static enum status check_open_answer(struct checker *checker, const struct lin_statement *statement)
{
    struct lin_operation *operation = checker->object->operations[checker->together->numbers[0]];
    struct lin_expression *answer = statement->expression;
    if (!answer)
        return STATUS_OK;
    if (answer->kind == LIN_EXPRESSION_LIST && answer->sign == LIN_COMMA)
        return complain(checker, answer->at,
                        "expected one answer, found several: only `together` has one for each of "
                        "its operations");
    TRY(checker_check_expression(checker, answer));
    TRY(expect_answer(checker, answer, "return"));
    TRY(take_answer(checker, operation, answer));
    return expect_progress(checker, statement);
}

/* One answer for each of the operations that take effect together. */
static enum status check_answers(struct checker *checker, const struct lin_statement *statement)
{
    const struct lin_together *together = checker->together;
    struct lin_expression *list = statement->expression;
    if (together->count == 1)
        return check_open_answer(checker, statement);
    const uint32_t count = !list ? 0 : list->sign == LIN_COMMA ? list->count : 1;
    if (count != together->count || list->sign != LIN_COMMA)
        return complain(checker, statement->at,
                        "expected %u answers, one for each operation, found %u", together->count,
                        count);
    for (uint32_t i = 0; i < count; i++) {
        TRY(checker_check_expression(checker, list->items[i]));
        TRY(expect_answer(checker, list->items[i], "return"));
        TRY(take_answer(checker, checker->object->operations[together->numbers[i]],
                        list->items[i]));
    }
    list->type = lin_type_of(LIN_TYPE_LIST);
    return expect_progress(checker, statement);
}

/* One of several words that an implementation's operation answers. */
static enum status expect_part(const struct checker *checker, const struct lin_expression *part)
{
    if (part->type.dimensions == 0 &&
        (part->type.kind == LIN_TYPE_VALUE || part->type.kind == LIN_TYPE_INT ||
         part->type.kind == LIN_TYPE_BOOL || part->type.kind == LIN_TYPE_NULL))
        return STATUS_OK;
    return complain(checker, part->at,
                    "expected a value, bool, int or null in a list that is answered, found %s",
                    lin_type_name(&part->type));
}

/* `return [a, b];`, a record, a local array: answered as a list. */
static enum status check_tuple(struct checker *checker, struct lin_expression *answer)
{
    if (answer->sign == LIN_COMMA)
        return complain(checker, answer->at,
                        "expected one answer, found several: a list is written `[a, b]`");
    for (uint32_t i = 0; answer->kind == LIN_EXPRESSION_LIST && i < answer->count; i++) {
        TRY(checker_check_expression(checker, answer->items[i]));
        TRY(expect_part(checker, answer->items[i]));
    }
    if (answer->kind == LIN_EXPRESSION_LIST) {
        answer->type = lin_type_of(LIN_TYPE_LIST);
        return STATUS_OK;
    }
    const struct lin_expression *base = answer;
    while (base->kind == LIN_EXPRESSION_FIELD)
        base = base->items[0];
    if (answer->type.dimensions == 0 || answer->meaning == LIN_MEANS_LOCAL)
        return STATUS_OK;
    if (base != answer)
        return complain(checker, answer->at,
                        "expected a local array or a whole record to answer, found an array in a "
                        "record: answer its items, `[r.%s[0], r.%s[1]]`",
                        answer->name, answer->name);
    return complain(checker, answer->at,
                    "expected a local array to answer, found another: a shared one is read item by "
                    "item");
}

static enum status check_return(struct checker *checker, struct lin_statement *statement)
{
    struct lin_operation *operation = checker->operation;
    struct lin_expression *expression = statement->expression;
    if (checker->together)
        return check_answers(checker, statement);
    if (expression && expression->kind == LIN_EXPRESSION_LIST && expression->sign == LIN_COMMA)
        return complain(checker, expression->at,
                        "expected one answer, found several: only `together` has one for each of "
                        "its operations");
    if (expression && checker->object->is_program)
        return complain(checker, expression->at,
                        "expected `return;` in a program: a thread has no "
                        "answer (`print` shows one)");
    if (!expression) {
        if (!operation->is_function || operation->type.kind == LIN_TYPE_VOID)
            return STATUS_OK;
        return complain(checker, statement->at, "expected %s to return, found `;`",
                        lin_type_name(&operation->type));
    }
    const bool answers = !operation->is_function && !checker->object->is_spec &&
                         operation != checker->object->initially;
    if (!answers || expression->kind != LIN_EXPRESSION_LIST)
        TRY(checker_check_expression(checker, expression));
    if (operation->is_function)
        return checker_expect_fit(checker, &operation->type, expression);
    if (operation == checker->object->initially)
        return complain(checker, expression->at, "`init` returns nothing");
    TRY(answers && lin_is_tuple(expression) ? check_tuple(checker, expression)
                                            : expect_answer(checker, expression, "return"));
    return take_answer(checker, operation, expression);
}

/* What a thread of a program must not say: the object is used by its operations alone. */
static enum status check_for_program(const struct checker *checker,
                                     const struct lin_statement *statement)
{
    const char *word = statement->kind == LIN_STATEMENT_ATOMIC      ? "atomic"
                       : statement->kind == LIN_STATEMENT_LINEARIZE ? "linearize"
                       : statement->kind == LIN_STATEMENT_ASSERT    ? "assert"
                                                                    : NULL;
    if (!checker->object->is_program || !word)
        return STATUS_OK;
    return complain(checker, statement->at, "`%s` is not for programs%s", word,
                    statement->kind == LIN_STATEMENT_ASSERT ? ": print what is to be compared"
                                                            : "");
}

static enum status check_for_impl_only(const struct checker *checker,
                                       const struct lin_statement *statement, const char *word)
{
    if (!checker->object->is_spec)
        return STATUS_OK;
    return complain(checker, statement->at,
                    "`%s` is for implementations only: an operation of a "
                    "specification is one step",
                    word);
}

static enum status check_point(struct checker *checker, struct lin_statement *statement)
{
    struct lin_expression *expression = statement->expression;
    if (checker->operation == checker->object->initially)
        return complain(checker, statement->at,
                        "expected `linearize` in an operation, found it in `init`");
    checker->in_point = true;
    if (statement->step)
        TRY(checker_check_kind(checker, statement->step, LIN_TYPE_INT));
    if (expression && expression->kind == LIN_EXPRESSION_LIST)
        return complain(checker, expression->at,
                        "expected one word as the answer of a point, found a list: `linearize;` "
                        "leaves the answer open until the operation returns");
    if (expression)
        TRY(checker_check_expression(checker, expression));
    checker->in_point = false;
    if (lin_is_tuple(expression))
        return complain(checker, expression->at,
                        "expected one word as the answer of a point, found several: `linearize;` "
                        "leaves the answer open until the operation returns");
    return expression ? expect_answer(checker, expression, "answer") : STATUS_OK;
}

static enum status check_statement(struct checker *checker, struct lin_statement *statement)
{
    TRY(check_for_program(checker, statement));
    switch ((enum lin_statement_kind)statement->kind) {
    case LIN_STATEMENT_BLOCK:
    case LIN_STATEMENT_EITHER:
        return check_items_of(checker, statement);
    case LIN_STATEMENT_ATOMIC:
        TRY(check_for_impl_only(checker, statement, "atomic"));
        return check_items_of(checker, statement);
    case LIN_STATEMENT_DECLARE:
        TRY(checker_check_variable(checker, statement->variable));
        return declare(checker, statement->variable);
    case LIN_STATEMENT_EXPRESSION:
        return checker_check_expression(checker, statement->expression);
    case LIN_STATEMENT_IF:
        TRY(checker_check_kind(checker, statement->expression, LIN_TYPE_BOOL));
        return check_items_of(checker, statement);
    case LIN_STATEMENT_WHILE:
    case LIN_STATEMENT_DO:
        return check_loop(checker, statement);
    case LIN_STATEMENT_FOR:
        return check_for(checker, statement);
    case LIN_STATEMENT_RETURN:
        return check_return(checker, statement);
    case LIN_STATEMENT_BREAK:
    case LIN_STATEMENT_CONTINUE:
        if (statement->kind == LIN_STATEMENT_BREAK ? checker->breakable > 0 : checker->loops > 0)
            return STATUS_OK;
        return complain(checker, statement->at, "expected a loop%s around `%s`, found none",
                        statement->kind == LIN_STATEMENT_BREAK ? " or switch" : "",
                        statement->kind == LIN_STATEMENT_BREAK ? "break" : "continue");
    case LIN_STATEMENT_SWITCH:
        return check_switch(checker, statement);
    case LIN_STATEMENT_CASE: /* in its switch */
        return STATUS_OK;
    case LIN_STATEMENT_AWAIT:
    case LIN_STATEMENT_ASSUME:
    case LIN_STATEMENT_ASSERT:
        return checker_check_kind(checker, statement->expression, LIN_TYPE_BOOL);
    case LIN_STATEMENT_LINEARIZE:
        TRY(check_for_impl_only(checker, statement, "linearize"));
        return check_point(checker, statement);
    case LIN_STATEMENT_PRINT:
        if (!checker->object->is_program)
            return complain(checker, statement->at, "`print` is for programs only");
        TRY(checker_check_expression(checker, statement->expression));
        return expect_answer(checker, statement->expression, "print");
    }
    return STATUS_OK;
}

static enum status check_operation(struct checker *checker, struct lin_operation *operation)
{
    checker->operation = operation;
    checker->scope.length = 0;
    checker->depth = checker->loops = checker->breakable = 0;
    operation->local_count = 0;
    for (uint32_t i = 0; i < operation->parameter_count; i++)
        TRY(declare(checker, operation->parameters[i]));
    if (operation->only_thread)
        TRY(checker_check_kind(checker, operation->only_thread, LIN_TYPE_INT));
    return check_statement(checker, operation->body);
}

/* The same, of which others can be looked at whatever is wrong with it. */
enum status checker_check_body(struct checker *checker, struct lin_operation *operation)
{
    enum status status = check_operation(checker, operation);
    bool told = checker->gives_up;
    checker->gives_up = checker->in_point = checker->wants_address = false;
    return told ? STATUS_OK : faults_keep(checker->module->script, status, checker->error);
}

/* Remembers the bare names that are answered and not declared: symbols. */
static enum status collect_symbols(struct checker *checker, const struct lin_expression *expression)
{
    if (expression->kind == LIN_EXPRESSION_CONDITIONAL) {
        TRY(collect_symbols(checker, expression->items[1]));
        return collect_symbols(checker, expression->items[2]);
    }
    for (uint32_t i = 0; expression->sign == LIN_COMMA && i < expression->count; i++)
        TRY(collect_symbols(checker, expression->items[i]));
    bool known = checker->object->is_program && expression->meaning != LIN_MEANS_SYMBOL;
    if (expression->kind != LIN_EXPRESSION_NAME || known)
        return STATUS_OK;
    return vector_push(&checker->symbols, expression->name) ? STATUS_OK : STATUS_LIMIT;
}

enum status checker_collect_returns(struct checker *checker, const struct lin_statement *statement,
                                    bool is_function)
{
    bool answers = statement->kind == LIN_STATEMENT_LINEARIZE ||
                   (statement->kind == LIN_STATEMENT_RETURN && !is_function);
    if (answers && statement->expression)
        return collect_symbols(checker, statement->expression);
    for (uint32_t i = 0; i < statement->count; i++)
        if (statement->items[i])
            TRY(checker_collect_returns(checker, statement->items[i], is_function));
    return STATUS_OK;
}
