/* The rules that an assertion rests on, about any number of threads or decided by automata: the
 * violation automata of its specification. Those of a built-in one come with the program; a file
 * may add more of them, which then cannot be broken either. A specification of the file has those
 * that the file says. */
#ifndef VERIFY_LIN_ANY_RULES_H
#define VERIFY_LIN_ANY_RULES_H

#include "lin/ast.h"
#include "rules/shipped.h"
#include "spec/spec.h"

/* Which of them are used: those for prefixes, or with a number of threads those for histories;
 * where values are who calls, always those for prefixes. */
enum rules_for {
    RULES_FOR_ANY_THREADS,
    RULES_FOR_HISTORIES,
};

struct any_rules {
    const struct rule_object *object;
    struct violation_automata automata;
    bool own; /* of a specification of the file, which nobody has checked */
};

/* The automata for prefixes of the specification that `reference` names, `name` being its name with
 * its number, as in "semaphore(2)". STATUS_LIMIT. Memory is the arena's. */
enum status any_rules_list(const struct lin_module *module, const struct lin_reference *reference,
                           const char *name, struct arena *arena,
                           struct violation_automata *automata, struct error *error) MUST_CHECK;

/* The same with what is needed to use them. STATUS_INPUT, with the place, where there are none, or
 * they cannot be used. */
enum status any_rules_find(const struct lin_module *module, const struct lin_reference *reference,
                           const char *name, enum rules_for what, struct arena *arena,
                           struct any_rules *rules, struct error *error) MUST_CHECK;

/* Whether they know all operations of an implementation; STATUS_INPUT with the place of one that
 * they do not. */
enum status any_rules_know(const struct lin_module *module, const struct any_rules *rules,
                           const struct spec *spec, const struct lin_object *implementation,
                           struct error *error) MUST_CHECK;

#endif
