#include "base/segment_tree.h"

#include <assert.h>

bool segment_tree_init(struct segment_tree *tree, uint32_t leaves, struct budget *budget)
{
    assert(leaves > 0);
    *tree = (struct segment_tree){.budget = budget, .leaves = leaves};
    for (size_t width = leaves;; width = (width + 1) / 2) {
        tree->starts[tree->levels++] = tree->node_count;
        if (width == 1)
            break;
        tree->node_count += (width + 1) & ~(size_t)1; /* every node below the root has a sibling */
    }
    tree->node_count++;
    tree->nodes = memory_allocate(budget, tree->node_count * sizeof *tree->nodes);
    return tree->nodes;
}

void segment_tree_release(struct segment_tree *tree)
{
    memory_release(tree->budget, tree->nodes, tree->node_count * sizeof *tree->nodes);
    *tree = (struct segment_tree){0};
}

/* Moves what two siblings have in common up to their parent; returns how much that was. */
static inline int32_t pull(int32_t *children, int32_t *parent)
{
    int32_t least = children[0] < children[1] ? children[0] : children[1];
    children[0] -= least;
    children[1] -= least;
    *parent += least;
    return least;
}

void segment_tree_build(struct segment_tree *tree)
{
    size_t width = tree->leaves;
    for (uint32_t level = 0; level + 1 < tree->levels; level++, width = (width + 1) / 2) {
        int32_t *nodes = tree->nodes + tree->starts[level];
        int32_t *parents = tree->nodes + tree->starts[level + 1];
        if (width & 1)
            nodes[width] = SEGMENT_TREE_INFINITY;
        for (size_t i = 0; i < width; i += 2) {
            parents[i / 2] = 0;
            pull(nodes + i, parents + i / 2);
        }
    }
}

void segment_tree_add(struct segment_tree *tree, uint32_t first, uint32_t last, int32_t delta)
{
    if (last < first)
        return;
    assert(last < tree->leaves);
    /* At each level first .. last-1 is what is still to be covered by whole nodes; `left` and
     * `right` are the ancestors of its ends, the only nodes whose minima may change. */
    uint32_t left = first, right = last;
    last++;
    for (uint32_t level = 0; level < tree->levels; level++) {
        int32_t *nodes = tree->nodes + tree->starts[level];
        bool covering = first < last;
        if (covering && (first & 1))
            nodes[first++] += delta;
        if (covering && (last & 1))
            nodes[--last] += delta;
        first >>= 1;
        last >>= 1;
        if (level + 1 == tree->levels)
            return;
        int32_t *parents = tree->nodes + tree->starts[level + 1];
        left >>= 1;
        right >>= 1;
        int32_t moved = pull(nodes + 2 * (size_t)left, parents + left);
        if (right != left)
            moved |= pull(nodes + 2 * (size_t)right, parents + right);
        if (!moved && first >= last)
            return;
    }
}

/* The first place below node `index` of `level` whose number is at most `most`, given that one is;
 * `sum` is the number at that node. */
static uint32_t descend(const struct segment_tree *tree, uint32_t level, size_t index, int32_t sum,
                        int32_t most)
{
    while (level > 0) {
        const int32_t *nodes = tree->nodes + tree->starts[--level];
        index *= 2;
        if (sum + nodes[index] > most)
            index++;
        sum += nodes[index];
    }
    assert(sum <= most && index < tree->leaves);
    return (uint32_t)index;
}

uint32_t segment_tree_least(const struct segment_tree *tree)
{
    int32_t minimum = segment_tree_minimum(tree);
    return descend(tree, tree->levels - 1, 0, minimum, minimum);
}

uint32_t segment_tree_find(const struct segment_tree *tree, uint32_t from, int32_t most)
{
    if (from >= tree->leaves)
        return SEGMENT_TREE_NONE;
    int32_t sums[SEGMENT_TREE_MAX_LEVELS]; /* at the ancestors of `from` */
    int32_t sum = 0;
    for (uint32_t level = tree->levels; level-- > 0;) {
        sum += tree->nodes[tree->starts[level] + (from >> level)];
        sums[level] = sum;
    }
    if (sum <= most)
        return from;
    /* Nothing at `from` itself; then to the right of it, the nearest subtrees first. */
    for (uint32_t level = 0; level + 1 < tree->levels; level++) {
        size_t index = from >> level;
        if (index & 1)
            continue;
        int32_t sibling = sums[level + 1] + tree->nodes[tree->starts[level] + index + 1];
        if (sibling <= most)
            return descend(tree, level, index + 1, sibling, most);
    }
    return SEGMENT_TREE_NONE;
}
