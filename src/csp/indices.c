#include "csp/indices.h"

#include <assert.h>
#include <string.h>

#define MOST_MACROS      100    /* within one another */
#define MOST_USES        100000 /* of macros, each looked at anew */
#define MOST_DEFINITIONS 1000   /* that refer to one another in a row */

/* ---- types ----
 *
 * A node stands for the type of something: of numbers, of indices, or not known yet. Nodes that
 * must agree are made one. */

#define NUMBER ((uint32_t)0)

enum what {
    OF_NUMBERS,
    OF_BINDER,    /* a parameter, a range, a local variable */
    OF_CONTENT,   /* of a variable */
    OF_DIMENSION, /* of an array */
    OF_COMPONENT, /* of an event */
    OF_NOTHING,   /* a value that goes with numbers and with indices */
};

struct bound {
    const struct bound *outer;
    const char *name;
    uint32_t node;
};

static uint32_t find(struct csp_indices *indices, uint32_t node)
{
    uint32_t *nodes = indices->nodes.items;
    if (node >= indices->nodes.length) { /* memory was refused, perhaps for that of numbers */
        indices->unfit = true;
        return NUMBER;
    }
    while (nodes[node] != node)
        node = nodes[node] = nodes[nodes[node]];
    return node;
}

static void unify(struct csp_indices *indices, uint32_t a, uint32_t b)
{
    a = find(indices, a);
    b = find(indices, b);
    if (indices->unfit)
        return;
    indices->nodes.items[a < b ? b : a] = a < b ? a : b; /* that of numbers stays a root */
}

static void must_be_number(struct csp_indices *indices, uint32_t node)
{
    unify(indices, node, NUMBER);
}

/* The node of something, made when it is met first. */
static uint32_t node_of(struct csp_indices *indices, enum what what, uint64_t number,
                        uint32_t position)
{
    const uint32_t key[] = {what, (uint32_t)number, (uint32_t)(number >> 32), position};
    bool fresh = false;
    uint32_t node = word_arrays_intern(&indices->keys, key, ARRAY_LENGTH(key), &fresh);
    if (node == UINT32_MAX || (fresh && !vector_push(&indices->nodes, node))) {
        indices->unfit = true;
        return NUMBER;
    }
    return node;
}

static uint32_t binder_node(struct csp_indices *indices, const void *binder)
{
    return node_of(indices, OF_BINDER, (uintptr_t)binder, 0);
}

static uint32_t any_node(struct csp_indices *indices)
{
    return node_of(indices, OF_NOTHING, indices->nodes.length, 0);
}

/* Renumbering leaves every number alone that is no index. */
static uint32_t literal_node(struct csp_indices *indices, int64_t number)
{
    return number >= 0 && number < indices->count ? NUMBER : any_node(indices);
}

static uint32_t content_node(struct csp_indices *indices, uint32_t variable)
{
    const struct variable_info *info = &indices->program->variables.items[variable];
    const struct range_limit *range = &indices->program->ranges.items[info->range];
    uint32_t node = node_of(indices, OF_CONTENT, variable, 0);
    bool narrow = info->range && (range->low > 0 || range->high < (int32_t)indices->count - 1);
    if (info->collection || info->owner || info->constant || info->large || narrow)
        must_be_number(indices, node);
    indices->unfit |= info->hidden;
    return node;
}

/* A table that is the same for every index has no need to be renumbered. */
static bool is_uneven(const struct csp_indices *indices, const struct variable_info *info)
{
    const uint32_t *values = indices->program->initial + info->slot;
    for (uint32_t i = 1; info->constant && i < info->length; i++)
        if (values[i] != values[0])
            return true;
    return false;
}

static uint32_t dimension_node(struct csp_indices *indices, uint32_t variable, uint32_t dimension)
{
    const struct variable_info *info = &indices->program->variables.items[variable];
    uint32_t node = node_of(indices, OF_DIMENSION, variable, dimension);
    if (is_uneven(indices, info) || info->large || info->sizes[dimension] != indices->count)
        must_be_number(indices, node);
    return node;
}

static uint32_t component_node(struct csp_indices *indices, enum label_kind kind, const char *name,
                               uint32_t position)
{
    const uint32_t component = kind;
    label l = labels_intern_named(indices->labels, LABEL_NAME, name, &component, 1);
    uint32_t node = node_of(indices, OF_COMPONENT, l, position);
    indices->unfit |= l == LABEL_REFUSED;
    if (indices->linear && kind != LABEL_EVENT && position > 0)
        must_be_number(indices, node);
    return node;
}

/* ---- expressions ---- */

static uint32_t expression(struct csp_indices *indices, const struct csp_expression *node,
                           const struct bound *bound);
static void statement(struct csp_indices *indices, const struct csp_statement *node,
                      const struct bound *bound);

static const struct bound *bound_find(const struct bound *bound, const char *name)
{
    while (bound && bound->name != name)
        bound = bound->outer;
    return bound;
}

static void number(struct csp_indices *indices, const struct csp_expression *node,
                   const struct bound *bound)
{
    if (node)
        must_be_number(indices, expression(indices, node, bound));
}

static void numbers(struct csp_indices *indices, struct csp_expression *const *nodes,
                    uint32_t count, const struct bound *bound)
{
    for (uint32_t i = 0; i < count; i++)
        number(indices, nodes[i], bound);
}

static struct symbol symbol_of(const struct csp_indices *indices, const char *name)
{
    return name ? csp_symbol(indices->program, name) : (struct symbol){0};
}

/* An array that is passed on as a whole: what it is read by there is not followed. */
static void whole_array(struct csp_indices *indices, const struct csp_expression *argument,
                        const struct bound *bound)
{
    if (argument->kind != EXPRESSION_NAME || bound_find(bound, argument->name))
        return;
    struct symbol symbol = symbol_of(indices, argument->name);
    if (symbol.kind != SYMBOL_VARIABLE)
        return;
    const struct variable_info *info = &indices->program->variables.items[symbol.index];
    for (uint32_t i = 0; i < info->dimensions; i++)
        must_be_number(indices, dimension_node(indices, symbol.index, i));
}

/* Macros are looked at anew wherever they are used; their arguments have been by then. */
static uint32_t macro(struct csp_indices *indices, const struct csp_macro *macro,
                      const struct csp_expression *use, const struct bound *bound)
{
    struct bound parameters[16];
    if (use->count > ARRAY_LENGTH(parameters) || use->count != macro->parameter_count ||
        indices->depth == MOST_MACROS || indices->uses++ == MOST_USES)
        indices->unfit = true;
    if (indices->unfit)
        return NUMBER;
    for (uint32_t i = 0; i < use->count; i++) {
        whole_array(indices, use->operands[i], bound);
        parameters[i] = (struct bound){i ? &parameters[i - 1] : NULL, macro->parameters[i],
                                       expression(indices, use->operands[i], bound)};
    }
    const struct bound *inner = use->count ? &parameters[use->count - 1] : NULL;
    uint32_t result = NUMBER;
    indices->depth++;
    if (macro->expression)
        result = expression(indices, macro->expression, inner);
    else
        statement(indices, macro->block, inner);
    indices->depth--;
    return result;
}

static uint32_t name(struct csp_indices *indices, const struct csp_expression *node,
                     const struct bound *bound)
{
    const struct bound *found = bound_find(bound, node->name);
    if (found)
        return found->node;
    struct symbol symbol = symbol_of(indices, node->name);
    if (symbol.kind == SYMBOL_MACRO)
        return macro(indices, &indices->program->module->macros.items[symbol.index], node, bound);
    if (symbol.kind == SYMBOL_VARIABLE)
        return content_node(indices, symbol.index);
    return NUMBER;
}

static uint32_t element(struct csp_indices *indices, const struct csp_expression *node,
                        const struct bound *bound)
{
    const struct csp_expression *base = node->operands[0];
    const struct bound *found = bound_find(bound, base->name);
    struct symbol symbol = symbol_of(indices, base->name);
    if (found || symbol.kind != SYMBOL_VARIABLE) { /* a local array, or channels */
        numbers(indices, node->operands + 1, node->count - 1, bound);
        return found ? found->node : NUMBER;
    }
    const struct variable_info *info = &indices->program->variables.items[symbol.index];
    for (uint32_t i = 1; i < node->count; i++) {
        uint32_t subscript = expression(indices, node->operands[i], bound);
        if (i - 1 < info->dimensions)
            unify(indices, subscript, dimension_node(indices, symbol.index, i - 1));
    }
    return content_node(indices, symbol.index);
}

/* `a = b` for whole arrays: each element by its number, or dimension by dimension. */
static void copy(struct csp_indices *indices, uint32_t to, const struct csp_expression *source,
                 uint32_t content, const struct bound *bound)
{
    const struct variable_info *info = &indices->program->variables.items[to];
    struct symbol symbol =
        source->kind == EXPRESSION_NAME ? symbol_of(indices, source->name) : (struct symbol){0};
    const struct variable_info *from =
        symbol.kind == SYMBOL_VARIABLE ? &indices->program->variables.items[symbol.index] : NULL;
    for (uint32_t i = 0; i < info->dimensions; i++) {
        uint32_t node = dimension_node(indices, to, i);
        if (from && from->dimensions == info->dimensions)
            unify(indices, node, dimension_node(indices, symbol.index, i));
        else
            must_be_number(indices, node);
    }
    if (from && from->dimensions != info->dimensions)
        for (uint32_t i = 0; i < from->dimensions; i++)
            must_be_number(indices, dimension_node(indices, symbol.index, i));
    unify(indices, content, expression(indices, source, bound));
}

static uint32_t assign(struct csp_indices *indices, const struct csp_expression *node,
                       const struct bound *bound)
{
    const struct csp_expression *target = node->operands[0];
    uint32_t content = expression(indices, target, bound);
    struct symbol symbol = target->kind == EXPRESSION_NAME && !bound_find(bound, target->name)
                               ? symbol_of(indices, target->name)
                               : (struct symbol){0};
    if (symbol.kind == SYMBOL_VARIABLE)
        copy(indices, symbol.index, node->operands[1], content, bound);
    else
        unify(indices, content, expression(indices, node->operands[1], bound));
    return content;
}

/* The elements of a list are all of one type. */
static uint32_t record(struct csp_indices *indices, const struct csp_expression *node,
                       const struct bound *bound)
{
    uint32_t all = any_node(indices);
    for (uint32_t i = 0; i < node->count; i++) {
        const struct csp_expression *item = node->operands[i];
        if (item->kind == EXPRESSION_REPEAT) {
            number(indices, item->operands[1], bound);
            item = item->operands[0];
        } else if (item->kind == EXPRESSION_RANGE) {
            must_be_number(indices, all);
        }
        unify(indices, all, expression(indices, item, bound));
    }
    return all;
}

/* The forms over a range stop at the first that decides, in the order of the range. */
static void indexed(struct csp_indices *indices, const struct csp_expression *node, uint32_t range,
                    const struct bound *bound)
{
    if (range == node->range_count) {
        number(indices, node->operands[0], bound);
        return;
    }
    const struct bound inner = {bound, node->ranges[range].name, NUMBER};
    numbers(indices, node->ranges[range].values, node->ranges[range].value_count, bound);
    indexed(indices, node, range + 1, &inner);
}

static uint32_t call(struct csp_indices *indices, const struct csp_expression *node,
                     const struct bound *bound)
{
    struct symbol symbol = symbol_of(indices, node->name);
    if (symbol.kind == SYMBOL_MACRO)
        return macro(indices, &indices->program->module->macros.items[symbol.index], node, bound);
    numbers(indices, node->operands, node->count, bound);
    return NUMBER;
}

static uint32_t expression(struct csp_indices *indices, const struct csp_expression *node,
                           const struct bound *bound)
{
    switch ((enum csp_expression_kind)node->kind) {
    case EXPRESSION_INTEGER:
        return literal_node(indices, node->integer);
    case EXPRESSION_BOOLEAN:
        return any_node(indices);
    case EXPRESSION_NAME:
        return name(indices, node, bound);
    case EXPRESSION_INDEX:
        return element(indices, node, bound);
    case EXPRESSION_UNARY:
        if (node->operator== CSP_MINUS && node->operands[0]->kind == EXPRESSION_INTEGER)
            return literal_node(indices, -(int64_t)node->operands[0]->integer);
        break;
    case EXPRESSION_BINARY:
        if (node->operator!= CSP_EQUAL && node->operator!= CSP_NOT_EQUAL)
            break;
        unify(indices, expression(indices, node->operands[0], bound),
              expression(indices, node->operands[1], bound));
        return NUMBER;
    case EXPRESSION_ASSIGN:
        return assign(indices, node, bound);
    case EXPRESSION_RECORD:
        return record(indices, node, bound);
    case EXPRESSION_INDEXED:
        indexed(indices, node, 0, bound);
        return NUMBER;
    case EXPRESSION_CALL:
        return call(indices, node, bound);
    default:
        break;
    }
    numbers(indices, node->operands, node->count, bound);
    return NUMBER;
}

/* ---- programs ---- */

static uint32_t local_node(struct csp_indices *indices, const struct csp_statement *node,
                           const struct bound *bound)
{
    uint32_t made = binder_node(indices, node);
    unify(indices, made, node->condition ? expression(indices, node->condition, bound) : NUMBER);
    return made;
}

static void block(struct csp_indices *indices, const struct csp_statement *node, uint32_t from,
                  const struct bound *bound)
{
    for (uint32_t i = from; i < node->count; i++) {
        const struct csp_statement *child = node->children[i];
        statement(indices, child, bound);
        if (child && child->kind == STATEMENT_LOCAL) {
            const struct bound inner = {bound, child->name, local_node(indices, child, bound)};
            block(indices, node, i + 1, &inner);
            return;
        }
    }
}

static void statement(struct csp_indices *indices, const struct csp_statement *node,
                      const struct bound *bound)
{
    if (!node)
        return;
    numbers(indices, node->sizes, node->size_count, bound);
    if (node->kind == STATEMENT_EXPRESSION && node->is_value && indices->depth > 0)
        number(indices, node->condition, bound); /* the macro's value */
    else if (node->kind == STATEMENT_EXPRESSION)
        (void)expression(indices, node->condition, bound);
    else if (node->kind != STATEMENT_LOCAL)
        number(indices, node->condition, bound);
    block(indices, node, 0, bound);
}

/* ---- processes ---- */

/* Which states of a process are met: only while it has taken no step is a composition the
 * outermost one. */
enum met {
    MET_OUTERMOST = 1 << 0,
    MET_WITHIN = 1 << 1,
    MET_SEED = 1 << 2, /* looked at for the outermost `||| i` */
};

static void process(struct csp_indices *indices, const struct csp_process *node, bool outermost,
                    const struct bound *bound);

static void children(struct csp_indices *indices, const struct csp_process *node, bool outermost,
                     const struct bound *bound)
{
    for (uint32_t i = 0; i < node->count; i++)
        process(indices, node->children[i], outermost, bound);
}

static void event(struct csp_indices *indices, const struct csp_event *node,
                  const struct bound *bound)
{
    const struct csp_expression *first = node->component_count ? node->components[0] : NULL;
    if (!node->name)
        return;
    enum label_kind kind = label_kind_of_word(node->name);
    bool taken = kind != LABEL_EVENT && first && first->kind == EXPRESSION_NAME &&
                 !bound_find(bound, first->name) &&
                 symbol_of(indices, first->name).kind == SYMBOL_NONE;
    for (uint32_t i = taken; i < node->component_count; i++)
        unify(indices, expression(indices, node->components[i], bound),
              taken ? component_node(indices, kind, first->name, i - taken)
                    : component_node(indices, LABEL_EVENT, node->name, i));
}

static bool is_whole(struct csp_indices *indices, const struct csp_range *range, uint32_t count)
{
    int32_t first = 1, last = 0;
    struct error ignored;
    return range->interval &&
           csp_constant_integer(indices->program, range->values[0], NULL, "", INTEGER_SMALLEST,
                                INT32_MAX, &first, &ignored) == STATUS_OK &&
           csp_constant_integer(indices->program, range->values[1], NULL, "", INTEGER_SMALLEST,
                                INT32_MAX, &last, &ignored) == STATUS_OK &&
           first == 0 && last == (int32_t)count - 1;
}

/* Hiding an event for all indices says the same of each. */
static void hidden(struct csp_indices *indices, const struct csp_event_set *set, uint32_t range,
                   const struct bound *bound)
{
    if (range == set->range_count) {
        number(indices, set->event.index, bound);
        if (set->event.direction || symbol_of(indices, set->event.name).kind != SYMBOL_NONE)
            numbers(indices, set->event.components, set->event.component_count, bound);
        else
            event(indices, &set->event, bound);
        return;
    }
    const struct csp_range *at = &set->ranges[range];
    const struct bound inner = {bound, at->name, binder_node(indices, at)};
    numbers(indices, at->values, at->value_count, bound);
    if (!is_whole(indices, at, indices->count))
        must_be_number(indices, inner.node);
    hidden(indices, set, range + 1, &inner);
}

static void indexed_process(struct csp_indices *indices, const struct csp_process *node,
                            uint32_t range, bool outermost, const struct bound *bound)
{
    if (range == node->range_count) {
        process(indices, node->children[0], false, bound);
        return;
    }
    const struct csp_range *at = &node->ranges[range];
    const struct bound inner = {bound, at->name, binder_node(indices, at)};
    numbers(indices, at->values, at->value_count, bound);
    if (!outermost || node->operator!= PROCESS_INTERLEAVE ||
                      node->range_count> 1 || !is_whole(indices, at, indices->count))
        must_be_number(indices, inner.node);
    indexed_process(indices, node, range + 1, outermost, &inner);
}

static void definition(struct csp_indices *indices, uint32_t index, bool outermost)
{
    const struct csp_definition *found = &indices->program->module->definitions.items[index];
    uint8_t how = outermost ? MET_OUTERMOST : MET_WITHIN;
    if (indices->met.items[index] & how)
        return;
    indices->met.items[index] |= how;
    struct bound parameters[32];
    if (found->parameter_count > ARRAY_LENGTH(parameters) || indices->row == MOST_DEFINITIONS) {
        indices->unfit = true;
        return;
    }
    for (uint32_t i = 0; i < found->parameter_count; i++) {
        const struct csp_parameter *parameter = &found->parameters[i];
        parameters[i] = (struct bound){i ? &parameters[i - 1] : NULL, parameter->name,
                                       binder_node(indices, parameter)};
        if (parameter->low || parameter->high)
            must_be_number(indices, parameters[i].node);
    }
    indices->row++;
    process(indices, found->body, outermost,
            found->parameter_count ? &parameters[found->parameter_count - 1] : NULL);
    indices->row--;
}

/* Arrays that are sent or passed on hold numbers. */
static void passed(struct csp_indices *indices, const struct csp_expression *whole,
                   const struct bound *bound)
{
    struct symbol symbol = whole->kind == EXPRESSION_NAME && !bound_find(bound, whole->name)
                               ? symbol_of(indices, whole->name)
                               : (struct symbol){0};
    whole_array(indices, whole, bound);
    if (whole->kind == EXPRESSION_RECORD ||
        (symbol.kind == SYMBOL_VARIABLE &&
         indices->program->variables.items[symbol.index].dimensions))
        number(indices, whole, bound);
}

static void reference(struct csp_indices *indices, const struct csp_process *node, bool outermost,
                      const struct bound *bound)
{
    struct symbol symbol = symbol_of(indices, node->name);
    if (symbol.kind != SYMBOL_DEFINITION)
        return;
    const struct csp_definition *found = &indices->program->module->definitions.items[symbol.index];
    for (uint32_t i = 0; i < node->argument_count && i < found->parameter_count; i++) {
        passed(indices, node->arguments[i], bound);
        unify(indices, expression(indices, node->arguments[i], bound),
              binder_node(indices, &found->parameters[i]));
    }
    definition(indices, symbol.index, outermost);
}

/* Messages carry numbers. */
static void input(struct csp_indices *indices, const struct csp_process *node, uint32_t argument,
                  const struct bound *bound)
{
    if (argument == node->argument_count) {
        number(indices, node->condition, bound);
        statement(indices, node->program, bound);
        process(indices, node->children[0], false, bound);
        return;
    }
    const struct csp_expression *received = node->arguments[argument];
    const struct bound inner = {bound, received->name, NUMBER};
    bool receives = received->kind == EXPRESSION_NAME && !bound_find(bound, received->name) &&
                    symbol_of(indices, received->name).kind == SYMBOL_NONE;
    if (!receives) {
        passed(indices, received, bound);
        number(indices, received, bound);
    }
    input(indices, node, argument + 1, receives ? &inner : bound);
}

static void process(struct csp_indices *indices, const struct csp_process *node, bool outermost,
                    const struct bound *bound)
{
    if (!node)
        return;
    switch ((enum csp_process_kind)node->kind) {
    case PROCESS_EVENT:
        event(indices, &node->event, bound);
        statement(indices, node->program, bound);
        children(indices, node, false, bound);
        return;
    case PROCESS_OUTPUT:
        number(indices, node->index, bound);
        for (uint32_t i = 0; i < node->argument_count; i++)
            passed(indices, node->arguments[i], bound);
        numbers(indices, node->arguments, node->argument_count, bound);
        statement(indices, node->program, bound);
        children(indices, node, false, bound);
        return;
    case PROCESS_INPUT:
        number(indices, node->index, bound);
        input(indices, node, 0, bound);
        return;
    case PROCESS_REFERENCE:
        reference(indices, node, outermost, bound);
        return;
    case PROCESS_INDEXED:
        indices->unfit |= node->operator== PROCESS_PARALLEL;
        indexed_process(indices, node, 0, outermost, bound);
        return;
    case PROCESS_PARALLEL: /* what its components do together is worked out from names */
        indices->unfit = true;
        return;
    case PROCESS_INTERLEAVE:
        children(indices, node, outermost, bound);
        return;
    case PROCESS_HIDE:
        for (uint32_t i = 0; i < node->hidden_count; i++)
            hidden(indices, &node->hidden[i], 0, bound);
        children(indices, node, outermost, bound);
        return;
    case PROCESS_SEQUENCE:
        for (uint32_t i = 0; i < node->count; i++)
            process(indices, node->children[i], outermost && i == 0, bound);
        return;
    default:
        number(indices, node->condition, bound);
        for (uint32_t i = 0; node->conditions && i < node->count; i++)
            number(indices, node->conditions[i], bound);
        children(indices, node, false, bound);
        return;
    }
}

/* ---- which ---- */

/* The outermost `||| i:{0..N-1}` of a process: its range, and N; null if it has none. */
static const struct csp_range *find_seed(struct csp_indices *indices,
                                         const struct csp_process *node, unsigned depth,
                                         uint32_t *count)
{
    if (!node || depth == MOST_MACROS)
        return NULL;
    const struct csp_range *found = NULL;
    if (node->kind == PROCESS_REFERENCE) {
        struct symbol symbol = symbol_of(indices, node->name);
        if (symbol.kind != SYMBOL_DEFINITION || indices->met.items[symbol.index] & MET_SEED)
            return NULL; /* of a second reference nothing else comes than of the first */
        indices->met.items[symbol.index] |= MET_SEED;
        return find_seed(indices, indices->program->module->definitions.items[symbol.index].body,
                         depth + 1, count);
    } else if (node->kind == PROCESS_INDEXED) {
        for (*count = 2; *count <= TURNING_MOST; ++*count)
            if (node->operator== PROCESS_INTERLEAVE && node->range_count == 1 &&
                is_whole(indices, node->ranges, *count))
                return node->ranges;
    } else if (node->kind == PROCESS_INTERLEAVE || node->kind == PROCESS_HIDE) {
        for (uint32_t i = 0; !found && i < node->count; i++)
            found = find_seed(indices, node->children[i], depth + 1, count);
    } else if (node->kind == PROCESS_SEQUENCE) {
        return find_seed(indices, node->children[0], depth + 1, count);
    }
    return found;
}

static bool is_index(const struct csp_indices *indices, uint32_t node)
{
    struct csp_indices *changed = (struct csp_indices *)indices; /* paths are made shorter */
    return indices->count && find(changed, node) == find(changed, indices->seed);
}

/* What is said of the states that the assertion looks for. */
static void question(struct csp_indices *indices, const struct csp_assertion *assertion)
{
    struct symbol symbol = assertion->kind == ASSERTION_REACHES
                               ? symbol_of(indices, assertion->goal)
                               : (struct symbol){0};
    if (symbol.kind == SYMBOL_MACRO)
        number(indices, indices->program->module->macros.items[symbol.index].expression, NULL);
    number(indices, assertion->extreme, NULL);
}

/* The slots of a variable, each with where it is. */
static bool add_slots(struct csp_indices *indices, uint32_t variable)
{
    const struct variable_info *info = &indices->program->variables.items[variable];
    bool holds = is_index(indices, content_node(indices, variable));
    for (uint32_t i = 0; i < info->slots; i++) {
        struct index_slot slot = {.slot = info->slot + i, .holds = holds};
        uint32_t stride = 1;
        for (uint32_t d = info->dimensions; d-- > 0; stride *= info->sizes[d]) {
            if (!is_index(indices, dimension_node(indices, variable, d)))
                continue;
            if (slot.dimensions == INDEX_MOST_DIMENSIONS)
                return false;
            slot.at[slot.dimensions] = (uint8_t)(i / stride % info->sizes[d]);
            slot.strides[slot.dimensions++] = stride;
        }
        if ((slot.dimensions || holds) && !vector_push(&indices->slots, slot))
            return false;
    }
    return true;
}

static bool walk(struct csp_indices *indices, const struct csp_assertion *assertion,
                 const struct csp_range *seed)
{
    (void)node_of(indices, OF_NUMBERS, 0, 0);
    indices->seed = binder_node(indices, seed);
    process(indices, assertion->process, true, NULL);
    process(indices, assertion->specification, true, NULL);
    question(indices, assertion);
    if (indices->unfit || find(indices, indices->seed) == NUMBER)
        return false;
    for (uint32_t i = 0; i < indices->program->variables.length; i++)
        if (!indices->program->variables.items[i].constant && !add_slots(indices, i))
            return false;
    return !indices->unfit;
}

enum status csp_indices_find(struct csp_program *program, const struct csp_assertion *assertion,
                             struct labels *labels, struct csp_indices *indices)
{
    *indices = (struct csp_indices){
        .program = program, .labels = labels, .linear = assertion->kind == ASSERTION_LINEARIZES};
    pthread_mutex_init(&indices->lock, NULL);
    word_arrays_init(&indices->keys, program->budget);
    vector_init(&indices->nodes, program->budget);
    vector_init(&indices->met, program->budget);
    vector_init(&indices->slots, program->budget);
    for (size_t i = 0; i < program->module->definitions.length; i++)
        if (!vector_push(&indices->met, 0))
            return STATUS_LIMIT;
    uint32_t count = 0;
    const struct csp_range *seed = find_seed(indices, assertion->process, 0, &count);
    indices->count = seed && program->counts.length == 0 ? count : 0;
    if (indices->count == 0 || !walk(indices, assertion, seed))
        indices->count = 0;
    return program->budget->refused ? STATUS_LIMIT : STATUS_OK;
}

void csp_indices_release(struct csp_indices *indices)
{
    if (!indices->program)
        return;
    pthread_mutex_destroy(&indices->lock);
    word_arrays_release(&indices->keys);
    vector_release(&indices->nodes);
    vector_release(&indices->met);
    vector_release(&indices->slots);
}

bool csp_binds_index(struct csp_indices *indices, const void *binder)
{
    if (!binder || !indices->count)
        return false;
    pthread_mutex_lock(&indices->lock);
    bool index = is_index(indices, binder_node(indices, binder));
    pthread_mutex_unlock(&indices->lock);
    return index;
}

#define MOST_COMPONENTS 64

/* Renumbers the components of an event that are indices. */
static void turn_components(struct csp_indices *indices, const struct action *event, turning by,
                            uint32_t *turned)
{
    assert(event->count <= MOST_COMPONENTS);
    pthread_mutex_lock(&indices->lock);
    for (uint32_t i = 0; i < event->count; i++) {
        bool index = is_index(indices, component_node(indices, event->kind, event->name, i));
        turned[i] =
            index ? csp_turn_value(indices, event->components[i], by) : event->components[i];
    }
    pthread_mutex_unlock(&indices->lock);
}

label csp_turn_label(struct csp_indices *indices, label l, turning by)
{
    uint32_t turned[MOST_COMPONENTS];
    if (by == TURNING_IDENTITY || l == LABEL_TAU || l == LABEL_REFUSED)
        return l;
    struct action event = *labels_get(indices->labels, l);
    bool is_operation = event.kind >= LABEL_INVOKE && event.kind <= LABEL_POINT;
    if (event.kind != LABEL_EVENT && !is_operation)
        return l;
    if (event.count > MOST_COMPONENTS)
        return LABEL_REFUSED;
    turn_components(indices, &event, by, turned);
    event.components = turned;
    return labels_intern(indices->labels, &event);
}
