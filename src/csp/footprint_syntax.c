/* What the syntax of a process mentions, definitions and macros followed: the footprint of terms
 * that cannot be told in advance. Names are taken for the globals they name even where they are
 * bound anew: an upper bound is all that is asked for. */
#include <string.h>

#include "csp/footprints.h"

#define MAX_DEPTH 200 /* of names behind names; then everything counts as mentioned */

struct mention {
    struct csp_footprints *footprints;
    uint32_t *set;
    unsigned depth;
};

static void in_process(struct mention *mention, const struct csp_process *process, bool only_head);
static void in_expression(struct mention *mention, const struct csp_expression *expression,
                          bool write);

static void in_statement(struct mention *mention, const struct csp_statement *statement)
{
    if (!statement)
        return;
    in_expression(mention, statement->condition, false);
    for (uint32_t i = 0; i < statement->size_count; i++)
        in_expression(mention, statement->sizes[i], false);
    for (uint32_t i = 0; i < statement->count; i++)
        in_statement(mention, statement->children[i]);
}

/* Whether the macro or definition was met before; marks it. */
static bool met(struct mention *mention, size_t at)
{
    uint8_t *mark = &mention->footprints->marks.items[at];
    bool before = *mark;
    *mark = true;
    return before;
}

static void name(struct mention *mention, const char *word, bool write)
{
    struct csp_footprints *footprints = mention->footprints;
    if (mention->depth == MAX_DEPTH) {
        memset(mention->set, 0xff, 2 * (size_t)footprints->words * sizeof *mention->set);
        return;
    }
    mention->depth++;
    const struct csp_program *program = footprints->terms->program;
    const struct csp_module *module = program->module;
    struct symbol symbol = word ? csp_symbol(program, word) : (struct symbol){0};
    switch ((enum symbol_kind)symbol.kind) {
    case SYMBOL_VARIABLE: {
        const struct variable_info *info = &program->variables.items[symbol.index];
        if (!info->constant)
            csp_footprint_add(footprints, mention->set, info->slot, info->length, write);
        break;
    }
    case SYMBOL_CHANNEL: {
        const struct channel_info *info = &program->channels.items[symbol.index];
        csp_footprint_add(footprints, mention->set, info->slot, info->length, write);
        break;
    }
    case SYMBOL_MACRO:
        if (!met(mention, symbol.index)) {
            in_expression(mention, module->macros.items[symbol.index].expression, false);
            in_statement(mention, module->macros.items[symbol.index].block);
        }
        break;
    case SYMBOL_DEFINITION:
        if (!met(mention, module->macros.length + symbol.index))
            in_process(mention, module->definitions.items[symbol.index].body, false);
        break;
    case SYMBOL_NONE:
        break;
    }
    mention->depth--;
}

static void in_expressions(struct mention *mention, struct csp_expression *const *expressions,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        in_expression(mention, expressions[i], false);
}

static void in_ranges(struct mention *mention, const struct csp_range *ranges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        in_expressions(mention, ranges[i].values, ranges[i].value_count);
}

static void in_expression(struct mention *mention, const struct csp_expression *expression,
                          bool write)
{
    if (!expression)
        return;
    name(mention, expression->name, false);
    if (write)
        name(mention, expression->name, true);
    in_ranges(mention, expression->ranges, expression->range_count);
    bool changes = expression->kind == EXPRESSION_ASSIGN || expression->kind == EXPRESSION_STEP ||
                   expression->kind == EXPRESSION_METHOD ||
                   (write && expression->kind == EXPRESSION_INDEX);
    for (uint32_t i = 0; i < expression->count; i++)
        in_expression(mention, expression->operands[i], changes && i == 0);
}

/* `only_head`: what its first steps mention, for a prefix. */
static void in_process(struct mention *mention, const struct csp_process *process, bool only_head)
{
    if (!process)
        return;
    name(mention, process->name, false);
    if (process->kind == PROCESS_OUTPUT || process->kind == PROCESS_INPUT)
        name(mention, process->name, true);
    in_expression(mention, process->index, false);
    in_expression(mention, process->condition, false);
    in_statement(mention, process->program);
    in_expressions(mention, process->arguments, process->argument_count);
    in_expressions(mention, process->event.components, process->event.component_count);
    in_ranges(mention, process->ranges, process->range_count);
    if (process->conditions)
        in_expressions(mention, process->conditions, process->count);
    for (uint32_t i = 0; i < process->count && !only_head; i++)
        in_process(mention, process->children[i], false);
}

enum status csp_syntax_footprint(struct csp_footprints *footprints,
                                 const struct csp_process *process, bool only_head, uint32_t *set)
{
    const struct csp_module *module = footprints->terms->program->module;
    size_t size = module->macros.length + module->definitions.length;
    if (!vector_reserve(&footprints->marks, size + 1))
        return STATUS_LIMIT;
    memset(footprints->marks.items, 0, size);
    in_process(&(struct mention){footprints, set, 0}, process, only_head);
    return STATUS_OK;
}
