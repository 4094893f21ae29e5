#include "property/lin_missing.h"

#include <string.h>

#include "lang/lin_check.h"
#include "property/lin_instance_open.h"

static bool has(const struct lin_object *object, const struct spec_class *class, size_t wanted)
{
    bool found = false;
    for (uint32_t i = 0; i < object->operation_count; i++) {
        const char *name = object->operations[i]->name;
        found |= spec_operation_find(class, name, strlen(name)) == (int)wanted;
    }
    return found;
}

enum status lin_missing_find(const struct lin_module *module, const struct lin_assertion *assertion,
                             struct value_pool *pool, struct budget *budget,
                             struct assertion_result *result, struct error *error)
{
    const struct lin_object *object =
        lin_find_object(module, assertion->implementation.name, false);
    struct spec *spec;
    enum status status = lin_assertion_spec(module, assertion, pool, budget, &spec, error);
    for (size_t i = 0; status == STATUS_OK && i < spec->class->operation_count; i++) {
        if (has(object, spec->class, i))
            continue;
        const char *name = spec->class->operations[i].name;
        name = arena_copy_text(&result->asked.arena, name, strlen(name));
        if (!name || !vector_push(&result->missing, name))
            status = STATUS_LIMIT;
    }
    spec_destroy(spec);
    return status;
}
