/* Whether an implementation whose nodes have no number is linearizable for any number of threads:
 * unbounded/heap_points.h, and what it says. */
#ifndef VERIFY_LIN_ANY_HEAP_H
#define VERIFY_LIN_ANY_HEAP_H

#include "unbounded/questions.h"
#include "verify/lin_instance.h"

/* Answers like question_ask: safe, or unknown with the reason, which the questions' arena keeps.
 * What is proved is checked until `last_deadline`, though the limits' own comes first; 0: never. */
enum status lin_any_heap_ask(const struct lin_instance *instance, struct questions *questions,
                             const struct limits *limits, uint64_t last_deadline,
                             struct question_answer *answer, struct error *error) MUST_CHECK;

#endif
