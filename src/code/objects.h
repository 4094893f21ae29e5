/* Interned, immutable sequences of slots: the contents of channels, and the collections of PAT's
 * library (List, Set, Queue, Stack). Equal contents, equal identity. Threads share a pool; what is
 * there is found and read without a lock. */
#ifndef CODE_OBJECTS_H
#define CODE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/limits.h"

/* 0 is the empty sequence. */
typedef uint32_t object_id;

#define OBJECT_REFUSED UINT32_MAX

struct object_pool;

struct object_pool *object_pool_create(struct budget *budget);
void object_pool_destroy(struct object_pool *pool);

/* The object of this content (copied); OBJECT_REFUSED when refused. */
object_id object_intern(struct object_pool *pool, const uint32_t *items, size_t length) MUST_CHECK;

/* Its content, valid as long as the pool. */
const uint32_t *object_items(const struct object_pool *pool, object_id id, size_t *length);

/* ---- collections ---- */

enum collection {
    COLLECTION_NONE,
    COLLECTION_LIST,
    COLLECTION_SET, /* ascending, no duplicates */
    COLLECTION_QUEUE,
    COLLECTION_STACK, /* bottom first */
};

/* COLLECTION_NONE for an unknown name. */
enum collection collection_find(const char *name);

/* The method's number, -1 if the collection has none of that name with so many arguments. */
int method_find(enum collection collection, const char *name, size_t arguments);

/* Applies a method to an object: the object afterwards and the answer (a slot; 0 where the method
 * answers nothing). False, with a message, for a fault (pop of an empty stack, an index out of
 * range); *after is OBJECT_REFUSED when memory is refused. */
bool method_apply(struct object_pool *pool, int method, object_id object, const uint32_t *arguments,
                  object_id *after, uint32_t *answer, const char **message) MUST_CHECK;

#endif
