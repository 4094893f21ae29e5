/* A growing array of any type, charged to a budget.
 *
 *     VECTOR(uint32_t) order;
 *     vector_init(&order, budget);
 *     if (!vector_push(&order, 7))
 *         return STATUS_LIMIT;
 *     order.items[0] == 7, order.length == 1
 *     vector_release(&order);
 */
#ifndef BASE_VECTOR_H
#define BASE_VECTOR_H

#include "base/faults.h"
#include "base/memory.h"

#define VECTOR_FIRST SIZE_OR_SMALL(8, 1) /* items */
#define VECTOR_LONG  ((size_t)1 << SIZE_OR_SMALL(16, 4))

#define VECTOR(type)                                                                               \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t length, capacity;                                                                   \
        struct budget *budget;                                                                     \
    }

#define vector_init(vector, from)                                                                  \
    ((vector)->items = NULL, (vector)->length = 0, (vector)->capacity = 0,                         \
     (vector)->budget = (from))

/* Room for `count` items in all; false when refused. */
#define vector_reserve(vector, count)                                                              \
    ((count) <= (vector)->capacity ||                                                              \
     vector_grow((vector)->budget, (void **)&(vector)->items, &(vector)->capacity, (count),        \
                 sizeof *(vector)->items))

/* Appends one item; false when refused. */
#define vector_push(vector, item)                                                                  \
    (vector_reserve(vector, (vector)->length + 1)                                                  \
         ? ((vector)->items[(vector)->length++] = (item), true)                                    \
         : false)

#define vector_release(vector)                                                                     \
    (memory_release((vector)->budget, (vector)->items,                                             \
                    (vector)->capacity * sizeof *(vector)->items),                                 \
     vector_init(vector, (vector)->budget))

/* The same for two to ten vectors: vectors_init(budget, &a, &b), vectors_release(&a, &b). */
#define vectors_init(from, ...) VECTORS_EACH(VECTORS_INIT, from, __VA_ARGS__)
#define vectors_release(...)    VECTORS_EACH(VECTORS_RELEASE, 0, __VA_ARGS__)

#define VECTORS_INIT(from, vector)      vector_init(vector, from)
#define VECTORS_RELEASE(unused, vector) vector_release(vector)
#define VECTORS_EACH(act, from, ...)                                                               \
    VECTORS_PICK(__VA_ARGS__, VECTORS_10, VECTORS_9, VECTORS_8, VECTORS_7, VECTORS_6, VECTORS_5,   \
                 VECTORS_4, VECTORS_3, VECTORS_2, 0)                                               \
    (act, from, __VA_ARGS__)
#define VECTORS_PICK(a, b, c, d, e, f, g, h, i, j, chosen, ...) chosen

#define VECTORS_2(act, from, one, other) (act(from, one), act(from, other))
#define VECTORS_3(act, from, one, ...)   (act(from, one), VECTORS_2(act, from, __VA_ARGS__))
#define VECTORS_4(act, from, one, ...)   (act(from, one), VECTORS_3(act, from, __VA_ARGS__))
#define VECTORS_5(act, from, one, ...)   (act(from, one), VECTORS_4(act, from, __VA_ARGS__))
#define VECTORS_6(act, from, one, ...)   (act(from, one), VECTORS_5(act, from, __VA_ARGS__))
#define VECTORS_7(act, from, one, ...)   (act(from, one), VECTORS_6(act, from, __VA_ARGS__))
#define VECTORS_8(act, from, one, ...)   (act(from, one), VECTORS_7(act, from, __VA_ARGS__))
#define VECTORS_9(act, from, one, ...)   (act(from, one), VECTORS_8(act, from, __VA_ARGS__))
#define VECTORS_10(act, from, one, ...)  (act(from, one), VECTORS_9(act, from, __VA_ARGS__))

/* Behind vector_reserve: grows by a factor, so that pushing is amortised constant; a long one by
 * half only, for what is not used is charged as well. */
static inline MUST_CHECK bool vector_grow(struct budget *budget, void **items, size_t *capacity,
                                          size_t least, size_t item_size)
{
    size_t wanted = *capacity < VECTOR_FIRST ? VECTOR_FIRST : *capacity * 2;
    if (*capacity >= VECTOR_LONG)
        wanted = *capacity + *capacity / 2;
    if (wanted < least)
        wanted = least;
    void *moved = memory_resize(budget, *items, *capacity * item_size, wanted * item_size);
    if (!moved)
        return false;
    *items = moved;
    *capacity = wanted;
    return true;
}

#endif
