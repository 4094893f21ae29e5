/* Macros are put in, their arguments by name. Methods of collections and functions are instructions
 * that the machine leaves to its host. */
#include "csp/compile_call.h"

#include <string.h>

#include "csp/functions.h"

#define MAX_FOLDING 200 /* macros within macros */

/* ---- macros ---- */

/* Puts a program in. Its last statement may leave its value; else that is 0. */
static enum status macro_program(struct csp_compiler *compiler, const struct csp_statement *block,
                                 const struct scope *scope)
{
    const struct csp_statement *last = block->count ? block->children[block->count - 1] : NULL;
    const struct csp_statement *outer = compiler->result;
    bool has_value = last && last->is_value;
    compiler->result = has_value ? last : NULL;
    enum status status = compiler->statement(compiler, block, scope);
    compiler->result = outer;
    if (status != STATUS_OK || has_value)
        return status;
    return csp_emit_constant(compiler, block->at, datum_integer(0));
}

enum status csp_compile_macro(struct csp_compiler *compiler, const struct csp_macro *macro,
                              const struct csp_expression *use, const struct scope *scope)
{
    if (macro->parameter_count != use->count)
        return csp_complain(compiler, use->at, "expected %u arguments for `%s`, found %u",
                            macro->parameter_count, macro->name, use->count);
    if (compiler->program->folding >= MAX_FOLDING)
        return csp_complain(compiler, macro->at,
                            "expected a definition that ends, found `%s` defined by "
                            "itself",
                            macro->name);
    struct scope *parameters =
        arena_allocate(&compiler->program->arena, (use->count + 1) * sizeof *parameters);
    TRY_MEMORY(parameters);
    const struct scope *inner = NULL;
    for (uint32_t i = 0; i < use->count; i++) {
        parameters[i] = (struct scope){.outer = inner,
                                       .name = macro->parameters[i],
                                       .kind = BOUND_ARGUMENT,
                                       .argument = use->operands[i],
                                       .argument_scope = scope};
        inner = &parameters[i];
    }
    compiler->program->folding++;
    enum status status = macro->expression
                             ? compiler->expression(compiler, macro->expression, inner)
                             : macro_program(compiler, macro->block, inner);
    compiler->program->folding--;
    return status;
}

/* ---- channels and functions ---- */

static const struct {
    const char *name;
    uint8_t query;
} queries[] = {
    {"cfull", CHANNEL_FULL}, {"cempty", CHANNEL_EMPTY}, {"ccount", CHANNEL_COUNT},
    {"csize", CHANNEL_SIZE}, {"cpeek", CHANNEL_PEEK},
};

static enum status channel_query(struct csp_compiler *compiler, const struct csp_expression *node,
                                 uint8_t query, const struct scope *scope)
{
    if (node->count != 1)
        return csp_complain(compiler, node->at, "expected one channel, found %u arguments",
                            node->count);
    const struct csp_expression *argument = node->operands[0];
    const struct csp_expression *base =
        argument->kind == EXPRESSION_INDEX ? argument->operands[0] : argument;
    struct symbol symbol = base->kind == EXPRESSION_NAME ? csp_symbol(compiler->program, base->name)
                                                         : (struct symbol){0};
    if (symbol.kind != SYMBOL_CHANNEL)
        return csp_complain(compiler, argument->at, "expected a channel");
    const struct channel_info *info = &compiler->program->channels.items[symbol.index];
    if (info->is_array != (argument->kind == EXPRESSION_INDEX))
        return csp_complain(compiler, argument->at, "expected %s",
                            info->is_array ? "an index after the array of channels"
                                           : "a channel without an index");
    if (info->is_array && argument->count != 2)
        return csp_complain(compiler, argument->at, "expected 1 indices, found %u",
                            argument->count - 1);
    if (info->is_array)
        TRY(compiler->expression(compiler, argument->operands[1], scope));
    return csp_emit(compiler, node->at,
                    (struct instruction){.op = OP_CHANNEL,
                                         .small = query,
                                         .wide = info->is_array ? info->length : 0,
                                         .operand = (int32_t)info->slot});
}

static enum status function(struct csp_compiler *compiler, const struct csp_expression *node,
                            const struct scope *scope)
{
    int found = csp_function_find(node->name, node->count);
    if (found < 0)
        return csp_complain(compiler, node->at, "expected %u arguments for `%s`, found %u",
                            csp_function_arguments(node->name), node->name, node->count);
    uint32_t start = listing_here(&compiler->listing);
    for (uint32_t i = 0; i < node->count; i++)
        TRY(compiler->expression(compiler, node->operands[i], scope));
    return csp_emit_folded(
        compiler, node->at,
        (struct instruction){.op = OP_FUNCTION, .small = (uint8_t)found, .wide = node->count},
        start, node->count);
}

enum status csp_compile_call(struct csp_compiler *compiler, const struct csp_expression *node,
                             const struct scope *scope)
{
    for (size_t i = 0; i < ARRAY_LENGTH(queries); i++)
        if (strcmp(queries[i].name, node->name) == 0)
            return channel_query(compiler, node, queries[i].query, scope);
    struct symbol symbol = csp_symbol(compiler->program, node->name); /* names are checked */
    if (symbol.kind == SYMBOL_MACRO)
        return csp_compile_macro(compiler, &compiler->program->module->macros.items[symbol.index],
                                 node, scope);
    return function(compiler, node, scope);
}

/* ---- collections ---- */

/* The collection that the expression names; null: it names none. */
static const struct variable_info *named_collection(const struct csp_compiler *compiler,
                                                    const struct csp_expression *node,
                                                    const struct scope *scope)
{
    if (node->kind != EXPRESSION_NAME || csp_scope_find(scope, node->name))
        return NULL;
    struct symbol symbol = csp_symbol(compiler->program, node->name);
    const struct variable_info *info =
        symbol.kind == SYMBOL_VARIABLE && symbol.index < compiler->program->variables.length
            ? &compiler->program->variables.items[symbol.index]
            : NULL;
    return info && info->collection ? info : NULL;
}

static enum status method_arguments(struct csp_compiler *compiler,
                                    const struct csp_expression *node,
                                    const struct variable_info *object, int method,
                                    const struct scope *scope)
{
    for (uint32_t i = 1; i < node->count; i++) {
        const struct csp_expression *argument = node->operands[i];
        const struct variable_info *given = named_collection(compiler, argument, scope);
        if (method_takes_collections(method) && (!given || given->collection != object->collection))
            return csp_complain(compiler, argument->at,
                                "expected a variable of the type of `%s` as argument of `%s`",
                                object->name, node->name);
        TRY(compiler->expression(compiler, argument, scope));
    }
    return STATUS_OK;
}

enum status csp_compile_method(struct csp_compiler *compiler, const struct csp_expression *node,
                               const struct scope *scope)
{
    const struct csp_expression *object = node->operands[0];
    if (object->kind != EXPRESSION_NAME || csp_scope_find(scope, object->name))
        return csp_complain(compiler, object->at, "expected a variable of a collection type");
    const struct variable_info *info = csp_variable(compiler, object->name, object->at);
    if (!info)
        return STATUS_INPUT;
    if (!info->collection)
        return csp_complain(compiler, object->at,
                            "expected a variable of a collection type, found `%s`, "
                            "which is none",
                            object->name);
    int found = method_find((enum collection)info->collection, node->name, node->count - 1);
    if (found < 0)
        return csp_complain(compiler, node->at,
                            "expected a method of `%s`, found `%s` with %u arguments", object->name,
                            node->name, node->count - 1);
    TRY(method_arguments(compiler, node, info, found, scope));
    return csp_emit(compiler, node->at,
                    (struct instruction){.op = OP_METHOD,
                                         .small = (uint8_t)found,
                                         .wide = node->count - 1,
                                         .operand = (int32_t)info->slot});
}

/* The type of collection that the expression makes, as far as its text says. */
static enum collection made_type(const struct csp_compiler *compiler,
                                 const struct csp_expression *node, const struct scope *scope)
{
    if (node->kind == EXPRESSION_NEW)
        return collection_find(node->name);
    const struct csp_expression *object =
        node->kind == EXPRESSION_METHOD ? node->operands[0] : node;
    const struct variable_info *info = named_collection(compiler, object, scope);
    return info ? (enum collection)info->collection : COLLECTION_NONE;
}

enum status csp_compile_set(struct csp_compiler *compiler, const struct variable_info *variable,
                            const struct csp_expression *target,
                            const struct csp_expression *source, const struct scope *scope)
{
    const struct csp_program *program = compiler->program;
    enum collection made = made_type(compiler, source, scope);
    if (made != COLLECTION_NONE && made != variable->collection)
        return csp_complain(compiler, source->at,
                            "expected a collection of the type of `%s`, found one of another type",
                            variable->name);
    TRY(compiler->expression(compiler, source, scope));
    TRY(csp_emit(compiler, target->at,
                 (struct instruction){
                     .op = OP_STORE_OBJECT, .small = 1, .operand = (int32_t)variable->slot}));
    for (size_t i = 0; i < program->variables.length; i++) {
        const struct variable_info *field = &program->variables.items[i];
        if (field->owner != variable->name || field->constant)
            continue;
        TRY(csp_emit_constant(compiler, target->at, datum_integer(0)));
        TRY(csp_emit(compiler, target->at,
                     (struct instruction){.op = OP_STORE_SLOT, .operand = (int32_t)field->slot}));
    }
    return STATUS_OK;
}

enum status csp_compile_new(struct csp_compiler *compiler, const struct csp_expression *node)
{
    if (collection_find(node->name) == COLLECTION_NONE)
        return csp_complain(compiler, node->at,
                            "expected a type of PAT's library (" COLLECTION_NAMES "), found `%s`",
                            node->name);
    if (node->count)
        return csp_complain(compiler, node->at, "expected `new %s()`, found arguments", node->name);
    return csp_emit_constant(compiler, node->at, datum_object(0));
}
