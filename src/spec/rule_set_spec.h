/* A rule set as a specification: what it derives is legal.
 *
 * A state is the execution so far: how many groups there are, the value of each (VALUE_REFUSED: not
 * known, or of no matter), and the events, with groups numbered in the order in which they begin.
 * A call may be an event of several methods, of an old group or a new one; each that leads to a
 * word of the set is an outcome. So values may be equal: an execution is legal if it is with some
 * of them told apart, which is what data independence means. What need not be remembered is left
 * out (rule_set_forget.h).
 *
 * Only prefix-closed sets are specifications, for each prefix of a linearization must be legal.
 * That is looked at for short executions. */
#ifndef SPEC_RULE_SET_SPEC_H
#define SPEC_RULE_SET_SPEC_H

#include "spec/rule_set.h"
#include "spec/spec.h"

/* Creates the specification; the set is copied. STATUS_INPUT for a set that is not prefix-closed.
 * Owned by the caller: spec_destroy. */
enum status rule_set_spec_create(const struct rule_set *set, const struct spec_request *request,
                                 struct value_pool *pool, struct budget *budget, struct spec **spec,
                                 struct error *error) MUST_CHECK;

/* The rules of a specification that is made of some; null if it is not. Operations are numbered as
 * in the set. */
const struct rule_set *rule_set_of(const struct spec *spec);

/* Whether specifications of the class are made of rules. */
bool rule_set_is_class(const struct spec_class *class);

/* Whether a call of the method's operation with this result can be an event of the method. */
bool rule_method_fits(const struct rule_set *set, unsigned method, value result);

#endif
