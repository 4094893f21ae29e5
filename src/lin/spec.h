/* Specifications written in `.lin`, behind spec.h's interface. */
#ifndef LIN_SPEC_H
#define LIN_SPEC_H

#include "lang/script.h"
#include "spec/spec.h"

/* Whether a specification's name means one in a file: `queue.lin`, `queue.lin:stack(3)`. */
bool lin_spec_is_named(const char *name);

/* Reads the file of such a name and creates the specification in it; without `:NAME` the only one
 * that the file itself has, else that it includes. `request->has_initial` sets the parameter called
 * `initial`; the request's name is not looked at. STATUS_INPUT for a fault in the file,
 * STATUS_USAGE for a name or argument that does not fit it. Owned by the caller: spec_destroy. */
enum status lin_spec_open(const char *name, const struct spec_request *request,
                          struct value_pool *pool, struct budget *budget, struct spec **spec,
                          struct error *error) MUST_CHECK;

/* The same for a script that has been read; it is copied. `reference` is `NAME(args)` or null. */
enum status lin_spec_from_script(const struct script *script, const char *reference,
                                 const struct spec_request *request, struct value_pool *pool,
                                 struct budget *budget, struct spec **spec,
                                 struct error *error) MUST_CHECK;

/* The same for text in memory; `file` is its name in messages. */
enum status lin_spec_from_text(const char *file, const char *text, const char *reference,
                               const struct spec_request *request, struct value_pool *pool,
                               struct budget *budget, struct spec **spec,
                               struct error *error) MUST_CHECK;

#endif
