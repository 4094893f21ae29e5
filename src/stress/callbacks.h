/* When threads give way at atomic accesses. */
#ifndef STRESS_CALLBACKS_H
#define STRESS_CALLBACKS_H

#include <stdint.h>

/* Before one access in so many; 0: never. */
void stress_give_way(unsigned one_in);

/* The calling thread does, from now on, as the seed says. */
void stress_seed(uint64_t seed);

#endif
