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

/* Item `number`, which is in no list, becomes the last. */
#define LINKED_APPEND(list, array, number)                                                         \
    do {                                                                                           \
        const uint32_t appended_ = (number);                                                       \
        (array)[appended_].before = (list)->last;                                                  \
        (array)[appended_].after = LINKED_NONE;                                                    \
        if ((list)->last == LINKED_NONE)                                                           \
            (list)->first = appended_;                                                             \
        else                                                                                       \
            (array)[(list)->last].after = appended_;                                               \
        (list)->last = appended_;                                                                  \
    } while (0)

/* Item `number`, which is in no list, comes behind item `previous`; LINKED_NONE: it is the first.
 */
#define LINKED_INSERT(list, array, number, previous)                                               \
    do {                                                                                           \
        const uint32_t inserted_ = (number), previous_ = (previous);                               \
        const uint32_t next_ =                                                                     \
            previous_ == LINKED_NONE ? (list)->first : (array)[previous_].after;                   \
        (array)[inserted_].before = previous_;                                                     \
        (array)[inserted_].after = next_;                                                          \
        if (previous_ == LINKED_NONE)                                                              \
            (list)->first = inserted_;                                                             \
        else                                                                                       \
            (array)[previous_].after = inserted_;                                                  \
        if (next_ == LINKED_NONE)                                                                  \
            (list)->last = inserted_;                                                              \
        else                                                                                       \
            (array)[next_].before = inserted_;                                                     \
    } while (0)

/* Takes item `number` out; its own `before` and `after` stay. */
#define LINKED_REMOVE(list, array, number)                                                         \
    do {                                                                                           \
        const uint32_t before_ = (array)[number].before, after_ = (array)[number].after;           \
        if (before_ == LINKED_NONE)                                                                \
            (list)->first = after_;                                                                \
        else                                                                                       \
            (array)[before_].after = after_;                                                       \
        if (after_ == LINKED_NONE)                                                                 \
            (list)->last = before_;                                                                \
        else                                                                                       \
            (array)[after_].before = before_;                                                      \
    } while (0)

#endif
