/* Linearizability by its definition. */
#ifndef DECIDE_DEFINITION_H
#define DECIDE_DEFINITION_H

#include "monitor/decision.h"

/* Tries every order of the operations. For teaching and as the oracle of the tests; exponential, no
 * memo. */
decide definition_decide;

#endif
