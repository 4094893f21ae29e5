#include "implementation/step_calls.h"

#include <string.h>

#include "implementation/step_expressions.h"
#include "implementation/step_places.h"
#include "implementation/step_shared.h"
#include "lin/check.h"
#include "lin/check_types.h"
#include "lin/lexer.h"

enum status lin_step_open_body(struct lin_step_compiler *compiler,
                               const struct lin_operation *operation, struct lin_step_body *body)
{
    *body = (struct lin_step_body){.outer = compiler->body, .operation = operation};
    jumps_init(&body->ends, &compiler->steps->listing);
    body->places =
        arena_allocate(compiler->steps->arena, operation->local_count * sizeof *body->places);
    compiler->body = body;
    return granted(body->places);
}

void lin_step_close_body(struct lin_step_compiler *compiler, struct lin_step_body *body)
{
    compiler->body = body->outer;
    jumps_release(&body->ends);
}

/* ---- addresses ----
 *
 * A function is put where it is called, so what `*p` is there is known: the location of the
 * argument, with its indices and references as they were at the call, each kept in a local. */

/* Whether an index is the same whenever it is computed. */
static bool is_steady(const struct lin_step_compiler *compiler,
                      const struct lin_expression *expression)
{
    int64_t known;
    bool steady = expression->count > 0;
    for (uint32_t i = 0; i < expression->count; i++)
        steady &= is_steady(compiler, expression->items[i]);
    return expression->meaning == LIN_MEANS_THREAD ||
           lin_step_constant_of(compiler, expression, &known) == STATUS_OK ||
           (steady && expression->kind == LIN_EXPRESSION_BINARY);
}

/* Keeps a number or a reference in a local, which takes the expression's place. */
static enum status keep_in_local(struct lin_step_compiler *compiler,
                                 struct lin_expression **expression)
{
    const struct lin_expression *kept = *expression;
    struct lin_expression *slot = arena_allocate(compiler->steps->arena, sizeof *slot);
    uint32_t local;
    TRY_MEMORY(slot);
    if (!lin_step_has_begun(compiler) && lin_step_is_shared(kept))
        return lin_step_complain(
            compiler, kept->at,
            "expected an address that local variables lead to, found something "
            "shared: read it into a local variable first");
    TRY(lin_step_take_locals(compiler, kept->at, 1, &local));
    if (kept->type.kind == LIN_TYPE_STRUCT) {
        const struct lin_reference_slot reference = {local,
                                                     lin_step_pool_of(compiler, kept->type.of)};
        TRY_MEMORY(vector_push(&compiler->references, reference));
    }
    TRY(lin_step_compile_operand(compiler, kept));
    TRY(lin_step_emit(compiler, kept->at, OP_STORE_OWN, 0, 1, local));
    *slot = (struct lin_expression){.kind = LIN_EXPRESSION_NAME,
                                    .meaning = LIN_MEANS_SLOT,
                                    .at = kept->at,
                                    .number = local,
                                    .type = kept->type};
    *expression = slot;
    return STATUS_OK;
}

/* The location as it is now. */
static enum status fix_location(struct lin_step_compiler *compiler,
                                const struct lin_expression *location,
                                const struct lin_expression **fixed)
{
    *fixed = lin_step_location(compiler, location);
    if (*fixed != location || location->kind == LIN_EXPRESSION_NAME)
        return STATUS_OK;
    struct arena *arena = compiler->steps->arena;
    struct lin_expression *copy = arena_allocate(arena, sizeof *copy);
    struct lin_expression **items = arena_allocate(arena, location->count * sizeof *items);
    TRY_MEMORY(copy && items);
    *copy = *location;
    copy->items = items;
    memcpy(items, location->items, location->count * sizeof *items);
    *fixed = copy;
    if (location->kind == LIN_EXPRESSION_FIELD && items[0]->type.kind == LIN_TYPE_STRUCT)
        return keep_in_local(compiler, &items[0]);
    const struct lin_expression *base;
    TRY(fix_location(compiler, items[0], &base));
    items[0] = (struct lin_expression *)base;
    if (location->kind == LIN_EXPRESSION_INDEX && !is_steady(compiler, items[1]))
        return keep_in_local(compiler, &items[1]);
    return STATUS_OK;
}

/* An argument for a parameter that holds an address: the caller's own `p`, or `&x`. */
static enum status pass_address(struct lin_step_compiler *compiler,
                                const struct lin_expression *argument,
                                struct lin_step_place *parameter)
{
    if (argument->kind == LIN_EXPRESSION_UNARY)
        return fix_location(compiler, argument->items[0], &parameter->location);
    parameter->location = compiler->body->places[argument->variable->number].location;
    return STATUS_OK;
}

/* ---- functions ---- */

/* Arguments are computed by the caller, then stored as the function's locals. */
static enum status inline_function(struct lin_step_compiler *compiler, struct lin_step_body *body,
                                   const struct lin_expression *call)
{
    const struct lin_operation *function = call->operation;
    uint32_t count = function->parameter_count;
    struct lin_step_body *caller = body->outer;
    for (uint32_t i = 0; i < count; i++)
        if (!function->parameters[i]->type.is_address)
            TRY(lin_step_declare(compiler, function->parameters[i]));
    bool root = compiler->root;
    compiler->body = caller;
    compiler->root = false;
    for (uint32_t i = 0; i < count; i++)
        TRY(function->parameters[i]->type.is_address
                ? pass_address(compiler, call->items[i], &body->places[i])
                : lin_step_compile_into(compiler, call->items[i], &function->parameters[i]->type));
    compiler->body = body;
    compiler->root = root;
    for (uint32_t i = count; i-- > 0;)
        if (!function->parameters[i]->type.is_address)
            TRY(lin_step_emit(compiler, call->at, OP_STORE_OWN, 0, body->places[i].words,
                              body->places[i].first));
    if (function->type.kind != LIN_TYPE_VOID) {
        const struct lin_variable result = {.type = function->type};
        TRY(lin_step_take_locals(compiler, call->at, lin_step_words_of(&function->type),
                                 &body->result));
        TRY(lin_step_note_references(compiler, &result, body->result, 1, &compiler->references));
        TRY(lin_step_note_values(compiler, &result, body->result, 1));
    }
    TRY(compiler->flow.class->statement(compiler, function->body));
    listing_land_all(&compiler->steps->listing, &body->ends);
    if (function->type.kind == LIN_TYPE_VOID)
        return lin_step_push(compiler, call->at, 0);
    return lin_step_emit(compiler, call->at, OP_LOAD_OWN, 0, lin_step_words_of(&function->type),
                         body->result);
}

/* Whether as many calls of the function are running as it says. */
static bool is_too_deep(const struct lin_step_compiler *compiler,
                        const struct lin_operation *function)
{
    int32_t running = 0;
    for (const struct lin_step_body *i = compiler->body; i; i = i->outer)
        running += i->operation == function;
    return function->depth && running >= function->depth->integer;
}

/* In place of a call: the model's promise that there is none, broken. */
static enum status refuse_call(struct lin_step_compiler *compiler,
                               const struct lin_expression *call)
{
    const struct lin_operation *function = call->operation;
    const struct range_limit depth = {
        .low = 0, .high = function->depth->integer, .name = function->name};
    const uint32_t words =
        function->type.kind == LIN_TYPE_VOID ? 1 : lin_step_words_of(&function->type);
    TRY_MEMORY(vector_push(&compiler->steps->ranges, depth));
    TRY(lin_step_push(compiler, call->at, (uint32_t)depth.high + 1));
    TRY(lin_step_emit(compiler, call->at, OP_CHECK_RANGE, LIN_RANGE_DEPTH, 0,
                      (uint32_t)compiler->steps->ranges.length - 1));
    for (uint32_t i = 1; i < words; i++)
        TRY(lin_step_push(compiler, call->at, 0));
    return STATUS_OK;
}

static enum status compile_function(struct lin_step_compiler *compiler,
                                    const struct lin_expression *call)
{
    if (is_too_deep(compiler, call->operation))
        return refuse_call(compiler, call);
    if (!compiler->root && !lin_step_has_begun(compiler) &&
        lin_step_statement_is_shared(compiler, call->operation->body))
        return lin_step_complain(
            compiler, call->at,
            "expected a call that stands alone, for `%s` takes several steps: store "
            "what it answers in a local variable first",
            call->name);
    struct lin_step_body body;
    bool root = compiler->root;
    enum status status = lin_step_open_body(compiler, call->operation, &body);
    if (status == STATUS_OK)
        status = inline_function(compiler, &body, call);
    lin_step_close_body(compiler, &body);
    compiler->root = root;
    return status;
}

/* ll and sc name shared variables; nodes may move. */
static enum status expect_variable(struct lin_step_compiler *compiler,
                                   const struct lin_expression *location)
{
    const struct lin_expression *base = lin_step_location(compiler, location);
    while (base->kind == LIN_EXPRESSION_INDEX ||
           (base->kind == LIN_EXPRESSION_FIELD && base->items[0]->type.kind == LIN_TYPE_RECORD))
        base = base->items[0];
    if (base->kind == LIN_EXPRESSION_NAME && base->meaning == LIN_MEANS_SHARED)
        return STATUS_OK;
    return lin_step_complain(compiler, location->at,
                             "expected a shared variable, found another location");
}

/* Where the number of a thread is known, that there is one. */
static enum status expect_thread(struct lin_step_compiler *compiler,
                                 const struct lin_expression *number)
{
    const uint32_t threads = compiler->steps->setting.threads;
    int64_t thread = 0;
    if (lin_step_constant_of(compiler, number, &thread) != STATUS_OK ||
        (thread >= 0 && thread < threads))
        return STATUS_OK;
    return lin_step_complain(compiler, number->at,
                             "expected the number of a thread, 0 to %u, found %lld", threads - 1,
                             (long long)thread);
}

/* What a location is compared with: a number that it cannot hold is not there, as with `==`. */
static enum status compile_compared(struct lin_step_compiler *compiler,
                                    const struct lin_expression *location,
                                    const struct lin_expression *expression,
                                    const struct lin_type *type)
{
    struct lin_type any = *type;
    if (lin_names_a_value(location, expression))
        return lin_step_compile_value_name(compiler, expression);
    if (any.kind == LIN_TYPE_INT)
        any.low = any.high = NULL;
    return lin_step_compile_into(compiler, expression, &any);
}

static enum status compile_builtin(struct lin_step_compiler *compiler,
                                   const struct lin_expression *call)
{
    struct lin_expression *const *items = call->items;
    const struct lin_expression *location =
        call->count > 0 ? lin_step_location(compiler, items[0]) : NULL;
    if (call->number == LIN_BUILTIN_RUNNING) {
        TRY(expect_thread(compiler, items[0]));
        TRY(lin_step_compile_operand(compiler, items[0]));
        return lin_step_emit(compiler, call->at, OP_RUNNING, 0,
                             call->count == 2 ? items[1]->number + 1 : 0, 0);
    }
    uint32_t words = lin_step_words_of(&location->type), range = UINT32_MAX;
    enum lin_builtin builtin = (enum lin_builtin)call->number;
    if (builtin == LIN_BUILTIN_FREE) {
        TRY(lin_step_compile_operand(compiler, items[0]));
        TRY(lin_step_emit(compiler, call->at, OP_FREE, 0, 0,
                          lin_step_pool_of(compiler, items[0]->type.of)));
        return lin_step_push(compiler, call->at, 0);
    }
    if (builtin == LIN_BUILTIN_LL || builtin == LIN_BUILTIN_SC)
        TRY(expect_variable(compiler, items[0]));
    TRY(lin_step_compile_address(compiler, items[0]));
    bool root = compiler->root;
    compiler->root = false;
    for (uint32_t i = 1; i < call->count; i++)
        TRY(builtin == LIN_BUILTIN_FETCH_ADD ? lin_step_compile_value(compiler, items[i])
            : builtin == LIN_BUILTIN_CAS && i == 1
                ? compile_compared(compiler, items[0], items[1], &location->type)
                : lin_step_compile_into(compiler, items[i], &location->type));
    compiler->root = root;
    switch (builtin) {
    case LIN_BUILTIN_CAS:
        return lin_step_emit(compiler, call->at, OP_CAS, 0, words, 0);
    case LIN_BUILTIN_SWAP:
        return lin_step_emit(compiler, call->at, OP_SWAP, 0, words, 0);
    case LIN_BUILTIN_FETCH_ADD:
        if (location->type.low) {
            struct lin_step_range bounds;
            TRY(lin_step_range_of(compiler, &location->type, &bounds));
            TRY(lin_step_add_range(compiler, bounds, &range));
        }
        return lin_step_emit(compiler, call->at, OP_FETCH_ADD, 0, 1, range);
    case LIN_BUILTIN_LL:
        return lin_step_emit(compiler, call->at, OP_LOAD_LINKED, 0, words, 0);
    case LIN_BUILTIN_SC:
        return lin_step_emit(compiler, call->at, OP_STORE_CONDITIONAL, 0, words, 0);
    case LIN_BUILTIN_LOCK:
    case LIN_BUILTIN_UNLOCK:
        TRY(lin_step_emit(compiler, call->at, builtin == LIN_BUILTIN_LOCK ? OP_LOCK : OP_UNLOCK, 0,
                          1, 0));
        return lin_step_push(compiler, call->at, 0);
    default:
        return lin_step_complain(compiler, call->at, "`%s` is for specifications only", call->name);
    }
}

static enum status expect_arguments(struct lin_step_compiler *compiler,
                                    const struct lin_expression *call, uint32_t count)
{
    if (call->count == count)
        return STATUS_OK;
    return lin_step_complain(compiler, call->at, "expected %u argument%s of `%s`, found %u", count,
                             count == 1 ? "" : "s", call->name, call->count);
}

/* The arguments as the parameters' types want them, in the operation's locals. */
static enum status pass_arguments(struct lin_step_compiler *compiler, struct lin_step_body *body,
                                  const struct lin_expression *call)
{
    struct lin_variable *const *parameters = body->operation->parameters;
    for (uint32_t i = 0; i < call->count; i++)
        TRY(lin_step_declare(compiler, parameters[i]));
    compiler->body = body->outer;
    for (uint32_t i = 0; i < call->count; i++) {
        const struct lin_expression *argument = call->items[i];
        enum lin_type_kind want = (enum lin_type_kind)parameters[i]->type.kind,
                           have = (enum lin_type_kind)argument->type.kind;
        bool fits = want == LIN_TYPE_VALUE ? have != LIN_TYPE_BOOL
                                           : (want == LIN_TYPE_INT || want == LIN_TYPE_BOOL) &&
                                                 (have == want || have == LIN_TYPE_ANSWER);
        if (!fits)
            return lin_step_complain(compiler, argument->at,
                                     "expected %s as `%s` of `%s`, found %s",
                                     lin_type_name(&parameters[i]->type), parameters[i]->name,
                                     call->name, lin_type_name(&argument->type));
        TRY(lin_step_compile_operand_as(compiler, argument, want));
        TRY(lin_step_compile_range(compiler, argument->at, &parameters[i]->type, argument));
        if (want == LIN_TYPE_VALUE)
            TRY(lin_step_emit(compiler, argument->at, OP_AS_VALUE, 0, 0, 0));
    }
    compiler->body = body;
    for (uint32_t i = call->count; i-- > 0;)
        TRY(lin_step_emit(compiler, call->at, OP_STORE_OWN, 0, 1, body->places[i].first));
    return STATUS_OK;
}

/* Whether what the operation answers is not looked at: `ok` agrees with anything. */
static bool has_no_answer(const struct lin_step_compiler *compiler,
                          const struct lin_expression *call)
{
    const struct spec *spec = compiler->steps->setting.answers;
    int found = spec ? spec_operation_find(spec->class, call->name, strlen(call->name)) : -1;
    return found >= 0 && spec->class->operations[found].result[0] == 0;
}

/* An implementation's operation, put where it is called. */
static enum status inline_operation(struct lin_step_compiler *compiler, struct lin_step_body *body,
                                    const struct lin_expression *call)
{
    const struct lin_operation *operation = body->operation;
    int64_t only = 0;
    TRY(expect_arguments(compiler, call, operation->parameter_count));
    if (operation->only_thread) {
        TRY(lin_step_constant(compiler, operation->only_thread, "a thread's number", &only));
        if (only != compiler->entry)
            return lin_step_complain(compiler, call->at,
                                     "expected a call of `%s` in thread %lld only", call->name,
                                     (long long)only);
    }
    TRY(pass_arguments(compiler, body, call));
    TRY(lin_step_take_locals(compiler, call->at, 1, &body->result));
    TRY(compiler->flow.class->statement(compiler, operation->body));
    TRY(lin_step_push(compiler, operation->at, LIN_WORD_NULL));
    TRY(lin_step_emit(compiler, operation->at, OP_STORE_OWN, 0, 1, body->result));
    listing_land_all(&compiler->steps->listing, &body->ends);
    if (has_no_answer(compiler, call))
        return lin_step_push(compiler, call->at, LIN_WORD_NULL);
    return lin_step_emit(compiler, call->at, OP_LOAD_OWN, 0, 1, body->result);
}

/* A specification's operation: one step. */
static enum status compile_invoke(struct lin_step_compiler *compiler,
                                  const struct lin_expression *call)
{
    const struct spec *spec = compiler->steps->setting.spec;
    int operation = spec_operation_find(spec->class, call->name, strlen(call->name));
    if (operation < 0)
        return lin_step_complain(compiler, call->at, "expected an operation of `%s`, found `%s`",
                                 spec->class->name, call->name);
    const char *shape = spec->class->operations[operation].argument;
    uint32_t count = *shape != 0;
    for (; *shape; shape++)
        count += *shape == ' ';
    TRY(expect_arguments(compiler, call, count));
    TRY(lin_step_emit(compiler, call->at, OP_STEP, 0, 0, 0));
    for (uint32_t i = 0; i < call->count; i++) {
        TRY(lin_step_compile_operand(compiler, call->items[i]));
        if (call->items[i]->type.kind != LIN_TYPE_BOOL)
            continue;
        TRY(lin_step_push(compiler, call->at, LIN_WORD_FALSE));
        TRY(lin_step_emit(compiler, call->at, OP_ADD, 0, 0, 0));
    }
    return lin_step_emit(compiler, call->at, OP_INVOKE, 0, call->count, (uint32_t)operation);
}

static enum status compile_operation(struct lin_step_compiler *compiler,
                                     const struct lin_expression *call)
{
    const struct lin_object *callee = compiler->steps->setting.callee;
    if (!compiler->root)
        return lin_step_complain(
            compiler, call->at,
            "expected a call that stands alone, for `%s` takes steps: store what it "
            "answers in a local variable first",
            call->name);
    if (!callee)
        return compile_invoke(compiler, call);
    const struct lin_operation *operation = NULL;
    for (uint32_t i = 0; i < callee->operation_count; i++)
        if (callee->operations[i]->name == call->name)
            operation = callee->operations[i];
    if (!operation)
        return lin_step_complain(compiler, call->at, "expected an operation of `%s`, found `%s`",
                                 callee->name, call->name);
    struct lin_step_body body;
    enum status status = lin_step_open_body(compiler, operation, &body);
    body.is_called = true;
    if (status == STATUS_OK)
        status = inline_operation(compiler, &body, call);
    lin_step_close_body(compiler, &body);
    return status;
}

enum status lin_step_compile_call(struct lin_step_compiler *compiler,
                                  const struct lin_expression *call)
{
    if (call->meaning == LIN_MEANS_FUNCTION)
        return compile_function(compiler, call);
    return call->meaning == LIN_MEANS_CALL ? compile_operation(compiler, call)
                                           : compile_builtin(compiler, call);
}
