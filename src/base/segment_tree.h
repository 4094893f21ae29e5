/* Numbers at places 0 .. leaves-1 under range addition, with their minimum at hand.
 *
 * A complete binary tree, one level after the other, leaves first. A node holds its subtree's
 * minimum relative to its parent's: a place's number is the sum of the nodes from it to the root,
 * and of two siblings one holds 0. So one word a node is enough (8 bytes a leaf), and an addition
 * can stop climbing where a minimum did not change.
 *
 *     root           1
 *                 /     \
 *               0         2
 *              / \       / \
 *             1   0     0   4        the numbers 2 1 3 7
 *
 * Numbers and additions stay within +-SEGMENT_TREE_INFINITY. */
#ifndef BASE_SEGMENT_TREE_H
#define BASE_SEGMENT_TREE_H

#include "base/memory.h"

#define SEGMENT_TREE_NONE       UINT32_MAX
#define SEGMENT_TREE_INFINITY   ((int32_t)1 << 30)
#define SEGMENT_TREE_MAX_LEVELS 33

struct segment_tree {
    struct budget *budget;
    int32_t *nodes;
    size_t node_count;
    size_t starts[SEGMENT_TREE_MAX_LEVELS]; /* of each level in `nodes` */
    uint32_t leaves;
    uint32_t levels; /* the last one is the root alone */
};

/* A tree over `leaves` > 0 places; false when refused. Write the numbers to nodes[0 .. leaves-1],
 * then call segment_tree_build. */
bool segment_tree_init(struct segment_tree *tree, uint32_t leaves,
                       struct budget *budget) MUST_CHECK;
void segment_tree_build(struct segment_tree *tree);
void segment_tree_release(struct segment_tree *tree); /* a zeroed tree is allowed */

/* Adds `delta` at the places first .. last; none if last < first. O(log leaves). */
void segment_tree_add(struct segment_tree *tree, uint32_t first, uint32_t last, int32_t delta);

/* The least number. */
static inline int32_t segment_tree_minimum(const struct segment_tree *tree)
{
    return tree->nodes[tree->starts[tree->levels - 1]];
}

/* The first place that has the least number. */
uint32_t segment_tree_least(const struct segment_tree *tree);

/* The first place from `from` on whose number is at most `most`; SEGMENT_TREE_NONE if none is. */
uint32_t segment_tree_find(const struct segment_tree *tree, uint32_t from, int32_t most);

#endif
