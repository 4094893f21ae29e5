#include "csp/indices.h"

#include <assert.h>
#include <string.h>

#define MOST_MACROS      100    /* within one another */
#define MOST_USES        100000 /* of macros, each looked at anew */
#define MOST_DEFINITIONS 1000   /* that refer to one another in a row */

struct bound {
    const struct bound *outer;
    const char *name;
    uint32_t node;
};

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
        csp_index_must_be_number(&indices->nodes, expression(indices, node, bound));
}

static void numbers(struct csp_indices *indices, struct csp_expression *const *nodes,
                    uint32_t count, const struct bound *bound)
{
    for (uint32_t i = 0; i < count; i++)
        number(indices, nodes[i], bound);
}

static struct symbol symbol_of(const struct csp_indices *indices, const char *name)
{
    return name ? csp_symbol(indices->nodes.program, name) : (struct symbol){0};
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
    const struct variable_info *info = &indices->nodes.program->variables.items[symbol.index];
    for (uint32_t i = 0; i < info->dimensions; i++)
        csp_index_must_be_number(&indices->nodes,
                                 csp_index_dimension_node(&indices->nodes, symbol.index, i));
}

/* Macros are looked at anew wherever they are used; their arguments have been by then. */
static uint32_t macro(struct csp_indices *indices, const struct csp_macro *macro,
                      const struct csp_expression *use, const struct bound *bound)
{
    struct bound parameters[16];
    if (use->count > ARRAY_LENGTH(parameters) || use->count != macro->parameter_count ||
        indices->depth == MOST_MACROS || indices->uses++ == MOST_USES)
        indices->nodes.unfit = true;
    if (indices->nodes.unfit)
        return INDEX_NUMBER;
    for (uint32_t i = 0; i < use->count; i++) {
        whole_array(indices, use->operands[i], bound);
        parameters[i] = (struct bound){i ? &parameters[i - 1] : NULL, macro->parameters[i],
                                       expression(indices, use->operands[i], bound)};
    }
    const struct bound *inner = use->count ? &parameters[use->count - 1] : NULL;
    uint32_t result = INDEX_NUMBER;
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
        return macro(indices, &indices->nodes.program->module->macros.items[symbol.index], node,
                     bound);
    if (symbol.kind == SYMBOL_VARIABLE)
        return csp_index_content_node(&indices->nodes, symbol.index);
    return INDEX_NUMBER;
}

static uint32_t element(struct csp_indices *indices, const struct csp_expression *node,
                        const struct bound *bound)
{
    const struct csp_expression *base = node->operands[0];
    const struct bound *found = bound_find(bound, base->name);
    struct symbol symbol = symbol_of(indices, base->name);
    if (found || symbol.kind != SYMBOL_VARIABLE) { /* a local array, or channels */
        numbers(indices, node->operands + 1, node->count - 1, bound);
        return found ? found->node : INDEX_NUMBER;
    }
    const struct variable_info *info = &indices->nodes.program->variables.items[symbol.index];
    for (uint32_t i = 1; i < node->count; i++) {
        uint32_t subscript = expression(indices, node->operands[i], bound);
        if (i - 1 < info->dimensions)
            csp_index_unify(&indices->nodes, subscript,
                            csp_index_dimension_node(&indices->nodes, symbol.index, i - 1));
    }
    return csp_index_content_node(&indices->nodes, symbol.index);
}

/* `a = b` for whole arrays: each element by its number, or dimension by dimension. */
static void copy(struct csp_indices *indices, uint32_t to, const struct csp_expression *source,
                 uint32_t content, const struct bound *bound)
{
    const struct variable_info *info = &indices->nodes.program->variables.items[to];
    struct symbol symbol =
        source->kind == EXPRESSION_NAME ? symbol_of(indices, source->name) : (struct symbol){0};
    const struct variable_info *from = symbol.kind == SYMBOL_VARIABLE
                                           ? &indices->nodes.program->variables.items[symbol.index]
                                           : NULL;
    for (uint32_t i = 0; i < info->dimensions; i++) {
        uint32_t node = csp_index_dimension_node(&indices->nodes, to, i);
        if (from && from->dimensions == info->dimensions)
            csp_index_unify(&indices->nodes, node,
                            csp_index_dimension_node(&indices->nodes, symbol.index, i));
        else
            csp_index_must_be_number(&indices->nodes, node);
    }
    if (from && from->dimensions != info->dimensions)
        for (uint32_t i = 0; i < from->dimensions; i++)
            csp_index_must_be_number(&indices->nodes,
                                     csp_index_dimension_node(&indices->nodes, symbol.index, i));
    csp_index_unify(&indices->nodes, content, expression(indices, source, bound));
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
        csp_index_unify(&indices->nodes, content, expression(indices, node->operands[1], bound));
    return content;
}

/* The elements of a list are all of one type. */
static uint32_t record(struct csp_indices *indices, const struct csp_expression *node,
                       const struct bound *bound)
{
    uint32_t all = csp_index_any_node(&indices->nodes);
    for (uint32_t i = 0; i < node->count; i++) {
        const struct csp_expression *item = node->operands[i];
        if (item->kind == EXPRESSION_REPEAT) {
            number(indices, item->operands[1], bound);
            item = item->operands[0];
        } else if (item->kind == EXPRESSION_RANGE) {
            csp_index_must_be_number(&indices->nodes, all);
        }
        csp_index_unify(&indices->nodes, all, expression(indices, item, bound));
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
    const struct bound inner = {bound, node->ranges[range].name, INDEX_NUMBER};
    numbers(indices, node->ranges[range].values, node->ranges[range].value_count, bound);
    indexed(indices, node, range + 1, &inner);
}

static uint32_t call(struct csp_indices *indices, const struct csp_expression *node,
                     const struct bound *bound)
{
    struct symbol symbol = symbol_of(indices, node->name);
    if (symbol.kind == SYMBOL_MACRO)
        return macro(indices, &indices->nodes.program->module->macros.items[symbol.index], node,
                     bound);
    numbers(indices, node->operands, node->count, bound);
    return INDEX_NUMBER;
}

static uint32_t expression(struct csp_indices *indices, const struct csp_expression *node,
                           const struct bound *bound)
{
    switch ((enum csp_expression_kind)node->kind) {
    case EXPRESSION_INTEGER:
        return csp_index_literal_node(&indices->nodes, node->integer);
    case EXPRESSION_BOOLEAN:
        return csp_index_any_node(&indices->nodes);
    case EXPRESSION_NAME:
        return name(indices, node, bound);
    case EXPRESSION_INDEX:
        return element(indices, node, bound);
    case EXPRESSION_UNARY:
        if (node->operator== CSP_MINUS && node->operands[0]->kind == EXPRESSION_INTEGER)
            return csp_index_literal_node(&indices->nodes, -(int64_t)node->operands[0]->integer);
        break;
    case EXPRESSION_BINARY:
        if (node->operator!= CSP_EQUAL && node->operator!= CSP_NOT_EQUAL)
            break;
        csp_index_unify(&indices->nodes, expression(indices, node->operands[0], bound),
                        expression(indices, node->operands[1], bound));
        return INDEX_NUMBER;
    case EXPRESSION_ASSIGN:
        return assign(indices, node, bound);
    case EXPRESSION_RECORD:
        return record(indices, node, bound);
    case EXPRESSION_INDEXED:
        indexed(indices, node, 0, bound);
        return INDEX_NUMBER;
    case EXPRESSION_CALL:
        return call(indices, node, bound);
    default:
        break;
    }
    numbers(indices, node->operands, node->count, bound);
    return INDEX_NUMBER;
}

/* ---- programs ---- */

static uint32_t local_node(struct csp_indices *indices, const struct csp_statement *node,
                           const struct bound *bound)
{
    uint32_t made = csp_index_binder_node(&indices->nodes, node);
    csp_index_unify(&indices->nodes, made,
                    node->condition ? expression(indices, node->condition, bound) : INDEX_NUMBER);
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
        csp_index_unify(
            &indices->nodes, expression(indices, node->components[i], bound),
            taken ? csp_index_component_node(&indices->nodes, kind, first->name, i - taken)
                  : csp_index_component_node(&indices->nodes, LABEL_EVENT, node->name, i));
}

static bool is_whole(struct csp_indices *indices, const struct csp_range *range, uint32_t count)
{
    int32_t first = 1, last = 0;
    struct error ignored;
    return range->interval &&
           csp_constant_integer(indices->nodes.program, range->values[0], NULL, "",
                                INTEGER_SMALLEST, INT32_MAX, &first, &ignored) == STATUS_OK &&
           csp_constant_integer(indices->nodes.program, range->values[1], NULL, "",
                                INTEGER_SMALLEST, INT32_MAX, &last, &ignored) == STATUS_OK &&
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
    const struct bound inner = {bound, at->name, csp_index_binder_node(&indices->nodes, at)};
    numbers(indices, at->values, at->value_count, bound);
    if (!is_whole(indices, at, indices->nodes.count))
        csp_index_must_be_number(&indices->nodes, inner.node);
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
    const struct bound inner = {bound, at->name, csp_index_binder_node(&indices->nodes, at)};
    numbers(indices, at->values, at->value_count, bound);
    if (!outermost || node->operator!= PROCESS_INTERLEAVE ||
                      node->range_count> 1 || !is_whole(indices, at, indices->nodes.count))
        csp_index_must_be_number(&indices->nodes, inner.node);
    indexed_process(indices, node, range + 1, outermost, &inner);
}

static void definition(struct csp_indices *indices, uint32_t index, bool outermost)
{
    const struct csp_definition *found = &indices->nodes.program->module->definitions.items[index];
    uint8_t how = outermost ? MET_OUTERMOST : MET_WITHIN;
    if (indices->met.items[index] & how)
        return;
    indices->met.items[index] |= how;
    struct bound parameters[32];
    if (found->parameter_count > ARRAY_LENGTH(parameters) || indices->row == MOST_DEFINITIONS) {
        indices->nodes.unfit = true;
        return;
    }
    for (uint32_t i = 0; i < found->parameter_count; i++) {
        const struct csp_parameter *parameter = &found->parameters[i];
        parameters[i] = (struct bound){i ? &parameters[i - 1] : NULL, parameter->name,
                                       csp_index_binder_node(&indices->nodes, parameter)};
        if (parameter->low || parameter->high)
            csp_index_must_be_number(&indices->nodes, parameters[i].node);
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
         indices->nodes.program->variables.items[symbol.index].dimensions))
        number(indices, whole, bound);
}

static void reference(struct csp_indices *indices, const struct csp_process *node, bool outermost,
                      const struct bound *bound)
{
    struct symbol symbol = symbol_of(indices, node->name);
    if (symbol.kind != SYMBOL_DEFINITION)
        return;
    const struct csp_definition *found =
        &indices->nodes.program->module->definitions.items[symbol.index];
    for (uint32_t i = 0; i < node->argument_count && i < found->parameter_count; i++) {
        passed(indices, node->arguments[i], bound);
        csp_index_unify(&indices->nodes, expression(indices, node->arguments[i], bound),
                        csp_index_binder_node(&indices->nodes, &found->parameters[i]));
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
    const struct bound inner = {bound, received->name, INDEX_NUMBER};
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
        indices->nodes.unfit |= node->operator== PROCESS_PARALLEL;
        indexed_process(indices, node, 0, outermost, bound);
        return;
    case PROCESS_PARALLEL: /* what its components do together is worked out from names */
        indices->nodes.unfit = true;
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
        return find_seed(indices,
                         indices->nodes.program->module->definitions.items[symbol.index].body,
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
    return indices->nodes.count &&
           csp_index_find(&changed->nodes, node) == csp_index_find(&changed->nodes, indices->seed);
}

/* What is said of the states that the assertion looks for. */
static void question(struct csp_indices *indices, const struct csp_assertion *assertion)
{
    struct symbol symbol = assertion->kind == ASSERTION_REACHES
                               ? symbol_of(indices, assertion->goal)
                               : (struct symbol){0};
    if (symbol.kind == SYMBOL_MACRO)
        number(indices, indices->nodes.program->module->macros.items[symbol.index].expression,
               NULL);
    number(indices, assertion->extreme, NULL);
}

/* The slots of a variable, each with where it is. */
static bool add_slots(struct csp_indices *indices, uint32_t variable)
{
    const struct variable_info *info = &indices->nodes.program->variables.items[variable];
    bool holds = is_index(indices, csp_index_content_node(&indices->nodes, variable));
    for (uint32_t i = 0; i < info->slots; i++) {
        struct index_slot slot = {.slot = info->slot + i, .holds = holds};
        uint32_t stride = 1;
        for (uint32_t d = info->dimensions; d-- > 0; stride *= info->sizes[d]) {
            if (!is_index(indices, csp_index_dimension_node(&indices->nodes, variable, d)))
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
    indices->seed = csp_index_binder_node(&indices->nodes, seed);
    process(indices, assertion->process, true, NULL);
    process(indices, assertion->specification, true, NULL);
    question(indices, assertion);
    if (indices->nodes.unfit || csp_index_find(&indices->nodes, indices->seed) == INDEX_NUMBER)
        return false;
    for (uint32_t i = 0; i < indices->nodes.program->variables.length; i++)
        if (!indices->nodes.program->variables.items[i].constant && !add_slots(indices, i))
            return false;
    return !indices->nodes.unfit;
}

enum status csp_indices_find(struct csp_program *program, const struct csp_assertion *assertion,
                             struct labels *labels, struct csp_indices *indices)
{
    *indices = (struct csp_indices){0};
    csp_index_nodes_init(&indices->nodes, program, labels);
    indices->nodes.linear = assertion->kind == ASSERTION_LINEARIZES;
    pthread_mutex_init(&indices->lock, NULL);
    vector_init(&indices->met, program->budget);
    vector_init(&indices->slots, program->budget);
    for (size_t i = 0; i < program->module->definitions.length; i++)
        if (!vector_push(&indices->met, 0))
            return STATUS_LIMIT;
    uint32_t count = 0;
    const struct csp_range *seed = find_seed(indices, assertion->process, 0, &count);
    indices->nodes.count = seed && program->counts.length == 0 ? count : 0;
    if (indices->nodes.count == 0 || !walk(indices, assertion, seed))
        indices->nodes.count = 0;
    return program->budget->refused ? STATUS_LIMIT : STATUS_OK;
}

void csp_indices_release(struct csp_indices *indices)
{
    if (!indices->nodes.program)
        return;
    pthread_mutex_destroy(&indices->lock);
    csp_index_nodes_release(&indices->nodes);
    vector_release(&indices->met);
    vector_release(&indices->slots);
}

bool csp_binds_index(struct csp_indices *indices, const void *binder)
{
    if (!binder || !indices->nodes.count)
        return false;
    pthread_mutex_lock(&indices->lock);
    bool index = is_index(indices, csp_index_binder_node(&indices->nodes, binder));
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
        bool index = is_index(
            indices, csp_index_component_node(&indices->nodes, event->kind, event->name, i));
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
    struct action event = *labels_get(indices->nodes.labels, l);
    bool is_operation = event.kind >= LABEL_INVOKE && event.kind <= LABEL_POINT;
    if (event.kind != LABEL_EVENT && !is_operation)
        return l;
    if (event.count > MOST_COMPONENTS)
        return LABEL_REFUSED;
    turn_components(indices, &event, by, turned);
    event.components = turned;
    return labels_intern(indices->nodes.labels, &event);
}
