/* Compares automata with rules, in parallel: a labelling is a piece of work, as in check.c. What is
 * not linearizable to what a rule matches is found by trying all orders, through the tables of
 * rule_tables.h: that shares nothing with the automata. */
#include "rules/by_rule.h"

#include <string.h>

#include "base/log.h"
#include "base/parallel.h"
#include "rules/accept.h"

#define HISTORIES_A_LOOK 256 /* all orders of each are tried */

struct rule_worker {
    struct compared_rule rules[RULE_MOST_RULES];
    size_t difference_at[RULE_MOST_RULES]; /* the labelling it is of */
    struct rule_tables tables;
    struct acceptance acceptance;
    const struct comparing_rules *comparing;
    uint64_t histories;
    uint32_t seen; /* since the last look at the limits */
    size_t labelling_at;
    bool stopped;
};

struct comparing_rules {
    const struct rule_set *set;
    struct limits *limits;
    struct arena *arena;
    struct by_rule_finding *finding;
    struct prepared_automaton prepared[RULE_MOST_RULES][MADE_MOST];
    size_t most_configurations;
    struct labellings labellings;
    struct rule_worker **workers;
    unsigned threads;
    atomic_bool stopped;
};

/* ---- the object ---- */

/* Whether some expression has the method with a star, or besides others. */
static void look_up(const struct rule_set *set, unsigned method, bool *starred, bool *accompanied)
{
    uint32_t own = UINT32_C(1) << method;
    *starred = *accompanied = false;
    for (unsigned r = 1; r < set->rule_count; r++) {
        *accompanied |= (set->rules[r].methods & own) && set->rules[r].methods != own;
        for (unsigned i = 0; i < set->rules[r].item_count; i++)
            *starred |= set->rules[r].items[i].kind == RULE_CLOSURE &&
                        set->rules[r].items[i].number == method;
    }
}

bool rule_set_object(const struct rule_set *set, struct arena *arena, struct rule_object *object)
{
    static const enum method_result results[] = {
        [RULE_ANSWERS_ANYTHING] = RESULT_ITS_OWN, [RULE_ANSWERS_VALUE] = RESULT_ITS_OWN,
        [RULE_ANSWERS_NIL] = RESULT_ITS_OWN,      [RULE_ANSWERS_TRUE] = RESULT_TRUE,
        [RULE_ANSWERS_FALSE] = RESULT_FALSE,      [RULE_ANSWERS_SYMBOL] = RESULT_SYMBOL,
    };
    struct object_method *methods = arena_allocate(arena, set->method_count * sizeof *methods);
    if (!methods)
        return false;
    *object = (struct rule_object){.name = set->subject ? set->subject : set->name,
                                   .methods = methods,
                                   .method_count = set->method_count};
    for (unsigned m = 0; m < set->method_count; m++) {
        const struct rule_set_method *own = &set->methods[m];
        bool starred, accompanied;
        look_up(set, m, &starred, &accompanied);
        enum method_role role = own->is_input                                      ? METHOD_ADDS
                                : own->takes_value                                 ? METHOD_ASKS
                                : own->answer == RULE_ANSWERS_VALUE || accompanied ? METHOD_ANSWERS
                                                                                   : METHOD_EMPTY;
        object->values_are_processes |= own->is_input && !own->takes_value;
        methods[m] = (struct object_method){.name = own->name,
                                            .operation = set->operations[own->operation],
                                            .role = role,
                                            .most = role == METHOD_ADDS    ? 1
                                                    : role == METHOD_EMPTY ? 0
                                                    : starred              ? METHOD_LOOKS
                                                                           : METHOD_TAKES,
                                            .result = results[own->answer],
                                            .symbol = own->symbol};
    }
    return true;
}

static const char *why_not_asked(const struct rule_set *set)
{
    bool input = false;
    if (set->values != RULE_VALUES_RENAMED)
        return "values are not renamed";
    if (set->method_count > BY_RULE_MOST_METHODS)
        return "there are too many methods";
    for (unsigned m = 0; m < set->method_count; m++) {
        input |= set->methods[m].is_input;
        for (unsigned other = 0; other < m; other++)
            if (rule_methods_are_alike(&set->methods[m], &set->methods[other]))
                return "calls and answers do not say of which method they are";
    }
    return input ? NULL : "no method is an input";
}

/* ---- last rules ---- */

/* The rule that adds just the events of a group; else the first one with all their methods. */
static unsigned rule_of_group(const struct rule_set *set, const struct rule_labelling *labelling,
                              unsigned group)
{
    unsigned counts[RULE_MOST_METHODS] = {0}, found = 0;
    uint32_t methods = 0;
    for (unsigned i = 0; i < labelling->count; i++)
        if (labelling->events[i].group == group) {
            methods |= UINT32_C(1) << labelling->events[i].method;
            counts[labelling->events[i].method]++;
        }
    for (unsigned r = set->rule_count - 1u; r > 0; r--) {
        const struct rule *rule = &set->rules[r];
        bool exact = !(methods & ~rule->methods);
        for (unsigned i = 0; i < rule->item_count && exact; i++)
            exact = rule->items[i].kind != RULE_METHOD || counts[rule->items[i].number] == 1;
        if (exact)
            return r;
        if (!(methods & ~rule->methods))
            found = r;
    }
    return found ? found : set->rule_count - 1u;
}

static unsigned last_rule(const struct rule_tables *tables, unsigned groups)
{
    uint32_t last = tables->tables[groups].last_of_all;
    unsigned greatest = 0;
    if (last)
        return (unsigned)__builtin_ctz(last);
    for (unsigned g = 0; g < tables->labelling.group_count; g++) {
        unsigned rule = groups >> g & 1 ? rule_of_group(tables->set, &tables->labelling, g) : 0;
        greatest = rule > greatest ? rule : greatest;
    }
    return greatest;
}

/* ---- one history ---- */

/* Bits: the rules that it violates. */
static uint32_t find_violated(const struct rule_tables *tables, const struct word *word)
{
    uint32_t violated = 0;
    for (unsigned part = 1; part <= rule_tables_all(tables); part++) {
        unsigned last = last_rule(tables, part);
        struct linearized linearized;
        if (violated >> last & 1)
            continue;
        rule_linearize(tables, word, part, &linearized);
        if (!linearized.witnesses[last])
            violated |= UINT32_C(1) << last;
    }
    return violated;
}

/* Whether some automaton of the rule accepts; of what does not violate it, any word of it. */
static bool is_accepted(struct rule_worker *worker, unsigned rule, bool violates,
                        uint32_t *automaton)
{
    const struct made_automata *automata = &worker->comparing->finding->rules[rule].automata;
    for (*automaton = 0; *automaton < automata->count; ++*automaton) {
        worker->acceptance.automaton = &worker->comparing->prepared[rule][*automaton];
        if (accepts_canonical_word(&worker->acceptance) ||
            (!violates && accepts_some_word(&worker->acceptance, false)))
            return true;
    }
    return false;
}

static void keep_difference(struct rule_worker *worker, unsigned rule, bool is_false_alarm,
                            uint32_t culprit)
{
    struct compared_rule *comparison = &worker->rules[rule];
    const struct acceptance *acceptance = &worker->acceptance;
    if (comparison->difference.found && (comparison->is_false_alarm || !is_false_alarm))
        return;
    comparison->difference = (struct rules_history){
        .found = true, .labelling = *acceptance->labelling, .word = *acceptance->word};
    memcpy(comparison->difference.read, acceptance->word->events, sizeof acceptance->read);
    if (is_false_alarm) {
        memcpy(comparison->difference.colours, acceptance->colours, sizeof acceptance->colours);
        memcpy(comparison->difference.read, acceptance->read, sizeof acceptance->read);
        comparison->difference.marks = acceptance->marks;
    }
    comparison->is_false_alarm = is_false_alarm;
    comparison->culprit = culprit;
    worker->difference_at[rule] = worker->labelling_at;
}

static void compare_rule(struct rule_worker *worker, unsigned rule, uint32_t violated)
{
    struct compared_rule *comparison = &worker->rules[rule];
    bool violates = violated >> rule & 1, earlier = violated & ((UINT32_C(1) << rule) - 1);
    uint32_t culprit;
    comparison->violations += violates;
    comparison->first += violates && !earlier;
    if (!worker->comparing->finding->rules[rule].automata.made)
        return;
    bool accepted = is_accepted(worker, rule, violates || earlier, &culprit);
    comparison->accepted += accepted && violates;
    comparison->missed += violates && !earlier && !accepted;
    comparison->false_alarms += accepted && !violates && !earlier;
    if (!earlier && accepted != violates)
        keep_difference(worker, rule, accepted, culprit);
}

static bool compare_history(void *context, const struct word *word)
{
    struct rule_worker *worker = context;
    worker->histories++;
    worker->seen++;
    worker->stopped |= limits_work(worker->comparing->limits, &worker->seen, HISTORIES_A_LOOK);
    worker->acceptance.word = word;
    uint32_t violated = find_violated(&worker->tables, word);
    for (unsigned r = 1; r < worker->comparing->set->rule_count; r++)
        compare_rule(worker, r, violated);
    worker->stopped |= worker->acceptance.stopped;
    return !worker->stopped;
}

static void compare_labelling(void *context, size_t i, unsigned number)
{
    struct comparing_rules *comparing = context;
    struct rule_worker *worker = comparing->workers[number];
    const struct labelling *labelling = &comparing->labellings.items.items[i];
    struct rule_labelling events = {.count = labelling->count,
                                    .group_count = labelling->value_count};
    if (atomic_load(&comparing->stopped))
        return;
    for (unsigned e = 0; e < labelling->count; e++)
        events.events[e] =
            (struct rule_event){labelling->operations[e].method, labelling->operations[e].value};
    worker->labelling_at = i;
    worker->acceptance.labelling = labelling;
    worker->stopped = rule_tables_make(&worker->tables, comparing->set, &events, NULL,
                                       comparing->limits->budget) != STATUS_OK;
    if (worker->stopped || !words_visit(labelling, HISTORY_ALL, compare_history, worker))
        atomic_store(&comparing->stopped, true);
    rule_tables_release(&worker->tables);
}

/* ---- sizes ---- */

static void take_own(const struct comparing_rules *comparing, const struct violation_automata *own,
                     unsigned rule)
{
    struct compared_rule *taken = &comparing->finding->rules[rule];
    const char *name = comparing->set->rules[rule].name;
    for (size_t i = 0; i < own->count && taken->automata.count < MADE_MOST; i++)
        if (own->items[i].violates && strcmp(own->items[i].violates, name) == 0)
            taken->automata.items[taken->automata.count++] = own->items[i];
    taken->own = taken->automata.made = taken->automata.count > 0;
}

static bool make_automata(struct comparing_rules *comparing, const struct violation_automata *own,
                          unsigned bound)
{
    struct by_rule_finding *finding = comparing->finding;
    for (unsigned r = 0; r < comparing->set->rule_count; r++) {
        struct made_automata *made = &finding->rules[r].automata;
        take_own(comparing, own, r);
        if (!finding->rules[r].own &&
            !violation_automata_make(comparing->set, r, comparing->arena, made))
            return false;
        for (uint32_t a = 0; a < made->count; a++) {
            struct prepared_automaton *prepared = &comparing->prepared[r][a];
            if (!automaton_prepare(&made->items[a], &finding->object, comparing->arena, prepared))
                return false;
            size_t configurations = automaton_configurations(prepared, bound);
            if (configurations > comparing->most_configurations)
                comparing->most_configurations = configurations;
        }
    }
    return true;
}

static struct rule_worker *make_worker(struct comparing_rules *comparing)
{
    struct rule_worker *worker = arena_zeroed(comparing->arena, sizeof *worker);
    if (!worker)
        return NULL;
    worker->comparing = comparing;
    worker->acceptance.limits = comparing->limits;
    worker->acceptance.seen = bits_in_arena(comparing->arena, comparing->most_configurations);
    return worker->acceptance.seen.words ? worker : NULL;
}

static void merge_rule(const struct comparing_rules *comparing, unsigned rule)
{
    struct compared_rule *sum = &comparing->finding->rules[rule];
    const struct rule_worker *best = NULL;
    for (unsigned w = 0; w < comparing->threads; w++) {
        const struct rule_worker *worker = comparing->workers[w];
        const struct compared_rule *own = &worker->rules[rule];
        sum->violations += own->violations;
        sum->first += own->first;
        sum->accepted += own->accepted;
        sum->missed += own->missed;
        sum->false_alarms += own->false_alarms;
        if (!own->difference.found)
            continue;
        bool more = best && own->is_false_alarm && !best->rules[rule].is_false_alarm;
        bool same = best && own->is_false_alarm == best->rules[rule].is_false_alarm;
        if (!best || more || (same && worker->difference_at[rule] < best->difference_at[rule]))
            best = worker;
    }
    if (!best || sum->difference.found)
        return;
    sum->difference = best->rules[rule].difference;
    sum->is_false_alarm = best->rules[rule].is_false_alarm;
    sum->culprit = best->rules[rule].culprit;
}

/* A rule with a difference is counted to the end of the bound all the same: others go on. */
static void compare_size(struct comparing_rules *comparing, unsigned size)
{
    struct by_rule_finding *finding = comparing->finding;
    comparing->labellings.items.length = 0;
    if (!labellings_find(&finding->object, size, HISTORY_ALL, &comparing->labellings)) {
        atomic_store(&comparing->stopped, true);
        return;
    }
    for (unsigned w = 0; w < comparing->threads; w++) {
        struct rule_worker *worker = comparing->workers[w];
        memset(worker->rules, 0, sizeof worker->rules);
        worker->histories = 0;
    }
    parallel_for(comparing->threads, comparing->labellings.items.length, compare_labelling,
                 comparing);
    for (unsigned w = 0; w < comparing->threads; w++)
        finding->histories += comparing->workers[w]->histories;
    for (unsigned r = 1; r < comparing->set->rule_count; r++)
        merge_rule(comparing, r);
    LOG(comparing->limits->log,
        "inductive rules: automata compared rule by rule on histories of %u operations, %s by "
        "now%s",
        size, count_text(finding->histories).digits,
        atomic_load(&comparing->stopped) ? ", ended by a limit" : "");
    if (!atomic_load(&comparing->stopped))
        finding->size = size;
}

enum status rules_check_by_rule(const struct rule_set *set, const struct violation_automata *own,
                                unsigned bound, unsigned threads, struct limits *limits,
                                struct arena *arena, struct by_rule_finding *finding,
                                struct error *error)
{
    *finding = (struct by_rule_finding){.not_asked = why_not_asked(set)};
    struct comparing_rules *comparing = arena_zeroed(arena, sizeof *comparing);
    bool good = comparing && rule_set_object(set, arena, &finding->object);
    if (!good)
        return error_set(error, STATUS_LIMIT, NULL, 0, "memory");
    comparing->set = set;
    comparing->limits = limits;
    comparing->arena = arena;
    comparing->finding = finding;
    comparing->threads = threads;
    good = make_automata(comparing, own, bound);
    if (good && finding->not_asked)
        return STATUS_OK;
    comparing->workers = arena_allocate(arena, threads * sizeof *comparing->workers);
    good = good && comparing->workers;
    for (unsigned w = 0; w < threads && good; w++)
        good = (comparing->workers[w] = make_worker(comparing)) != NULL;
    if (!good)
        return error_set(error, STATUS_LIMIT, NULL, 0, "memory");
    vector_init(&comparing->labellings.items, limits->budget);
    for (unsigned size = 1; size <= bound && !atomic_load(&comparing->stopped); size++)
        compare_size(comparing, size);
    vector_release(&comparing->labellings.items);
    if (atomic_load(&comparing->stopped))
        finding->limit = limits_which(limits);
    return STATUS_OK;
}
