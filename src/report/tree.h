/* Reading the JSON of traces: values by key, in memory of the caller's. */
#ifndef REPORT_TREE_H
#define REPORT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <yajl/yajl_tree.h>

#include "base/status.h"
#include "base/text.h"

/* Collections within one another in a trace: what is deeper is an error. */
#define TREE_MAX_DEPTH 500

/* The one value that the text is, released with yajl_tree_free(). STATUS_INPUT, with its line, if
 * it is not JSON, is nested too deeply, or has an integer of more than 64 bits. */
enum status tree_parse(const char *path, const struct text *bytes, yajl_val *root,
                       struct error *error) MUST_CHECK;

/* The value of that key and type; null if there is none, or `object` is null. */
yajl_val tree_find(yajl_val object, const char *key, yajl_type type);

/* A copy, released with free(); null if there is no such text. */
char *tree_text(yajl_val object, const char *key);

/* False unless it is true. */
bool tree_boolean(yajl_val object, const char *key);

/* False if there is no such number from 0 to UINT32_MAX - 1. */
bool tree_number(yajl_val object, const char *key, uint32_t *number);

/* A list of such numbers, empty if there is none; false if it holds something else. */
bool tree_indices(yajl_val object, const char *key, uint32_t **indices, size_t *length);

/* A list of texts, copies, each and all released with free(); empty if there is none. False if it
 * holds something else: those before it are there. */
bool tree_texts(yajl_val object, const char *key, char ***texts, size_t *count);

/* The number behind "xxh3:" in sixteen digits. */
bool tree_hash(yajl_val object, const char *key, uint64_t *hash);

#endif
