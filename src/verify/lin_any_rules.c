#include "verify/lin_any_rules.h"

#include <assert.h>
#include <string.h>

#include "lin/check.h"
#include "rules/lin_automata.h"

/* ---- what can be decided ---- */

/* Whether the nets know what the answer of a method may be (unbounded/prophecy.h). */
static bool is_known(const struct object_method *method)
{
    if (method->role == METHOD_ADDS)
        return method->result == RESULT_ITS_OWN || method->result == RESULT_ANY;
    return method->role != METHOD_ASKS && method->result == RESULT_ITS_OWN;
}

static const char *asked(enum rules_for what)
{
    return what == RULES_FOR_HISTORIES ? "for violation automata" : "with any number of threads";
}

static enum status check_methods(const struct lin_module *module,
                                 const struct lin_reference *reference,
                                 const struct any_rules *rules, enum rules_for what,
                                 struct error *error)
{
    const struct rule_object *object = rules->object;
    for (uint32_t m = 0; m < object->method_count && !object->values_are_processes; m++)
        if (!is_known(&object->methods[m]))
            return script_error(module->script, reference->at, error,
                                "expected operations that bring in a value, with nothing to "
                                "answer, or answer a value or `empty`, %s, found `%s` of `%s`",
                                asked(what), object->methods[m].operation, reference->name);
    return STATUS_OK;
}

/* Where values are who calls, who ends something has begun it. */
static enum status check_order(const struct lin_module *module, const struct lin_object *own,
                               const struct rule_object *object, enum rules_for what,
                               struct error *error)
{
    bool ordered = own->order_count == 1 && own->client_count == 2 && object->method_count == 2 &&
                   strcmp(own->client[0], object->methods[0].operation) == 0 &&
                   strcmp(own->client[1], object->methods[1].operation) == 0;
    if (ordered || !object->values_are_processes)
        return STATUS_OK;
    return script_error(module->script, own->at, error,
                        "expected `client %s, %s;` in `%s` %s: its values are who calls",
                        object->methods[0].operation,
                        object->methods[object->method_count > 1].operation, own->name,
                        asked(what));
}

/* ---- finding them ---- */

/* Appends `more`. */
static enum status join(struct violation_automata *all, const struct violation_automata *more,
                        struct arena *arena)
{
    size_t count = all->count + more->count;
    struct violation_automaton *items = arena_allocate(arena, count * sizeof *items);
    TRY_MEMORY(items);
    if (all->count)
        memcpy(items, all->items, all->count * sizeof *items);
    if (more->count)
        memcpy(items + all->count, more->items, more->count * sizeof *items);
    *all = (struct violation_automata){all->object ? all->object : more->object, items, count};
    return STATUS_OK;
}

static void keep(struct violation_automata *automata, enum rules_for what)
{
    size_t kept = 0;
    bool prefixes = what == RULES_FOR_ANY_THREADS ||
                    (automata->object && automata->object->values_are_processes);
    for (size_t i = 0; i < automata->count; i++)
        if (prefixes ? automata->items[i].for_prefixes : automata->items[i].for_histories)
            automata->items[kept++] = automata->items[i];
    automata->count = kept;
}

static enum status list(const struct lin_module *module, const struct lin_reference *reference,
                        const char *name, enum rules_for what, struct arena *arena,
                        struct violation_automata *automata, struct error *error)
{
    struct violation_automata more;
    *automata = (struct violation_automata){0};
    if (!lin_find_object(module, reference->name, true))
        TRY(violation_automata_of(name, arena, automata, error));
    TRY(lin_automata_of(module, name, arena, &more));
    TRY(join(automata, &more, arena));
    keep(automata, what);
    return STATUS_OK;
}

enum status any_rules_list(const struct lin_module *module, const struct lin_reference *reference,
                           const char *name, struct arena *arena,
                           struct violation_automata *automata, struct error *error)
{
    return list(module, reference, name, RULES_FOR_ANY_THREADS, arena, automata, error);
}

/* queue(2), stack(2), deque(2): their insertions answer yes or no, which is no matter of a few of
 * the values, so that there are no automata of them. */
static bool is_bounded(const char *name)
{
    const char *size = strchr(name, '(');
    return size && size[1] >= '0' && size[1] <= '9';
}

static enum status complain(const struct lin_module *module, const struct lin_reference *reference,
                            const char *name, enum rules_for what, struct error *error)
{
    static const char instead[] = "; write it as a specification of the file, whose insertions "
                                  "answer true or false: then linearization points are looked for";
    return script_error(module->script, reference->at, error,
                        "expected a specification with violation automata%s (a %s, or one of the "
                        "file that has some), found `%s`%s",
                        what == RULES_FOR_HISTORIES ? "" : " for prefixes beside `threads = any`",
                        rule_object_names(), name,
                        what == RULES_FOR_ANY_THREADS && is_bounded(name) ? instead : "");
}

enum status any_rules_find(const struct lin_module *module, const struct lin_reference *reference,
                           const char *name, enum rules_for what, struct arena *arena,
                           struct any_rules *rules, struct error *error)
{
    const struct lin_object *own = lin_find_object(module, reference->name, true);
    *rules = (struct any_rules){.own = own != NULL};
    TRY(list(module, reference, name, what, arena, &rules->automata, error));
    rules->object = rules->automata.object;
    if (rules->automata.count == 0 || !rules->object)
        return complain(module, reference, name, what, error);
    TRY(check_methods(module, reference, rules, what, error));
    return own ? check_order(module, own, rules->object, what, error) : STATUS_OK;
}

/* ---- operations ---- */

/* A method of the operation; null: there is none. */
static const struct object_method *method_of(const struct any_rules *rules, const struct spec *spec,
                                             int operation)
{
    for (uint32_t m = 0; m < rules->object->method_count; m++) {
        const char *known = rules->object->methods[m].operation;
        if (spec_operation_find(spec->class, known, strlen(known)) == operation)
            return &rules->object->methods[m];
    }
    return NULL;
}

/* Whether the specification has it answer what the automata do not look at. */
static bool answers_unread(const struct any_rules *rules, const struct spec *spec, int operation,
                           const struct object_method *method)
{
    assert(operation >= 0); /* it is one of a method */
    return (method->role == METHOD_ADDS || rules->object->values_are_processes) &&
           spec->class->operations[operation].result[0] != 0;
}

enum status any_rules_know(const struct lin_module *module, const struct any_rules *rules,
                           const struct spec *spec, const struct lin_object *implementation,
                           struct error *error)
{
    for (uint32_t i = 0; i < implementation->operation_count; i++) {
        const struct lin_operation *operation = implementation->operations[i];
        const int number =
            spec_operation_find(spec->class, operation->name, strlen(operation->name));
        const struct object_method *method = method_of(rules, spec, number);
        if (!method)
            return script_error(module->script, operation->at, error,
                                "expected an operation that the automata of `%s` know, found `%s`",
                                rules->object->name, operation->name);
        if (answers_unread(rules, spec, number, method))
            return script_error(module->script, operation->at, error,
                                "expected an operation that has nothing to answer in `%s`, whose "
                                "automata do not read what it answers, found `%s`",
                                rules->object->name, operation->name);
    }
    return STATUS_OK;
}
