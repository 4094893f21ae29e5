/* Whether a run of a thread system is a violation of so many threads of the implementation itself.
 *
 * The run is one of three colours, and the automata that it comes from take what was called for
 * what will return. So it is taken again on the model of as many threads (lin_scheduled.h), with a
 * value of its own for each call that brings one in: values are only copied, so that the same steps
 * are there. (A condition may compare values: where one is asked about they stay those of the run.)
 * Then what still runs goes on by itself, in every order. If the specification cannot
 * follow somewhere, that is a violation like any other of a fixed number of threads. */
#ifndef VERIFY_LIN_CONFIRM_H
#define VERIFY_LIN_CONFIRM_H

#include "unbounded/questions.h"
#include "value/value.h"
#include "verify/assertion.h"

/* The answer is in `result`, which the caller has initialised and releases, as lin_assertion_decide
 * gives it with the schedule in options->bounds: VIOLATED; HOLDS, if it is none; UNDECIDED, also
 * if there are more threads than a model can have. STATUS_INPUT: the model is wrong in a way that
 * the run shows. */
enum status lin_confirm(const struct lin_module *module, const struct lin_assertion *assertion,
                        struct value_pool *pool, const struct assertion_options *options,
                        struct thread_system *system, const struct schedule *run,
                        struct assertion_result *result, struct error *error) MUST_CHECK;

#endif
