/* Permutations of threads, or of values, for symmetry: of at most 8, four bits each saying which
 * number one is given. The identity is 0, so that a permutation fits a label's component. */
#ifndef MODEL_TURNING_H
#define MODEL_TURNING_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define TURNING_MOST     8 /* threads */
#define TURNING_IDENTITY 0

typedef uint32_t turning;

#define TURNING_MASK UINT32_C(0x76543210)

/* What `thread` is called afterwards. */
static inline uint32_t turning_of(turning t, uint32_t thread)
{
    return thread < TURNING_MOST ? (t ^ TURNING_MASK) >> (4 * thread) & 15 : thread;
}

/* From the new numbers of 8 threads. */
static inline turning turning_make(const uint8_t numbers[TURNING_MOST])
{
    uint32_t bits = 0, given = 0;
    for (uint32_t i = 0; i < TURNING_MOST; i++) {
        assert(numbers[i] < TURNING_MOST);
        bits |= (uint32_t)numbers[i] << (4 * i);
        given |= UINT32_C(1) << numbers[i];
    }
    assert(given == (1 << TURNING_MOST) - 1); /* each number once */
    (void)given;
    return bits ^ TURNING_MASK;
}

/* First `first`, then `second`. */
static inline turning turning_then(turning first, turning second)
{
    uint8_t numbers[TURNING_MOST];
    for (uint32_t i = 0; i < TURNING_MOST; i++)
        numbers[i] = (uint8_t)turning_of(second, turning_of(first, i));
    return turning_make(numbers);
}

static inline turning turning_back(turning t)
{
    uint8_t numbers[TURNING_MOST];
    for (uint32_t i = 0; i < TURNING_MOST; i++)
        numbers[turning_of(t, i)] = (uint8_t)i;
    assert(turning_then(t, turning_make(numbers)) == TURNING_IDENTITY);
    return turning_make(numbers);
}

/* How what is alike in a state is renumbered: processes or threads, and values (value v is number
 * v - 1 of its permutation). */
struct renumbering {
    turning threads, values;
};

#define RENUMBERING_NONE ((struct renumbering){TURNING_IDENTITY, TURNING_IDENTITY})

static inline bool renumbering_is_none(struct renumbering by)
{
    return by.threads == TURNING_IDENTITY && by.values == TURNING_IDENTITY;
}

static inline struct renumbering renumbering_then(struct renumbering first,
                                                  struct renumbering second)
{
    return (struct renumbering){turning_then(first.threads, second.threads),
                                turning_then(first.values, second.values)};
}

static inline struct renumbering renumbering_back(struct renumbering by)
{
    return (struct renumbering){turning_back(by.threads), turning_back(by.values)};
}

#endif
