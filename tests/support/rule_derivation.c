#include "support/rule_derivation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096
#define WITNESS (DERIVED_MOST - 1) /* a group that shorter words do not have */

/* ---- words ---- */

static uint32_t hash(const struct derived_word *word)
{
    uint32_t hash = word->length;
    for (unsigned i = 0; i < word->length; i++)
        hash = hash * 31 + word->methods[i] * 7 + word->groups[i] * 3u + word->ranks[i];
    return hash % BUCKETS;
}

/* Numbers groups as they begin. */
static struct derived_word canonical(const struct derived_word *word)
{
    struct derived_word renamed = {.length = word->length};
    uint8_t numbers[256], count = 0;
    memset(numbers, 0xff, sizeof numbers);
    for (unsigned i = 0; i < word->length; i++) {
        uint8_t *number = &numbers[word->groups[i]];
        if (*number == 0xff) {
            *number = count++;
            renamed.ranks[*number] = word->ranks[word->groups[i]];
        }
        renamed.methods[i] = word->methods[i];
        renamed.groups[i] = *number;
    }
    return renamed;
}

static struct derived *find(const struct derivation *derivation, const struct derived_word *word)
{
    for (uint32_t i = derivation->buckets[hash(word)]; i; i = derivation->items[i - 1].next)
        if (memcmp(&derivation->items[i - 1].word, word, sizeof *word) == 0)
            return &derivation->items[i - 1];
    return NULL;
}

static void add(struct derivation *derivation, struct derived_word word, unsigned rule)
{
    word = canonical(&word);
    struct derived *known = find(derivation, &word);
    if (known) {
        known->last |= UINT32_C(1) << rule;
        return;
    }
    if (derivation->count == derivation->capacity) {
        derivation->capacity = derivation->capacity * 2 + 64;
        derivation->items =
            realloc(derivation->items, derivation->capacity * sizeof *derivation->items);
        assert(derivation->items);
    }
    uint32_t *bucket = &derivation->buckets[hash(&word)];
    derivation->items[derivation->count++] = (struct derived){
        .word = word, .level = rule + 1, .last = UINT32_C(1) << rule, .next = *bucket};
    *bucket = (uint32_t)derivation->count;
}

/* ---- one step ---- */

struct step {
    const struct rule_set *set;
    unsigned number, most;
    struct derivation *derivation;
    struct derived_word from;
    unsigned cuts[RULE_MOST_VARIABLES + 1]; /* variable v is from[cuts[v]] to from[cuts[v + 1]] */
    unsigned rank;                          /* of the new value */
    const struct derived_word *wanted;      /* look whether this is made, and add nothing */
    bool made;
};

/* How the value of a group of `from` compares with the new one. */
static bool is_greater(const struct step *step, unsigned group)
{
    return step->set->values == RULE_VALUES_ORDERED && step->from.ranks[group] >= step->rank;
}

static bool variable_is_good(const struct step *step, unsigned variable)
{
    const struct rule_variable *allowed = &step->set->rules[step->number].variables[variable];
    for (unsigned i = step->cuts[variable]; i < step->cuts[variable + 1]; i++) {
        uint32_t methods =
            is_greater(step, step->from.groups[i]) ? allowed->greater : allowed->less;
        if (!(methods & UINT32_C(1) << step->from.methods[i]))
            return false;
    }
    return true;
}

static bool is_in(const struct step *step, uint32_t variables, unsigned at)
{
    for (unsigned v = 0; v < step->set->rules[step->number].variable_count; v++)
        if ((variables >> v & 1) && at >= step->cuts[v] && at < step->cuts[v + 1])
            return true;
    return false;
}

static bool matched_is_good(const struct step *step, const struct rule_matched *matched)
{
    for (unsigned i = 0; i < step->from.length; i++) {
        bool greater = is_greater(step, step->from.groups[i]), partner = false;
        if (step->from.methods[i] != matched->method || !is_in(step, matched->variables, i) ||
            (matched->compared == RULE_COMPARES_LESS && greater) ||
            (matched->compared == RULE_COMPARES_GREATER && !greater))
            continue;
        for (unsigned j = 0; j < step->from.length; j++)
            partner |= j != i && step->from.groups[j] == step->from.groups[i] &&
                       is_in(step, matched->variables, j);
        if (!partner)
            return false;
    }
    return true;
}

/* Whether the witness has been given to an input method that stands for the same calls. */
static bool has_input(const struct step *step, const struct derived_word *built, unsigned method)
{
    const struct rule_set_method *own = &step->set->methods[method];
    for (unsigned i = 0; i < built->length; i++) {
        const struct rule_set_method *other = &step->set->methods[built->methods[i]];
        if (built->groups[i] == WITNESS && own->is_input && other->operation == own->operation &&
            other->answer == own->answer)
            return true;
    }
    return false;
}

/* The expression from `item` on, behind what has been built of it. */
static void build(struct step *step, unsigned item, struct derived_word built)
{
    const struct rule *rule = &step->set->rules[step->number];
    if (item == rule->item_count && step->wanted) {
        step->made |= built.length == step->wanted->length &&
                      memcmp(built.methods, step->wanted->methods, sizeof built.methods) == 0 &&
                      memcmp(built.groups, step->wanted->groups, sizeof built.groups) == 0;
        return;
    }
    if (item == rule->item_count) {
        add(step->derivation, built, step->number);
        return;
    }
    const struct rule_item *next = &rule->items[item];
    if (next->kind == RULE_VARIABLE) {
        for (unsigned i = step->cuts[next->number]; i < step->cuts[next->number + 1]; i++) {
            if (built.length == step->most)
                return;
            built.methods[built.length] = step->from.methods[i];
            built.groups[built.length++] = step->from.groups[i];
        }
        build(step, item + 1, built);
        return;
    }
    unsigned least = next->kind == RULE_METHOD;
    unsigned times = least || step->set->methods[next->number].is_input ? 1 : step->most;
    for (unsigned i = 0; i <= times; i++) {
        if (i >= least)
            build(step, item + 1, built);
        if (built.length == step->most || has_input(step, &built, next->number))
            return;
        built.methods[built.length] = next->number;
        built.groups[built.length++] = WITNESS;
    }
}

/* The empty word, with the new value among the others. */
static struct derived_word with_ranks(const struct step *step)
{
    struct derived_word word = {0};
    for (unsigned g = 0; g < WITNESS && step->set->values == RULE_VALUES_ORDERED; g++)
        word.ranks[g] = (uint8_t)(step->from.ranks[g] + (step->from.ranks[g] >= step->rank));
    word.ranks[WITNESS] = (uint8_t)step->rank;
    return word;
}

static void apply_cut(struct step *step)
{
    const struct rule *rule = &step->set->rules[step->number];
    for (unsigned v = 0; v < rule->variable_count; v++)
        if (!variable_is_good(step, v))
            return;
    for (unsigned i = 0; i < rule->matched_count; i++)
        if (!matched_is_good(step, &rule->matched[i]))
            return;
    build(step, 0, with_ranks(step));
}

static void cut_from(struct step *step, unsigned variable)
{
    unsigned count = step->set->rules[step->number].variable_count;
    if (variable == count) {
        if (step->cuts[count] == step->from.length)
            apply_cut(step);
        return;
    }
    for (unsigned end = step->cuts[variable]; end <= step->from.length; end++) {
        step->cuts[variable + 1] = end;
        cut_from(step, variable + 1);
    }
}

static void apply(const struct rule_set *set, unsigned rule, const struct derived_word *from,
                  unsigned most, struct derivation *derivation)
{
    struct step step = {
        .set = set, .number = rule, .most = most, .derivation = derivation, .from = *from};
    unsigned groups = 0;
    for (unsigned i = 0; i < from->length; i++)
        groups = from->groups[i] >= groups ? from->groups[i] + 1u : groups;
    unsigned ranks = set->values == RULE_VALUES_ORDERED ? groups : 0;
    for (step.rank = 0; step.rank <= ranks; step.rank++)
        cut_from(&step, 0);
}

void derivation_make(struct derivation *derivation, const struct rule_set *set, unsigned most)
{
    assert(most < DERIVED_MOST);
    *derivation = (struct derivation){.buckets = calloc(BUCKETS, sizeof *derivation->buckets)};
    assert(derivation->buckets);
    add(derivation, (struct derived_word){0}, 0);
    /* A rule adds events: words that it makes of others are behind them in the list. */
    for (unsigned r = 1; r < set->rule_count; r++)
        for (size_t i = 0; i < derivation->count; i++) {
            const struct derived_word from = derivation->items[i].word;
            apply(set, r, &from, most, derivation);
        }
}

void derivation_release(struct derivation *derivation)
{
    free(derivation->items);
    free(derivation->buckets);
}

const struct derived *derivation_find(const struct derivation *derivation,
                                      const struct rule_word *word)
{
    struct derived_word wanted = {.length = (uint8_t)word->length};
    for (unsigned i = 0; i < word->length; i++) {
        wanted.methods[i] = (uint8_t)word->events[i].method;
        wanted.groups[i] = (uint8_t)word->events[i].group;
        if (word->ranks)
            wanted.ranks[wanted.groups[i]] = (uint8_t)word->ranks[wanted.groups[i]];
    }
    wanted = canonical(&wanted);
    return find(derivation, &wanted);
}

/* ---- one rule and one witness ---- */

static struct derived_word convert(const struct rule_word *word)
{
    struct derived_word converted = {.length = (uint8_t)word->length};
    for (unsigned i = 0; i < word->length; i++) {
        converted.methods[i] = (uint8_t)word->events[i].method;
        converted.groups[i] = (uint8_t)word->events[i].group;
        if (word->ranks)
            converted.ranks[converted.groups[i]] = (uint8_t)word->ranks[converted.groups[i]];
    }
    return converted;
}

bool derivation_makes(const struct rule_set *set, unsigned rule, const struct rule_word *word,
                      uint32_t witness)
{
    /* the groups as they are, but the witness as the last one, which it is where it is made */
    struct derived_word wanted = convert(word);
    struct step step = {.set = set,
                        .number = rule,
                        .most = word->length,
                        .rank = word->ranks ? word->ranks[witness] : 0,
                        .wanted = &wanted};
    for (unsigned i = 0; i < word->length; i++) {
        if (wanted.groups[i] == witness) {
            wanted.groups[i] = WITNESS;
            continue;
        }
        uint8_t group = wanted.groups[i], rank = wanted.ranks[group];
        step.from.methods[step.from.length] = wanted.methods[i];
        step.from.groups[step.from.length++] = group;
        step.from.ranks[group] = (uint8_t)(rank - (rank > step.rank));
    }
    cut_from(&step, 0);
    return step.made;
}

/* ---- random rules ---- */

static const char *const names[] = {"A", "B", "C", "D", "E"};

static void random_methods(struct rule_set *set, struct random *random)
{
    set->method_count = (uint8_t)(2 + random_below(random, 3));
    for (unsigned m = 0; m < set->method_count; m++) {
        set->methods[m] = (struct rule_set_method){.name = names[m],
                                                   .operation = (uint16_t)m,
                                                   .is_input = m == 0,
                                                   .takes_value = m == 0,
                                                   .answer = m == 0   ? RULE_ANSWERS_ANYTHING
                                                             : m == 4 ? RULE_ANSWERS_NIL
                                                                      : RULE_ANSWERS_VALUE};
        set->operations[m] = names[m];
    }
    set->operation_count = set->method_count;
}

/* Some expressions have no input: then at least one method that may not be left out. */
static void have_a_method(struct rule *rule)
{
    for (unsigned i = 0; i < rule->item_count; i++)
        if (rule->items[i].kind == RULE_METHOD)
            return;
    for (unsigned i = 0; i < rule->item_count; i++)
        if (rule->items[i].kind == RULE_CLOSURE) {
            rule->items[i].kind = RULE_METHOD;
            return;
        }
    rule->items[rule->item_count++] = (struct rule_item){RULE_METHOD, 1, false};
}

/* The input and some of the others, in any order; or these alone; or the one without a value. */
static void random_items(const struct rule_set *set, struct random *random, struct rule *rule)
{
    unsigned valued = set->method_count > 4 ? 4 : set->method_count, order[4];
    for (unsigned i = 0; i < valued; i++) {
        unsigned at = random_below(random, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    bool alone = set->method_count > 4 && random_chance(random, 1, 4);
    bool brought = set->values != RULE_VALUES_RENAMED || random_chance(random, 3, 4);
    for (unsigned i = 0; i <= valued; i++) {
        if (rule->variable_count < 3 && random_chance(random, 1, 2))
            rule->items[rule->item_count++] =
                (struct rule_item){RULE_VARIABLE, rule->variable_count++, false};
        if (i == valued || (alone && i > 0) ||
            (!alone && order[i] > 0 && random_chance(random, 1, 2)) ||
            (!alone && order[i] == 0 && !brought))
            continue;
        bool closure = !alone && order[i] > 0 && random_chance(random, 1, 4);
        rule->items[rule->item_count++] = (struct rule_item){
            closure ? RULE_CLOSURE : RULE_METHOD, (uint8_t)(alone ? 4 : order[i]), false};
    }
    have_a_method(rule);
}

static void random_conditions(const struct rule_set *set, struct random *random, struct rule *rule)
{
    uint32_t all = (UINT32_C(1) << set->method_count) - 1;
    bool ordered = set->values == RULE_VALUES_ORDERED;
    for (unsigned v = 0; v < rule->variable_count; v++) {
        struct rule_variable *variable = &rule->variables[v];
        *variable = (struct rule_variable){UINT32_MAX, UINT32_MAX};
        if (random_chance(random, 1, 2))
            variable->less = variable->greater = random_below(random, all + 1);
        if (ordered && random_chance(random, 1, 2))
            variable->greater = random_below(random, all + 1);
        if (random_chance(random, 1, 3))
            rule->matched[rule->matched_count++] = (struct rule_matched){
                (uint8_t)random_below(random, set->method_count),
                ordered ? (uint8_t)random_below(random, 3) : RULE_COMPARES_NOT,
                ordered ? 1 + random_below(random, (UINT32_C(1) << rule->variable_count) - 1)
                        : UINT32_C(1) << v};
    }
}

void rule_set_random(struct rule_set *set, struct random *random)
{
    *set = (struct rule_set){.name = "random", .file = "random.lin", .line = 1};
    set->values = random_chance(random, 1, 4) ? RULE_VALUES_ORDERED : RULE_VALUES_RENAMED;
    random_methods(set, random);
    set->rule_count = (uint8_t)(2 + random_below(random, 3));
    for (unsigned r = 0; r < set->rule_count; r++) {
        struct rule *rule = &set->rules[r];
        rule->name = names[r];
        if (r > 0)
            random_items(set, random, rule);
        random_conditions(set, random, rule);
        rule_finish(rule);
    }
}
