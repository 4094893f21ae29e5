/* The constants of a `.lin` file: `const`, and the names of enums. Whoever names one is given its
 * number: behind the checker there are no such names. */
#ifndef LIN_CHECK_CONSTANTS_H
#define LIN_CHECK_CONSTANTS_H

#include "lin/check_scope.h"

/* Finds the numbers of all, and the bounds of each enum. */
enum status checker_check_constants(struct checker *checker) MUST_CHECK;

/* The enum of that name; null: there is none. */
const struct lin_enum *checker_find_enum(const struct lin_module *module, const char *name);

/* Turns a name into the number that it stands for. False: it names no constant of the file. */
bool checker_take_constant(const struct lin_module *module, struct lin_expression *name);

/* Turns an expression, checked or not, whose names are constants of the file into the number or
 * boolean that it is, which is its type as well. Complains about any other. */
enum status checker_fold(const struct checker *checker,
                         struct lin_expression *expression) MUST_CHECK;

/* Takes the constants that an assertion, a set of rules or an automaton names in arguments and
 * options, where other names stay what they are. */
void checker_take_constants(const struct lin_module *module, struct lin_expression *expression);
void checker_take_option(const struct lin_module *module, struct lin_option *option);
void checker_take_constants_of(const struct lin_module *module, struct lin_reference *reference);

#endif
