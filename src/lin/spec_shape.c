/* What an operation answers is read off its `return`s, with the branches of `a ? b : c` one by one.
 */
#include "lin/spec_shape.h"

#include <stdio.h>
#include <string.h>

#include "lin/walk.h"

#define LIN_MOST_NAMED 16 /* parameters */

/* ---- names of enums ---- */

static const struct lin_enum *enum_of_type(const struct lin_module *module,
                                           const struct lin_type *type)
{
    for (size_t i = 0; i < module->enums.length && type->low; i++)
        if (module->enums.items[i]->low == type->low)
            return module->enums.items[i];
    return NULL;
}

/* The number that a recorded text names; any other value as it is. */
static value number_named(const struct lin_shape *shape, const struct lin_enum *named,
                          value recorded)
{
    const struct lin_module *module = shape->program->module;
    size_t length;
    if (!named || !value_get_text(recorded, &length))
        return recorded;
    for (uint32_t i = named->first; i < named->first + named->count; i++)
        if (value_text_is(recorded, module->constants.items[i]->name))
            return value_small(module->constants.items[i]->integer);
    return recorded;
}

/* A recorded argument with such texts as numbers; VALUE_REFUSED. */
static value arguments_named(const struct lin_shape *shape, value recorded)
{
    const uint32_t count = shape->operation->parameter_count;
    if (count == 1)
        return number_named(shape, shape->enums[0], recorded);
    const value *items = bind_items(recorded, count);
    bool named = false;
    value numbers[LIN_MOST_NAMED];
    for (uint32_t i = 0; items && i < count && count <= LIN_MOST_NAMED; i++) {
        numbers[i] = number_named(shape, shape->enums[i], items[i]);
        named |= numbers[i] != items[i];
    }
    return named ? value_list(shape->program->pool, numbers, count) : recorded;
}

/* ---- what a recorded operation must be ---- */

static enum status bind_parameter(const struct lin_shape *shape, uint32_t number, value argument,
                                  struct text *complaint)
{
    const struct lin_variable *parameter = shape->operation->parameters[number];
    const struct range_limit *range = &shape->ranges[number];
    char expected[160];
    int64_t integer;
    switch ((enum lin_type_kind)parameter->type.kind) {
    case LIN_TYPE_INT:
        if (value_get_integer(argument, &integer) && integer >= range->low &&
            integer <= range->high)
            return STATUS_OK;
        snprintf(expected, sizeof expected, "an integer from %lld to %lld as `%.40s`",
                 (long long)range->low, (long long)range->high, parameter->name);
        break;
    case LIN_TYPE_BOOL:
        if (value_kind_of(argument) == KIND_BOOLEAN)
            return STATUS_OK;
        snprintf(expected, sizeof expected, "true or false as `%.40s`", parameter->name);
        break;
    case LIN_TYPE_LIST:
    case LIN_TYPE_SET:
    case LIN_TYPE_MAP:
        if (value_kind_of(argument) == (parameter->type.kind == LIN_TYPE_LIST  ? KIND_LIST
                                        : parameter->type.kind == LIN_TYPE_SET ? KIND_SET
                                                                               : KIND_MAP))
            return STATUS_OK;
        snprintf(expected, sizeof expected, "%s as `%.40s`", lin_type_name(&parameter->type),
                 parameter->name);
        break;
    default:
        if (argument != VALUE_NIL)
            return STATUS_OK;
        snprintf(expected, sizeof expected, "a value other than nil as `%.40s`", parameter->name);
        break;
    }
    return bind_complain(complaint, expected, argument);
}

static enum status bind_arguments(const struct lin_shape *shape, const struct recorded *recorded,
                                  struct text *complaint)
{
    uint32_t count = shape->operation->parameter_count;
    if (count == 1)
        return bind_parameter(shape, 0, recorded->argument, complaint);
    const value *items = bind_items(recorded->argument, count);
    if (!items) {
        char expected[80];
        snprintf(expected, sizeof expected, "a list of %u values", count);
        return bind_complain(complaint, expected, recorded->argument);
    }
    for (uint32_t i = 0; i < count; i++)
        TRY(bind_parameter(shape, i, items[i], complaint));
    return STATUS_OK;
}

enum status lin_shape_bind(const struct lin_shape *shape, const struct recorded *recorded,
                           struct call *call, struct text *complaint)
{
    struct recorded named = *recorded;
    if (shape->operation->parameter_count > 0) {
        named.argument = arguments_named(shape, recorded->argument);
        TRY_MEMORY(named.argument != VALUE_REFUSED);
        call->argument = named.argument;
        TRY(bind_arguments(shape, &named, complaint));
    }
    if (shape->operation->parameter_count == 0 && shape->answer == ANSWER_NOTHING)
        call->argument = VALUE_NIL;
    else if (shape->operation->parameter_count == 0)
        bind_answer(recorded, call);
    switch (shape->answer) {
    case ANSWER_NOTHING:
        bind_no_result(call);
        break;
    case ANSWER_BOOLEAN:
        call->result_known &= value_kind_of(call->result) == KIND_BOOLEAN;
        break;
    case ANSWER_SWAPPED:
        bind_swapped(recorded, call);
        break;
    case ANSWER_VALUE: {
        size_t length;
        const char *letters = value_get_text(call->result, &length);
        for (uint32_t i = 0; letters && i < shape->symbol_count; i++)
            if (value_text_is(call->result, value_get_text(shape->symbols[i], NULL)))
                call->result = shape->symbols[i];
        call->result = number_named(shape, shape->answers, call->result);
        break;
    }
    }
    return STATUS_OK;
}

/* ---- whether it changes the state, or waits ---- */

/* A function whose body is looked at; it may call itself. */
struct visit {
    const struct visit *outer;
    const struct lin_operation *function;
};

static bool is_visited(const struct visit *visit, const struct lin_operation *function)
{
    while (visit && visit->function != function)
        visit = visit->outer;
    return visit != NULL;
}

/* Whether it assigns to something shared, or a function that it calls does. */
static bool changes_state(void *context, const struct lin_expression *expression)
{
    if (expression->kind == LIN_EXPRESSION_ASSIGN || expression->kind == LIN_EXPRESSION_STEP) {
        const struct lin_expression *base = expression->items[0];
        while (base->kind == LIN_EXPRESSION_INDEX || base->kind == LIN_EXPRESSION_FIELD)
            base = base->items[0];
        if (base->meaning == LIN_MEANS_SHARED)
            return true;
    }
    struct visit here = {context, expression->operation};
    return expression->meaning == LIN_MEANS_FUNCTION &&
           !is_visited(context, expression->operation) &&
           lin_some_expression(expression->operation->body, changes_state, &here);
}

/* Whether it waits where it may not go on, or a function that it calls does. */
static bool calls_waiting(void *context, const struct lin_expression *expression);

static bool is_await(void *context, const struct lin_statement *statement)
{
    (void)context;
    return statement->kind == LIN_STATEMENT_AWAIT;
}

static bool waits(const struct lin_statement *body, struct visit *visit)
{
    return lin_some_statement(body, is_await, NULL) ||
           lin_some_expression(body, calls_waiting, visit);
}

static bool calls_waiting(void *context, const struct lin_expression *expression)
{
    struct visit here = {context, expression->operation};
    return expression->meaning == LIN_MEANS_FUNCTION &&
           !is_visited(context, expression->operation) && waits(expression->operation->body, &here);
}

bool lin_waits(const struct lin_object *object, const struct lin_operation *operation)
{
    bool some = waits(operation->body, NULL);
    for (uint32_t i = 0; i < object->together_count; i++)
        for (uint32_t j = 0; j < object->togethers[i]->count; j++)
            some |= object->togethers[i]->open[j] &&
                    object->operations[object->togethers[i]->numbers[j]] == operation &&
                    waits(object->togethers[i]->body.body, NULL);
    return some;
}

/* ---- answers ---- */

static bool is_symbol(const struct lin_expression *answer, const char *name)
{
    return answer && answer->meaning == LIN_MEANS_SYMBOL && strcmp(answer->name, name) == 0;
}

/* A list of symbols that grows. */
struct symbols {
    const struct lin_program *program;
    struct arena *arena;
    struct lin_shape *shape;
};

/* Adds an answer that is a symbol; true: memory is refused. */
static bool add_symbol(void *context, const struct lin_expression *answer)
{
    const struct symbols *list = context;
    struct lin_shape *shape = list->shape;
    if (!answer || answer->meaning != LIN_MEANS_SYMBOL || is_symbol(answer, "empty") ||
        is_symbol(answer, "ok"))
        return false;
    value symbol = value_text(list->program->pool, KIND_SYMBOL, answer->name, strlen(answer->name));
    value *symbols = arena_allocate(list->arena, (shape->symbol_count + 1) * sizeof *symbols);
    if (symbol == VALUE_REFUSED || !symbols)
        return true;
    if (shape->symbol_count)
        memcpy(symbols, shape->symbols, shape->symbol_count * sizeof *symbols);
    symbols[shape->symbol_count++] = symbol;
    shape->symbols = symbols;
    return false;
}

static bool add_symbols(void *list, const struct lin_expression *answer)
{
    return lin_some_branch(answer, add_symbol, list);
}

/* Whether it is more than `ok`. */
static bool says_something(void *context, const struct lin_expression *answer)
{
    (void)context;
    return answer && !is_symbol(answer, "ok");
}

static bool is_no_symbol(void *context, const struct lin_expression *answer)
{
    (void)context;
    return answer && (answer->meaning != LIN_MEANS_SYMBOL || is_symbol(answer, "empty"));
}

/* Whether it may be another value than a symbol: `empty` is null. */
static bool is_value(void *context, const struct lin_expression *answer)
{
    return lin_some_branch(answer, is_no_symbol, context);
}

struct answer_test {
    const struct lin_object *object;
    const struct lin_operation *operation;
    const struct lin_together *together;
    lin_expression_test *holds;
    void *context;
};

/* One of the answers of a `together` that is the operation's. */
static bool test_answers(void *context, const struct lin_expression *answers)
{
    const struct answer_test *test = context;
    const uint32_t count = test->together->count;
    bool found = false;
    for (uint32_t i = 0; !found && (answers || count == 1) && i < count; i++) {
        const struct lin_expression *answer = count > 1 ? answers->items[i] : answers;
        found = test->object->operations[test->together->numbers[i]] == test->operation &&
                !is_symbol(answer, LIN_STAYS_OPEN) && test->holds(test->context, answer);
    }
    return found;
}

static bool test_answer(void *context, const struct lin_expression *answer)
{
    const struct answer_test *test = context;
    return !is_symbol(answer, LIN_STAYS_OPEN) && test->holds(test->context, answer);
}

/* Whether the test holds of something that the operation answers, alone or together with others. */
static bool some_answer(const struct lin_object *object, const struct lin_operation *operation,
                        lin_expression_test *holds, void *context)
{
    struct answer_test test = {object, operation, NULL, holds, context};
    bool found = lin_some_return(operation->body, test_answer, &test);
    for (uint32_t i = 0; !found && i < object->together_count; i++) {
        test.together = object->togethers[i];
        found = lin_some_return(test.together->body.body, test_answers, &test);
    }
    return found;
}

/* Whether some `together` has the operation. */
static bool is_member(const struct lin_object *object, const struct lin_operation *operation)
{
    bool found = false;
    for (uint32_t i = 0; i < object->together_count; i++)
        for (uint32_t j = 0; j < object->togethers[i]->count; j++)
            found |= object->operations[object->togethers[i]->numbers[j]] == operation;
    return found;
}

/* For people: "", "ok, or a symbol", "v" */
static const char *describe_result(const struct lin_object *object, const struct lin_shape *shape)
{
    if (shape->answer == ANSWER_NOTHING)
        return "";
    return some_answer(object, shape->operation, is_value, NULL) ? "v" : "ok, or a symbol";
}

static enum lin_answer_shape answer_of(const struct lin_object *object,
                                       const struct lin_operation *operation)
{
    if (!some_answer(object, operation, says_something, NULL))
        return ANSWER_NOTHING;
    if (operation->type.kind != LIN_TYPE_BOOL)
        return ANSWER_VALUE;
    /* What the field's logs mean by an ok of these is that they took effect. */
    return strcmp(operation->name, "cas") == 0 || strcmp(operation->name, "put_if_revision") == 0
               ? ANSWER_SWAPPED
               : ANSWER_BOOLEAN;
}

/* ---- description ---- */

static enum status describe_ranges(const struct lin_program *program, struct arena *arena,
                                   struct lin_shape *shape, struct error *error)
{
    const struct lin_operation *operation = shape->operation;
    shape->ranges = arena_allocate(arena, operation->parameter_count * sizeof *shape->ranges);
    if (!shape->ranges)
        return STATUS_LIMIT;
    for (uint32_t i = 0; i < operation->parameter_count; i++)
        TRY(lin_bounds(program, &operation->parameters[i]->type, &shape->ranges[i], error));
    return STATUS_OK;
}

struct enum_search {
    const struct lin_module *module;
    const struct lin_enum *found;
};

/* Whether it is of an enum: a name of one, or something of its type. */
static bool is_of_enum(void *context, const struct lin_expression *answer)
{
    struct enum_search *search = context;
    const struct lin_module *module = search->module;
    if (!answer || answer->type.kind != LIN_TYPE_INT)
        return false;
    search->found = enum_of_type(module, &answer->type);
    for (size_t i = 0; i < module->constants.length && !search->found; i++)
        if (answer->kind == LIN_EXPRESSION_INTEGER && answer->name &&
            strcmp(module->constants.items[i]->name, answer->name) == 0)
            search->found = module->constants.items[i]->of;
    return search->found != NULL;
}

static bool may_be_of_enum(void *search, const struct lin_expression *answer)
{
    return lin_some_branch(answer, is_of_enum, search);
}

static enum status describe_enums(const struct lin_program *program, struct arena *arena,
                                  struct lin_shape *shape)
{
    const struct lin_operation *operation = shape->operation;
    struct enum_search search = {.module = program->module};
    shape->program = program;
    shape->enums = arena_allocate(arena, operation->parameter_count * sizeof *shape->enums);
    TRY_MEMORY(shape->enums);
    for (uint32_t i = 0; i < operation->parameter_count; i++)
        shape->enums[i] = enum_of_type(program->module, &operation->parameters[i]->type);
    if (some_answer(program->object, operation, may_be_of_enum, &search))
        shape->answers = search.found;
    return STATUS_OK;
}

/* "put_if_revision" as the tables have it: with hyphens. */
static char *with_hyphens(struct arena *arena, const char *name)
{
    char *copy = arena_copy_text(arena, name, strlen(name));
    for (char *letter = copy; letter && *letter; letter++)
        if (*letter == '_')
            *letter = '-';
    return copy;
}

/* "v", "[k v]", "" */
static const char *describe_parameters(struct arena *arena, const struct lin_operation *operation)
{
    struct text text = TEXT_EMPTY;
    text_append(&text, operation->parameter_count > 1 ? "[" : "");
    for (uint32_t i = 0; i < operation->parameter_count; i++)
        text_format(&text, "%s%s", i > 0 ? " " : "", operation->parameters[i]->name);
    text_append(&text, operation->parameter_count > 1 ? "]" : "");
    const char *copy = arena_copy_text(arena, text_string(&text), text.length);
    text_release(&text);
    return copy;
}

enum status lin_shape_find(const struct lin_program *program, const struct lin_operation *operation,
                           struct arena *arena, struct lin_shape *shape, struct spec_operation *row,
                           struct error *error)
{
    struct symbols symbols = {program, arena, shape};
    *shape =
        (struct lin_shape){.operation = operation, .answer = answer_of(program->object, operation)};
    if (some_answer(program->object, operation, add_symbols, &symbols))
        return STATUS_LIMIT;
    TRY(describe_ranges(program, arena, shape, error));
    TRY(describe_enums(program, arena, shape));
    *row = (struct spec_operation){
        .name = with_hyphens(arena, operation->name),
        .argument = describe_parameters(arena, operation),
        .result = describe_result(program->object, shape),
        .read_only = !is_member(program->object, operation) &&
                     !lin_some_expression(operation->body, changes_state, NULL),
        .waits = lin_waits(program->object, operation),
    };
    return row->name && row->argument ? STATUS_OK : STATUS_LIMIT;
}
