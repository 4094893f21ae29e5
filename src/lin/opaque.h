/* Whether a specification in `.lin` leaves values opaque: it keeps them, compares them with each
 * other and answers them, and nothing else. Then any renaming of the values of its arguments
 * renames its states and answers, and nothing more (it is data independent, Wolper 1986; Lazić
 * 1999).
 *
 * Integers and values are the same words when the specification runs. What is asked for is
 * therefore that what may be a value (a `value`, an item of a collection) and what is a number
 * (`int`) never meet: in a comparison, an assignment, an argument or a collection. */
#ifndef LIN_OPAQUE_H
#define LIN_OPAQUE_H

#include "lin/ast.h"
#include "value/value.h"

/* Of a checked specification with its parameters' values, one for each. If not, *at, unless null,
 * is set to the place of the first expression, declaration or statement that does not. */
bool lin_leaves_values_opaque(const struct lin_object *spec, const value *parameters, place *at);

/* Whether it does not even compare them, but with null: what it does with some values, it does with
 * any others in their places, also where two of these are one. Of a specification that leaves
 * values opaque. If it does more, *at, unless null, is set to where. */
bool lin_copies_values(const struct lin_object *spec, place *at);

/* Whether some operation may do one of several things; then *at is set to where: that of an
 * `either` or a `choose`. */
bool lin_chooses(const struct lin_object *spec, place *at);

/* Whether some `return` of an operation of a specification answers with this kind, or one of those
 * of its operations that take effect together. */
bool lin_answers(const struct lin_object *spec, const struct lin_operation *operation,
                 enum lin_type_kind kind);

/* Whether one answers with a symbol that says more than `ok` and `empty` do. */
bool lin_answers_symbol(const struct lin_operation *operation);

#endif
