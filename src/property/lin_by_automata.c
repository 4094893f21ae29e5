#include "property/lin_by_automata.h"

#include "lang/lin_check.h"
#include "lang/lin_class.h"

#define FAIL(instance, at, error, ...)                                                             \
    script_error((instance)->module->script, (at), (error), __VA_ARGS__)

/* The object that the automata are of. */
static enum status find_object(const struct lin_instance *instance,
                               const struct rule_object **object, struct error *error)
{
    const struct lin_reference *specification = &instance->assertion->specification;
    bool built_in = !lin_find_object(instance->module, specification->name, true);
    *object = built_in ? rule_object_find(instance->name) : NULL;
    if (!*object)
        return FAIL(instance, specification->at, error,
                    "expected a specification with violation automata (%s), found `%s`",
                    rule_object_names(), specification->name);
    if (!automata_normal_knows(*object))
        return FAIL(instance, specification->at, error,
                    "expected a specification whose values are only copied, found `%s`: its "
                    "violation automata are about histories, and prove no implementation",
                    specification->name);
    if (instance->spec->has_initial && instance->spec->initial != VALUE_NIL)
        return FAIL(instance, specification->at, error,
                    "expected `%s` without `initial`: its violation automata have no such value",
                    specification->name);
    return STATUS_OK;
}

enum status lin_by_automata_open(struct lin_by_automata *automata,
                                 const struct lin_instance *instance, struct error *error)
{
    struct budget *budget = instance->budget;
    const struct rule_object *object;
    struct lin_class ignored;
    *automata = (struct lin_by_automata){0};
    arena_init(&automata->arena, budget);
    if (instance->setting.points)
        return FAIL(instance, instance->assertion->at, error,
                    "expected no `points`: violation automata read calls and answers");
    TRY(find_object(instance, &object, error));
    TRY(lin_class_check(instance->module, instance->steps.object, instance->spec->class,
                        LIN_CLASS_COPIES, &ignored, error));
    TRY(violation_automata_of(instance->name, &automata->arena, &automata->shipped, error));
    return automata_normal_init(&automata->normal, instance->spec, object, &automata->shipped,
                                instance->labels, &automata->arena, budget);
}

void lin_by_automata_close(struct lin_by_automata *automata)
{
    automata_normal_release(&automata->normal);
    arena_release(&automata->arena);
}

void lin_by_automata_append_names(const struct lin_by_automata *automata, struct text *text)
{
    uint32_t count = automata->normal.automaton_count;
    for (uint32_t i = 0; i < count; i++)
        text_format(text, "%s%s",
                    i == 0          ? ""
                    : i + 1 < count ? ", "
                                    : " or ",
                    automata->normal.automata[i]->name);
}

void lin_by_automata_append_violated(const struct lin_by_automata *automata, struct text *text)
{
    uint32_t number = automata->normal.violated_by;
    if (number == automata->normal.automaton_count)
        return;
    const struct violation_automaton *automaton = automata->normal.automata[number];
    text_format(text, "; it breaks the rule `%s`%s%s", automaton->name,
                *automaton->rule ? ": " : "", automaton->rule);
}
