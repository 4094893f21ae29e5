#include "verify/lin_any_setting.h"

#include <string.h>

#include "lin/check.h"
#include "lin/class.h"
#include "lin/opaque.h"
#include "rules/automaton.h"
#include "unbounded/heap_view.h"
#include "verify/lin_any_parts.h"

#define MOST_COMPARED 16

#define FAIL(instance, at, ...)                                                                    \
    script_error((instance)->module->script, (at), (instance)->error, __VA_ARGS__)

/* An option that says what any number of threads leaves open, or asks for what is not decided then.
 */
static enum status refuse_beside_any(struct lin_instance *instance, const struct lin_option *option)
{
    bool any = option->word && strcmp(option->word, "any") == 0;
    uint8_t property = instance->assertion->property;
    if (strcmp(option->name, "threads") == 0 && property != LIN_LINEARIZES &&
        property != LIN_NEVER && property != LIN_LOCK_FREE)
        return FAIL(instance, option->at,
                    "expected a number of threads: only `linearizes`, `never` and `lock_free` are "
                    "decided for any number");
    if (strcmp(option->name, "ops") == 0 && !any)
        return FAIL(instance, option->at,
                    "expected `ops = any` or nothing beside `threads = any`: each thread calls as "
                    "often as it likes");
    if (strcmp(option->name, "values") == 0)
        return FAIL(instance, option->at,
                    "expected no `values` beside `threads = any`: there are as many as it takes");
    if (strcmp(option->name, "points") == 0)
        return FAIL(instance, option->at,
                    "expected no `points` beside `threads = any`: they are not compared with for "
                    "any number of threads");
    return STATUS_OK;
}

bool lin_assertion_is_any(const struct lin_assertion *assertion)
{
    bool any = false;
    for (uint32_t i = 0; i < assertion->option_count; i++)
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

/* Whether an operation of the file's specification answers true, false or one of several symbols:
 * what such an answer forbids is often no matter of some of the values, so that no automata can
 * describe all violations. */
static bool answers_otherwise(const struct lin_instance *instance)
{
    const struct lin_assertion *assertion = instance->assertion;
    const struct lin_object *own =
        lin_find_object(instance->module, assertion->specification.name, true);
    bool otherwise = false;
    for (uint32_t i = 0; own && i < own->operation_count && !otherwise; i++)
        otherwise = lin_answers(own, own->operations[i], LIN_TYPE_BOOL) ||
                    lin_answers_symbol(own->operations[i]);
    return otherwise;
}

static enum status check_rules(struct lin_instance *instance, const struct lin_object *object,
                               const struct lin_bounds *bounds)
{
    const struct lin_assertion *assertion = instance->assertion;
    enum status status =
        any_rules_find(instance->module, &assertion->specification, instance->name,
                       RULES_FOR_ANY_THREADS, &instance->arena, &instance->rules, instance->error);
    if (status == STATUS_INPUT && answers_otherwise(instance)) {
        instance->rules = (struct any_rules){0};
        instance->by_points = true;
        if (!bounds)
            instance->setting.values = LIN_ANY_POINTS_VALUES;
        return STATUS_OK;
    }
    TRY(status);
    TRY(any_rules_know(instance->module, &instance->rules, instance->spec, object,
                       instance->error));
    if (instance->spec->has_initial && instance->spec->initial != VALUE_NIL)
        return FAIL(instance, assertion->specification.at,
                    "expected a `%s` that begins without a value: with any number of threads "
                    "`initial` cannot be set",
                    assertion->specification.name);
    return STATUS_OK;
}

/* As many values as the condition compares with one another show all that it can see of any number:
 * values are only copied, so that all others may be renamed to one of these. */
static enum status check_condition(struct lin_instance *instance, const struct lin_object *object,
                                   const struct lin_bounds *bounds)
{
    const struct lin_assertion *assertion = instance->assertion;
    uint32_t compared;
    TRY(lin_class_check_condition(instance->module, object, assertion->condition, &compared,
                                  instance->error));
    if (compared > MOST_COMPARED)
        return FAIL(instance, assertion->condition->at,
                    "expected at most %d values that are compared with one another, with any "
                    "number of threads, found %u",
                    MOST_COMPARED, compared);
    if (!bounds)
        instance->setting.values = compared ? compared : 1;
    return STATUS_OK;
}

/* Whether operations are called with values, or with something else. */
static bool has_arguments(const struct lin_object *object, bool values)
{
    bool has = false;
    for (uint32_t i = 0; i < object->operation_count; i++)
        for (uint32_t j = 0; j < object->operations[i]->parameter_count; j++)
            has |= (object->operations[i]->parameters[j]->type.kind == LIN_TYPE_VALUE) == values;
    return has;
}

/* Whether the specification itself can observe a heap without bound: operations are called with
 * numbers, of which there are few. Where they make no nodes, only an object that is `refused`
 * otherwise. */
static enum status find_observer(struct lin_instance *instance, const struct lin_object *object,
                                 bool refused, bool *observes)
{
    struct lin_class found;
    struct error ignored = {0};
    *observes = false;
    if (instance->setting.nodes >= 0 || has_arguments(object, true) ||
        lin_any_parts_refuse(instance->spec))
        return STATUS_OK;
    const enum status status =
        lin_class_check(instance->module, object, NULL, LIN_CLASS_ANY_THREADS, &found, &ignored);
    *observes =
        status == STATUS_OK && (found.makes_nodes || (refused && has_arguments(object, false)));
    return status == STATUS_INPUT ? STATUS_OK : status;
}

/* Views tell no thread from another. */
static enum status refuse_single_threads(struct lin_instance *instance,
                                         const struct lin_object *object)
{
    const bool progress = instance->assertion->property == LIN_LOCK_FREE;
    for (uint32_t i = 0; i < object->operation_count; i++)
        if (object->operations[i]->only_thread)
            return FAIL(instance, object->operations[i]->only_thread->at,
                        "expected operations that any thread may call, with any number of threads "
                        "and of nodes, found `%s`, which is for one thread only: `%s = M` asks "
                        "about %s",
                        object->operations[i]->name, progress ? "threads" : "nodes",
                        progress ? "M threads" : "at most M allocations");
    return STATUS_OK;
}

static enum status leave_nodes_open(struct lin_instance *instance, const struct lin_object *object,
                                    const struct lin_bounds *bounds)
{
    TRY(refuse_single_threads(instance, object));
    instance->any_nodes = true;
    if (bounds) {
        instance->setting.keeps = false;
    } else {
        instance->setting.nodes = HEAP_MOST_NODES;
        instance->setting.unbounded = true;
    }
    instance->setting.notes_points = !bounds;
    return STATUS_OK;
}

/* Of one whose operations are called with numbers, so that it would have to observe. */
static enum status refuse_observer(struct lin_instance *instance, const struct lin_object *object)
{
    const char *refused = lin_any_parts_refuse(instance->spec);
    place at = instance->assertion->specification.at;
    if (!refused || has_arguments(object, true) || !has_arguments(object, false))
        return STATUS_OK;
    if (instance->own && !lin_names_thread(instance->own, &at) && instance->own->together_count)
        at = instance->own->togethers[0]->body.at;
    return FAIL(instance, at,
                "expected a specification that can observe the implementation, with any number of "
                "threads and operations that are called with numbers, found `%s`: %s",
                instance->name, refused);
}

/* Of an object whose operations are called in any order and have nothing to wait for. */
static enum status check_progress(struct lin_instance *instance, const struct lin_object *object,
                                  const struct lin_bounds *bounds)
{
    struct lin_class found;
    const struct lin_assertion *assertion = instance->assertion;
    if (instance->waits)
        return FAIL(instance, assertion->at,
                    "expected an object whose specification never waits, with any number of "
                    "threads, found `%s`, which does",
                    instance->name);
    if (instance->setting.client_count)
        return FAIL(instance, assertion->at,
                    "expected operations that are called in any order, with any number of threads, "
                    "found a client order");
    if (instance->setting.nodes >= 0)
        return FAIL(instance, assertion->at,
                    "expected `nodes = any` or nothing beside `threads = any`: `lock_free` is "
                    "decided for any number of nodes");
    TRY(lin_class_check(instance->module, object, NULL, LIN_CLASS_ANY_THREADS, &found,
                        instance->error));
    return leave_nodes_open(instance, object, bounds);
}

enum status any_setting_check(struct lin_instance *instance, const struct lin_object *object,
                              const struct lin_bounds *bounds)
{
    if (instance->assertion->property == LIN_LOCK_FREE)
        return check_progress(instance, object, bounds);
    struct lin_class found;
    const struct lin_assertion *assertion = instance->assertion;
    const bool never = assertion->property == LIN_NEVER;
    enum status status = never ? STATUS_OK : check_rules(instance, object, bounds);
    if (status == STATUS_OK)
        status = lin_class_check(instance->module, object, never ? NULL : instance->spec->class,
                                 LIN_CLASS_ANY_THREADS, &found, instance->error);
    if (!never && (status == STATUS_INPUT || instance->by_points)) {
        TRY(find_observer(instance, object, status == STATUS_INPUT, &instance->by_specification));
        if (instance->by_specification) {
            instance->rules = (struct any_rules){0};
            instance->by_points = false;
            return leave_nodes_open(instance, object, bounds);
        }
        if (status == STATUS_INPUT)
            TRY(refuse_observer(instance, object));
    }
    TRY(status);
    if (never)
        TRY(check_condition(instance, object, bounds));
    if (!found.makes_nodes || instance->setting.nodes >= 0)
        return STATUS_OK;
    if (never || instance->by_points || instance->rules.object->values_are_processes)
        return FAIL(instance, assertion->at,
                    "expected `nodes = M` beside `threads = any`, for operations make nodes (line "
                    "%u): the answer is for at most M allocations, and `nodes = any` is for "
                    "`linearizes` where the specification has automata and values are no threads",
                    script_line(instance->module->script, found.makes_at));
    return leave_nodes_open(instance, object, bounds);
}
