#include "lin/check.h"

#include <stdio.h>
#include <string.h>

#include "base/suggestion.h"
#include "lang/faults.h"
#include "lin/automaton.h"
#include "lin/lexer.h"
#include "lin/rules.h"

struct scope_name {
    struct lin_variable *variable;
    unsigned depth; /* of the block that declares it */
};

struct checker {
    struct lin_module *module;
    const struct lin_object *object;
    struct lin_operation *operation;
    VECTOR(struct scope_name) scope;
    VECTOR(const char *) symbols; /* bare names that some operation returns */
    unsigned depth, loops;
    bool in_condition; /* of an assertion: nothing changes, no thread is the caller */
    bool in_point;     /* of `linearize`: nothing changes */
    bool gives_up;     /* a declaration is wrong, and was told: what uses it is not looked at */
    struct error *error;
};

#define complain(checker, at, ...)                                                                 \
    script_error((checker)->module->script, (at), (checker)->error, __VA_ARGS__)

const char *lin_type_name(const struct lin_type *type)
{
    if (type->dimensions > 0)
        return "an array";
    switch ((enum lin_type_kind)type->kind) {
    case LIN_TYPE_VOID:
        return "nothing";
    case LIN_TYPE_INT:
        return "an int";
    case LIN_TYPE_BOOL:
        return "a bool";
    case LIN_TYPE_VALUE:
    case LIN_TYPE_ANSWER:
        return "a value";
    case LIN_TYPE_SYMBOL:
        return "a symbol";
    case LIN_TYPE_NULL:
        return "null";
    case LIN_TYPE_LIST:
        return "a list";
    case LIN_TYPE_SET:
        return "a set";
    case LIN_TYPE_MAP:
        return "a map";
    case LIN_TYPE_STRUCT:
        return "a reference to a node";
    case LIN_TYPE_RECORD:
        return "a record";
    }
    return "";
}

/* ---- names ---- */

static struct lin_variable *find_variable(struct lin_variable *const *variables, uint32_t count,
                                          const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (variables[i]->name == name)
            return variables[i];
    return NULL;
}

static const struct lin_struct *find_struct(const struct lin_object *object, const char *name)
{
    for (uint32_t i = 0; i < object->struct_count; i++)
        if (object->structs[i]->name == name)
            return object->structs[i];
    return NULL;
}

static const struct lin_operation *find_function(const struct lin_object *object, const char *name)
{
    for (uint32_t i = 0; i < object->function_count; i++)
        if (object->functions[i]->name == name)
            return object->functions[i];
    return NULL;
}

static int find_parameter(const struct lin_object *object, const char *name)
{
    for (uint32_t i = 0; i < object->parameter_count; i++)
        if (object->parameters[i].name == name)
            return (int)i;
    return -1;
}

static bool is_symbol(const struct checker *checker, const char *name)
{
    if (strcmp(name, "ok") == 0 || strcmp(name, "empty") == 0 || strcmp(name, "full") == 0)
        return true;
    for (size_t i = 0; i < checker->symbols.length; i++)
        if (checker->symbols.items[i] == name)
            return true;
    return false;
}

/* What C and papers call things that have another name here. */
static const struct {
    const char *theirs, *ours;
} synonyms[] = {
    {"NULL", "null"},     {"nullptr", "null"},
    {"TRUE", "true"},     {"FALSE", "false"},
    {"CAS", "cas"},       {"compare_and_swap", "cas"},
    {"FAA", "fetch_add"}, {"fetch_and_add", "fetch_add"},
    {"SWAP", "swap"},     {"exchange", "swap"},
    {"LL", "ll"},         {"SC", "sc"},
    {"malloc", "new"},    {"sizeof", "new"},
};

/* A name that is none, with what was perhaps meant. */
static enum status undeclared(const struct checker *checker, place at, const char *expected,
                              const char *name, const char *const *known, size_t count)
{
    if (find_struct(checker->object, name))
        return complain(checker, at,
                        "expected %s, found `%s`, which is a type (a variable is declared `%s x`)",
                        expected, name, name);
    for (size_t i = 0; i < ARRAY_LENGTH(synonyms); i++)
        if (strcmp(synonyms[i].theirs, name) == 0)
            return complain(checker, at, "expected %s, found `%s`, which is `%s` here", expected,
                            name, synonyms[i].ours);
    size_t length = strlen(name), nearest = count;
    if (length > 2) /* a letter less, and everything is near */
        nearest = suggestion_find(name, length, known, count);
    if (nearest < count)
        return complain(checker, at,
                        "expected %s, found `%s`, which is not declared; did you mean `%s`?",
                        expected, name, known[nearest]);
    return complain(checker, at, "expected %s, found `%s`, which is not declared", expected, name);
}

#define MOST_KNOWN 64 /* names that are compared with one that is not declared */

static enum status undeclared_name(const struct checker *checker, place at, const char *name)
{
    const char *known[MOST_KNOWN];
    const struct lin_object *object = checker->object;
    size_t count = 0;
    for (size_t i = checker->scope.length; i-- > 0 && count < MOST_KNOWN;)
        known[count++] = checker->scope.items[i].variable->name;
    for (uint32_t i = 0; i < object->variable_count && count < MOST_KNOWN; i++)
        known[count++] = object->variables[i]->name;
    for (uint32_t i = 0; i < object->parameter_count && count < MOST_KNOWN; i++)
        known[count++] = object->parameters[i].name;
    return undeclared(checker, at, "a declared name", name, known, count);
}

/* ---- types ---- */

static enum status check_expression(struct checker *checker, struct lin_expression *expression);

static struct lin_type type_of(enum lin_type_kind kind)
{
    return (struct lin_type){.kind = (uint8_t)kind};
}

static bool is_kind(const struct lin_expression *expression, enum lin_type_kind kind)
{
    return expression->type.kind == kind && expression->type.dimensions == 0;
}

/* Of a kind that is only known when the specification runs. */
static bool is_dynamic(const struct checker *checker, const struct lin_expression *expression)
{
    return checker->object->is_spec && is_kind(expression, LIN_TYPE_VALUE);
}

/* What may be a value of a program, or become of one. */
static bool fits_answer(enum lin_type_kind kind)
{
    return kind == LIN_TYPE_INT || kind == LIN_TYPE_BOOL || kind == LIN_TYPE_SYMBOL ||
           kind == LIN_TYPE_NULL;
}

static bool fits(const struct checker *checker, const struct lin_type *target,
                 const struct lin_expression *source)
{
    if (target->dimensions > 0 || source->type.dimensions > 0 || source->type.kind == LIN_TYPE_VOID)
        return false;
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

/* Two types that differ, in words that do: "a reference to a `node`", "a reference to a `cell`". */
struct type_words {
    char room[2][200];
    const char *one, *other;
};

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

static void tell_types(const struct lin_type *one, const struct lin_type *other,
                       struct type_words *words)
{
    words->one = lin_type_name(one);
    words->other = lin_type_name(other);
    if (strcmp(words->one, words->other) != 0)
        return;
    words->one = distinct_words(one, words->room[0], sizeof words->room[0]);
    words->other = distinct_words(other, words->room[1], sizeof words->room[1]);
}

static enum status expect_fit(const struct checker *checker, const struct lin_type *target,
                              const struct lin_expression *source)
{
    if (fits(checker, target, source))
        return STATUS_OK;
    bool is_tested = target->kind == LIN_TYPE_BOOL && source->type.kind == LIN_TYPE_STRUCT;
    struct type_words words;
    tell_types(target, &source->type, &words);
    return complain(checker, source->at, "expected %s, found %s%s", words.one, words.other,
                    is_tested ? ": compare it with `null`" : "");
}

static enum status expect_kind(const struct checker *checker, enum lin_type_kind kind,
                               const struct lin_expression *source)
{
    struct lin_type type = type_of(kind);
    return expect_fit(checker, &type, source);
}

/* Checks an expression that must be of a kind. */
static enum status check_kind(struct checker *checker, struct lin_expression *expression,
                              enum lin_type_kind kind)
{
    TRY(check_expression(checker, expression));
    return expect_kind(checker, kind, expression);
}

static enum status resolve_type(struct checker *checker, struct lin_type *type)
{
    if (type->low) {
        TRY(check_kind(checker, type->low, LIN_TYPE_INT));
        TRY(check_kind(checker, type->high, LIN_TYPE_INT));
    }
    if (checker->object->is_program && type->kind == LIN_TYPE_VALUE)
        type->kind = LIN_TYPE_ANSWER;
    else if (checker->object->is_program && type->kind != LIN_TYPE_INT &&
             type->kind != LIN_TYPE_BOOL && type->kind != LIN_TYPE_STRUCT)
        return complain(checker, type->at, "expected int, bool or value in a program, found `%s`",
                        type->name);
    if (type->kind != LIN_TYPE_STRUCT)
        return STATUS_OK;
    type->of = find_struct(checker->object, type->name);
    if (!type->of)
        return complain(checker, type->at, "expected a type, found `%s`, which is not declared",
                        type->name);
    type->kind = type->of->is_record ? LIN_TYPE_RECORD : LIN_TYPE_STRUCT;
    return STATUS_OK;
}

/* Types, lengths and the initial value of a variable or field. */
static enum status check_variable(struct checker *checker, struct lin_variable *variable)
{
    TRY(resolve_type(checker, &variable->type));
    if (variable->type.kind == LIN_TYPE_VOID)
        return complain(checker, variable->at, "expected a variable with a type, found `void %s`",
                        variable->name);
    for (uint32_t i = 0; i < variable->length_count; i++)
        TRY(check_kind(checker, variable->lengths[i], LIN_TYPE_INT));
    if (!variable->initial)
        return STATUS_OK;
    TRY(check_expression(checker, variable->initial));
    if (variable->length_count > 0 && is_kind(variable->initial, LIN_TYPE_LIST))
        return STATUS_OK; /* a list of the items' values */
    return expect_fit(checker, &variable->type, variable->initial);
}

/* ---- expressions ---- */

static void take_variable(struct lin_expression *expression, const struct lin_variable *variable,
                          enum lin_meaning meaning)
{
    expression->meaning = (uint8_t)meaning;
    expression->variable = variable;
    expression->type = variable->type;
    expression->type.dimensions = (uint8_t)variable->length_count;
}

static enum status check_name(struct checker *checker, struct lin_expression *expression)
{
    const char *name = expression->name;
    for (size_t i = checker->scope.length; i-- > 0;) {
        if (checker->scope.items[i].variable->name == name) {
            take_variable(expression, checker->scope.items[i].variable, LIN_MEANS_LOCAL);
            return STATUS_OK;
        }
    }
    const struct lin_object *object = checker->object;
    const struct lin_variable *variable =
        find_variable(object->variables, object->variable_count, name);
    if (variable) {
        take_variable(expression, variable, LIN_MEANS_SHARED);
        return STATUS_OK;
    }
    int parameter = find_parameter(object, name);
    if (parameter >= 0) {
        expression->meaning = LIN_MEANS_PARAMETER;
        expression->number = (uint32_t)parameter;
        expression->type = type_of(object->is_spec ? LIN_TYPE_VALUE : LIN_TYPE_INT);
        return STATUS_OK;
    }
    if (strcmp(name, "thread") == 0 && !checker->in_condition) {
        expression->meaning = LIN_MEANS_THREAD;
        expression->type = type_of(LIN_TYPE_INT);
        return STATUS_OK;
    }
    if (strcmp(name, "threads") == 0 && !object->is_spec) {
        expression->meaning = LIN_MEANS_THREADS;
        expression->type = type_of(LIN_TYPE_INT);
        return STATUS_OK;
    }
    if (!is_symbol(checker, name))
        return undeclared_name(checker, expression->at, name);
    expression->meaning = LIN_MEANS_SYMBOL;
    expression->type = type_of(LIN_TYPE_SYMBOL);
    return STATUS_OK;
}

static enum status check_items(struct checker *checker, struct lin_expression *expression)
{
    for (uint32_t i = 0; i < expression->count; i++)
        TRY(check_expression(checker, expression->items[i]));
    return STATUS_OK;
}

static enum status expect_count(const struct checker *checker,
                                const struct lin_expression *expression, uint32_t count)
{
    if (expression->count == count)
        return STATUS_OK;
    return complain(checker, expression->at, "expected %u argument%s for `%s`, found %u", count,
                    count == 1 ? "" : "s", expression->name, expression->count);
}

/* Something that holds a value and can be changed. */
static enum status expect_location(const struct checker *checker,
                                   const struct lin_expression *expression)
{
    const struct lin_expression *base = expression;
    while (base->kind == LIN_EXPRESSION_INDEX || base->kind == LIN_EXPRESSION_FIELD)
        base = base->items[0];
    if ((base->meaning == LIN_MEANS_SHARED || base->meaning == LIN_MEANS_LOCAL) &&
        expression->type.dimensions == 0)
        return STATUS_OK;
    return complain(checker, expression->at, "expected a variable, %s",
                    expression->type.dimensions > 0 ? "found a whole array"
                                                    : "found something that cannot be changed");
}

struct builtin {
    const char *name;
    enum lin_builtin builtin;
    uint8_t count;
    bool in_spec, in_impl;
    enum lin_type_kind result; /* VALUE: of the first argument's type in implementations */
};

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

/* A collection, or something that may turn out to be one. */
static enum status expect_collection(const struct checker *checker,
                                     const struct lin_expression *expression, bool list_only)
{
    bool is_list = is_kind(expression, LIN_TYPE_LIST) || is_dynamic(checker, expression);
    if (is_list ||
        (!list_only && (is_kind(expression, LIN_TYPE_SET) || is_kind(expression, LIN_TYPE_MAP))))
        return STATUS_OK;
    return complain(checker, expression->at, "expected %s, found %s",
                    list_only ? "a list" : "a list, set or map", lin_type_name(&expression->type));
}

static enum status check_location_builtin(struct checker *checker,
                                          struct lin_expression *expression)
{
    struct lin_expression *location = expression->items[0];
    TRY(expect_location(checker, location));
    switch ((enum lin_builtin)expression->number) {
    case LIN_BUILTIN_FETCH_ADD:
        TRY(expect_kind(checker, LIN_TYPE_INT, location));
        return expect_kind(checker, LIN_TYPE_INT, expression->items[1]);
    case LIN_BUILTIN_LOCK:
    case LIN_BUILTIN_UNLOCK:
        return expect_kind(checker, LIN_TYPE_BOOL, location);
    case LIN_BUILTIN_SWAP:
    case LIN_BUILTIN_LL:
        expression->type = location->type;
        break;
    default:
        break;
    }
    for (uint32_t i = 1; i < expression->count; i++)
        TRY(expect_fit(checker, &location->type, expression->items[i]));
    return STATUS_OK;
}

static enum status check_builtin(struct checker *checker, struct lin_expression *expression,
                                 const struct builtin *builtin)
{
    expression->meaning = LIN_MEANS_BUILTIN;
    expression->number = builtin->builtin;
    expression->type = type_of(builtin->result);
    if (checker->in_condition || checker->in_point)
        return complain(checker, expression->at, "expected %s, found `%s`, which changes the state",
                        checker->in_point ? "an answer" : "a condition", builtin->name);
    if (!(checker->object->is_spec ? builtin->in_spec : builtin->in_impl))
        return complain(checker, expression->at, "`%s` is for %s only", builtin->name,
                        builtin->in_spec ? "specifications" : "implementations");
    TRY(expect_count(checker, expression, builtin->count));
    switch (builtin->builtin) {
    case LIN_BUILTIN_LEN:
    case LIN_BUILTIN_MIN:
    case LIN_BUILTIN_MAX:
        return expect_collection(checker, expression->items[0], false);
    case LIN_BUILTIN_FIRST:
    case LIN_BUILTIN_LAST:
    case LIN_BUILTIN_BUT_FIRST:
    case LIN_BUILTIN_BUT_LAST:
        return expect_collection(checker, expression->items[0], true);
    case LIN_BUILTIN_FREE:
        if (is_kind(expression->items[0], LIN_TYPE_STRUCT))
            return STATUS_OK;
        return complain(checker, expression->items[0]->at,
                        "expected a reference to a node, found %s",
                        lin_type_name(&expression->items[0]->type));
    default:
        return check_location_builtin(checker, expression);
    }
}

/* The number of the operation that a condition names. */
static enum status find_operation(struct checker *checker, const char *name, place at,
                                  uint32_t *number)
{
    const struct lin_object *object = checker->object;
    for (uint32_t i = 0; i < object->operation_count; i++) {
        if (object->operations[i]->name == name) {
            *number = i;
            return STATUS_OK;
        }
    }
    return complain(checker, at, "expected an operation of `%s`", object->name);
}

/* `running(t)`, `running(t, OP)` */
static enum status check_running(struct checker *checker, struct lin_expression *expression)
{
    expression->meaning = LIN_MEANS_BUILTIN;
    expression->number = LIN_BUILTIN_RUNNING;
    expression->type = type_of(LIN_TYPE_BOOL);
    if (expression->count != 1 && expression->count != 2)
        return complain(checker, expression->at,
                        "expected `running(thread)` or `running(thread, operation)`");
    TRY(check_kind(checker, expression->items[0], LIN_TYPE_INT));
    if (expression->count == 1)
        return STATUS_OK;
    struct lin_expression *name = expression->items[1];
    return find_operation(checker, name->kind == LIN_EXPRESSION_NAME ? name->name : NULL, name->at,
                          &name->number);
}

static bool expression_names_thread(const struct lin_expression *expression)
{
    bool names = expression && expression->meaning == LIN_MEANS_THREAD;
    for (uint32_t i = 0; expression && i < expression->count && !names; i++)
        names = expression_names_thread(expression->items[i]);
    return names;
}

static bool statement_names_thread(const struct lin_statement *statement)
{
    if (!statement)
        return false;
    bool names = expression_names_thread(statement->expression) ||
                 expression_names_thread(statement->step) ||
                 (statement->variable && expression_names_thread(statement->variable->initial));
    for (uint32_t i = 0; i < statement->count && !names; i++)
        names = statement_names_thread(statement->items[i]);
    return names;
}

bool lin_names_thread(const struct lin_object *object)
{
    bool names = false;
    for (uint32_t i = 0; i < object->operation_count; i++)
        names |= statement_names_thread(object->operations[i]->body);
    for (uint32_t i = 0; i < object->function_count; i++)
        names |= statement_names_thread(object->functions[i]->body);
    return names;
}

bool lin_names_running(const struct lin_expression *condition)
{
    bool names = condition->meaning == LIN_MEANS_BUILTIN;
    for (uint32_t i = 0; i < condition->count && !names; i++)
        names = lin_names_running(condition->items[i]);
    return names;
}

static enum status undeclared_function(const struct checker *checker,
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
    return undeclared(checker, call->at, "a function", call->name, known, count);
}

static const struct builtin *find_builtin(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(builtins); i++)
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}

static enum status check_call(struct checker *checker, struct lin_expression *expression)
{
    if (checker->in_condition && strcmp(expression->name, "running") == 0)
        return check_running(checker, expression);
    if (checker->object->is_program) { /* which operation, what it is used with tells */
        TRY(check_items(checker, expression));
        expression->meaning = LIN_MEANS_CALL;
        expression->type = type_of(LIN_TYPE_ANSWER);
        return STATUS_OK;
    }
    const struct lin_operation *function = find_function(checker->object, expression->name);
    const struct lin_struct *record = find_struct(checker->object, expression->name);
    const struct builtin *builtin = find_builtin(expression->name);
    if (!function && !(record && record->is_record) && !builtin)
        return undeclared_function(checker, expression);
    TRY(check_items(checker, expression));
    if (function && checker->in_point)
        return complain(checker, expression->at,
                        "expected an answer, found a call of `%s`: store what it answers in a "
                        "local variable first",
                        expression->name);
    if (function) {
        expression->meaning = LIN_MEANS_FUNCTION;
        expression->operation = function;
        expression->type = function->type;
        TRY(expect_count(checker, expression, function->parameter_count));
        for (uint32_t i = 0; i < expression->count; i++)
            TRY(expect_fit(checker, &function->parameters[i]->type, expression->items[i]));
        return STATUS_OK;
    }
    if (record && record->is_record) {
        expression->meaning = LIN_MEANS_RECORD;
        expression->type = type_of(LIN_TYPE_RECORD);
        expression->type.of = record;
        TRY(expect_count(checker, expression, record->field_count));
        for (uint32_t i = 0; i < expression->count; i++)
            TRY(expect_fit(checker, &record->fields[i]->type, expression->items[i]));
        return STATUS_OK;
    }
    return check_builtin(checker, expression, builtin);
}

static enum status check_index(struct checker *checker, struct lin_expression *expression)
{
    TRY(check_items(checker, expression));
    const struct lin_expression *base = expression->items[0];
    if (base->type.dimensions > 0) {
        expression->type = base->type;
        expression->type.dimensions--;
        return expect_kind(checker, LIN_TYPE_INT, expression->items[1]);
    }
    expression->type = type_of(LIN_TYPE_VALUE);
    if (is_kind(base, LIN_TYPE_LIST))
        return expect_kind(checker, LIN_TYPE_INT, expression->items[1]);
    if (is_kind(base, LIN_TYPE_MAP) || is_dynamic(checker, base))
        return STATUS_OK;
    return complain(checker, expression->at, "expected an array, list or map before `[`, found %s",
                    lin_type_name(&base->type));
}

static enum status check_field(struct checker *checker, struct lin_expression *expression)
{
    TRY(check_items(checker, expression));
    const struct lin_expression *base = expression->items[0];
    if (!is_kind(base, LIN_TYPE_STRUCT) && !is_kind(base, LIN_TYPE_RECORD))
        return complain(checker, expression->at, "expected a node or record before `.`, found %s",
                        lin_type_name(&base->type));
    const struct lin_struct *of = base->type.of;
    const struct lin_variable *field = find_variable(of->fields, of->field_count, expression->name);
    if (!field)
        return complain(checker, expression->at, "expected a field of `%s`, found `%s`", of->name,
                        expression->name);
    expression->number = field->number;
    expression->type = field->type;
    expression->type.dimensions = (uint8_t)field->length_count;
    return STATUS_OK;
}

static enum status check_comparison(struct checker *checker, struct lin_expression *expression)
{
    const struct lin_expression *left = expression->items[0], *right = expression->items[1];
    expression->type = type_of(LIN_TYPE_BOOL);
    if (fits(checker, &left->type, right) || fits(checker, &right->type, left))
        return STATUS_OK;
    struct type_words words;
    tell_types(&left->type, &right->type, &words);
    return complain(checker, expression->at, "expected two of one type to compare, found %s and %s",
                    words.one, words.other);
}

/* + and - on collections: concatenation, union; without some items. */
static enum status check_collection_sum(struct checker *checker, struct lin_expression *expression)
{
    const struct lin_expression *left = expression->items[0], *right = expression->items[1];
    bool dynamic = is_dynamic(checker, left) || is_dynamic(checker, right);
    expression->type = is_dynamic(checker, left) ? right->type : left->type;
    if (dynamic && (is_kind(left, LIN_TYPE_INT) || is_kind(right, LIN_TYPE_INT))) {
        expression->type = type_of(LIN_TYPE_INT);
        return STATUS_OK;
    }
    if (dynamic || left->type.kind == right->type.kind)
        return STATUS_OK;
    if (is_kind(left, LIN_TYPE_MAP) && is_kind(right, LIN_TYPE_SET) &&
        (expression->sign == LIN_MINUS || right->count == 0))
        return STATUS_OK;
    return complain(checker, expression->at, "expected two of one type, found %s and %s",
                    lin_type_name(&left->type), lin_type_name(&right->type));
}

static bool may_be_collection(const struct checker *checker,
                              const struct lin_expression *expression)
{
    return is_kind(expression, LIN_TYPE_LIST) || is_kind(expression, LIN_TYPE_SET) ||
           is_kind(expression, LIN_TYPE_MAP) || is_dynamic(checker, expression);
}

static enum status check_binary(struct checker *checker, struct lin_expression *expression)
{
    TRY(check_items(checker, expression));
    const struct lin_expression *left = expression->items[0], *right = expression->items[1];
    switch (expression->sign) {
    case LIN_EQUAL:
    case LIN_NOT_EQUAL:
        return check_comparison(checker, expression);
    case LIN_AND_AND:
    case LIN_BAR_BAR:
        expression->type = type_of(LIN_TYPE_BOOL);
        TRY(expect_kind(checker, LIN_TYPE_BOOL, left));
        return expect_kind(checker, LIN_TYPE_BOOL, right);
    case LIN_IN:
        expression->type = type_of(LIN_TYPE_BOOL);
        return expect_collection(checker, right, false);
    case LIN_PLUS:
    case LIN_MINUS:
        if (may_be_collection(checker, left) || may_be_collection(checker, right))
            return check_collection_sum(checker, expression);
        break;
    default:
        break;
    }
    bool order = expression->sign == LIN_LESS || expression->sign == LIN_LESS_EQUAL ||
                 expression->sign == LIN_GREATER || expression->sign == LIN_GREATER_EQUAL;
    expression->type = type_of(order ? LIN_TYPE_BOOL : LIN_TYPE_INT);
    TRY(expect_kind(checker, LIN_TYPE_INT, left));
    return expect_kind(checker, LIN_TYPE_INT, right);
}

static enum status check_conditional(struct checker *checker, struct lin_expression *expression)
{
    TRY(check_items(checker, expression));
    TRY(expect_kind(checker, LIN_TYPE_BOOL, expression->items[0]));
    const struct lin_expression *yes = expression->items[1], *no = expression->items[2];
    expression->type = yes->type.kind == LIN_TYPE_NULL ? no->type : yes->type;
    if (fits(checker, &expression->type, yes) && fits(checker, &expression->type, no))
        return STATUS_OK;
    struct type_words words;
    tell_types(&yes->type, &no->type, &words);
    return complain(checker, expression->at,
                    "expected two of one type to choose from, found %s and %s", words.one,
                    words.other);
}

static enum status check_assignment(struct checker *checker, struct lin_expression *expression)
{
    TRY(check_items(checker, expression));
    struct lin_expression *target = expression->items[0];
    TRY(expect_location(checker, target));
    expression->type = target->type;
    if (expression->kind == LIN_EXPRESSION_STEP)
        return expect_kind(checker, LIN_TYPE_INT, target);
    struct lin_expression *source = expression->items[1];
    bool sum = expression->sign == LIN_PLUS || expression->sign == LIN_MINUS;
    if (expression->sign != LIN_ASSIGN && !(sum && may_be_collection(checker, target))) {
        TRY(expect_kind(checker, LIN_TYPE_INT, target));
        return expect_kind(checker, LIN_TYPE_INT, source);
    }
    return expect_fit(checker, &target->type, source);
}

static enum status check_choose(struct checker *checker, struct lin_expression *expression)
{
    TRY(check_items(checker, expression));
    if (checker->in_point)
        return complain(checker, expression->at,
                        "expected an answer, found `choose`: store what it chooses in a local "
                        "variable first");
    if (expression->count == 1) {
        expression->type = type_of(LIN_TYPE_VALUE);
        return expect_collection(checker, expression->items[0], false);
    }
    expression->type = type_of(LIN_TYPE_INT);
    TRY(expect_kind(checker, LIN_TYPE_INT, expression->items[0]));
    return expect_kind(checker, LIN_TYPE_INT, expression->items[1]);
}

/* In implementations there are no collections. */
static enum status check_literal(struct checker *checker, struct lin_expression *expression,
                                 enum lin_type_kind kind)
{
    expression->type = type_of(kind);
    return check_items(checker, expression);
}

static enum status check_inner(struct checker *checker, struct lin_expression *expression)
{
    switch ((enum lin_expression_kind)expression->kind) {
    case LIN_EXPRESSION_INTEGER:
        return check_literal(checker, expression, LIN_TYPE_INT);
    case LIN_EXPRESSION_BOOLEAN:
        return check_literal(checker, expression, LIN_TYPE_BOOL);
    case LIN_EXPRESSION_NULL:
        return check_literal(checker, expression, LIN_TYPE_NULL);
    case LIN_EXPRESSION_STRING:
        if (checker->object->is_spec)
            return check_literal(checker, expression, LIN_TYPE_VALUE);
        if (checker->object->is_program)
            return check_literal(checker, expression, LIN_TYPE_ANSWER);
        return complain(checker, expression->at, "expected a value, found a string");
    case LIN_EXPRESSION_NAME:
        return check_name(checker, expression);
    case LIN_EXPRESSION_CALL:
        return check_call(checker, expression);
    case LIN_EXPRESSION_INDEX:
        return check_index(checker, expression);
    case LIN_EXPRESSION_FIELD:
        return check_field(checker, expression);
    case LIN_EXPRESSION_UNARY:
        TRY(check_kind(checker, expression->items[0],
                       expression->sign == LIN_BANG ? LIN_TYPE_BOOL : LIN_TYPE_INT));
        expression->type = type_of(expression->sign == LIN_BANG ? LIN_TYPE_BOOL : LIN_TYPE_INT);
        return STATUS_OK;
    case LIN_EXPRESSION_BINARY:
        return check_binary(checker, expression);
    case LIN_EXPRESSION_CONDITIONAL:
        return check_conditional(checker, expression);
    case LIN_EXPRESSION_ASSIGN:
    case LIN_EXPRESSION_STEP:
        return check_assignment(checker, expression);
    case LIN_EXPRESSION_NEW:
        if (checker->in_condition || checker->in_point)
            return complain(checker, expression->at,
                            "expected %s, found `new`, which changes the state",
                            checker->in_point ? "an answer" : "a condition");
        expression->type = (struct lin_type){
            .kind = LIN_TYPE_STRUCT, .at = expression->at, .name = expression->name};
        TRY(resolve_type(checker, &expression->type));
        if (expression->type.kind == LIN_TYPE_STRUCT)
            return STATUS_OK;
        return complain(checker, expression->at, "expected a struct after `new`, found a record");
    case LIN_EXPRESSION_LIST:
        return check_literal(checker, expression, LIN_TYPE_LIST);
    case LIN_EXPRESSION_SET:
        return check_literal(checker, expression, LIN_TYPE_SET);
    case LIN_EXPRESSION_MAP:
        return check_literal(checker, expression, LIN_TYPE_MAP);
    case LIN_EXPRESSION_CHOOSE:
        return check_choose(checker, expression);
    }
    return STATUS_OK;
}

static enum status check_expression(struct checker *checker, struct lin_expression *expression)
{
    TRY(check_inner(checker, expression));
    if (checker->object->is_spec || !may_be_collection(checker, expression))
        return STATUS_OK;
    return complain(checker, expression->at,
                    "%s is for specifications only (an implementation has arrays and nodes)",
                    lin_type_name(&expression->type));
}

/* ---- statements ---- */

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
    unsigned depth = checker->depth, loops = checker->loops;
    enum status status = check_statement(checker, statement);
    if (status != STATUS_INPUT || checker->gives_up)
        return status;
    TRY(faults_keep(checker->module->script, status, checker->error));
    checker->scope.length = outer;
    checker->depth = depth;
    checker->loops = loops;
    checker->in_point = false;
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
        TRY(check_kind(checker, statement->expression, LIN_TYPE_BOOL));
    checker->loops++;
    TRY(check_items_of(checker, statement));
    checker->loops--;
    return STATUS_OK;
}

static enum status check_for(struct checker *checker, struct lin_statement *statement)
{
    size_t outer = checker->scope.length;
    checker->depth++;
    if (statement->items[0])
        TRY(check_statement(checker, statement->items[0]));
    if (statement->expression)
        TRY(check_kind(checker, statement->expression, LIN_TYPE_BOOL));
    if (statement->step)
        TRY(check_expression(checker, statement->step));
    checker->loops++;
    TRY(check_statement(checker, statement->items[1]));
    checker->loops--;
    checker->depth--;
    checker->scope.length = outer;
    return STATUS_OK;
}

/* What an operation can answer. */
static enum status expect_answer(const struct checker *checker,
                                 const struct lin_expression *expression, const char *word)
{
    if (expression->type.dimensions == 0 && !is_kind(expression, LIN_TYPE_VOID) &&
        !is_kind(expression, LIN_TYPE_STRUCT) && !is_kind(expression, LIN_TYPE_RECORD))
        return STATUS_OK;
    return complain(checker, expression->at, "expected a value to %s, found %s", word,
                    lin_type_name(&expression->type));
}

static enum status check_return(struct checker *checker, struct lin_statement *statement)
{
    struct lin_operation *operation = checker->operation;
    struct lin_expression *expression = statement->expression;
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
    TRY(check_expression(checker, expression));
    if (operation->is_function)
        return expect_fit(checker, &operation->type, expression);
    if (operation == checker->object->initially)
        return complain(checker, expression->at, "`init` returns nothing");
    TRY(expect_answer(checker, expression, "return"));
    if (operation->type.kind == LIN_TYPE_VOID)
        operation->type = expression->type;
    else if (operation->type.kind != expression->type.kind)
        operation->type = type_of(LIN_TYPE_VALUE);
    return STATUS_OK;
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
    if (!expression)
        return STATUS_OK;
    checker->in_point = true;
    TRY(check_expression(checker, expression));
    checker->in_point = false;
    return expect_answer(checker, expression, "answer");
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
        TRY(check_variable(checker, statement->variable));
        return declare(checker, statement->variable);
    case LIN_STATEMENT_EXPRESSION:
        return check_expression(checker, statement->expression);
    case LIN_STATEMENT_IF:
        TRY(check_kind(checker, statement->expression, LIN_TYPE_BOOL));
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
        if (checker->loops > 0)
            return STATUS_OK;
        return complain(checker, statement->at, "expected a loop around `%s`, found none",
                        statement->kind == LIN_STATEMENT_BREAK ? "break" : "continue");
    case LIN_STATEMENT_AWAIT:
    case LIN_STATEMENT_ASSUME:
    case LIN_STATEMENT_ASSERT:
        return check_kind(checker, statement->expression, LIN_TYPE_BOOL);
    case LIN_STATEMENT_LINEARIZE:
        TRY(check_for_impl_only(checker, statement, "linearize"));
        return check_point(checker, statement);
    case LIN_STATEMENT_PRINT:
        if (!checker->object->is_program)
            return complain(checker, statement->at, "`print` is for programs only");
        TRY(check_expression(checker, statement->expression));
        return expect_answer(checker, statement->expression, "print");
    }
    return STATUS_OK;
}

/* ---- objects ---- */

/* Remembers the bare names that are answered and not declared: symbols. */
static enum status collect_symbols(struct checker *checker, const struct lin_expression *expression)
{
    if (expression->kind == LIN_EXPRESSION_CONDITIONAL) {
        TRY(collect_symbols(checker, expression->items[1]));
        return collect_symbols(checker, expression->items[2]);
    }
    bool known = checker->object->is_program && expression->meaning != LIN_MEANS_SYMBOL;
    if (expression->kind != LIN_EXPRESSION_NAME || known)
        return STATUS_OK;
    return vector_push(&checker->symbols, expression->name) ? STATUS_OK : STATUS_LIMIT;
}

static enum status collect_returns(struct checker *checker, const struct lin_statement *statement,
                                   bool is_function)
{
    bool answers = statement->kind == LIN_STATEMENT_LINEARIZE ||
                   (statement->kind == LIN_STATEMENT_RETURN && !is_function);
    if (answers && statement->expression)
        return collect_symbols(checker, statement->expression);
    for (uint32_t i = 0; i < statement->count; i++)
        if (statement->items[i])
            TRY(collect_returns(checker, statement->items[i], is_function));
    return STATUS_OK;
}

static enum status check_signature(struct checker *checker, struct lin_operation *operation)
{
    for (uint32_t i = 0; i < operation->parameter_count; i++)
        TRY(resolve_type(checker, &operation->parameters[i]->type));
    return operation->is_function ? resolve_type(checker, &operation->type) : STATUS_OK;
}

static enum status check_operation(struct checker *checker, struct lin_operation *operation)
{
    checker->operation = operation;
    checker->scope.length = 0;
    checker->depth = checker->loops = 0;
    operation->local_count = 0;
    for (uint32_t i = 0; i < operation->parameter_count; i++)
        TRY(declare(checker, operation->parameters[i]));
    if (operation->only_thread)
        TRY(check_kind(checker, operation->only_thread, LIN_TYPE_INT));
    return check_statement(checker, operation->body);
}

/* The same, of which others can be looked at whatever is wrong with it. */
static enum status check_body(struct checker *checker, struct lin_operation *operation)
{
    enum status status = check_operation(checker, operation);
    bool told = checker->gives_up;
    checker->gives_up = checker->in_point = false;
    return told ? STATUS_OK : faults_keep(checker->module->script, status, checker->error);
}

enum mark {
    UNSEEN,
    CALLING,
    DONE
};

static enum status find_recursion_in(const struct checker *checker, const struct lin_object *object,
                                     const struct lin_operation *function, uint8_t *marks);

static enum status find_calls(const struct checker *checker, const struct lin_object *object,
                              const struct lin_expression *expression, uint8_t *marks)
{
    if (!expression)
        return STATUS_OK;
    if (expression->kind == LIN_EXPRESSION_CALL && expression->meaning == LIN_MEANS_FUNCTION) {
        for (uint32_t i = 0; i < object->function_count; i++) {
            if (object->functions[i] != expression->operation)
                continue;
            if (marks[i] == CALLING)
                return complain(checker, expression->at,
                                "expected a function that is not running, found `%s`: functions "
                                "cannot call themselves",
                                expression->name);
            if (marks[i] == UNSEEN)
                TRY(find_recursion_in(checker, object, expression->operation, marks));
        }
    }
    for (uint32_t i = 0; i < expression->count; i++)
        TRY(find_calls(checker, object, expression->items[i], marks));
    return STATUS_OK;
}

static enum status find_calls_of(const struct checker *checker, const struct lin_object *object,
                                 const struct lin_statement *statement, uint8_t *marks)
{
    TRY(find_calls(checker, object, statement->expression, marks));
    TRY(find_calls(checker, object, statement->step, marks));
    if (statement->variable)
        TRY(find_calls(checker, object, statement->variable->initial, marks));
    for (uint32_t i = 0; i < statement->count; i++)
        if (statement->items[i])
            TRY(find_calls_of(checker, object, statement->items[i], marks));
    return STATUS_OK;
}

static enum status find_recursion_in(const struct checker *checker, const struct lin_object *object,
                                     const struct lin_operation *function, uint8_t *marks)
{
    uint32_t number = 0;
    while (object->functions[number] != function)
        number++;
    marks[number] = CALLING;
    TRY(find_calls_of(checker, object, function->body, marks));
    marks[number] = DONE;
    return STATUS_OK;
}

static enum status find_recursion(const struct checker *checker, const struct lin_object *object)
{
    uint8_t *marks = arena_allocate(checker->module->arena, object->function_count);
    if (!marks)
        return STATUS_LIMIT;
    memset(marks, UNSEEN, object->function_count);
    for (uint32_t i = 0; i < object->function_count; i++)
        if (marks[i] == UNSEEN)
            TRY(find_recursion_in(checker, object, object->functions[i], marks));
    return STATUS_OK;
}

/* Every name that an object declares is declared once. */
static enum status check_names(const struct checker *checker, const struct lin_object *object)
{
    for (uint32_t i = 0; i < object->variable_count; i++)
        if (find_variable(object->variables, i, object->variables[i]->name) ||
            find_parameter(object, object->variables[i]->name) >= 0)
            return complain(checker, object->variables[i]->at,
                            "expected a new name, found `%s` again", object->variables[i]->name);
    for (uint32_t i = 0; i < object->struct_count; i++)
        if (find_struct(object, object->structs[i]->name) != object->structs[i])
            return complain(checker, object->structs[i]->at,
                            "expected a new name, found `%s` again", object->structs[i]->name);
    for (uint32_t i = 0; i < object->function_count; i++)
        if (find_function(object, object->functions[i]->name) != object->functions[i] ||
            find_struct(object, object->functions[i]->name))
            return complain(checker, object->functions[i]->at,
                            "expected a new name, found `%s` again", object->functions[i]->name);
    for (uint32_t i = 0; i < object->operation_count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (object->operations[i]->name == object->operations[j]->name)
                return complain(checker, object->operations[i]->at,
                                "expected a new name, found `%s` again",
                                object->operations[i]->name);
    return STATUS_OK;
}

#define MOST_RECORD_WORDS  64
#define DEEPEST_RECORD     100
#define RECORD_BEING_SIZED UINT32_MAX

/* Sets the words of a record, and of those that it holds. */
static enum status size_record(const struct checker *checker, struct lin_struct *record,
                               unsigned depth)
{
    const struct lin_object *object = checker->object;
    uint32_t words = 0;
    if (record->words == RECORD_BEING_SIZED || depth > DEEPEST_RECORD)
        return complain(checker, record->at, "expected a record that ends, found `%s` %s",
                        record->name, depth > DEEPEST_RECORD ? "too deep" : "inside itself");
    if (record->words)
        return STATUS_OK;
    record->words = RECORD_BEING_SIZED;
    for (uint32_t i = 0; i < record->field_count; i++) {
        const struct lin_variable *field = record->fields[i];
        const struct lin_struct *of = field->type.of;
        if (field->length_count)
            return complain(checker, field->at,
                            "expected a part of a record that is no array, found `%s`",
                            field->name);
        if (field->initial)
            return complain(checker, field->initial->at,
                            "expected a part of a record without an initial value, found one");
        if (field->type.kind == LIN_TYPE_RECORD)
            TRY(size_record(checker, object->structs[of->number], depth + 1));
        words += field->type.kind == LIN_TYPE_RECORD ? of->words : 1;
        if (words > MOST_RECORD_WORDS)
            return complain(checker, field->at, "expected a record of at most %d words, found more",
                            MOST_RECORD_WORDS);
    }
    record->words = words;
    return STATUS_OK;
}

/* Which thread may call is said where threads are: a history's processes may call what they like.
 */
static enum status check_callers(const struct checker *checker, const struct lin_object *object)
{
    for (uint32_t i = 0; object->is_spec && i < object->operation_count; i++)
        if (object->operations[i]->only_thread)
            return complain(checker, object->operations[i]->at,
                            "expected `only thread` in an implementation, found it in a "
                            "specification");
    return STATUS_OK;
}

static enum status check_client(const struct checker *checker, const struct lin_object *object)
{
    for (uint32_t i = 0; i < object->client_count; i++) {
        bool found = false;
        for (uint32_t j = 0; j < object->operation_count; j++)
            found |= object->operations[j]->name == object->client[i];
        if (!found)
            return complain(checker, object->at,
                            "expected an operation in the client's order, found `%s`, which is not "
                            "declared",
                            object->client[i]);
    }
    return STATUS_OK;
}

static enum status keep(const struct checker *checker, enum status status)
{
    return faults_keep(checker->module->script, status, checker->error);
}

static enum status check_object(struct checker *checker, struct lin_object *object)
{
    checker->object = object;
    checker->symbols.length = 0;
    TRY(check_names(checker, object));
    for (uint32_t i = 0; i < object->operation_count; i++)
        TRY(collect_returns(checker, object->operations[i]->body, false));
    for (uint32_t i = 0; i < object->function_count; i++)
        TRY(collect_returns(checker, object->functions[i]->body, true));
    checker->scope.length = 0;
    for (uint32_t i = 0; i < object->parameter_count; i++)
        if (object->parameters[i].initial)
            TRY(check_expression(checker, object->parameters[i].initial));
    for (uint32_t i = 0; i < object->struct_count; i++)
        for (uint32_t j = 0; j < object->structs[i]->field_count; j++)
            TRY(check_variable(checker, object->structs[i]->fields[j]));
    for (uint32_t i = 0; i < object->struct_count; i++)
        if (object->structs[i]->is_record)
            TRY(size_record(checker, object->structs[i], 1));
    for (uint32_t i = 0; i < object->variable_count; i++)
        TRY(check_variable(checker, object->variables[i]));
    for (uint32_t i = 0; i < object->function_count; i++)
        TRY(check_signature(checker, object->functions[i]));
    for (uint32_t i = 0; i < object->operation_count; i++)
        TRY(check_signature(checker, object->operations[i]));
    for (uint32_t i = 0; i < object->function_count; i++)
        TRY(check_body(checker, object->functions[i]));
    for (uint32_t i = 0; i < object->operation_count; i++)
        TRY(check_body(checker, object->operations[i]));
    if (object->initially)
        TRY(check_body(checker, object->initially));
    TRY(keep(checker, check_callers(checker, object)));
    TRY(keep(checker, check_client(checker, object)));
    return faults_found(checker->module->script) ? STATUS_OK : find_recursion(checker, object);
}

static enum status check_atom(struct checker *checker, const struct formula *formula)
{
    const struct lin_atom *atom = formula->atom;
    uint32_t number;
    if (atom->kind == LIN_ATOM_CONDITION)
        return check_kind(checker, atom->expression, LIN_TYPE_BOOL);
    TRY(find_operation(checker, atom->name, formula->at, &number));
    return atom->expression ? check_kind(checker, atom->expression, LIN_TYPE_INT) : STATUS_OK;
}

static enum status check_formula(struct checker *checker, const struct formula *formula)
{
    if (formula->kind == FORMULA_ATOM)
        return check_atom(checker, formula);
    if (formula->left)
        TRY(check_formula(checker, formula->left));
    return formula->right ? check_formula(checker, formula->right) : STATUS_OK;
}

/* What `never` and `satisfies` speak of: the shared variables, which operations are running, and
 * calls and returns. */
static enum status check_condition(struct checker *checker, const struct lin_assertion *assertion)
{
    const struct lin_object *object =
        lin_find_object(checker->module, assertion->implementation.name, false);
    if ((assertion->property != LIN_NEVER && assertion->property != LIN_SATISFIES) || !object)
        return STATUS_OK;
    checker->object = object;
    checker->scope.length = checker->symbols.length = 0;
    checker->in_condition = true;
    if (assertion->property == LIN_NEVER)
        TRY(check_kind(checker, assertion->condition, LIN_TYPE_BOOL));
    else
        TRY(check_formula(checker, assertion->formula));
    checker->in_condition = false;
    return STATUS_OK;
}

/* In programs all that some operation answers is a symbol. */
static enum status check_programs(struct checker *checker)
{
    struct lin_module *module = checker->module;
    checker->symbols.length = 0;
    checker->object = module->programs.length ? module->programs.items[0] : NULL;
    for (size_t i = 0; i < module->objects.length && checker->object; i++)
        for (uint32_t j = 0; j < module->objects.items[i]->operation_count; j++)
            TRY(collect_returns(checker, module->objects.items[i]->operations[j]->body, false));
    for (size_t i = 0; i < module->programs.length; i++) {
        struct lin_object *program = module->programs.items[i];
        if (lin_find_program(module, program->name) != program)
            return complain(checker, program->at, "expected a new name, found `%s` again",
                            program->name);
        checker->object = program;
        for (uint32_t j = 0; j < program->operation_count; j++)
            TRY(check_body(checker, program->operations[j]));
    }
    return STATUS_OK;
}

/* Whether an object can be spoken of: its declarations are right, though not all operations. */
static enum status check_declared(struct checker *checker, struct lin_object *object)
{
    if (lin_find_object(checker->module, object->name, object->is_spec) != object)
        return complain(checker, object->at, "expected a new name, found `%s` again", object->name);
    return check_object(checker, object);
}

static enum status check_module(struct checker *checker)
{
    struct lin_module *module = checker->module;
    bool whole = true;
    for (size_t i = 0; i < module->objects.length; i++) {
        enum status status = check_declared(checker, module->objects.items[i]);
        whole &= status == STATUS_OK;
        TRY(keep(checker, status));
    }
    if (!whole) /* what speaks of them cannot be judged */
        return STATUS_OK;
    TRY(keep(checker, check_programs(checker)));
    for (size_t i = 0; i < module->assertions.length; i++) {
        TRY(keep(checker, check_condition(checker, &module->assertions.items[i])));
        checker->in_condition = false;
    }
    return STATUS_OK;
}

enum status lin_check(struct lin_module *module, struct error *error)
{
    struct checker checker = {.module = module, .error = error};
    vector_init(&checker.scope, module->arena->budget);
    vector_init(&checker.symbols, module->arena->budget);
    enum status status = faults_end(module->script, check_module(&checker), error);
    if (status == STATUS_OK)
        status = lin_check_rules(module, error);
    if (status == STATUS_OK)
        status = lin_check_automata(module, error);
    vector_release(&checker.scope);
    vector_release(&checker.symbols);
    return status;
}
