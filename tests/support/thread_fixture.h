/* An implementation read from text as a thread system, ready to be asked questions. */
#ifndef TESTS_SUPPORT_THREAD_FIXTURE_H
#define TESTS_SUPPORT_THREAD_FIXTURE_H

#include "rules/shipped.h"
#include "support/lin_fixture.h"
#include "unbounded/questions.h"

struct thread_fixture {
    struct lin_fixture lin;
    struct labels *labels;
    struct lin_setting setting;
    struct lin_steps steps;
    struct thread_system system;
    struct questions questions;
    struct violation_automata automata; /* of the object */
};

/* `implementation`: its name and arguments, "queue(2)". `nodes`: of each pool. False if something
 * is wrong, which `lin.error` says. Close it in any case. */
bool thread_fixture_open(struct thread_fixture *fixture, const char *text,
                         const char *implementation, const char *object, int32_t nodes);
void thread_fixture_close(struct thread_fixture *fixture);

/* One of the automata by name; it must be there. */
const struct violation_automaton *thread_fixture_automaton(const struct thread_fixture *fixture,
                                                           const char *name);

#endif
