/* The types of what an index may be in (csp/indices.h), by unification: a node stands for that of
 * something, numbers, indices, or what is not known yet. Nodes that must agree are made one. Where
 * memory is refused, or something cannot be renumbered, the indices become unfit. */
#ifndef CSP_INDEX_NODES_H
#define CSP_INDEX_NODES_H

#include "base/interning.h"
#include "csp/compile.h"
#include "model/labels.h"

#define INDEX_NUMBER ((uint32_t)0) /* the node of numbers */

struct csp_index_nodes {
    uint32_t count; /* N */
    struct csp_program *program;
    struct labels *labels;
    struct word_arrays keys;  /* what has a type; its node has its number */
    VECTOR(uint32_t) parents; /* of union and find */
    bool linear; /* inv, res and lin say who calls in their first component, and nowhere else */
    bool unfit;  /* something is reached that cannot be renumbered, or memory was refused */
};

/* With the node of numbers. */
void csp_index_nodes_init(struct csp_index_nodes *nodes, struct csp_program *program,
                          struct labels *labels);
void csp_index_nodes_release(struct csp_index_nodes *nodes);

/* The node that stands for all that are one with it. */
uint32_t csp_index_find(struct csp_index_nodes *nodes, uint32_t node);

void csp_index_unify(struct csp_index_nodes *nodes, uint32_t a, uint32_t b);
void csp_index_must_be_number(struct csp_index_nodes *nodes, uint32_t node);

/* Of a parameter, a range or a local variable. */
uint32_t csp_index_binder_node(struct csp_index_nodes *nodes, const void *binder);

/* Of a value that goes with numbers and with indices: a new one each time. */
uint32_t csp_index_any_node(struct csp_index_nodes *nodes);

/* Of a number in the text: renumbering leaves every one alone that is no index. */
uint32_t csp_index_literal_node(struct csp_index_nodes *nodes, int64_t number);

/* Of what a variable holds, and of the subscripts of an array's dimension. */
uint32_t csp_index_content_node(struct csp_index_nodes *nodes, uint32_t variable);
uint32_t csp_index_dimension_node(struct csp_index_nodes *nodes, uint32_t variable,
                                  uint32_t dimension);

/* Of a component of the events of a name. */
uint32_t csp_index_component_node(struct csp_index_nodes *nodes, enum label_kind kind,
                                  const char *name, uint32_t position);

#endif
