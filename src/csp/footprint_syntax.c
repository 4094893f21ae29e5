#include "csp/footprint_syntax.h"

#include <assert.h>
#include <string.h>

#define MAX_DEPTH 200 /* of names behind names; then everything counts as mentioned */

struct mention {
    struct csp_mentioned *mentioned;
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
    uint8_t *mark = &mention->mentioned->marks.items[at];
    bool before = *mark;
    *mark = true;
    return before;
}

static void name(struct mention *mention, const char *word, bool write)
{
    const struct csp_program *program = mention->mentioned->program;
    const uint32_t words = csp_footprint_words(program);
    if (mention->depth == MAX_DEPTH) {
        memset(mention->set, 0xff, 2 * (size_t)words * sizeof *mention->set);
        return;
    }
    mention->depth++;
    const struct csp_module *module = program->module;
    struct symbol symbol = word ? csp_symbol(program, word) : (struct symbol){0};
    switch ((enum symbol_kind)symbol.kind) {
    case SYMBOL_VARIABLE: {
        const struct variable_info *info = &program->variables.items[symbol.index];
        if (!info->constant)
            csp_footprint_add(mention->set, words, info->slot, info->slots, write);
        for (size_t i = 0; info->collection && i < program->variables.length; i++)
            if (program->variables.items[i].owner == info->name &&
                !program->variables.items[i].constant) /* set anew with the collection */
                csp_footprint_add(mention->set, words, program->variables.items[i].slot, 1, write);
        break;
    }
    case SYMBOL_CHANNEL: {
        const struct channel_info *info = &program->channels.items[symbol.index];
        csp_footprint_add(mention->set, words, info->slot, info->length, write);
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
    const struct csp_program *program = mention->mentioned->program;
    name(mention, expression->name, false);
    for (size_t i = 0; expression->kind == EXPRESSION_AT_WORK && i < program->counts.length; i++)
        if (program->counts.items[i].node == expression)
            csp_footprint_add(mention->set, csp_footprint_words(program),
                              program->counts.items[i].slot, 1, false);
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

/* ---- for others ---- */

enum status csp_mentioned_create(const struct csp_program *program, struct csp_mentioned *mentioned)
{
    const size_t size = program->module->macros.length + program->module->definitions.length;
    mentioned->program = program;
    vector_init(&mentioned->marks, program->budget);
    TRY_MEMORY(vector_reserve(&mentioned->marks, size + 1));
    mentioned->marks.length = size;
    return STATUS_OK;
}

void csp_mentioned_release(struct csp_mentioned *mentioned)
{
    vector_release(&mentioned->marks);
}

void csp_mentioned_in(struct csp_mentioned *mentioned, const struct csp_process *process,
                      bool only_head, uint32_t *set)
{
    memset(mentioned->marks.items, 0, mentioned->marks.length);
    set[0] |= FOOTPRINT_FAULTS;
    in_process(&(struct mention){mentioned, set, 0}, process, only_head);
}

void csp_footprint_add(uint32_t *set, uint32_t words, uint32_t first, uint32_t count, bool write)
{
    uint32_t *bits = write ? set + words : set;
    assert(first + count < words * 32);
    for (uint32_t slot = first + 1; slot <= first + count; slot++) /* slot 0 is the term */
        bits[slot / 32] |= UINT32_C(1) << slot % 32;
}

struct access {
    uint32_t *set;
    uint32_t words;
};

static void visit_access(void *context, uint32_t first, uint32_t count, bool write)
{
    const struct access *access = context;
    csp_footprint_add(access->set, access->words, first, count, write);
}

void csp_footprint_add_code(const struct csp_program *program, code_id code, uint32_t *set)
{
    struct access access = {set, csp_footprint_words(program)};
    if (!code)
        return;
    code_accesses(program->codes, code, visit_access, &access);
    if (code_may_fault(program->codes, code))
        set[0] |= FOOTPRINT_FAULTS;
}
