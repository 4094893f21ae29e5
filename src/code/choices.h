/* The choices of a run: what it takes at each, so that running again and again goes through all.
 *
 *     choices_restart(&choices);
 *     do {
 *         choices_begin(&choices);
 *         ... run, which calls choices_take ...
 *     } while (choices_advance(&choices)); */
#ifndef CODE_CHOICES_H
#define CODE_CHOICES_H

#include <assert.h>

#include "base/vector.h"

#define CHOICE_REFUSED UINT32_MAX

struct code_choice {
    uint32_t taken, count;
};

struct choices {
    VECTOR(struct code_choice) items;
    size_t made; /* by this run */
    size_t most; /* of a run */
};

static inline void choices_init(struct choices *choices, size_t most, struct budget *budget)
{
    vector_init(&choices->items, budget);
    choices->made = 0;
    choices->most = most;
}

/* Before the first run. */
static inline void choices_restart(struct choices *choices)
{
    choices->items.length = 0;
}

/* Before each run. */
static inline void choices_begin(struct choices *choices)
{
    choices->made = 0;
}

/* The number, below `count`, that the run takes next; where there is but one, it is no choice.
 * CHOICE_REFUSED. */
static inline uint32_t choices_take(struct choices *choices, uint32_t count)
{
    assert(count > 0 && choices->made <= choices->items.length);
    if (count == 1)
        return 0;
    if (choices->made == choices->items.length &&
        !vector_push(&choices->items, ((struct code_choice){0, count})))
        return CHOICE_REFUSED;
    assert(choices->items.items[choices->made].count == count);
    return choices->items.items[choices->made++].taken;
}

/* The next run takes the next of the choices; false when all were taken. */
static inline bool choices_advance(struct choices *choices)
{
    assert(choices->made <= choices->items.length);
    choices->items.length = choices->made;
    while (choices->items.length > 0) {
        struct code_choice *last = &choices->items.items[choices->items.length - 1];
        if (++last->taken < last->count)
            return true;
        choices->items.length--;
    }
    return false;
}

#endif
