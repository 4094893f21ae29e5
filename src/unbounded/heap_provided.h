/* Which implementations with a heap without bound are provided for. */
#ifndef UNBOUNDED_HEAP_PROVIDED_H
#define UNBOUNDED_HEAP_PROVIDED_H

#include "unbounded/heap_proof.h"

/* Null, and the shape of views; else why there are none. */
const char *heap_provide(const struct thread_system *system, struct heap_shape *shape);

/* Only what is given back may be a lock, as the steps of a set say that was closed without an
 * observer. Null; else why views of the shape are not provided for. */
const char *heap_keep_locks(const struct heap_proof *proof, struct heap_shape *shape);

#endif
