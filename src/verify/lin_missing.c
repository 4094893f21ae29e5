#include "verify/lin_missing.h"

#include <string.h>

#include "lin/check.h"
#include "verify/lin_client_order.h"
#include "verify/lin_instance_open.h"

static bool has(const struct lin_object *object, const struct spec_class *class, size_t wanted)
{
    bool found = false;
    for (uint32_t i = 0; i < object->operation_count; i++) {
        const char *name = object->operations[i]->name;
        found |= spec_operation_find(class, name, strlen(name)) == (int)wanted;
    }
    return found;
}

static enum status add(struct assertion_result *result, const char *name, bool is_uncalled)
{
    name = arena_copy_text(&result->asked.arena, name, strlen(name));
    bool good = name && (is_uncalled ? vector_push(&result->uncalled, name)
                                     : vector_push(&result->missing, name));
    return granted(good);
}

/* Of the specification that a `linearizes` names. */
static enum status find_missing(const struct lin_module *module,
                                const struct lin_assertion *assertion,
                                const struct lin_object *object, struct value_pool *pool,
                                struct budget *budget, struct assertion_result *result,
                                struct error *error)
{
    struct spec *spec;
    enum status status = lin_assertion_spec(module, assertion, pool, budget, &spec, error);
    for (size_t i = 0; status == STATUS_OK && i < spec->class->operation_count; i++)
        if (!has(object, spec->class, i) && !spec->class->operations[i].optional)
            status = add(result, spec->class->operations[i].name, false);
    spec_destroy(spec);
    return status;
}

/* Of the client order, and what that does not come to therefore. */
static enum status find_uncalled(const struct lin_object *object, struct lin_client_order order,
                                 bool notes_missing, struct assertion_result *result,
                                 bool *some_called)
{
    *some_called = false;
    for (uint32_t at = 0; notes_missing && at < order.count;) {
        const char *lacks = lin_client_order_lacks(order, object, &at);
        bool known = false;
        for (size_t i = 0; lacks && i < result->missing.length; i++)
            known |= strcmp(result->missing.items[i], lacks) == 0;
        if (lacks && !known)
            TRY(add(result, lacks, false));
    }
    for (uint32_t i = 0; i < object->operation_count; i++) {
        const char *name = object->operations[i]->name;
        bool called = lin_client_order_calls(order, object, name);
        *some_called |= called;
        if (!called)
            TRY(add(result, name, true));
    }
    return STATUS_OK;
}

enum status lin_missing_find(const struct lin_module *module, const struct lin_assertion *assertion,
                             struct value_pool *pool, struct budget *budget,
                             struct assertion_result *result, struct error *error)
{
    const struct lin_object *object =
        lin_find_object(module, assertion->implementation.name, false);
    const bool linearizes = assertion->property == LIN_LINEARIZES;
    bool some_called;
    if (linearizes)
        TRY(find_missing(module, assertion, object, pool, budget, result, error));
    TRY(find_uncalled(object, lin_client_order_of(module, assertion), !linearizes, result,
                      &some_called));
    if (some_called || result->answer != HOLDS)
        return STATUS_OK;
    result->answer = UNDECIDED;
    result->met_bounds = false;
    text_clear(&result->reason);
    text_append(&result->reason, "no operation is ever called: nothing was asked");
    return STATUS_OK;
}
