#include "rules/make_automata.h"

#include <stdio.h>
#include <string.h>

/* A state is a number that means what the step of its automaton makes of it. */
#define DEAD VIOLATION_DEAD

struct letter {
    enum violation_event event;
    uint32_t method;
    unsigned colour;
};

/* The methods that an automaton is about. */
struct roles {
    const struct rule_set *set;
    uint32_t adds, takes; /* methods a and b; m in place of b where there is only one */
    uint32_t finds;       /* m of `u m v` */
    uint32_t others;      /* bits: methods of values, but m */
};

struct plan {
    const char *kind, *what;
    uint32_t initial;
    uint32_t (*step)(const struct roles *roles, uint32_t state, struct letter letter);
    bool (*accepts)(uint32_t state);
    bool whole; /* it says something of whole histories only */
};

static bool is(struct letter letter, enum violation_event event, uint32_t method, unsigned colour)
{
    return letter.event == event && letter.method == method && letter.colour == colour;
}

/* ---- a value on its own ---- */

enum {
    FRESH,
    FRESH_ACCEPTED
};

/* b(1) returns before a(1) is called. */
static uint32_t step_fresh(const struct roles *roles, uint32_t state, struct letter letter)
{
    if (state == FRESH_ACCEPTED)
        return state;
    if (is(letter, VIOLATION_CALL, roles->adds, 1))
        return DEAD;
    return is(letter, VIOLATION_RETURN, roles->takes, 1) ? FRESH_ACCEPTED : state;
}

static bool accepts_fresh(uint32_t state)
{
    return state == FRESH_ACCEPTED;
}

enum {
    REPEAT_ADDED = 1,
    REPEAT_TAKEN = 2,
    REPEAT_ACCEPTED = 4
};

/* b(1) returns twice, a(1) is called at most once. */
static uint32_t step_repeat(const struct roles *roles, uint32_t state, struct letter letter)
{
    if (state == REPEAT_ACCEPTED)
        return state;
    if (is(letter, VIOLATION_CALL, roles->adds, 1))
        return state & REPEAT_ADDED ? DEAD : state | REPEAT_ADDED;
    if (is(letter, VIOLATION_RETURN, roles->takes, 1))
        return state & REPEAT_TAKEN ? REPEAT_ACCEPTED : state | REPEAT_TAKEN;
    return state;
}

static bool accepts_repeat(uint32_t state)
{
    return state == REPEAT_ACCEPTED;
}

/* ---- a u b v: first in, first out ---- */

enum {
    ORDER_ACCEPTED = 4
};

/* a(1) returns before a(2) is called, and b(2) before b(1) is, if ever. */
static uint32_t step_order(const struct roles *roles, uint32_t state, struct letter letter)
{
    const struct letter path[] = {{VIOLATION_CALL, roles->adds, 1},
                                  {VIOLATION_RETURN, roles->adds, 1},
                                  {VIOLATION_CALL, roles->adds, 2},
                                  {VIOLATION_RETURN, roles->takes, 2}};
    if (state == ORDER_ACCEPTED)
        return state;
    if (is(letter, VIOLATION_CALL, roles->takes, 1))
        return DEAD;
    for (uint32_t i = 0; i < ORDER_ACCEPTED; i++)
        if (is(letter, path[i].event, path[i].method, path[i].colour))
            return i == state ? state + 1 : DEAD;
    return state;
}

static bool accepts_order(uint32_t state)
{
    return state == ORDER_ACCEPTED;
}

/* ---- u m v: covered ---- */

/* A state: how many are surely inside, 0 to 2, and the phase, times 4. */
enum {
    BEFORE,
    DURING,
    AFTER,
    COVER_ACCEPTED = 3
};

static uint32_t covering(uint32_t phase, uint32_t inside)
{
    return phase * 4 + inside;
}

/* Values of colour 1 are surely inside from the return of a to the call of b; two at a time are
 * enough, for of three one can be left out. */
static uint32_t step_empty(const struct roles *roles, uint32_t state, struct letter letter)
{
    uint32_t phase = state / 4, inside = state % 4;
    if (phase == COVER_ACCEPTED)
        return state;
    if (is(letter, VIOLATION_RETURN, roles->adds, 1))
        return inside < (phase == BEFORE ? 1 : 2) ? covering(phase, inside + 1) : DEAD;
    if (is(letter, VIOLATION_CALL, roles->takes, 1))
        return inside == 2 ? covering(phase, 1) : DEAD;
    if (is(letter, VIOLATION_CALL, roles->finds, 2))
        return phase == BEFORE && inside == 1 ? covering(DURING, 1) : DEAD;
    if (is(letter, VIOLATION_RETURN, roles->finds, 2))
        return phase == DURING ? covering(COVER_ACCEPTED, 0) : DEAD;
    return state;
}

static bool accepts_empty(uint32_t state)
{
    return state / 4 == COVER_ACCEPTED;
}

/* The same where m is a: 2 is never taken, and what covers it is, all of it. */
static uint32_t step_buried(const struct roles *roles, uint32_t state, struct letter letter)
{
    uint32_t phase = state / 4, inside = state % 4;
    if (letter.colour == 2 && letter.method == roles->takes)
        return DEAD;
    if (is(letter, VIOLATION_CALL, roles->adds, 2))
        return phase == BEFORE && inside == 1 ? covering(DURING, 1) : DEAD;
    if (is(letter, VIOLATION_RETURN, roles->adds, 2))
        return phase == DURING ? covering(AFTER, inside) : DEAD;
    if (is(letter, VIOLATION_RETURN, roles->adds, 1))
        return phase != AFTER && inside < (phase == BEFORE ? 1 : 2) ? covering(phase, inside + 1)
                                                                    : DEAD;
    if (is(letter, VIOLATION_CALL, roles->takes, 1)) {
        bool may = phase == AFTER ? inside > 0 : inside == 2;
        return may ? covering(phase, inside - 1) : DEAD;
    }
    return state;
}

static bool accepts_buried(uint32_t state)
{
    return state == covering(AFTER, 0);
}

/* ---- a u b v, matched: last in, first out ---- */

/* A state: 1 + 3 * values of colour 1 that are surely inside + those of colour 2. */
enum {
    NEST_START = 0,
    NEST_LATE = 100
};

static uint32_t step_nest(const struct roles *roles, uint32_t state, struct letter letter)
{
    bool adds = letter.method == roles->adds, takes = letter.method == roles->takes;
    if (letter.colour == 3 || (!adds && !takes))
        return state;
    if (state == NEST_START) {
        if (!is(letter, VIOLATION_CALL, roles->adds, 1))
            return is(letter, VIOLATION_RETURN, roles->adds, 1) ? 1 + 3 : DEAD;
        return state;
    }
    if (state == NEST_LATE)
        return letter.colour == 1 ? DEAD : state;
    uint32_t one = (state - 1) / 3, two = (state - 1) % 3;
    if (adds && letter.event == VIOLATION_CALL)
        return letter.colour == 1 ? DEAD : state;
    if (takes && letter.event == VIOLATION_RETURN)
        return state;
    if (adds)
        return one + two < 2 ? state + (letter.colour == 1 ? 3 : 1) : DEAD;
    if (one == 0 && two == 1 && letter.colour == 2)
        return NEST_LATE;
    if (one + two < 2 || (letter.colour == 1 ? one : two) == 0)
        return DEAD;
    return state - (letter.colour == 1 ? 3 : 1);
}

static bool accepts_nest(uint32_t state)
{
    return state == NEST_LATE;
}

/* ---- blocks: a b* u, a b u ---- */

/* Bits. */
enum {
    ADDED = 1,     /* a(1) has been called; the next bit: a(2) */
    RETURNED = 4,  /* some event on 1 has returned; on 2 */
    PRECEDES = 16, /* some event on 1 precedes one on 2; the other way round */
    BOTH = 3 * PRECEDES,
    TAKEN = 64, /* b(1) has been called; b(2) */
};

/* What an event adds to the bits of precedence. */
static uint32_t precede(uint32_t state, struct letter letter)
{
    unsigned this = letter.colour - 1, other = 2 - letter.colour;
    if (letter.event == VIOLATION_RETURN)
        return state | (uint32_t)RETURNED << this;
    return state & (uint32_t)RETURNED << other ? state | (uint32_t)PRECEDES << other : state;
}

/* Each value is that of a whole block. */
static uint32_t step_conflict(const struct roles *roles, uint32_t state, struct letter letter)
{
    bool adds = letter.method == roles->adds, takes = letter.method == roles->takes;
    if (letter.colour == 3 || (!adds && !takes))
        return state;
    if (adds && letter.event == VIOLATION_CALL) {
        if (state & (uint32_t)ADDED << (letter.colour - 1))
            return DEAD;
        state |= (uint32_t)ADDED << (letter.colour - 1);
    }
    if ((state & BOTH) == BOTH)
        return state;
    state = precede(state, letter);
    return (state & BOTH) == BOTH ? state & (BOTH | 3 * ADDED) : state;
}

static bool accepts_conflict(uint32_t state)
{
    return (state & BOTH) == BOTH;
}

/* 2 is that of a whole block; 1, too, or else it is only added. */
static uint32_t step_overlap(const struct roles *roles, uint32_t state, struct letter letter)
{
    bool adds = letter.method == roles->adds, takes = letter.method == roles->takes;
    if (letter.colour == 3 || (!adds && !takes))
        return state;
    uint32_t called = (uint32_t)(adds ? ADDED : TAKEN) << (letter.colour - 1);
    if (letter.event == VIOLATION_CALL && (state & called))
        return DEAD;
    if (letter.event == VIOLATION_CALL)
        state |= called;
    return precede(state, letter);
}

static bool accepts_overlap(uint32_t state)
{
    bool whole = (state & 2 * TAKEN) && (state & ADDED) && (state & 2 * ADDED);
    bool first = (state & BOTH) == BOTH || !(state & TAKEN);
    return whole && (state & PRECEDES) && first;
}

/* Two values that are only added. */
static uint32_t step_alone(const struct roles *roles, uint32_t state, struct letter letter)
{
    if (letter.colour == 3 || !(roles->others >> letter.method & 1))
        return state;
    if (letter.method != roles->adds)
        return DEAD;
    if (letter.event == VIOLATION_RETURN)
        return state;
    uint32_t called = (uint32_t)ADDED << (letter.colour - 1);
    return state & called ? DEAD : state | called;
}

static bool accepts_alone(uint32_t state)
{
    return state == 3 * ADDED;
}

/* ---- m u: first of all ---- */

enum {
    INIT_START,
    INIT_OVER,
    INIT_ACCEPTED
};

static uint32_t step_init(const struct roles *roles, uint32_t state, struct letter letter)
{
    if (state == INIT_ACCEPTED)
        return state;
    if (letter.event == VIOLATION_RETURN && letter.colour == 1 &&
        (roles->others >> letter.method & 1))
        return INIT_OVER;
    if (is(letter, VIOLATION_CALL, roles->finds, 2))
        return state == INIT_OVER ? INIT_ACCEPTED : DEAD;
    return state;
}

static bool accepts_init(uint32_t state)
{
    return state == INIT_ACCEPTED;
}

static const struct plan fresh = {
    "fresh", "a value is taken before it is added", FRESH, step_fresh, accepts_fresh, false};
static const struct plan repeat = {"repeat",    "a value is taken twice", 0,
                                   step_repeat, accepts_repeat,           false};
static const struct plan order = {
    "order", "of two values the later one is taken first", 0, step_order, accepts_order, false};
static const struct plan empty = {
    "empty", "nothing is found while some value is inside", 0, step_empty, accepts_empty, false};
static const struct plan buried = {
    "order", "what was added while others were inside stays below", 0, step_buried, accepts_buried,
    true};
static const struct plan nest = {
    "order", "a value is taken from below others", NEST_START, step_nest, accepts_nest, true};
static const struct plan conflict = {
    "conflict", "of two values each is seen after the other", 0, step_conflict, accepts_conflict,
    true};
static const struct plan overlap = {
    "conflict", "of two values neither comes first", 0, step_overlap, accepts_overlap, true};
static const struct plan alone = {
    "pair", "two values are added, and neither is taken", 0, step_alone, accepts_alone, true};
static const struct plan init = {"init",       "the initial value is found after another one was",
                                 INIT_START,   step_init,
                                 accepts_init, false};

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
            exploring->next[s][at] = to == DEAD ? DEAD : number_state(exploring, to);
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
        automaton->accepting[s] = plan->accepts(exploring->codes[s]);
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
    static const struct plan *const queue[] = {&fresh, &repeat, &order, NULL};
    static const struct plan *const stack[] = {&fresh, &repeat, &nest, NULL};
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
    static const struct plan *const finding[] = {&empty, NULL};
    static const struct plan *const burying[] = {&buried, NULL};
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
    static const struct plan *const starred[] = {&fresh, &conflict, NULL};
    static const struct plan *const single[] = {&fresh, &repeat, &overlap, NULL};
    uint32_t all = making->methods;
    if (making->rule->matched_count || allowed(making->rule, 0, all) != all ||
        all != (UINT32_C(1) << making->first | UINT32_C(1) << making->second))
        return true;
    return make_all(making, roles, strcmp(making->shape, "abv") == 0 ? single : starred);
}

/* m u, where m has no value: of no other rule. */
static bool make_first(const struct making *making, struct roles *roles)
{
    static const struct plan *const plans[] = {&init, NULL};
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
    static const struct plan *const plans[] = {&alone, NULL};
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
