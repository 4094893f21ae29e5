#include "verify/csp_specification.h"

#include "csp/resolve.h"
#include "lin/spec.h"
#include "spec/builtin.h"

/* One of a `.lin` file that the model includes. */
static enum status make_included_spec(const struct csp_assertion *assertion,
                                      const struct script *script, struct value_pool *pool,
                                      struct budget *budget, struct spec **spec,
                                      struct error *error)
{
    struct spec_request request = {0};
    struct text reference = TEXT_EMPTY;
    for (const char *letter = assertion->goal; *letter; letter++)
        text_append_char(&reference, *letter == '-' ? '_' : *letter);
    if (assertion->goal_arguments)
        text_format(&reference, "(%s)", assertion->goal_arguments);
    enum status status =
        lin_spec_from_script(script, text_string(&reference), &request, pool, budget, spec, error);
    text_release(&reference);
    return status;
}

/* `register(initial = 3)` or `semaphore(3)`. */
static enum status make_built_in_spec(const struct csp_assertion *assertion,
                                      struct value_pool *pool, struct budget *budget,
                                      struct spec **spec, struct error *error)
{
    struct spec_request request = {.name = assertion->goal};
    struct text name = TEXT_EMPTY;
    const char *arguments = assertion->goal_arguments;
    if (arguments) {
        text_format(&name, "%s(%s)", assertion->goal, arguments);
        request.name = text_string(&name);
    }
    enum status status = spec_create(&request, pool, budget, spec, error);
    text_release(&name);
    return status;
}

enum status csp_assertion_spec(const struct csp_module *module,
                               const struct csp_assertion *assertion, struct value_pool *pool,
                               struct budget *budget, struct spec **spec, struct error *error)
{
    struct script included;
    TRY(csp_included_spec(module, assertion->goal, &included, error));
    enum status status = included.name
                             ? make_included_spec(assertion, &included, pool, budget, spec, error)
                             : make_built_in_spec(assertion, pool, budget, spec, error);
    if (status != STATUS_USAGE)
        return status;
    struct error copy = *error;
    return script_error(module->script, assertion->at, error, "%s", copy.message);
}
