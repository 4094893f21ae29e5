#include "reduce/decorator.h"

static struct model *inner_of(const struct model *base)
{
    return ((const struct decorator *)base)->inner;
}

enum status decorator_initial(struct model *base, struct successors *out, struct error *error)
{
    struct model *inner = inner_of(base);
    return inner->class->initial(inner, out, error);
}

enum status decorator_evaluate(struct model *base, uint32_t condition, const uint32_t *state,
                               int64_t *value, struct error *error)
{
    struct model *inner = inner_of(base);
    return inner->class->evaluate(inner, condition, state, value, error);
}

enum status decorator_represent(struct model *base, uint32_t *state, struct error *error)
{
    struct model *inner = inner_of(base);
    return inner->class->represent ? inner->class->represent(inner, state, error) : STATUS_OK;
}

void decorator_print(const struct model *base, const uint32_t *state, const uint32_t *before,
                     struct text *text)
{
    const struct model *inner = inner_of(base);
    inner->class->print(inner, state, before, text);
}
