/* Decides whether what the operations of an execution answered is what the test's specification
 * allows, for every client (scenario/clients.h). */
#ifndef RUNTIME_JUDGE_H
#define RUNTIME_JUDGE_H

#include <linchpin/test.h>

#include "base/limits.h"
#include "scenario/exchange.h"
#include "scenario/serial_histories.h"

struct judge;

struct judge_settings {
    const lp_test *test; /* its specification is named */
    const struct scenario *scenario;
    bool is_of_set; /* of scenarios, whose bound may end a thread within its order of calls */
    enum memory_model model;
    struct budget *budget;
    struct limits *limits;
};

/* STATUS_USAGE when there is no such specification, or it has no such operation. Owned by the
 * caller: judge_close. */
enum status judge_open(const struct judge_settings *settings, struct judge **judge,
                       struct error *error) MUST_CHECK;
void judge_close(struct judge *judge);

/* Where the specification is `auto`: what the code answers with one operation after the other, to
 * be filled in before anything is decided. Null: it is another one. */
struct serial_histories *judge_serial_histories(const struct judge *judge);

/* Decides the operations in `result`; `hangs`: threads that have not come to their end never will,
 * and operations that have not returned may wait. `waits_behind` becomes whether one does so only
 * behind another (CLIENTS_HANG_KEPT): never but in a scenario of a set. END_COMPLETE; END_FINDING,
 * with the edges of a client that shows it; END_UNDECIDED; END_USAGE when the specification does
 * not take an argument or an answer, said in result->finding.sentence. */
enum exchange_end judge_decide(struct judge *judge, const struct execution_graph *graph, bool hangs,
                               bool *waits_behind, struct exchange_result *result);

/* Whether no order of a scenario's calls is legal (scenario/contract.h), for a specification that
 * only the test program has. */
bool judge_breaks_contract(const struct judge *judge, const struct scenario *scenario);

/* Whether an operation of the test may wait: with LP_MAY_WAIT, where the specification would answer
 * empty or no or has no answer; without, where the specification itself waits. */
bool judge_may_wait(const struct judge *judge, uint32_t operation);

/* How many different executions were decided. */
uint64_t judge_histories(const struct judge *judge);

#endif
