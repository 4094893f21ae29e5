/* Whether linearization points can be found for an implementation that any number of threads use:
 * a proof that asks nothing of the specification but that it has one answer to each call, and only
 * copies values.
 *
 * A *placement* says of each operation at which of its steps it takes effect. Beside the shared
 * state the specification's state is kept; a thread that comes to that step takes effect on it and
 * remembers what was answered. One that has not taken effect remembers which answers it could have
 * had without changing anything, at moments between its steps. If no operation can answer something
 * else than it remembers, every history is linearizable (docs/internals/any_threads.md has the
 * proof). Placements are tried one after the other. */
#ifndef VERIFY_LIN_ANY_POINTS_H
#define VERIFY_LIN_ANY_POINTS_H

#include "unbounded/questions.h"
#include "verify/lin_instance.h"

/* Answers like question_ask: safe, unsafe with a run of one placement that does not do, or unknown
 * with the reason, which the questions' arena keeps. */
enum status lin_any_points_ask(const struct lin_instance *instance, struct questions *questions,
                               const struct limits *limits, struct question_answer *answer,
                               struct error *error) MUST_CHECK;

#endif
