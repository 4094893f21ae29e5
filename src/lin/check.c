/* An object at a time: its names, what its operations may answer, types of fields and variables,
 * signatures, then bodies. What is wrong in one body does not hide what is wrong in the next; what
 * speaks of objects is looked at once all are right. Functions must not call themselves: depth
 * first over calls. */
#include "lin/check.h"

#include <string.h>

#include "lang/faults.h"
#include "lang/references.h"
#include "lin/automaton.h"
#include "lin/check_constants.h"
#include "lin/check_expression.h"
#include "lin/check_statement.h"
#include "lin/check_types.h"
#include "lin/declared.h"
#include "lin/rules.h"
#include "lin/walk.h"

#define MOST_RECORD_WORDS  64
#define DEEPEST_RECORD     100
#define RECORD_BEING_SIZED UINT32_MAX

/* Of an array in a record its length, which is known when the file is read: records are values. */
static enum status count_items(const struct checker *checker, struct lin_variable *field)
{
    field->items = 1;
    for (uint32_t i = 0; i < field->length_count; i++) {
        struct lin_expression *length = field->lengths[i];
        TRY(checker_fold(checker, length));
        if (length->kind != LIN_EXPRESSION_INTEGER || length->integer < 1 ||
            length->integer > MOST_RECORD_WORDS)
            return complain(checker, length->at,
                            "expected an array of 1 to %d items in a record, found another length",
                            MOST_RECORD_WORDS);
        field->items *= (uint32_t)length->integer;
        if (field->items > MOST_RECORD_WORDS)
            return complain(checker, field->at, "expected a record of at most %d words, found more",
                            MOST_RECORD_WORDS);
    }
    return STATUS_OK;
}

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
        TRY(count_items(checker, record->fields[i]));
        if (field->initial)
            return complain(checker, field->initial->at,
                            "expected a part of a record without an initial value, found one");
        if (field->type.kind == LIN_TYPE_RECORD)
            TRY(size_record(checker, object->structs[of->number], depth + 1));
        words += field->items * (field->type.kind == LIN_TYPE_RECORD ? of->words : 1);
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

/* ---- functions that call themselves ---- */

enum mark {
    UNSEEN,
    CALLING,
    DONE
};

struct recursion {
    const struct checker *checker;
    uint8_t *marks; /* by function */
    enum status status;
};

static bool runs_in_a_circle(struct recursion *recursion, uint32_t function);

/* A call of a function that is running. */
static bool is_recursive(void *context, const struct lin_expression *expression)
{
    struct recursion *recursion = context;
    const struct lin_object *object = recursion->checker->object;
    if (expression->meaning != LIN_MEANS_FUNCTION || expression->operation->depth)
        return false;
    uint32_t number = 0;
    while (object->functions[number] != expression->operation)
        number++;
    if (recursion->marks[number] != CALLING)
        return runs_in_a_circle(recursion, number);
    recursion->status = complain(recursion->checker, expression->at,
                                 "expected a function that is not running, found `%s`: one that "
                                 "calls itself says how deep, as in `int %s(int n) depth 3`",
                                 expression->name, expression->name);
    return true;
}

static bool runs_in_a_circle(struct recursion *recursion, uint32_t function)
{
    if (recursion->marks[function] == DONE)
        return false;
    recursion->marks[function] = CALLING;
    bool found = lin_some_expression(recursion->checker->object->functions[function]->body,
                                     is_recursive, recursion);
    recursion->marks[function] = DONE;
    return found;
}

static enum status find_recursion(const struct checker *checker, const struct lin_object *object)
{
    uint8_t *marks = arena_allocate(checker->module->arena, object->function_count);
    if (!marks)
        return STATUS_LIMIT;
    memset(marks, UNSEEN, object->function_count);
    struct recursion recursion = {.checker = checker, .marks = marks};
    for (uint32_t i = 0; i < object->function_count; i++)
        if (runs_in_a_circle(&recursion, i))
            return recursion.status;
    return STATUS_OK;
}

/* ---- objects ---- */

/* Notes where, unless null. */
static bool is_thread(void *at, const struct lin_expression *expression)
{
    const bool is = expression->meaning == LIN_MEANS_THREAD;
    if (is && at)
        *(place *)at = expression->at;
    return is;
}

static bool is_call(void *context, const struct lin_expression *expression)
{
    (void)context;
    return expression->meaning == LIN_MEANS_FUNCTION;
}

/* Whether a body says `thread`, or calls functions while one of them does. */
static bool may_name_thread(const struct lin_object *object, const struct lin_statement *body)
{
    bool named = lin_some_expression(body, is_thread, NULL);
    const bool calls = lin_some_expression(body, is_call, NULL);
    for (uint32_t i = 0; calls && i < object->function_count; i++)
        named |= lin_some_expression(object->functions[i]->body, is_thread, NULL);
    return named;
}

static enum status check_parameter(struct checker *checker, const struct lin_operation *operation,
                                   struct lin_variable *parameter)
{
    TRY(checker_resolve_type(checker, &parameter->type));
    if (!parameter->type.is_address)
        return STATUS_OK;
    if (!operation->is_function)
        return complain(checker, parameter->at,
                        "expected an argument that clients can choose, found an address");
    if (checker->object->is_spec)
        return complain(checker, parameter->at,
                        "expected no address in a specification, which shares nothing");
    return STATUS_OK;
}

#define DEEPEST_CALLS 200

static enum status check_depth(const struct checker *checker, struct lin_expression *depth)
{
    TRY(checker_fold(checker, depth));
    if (depth->kind == LIN_EXPRESSION_INTEGER && depth->integer >= 1 &&
        depth->integer <= DEEPEST_CALLS)
        return STATUS_OK;
    return complain(checker, depth->at, "expected a depth of 1 to %d", DEEPEST_CALLS);
}

static enum status check_signature(struct checker *checker, struct lin_operation *operation)
{
    for (uint32_t i = 0; i < operation->parameter_count; i++)
        TRY(check_parameter(checker, operation, operation->parameters[i]));
    if (operation->depth)
        TRY(check_depth(checker, operation->depth));
    return operation->is_function ? checker_resolve_type(checker, &operation->type) : STATUS_OK;
}

/* The operations that a `together` names, with parameters as they have. */
static enum status find_members(struct checker *checker, struct lin_together *together)
{
    const struct lin_object *object = checker->object;
    together->numbers =
        arena_allocate(checker->module->arena, together->count * sizeof *together->numbers);
    TRY_MEMORY(together->numbers);
    for (uint32_t i = 0; i < together->count; i++) {
        const uint32_t first = together->firsts[i];
        const uint32_t end =
            i + 1 < together->count ? together->firsts[i + 1] : together->body.parameter_count;
        uint32_t number = 0;
        while (number < object->operation_count &&
               object->operations[number]->name != together->names[i])
            number++;
        if (number == object->operation_count)
            return complain(checker, together->at,
                            "expected an operation with an `op` of its own, found `%s`",
                            together->names[i]);
        together->numbers[i] = number;
        const struct lin_operation *operation = object->operations[together->numbers[i]];
        if (end - first != operation->parameter_count)
            return complain(checker, together->at,
                            "expected %u parameter%s of `%s`, as where it stands alone, found %u",
                            operation->parameter_count, operation->parameter_count == 1 ? "" : "s",
                            operation->name, end - first);
        for (uint32_t j = 0; j < operation->parameter_count; j++)
            if (together->body.parameters[first + j]->type.kind !=
                operation->parameters[j]->type.kind)
                return complain(checker, together->body.parameters[first + j]->at,
                                "expected %s, as where `%s` stands alone, found %s",
                                lin_type_name(&operation->parameters[j]->type), operation->name,
                                lin_type_name(&together->body.parameters[first + j]->type));
    }
    return STATUS_OK;
}

static enum status check_together(struct checker *checker, struct lin_together *together)
{
    if (together->count > LIN_MOST_TOGETHER)
        return complain(checker, together->at,
                        "expected at most %d operations that take effect together, found %u",
                        LIN_MOST_TOGETHER, together->count);
    TRY(find_members(checker, together));
    if (together->count == 1)
        together->body.name = together->names[0];
    checker->together = together;
    enum status status = checker_check_body(checker, &together->body);
    checker->together = NULL;
    TRY(status);
    if (together->count > 1 && may_name_thread(checker->object, together->body.body))
        return complain(checker, together->at,
                        "expected no `thread` in `together`, where several threads call, found it");
    return STATUS_OK;
}

static bool some_stays_open(void *context, const struct lin_expression *answer)
{
    (void)context;
    bool found =
        answer && answer->meaning == LIN_MEANS_SYMBOL && strcmp(answer->name, LIN_STAYS_OPEN) == 0;
    for (uint32_t i = 0; answer && answer->kind == LIN_EXPRESSION_LIST && i < answer->count; i++)
        found |= some_stays_open(NULL, answer->items[i]);
    return found;
}

/* An operation that is open somewhere must have stayed so. Where of a `together` is not looked at:
 * one that never comes to be open waits, as with `await (false)`. */
static enum status check_open(const struct checker *checker, const struct lin_object *object)
{
    bool stays = false;
    const struct lin_together *open = NULL;
    for (uint32_t i = 0; i < object->operation_count; i++)
        stays |= lin_some_return(object->operations[i]->body, some_stays_open, NULL);
    for (uint32_t i = 0; i < object->together_count; i++) {
        stays |= lin_some_return(object->togethers[i]->body.body, some_stays_open, NULL);
        for (uint32_t j = 0; j < object->togethers[i]->count; j++)
            open = object->togethers[i]->open[j] ? object->togethers[i] : open;
    }
    return !open || stays ? STATUS_OK
                          : complain(checker, open->at,
                                     "expected `return open;` of an operation that begins, found "
                                     "none: no operation stays open");
}

static enum status check_object(struct checker *checker, struct lin_object *object)
{
    checker->object = object;
    checker->symbols.length = 0;
    TRY(checker_check_names(checker, object));
    for (uint32_t i = 0; i < object->operation_count; i++)
        TRY(checker_collect_returns(checker, object->operations[i]->body, false));
    for (uint32_t i = 0; i < object->together_count; i++)
        TRY(checker_collect_returns(checker, object->togethers[i]->body.body, false));
    for (uint32_t i = 0; i < object->function_count; i++)
        TRY(checker_collect_returns(checker, object->functions[i]->body, true));
    if (object->is_spec && object->struct_count > 0)
        return complain(checker, object->structs[0]->at,
                        "expected `%s` in an implementation, found it in a specification, where a "
                        "list or a map holds several things",
                        object->structs[0]->is_record ? "record" : "struct");
    checker->scope.length = 0;
    for (uint32_t i = 0; i < object->parameter_count; i++)
        if (object->parameters[i].initial)
            TRY(checker_check_expression(checker, object->parameters[i].initial));
    for (uint32_t i = 0; i < object->struct_count; i++)
        for (uint32_t j = 0; j < object->structs[i]->field_count; j++)
            TRY(checker_check_variable(checker, object->structs[i]->fields[j]));
    for (uint32_t i = 0; i < object->struct_count; i++)
        if (object->structs[i]->is_record)
            TRY(size_record(checker, object->structs[i], 1));
    for (uint32_t i = 0; i < object->variable_count; i++)
        TRY(checker_check_variable(checker, object->variables[i]));
    for (uint32_t i = 0; i < object->function_count; i++)
        TRY(check_signature(checker, object->functions[i]));
    for (uint32_t i = 0; i < object->operation_count; i++)
        TRY(check_signature(checker, object->operations[i]));
    for (uint32_t i = 0; i < object->together_count; i++)
        TRY(check_signature(checker, &object->togethers[i]->body));
    for (uint32_t i = 0; i < object->function_count; i++)
        TRY(checker_check_body(checker, object->functions[i]));
    for (uint32_t i = 0; i < object->operation_count; i++)
        TRY(checker_check_body(checker, object->operations[i]));
    for (uint32_t i = 0; i < object->together_count; i++)
        TRY(checker_keep(checker, check_together(checker, object->togethers[i])));
    TRY(checker_keep(checker, check_open(checker, object)));
    if (object->initially)
        TRY(checker_check_body(checker, object->initially));
    TRY(checker_keep(checker, check_callers(checker, object)));
    TRY(checker_keep(checker, check_client(checker, object)));
    return faults_found(checker->module->script) ? STATUS_OK : find_recursion(checker, object);
}

/* ---- conditions and formulas ---- */

static enum status check_atom(struct checker *checker, const struct formula *formula)
{
    const struct lin_atom *atom = formula->atom;
    uint32_t number;
    if (atom->kind == LIN_ATOM_CONDITION)
        return checker_check_kind(checker, atom->expression, LIN_TYPE_BOOL);
    TRY(checker_find_operation(checker, atom->name, formula->at, &number));
    return atom->expression ? checker_check_kind(checker, atom->expression, LIN_TYPE_INT)
                            : STATUS_OK;
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
        TRY(checker_check_kind(checker, assertion->condition, LIN_TYPE_BOOL));
    else
        TRY(check_formula(checker, assertion->formula));
    checker->in_condition = false;
    return STATUS_OK;
}

/* ---- the module ---- */

/* In programs all that some operation answers is a symbol. */
static enum status check_programs(struct checker *checker)
{
    struct lin_module *module = checker->module;
    checker->symbols.length = 0;
    checker->object = module->programs.length ? module->programs.items[0] : NULL;
    for (size_t i = 0; i < module->objects.length && checker->object; i++)
        for (uint32_t j = 0; j < module->objects.items[i]->operation_count; j++)
            TRY(checker_collect_returns(checker, module->objects.items[i]->operations[j]->body,
                                        false));
    for (size_t i = 0; i < module->programs.length; i++) {
        struct lin_object *program = module->programs.items[i];
        if (lin_find_program(module, program->name) != program)
            return complain(checker, program->at, "expected a new name, found `%s` again",
                            program->name);
        checker->object = program;
        for (uint32_t j = 0; j < program->operation_count; j++)
            TRY(checker_check_body(checker, program->operations[j]));
    }
    return STATUS_OK;
}

/* Whether an object can be spoken of: its declarations are right, though not all operations. */
static enum status check_declared(struct checker *checker, struct declared_names *names,
                                  struct lin_object *object)
{
    TRY(checker_declare(checker, names, object->at, object->name));
    return check_object(checker, object);
}

/* Specifications and implementations; *whole is set to whether nothing is wrong with them. */
static enum status check_objects(struct checker *checker, bool *whole)
{
    struct lin_module *module = checker->module;
    struct declared_names names[2];
    enum status status = STATUS_OK;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        declared_names_init(&names[i], module->arena->budget);
    for (size_t i = 0; i < module->objects.length && status == STATUS_OK; i++) {
        struct lin_object *object = module->objects.items[i];
        status = check_declared(checker, &names[object->is_spec], object);
        *whole &= status == STATUS_OK;
        status = checker_keep(checker, status);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        declared_names_release(&names[i]);
    return status;
}

/* What assertions, rules and automata say with constants. */
static void take_constants(const struct lin_module *module)
{
    for (size_t i = 0; i < module->assertions.length; i++) {
        struct lin_assertion *assertion = &module->assertions.items[i];
        checker_take_constants_of(module, &assertion->implementation);
        checker_take_constants_of(module, &assertion->specification);
        for (uint32_t j = 0; j < assertion->option_count; j++)
            checker_take_option(module, &assertion->options[j]);
    }
    for (size_t i = 0; i < module->rules.length; i++)
        checker_take_constants_of(module, &module->rules.items[i]->subject);
    for (size_t i = 0; i < module->automata.length; i++)
        checker_take_constants_of(module, &module->automata.items[i]->subject);
}

static enum status check_module(struct checker *checker)
{
    struct lin_module *module = checker->module;
    bool whole = true;
    TRY(checker_check_constants(checker));
    take_constants(module);
    references_reach(module->script);
    TRY(check_objects(checker, &whole));
    if (!whole) /* what speaks of them cannot be judged */
        return STATUS_OK;
    TRY(checker_keep(checker, check_programs(checker)));
    for (size_t i = 0; i < module->assertions.length; i++) {
        TRY(checker_keep(checker, check_condition(checker, &module->assertions.items[i])));
        checker->in_condition = false;
    }
    return STATUS_OK;
}

enum status lin_check(struct lin_module *module, struct error *error)
{
    struct checker checker = {.module = module, .error = error};
    vector_init(&checker.scope, module->arena->budget);
    vector_init(&checker.symbols, module->arena->budget);
    lin_note_declared(module);
    enum status status = faults_end(module->script, check_module(&checker), error);
    if (status == STATUS_OK)
        status = lin_check_rules(module, error);
    if (status == STATUS_OK)
        status = lin_check_automata(module, error);
    vector_release(&checker.scope);
    vector_release(&checker.symbols);
    return status;
}

/* ---- what a checked tree asks ---- */

bool lin_names_thread(const struct lin_object *object, place *at)
{
    bool names = false;
    for (uint32_t i = 0; i < object->operation_count && !names; i++)
        names = lin_some_expression(object->operations[i]->body, is_thread, at);
    for (uint32_t i = 0; i < object->function_count && !names; i++)
        names = lin_some_expression(object->functions[i]->body, is_thread, at);
    return names;
}

static bool is_builtin(void *context, const struct lin_expression *expression)
{
    (void)context;
    return expression->meaning == LIN_MEANS_BUILTIN;
}

bool lin_names_running(const struct lin_expression *condition)
{
    return lin_some_part(condition, is_builtin, NULL);
}
