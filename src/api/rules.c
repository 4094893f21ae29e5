/* Violation automata: reading those of an object. */
#include "api/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/require.h"
#include "base/text.h"
#include "lin/check.h"
#include "lin/parser.h"
#include "rules/lin_automata.h"

lp_rules *lp_rules_create(lp_context *context)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    lp_rules *rules = memory_zeroed(&context->budget, sizeof *rules);
    if (!rules)
        return NULL;
    rules->magic = RULES_MAGIC;
    rules->context = context;
    arena_init(&rules->arena, &context->budget);
    vectors_init(&context->budget, &rules->automata, &rules->unmade);
    return rules;
}

void lp_rules_destroy(lp_rules *rules)
{
    if (!rules)
        return;
    REQUIRE_ALIVE(rules, RULES_MAGIC);
    rules->magic = 0;
    vectors_release(&rules->automata, &rules->unmade);
    arena_release(&rules->arena);
    memory_release(&rules->context->budget, rules, sizeof *rules);
}

static enum status check_methods(const struct violation_automaton *automaton,
                                 const struct rule_object *object, const char *name,
                                 struct error *error)
{
    if (!object)
        return error_set(error, STATUS_INPUT, name, 0,
                         "expected an automaton of a %s, found one of '%s'", rule_object_names(),
                         automaton->object);
    for (uint32_t m = 0; m < automaton->method_count; m++) {
        const char *method = automaton->methods[automaton->unmarked[m]];
        struct text methods = TEXT_EMPTY;
        if (rule_object_find_method(object, method) < object->method_count)
            continue;
        rule_object_append_methods(object, &methods);
        error_set(error, STATUS_INPUT, name, 0, "expected methods of a %s (%s), found '%s'",
                  automaton->object, text_string(&methods), automaton->methods[m]);
        text_release(&methods);
        return STATUS_INPUT;
    }
    return STATUS_OK;
}

enum status rules_add(lp_rules *rules, const struct violation_automaton *automaton,
                      const struct rule_object *object, const char *name, struct error *error)
{
    TRY(check_methods(automaton, object, name, error));
    for (size_t i = 0; i < rules->automata.length; i++) {
        const struct violation_automaton *other = &rules->automata.items[i];
        if (strcmp(other->object, automaton->object) != 0)
            return error_set(error, STATUS_INPUT, name, 0,
                             "expected an automaton of the same object as '%s', a %s, found one "
                             "of a %s",
                             other->name, other->object, automaton->object);
        if (strcmp(other->name, automaton->name) == 0)
            return error_set(error, STATUS_INPUT, name, 0,
                             "expected automata of different names, found a second '%s'",
                             automaton->name);
    }
    rules->object = object;
    return granted(vector_push(&rules->automata, *automaton));
}

static enum status read_automaton(lp_rules *rules, const struct script *script, struct error *error)
{
    struct violation_automaton automaton;
    TRY(violation_automaton_read(script, &rules->arena, &automaton, error));
    return rules_add(rules, &automaton, rule_object_find(automaton.object), script->name, error);
}

static lp_status finish_reading(enum status status, struct error *fault, lp_error *error)
{
    if (status == STATUS_LIMIT)
        error_set(fault, status, NULL, 0, "a limit was reached before the automaton was read");
    return report_status(status, fault, error);
}

lp_status lp_rules_read(lp_rules *rules, const char *path, lp_error *error)
{
    REQUIRE_ALIVE(rules, RULES_MAGIC);
    REQUIRE_NOT_NULL(path);
    struct error fault = {0};
    struct limits limits;
    struct script script;
    limits_for(&limits, rules->context, &rules->context->budget, 0);
    enum status status = script_read(path, &rules->arena, &limits, &script, &fault);
    if (status == STATUS_OK)
        status = read_automaton(rules, &script, &fault);
    return finish_reading(status, &fault, error);
}

lp_status lp_rules_parse(lp_rules *rules, const char *name, const char *text, size_t length,
                         lp_error *error)
{
    REQUIRE_ALIVE(rules, RULES_MAGIC);
    REQUIRE_NOT_NULL(name);
    REQUIRE(text || length == 0, "text is null");
    struct error fault = {0};
    struct script script;
    enum status status =
        script_from_text(name, text ? text : "", length, &rules->arena, &script, &fault);
    if (status == STATUS_OK)
        status = read_automaton(rules, &script, &fault);
    return finish_reading(status, &fault, error);
}

/* ---- `.lin` ---- */

/* A set with the automata of a file that are of the same specification as the one with that number.
 * What it points to lives in the set's own copy of the file. */
static enum status read_set(lp_rules *rules, const struct script *script, size_t number,
                            struct error *error)
{
    struct script *own = arena_allocate(&rules->arena, sizeof *own);
    struct lin_module module;
    TRY_MEMORY(own);
    TRY(script_extend(script, "", &rules->arena, own, error));
    enum status status = lin_parse(own, &rules->arena, &module, error);
    if (status == STATUS_OK)
        status = lin_check(&module, error);
    for (size_t i = number; i < module.automata.length && status == STATUS_OK; i++) {
        const struct lin_automaton *automaton = module.automata.items[i];
        const struct lin_automaton *first = module.automata.items[number];
        struct violation_automaton made;
        if (script_part_at(own, automaton->at) != own->main ||
            strcmp(automaton->specification, first->specification) != 0)
            continue;
        if (!lin_automaton_make(automaton, &rules->arena, &made) ||
            !vector_push(&rules->automata, made))
            status = STATUS_LIMIT;
        rules->object = automaton->object;
        if (lin_find_object(&module, automaton->subject.name, true))
            rules->script = own;
    }
    lin_module_release(&module);
    return status;
}

/* The first automaton of each specification that the file itself has automata of. */
static enum status find_sets(const struct script *script, struct arena *arena, size_t **firsts,
                             size_t *count, struct error *error)
{
    struct lin_module module;
    enum status status = lin_parse(script, arena, &module, error);
    if (status == STATUS_OK)
        status = lin_check(&module, error);
    *firsts = arena_allocate(arena, (module.automata.length + 1) * sizeof **firsts);
    *count = 0;
    if (status == STATUS_OK && !*firsts)
        status = STATUS_LIMIT;
    for (size_t i = 0; i < module.automata.length && status == STATUS_OK; i++) {
        const struct lin_automaton *automaton = module.automata.items[i];
        bool known = script_part_at(script, automaton->at) != script->main;
        for (size_t j = 0; j < *count && !known; j++)
            known = strcmp(module.automata.items[(*firsts)[j]]->specification,
                           automaton->specification) == 0;
        if (!known)
            (*firsts)[(*count)++] = i;
    }
    lin_module_release(&module);
    return status;
}

static enum status read_sets(lp_context *context, const char *path, struct arena *arena,
                             lp_rules ***sets, size_t *count, struct error *error)
{
    struct limits limits;
    struct script script;
    size_t *firsts, found;
    limits_for(&limits, context, &context->budget, 0);
    TRY(script_read(path, arena, &limits, &script, error));
    TRY(find_sets(&script, arena, &firsts, &found, error));
    *sets = memory_small((found + 1) * sizeof **sets);
    for (size_t i = 0; i < found; i++) {
        (*sets)[i] = lp_rules_create(context);
        TRY_MEMORY((*sets)[i]);
        *count = i + 1;
        TRY(read_set((*sets)[i], &script, firsts[i], error));
    }
    return STATUS_OK;
}

lp_status lp_rules_read_lin(lp_context *context, const char *path, lp_rules ***sets, size_t *count,
                            lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(path);
    REQUIRE_NOT_NULL(sets);
    REQUIRE_NOT_NULL(count);
    struct error fault = {0};
    struct arena arena;
    *sets = NULL;
    *count = 0;
    arena_init(&arena, &context->budget);
    enum status status = read_sets(context, path, &arena, sets, count, &fault);
    lp_status reported = finish_reading(status, &fault, error); /* it names the file */
    arena_release(&arena);
    if (status != STATUS_OK) {
        for (size_t i = 0; i < *count; i++)
            lp_rules_destroy((*sets)[i]);
        free(*sets);
        *sets = NULL;
        *count = 0;
    }
    return reported;
}

/* ---- what was read ---- */

lp_status lp_rules_ship(lp_rules *rules, const char *specification, bool for_prefixes,
                        lp_error *error)
{
    REQUIRE_ALIVE(rules, RULES_MAGIC);
    REQUIRE_NOT_NULL(specification);
    struct error fault = {0};
    struct violation_automata shipped;
    enum status status = violation_automata_of(specification, &rules->arena, &shipped, &fault);
    if (status == STATUS_OK && !shipped.count)
        status = error_set(&fault, STATUS_USAGE, NULL, 0, "expected a %s, found '%s'",
                           violation_automata_specifications(), specification);
    for (size_t i = 0; i < shipped.count && status == STATUS_OK; i++)
        if (for_prefixes ? shipped.items[i].for_prefixes : shipped.items[i].for_histories)
            status = rules_add(rules, &shipped.items[i], shipped.object, specification, &fault);
    return finish_reading(status, &fault, error);
}

bool lp_rules_at(const lp_rules *rules, size_t index, lp_rule_automaton *automaton)
{
    REQUIRE_ALIVE(rules, RULES_MAGIC);
    REQUIRE_NOT_NULL(automaton);
    if (index >= rules->automata.length)
        return false;
    const struct violation_automaton *found = &rules->automata.items[index];
    *automaton = (lp_rule_automaton){.name = found->name,
                                     .object = found->object,
                                     .rule = found->rule,
                                     .methods = found->methods,
                                     .method_count = found->method_count,
                                     .unmarked = found->unmarked,
                                     .state_count = found->state_count,
                                     .initial = found->initial,
                                     .state_names = found->state_names,
                                     .accepting = found->accepting,
                                     .complete = found->complete,
                                     .for_histories = found->for_histories,
                                     .for_prefixes = found->for_prefixes,
                                     .violates = found->violates,
                                     .single = found->single,
                                     .next = found->next};
    return true;
}

bool lp_rules_unmade(const lp_rules *rules, size_t index, lp_rule_unmade *unmade)
{
    REQUIRE_ALIVE(rules, RULES_MAGIC);
    REQUIRE_NOT_NULL(unmade);
    if (index >= rules->unmade.length)
        return false;
    *unmade = rules->unmade.items[index];
    return true;
}
