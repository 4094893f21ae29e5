/* The table of the built-in specifications: only who looks a class up by its name includes it. */
#ifndef SPEC_BUILTIN_H
#define SPEC_BUILTIN_H

#include "spec/spec.h"

/* The built-in classes, in the order of the manual's table; `*count` of them. */
const struct spec_class *const *spec_classes(size_t *count);

bool spec_class_is_builtin(const struct spec_class *class);

/* Hyphen and underscore are the same, case is not. Null if there is none of that name. Of a name
 * with and without parameters (queue, queue(n)) the one without: they have the same operations. */
const struct spec_class *spec_class_find(const char *name, size_t length);

/* Creates a built-in instance. STATUS_USAGE with a message that lists the specifications for an
 * unknown name, or says what the parameters or the initial value should be. Owned by the caller. */
enum status spec_create(const struct spec_request *request, struct value_pool *pool,
                        struct budget *budget, struct spec **spec, struct error *error) MUST_CHECK;

#endif
