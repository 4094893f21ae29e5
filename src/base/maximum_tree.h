/* Numbers at places 0 .. leaves-1, and the nearest large one to the left of a place.
 *
 * A tree with 16 children a node, one level after the other, leaves first; a node holds the
 * greatest number below it (4.3 bytes a leaf). */
#ifndef BASE_MAXIMUM_TREE_H
#define BASE_MAXIMUM_TREE_H

#include "base/memory.h"

#define MAXIMUM_TREE_NONE       UINT32_MAX
#define MAXIMUM_TREE_MAX_LEVELS 9

struct maximum_tree {
    struct budget *budget;
    uint32_t *nodes;
    size_t node_count;
    size_t starts[MAXIMUM_TREE_MAX_LEVELS]; /* of each level in `nodes` */
    uint32_t leaves;
    uint32_t levels; /* the last one is a single node */
};

/* A tree over `leaves` places; false when refused. Write the numbers to nodes[0 .. leaves-1], then
 * call maximum_tree_build. */
bool maximum_tree_init(struct maximum_tree *tree, uint32_t leaves,
                       struct budget *budget) MUST_CHECK;
void maximum_tree_build(struct maximum_tree *tree);
void maximum_tree_release(struct maximum_tree *tree); /* a zeroed tree is allowed */

void maximum_tree_set(struct maximum_tree *tree, uint32_t place, uint32_t number);

/* The last place up to `from` (included) whose number is at least `least` > 0; MAXIMUM_TREE_NONE if
 * there is none. */
uint32_t maximum_tree_find(const struct maximum_tree *tree, uint32_t from, uint32_t least);

#endif
