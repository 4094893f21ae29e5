/* A test program at work in a process of its own: what the code under test breaks there, or how
 * long it takes, is no matter of ours. */
#ifndef SCENARIO_CONVERSATION_H
#define SCENARIO_CONVERSATION_H

#include "base/limits.h"
#include "base/status.h"
#include "base/vector.h"
#include "scenario/exchange.h"

struct conversation; /* with a process that has been begun */

struct listed_tests {
    VECTOR(struct exchange_test) items;
};

/* Appends the tests of a program. STATUS_INPUT when it has none, or does not answer. */
enum status conversation_list(const char *program, struct listed_tests *tests,
                              struct error *error) MUST_CHECK;

/* Has a program explore, or confirm: `along` is the graph then. STATUS_INPUT when it ends without
 * an answer, which says how; STATUS_LIMIT when a limit is reached first. A program that does
 * not keep the time limit of the request, in a loop without any access, is ended: END_TIME. */
enum status conversation_run(const char *program, const struct exchange_request *request,
                             const struct execution_graph *along, const struct limits *limits,
                             struct exchange_result *result, struct error *error) MUST_CHECK;

/* Has a program explore, in a process that has explored other scenarios of the test before: *kept,
 * or a new one (null). Where that can go on it is kept; else it is ended, and *kept is null. What
 * a process that has explored others finds, or cannot do, should be looked for in a new one. The
 * thread that calls this must not end before the process: conversation_close. */
enum status conversation_explore(struct conversation **kept, const char *program,
                                 const struct exchange_request *request,
                                 const struct limits *limits, struct exchange_result *result,
                                 struct error *error) MUST_CHECK;

/* A program that is asked again and again: it has read the request. Null when it cannot be begun.
 */
struct conversation *conversation_open(const char *program, const struct exchange_request *request,
                                       struct error *error) MUST_CHECK;

bool conversation_send(const struct conversation *conversation, const void *bytes,
                       size_t size) MUST_CHECK;

/* False when the program ends before all of it has come, or some seconds pass. */
bool conversation_receive(struct conversation *conversation, void *bytes, size_t size) MUST_CHECK;

/* Ends the program. Null, or how it had ended or what it does, if it has not answered. */
const char *conversation_close(struct conversation *conversation);

#endif
