/* Finds the violation automata that come with the program: those of examples/rules, whose text is
 * part of it. */
#ifndef RULES_SHIPPED_H
#define RULES_SHIPPED_H

#include "rules/automaton.h"

struct violation_automata {
    const struct rule_object *object;  /* null: there are none */
    struct violation_automaton *items; /* the arena's */
    size_t count;
};

/* Those of a specification, with its parameters as in "semaphore(3)", in the order of their names;
 * none if it has none. Which of them to use say their `for_histories` and `for_prefixes`.
 * STATUS_LIMIT. */
enum status violation_automata_of(const char *specification, struct arena *arena,
                                  struct violation_automata *automata,
                                  struct error *error) MUST_CHECK;

/* The specifications that have some: "queue, stack, ... or set". */
const char *violation_automata_specifications(void);

/* The text of an automaton; made from examples/rules when the program is built, in the order of
 * the names. */
struct shipped_automaton {
    const char *name, *object, *text;
};

extern const struct shipped_automaton shipped_automata[];
extern const size_t shipped_automaton_count;

#endif
