#include "csp/index_nodes.h"

enum node_kind {
    OF_NUMBERS,
    OF_BINDER,    /* a parameter, a range, a local variable */
    OF_CONTENT,   /* of a variable */
    OF_DIMENSION, /* of an array */
    OF_COMPONENT, /* of an event */
    OF_NOTHING,   /* a value that goes with numbers and with indices */
};

uint32_t csp_index_find(struct csp_index_nodes *nodes, uint32_t node)
{
    uint32_t *parents = nodes->parents.items;
    if (node >= nodes->parents.length) { /* memory was refused, perhaps for that of numbers */
        nodes->unfit = true;
        return INDEX_NUMBER;
    }
    while (parents[node] != node)
        node = parents[node] = parents[parents[node]];
    return node;
}

void csp_index_unify(struct csp_index_nodes *nodes, uint32_t a, uint32_t b)
{
    a = csp_index_find(nodes, a);
    b = csp_index_find(nodes, b);
    if (nodes->unfit)
        return;
    nodes->parents.items[a < b ? b : a] = a < b ? a : b; /* that of numbers stays a root */
}

void csp_index_must_be_number(struct csp_index_nodes *nodes, uint32_t node)
{
    csp_index_unify(nodes, node, INDEX_NUMBER);
}

/* The node of something, made when it is met first. */
static uint32_t node_of(struct csp_index_nodes *nodes, enum node_kind kind, uint64_t number,
                        uint32_t position)
{
    const uint32_t key[] = {kind, (uint32_t)number, (uint32_t)(number >> 32), position};
    bool fresh = false;
    uint32_t node = word_arrays_intern(&nodes->keys, key, ARRAY_LENGTH(key), &fresh);
    if (node == UINT32_MAX || (fresh && !vector_push(&nodes->parents, node))) {
        nodes->unfit = true;
        return INDEX_NUMBER;
    }
    return node;
}

uint32_t csp_index_binder_node(struct csp_index_nodes *nodes, const void *binder)
{
    return node_of(nodes, OF_BINDER, (uintptr_t)binder, 0);
}

uint32_t csp_index_any_node(struct csp_index_nodes *nodes)
{
    return node_of(nodes, OF_NOTHING, nodes->parents.length, 0);
}

/* Renumbering leaves every number alone that is no index. */
uint32_t csp_index_literal_node(struct csp_index_nodes *nodes, int64_t number)
{
    return number >= 0 && number < nodes->count ? INDEX_NUMBER : csp_index_any_node(nodes);
}

uint32_t csp_index_content_node(struct csp_index_nodes *nodes, uint32_t variable)
{
    const struct variable_info *info = &nodes->program->variables.items[variable];
    const struct range_limit *range = &nodes->program->ranges.items[info->range];
    uint32_t node = node_of(nodes, OF_CONTENT, variable, 0);
    bool narrow = info->range && (range->low > 0 || range->high < (int32_t)nodes->count - 1);
    if (info->collection || info->owner || info->constant || info->large || narrow)
        csp_index_must_be_number(nodes, node);
    nodes->unfit |= info->hidden;
    return node;
}

/* A table that is the same for every index has no need to be renumbered. */
static bool is_uneven(const struct csp_index_nodes *nodes, const struct variable_info *info)
{
    const uint32_t *values = nodes->program->initial + info->slot;
    for (uint32_t i = 1; info->constant && i < info->length; i++)
        if (values[i] != values[0])
            return true;
    return false;
}

uint32_t csp_index_dimension_node(struct csp_index_nodes *nodes, uint32_t variable,
                                  uint32_t dimension)
{
    const struct variable_info *info = &nodes->program->variables.items[variable];
    uint32_t node = node_of(nodes, OF_DIMENSION, variable, dimension);
    if (is_uneven(nodes, info) || info->large || info->sizes[dimension] != nodes->count)
        csp_index_must_be_number(nodes, node);
    return node;
}

uint32_t csp_index_component_node(struct csp_index_nodes *nodes, enum label_kind kind,
                                  const char *name, uint32_t position)
{
    const uint32_t component = kind;
    label l = labels_intern_named(nodes->labels, LABEL_NAME, name, &component, 1);
    uint32_t node = node_of(nodes, OF_COMPONENT, l, position);
    nodes->unfit |= l == LABEL_REFUSED;
    if (nodes->linear && kind != LABEL_EVENT && position > 0)
        csp_index_must_be_number(nodes, node);
    return node;
}

void csp_index_nodes_init(struct csp_index_nodes *nodes, struct csp_program *program,
                          struct labels *labels)
{
    *nodes = (struct csp_index_nodes){.program = program, .labels = labels};
    word_arrays_init(&nodes->keys, program->budget);
    vector_init(&nodes->parents, program->budget);
    (void)node_of(nodes, OF_NUMBERS, 0, 0);
}

void csp_index_nodes_release(struct csp_index_nodes *nodes)
{
    word_arrays_release(&nodes->keys);
    vector_release(&nodes->parents);
}
