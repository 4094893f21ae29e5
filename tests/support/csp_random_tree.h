/* A text as a tree of what may stand in for what: how random models are built and shrunk. */
#ifndef TESTS_SUPPORT_CSP_RANDOM_TREE_H
#define TESTS_SUPPORT_CSP_RANDOM_TREE_H

#include "base/arena.h"
#include "base/random.h"
#include "base/text.h"

enum random_sort {
    RANDOM_MODEL,
    RANDOM_DECLARATION, /* may go: "" */
    RANDOM_PROCESS,     /* gives way to a process in it, Skip or Stop */
    RANDOM_NUMBER,      /* to a number in it, or 0 */
    RANDOM_CONDITION,   /* to a condition in it, or true */
    RANDOM_STATEMENT,   /* to a statement in it, or "" */
    RANDOM_PROGRAM,     /* may go: "" */
};

/* `format` with a child for each `@@` in it. */
struct random_node {
    enum random_sort sort;
    unsigned count;
    const char *format;
    struct random_node **children;
};

/* A node; the children are null-terminated arguments. Owned by the arena, the format too. */
struct random_node *random_node_make(struct arena *arena, enum random_sort sort, const char *format,
                                     ...);
struct random_node *random_node_list(struct arena *arena, enum random_sort sort, const char *format,
                                     struct random_node *const *children, unsigned count);
struct random_node *random_node_copy(struct arena *arena, const struct random_node *node);
void random_node_print(const struct random_node *node, struct text *text);

/* Calls `visit` with every node's place, parents first, until it returns false. */
typedef bool random_place_visit(void *context, struct random_node **place);
bool random_node_walk(struct random_node **root, random_place_visit *visit, void *context);

/* What may stand in the place of a node, by number; null when there are no more. */
struct random_node *random_node_smaller(struct arena *arena, const struct random_node *node,
                                        unsigned number);

/* One of the words, of which the last is followed by null. */
const char *random_word(struct random *random, const char *const *words);

/* The text, owned by the arena. */
const char *random_formatted(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
