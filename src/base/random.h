/* Reproducible random numbers (splitmix64): same seed, same sequence, everywhere. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

void random_seed(struct random *random, uint64_t seed);
uint64_t random_next(struct random *random);

/* Uniform in 0 .. bound-1; bound > 0. */
uint32_t random_below(struct random *random, uint32_t bound);

/* True `numerator` times in `denominator`. */
bool random_chance(struct random *random, uint32_t numerator, uint32_t denominator);

#endif
