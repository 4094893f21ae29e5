/* Whether an implementation is lock-free for any number of threads and nodes:
 * unbounded/heap_progress.h, and what it says. */
#ifndef VERIFY_LIN_ANY_PROGRESS_H
#define VERIFY_LIN_ANY_PROGRESS_H

#include "unbounded/questions.h"
#include "verify/lin_instance.h"

/* Answers like lin_any_heap_ask. */
enum status lin_any_progress_ask(const struct lin_instance *instance, struct questions *questions,
                                 const struct limits *limits, uint64_t last_deadline,
                                 struct question_answer *answer, struct error *error) MUST_CHECK;

#endif
