#include "property/lin_any_setting.h"

#include <string.h>

#include "lang/lin_class.h"
#include "rules/automaton.h"

#define FAIL(instance, at, ...)                                                                    \
    script_error((instance)->module->script, (at), (instance)->error, __VA_ARGS__)

/* An option that says what any number of threads leaves open, or asks for what is not decided then.
 */
static enum status refuse_beside_any(struct lin_instance *instance, const struct lin_option *option)
{
    bool any = option->word && strcmp(option->word, "any") == 0;
    if (strcmp(option->name, "threads") == 0 && instance->assertion->property != LIN_LINEARIZES)
        return FAIL(instance, option->at,
                    "expected a number of threads: only `linearizes` is decided for any number");
    if (strcmp(option->name, "ops") == 0 && !any)
        return FAIL(instance, option->at,
                    "expected `ops = any` or nothing beside `threads = any`: each thread calls as "
                    "often as it likes");
    if (strcmp(option->name, "values") == 0)
        return FAIL(instance, option->at,
                    "expected no `values` beside `threads = any`: there are as many as it takes");
    if (strcmp(option->name, "nodes") == 0 && any)
        return FAIL(instance, option->at, "expected `nodes =` and a number beside `threads = any`");
    if (strcmp(option->name, "points") == 0)
        return FAIL(instance, option->at,
                    "expected no `points` beside `threads = any`: they are not compared with for "
                    "any number of threads");
    return STATUS_OK;
}

bool lin_assertion_is_any(const struct lin_assertion *assertion)
{
    bool any = false;
    for (uint32_t i = 0; i < assertion->option_count; i++) /* the last one counts */
        if (strcmp(assertion->options[i].name, "threads") == 0)
            any = assertion->options[i].word && strcmp(assertion->options[i].word, "any") == 0;
    return any;
}

enum status any_setting_read(struct lin_instance *instance, const struct lin_bounds *bounds)
{
    const struct lin_assertion *assertion = instance->assertion;
    struct lin_setting *setting = &instance->setting;
    for (uint32_t i = 0; i < assertion->option_count; i++)
        TRY(refuse_beside_any(instance, &assertion->options[i]));
    instance->is_any = true;
    setting->threads = bounds ? bounds->threads : 1;
    setting->operations = bounds ? bounds->operations : -1;
    setting->values = bounds ? bounds->values : VIOLATION_COLOURS;
    setting->fresh = bounds && bounds->fresh;
    setting->keeps = true;
    return STATUS_OK;
}

enum status any_setting_check(struct lin_instance *instance, const struct lin_object *object)
{
    struct lin_class found;
    const struct lin_assertion *assertion = instance->assertion;
    TRY(any_rules_find(instance->module, &assertion->specification, instance->name,
                       RULES_FOR_ANY_THREADS, &instance->arena, &instance->rules, instance->error));
    TRY(any_rules_know(instance->module, &instance->rules, instance->spec, object,
                       instance->error));
    TRY(lin_class_check(instance->module, object, instance->spec->class, LIN_CLASS_ANY_THREADS,
                        &found, instance->error));
    if (instance->spec->has_initial && instance->spec->initial != VALUE_NIL)
        return FAIL(instance, assertion->specification.at,
                    "expected a `%s` that begins without a value: with any number of threads "
                    "`initial` cannot be set",
                    assertion->specification.name);
    if (!found.makes_nodes || instance->setting.nodes >= 0)
        return STATUS_OK;
    return FAIL(instance, assertion->at,
                "expected `nodes = M` beside `threads = any`, for operations make nodes (line %u): "
                "the answer is for at most M allocations",
                script_line(instance->module->script, found.makes_at));
}
