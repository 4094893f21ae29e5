/* What the library of C++ has compiled of std::map, std::set and their kin, and of std::list, in
 * code that says what it accesses: the links of nodes, and the colours.
 *
 * Red-black trees as in Cormen, Leiserson, Rivest, Stein (Introduction to Algorithms, chapter 13),
 * with null for the leaves, and a header in place of the root's parent: its parent is the root, its
 * left and right are the first and the last node. The header is red, the root is black. */
#include <stdbool.h>
#include <stdint.h>

#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/execution.h"

/* As the library has them. */
enum colour {
    RED,
    BLACK
};

enum side {
    LEFT,
    RIGHT
};

struct tree_node {
    int colour;
    struct tree_node *parent, *child[2];
};

static struct tree_node *get(struct tree_node *const *link, const void *at)
{
    execution_plain(link, sizeof *link, false, at);
    return *link;
}

static void set(struct tree_node **link, struct tree_node *node, const void *at)
{
    execution_plain(link, sizeof *link, true, at);
    *link = node;
}

static enum colour colour_of(const struct tree_node *node, const void *at)
{
    execution_plain(&node->colour, sizeof node->colour, false, at);
    return (enum colour)node->colour;
}

static void paint(struct tree_node *node, enum colour colour, const void *at)
{
    execution_plain(&node->colour, sizeof node->colour, true, at);
    node->colour = colour;
}

static bool is_red(const struct tree_node *node, const void *at)
{
    return node && colour_of(node, at) == RED;
}

static enum side other(enum side side)
{
    return side == LEFT ? RIGHT : LEFT;
}

static enum side side_of(struct tree_node *node, struct tree_node *parent, const void *at)
{
    return get(&parent->child[LEFT], at) == node ? LEFT : RIGHT;
}

static struct tree_node *outermost(struct tree_node *node, enum side side, const void *at)
{
    struct tree_node *next;
    while ((next = get(&node->child[side], at)))
        node = next;
    return node;
}

/* ---- going through them ---- */

/* The next node on a side; the header behind the last one. From the header there is only the last
 * node, to its left. */
static struct tree_node *step(struct tree_node *node, enum side side, const void *at)
{
    struct tree_node *parent, *child;
    if (side == LEFT && colour_of(node, at) == RED) {
        parent = get(&node->parent, at);
        if (get(&parent->parent, at) == node) /* the header, for the root is black */
            return get(&node->child[RIGHT], at);
    }
    if ((child = get(&node->child[side], at)))
        return outermost(child, other(side), at);
    parent = get(&node->parent, at);
    while (node == get(&parent->child[side], at)) {
        node = parent;
        parent = get(&node->parent, at);
    }
    /* From the root, without a child there, the walk has gone to the header and back. */
    return side == RIGHT && get(&node->child[RIGHT], at) == parent ? node : parent;
}

BOUND_FUNCTION(struct tree_node *, _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base,
               struct tree_node *node)
{
    return step(node, RIGHT, CALLER);
}

BOUND_FUNCTION(const struct tree_node *, _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base,
               const struct tree_node *node)
{
    return step((struct tree_node *)node, RIGHT, CALLER);
}

BOUND_FUNCTION(struct tree_node *, _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base,
               struct tree_node *node)
{
    return step(node, LEFT, CALLER);
}

BOUND_FUNCTION(const struct tree_node *, _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base,
               const struct tree_node *node)
{
    return step((struct tree_node *)node, LEFT, CALLER);
}

/* ---- changing them ---- */

/* Puts a node, or null, where another one hangs. */
static void replace(struct tree_node *header, struct tree_node *old, struct tree_node *parent,
                    struct tree_node *node, const void *at)
{
    if (get(&header->parent, at) == old)
        set(&header->parent, node, at);
    else
        set(&parent->child[side_of(old, parent, at)], node, at);
    if (node)
        set(&node->parent, parent, at);
}

/* Puts the child on the other side above a node, which goes down on `side`. */
static void rotate(struct tree_node *header, struct tree_node *node, enum side side, const void *at)
{
    struct tree_node *up = get(&node->child[other(side)], at);
    struct tree_node *moved = get(&up->child[side], at), *parent = get(&node->parent, at);
    set(&node->child[other(side)], moved, at);
    if (moved)
        set(&moved->parent, node, at);
    replace(header, node, parent, up, at);
    set(&up->child[side], node, at);
    set(&node->parent, up, at);
}

BOUND_FUNCTION(void, _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_,
               bool on_the_left, struct tree_node *node, struct tree_node *parent,
               struct tree_node *header)
{
    const void *at = CALLER;
    enum side side = on_the_left ? LEFT : RIGHT;
    set(&node->parent, parent, at);
    set(&node->child[LEFT], NULL, at);
    set(&node->child[RIGHT], NULL, at);
    paint(node, RED, at);
    if (parent == header) {
        set(&header->parent, node, at);
        set(&header->child[LEFT], node, at);
        set(&header->child[RIGHT], node, at);
    } else {
        set(&parent->child[side], node, at);
        if (get(&header->child[side], at) == parent)
            set(&header->child[side], node, at);
    }
    while (node != get(&header->parent, at) && is_red(parent = get(&node->parent, at), at)) {
        struct tree_node *above = get(&parent->parent, at);
        side = side_of(parent, above, at);
        struct tree_node *uncle = get(&above->child[other(side)], at);
        if (is_red(uncle, at)) {
            paint(parent, BLACK, at);
            paint(uncle, BLACK, at);
            paint(above, RED, at);
            node = above;
            continue;
        }
        if (side_of(node, parent, at) != side) {
            rotate(header, parent, side, at);
            parent = node;
        }
        paint(parent, BLACK, at);
        paint(above, RED, at);
        rotate(header, above, other(side), at);
        break;
    }
    paint(get(&header->parent, at), BLACK, at);
}

/* The paths through `node`, which hangs below `parent` and may be null, lack a black one. */
static void restore(struct tree_node *header, struct tree_node *node, struct tree_node *parent,
                    const void *at)
{
    while (node != get(&header->parent, at) && !is_red(node, at)) {
        enum side side = side_of(node, parent, at);
        struct tree_node *sibling = get(&parent->child[other(side)], at);
        if (is_red(sibling, at)) {
            paint(sibling, BLACK, at);
            paint(parent, RED, at);
            rotate(header, parent, side, at);
            sibling = get(&parent->child[other(side)], at);
        }
        struct tree_node *near = get(&sibling->child[side], at);
        struct tree_node *far = get(&sibling->child[other(side)], at);
        if (!is_red(near, at) && !is_red(far, at)) {
            paint(sibling, RED, at);
            node = parent;
            parent = get(&node->parent, at);
            continue;
        }
        if (!is_red(far, at)) {
            paint(near, BLACK, at);
            paint(sibling, RED, at);
            rotate(header, sibling, other(side), at);
            far = sibling;
            sibling = near;
        }
        paint(sibling, colour_of(parent, at), at);
        paint(parent, BLACK, at);
        paint(far, BLACK, at);
        rotate(header, parent, side, at);
        return;
    }
    if (node)
        paint(node, BLACK, at);
}

/* The first and the last node, where the one that is taken out was it. */
static void move_ends(struct tree_node *header, struct tree_node *node, const void *at)
{
    for (enum side side = LEFT; side <= RIGHT; side++) {
        if (get(&header->child[side], at) != node)
            continue;
        struct tree_node *inner = get(&node->child[other(side)], at);
        set(&header->child[side], inner ? outermost(inner, side, at) : get(&node->parent, at), at);
    }
}

BOUND_FUNCTION(struct tree_node *, _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_,
               struct tree_node *node, struct tree_node *header)
{
    const void *at = CALLER;
    struct tree_node *left = get(&node->child[LEFT], at), *right = get(&node->child[RIGHT], at);
    struct tree_node *parent = get(&node->parent, at), *child = left ? left : right;
    enum colour lost = colour_of(node, at);
    move_ends(header, node, at);
    if (!left || !right) {
        replace(header, node, parent, child, at);
    } else { /* the next node takes its place and its colour */
        struct tree_node *next = outermost(right, LEFT, at);
        child = get(&next->child[RIGHT], at);
        lost = colour_of(next, at);
        struct tree_node *above = get(&next->parent, at);
        if (above != node) {
            replace(header, next, above, child, at);
            set(&next->child[RIGHT], right, at);
            set(&right->parent, next, at);
        }
        replace(header, node, parent, next, at);
        set(&next->child[LEFT], left, at);
        set(&left->parent, next, at);
        paint(next, colour_of(node, at), at);
        parent = above == node ? next : above;
    }
    if (lost == BLACK)
        restore(header, child, parent, at);
    return node;
}

/* ---- std::list: nodes in a ring, of which one is in the list itself ---- */

struct list_node {
    struct list_node *next, *previous;
};

static struct list_node *get_link(struct list_node *const *link, const void *at)
{
    execution_plain(link, sizeof *link, false, at);
    return *link;
}

static void set_link(struct list_node **link, struct list_node *node, const void *at)
{
    execution_plain(link, sizeof *link, true, at);
    *link = node;
}

static void join(struct list_node *node, struct list_node *next, const void *at)
{
    set_link(&node->next, next, at);
    set_link(&next->previous, node, at);
}

BOUND_FUNCTION(void, _ZNSt8__detail15_List_node_base7_M_hookEPS0_, struct list_node *node,
               struct list_node *next)
{
    struct list_node *previous = get_link(&next->previous, CALLER);
    join(previous, node, CALLER);
    join(node, next, CALLER);
}

BOUND_FUNCTION(void, _ZNSt8__detail15_List_node_base9_M_unhookEv, struct list_node *node)
{
    struct list_node *next = get_link(&node->next, CALLER);
    join(get_link(&node->previous, CALLER), next, CALLER);
}

/* The nodes from `first` up to `end`, without it, go in front of `before`. */
BOUND_FUNCTION(void, _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_, struct list_node *before,
               struct list_node *first, struct list_node *end)
{
    if (before == end || first == end)
        return;
    struct list_node *last = get_link(&end->previous, CALLER);
    struct list_node *left = get_link(&first->previous, CALLER);
    struct list_node *previous = get_link(&before->previous, CALLER);
    join(left, end, CALLER);
    join(previous, first, CALLER);
    join(last, before, CALLER);
}

BOUND_FUNCTION(void, _ZNSt8__detail15_List_node_base10_M_reverseEv, struct list_node *ring)
{
    struct list_node *node = ring;
    do {
        struct list_node *next = get_link(&node->next, CALLER);
        set_link(&node->next, get_link(&node->previous, CALLER), CALLER);
        set_link(&node->previous, next, CALLER);
        node = next;
    } while (node != ring);
}

/* What is in two lists, with their rings' own nodes. */
BOUND_FUNCTION(void, _ZNSt8__detail15_List_node_base4swapERS0_S1_, struct list_node *one,
               struct list_node *two)
{
    struct list_node *firsts[] = {get_link(&one->next, CALLER), get_link(&two->next, CALLER)};
    struct list_node *lasts[] = {get_link(&one->previous, CALLER),
                                 get_link(&two->previous, CALLER)};
    struct list_node *rings[] = {one, two};
    for (unsigned i = 0; i < 2; i++) {
        struct list_node *ring = rings[i];
        bool is_empty = firsts[1 - i] == rings[1 - i];
        join(ring, is_empty ? ring : firsts[1 - i], CALLER);
        join(is_empty ? ring : lasts[1 - i], ring, CALLER);
    }
}
