/* Histories of rounds of real threads, as specifications that stand in the program see them: what
 * asked_functions.h and asked_alone.h have in common. */
#ifndef SCENARIO_ASKED_H
#define SCENARIO_ASKED_H

#include "scenario/exchange.h"
#include "spec/spec.h"

/* The operation and the arguments of a call; 0 for those that it does not have. */
struct exchange_step asked_step(const struct call *call);

/* A result (linchpin/test.h) as such histories have it; VALUE_REFUSED when refused. */
value asked_answer(struct value_pool *pool, int64_t result);

/* The row of a specification's table. `name`, which the row keeps, gets the table's spelling. */
struct spec_operation asked_operation(const struct exchange_operation *operation, char *name);

#endif
