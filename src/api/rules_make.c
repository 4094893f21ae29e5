/* Violation automata made from the rules of a file. */
#include "rules/make_automata.h"

#include <string.h>

#include "api/rules.h"
#include "base/require.h"
#include "lin/check.h"
#include "rules/by_rule.h"

/* The built-in object that the rules are of, if they have its methods; else one of their own. */
static enum status find_object(lp_rules *rules, const struct rule_set *set,
                               const struct rule_object **object)
{
    struct rule_object *own = arena_allocate(&rules->arena, sizeof *own);
    const struct rule_object *known = rule_object_find(set->subject);
    bool same = known != NULL;
    for (unsigned m = 0; m < set->method_count && same; m++)
        same = rule_object_find_method(known, set->methods[m].name) < known->method_count;
    TRY_MEMORY(own && rule_set_object(set, &rules->arena, own));
    *object = same && !rules->script ? known : own;
    return STATUS_OK;
}

/* Where the specification is one of the file, a copy of the file goes with the automata. */
static enum status keep_script(lp_rules *rules, const lp_rule_sets *sets,
                               const struct rule_set *set, struct error *error)
{
    char name[64] = "";
    size_t length = strcspn(set->subject, "( ");
    if (length < sizeof name)
        memcpy(name, set->subject, length);
    if (!lin_find_object(&sets->module, name, true))
        return STATUS_OK;
    struct script *own = arena_allocate(&rules->arena, sizeof *own);
    TRY_MEMORY(own);
    TRY(script_extend(&sets->script, "", &rules->arena, own, error));
    rules->script = own;
    return STATUS_OK;
}

/* Whether two methods stand for the same calls. */
static bool has_alike_methods(const struct rule_set *set)
{
    for (unsigned m = 1; m < set->method_count; m++)
        for (unsigned other = 0; other < m; other++)
            if (rule_methods_are_alike(&set->methods[m], &set->methods[other]))
                return true;
    return false;
}

static enum status make(lp_rules *rules, const lp_rule_sets *sets, const struct rule_set *found,
                        struct error *error)
{
    struct rule_set *set = rule_set_copy(found, &rules->arena);
    const struct rule_object *object;
    TRY_MEMORY(set);
    if (!set->subject || set->values != RULE_VALUES_RENAMED)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "automata are made from rules of a specification that neither compare "
                         "values nor want them distinct, not from those of %s",
                         set->name);
    if (has_alike_methods(set)) /* then they are not about what is called */
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "automata are made from rules whose methods calls and answers tell apart, "
                         "not from those of %s",
                         set->name);
    TRY(keep_script(rules, sets, set, error));
    TRY(find_object(rules, set, &object));
    for (unsigned r = 0; r < set->rule_count; r++) {
        struct made_automata made;
        TRY_MEMORY(violation_automata_make(set, r, &rules->arena, &made));
        const lp_rule_unmade unmade = {set->rules[r].name, made.why};
        if (!made.made && !vector_push(&rules->unmade, unmade))
            return STATUS_LIMIT;
        for (uint32_t a = 0; a < made.count; a++)
            TRY(rules_add(rules, &made.items[a], object, set->file, error));
    }
    if (rules->automata.length)
        return STATUS_OK;
    return error_set(error, STATUS_USAGE, NULL, 0,
                     "no rule of %s has a shape that automata are made of", set->name);
}

lp_status lp_rules_make(lp_rules *rules, const lp_rule_sets *sets, size_t index, lp_error *error)
{
    REQUIRE_ALIVE(rules, RULES_MAGIC);
    REQUIRE_ALIVE(sets, RULE_SETS_MAGIC);
    REQUIRE(index < sets->module.rules.length, "there is no set of that number");
    struct error fault = {0};
    enum status status = make(rules, sets, sets->module.rules.items[index]->set, &fault);
    if (status == STATUS_LIMIT)
        error_set(&fault, status, NULL, 0, "the memory limit is reached");
    return report_status(status, &fault, error);
}
