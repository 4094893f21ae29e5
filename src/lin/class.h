/* The class of implementations that any number of threads can be decided for: finitely many states
 * of what is shared and of what a thread knows, once values are told apart only by three colours.
 *
 * So values may be copied and compared with null, and nothing else (then a history of the
 * implementation stays one when its values are renamed, and every violation can be shown with
 * values that are added once each: Lemma 1); what is shared is bounded; and threads are alike.
 * (Bouajjani, Emmi, Enea, Hamza, "On Reducing Linearizability to State Reachability", ICALP 2015,
 * section 5.)
 */
#ifndef LIN_CLASS_H
#define LIN_CLASS_H

#include "lin/ast.h"
#include "spec/spec.h"

/* What an implementation is asked to be. */
enum lin_class_of {
    LIN_CLASS_COPIES,      /* its values are only copied: for violation automata */
    LIN_CLASS_ANY_THREADS, /* that, and the rest */
};

struct lin_class {
    bool makes_nodes; /* some operation does */
    place makes_at;   /* the first `new` that it does so with */
};

/* Of a checked implementation whose operations are those of the specification; without one,
 * operations may have any parameters and answers. STATUS_INPUT at the first thing that is not of
 * the class; STATUS_LIMIT. */
enum status lin_class_check(const struct lin_module *module, const struct lin_object *object,
                            const struct spec_class *spec, enum lin_class_of class,
                            struct lin_class *found, struct error *error) MUST_CHECK;

/* Of a checked condition over the shared variables, beside LIN_CLASS_ANY_THREADS: it names no
 * thread, and what it compares values with is null or one of `*values` others, so that as many
 * values show everything that any number of values can. STATUS_INPUT with the place. */
enum status lin_class_check_condition(const struct lin_module *module,
                                      const struct lin_object *object,
                                      const struct lin_expression *condition, uint32_t *values,
                                      struct error *error) MUST_CHECK;

#endif
