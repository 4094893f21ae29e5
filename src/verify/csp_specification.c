#include "verify/csp_specification.h"

#include <string.h>

#include "csp/resolve.h"
#include "lin/spec.h"
#include "spec/builtin.h"
#include "value/print.h"

static const char *skip_blank(const char *at)
{
    return at + strspn(at, " \t\r\n\f");
}

/* What follows `initial =`; null where something else stands. */
static const char *initial_value(const char *arguments)
{
    const char *at = skip_blank(arguments);
    if (strncmp(at, "initial", 7) != 0)
        return NULL;
    at = skip_blank(at + 7);
    return *at == '=' ? skip_blank(at + 1) : NULL;
}

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
static enum status make_built_in_spec(const struct csp_module *module,
                                      const struct csp_assertion *assertion,
                                      struct value_pool *pool, struct budget *budget,
                                      struct spec **spec, struct error *error)
{
    struct spec_request request = {.name = assertion->goal};
    struct text name = TEXT_EMPTY;
    const char *arguments = assertion->goal_arguments;
    const char *initial = arguments ? initial_value(arguments) : NULL;
    if (initial) {
        size_t used = 0;
        struct error wrong = {0};
        enum status status = value_parse_edn(pool, initial, strlen(initial), &used, NULL, 0,
                                             &request.initial, &wrong);
        if (status == STATUS_INPUT)
            return script_error(module->script, assertion->at, error, "%s", wrong.message);
        TRY(status);
        const char *rest = skip_blank(initial + used);
        if (*rest)
            return script_error(module->script, assertion->at, error,
                                "expected `)` after the initial value, found `%.40s`", rest);
        request.has_initial = true;
    } else if (arguments) {
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
                             : make_built_in_spec(module, assertion, pool, budget, spec, error);
    if (status != STATUS_USAGE)
        return status;
    struct error copy = *error;
    return script_error(module->script, assertion->at, error, "%s", copy.message);
}
