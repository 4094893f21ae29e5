#include "base/maximum_tree.h"

#include <assert.h>

#define FAN 16

static size_t width_of(const struct maximum_tree *tree, uint32_t level)
{
    size_t end = level + 1 < tree->levels ? tree->starts[level + 1] : tree->node_count;
    return end - tree->starts[level];
}

bool maximum_tree_init(struct maximum_tree *tree, uint32_t leaves, struct budget *budget)
{
    *tree = (struct maximum_tree){.budget = budget, .leaves = leaves};
    size_t width = leaves;
    do {
        tree->starts[tree->levels++] = tree->node_count;
        tree->node_count += width;
        width = (width + FAN - 1) / FAN;
    } while (width > 1 || tree->levels < 2);
    tree->nodes = memory_allocate(budget, tree->node_count * sizeof *tree->nodes);
    return tree->nodes;
}

void maximum_tree_release(struct maximum_tree *tree)
{
    memory_release(tree->budget, tree->nodes, tree->node_count * sizeof *tree->nodes);
    *tree = (struct maximum_tree){0};
}

static uint32_t greatest(const struct maximum_tree *tree, uint32_t level, size_t block)
{
    const uint32_t *nodes = tree->nodes + tree->starts[level];
    size_t end = (block + 1) * FAN, width = width_of(tree, level);
    uint32_t most = 0;
    for (size_t i = block * FAN; i < (end < width ? end : width); i++)
        most = nodes[i] > most ? nodes[i] : most;
    return most;
}

void maximum_tree_build(struct maximum_tree *tree)
{
    for (uint32_t level = 1; level < tree->levels; level++)
        for (size_t i = 0; i < width_of(tree, level); i++)
            tree->nodes[tree->starts[level] + i] = greatest(tree, level - 1, i);
}

void maximum_tree_set(struct maximum_tree *tree, uint32_t place, uint32_t number)
{
    assert(place < tree->leaves);
    uint32_t before = tree->nodes[place];
    tree->nodes[place] = number;
    for (uint32_t level = 1; level < tree->levels; level++) {
        place /= FAN;
        uint32_t *node = &tree->nodes[tree->starts[level] + place];
        if (number < before && *node == before)
            number = greatest(tree, level - 1, place);
        else if (number <= *node)
            return; /* another one below it is greater */
        if (number == *node)
            return;
        *node = number;
    }
}

uint32_t maximum_tree_find(const struct maximum_tree *tree, uint32_t from, uint32_t least)
{
    assert(least > 0);
    if (tree->leaves == 0)
        return MAXIMUM_TREE_NONE;
    uint32_t level = 0;
    size_t place = from < tree->leaves ? from : tree->leaves - 1;
    const uint32_t *nodes = tree->nodes;
    while (nodes[place] < least) {
        if (place % FAN > 0) {
            place--;
        } else if (place == 0 || level + 1 == tree->levels) {
            return MAXIMUM_TREE_NONE;
        } else {
            /* Nothing in this block: on to the blocks before it. */
            place = place / FAN - 1;
            nodes = tree->nodes + tree->starts[++level];
        }
    }
    while (level > 0) {
        place = place * FAN + FAN - 1;
        nodes = tree->nodes + tree->starts[--level];
        if (place >= width_of(tree, level))
            place = width_of(tree, level) - 1;
        while (nodes[place] < least)
            place--;
    }
    return (uint32_t)place;
}
