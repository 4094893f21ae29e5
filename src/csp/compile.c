/* From expressions and statements to code. Operands that are constant are folded as they are
 * emitted, so an index that is known becomes a plain slot: what a step reads and writes is then
 * visible in its code. Macros are expanded in place; their arguments by name. */
#include "csp/compile.h"

#include <assert.h>

#include "csp/compile_array.h"
#include "csp/compile_call.h"
#include "csp/emit.h"

#define MAX_LOCALS 1000 /* of one program, array elements counted; see LOCALS in machine.c */

static enum status expression(struct csp_compiler *compiler, const struct csp_expression *node,
                              const struct scope *scope);

static const struct instruction check_boolean = {.op = OP_CHECK, .small = KIND_BOOLEAN};

/* ---- names ---- */

static enum status load_variable(struct csp_compiler *compiler, const struct csp_expression *node,
                                 const struct variable_info *info)
{
    if (info->dimensions)
        return csp_complain(compiler, node->at, "expected an index after `%s`, which is an array",
                            node->name);
    return csp_emit(compiler, node->at,
                    (struct instruction){.op = info->collection ? OP_LOAD_OBJECT
                                               : info->constant ? OP_LOAD_FIXED
                                                                : OP_LOAD_SLOT,
                                         .operand = (int32_t)info->slot});
}

static enum status name(struct csp_compiler *compiler, const struct csp_expression *node,
                        const struct scope *scope)
{
    const struct scope *bound = csp_scope_find(scope, node->name);
    if (bound) {
        if (bound->kind == BOUND_CONSTANT && datum_is_array(bound->constant))
            return csp_complain(compiler, node->at,
                                "expected an index after `%s`, which is an array", node->name);
        if (bound->kind == BOUND_CONSTANT)
            return csp_emit_constant(compiler, node->at, bound->constant);
        if (bound->kind == BOUND_ARGUMENT)
            return expression(compiler, bound->argument, bound->argument_scope);
        if (bound->length)
            return csp_complain(compiler, node->at,
                                "expected an index after `%s`, which is an array", node->name);
        return csp_emit(
            compiler, node->at,
            (struct instruction){.op = OP_LOAD_LOCAL, .operand = (int32_t)bound->local});
    }
    struct symbol symbol = csp_symbol(compiler->program, node->name);
    if (symbol.kind == SYMBOL_MACRO) {
        const struct csp_macro *found = &compiler->program->module->macros.items[symbol.index];
        if (found->has_parameters && found->parameter_count)
            return csp_complain(compiler, node->at,
                                "expected `call(%s, ...)`, found `%s` alone: it takes %u "
                                "arguments",
                                node->name, node->name, found->parameter_count);
        return csp_compile_macro(compiler, found, node, scope);
    }
    if (symbol.kind == SYMBOL_NONE)
        return csp_complain(compiler, node->at, "expected a declared name, found `%s`", node->name);
    const struct variable_info *info = csp_variable(compiler, node->name, node->at);
    return info ? load_variable(compiler, node, info) : STATUS_INPUT;
}

/* ---- assignments ---- */

static enum status assign(struct csp_compiler *compiler, const struct csp_expression *target,
                          const struct csp_expression *source, const struct csp_expression *node,
                          const struct scope *scope)
{
    if (target->kind == EXPRESSION_INDEX)
        return csp_compile_store_element(compiler, target, source, scope);
    assert(target->kind == EXPRESSION_NAME);
    const struct scope *bound = csp_scope_find(scope, target->name);
    if (bound) {
        if (bound->kind != BOUND_LOCAL)
            return csp_complain(compiler, target->at,
                                "expected a variable, found `%s`, which is a "
                                "parameter and cannot change",
                                target->name);
        struct csp_array array = {.local = true, .first = bound->local, .length = bound->length};
        if (bound->length && source->kind == EXPRESSION_RECORD)
            return csp_compile_store_list(compiler, source, &array, scope);
        if (bound->length)
            return csp_complain(compiler, target->at,
                                "expected an index after `%s`, which is an array", target->name);
        TRY(expression(compiler, source, scope));
        return csp_emit(compiler, target->at,
                        (struct instruction){
                            .op = OP_STORE_LOCAL, .small = 1, .operand = (int32_t)bound->local});
    }
    const struct variable_info *info = csp_variable(compiler, target->name, target->at);
    if (!info)
        return STATUS_INPUT;
    if (info->dimensions)
        return csp_compile_copy_array(compiler, node, info, scope);
    if (info->collection)
        return csp_compile_set(compiler, info, target, source, scope);
    TRY(expression(compiler, source, scope));
    return csp_emit(
        compiler, target->at,
        (struct instruction){
            .op = OP_STORE_SLOT, .small = 1, .range = info->range, .operand = (int32_t)info->slot});
}

static enum status step(struct csp_compiler *compiler, const struct csp_expression *node,
                        const struct scope *scope)
{
    struct csp_expression one = {.kind = EXPRESSION_INTEGER, .at = node->at, .integer = 1};
    struct csp_expression *operands[] = {node->operands[0], &one};
    struct csp_expression sum = {
        .kind = EXPRESSION_BINARY,
        .operator= node->operator== CSP_INCREMENT ? CSP_PLUS : CSP_MINUS,
        .at = node->at,
        .count = 2,
        .operands = operands,
    };
    return assign(compiler, node->operands[0], &sum, node, scope);
}

/* `#R(1)`: every one in the text has a slot. */
static enum status at_work(struct csp_compiler *compiler, const struct csp_expression *node)
{
    const struct csp_program *program = compiler->program;
    size_t i = 0;
    while (i < program->counts.length && program->counts.items[i].node != node)
        i++;
    assert(i < program->counts.length);
    return csp_emit(compiler, node->at,
                    (struct instruction){.op = OP_LOAD_SLOT,
                                         .operand = (int32_t)program->counts.items[i].slot});
}

/* ---- operators ---- */

static const struct {
    uint8_t token, op;
} operators[] = {
    {CSP_PLUS, OP_ADD},
    {CSP_MINUS, OP_SUBTRACT},
    {CSP_STAR, OP_MULTIPLY},
    {CSP_SLASH, OP_DIVIDE},
    {CSP_PERCENT, OP_MODULO},
    {CSP_LESS, OP_LESS},
    {CSP_LESS_EQUAL, OP_LESS_EQUAL},
    {CSP_GREATER, OP_GREATER},
    {CSP_GREATER_EQUAL, OP_GREATER_EQUAL},
    {CSP_EQUAL, OP_EQUAL},
    {CSP_NOT_EQUAL, OP_NOT_EQUAL},
    {CSP_AND, OP_BIT_AND},
    {CSP_BAR, OP_BIT_OR},
    {CSP_CARET, OP_BIT_XOR},
    {CSP_XOR, OP_XOR},
};

/* The left side of && or || is on the stack: the right side runs only if that does not decide.
 *     JUMP_IF_x short; right; JUMP end; short: PUSH known; end: */
static enum status decide_by(struct csp_compiler *compiler, bool conjunction, place at,
                             const struct csp_expression *right, bool checks,
                             const struct scope *scope)
{
    uint32_t jump, end;
    TRY(csp_emit_jump(compiler, at, conjunction ? OP_JUMP_IF_FALSE : OP_JUMP_IF_TRUE, &jump));
    TRY(expression(compiler, right, scope));
    if (checks)
        TRY(csp_emit(compiler, at, check_boolean));
    TRY(csp_emit_jump(compiler, at, OP_JUMP, &end));
    listing_land(&compiler->listing, jump);
    TRY(csp_emit_constant(compiler, at, datum_boolean(!conjunction)));
    listing_land(&compiler->listing, end);
    return STATUS_OK;
}

static enum status short_circuit(struct csp_compiler *compiler, bool conjunction, place at,
                                 const struct csp_expression *left,
                                 const struct csp_expression *right, const struct scope *scope)
{
    uint32_t start = listing_here(&compiler->listing);
    TRY(expression(compiler, left, scope));
    datum known = 0;
    if (!csp_constant_since(compiler, start, &known) || !datum_is_boolean(known))
        return decide_by(compiler, conjunction, at, right, true, scope);
    if ((known == VALUE_TRUE) != conjunction)
        return STATUS_OK;
    listing_cut(&compiler->listing, start);
    TRY(expression(compiler, right, scope));
    return csp_emit_folded(compiler, at, check_boolean, start, 1);
}

static enum status binary(struct csp_compiler *compiler, const struct csp_expression *node,
                          const struct scope *scope)
{
    if (node->operator== CSP_AND_AND || node->operator== CSP_BAR_BAR)
        return short_circuit(compiler, node->operator== CSP_AND_AND, node->at, node->operands[0],
                             node->operands[1], scope);
    uint32_t start = listing_here(&compiler->listing);
    TRY(expression(compiler, node->operands[0], scope));
    TRY(expression(compiler, node->operands[1], scope));
    for (size_t i = 0; i < ARRAY_LENGTH(operators); i++)
        if (operators[i].token == node->operator)
            return csp_emit_operator(compiler, node->at, (enum opcode)operators[i].op, start, 2);
    return csp_complain(compiler, node->at, "expected an operator");
}

static enum status unary(struct csp_compiler *compiler, const struct csp_expression *node,
                         const struct scope *scope)
{
    uint32_t start = listing_here(&compiler->listing);
    TRY(expression(compiler, node->operands[0], scope));
    if (node->operator== CSP_PLUS)
        return STATUS_OK;
    return csp_emit_operator(compiler, node->at, node->operator== CSP_MINUS ? OP_NEGATE : OP_NOT,
                             start, 1);
}

/* ---- indexed forms: `|| x:{0..3} @ e` is e at 0 || e at 1 || ... ---- */

struct indexed {
    const struct csp_expression *node;
    bool any;
};

static enum status indexed_here(struct csp_compiler *compiler, struct indexed *indexed,
                                const struct scope *scope)
{
    const struct csp_expression *node = indexed->node;
    if (!indexed->any) {
        indexed->any = true;
        return expression(compiler, node->operands[0], scope);
    }
    if (node->operator== CSP_XOR) {
        TRY(expression(compiler, node->operands[0], scope));
        return csp_emit(compiler, node->at, (struct instruction){.op = OP_XOR});
    }
    return decide_by(compiler, node->operator== CSP_AND_AND, node->at, node->operands[0], false,
                     scope);
}

static enum status indexed_range(struct csp_compiler *compiler, struct indexed *indexed,
                                 uint32_t range, const struct scope *scope)
{
    const struct csp_expression *node = indexed->node;
    if (range == node->range_count)
        return indexed_here(compiler, indexed, scope);
    const struct csp_range *at = &node->ranges[range];
    int32_t first = 0, last = 0;
    struct scope inner = {.outer = scope, .name = at->name, .kind = BOUND_CONSTANT};
    if (!at->interval) {
        for (uint32_t i = 0; i < at->value_count; i++) {
            TRY(csp_constant(compiler->program, at->values[i], scope, "a value of the index",
                             &inner.constant, compiler->error));
            TRY(indexed_range(compiler, indexed, range + 1, &inner));
        }
        return STATUS_OK;
    }
    TRY(csp_constant_integer(compiler->program, at->values[0], scope, "a bound", INTEGER_SMALLEST,
                             INT32_MAX, &first, compiler->error));
    TRY(csp_constant_integer(compiler->program, at->values[1], scope, "a bound", INTEGER_SMALLEST,
                             INT32_MAX, &last, compiler->error));
    for (int64_t i = first; i <= last; i++) {
        inner.constant = datum_integer((int32_t)i);
        TRY(indexed_range(compiler, indexed, range + 1, &inner));
    }
    return STATUS_OK;
}

static enum status indexed_form(struct csp_compiler *compiler, const struct csp_expression *node,
                                const struct scope *scope)
{
    struct indexed indexed = {.node = node};
    TRY(indexed_range(compiler, &indexed, 0, scope));
    if (!indexed.any) /* over nothing: the operator's neutral element */
        return csp_emit_constant(compiler, node->at, datum_boolean(node->operator== CSP_AND_AND));
    return STATUS_OK;
}

static enum status expression(struct csp_compiler *compiler, const struct csp_expression *node,
                              const struct scope *scope)
{
    switch ((enum csp_expression_kind)node->kind) {
    case EXPRESSION_INTEGER:
        return csp_emit_constant(compiler, node->at, datum_integer(node->integer));
    case EXPRESSION_BOOLEAN:
        return csp_emit_constant(compiler, node->at, datum_boolean(node->integer));
    case EXPRESSION_NAME:
        return name(compiler, node, scope);
    case EXPRESSION_INDEX:
        return csp_compile_element(compiler, node, scope);
    case EXPRESSION_UNARY:
        return unary(compiler, node, scope);
    case EXPRESSION_BINARY:
        return binary(compiler, node, scope);
    case EXPRESSION_ASSIGN:
        return assign(compiler, node->operands[0], node->operands[1], node, scope);
    case EXPRESSION_STEP:
        return step(compiler, node, scope);
    case EXPRESSION_AT_WORK:
        return at_work(compiler, node);
    case EXPRESSION_CALL:
        return csp_compile_call(compiler, node, scope);
    case EXPRESSION_NEW:
        return csp_compile_new(compiler, node);
    case EXPRESSION_METHOD:
        return csp_compile_method(compiler, node, scope);
    case EXPRESSION_INDEXED:
        return indexed_form(compiler, node, scope);
    case EXPRESSION_RECORD:
        return csp_complain(compiler, node->at,
                            "expected a value, found a list: a list initialises or "
                            "replaces a whole array");
    default:
        return csp_complain(compiler, node->at, "expected a value");
    }
}

/* ---- statements ---- */

static enum status block(struct csp_compiler *compiler, const struct csp_statement *node,
                         uint32_t from, const struct scope *scope);
static enum status statement(struct csp_compiler *compiler, const struct csp_statement *node,
                             const struct scope *scope);

/* A local is in scope until its block ends: the rest of the block is compiled inside. */
static enum status local(struct csp_compiler *compiler, const struct csp_statement *node,
                         const struct csp_statement *rest, uint32_t from, const struct scope *scope)
{
    int64_t length = 1;
    for (uint32_t i = 0; i < node->size_count; i++) {
        int32_t size = 0;
        TRY(csp_constant_integer(compiler->program, node->sizes[i], scope, "the size of an array",
                                 1, MAX_LOCALS, &size, compiler->error));
        length *= size;
    }
    bool array = node->size_count > 0;
    if (!array && node->condition && node->condition->kind == EXPRESSION_RECORD) {
        array = true;
        length = node->condition->count;
    }
    if (node->size_count > 1)
        return csp_complain(compiler, node->at, "expected a local array of one dimension, found %u",
                            node->size_count);
    if (compiler->locals + length > MAX_LOCALS)
        return csp_complain(compiler, node->at, "expected at most %d local elements, found more",
                            MAX_LOCALS);
    struct scope inner = {.outer = scope,
                          .name = node->name,
                          .kind = BOUND_LOCAL,
                          .local = compiler->locals,
                          .length = array ? (uint32_t)length : 0};
    compiler->locals += (uint32_t)length;
    if (compiler->locals > compiler->most_locals)
        compiler->most_locals = compiler->locals;
    struct csp_expression zero = {.kind = EXPRESSION_INTEGER, .at = node->at};
    struct csp_expression target = {.kind = EXPRESSION_NAME, .at = node->at, .name = node->name};
    const struct csp_array elements = {
        .local = true, .first = inner.local, .length = array ? (uint32_t)length : 0};
    TRY(csp_compile_clear(compiler, node->at, &elements)); /* a loop may enter the block again */
    if (node->condition || !array) {
        TRY(assign(compiler, &target, node->condition ? node->condition : &zero, NULL, &inner));
        TRY(csp_emit_pop(compiler, node->at));
    }
    TRY(block(compiler, rest, from, &inner));
    compiler->locals -= (uint32_t)length;
    return STATUS_OK;
}

static enum status block(struct csp_compiler *compiler, const struct csp_statement *node,
                         uint32_t from, const struct scope *scope)
{
    for (uint32_t i = from; i < node->count; i++) {
        if (node->children[i]->kind == STATEMENT_LOCAL)
            return local(compiler, node->children[i], node, i + 1, scope);
        TRY(statement(compiler, node->children[i], scope));
    }
    return STATUS_OK;
}

static enum status conditional(struct csp_compiler *compiler, const struct csp_statement *node,
                               const struct scope *scope)
{
    uint32_t start = listing_here(&compiler->listing);
    TRY(expression(compiler, node->condition, scope));
    uint32_t leave, end;
    TRY(csp_emit_jump(compiler, node->at, OP_JUMP_IF_FALSE, &leave));
    TRY(statement(compiler, node->children[0], scope));
    bool loop = node->kind == STATEMENT_WHILE;
    if (!loop && node->count == 1) {
        listing_land(&compiler->listing, leave);
        return STATUS_OK;
    }
    TRY(csp_emit_jump(compiler, node->at, OP_JUMP, &end));
    listing_land(&compiler->listing, leave);
    if (loop) {
        listing_lead(&compiler->listing, end, start);
        return STATUS_OK;
    }
    TRY(statement(compiler, node->children[1], scope));
    listing_land(&compiler->listing, end);
    return STATUS_OK;
}

static enum status statement(struct csp_compiler *compiler, const struct csp_statement *node,
                             const struct scope *scope)
{
    switch ((enum csp_statement_kind)node->kind) {
    case STATEMENT_BLOCK:
        return block(compiler, node, 0, scope);
    case STATEMENT_IF:
    case STATEMENT_WHILE:
        return conditional(compiler, node, scope);
    case STATEMENT_EXPRESSION:
        TRY(expression(compiler, node->condition, scope));
        return node == compiler->result ? STATUS_OK : csp_emit_pop(compiler, node->at);
    default: /* a local that is the whole body of an if or while: nothing can use it */
        return local(compiler, node, node, node->count, scope);
    }
}

/* ---- arrays as a whole ---- */

/* `[1, x, 2(3)]`, passed on. */
static enum status packed(struct csp_compiler *compiler, const struct csp_expression *node,
                          const struct scope *scope)
{
    uint32_t start = listing_here(&compiler->listing), slots[MOST_PACKED];
    for (uint32_t i = 0; i < node->count; i++) {
        if (node->operands[i]->kind == EXPRESSION_REPEAT ||
            node->operands[i]->kind == EXPRESSION_RANGE || node->count > MOST_PACKED)
            return csp_complain(compiler, node->operands[i]->at,
                                "expected at most %d elements, one by one, in a list that is "
                                "passed on",
                                MOST_PACKED);
        TRY(expression(compiler, node->operands[i], scope));
    }
    if (!listing_is_constant(&compiler->listing, start, node->count))
        return csp_emit(compiler, node->at,
                        (struct instruction){.op = OP_PACK, .wide = node->count});
    for (uint32_t i = 0; i < node->count; i++)
        slots[i] = datum_to_slot(instruction_word(&compiler->listing.code.items[start + i]));
    listing_cut(&compiler->listing, start);
    object_id made = object_intern(compiler->program->objects, slots, node->count);
    return made == OBJECT_REFUSED ? STATUS_LIMIT
                                  : csp_emit_constant(compiler, node->at, datum_array(made));
}

static enum status whole(struct csp_compiler *compiler, const struct csp_expression *node,
                         const struct scope *scope)
{
    const struct csp_program *program = compiler->program;
    if (node->kind == EXPRESSION_RECORD)
        return packed(compiler, node, scope);
    const struct scope *bound =
        node->kind == EXPRESSION_NAME ? csp_scope_find(scope, node->name) : NULL;
    if (bound && bound->kind == BOUND_CONSTANT && datum_is_array(bound->constant))
        return csp_emit_constant(compiler, node->at, bound->constant);
    struct symbol symbol = node->kind == EXPRESSION_NAME && !bound ? csp_symbol(program, node->name)
                                                                   : (struct symbol){0};
    const struct variable_info *info =
        symbol.kind == SYMBOL_VARIABLE ? &program->variables.items[symbol.index] : NULL;
    if (!info || !info->dimensions)
        return expression(compiler, node, scope);
    return csp_emit(compiler, node->at,
                    (struct instruction){.op = OP_ARRAY,
                                         .small = info->constant ? ARRAY_FIXED
                                                  : info->large  ? ARRAY_LARGE
                                                                 : 0,
                                         .operand = (int32_t)info->slot,
                                         .wide = info->length});
}

/* ---- entry points ---- */

static enum status finish(struct csp_compiler *compiler, enum status status, code_id *id)
{
    if (status == STATUS_OK) {
        struct code code = listing_code(&compiler->listing, 0, compiler->most_locals);
        *id = codes_intern(compiler->program->codes, &code);
        if (!*id)
            status = STATUS_LIMIT;
    }
    listing_release(&compiler->listing);
    return status;
}

static struct csp_compiler compiler_start(struct csp_program *program, struct error *error)
{
    struct csp_compiler compiler = {.program = program,
                                    .expression = expression,
                                    .statement = statement,
                                    .constant_integer = csp_constant_integer,
                                    .error = error};
    listing_init(&compiler.listing, program->budget);
    return compiler;
}

enum status csp_compile_expression(struct csp_program *program, const struct csp_expression *node,
                                   const struct scope *scope, code_id *code, struct error *error)
{
    struct csp_compiler compiler = compiler_start(program, error);
    return finish(&compiler, expression(&compiler, node, scope), code);
}

enum status csp_compile_value(struct csp_program *program, const struct csp_expression *node,
                              const struct scope *scope, code_id *code, struct error *error)
{
    struct csp_compiler compiler = compiler_start(program, error);
    return finish(&compiler, whole(&compiler, node, scope), code);
}

enum status csp_compile_block(struct csp_program *program, const struct csp_statement *node,
                              const struct scope *scope, code_id *code, struct error *error)
{
    struct csp_compiler compiler = compiler_start(program, error);
    return finish(&compiler, block(&compiler, node, 0, scope), code);
}
