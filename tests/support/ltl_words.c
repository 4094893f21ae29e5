#include "support/ltl_words.h"

#include <stdlib.h>

/* ---- formulas ---- */

static unsigned operands_of(enum tree_kind kind)
{
    return kind <= TREE_ATOM ? 0 : kind <= TREE_ALWAYS || kind == TREE_NEXT ? 1 : 2;
}

struct tree *tree_random(struct random *random, unsigned size, unsigned atoms, unsigned kinds)
{
    struct tree *tree = memory_small(sizeof *tree);
    *tree = (struct tree){.kind = TREE_ATOM, .atom = random_below(random, atoms)};
    if (size <= 1) {
        if (random_chance(random, 1, 16))
            tree->kind = random_chance(random, 1, 2) ? TREE_TRUE : TREE_FALSE;
        return tree;
    }
    tree->kind = TREE_NOT + random_below(random, kinds - TREE_NOT);
    if (operands_of(tree->kind) == 1) {
        tree->left = tree_random(random, size - 1, atoms, kinds);
        return tree;
    }
    unsigned left = size > 2 ? 1 + random_below(random, size - 2) : 1;
    tree->left = tree_random(random, left, atoms, kinds);
    tree->right = tree_random(random, size > left + 1 ? size - 1 - left : 1, atoms, kinds);
    return tree;
}

void tree_release(struct tree *tree)
{
    if (!tree)
        return;
    tree_release(tree->left);
    tree_release(tree->right);
    free(tree);
}

ltl_id tree_build(const struct tree *tree, struct ltl *ltl)
{
    ltl_id left = tree->left ? tree_build(tree->left, ltl) : LTL_TRUE;
    ltl_id right = tree->right ? tree_build(tree->right, ltl) : LTL_TRUE;
    switch (tree->kind) {
    case TREE_TRUE:
        return LTL_TRUE;
    case TREE_FALSE:
        return LTL_FALSE;
    case TREE_ATOM:
        return ltl_atom(ltl, tree->atom);
    case TREE_NOT:
        return ltl_not(left);
    case TREE_NEXT:
        return ltl_next(ltl, left);
    case TREE_EVENTUALLY:
        return ltl_eventually(ltl, left);
    case TREE_ALWAYS:
        return ltl_always(ltl, left);
    case TREE_AND:
        return ltl_and(ltl, left, right);
    case TREE_OR:
        return ltl_or(ltl, left, right);
    case TREE_IMPLIES:
        return ltl_implies(ltl, left, right);
    case TREE_EQUIVALENT:
        return ltl_equivalent(ltl, left, right);
    case TREE_UNTIL:
        return ltl_until(ltl, left, right);
    case TREE_RELEASE:
        return ltl_release_of(ltl, left, right);
    case TREE_XOR:
        return ltl_xor(ltl, left, right);
    default:
        return ltl_weak_until(ltl, left, right);
    }
}

void tree_print(const struct tree *tree, struct text *text)
{
    static const char *const operators[TREE_KINDS] = {
        "true", "false", "", "!", "<>", "[]", "&&", "||", "->", "<->", "U", "V", "X", "xor", "W"};
    switch (operands_of(tree->kind)) {
    case 0:
        if (tree->kind == TREE_ATOM)
            text_format(text, "p%u", tree->atom);
        else
            text_append(text, operators[tree->kind]);
        break;
    case 1:
        text_format(text, "(%s ", operators[tree->kind]);
        tree_print(tree->left, text);
        text_append_char(text, ')');
        break;
    default:
        text_append_char(text, '(');
        tree_print(tree->left, text);
        text_format(text, " %s ", operators[tree->kind]);
        tree_print(tree->right, text);
        text_append_char(text, ')');
    }
}

/* ---- words ---- */

void lasso_random(struct random *random, unsigned atoms, struct lasso *lasso)
{
    lasso->length = 1 + random_below(random, 8);
    lasso->loop = random_below(random, lasso->length);
    uint64_t mask = (UINT64_C(1) << atoms) - 1;
    for (unsigned i = 0; i < lasso->length; i++)
        lasso->letters[i] = random_next(random) & mask;
}

void lasso_print(const struct lasso *lasso, struct text *text)
{
    for (unsigned i = 0; i < lasso->length; i++)
        text_format(text, "%s%llx", i == lasso->loop ? " (" : " ",
                    (unsigned long long)lasso->letters[i]);
    text_append(text, ")");
}

/* Bit i: what holds at the position behind i. */
static uint64_t behind(const struct lasso *lasso, uint64_t holds)
{
    uint64_t shifted = holds >> 1;
    uint64_t last = UINT64_C(1) << (lasso->length - 1);
    return (shifted & ~last) | (holds >> lasso->loop & 1 ? last : 0);
}

/* The fixpoint of x = right or (left and next x) from below, or of its dual from above. */
static uint64_t until(const struct lasso *lasso, uint64_t left, uint64_t right)
{
    for (uint64_t holds = 0;;) {
        uint64_t next = right | (left & behind(lasso, holds));
        if (next == holds)
            return holds;
        holds = next;
    }
}

static uint64_t release(const struct lasso *lasso, uint64_t left, uint64_t right, uint64_t all)
{
    for (uint64_t holds = all;;) {
        uint64_t next = right & (left | behind(lasso, holds));
        if (next == holds)
            return holds;
        holds = next;
    }
}

/* Bit i: the formula holds at position i. */
static uint64_t meaning(const struct lasso *lasso, const struct tree *tree)
{
    uint64_t all = lasso->length == 64 ? UINT64_MAX : (UINT64_C(1) << lasso->length) - 1;
    uint64_t left = tree->left ? meaning(lasso, tree->left) : 0;
    uint64_t right = tree->right ? meaning(lasso, tree->right) : 0;
    uint64_t holds = 0;
    switch (tree->kind) {
    case TREE_TRUE:
        return all;
    case TREE_FALSE:
        return 0;
    case TREE_ATOM:
        for (unsigned i = 0; i < lasso->length; i++)
            holds |= (lasso->letters[i] >> tree->atom & 1) << i;
        return holds;
    case TREE_NOT:
        return all & ~left;
    case TREE_NEXT:
        return behind(lasso, left);
    case TREE_EVENTUALLY:
        return until(lasso, all, left);
    case TREE_ALWAYS:
        return release(lasso, 0, left, all);
    case TREE_AND:
        return left & right;
    case TREE_OR:
        return left | right;
    case TREE_IMPLIES:
        return (all & ~left) | right;
    case TREE_EQUIVALENT:
        return all & ~(left ^ right);
    case TREE_UNTIL:
        return until(lasso, left, right);
    case TREE_RELEASE:
        return release(lasso, left, right, all);
    case TREE_XOR:
        return left ^ right;
    default:
        return until(lasso, left, right) | release(lasso, 0, left, all);
    }
}

bool lasso_satisfies(const struct lasso *lasso, const struct tree *tree)
{
    return meaning(lasso, tree) & 1;
}

/* ---- acceptance ---- */

/* The product of automaton and word, node = state * length + position; components after Tarjan. */
struct product {
    const struct buchi *buchi;
    const struct lasso *lasso;
    uint32_t *index, *low, *stack;
    uint32_t visited, depth;
    bool *stacked;
    bool accepted;
};

static unsigned position_behind(const struct lasso *lasso, unsigned position)
{
    return position + 1 == lasso->length ? lasso->loop : position + 1;
}

/* Whether the component stack[from .. depth) has edges of every acceptance set. */
static bool component_accepts(const struct product *product, uint32_t from)
{
    const struct buchi *buchi = product->buchi;
    const struct lasso *lasso = product->lasso;
    bool *member = calloc((size_t)buchi->state_count * lasso->length, sizeof *member);
    for (uint32_t i = from; i < product->depth; i++)
        member[product->stack[i]] = true;
    uint64_t sets = 0;
    bool edges = false;
    for (uint32_t i = from; i < product->depth; i++) {
        uint32_t state = product->stack[i] / lasso->length;
        unsigned position = product->stack[i] % lasso->length;
        unsigned next = position_behind(lasso, position);
        for (uint32_t e = buchi->first.items[state]; e < buchi->first.items[state + 1]; e++) {
            const struct buchi_edge *edge = &buchi->edges.items[e];
            if (!buchi_edge_reads(edge, lasso->letters[position]) ||
                !member[edge->target * lasso->length + next])
                continue;
            edges = true;
            sets |= edge->acceptance;
        }
    }
    free(member);
    return edges && sets == buchi_all_sets(buchi);
}

static void visit(struct product *product, uint32_t node)
{
    const struct buchi *buchi = product->buchi;
    const struct lasso *lasso = product->lasso;
    uint32_t state = node / lasso->length;
    unsigned position = node % lasso->length;
    uint32_t from = product->depth;
    product->index[node] = product->low[node] = ++product->visited;
    product->stack[product->depth++] = node;
    product->stacked[node] = true;
    for (uint32_t e = buchi->first.items[state]; e < buchi->first.items[state + 1]; e++) {
        const struct buchi_edge *edge = &buchi->edges.items[e];
        if (!buchi_edge_reads(edge, lasso->letters[position]))
            continue;
        uint32_t next = edge->target * lasso->length + position_behind(lasso, position);
        if (!product->index[next])
            visit(product, next);
        if (product->stacked[next] && product->low[next] < product->low[node])
            product->low[node] = product->low[next];
    }
    if (product->low[node] != product->index[node])
        return;
    product->accepted = product->accepted || component_accepts(product, from);
    while (product->depth > from)
        product->stacked[product->stack[--product->depth]] = false;
}

bool buchi_accepts(const struct buchi *buchi, const struct lasso *lasso)
{
    size_t nodes = (size_t)buchi->state_count * lasso->length;
    if (!nodes)
        return false;
    struct product product = {.buchi = buchi,
                              .lasso = lasso,
                              .index = calloc(nodes, sizeof(uint32_t)),
                              .low = calloc(nodes, sizeof(uint32_t)),
                              .stack = calloc(nodes, sizeof(uint32_t)),
                              .stacked = calloc(nodes, sizeof(bool))};
    for (size_t i = 0; i < buchi->initial.length; i++)
        if (!product.index[buchi->initial.items[i] * lasso->length])
            visit(&product, buchi->initial.items[i] * lasso->length);
    free(product.index);
    free(product.low);
    free(product.stack);
    free(product.stacked);
    return product.accepted;
}
