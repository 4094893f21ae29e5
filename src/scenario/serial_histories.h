/* What the calls of a scenario answer when they run whole, one after the other: every order that
 * was seen, with its answers, and where a call did not return. The specification made of it is the
 * code itself with one operation after the other: a sequence of calls with answers is legal if it
 * is the beginning of one that was seen, and a call may wait behind such a sequence if it did.
 *
 * Kept as a tree, whose edges are calls with their answers: orders share what they begin with. A
 * call may have several answers at one place, and so may what follows each. */
#ifndef SCENARIO_SERIAL_HISTORIES_H
#define SCENARIO_SERIAL_HISTORIES_H

#include "scenario/scenarios.h"
#include "spec/spec.h"

struct serial_histories;

struct serial_step {
    unsigned call;  /* its number in the scenario */
    int64_t result; /* as linchpin/test.h has it */
};

/* There is the empty order. Null when refused. */
struct serial_histories *serial_histories_create(struct budget *budget) MUST_CHECK;
void serial_histories_destroy(struct serial_histories *histories);

/* For people, in states: what is called. Both must outlive the histories. */
void serial_histories_name(struct serial_histories *histories, const struct scenario *scenario,
                           const struct scenario_interface *interface);

enum {
    SERIAL_NOBODY = SCENARIO_CALLS
};

/* An order that was seen, with a further call that did not return behind it (SERIAL_NOBODY: none).
 * False when refused. */
bool serial_histories_add(struct serial_histories *histories, const struct serial_step *steps,
                          size_t count, unsigned waits) MUST_CHECK;

/* A result as calls of the specification have it: VALUE_REFUSED when refused. */
value serial_answer(struct value_pool *pool, int64_t result);

/* How many whole orders there are: those that no other one continues. */
size_t serial_histories_count(const struct serial_histories *histories);

/* The specification, by which all that is added later is legal, too. It has one operation, 0, whose
 * argument is the number of the call. The histories must outlive it. */
enum status serial_histories_spec(struct serial_histories *histories, struct value_pool *pool,
                                  struct spec **spec, struct error *error) MUST_CHECK;

#endif
