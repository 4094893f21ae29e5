#include "verify/lin_by_automata.h"

#include "lin/check.h"
#include "lin/class.h"
#include "verify/lin_alike.h"

#define FAIL(instance, at, error, ...)                                                             \
    script_error((instance)->module->script, (at), (error), __VA_ARGS__)

/* Whether the rules are such as a product can read. */
static enum status check_rules(const struct lin_instance *instance, const struct any_rules *rules,
                               struct error *error)
{
    place at = instance->assertion->specification.at;
    if (rules->object->method_count > AUTOMATA_MOST_METHODS)
        return FAIL(instance, at, error, "expected at most %d methods of `%s`, found %u",
                    AUTOMATA_MOST_METHODS, rules->object->name, rules->object->method_count);
    for (size_t i = 0; i < rules->automata.count; i++)
        if (rules->automata.items[i].single)
            return FAIL(instance, at, error,
                        "expected violation automata that let many values have one colour, found "
                        "`%s`",
                        rules->automata.items[i].name);
    if (rules->own && !instance->treats_alike)
        TRY(lin_refuse_unlike(instance, "for violation automata", error));
    if (instance->spec->has_initial && instance->spec->initial != VALUE_NIL)
        return FAIL(instance, at, error,
                    "expected `%s` without `initial`: its violation automata have no such value",
                    instance->assertion->specification.name);
    return STATUS_OK;
}

enum status lin_by_automata_open(struct lin_by_automata *automata,
                                 const struct lin_instance *instance, struct error *error)
{
    const struct lin_object *implementation = instance->steps.object;
    struct lin_class ignored;
    *automata = (struct lin_by_automata){.module = instance->module};
    arena_init(&automata->arena, instance->budget);
    if (instance->setting.points)
        return FAIL(instance, instance->assertion->at, error,
                    "expected no `points`: violation automata read calls and answers");
    TRY(any_rules_find(instance->module, &instance->assertion->specification, instance->name,
                       RULES_FOR_HISTORIES, &automata->arena, &automata->rules, error));
    TRY(any_rules_know(instance->module, &automata->rules, instance->spec, implementation, error));
    TRY(check_rules(instance, &automata->rules, error));
    TRY(lin_class_check(instance->module, implementation, instance->spec->class, LIN_CLASS_COPIES,
                        &ignored, error));
    return automata_normal_init(&automata->normal, instance->spec, automata->rules.object,
                                &automata->rules.automata, instance->labels, &automata->arena,
                                instance->budget);
}

void lin_by_automata_close(struct lin_by_automata *automata)
{
    automata_normal_release(&automata->normal);
    arena_release(&automata->arena);
}

bool lin_by_automata_needs_returns(const struct lin_by_automata *automata)
{
    return automata->rules.own || !automata->normal.at_once;
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

/* The first automaton that accepted; null: none did. */
static const struct violation_automaton *violated_by(const struct lin_by_automata *automata)
{
    const struct automata_normal *normal = &automata->normal;
    return normal->violated_by < normal->automaton_count ? normal->automata[normal->violated_by]
                                                         : NULL;
}

void lin_by_automata_append_violated(const struct lin_by_automata *automata, struct text *text)
{
    const struct violation_automaton *automaton = violated_by(automata);
    if (automaton)
        text_format(text, "; it breaks the rule `%s`%s%s", automaton->name,
                    *automaton->rule ? ": " : "", automaton->rule);
}

enum status lin_by_automata_blame(const struct lin_by_automata *automata, struct error *error)
{
    const struct violation_automaton *automaton = violated_by(automata);
    const struct lin_module *module = automata->module;
    for (size_t i = 0; automaton && i < module->automata.length; i++) {
        const struct lin_automaton *own = module->automata.items[i];
        if (own->name == automaton->name)
            return script_error(module->script, own->at, error,
                                "expected violations of `%s` only to be accepted, found a history "
                                "that is linearizable",
                                automaton->object);
    }
    return STATUS_OK;
}
