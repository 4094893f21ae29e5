/* Which calls clients may make of an object, as its specification has it: the orders in which one
 * thread calls (`client acquire, release;`, of the built-in mutex and semaphore too), and whether
 * there is a legal order of a scenario's calls at all, whatever they answer. What breaks the
 * contract in every order says nothing of the object: a release of a lock that nobody holds. */
#ifndef SCENARIO_CONTRACT_H
#define SCENARIO_CONTRACT_H

#include "scenario/interface.h"
#include "scenario/sequential_order.h"

struct contract {
    const struct spec *spec;
    uint16_t operations[SCENARIO_OPERATIONS]; /* of the specification, by those of the test */
    bool may_fail[SCENARIO_OPERATIONS], may_wait[SCENARIO_OPERATIONS];
    struct sequential_search search;
    VECTOR(uint64_t) visited;
    struct table numbers; /* of these */
};

/* False when memory is refused, or the specification lacks an operation of the test: there is
 * nothing to release then. The specification and the limits must outlive the contract. */
bool contract_init(struct contract *contract, const struct spec *spec,
                   const struct exchange_test *test, struct limits *limits) MUST_CHECK;
void contract_release(struct contract *contract);

/* The orders in which a thread calls, borrowed from the specification; false: as it likes, or the
 * specification lacks an operation of the test. */
bool contract_orders(const struct spec *spec, const struct exchange_test *test,
                     struct scenario_orders *orders);

enum contract_answer {
    CONTRACT_KEPT,   /* some legal order has all calls, or all that can be made where those left
                        may wait: LP_MAY_WAIT, or the specification waits there */
    CONTRACT_BROKEN, /* none has */
    CONTRACT_LIMIT,
};

/* An operation that may fail is legal anywhere. A call whose arguments the specification does not
 * take is left for others to tell: CONTRACT_KEPT. */
enum contract_answer contract_look(struct contract *contract,
                                   const struct scenario_interface *interface,
                                   const struct scenario *scenario);

#endif
