/* JSON values of a file as trees, one at a time: for formats whose records are nested structures.
 * A tree lives until the next value is read, so that a file of any length takes the memory of its
 * largest value. */
#ifndef HISTORY_JSON_TREE_H
#define HISTORY_JSON_TREE_H

#include "history/reading.h"

enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
};

/* Nodes refer to one another, and to their letters, by place. 0, the root, is nobody's child, so as
 * a child it stands for none. */
struct json_node {
    uint32_t kind; /* enum json_kind */
    uint32_t line;
    uint32_t name, name_length; /* in an object: its member's name, in tree->bytes */
    uint32_t text, text_length; /* a string's content, a number as written */
    uint32_t first, last, next; /* children and sibling; 0: none */
};

struct json_tree {
    VECTOR(struct json_node) nodes;
    struct bytes bytes;
    const char *file; /* for messages */
};

/* Called for every value; node 0 is its root. */
typedef enum status json_visitor(void *context, const struct json_tree *tree, struct error *error);

/* Reads the source to its end: values one after another, or in an array around all of them (whose
 * elements are visited then; null, as Go writes an array that was never made, counts as empty).
 * STATUS_INPUT when it is not JSON; what `visit` returns if that is not STATUS_OK; STATUS_LIMIT. */
enum status json_each(struct read_context *context, json_visitor *visit, void *visitor,
                      struct error *error) MUST_CHECK;

/* The member of that name, upper and lower case being the same as in Go; of several the last. 0 if
 * there is none, or `node` is no object. */
uint32_t json_find(const struct json_tree *tree, uint32_t node, const char *name);

/* The same, and 0 for a member that is null. */
uint32_t json_member(const struct json_tree *tree, uint32_t node, const char *name);

/* The number of children. */
uint32_t json_count(const struct json_tree *tree, uint32_t node);

/* The letters of a string or number, else null. Not 0-terminated. */
const char *json_text(const struct json_tree *tree, uint32_t node, size_t *length);
bool json_text_is(const struct json_tree *tree, uint32_t node, const char *text);

/* True, with the number, if the node is an integer of at most 64 bits. */
bool json_integer(const struct json_tree *tree, uint32_t node, int64_t *integer);

/* The node as a value; VALUE_REFUSED when the budget refuses. Objects become maps with strings as
 * keys. */
value json_value(const struct json_tree *tree, uint32_t node, struct value_pool *pool);

/* STATUS_INPUT "expected EXPECTED, found ..." at the node. */
enum status json_unexpected(const struct json_tree *tree, uint32_t node, const char *expected,
                            struct error *error);

#endif
