/* Doubly linked lists of the items of an array, by their numbers. An item has `before` and `after`,
 * and whoever has the list `first` and `last`, all uint32_t; LINKED_NONE: there is none. `list` is
 * a pointer to that, `array` one to the items; both are evaluated several times.
 *
 *     LINKED_APPEND(queue, queue->items.items, number);
 *     LINKED_REMOVE(queue, queue->items.items, number);
 */
#ifndef BASE_LINKED_H
#define BASE_LINKED_H

#include <stdint.h>

#define LINKED_NONE UINT32_MAX

/* Item `following_` comes right behind item `leading_`; LINKED_NONE: one of them is an end. */
#define LINKED_JOIN_(list, array, leading_, following_)                                            \
    do {                                                                                           \
        if ((leading_) == LINKED_NONE)                                                             \
            (list)->first = (following_);                                                          \
        else                                                                                       \
            (array)[leading_].after = (following_);                                                \
        if ((following_) == LINKED_NONE)                                                           \
            (list)->last = (leading_);                                                             \
        else                                                                                       \
            (array)[following_].before = (leading_);                                               \
    } while (0)

/* Item `number`, which is in no list, comes behind item `previous`; LINKED_NONE: it is the first.
 */
#define LINKED_INSERT(list, array, number, previous)                                               \
    do {                                                                                           \
        const uint32_t inserted_ = (number), previous_ = (previous);                               \
        const uint32_t next_ =                                                                     \
            previous_ == LINKED_NONE ? (list)->first : (array)[previous_].after;                   \
        LINKED_JOIN_(list, array, previous_, inserted_);                                           \
        LINKED_JOIN_(list, array, inserted_, next_);                                               \
    } while (0)

/* Item `number`, which is in no list, becomes the last. */
#define LINKED_APPEND(list, array, number) LINKED_INSERT(list, array, number, (list)->last)

/* Takes item `number` out; its own `before` and `after` stay. */
#define LINKED_REMOVE(list, array, number)                                                         \
    do {                                                                                           \
        const uint32_t before_ = (array)[number].before, after_ = (array)[number].after;           \
        LINKED_JOIN_(list, array, before_, after_);                                                \
    } while (0)

#endif
