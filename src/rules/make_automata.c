/* Makes the automata of a rule: spells its expression, finds the shape that it has among those of
 * make_automata.h, and writes the table of each automaton that is planned for the shape
 * (automaton_plans.h), its states numbered breadth first. */
#include "rules/make_automata.h"

#include <stdio.h>
#include <string.h>

#include "rules/automaton_plans.h"

/* ---- automata ---- */

#define CODES_MOST 512

/* States are numbered as they are found, breadth first. */
struct exploring {
    uint32_t codes[CODES_MOST];
    uint32_t count;
    uint32_t next[CODES_MOST][2 * RULE_MOST_METHODS * VIOLATION_COLOURS];
};

static uint32_t number_state(struct exploring *exploring, uint32_t code)
{
    uint32_t number = 0;
    while (number < exploring->count && exploring->codes[number] != code)
        number++;
    if (number == exploring->count)
        exploring->codes[exploring->count++] = code;
    return number;
}

static void explore(const struct roles *roles, const struct plan *plan, struct exploring *exploring)
{
    uint32_t methods = roles->set->method_count;
    exploring->count = 0;
    number_state(exploring, plan->initial);
    for (uint32_t s = 0; s < exploring->count; s++)
        for (uint32_t at = 0; at < 2 * methods * VIOLATION_COLOURS; at++) {
            const struct letter letter = {
                at / VIOLATION_COLOURS >= methods ? VIOLATION_RETURN : VIOLATION_CALL,
                at / VIOLATION_COLOURS % methods, at % VIOLATION_COLOURS + 1};
            uint32_t to = plan->step(roles, exploring->codes[s], letter);
            exploring->next[s][at] =
                to == VIOLATION_DEAD ? VIOLATION_DEAD : number_state(exploring, to);
        }
}

static bool name_automaton(const struct rule_set *set, unsigned rule, const struct plan *plan,
                           struct arena *arena, struct violation_automaton *automaton)
{
    char name[200];
    int length = snprintf(name, sizeof name, "%.150s_%s", set->rules[rule].name, plan->kind);
    *automaton = (struct violation_automaton){
        .name = arena_copy_text(arena, name, (size_t)length),
        .object = set->subject ? set->subject : set->name,
        .rule = plan->what,
        .violates = set->rules[rule].name,
        .for_histories = true,
        .for_prefixes = !plan->whole,
    };
    return automaton->name != NULL;
}

static bool make(const struct roles *roles, unsigned rule, const struct plan *plan,
                 struct arena *arena, struct made_automata *made)
{
    const struct rule_set *set = roles->set;
    struct violation_automaton *automaton = &made->items[made->count++];
    const char *methods[RULE_MOST_METHODS];
    struct exploring *exploring = arena_allocate(arena, sizeof *exploring);
    for (unsigned m = 0; m < set->method_count; m++)
        methods[m] = set->methods[m].name;
    if (!exploring)
        return false;
    explore(roles, plan, exploring);
    if (!name_automaton(set, rule, plan, arena, automaton) ||
        !violation_automaton_set_methods(automaton, methods, set->method_count, arena) ||
        !violation_automaton_set_states(automaton, exploring->count, arena) ||
        !violation_automaton_make_table(automaton, arena))
        return false;
    size_t letters = (size_t)2 * set->method_count * VIOLATION_COLOURS;
    for (uint32_t s = 0; s < exploring->count; s++) {
        automaton->accepting[s] = (exploring->codes[s] & plan->mask) == plan->accepting;
        automaton->complete[s] = automaton->accepting[s] && plan->whole;
        memcpy(automaton->next + s * letters, exploring->next[s],
               letters * sizeof *automaton->next);
    }
    return true;
}

/* ---- shapes ---- */

/* The expression as letters: v for a variable, a, b, ... for methods in the order in which they
 * come, with a star behind those that may come any number of times. */
static void spell(const struct rule *rule, char *shape, uint32_t methods[2])
{
    unsigned count = 0;
    for (unsigned i = 0; i < rule->item_count && i < 6; i++) {
        const struct rule_item *item = &rule->items[i];
        if (item->kind == RULE_VARIABLE) {
            *shape++ = 'v';
            continue;
        }
        if (count < 2)
            methods[count] = item->number;
        *shape++ = (char)('a' + count++);
        if (item->kind == RULE_CLOSURE)
            *shape++ = '*';
    }
    *shape = 0;
}

/* The methods that the first rules add. */
static uint32_t methods_up_to(const struct rule_set *set, unsigned rule)
{
    uint32_t methods = 0;
    for (unsigned r = 0; r <= rule; r++)
        methods |= set->rules[r].methods;
    return methods;
}

/* Of the methods that matter, those that a variable may have. */
static uint32_t allowed(const struct rule *rule, unsigned variable, uint32_t methods)
{
    return rule->variables[variable].less & methods;
}

/* Whether `matched` is asked of method a in these variables (bits), and nothing else is. */
static bool asks_matched(const struct rule *rule, uint32_t method, uint32_t variables)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < rule->matched_count; i++) {
        if (rule->matched[i].method != method)
            return false;
        found |= rule->matched[i].variables;
    }
    return found == variables;
}

/* The one method that has a value together with `adds`, each once, in the rules so far;
 * method_count: there is none, or it is not so. */
static uint32_t find_partner(const struct rule_set *set, unsigned rule, uint32_t adds)
{
    uint32_t partner = set->method_count;
    for (unsigned r = 1; r <= rule; r++) {
        char shape[16];
        uint32_t methods[2] = {0}, rest = set->rules[r].methods & ~(UINT32_C(1) << adds);
        spell(&set->rules[r], shape, methods);
        if (!(set->rules[r].methods >> adds & 1) || !rest)
            continue;
        uint32_t other = (uint32_t)__builtin_ctz(rest);
        if (strchr(shape, '*') || (rest & (rest - 1)) ||
            (partner != set->method_count && partner != other))
            return set->method_count;
        partner = other;
    }
    return partner;
}

struct making {
    const struct rule_set *set;
    unsigned number;
    const struct rule *rule;
    char shape[16];
    uint32_t first, second; /* methods of the expression */
    uint32_t methods;       /* bits: those of the rules so far */
    struct arena *arena;
    struct made_automata *made;
};

static bool make_all(const struct making *making, const struct roles *roles,
                     const struct plan *const *plans)
{
    making->made->made = true;
    for (; *plans; plans++)
        if (!make(roles, making->number, *plans, making->arena, making->made))
            return false;
    return true;
}

/* a u b v */
static bool make_container(const struct making *making, const struct roles *roles)
{
    static const struct plan *const queue[] = {&plan_fresh, &plan_repeat, &plan_order, NULL};
    static const struct plan *const stack[] = {&plan_fresh, &plan_repeat, &plan_nest, NULL};
    const struct rule *rule = making->rule;
    uint32_t adds = UINT32_C(1) << making->first, all = making->methods;
    if (all != (adds | UINT32_C(1) << making->second) || allowed(rule, 1, all) != all)
        return true;
    if (allowed(rule, 0, all) == adds && rule->matched_count == 0)
        return make_all(making, roles, queue);
    if (allowed(rule, 0, all) == all && asks_matched(rule, making->first, 3))
        return make_all(making, roles, stack);
    return true;
}

/* u m v */
static bool make_cover(const struct making *making, struct roles *roles)
{
    static const struct plan *const finding[] = {&plan_empty, NULL};
    static const struct plan *const burying[] = {&plan_buried, NULL};
    const struct rule *rule = making->rule;
    uint32_t all = making->methods;
    if (rule->matched_count != 1 || rule->matched[0].variables != 1 ||
        allowed(rule, 0, all) != all || allowed(rule, 1, all) != all)
        return true;
    roles->adds = rule->matched[0].method;
    roles->takes = find_partner(making->set, making->number, roles->adds);
    roles->finds = making->first;
    bool known = roles->takes < making->set->method_count &&
                 making->set->methods[roles->adds].is_input && roles->takes != roles->finds;
    if (!known)
        return true;
    return make_all(making, roles, roles->finds == roles->adds ? burying : finding);
}

/* a b* u, a b u */
static bool make_block(const struct making *making, const struct roles *roles)
{
    static const struct plan *const starred[] = {&plan_fresh, &plan_conflict, NULL};
    static const struct plan *const single[] = {&plan_fresh, &plan_repeat, &plan_overlap, NULL};
    uint32_t all = making->methods;
    if (making->rule->matched_count || allowed(making->rule, 0, all) != all ||
        all != (UINT32_C(1) << making->first | UINT32_C(1) << making->second))
        return true;
    return make_all(making, roles, strcmp(making->shape, "abv") == 0 ? single : starred);
}

/* m u, where m has no value: of no other rule. */
static bool make_first(const struct making *making, struct roles *roles)
{
    static const struct plan *const plans[] = {&plan_init, NULL};
    uint32_t own = UINT32_C(1) << making->first, all = making->methods;
    bool elsewhere = methods_up_to(making->set, making->number - 1) & own;
    if (making->rule->matched_count || allowed(making->rule, 0, all) != all || elsewhere)
        return true;
    roles->finds = making->first;
    roles->others = all & ~own;
    return make_all(making, roles, plans);
}

/* u a, a: nothing else has been added. */
static bool make_only(const struct making *making, struct roles *roles)
{
    static const struct plan *const none[] = {NULL};
    static const struct plan *const plans[] = {&plan_alone, NULL};
    uint32_t own = UINT32_C(1) << making->first;
    if (making->methods != own || making->rule->matched_count)
        return true;
    if (strcmp(making->shape, "a") != 0)
        return allowed(making->rule, 0, own) == own ? make_all(making, roles, none) : true;
    for (unsigned r = 1; r < making->set->rule_count; r++) /* a value may be taken by later rules */
        if (making->set->rules[r].methods & own)
            roles->others |= making->set->rules[r].methods;
    return make_all(making, roles, plans);
}

/* Makes what the spelling asks for; where that is no shape, or something else is not as it should
 * be, made->why says so. */
static bool make_shape(struct making *making, struct roles *roles)
{
    bool input = making->set->methods[making->first].is_input;
    const char *shape = making->shape;
    making->made->why = "its conditions, or what the rules before it add, are others than those "
                        "that automata are made for";
    if (strcmp(shape, "vav") == 0)
        return make_cover(making, roles);
    if (input && strcmp(shape, "avbv") == 0)
        return make_container(making, roles);
    if (input && (strcmp(shape, "ab*v") == 0 || strcmp(shape, "abv") == 0))
        return make_block(making, roles);
    if (strcmp(shape, "a") == 0 || strcmp(shape, "va") == 0)
        return make_only(making, roles);
    if (!input && strcmp(shape, "av") == 0)
        return make_first(making, roles);
    making->made->why = "its expression is of a shape that no automata are made for";
    return true;
}

bool violation_automata_make(const struct rule_set *set, unsigned rule, struct arena *arena,
                             struct made_automata *made)
{
    struct making making = {.set = set,
                            .number = rule,
                            .rule = &set->rules[rule],
                            .methods = methods_up_to(set, rule),
                            .arena = arena,
                            .made = made};
    uint32_t methods[2] = {0, 0};
    *made = (struct made_automata){.made = rule == 0};
    if (set->values != RULE_VALUES_RENAMED)
        made->why = "values are not renamed";
    if (rule == 0 || set->values != RULE_VALUES_RENAMED)
        return true;
    spell(making.rule, making.shape, methods);
    making.first = methods[0];
    making.second = methods[1];
    struct roles roles = {.set = set, .adds = methods[0], .takes = methods[1]};
    bool good = make_shape(&making, &roles);
    if (made->made)
        made->why = NULL;
    return good;
}
