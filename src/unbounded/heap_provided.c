#include "unbounded/heap_provided.h"

const char *heap_provide(const struct thread_system *system, struct heap_shape *shape)
{
    const char *unable = heap_shape_make(system->steps, shape);
    if (unable)
        return unable;
    if (system->steps->object->operation_count > HEAP_MOST_OPERATIONS)
        return "there are too many operations";
    if (system->kinds.length > 1)
        return "an operation is for one thread only";
    if (system->model.frees)
        return "nodes are given back";
    return NULL;
}

const char *heap_keep_locks(const struct heap_proof *proof, struct heap_shape *shape)
{
    bool in_nodes = false;
    shape->locks &= proof->released | shape->private_locks;
    for (uint32_t i = 0; i < shape->steps->pool_count; i++) {
        shape->lock_fields[i] &= proof->released_fields[i] | shape->private_fields[i];
        in_nodes |= shape->lock_fields[i] & ~shape->private_fields[i];
    }
    return in_nodes
               ? "nodes have locks that are not only taken by `lock` and given back by `unlock`"
               : NULL;
}
