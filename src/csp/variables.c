/* An assignment to a name counts for the global of that name even where a local has it: the answer
 * errs towards variables that change.
 *
 * Reads: an expression at a time, how a variable changes (only by `x = x + n`, or otherwise), and
 * which variable plus what constant each dimension of an array is read by. What fits is taken at
 * the end.
 */
#include "csp/variables.h"

#include <string.h>

#include "csp/walk.h"

/* ---- what never changes ---- */

/* Whatever is assigned is no constant. */
static bool visit_assignment(void *context, const struct csp_expression *node)
{
    struct csp_program *program = context;
    if (node->kind != EXPRESSION_ASSIGN && node->kind != EXPRESSION_STEP)
        return true;
    const struct csp_expression *target = node->operands[0];
    const struct csp_expression *base =
        target->kind == EXPRESSION_INDEX ? target->operands[0] : target;
    struct symbol symbol = base->name ? csp_symbol(program, base->name) : (struct symbol){0};
    if (symbol.kind == SYMBOL_VARIABLE)
        program->variables.items[symbol.index].constant = false;
    return true;
}

void csp_find_constants(struct csp_program *program)
{
    for (size_t i = 0; i < program->variables.length; i++) {
        struct variable_info *info = &program->variables.items[i];
        info->constant = !info->collection && !info->hidden && !info->wild;
    }
    const struct csp_visitor visitor = {.expression = visit_assignment, .context = program};
    csp_walk_module(&visitor, program->module);
}

/* ---- what is read further and further on ---- */

#define MOST_DIMENSIONS 4 /* of an array that is looked at */
#define NO_VARIABLE     UINT32_MAX

/* What is known of the subscripts in one dimension. */
struct subscripts {
    uint32_t by; /* variable; NO_VARIABLE: none was met */
    int32_t offset;
    bool others; /* some are of another form */
};

struct known {
    bool shrinks; /* or changes in some other way than by growing */
    struct subscripts dimensions[MOST_DIMENSIONS];
};

struct search {
    struct csp_program *program;
    struct known *known; /* by variable */
    struct csp_visitor visitor;
};

/* The number of the variable that the expression names or is an element of. */
static uint32_t variable_of(const struct search *search, const struct csp_expression *node)
{
    const struct csp_expression *base = node->kind == EXPRESSION_INDEX ? node->operands[0] : node;
    struct symbol symbol = base->kind == EXPRESSION_NAME ? csp_symbol(search->program, base->name)
                                                         : (struct symbol){0};
    return symbol.kind == SYMBOL_VARIABLE ? symbol.index : NO_VARIABLE;
}

static void forget(struct search *search, uint32_t variable)
{
    if (variable == NO_VARIABLE)
        return;
    search->known[variable].shrinks = true;
    for (uint32_t d = 0; d < MOST_DIMENSIONS; d++)
        search->known[variable].dimensions[d].others = true;
}

/* A name that is bound anew somewhere. */
static void bound(void *context, const char *name)
{
    struct search *search = context;
    struct symbol symbol = csp_symbol(search->program, name);
    forget(search, symbol.kind == SYMBOL_VARIABLE ? symbol.index : NO_VARIABLE);
}

static bool same(const struct csp_expression *a, const struct csp_expression *b)
{
    if (a->kind != b->kind || a->operator!= b->operator|| a->integer != b->integer || a->name !=
                              b->name || a->count != b->count || a->range_count || b->range_count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!same(a->operands[i], b->operands[i]))
            return false;
    return true;
}

static bool is_literal(const struct csp_expression *node)
{
    return node->kind == EXPRESSION_INTEGER && node->integer >= 0 && node->integer <= INT16_MAX;
}

/* `g`, `g + 1` or `g - 1`, where g is a variable or an element of one. */
static bool takes_place(const struct search *search, const struct csp_expression *node,
                        uint32_t *by, int32_t *offset)
{
    *offset = 0;
    if (node->kind == EXPRESSION_BINARY &&
        (node->operator== CSP_PLUS || node->operator== CSP_MINUS) &&
        is_literal(node->operands[1])) {
        *offset =
            node->operator== CSP_PLUS ? node->operands[1]->integer : - node->operands[1]->integer;
        node = node->operands[0];
    }
    *by = variable_of(search, node);
    return *by != NO_VARIABLE;
}

static void read_element(struct search *search, const struct csp_expression *node)
{
    uint32_t variable = variable_of(search, node);
    for (uint32_t d = 0; variable != NO_VARIABLE && d + 1 < node->count && d < MOST_DIMENSIONS;
         d++) {
        struct subscripts *known = &search->known[variable].dimensions[d];
        uint32_t by = NO_VARIABLE;
        int32_t offset = 0;
        if (!takes_place(search, node->operands[d + 1], &by, &offset) ||
            (known->by != NO_VARIABLE && known->by != by)) {
            known->others = true;
            continue;
        }
        known->offset = known->by == NO_VARIABLE || offset < known->offset ? offset : known->offset;
        known->by = by;
    }
    csp_walk_expressions(&search->visitor, node->operands + 1, node->count - 1);
}

/* `g = g + 1` */
static bool grows(const struct csp_expression *target, const struct csp_expression *source)
{
    return source->kind == EXPRESSION_BINARY &&
           source->operator== CSP_PLUS && same(source->operands[0], target) &&
           is_literal(source->operands[1]);
}

static void assignment(struct search *search, const struct csp_expression *node)
{
    const struct csp_expression *target = node->operands[0];
    uint32_t variable = variable_of(search, target);
    if (target->kind == EXPRESSION_INDEX)
        csp_walk_expressions(&search->visitor, target->operands + 1, target->count - 1);
    if (variable != NO_VARIABLE && !grows(target, node->operands[1]))
        search->known[variable].shrinks = true;
    csp_walk_expression(&search->visitor, node->operands[1]);
}

static bool visit(void *context, const struct csp_expression *node)
{
    struct search *search = context;
    uint32_t variable = variable_of(search, node);
    switch (node->kind) {
    case EXPRESSION_ASSIGN:
        assignment(search, node);
        return false;
    case EXPRESSION_INDEX:
        read_element(search, node);
        return false;
    case EXPRESSION_STEP:
        if (node->operator!= CSP_INCREMENT && variable_of(search, node->operands[0]) != NO_VARIABLE)
            search->known[variable_of(search, node->operands[0])].shrinks = true;
        break;
    default:
        break;
    }
    if (variable != NO_VARIABLE && search->program->variables.items[variable].dimensions)
        for (uint32_t d = 0; d < MOST_DIMENSIONS; d++) /* all of it is read */
            search->known[variable].dimensions[d].others = true;
    return true;
}

/* Whether elements of the variable may be forgotten themselves. */
static bool is_forgotten(const struct search *search, uint32_t variable)
{
    for (uint32_t d = 0; d < MOST_DIMENSIONS; d++)
        if (!search->known[variable].dimensions[d].others &&
            search->known[variable].dimensions[d].by != NO_VARIABLE)
            return true;
    return false;
}

/* Whether an array is read by a variable that only grows, in some dimension. */
static bool add(const struct search *search, uint32_t variable)
{
    struct csp_program *program = search->program;
    const struct variable_info *info = &program->variables.items[variable];
    uint32_t stride = info->length;
    for (uint32_t d = 0; d < info->dimensions && d < MOST_DIMENSIONS; d++) {
        const struct subscripts *known = &search->known[variable].dimensions[d];
        stride /= info->sizes[d];
        if (known->others || known->by == NO_VARIABLE)
            continue;
        const struct variable_info *by = &program->variables.items[known->by];
        if (known->by == variable || search->known[known->by].shrinks || by->constant ||
            by->hidden || by->collection || by->owner || by->large ||
            is_forgotten(search, known->by))
            continue;
        return vector_push(&program->growing, ((struct growing_read){.slot = info->slot,
                                                                     .length = info->length,
                                                                     .stride = stride,
                                                                     .size = info->sizes[d],
                                                                     .by = by->slot,
                                                                     .by_length = by->length,
                                                                     .offset = known->offset}));
    }
    return true;
}

enum status csp_find_growing(struct csp_program *program)
{
    size_t count = program->variables.length, size = (count + 1) * sizeof(struct known);
    struct search search = {program, memory_zeroed(program->budget, size), {visit, bound, &search}};
    TRY_MEMORY(search.known);
    for (size_t i = 0; i < count; i++)
        for (uint32_t d = 0; d < MOST_DIMENSIONS; d++)
            search.known[i].dimensions[d].by = NO_VARIABLE;
    csp_walk_module(&search.visitor, program->module);
    bool added = true;
    for (uint32_t i = 0; i < count && added; i++) {
        const struct variable_info *info = &program->variables.items[i];
        if (!info->constant && !info->hidden && !info->collection && !info->large)
            added = add(&search, i);
    }
    memory_release(program->budget, search.known, size);
    return granted(added);
}
