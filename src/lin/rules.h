/* What the inductive rules of a `.lin` module mean. The side conditions of the paper are checked
 * here, with the place where one is not met:
 *
 * - an expression has the variables of its rule in their order, each once, and a method at most
 *   once; conditions speak of these variables only;
 * - rule 0 is the empty execution, and every other rule adds something: otherwise no last rule of a
 *   derivation is unique;
 * - where an expression has several methods, or one with a value, an input method is among them. So
 *   in an execution that gives each value to an input method once, each step has a value of its
 *   own;
 * - values are compared only where the set says that they are ordered; there the first event of a
 *   group tells its value. */
#ifndef LIN_RULES_H
#define LIN_RULES_H

#include "lin/ast.h"
#include "spec/rule_set.h"
#include "spec/spec.h"

/* Fills in `set` of all rules of a module. STATUS_INPUT with the place; STATUS_LIMIT. */
enum status lin_check_rules(struct lin_module *module, struct error *error) MUST_CHECK;

/* The rules of that name, or null. */
const struct lin_rules *lin_find_rules(const struct lin_module *module, const char *name);

/* The specification of that name. `own` and `built_in` both null: there is none. */
struct lin_subject {
    const char *name;
    const struct lin_object *own; /* of the file, before one that is built in */
    const struct spec_class *built_in;
};

struct lin_subject lin_find_subject(const struct lin_module *module, const char *name);

/* STATUS_INPUT with the place if the method's operation is none of the subject's, or takes another
 * number of values. */
enum status lin_check_operation(const struct lin_module *module, const struct lin_subject *subject,
                                const struct lin_method *method, struct error *error) MUST_CHECK;

#endif
