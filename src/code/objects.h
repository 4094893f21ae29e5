/* Interned, immutable sequences of slots: the contents of channels, and collections
 * (code/collections.h). Equal contents, equal identity. Threads share a pool; what is
 * there is found and read without a lock. */
#ifndef CODE_OBJECTS_H
#define CODE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/limits.h"

/* Below ARRAY_BIT (code/word.h); 0 is the empty sequence. */
typedef uint32_t object_id;

#define OBJECT_REFUSED UINT32_MAX

struct object_pool;

struct object_pool *object_pool_create(struct budget *budget);
void object_pool_destroy(struct object_pool *pool);

/* The budget that it was created with. */
struct budget *object_pool_budget(const struct object_pool *pool);

/* How many there are. */
uint32_t object_pool_count(const struct object_pool *pool);

/* The object of this content (copied); OBJECT_REFUSED when refused. */
object_id object_intern(struct object_pool *pool, const uint32_t *items, size_t length) MUST_CHECK;

/* Its content, valid as long as the pool. */
const uint32_t *object_items(const struct object_pool *pool, object_id id, size_t *length);

#endif
