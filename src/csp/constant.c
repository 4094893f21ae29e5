#include "csp/compile.h"

enum status csp_constant(struct csp_program *program, const struct csp_expression *expression,
                         const struct scope *scope, const char *what, datum *constant,
                         struct error *error)
{
    code_id code = 0;
    TRY(csp_compile_expression(program, expression, scope, &code, error));
    if (code_is_constant(program->codes, code, constant))
        return STATUS_OK;
    /* Not folded: it reads a variable, or it is a fault such as a division by zero. */
    return script_error(program->module->script, expression->at, error,
                        "expected a constant as %s, found an expression whose value is known only "
                        "at run time",
                        what);
}

enum status csp_constant_integer(struct csp_program *program,
                                 const struct csp_expression *expression, const struct scope *scope,
                                 const char *what, int32_t least, int32_t most, int32_t *integer,
                                 struct error *error)
{
    datum constant = 0;
    TRY(csp_constant(program, expression, scope, what, &constant, error));
    const struct script *script = program->module->script;
    if (datum_tag_of(constant) != DATUM_INTEGER)
        return script_error(script, expression->at, error,
                            "expected an integer as %s, found a boolean", what);
    *integer = datum_bits(constant);
    if (*integer < least || *integer > most)
        return script_error(script, expression->at, error, "expected %s from %d to %d, found %d",
                            what, least, most, *integer);
    return STATUS_OK;
}
