/* Methods of rules and automata as operations of a specification, of the file or built in. */
#ifndef LIN_METHOD_H
#define LIN_METHOD_H

#include "lin/ast.h"
#include "spec/spec.h"

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
