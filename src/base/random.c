#include "base/random.h"

#include <assert.h>

#include "base/hash.h"

void random_seed(struct random *random, uint64_t seed)
{
    random->state = seed;
}

uint64_t random_next(struct random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    return hash_word(random->state);
}

uint32_t random_below(struct random *random, uint32_t bound)
{
    assert(bound > 0);
    return (uint32_t)(((random_next(random) >> 32) * bound) >> 32);
}

bool random_chance(struct random *random, uint32_t numerator, uint32_t denominator)
{
    return random_below(random, denominator) < numerator;
}
