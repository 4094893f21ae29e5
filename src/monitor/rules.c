/* Refutes histories of rule sets: finds a projection to some of the values that no rule can be the
 * last step of. It finds violations only; all else the search decides.
 *
 * What rules derive is closed under projection, so if a history is linearizable, so is each
 * projection of it to some of its values, and that one is linearizable to what the last rule of a
 * derivation makes (spec/rule_set.h). A projection that is not linearizable to what any rule makes,
 * with any witness, is a violation. Where rules are step-by-step linearizable there is one for each
 * violation (Lemma 5 of the paper), and it can be found by taking values out, one after the other,
 * each a witness of some rule for what is left: taking out a witness loses no violation (Definition
 * 7). What is left when there is no witness is the projection.
 *
 * Nothing is lost where rules do not have that property: if all values can be taken out, the
 * general search decides. It decides, too, whatever is not known well enough: values that are given
 * twice, and those that a pending operation, or one whose result is not known, may have had to do
 * with, are left out from the beginning. */
#include <string.h>

#include <assert.h>

#include "monitor/monitors.h"
#include "monitor/rules_match.h"
#include "monitor/step.h"
#include "spec/rule_set_spec.h"
#include "value/print.h"

/* Larger parts are the search's: time grows with the cube. */
#define OPERATIONS_MOST 600

#define VALUES_TOLD      4       /* in the reason */
#define POSITIONS_A_LOOK 1000000 /* one after the other, a nanosecond each */

struct refuting {
    struct rules_view view;
    struct limits *limits;
    struct decision *decision;
    struct arena *arena;
    value *values;  /* by group; VALUE_REFUSED: it has none */
    bool *others;   /* by group: room for another choice of those that are left out */
    uint32_t left;  /* groups that are not left out */
    uint32_t steps; /* positions, since the last look at the limits */
    bool stopped;
};

/* ---- rules of which a history tells what is an event of what ---- */

static bool has_value(const struct rule_set_method *method)
{
    return method->takes_value || method->answer == RULE_ANSWERS_VALUE;
}

/* The input that takes the value of every group that has one, once; method_count: there is none. */
static unsigned find_key(const struct rule_set *set)
{
    for (unsigned m = 0; m < set->method_count; m++) {
        bool everywhere = set->methods[m].is_input && set->methods[m].takes_value;
        for (unsigned r = 1; r < set->rule_count && everywhere; r++) {
            bool once = false, valued = false;
            for (unsigned i = 0; i < set->rules[r].item_count; i++) {
                const struct rule_item *item = &set->rules[r].items[i];
                once |= item->kind == RULE_METHOD && item->number == m;
                valued |= item->kind != RULE_VARIABLE && has_value(&set->methods[item->number]);
            }
            everywhere = once || !valued;
        }
        if (everywhere)
            return m;
    }
    return set->method_count;
}

/* Whether some method's value is not recorded, or stands for calls that another one does, too. */
static bool leaves_open(const struct rule_set *set)
{
    for (unsigned m = 0; m < set->method_count; m++) {
        if (!has_value(&set->methods[m]) && rule_set_shows_value(set, m))
            return true;
        for (unsigned other = 0; other < m; other++)
            if (rule_methods_are_alike(&set->methods[m], &set->methods[other]))
                return true;
    }
    return find_key(set) == set->method_count;
}

static enum step rules_apply(const struct part *part, struct limits *limits, struct arena *arena,
                             struct inapplicable *why)
{
    (void)limits, (void)arena;
    if (leaves_open(rule_set_of(part->spec)))
        return step_inapplicable(
            why, part->count, "calls and answers alone do not say which operations belong together",
            VALUE_REFUSED, "");
    if (part->count > OPERATIONS_MOST)
        return step_inapplicable(why, part->count, "there are too many operations", VALUE_REFUSED,
                                 "");
    return STEP_READY;
}

/* ---- operations as events ---- */

/* The method of an operation; method_count: not known, `*possible` are. */
static unsigned find_method(const struct rule_set *set, const struct interval *interval,
                            uint32_t *possible)
{
    const struct call *call = &interval->call;
    unsigned found = set->method_count, count = 0;
    *possible = 0;
    for (unsigned m = 0; m < set->method_count; m++) {
        if (set->methods[m].operation != call->operation ||
            (call->result_known && !rule_method_fits(set, m, call->result)))
            continue;
        *possible |= UINT32_C(1) << m;
        found = m;
        count++;
    }
    bool known = count == 1 && interval->response != POSITION_NEVER &&
                 (set->methods[found].answer != RULE_ANSWERS_VALUE || call->result_known);
    return known ? found : set->method_count;
}

static value value_of(const struct rule_set_method *method, const struct call *call)
{
    if (method->takes_value)
        return call->argument;
    return method->answer == RULE_ANSWERS_VALUE ? call->result : VALUE_REFUSED;
}

/* The group of a value, a new one if there is none yet; of VALUE_REFUSED always. */
static uint32_t group_of(struct refuting *refuting, value own)
{
    struct rules_view *view = &refuting->view;
    uint32_t group = 0;
    while (group < view->group_count && (own == VALUE_REFUSED || refuting->values[group] != own))
        group++;
    if (group == view->group_count) {
        refuting->values[view->group_count++] = own;
        view->first[group] = GROUP_NONE;
        view->out[group] = false;
    }
    return group;
}

static void add_event(struct rules_view *view, uint32_t interval, unsigned method, uint32_t group)
{
    view->method[interval] = (uint16_t)method;
    view->group[interval] = group;
    view->next[interval] = view->first[group];
    view->first[group] = interval;
}

/* Whether the group, with one more event of the method, can be part of what a rule makes. */
static bool may_have(const struct rules_view *view, uint32_t group, unsigned method)
{
    for (unsigned r = 1; r < view->set->rule_count; r++) {
        const struct rule *rule = &view->set->rules[r];
        uint32_t once = 0, seen = UINT32_C(1) << method;
        bool fits = rule->methods & seen;
        for (unsigned i = 0; i < rule->item_count; i++)
            if (rule->items[i].kind == RULE_METHOD)
                once |= UINT32_C(1) << rule->items[i].number;
        for (uint32_t i = view->first[group]; i != GROUP_NONE && fits; i = view->next[i]) {
            uint32_t own = UINT32_C(1) << view->method[i];
            fits = (rule->methods & own) && !(once & seen & own);
            seen |= own;
        }
        if (fits)
            return true;
    }
    return false;
}

/* Leaves out groups whose events are not all known. `open`: bits, methods of which there may be
 * events that are not known. */
static void leave_out(struct refuting *refuting, uint32_t open)
{
    struct rules_view *view = &refuting->view;
    unsigned key = find_key(view->set);
    for (uint32_t group = 0; group < view->group_count; group++) {
        unsigned keys = 0;
        for (uint32_t i = view->first[group]; i != GROUP_NONE; i = view->next[i])
            keys += view->method[i] == key;
        view->out[group] |= keys > 1;
        for (unsigned m = 0; m < view->set->method_count && !view->out[group]; m++)
            view->out[group] = (open >> m & 1) && may_have(view, group, m);
        refuting->left += !view->out[group];
    }
}

/* Finds out which events there are of which groups. */
static void collect(struct refuting *refuting)
{
    struct rules_view *view = &refuting->view;
    const struct rule_set *set = view->set;
    uint32_t open = 0, possible;
    for (uint32_t i = 0; i < view->part->count; i++) {
        const struct interval *interval = &view->part->intervals[i];
        unsigned method = find_method(set, interval, &possible);
        view->group[i] = GROUP_NONE;
        view->events[interval->invoke] = (struct rules_event){i, false};
        if (interval->response != POSITION_NEVER)
            view->events[interval->response] = (struct rules_event){i, true};
        if (method < set->method_count) {
            value own = value_of(&set->methods[method], &interval->call);
            add_event(view, i, method, group_of(refuting, own));
            continue;
        }
        for (unsigned m = 0; m < set->method_count; m++) {
            if (!(possible >> m & 1) || !rule_set_shows_value(set, m))
                continue;
            if (set->methods[m].takes_value)
                view->out[group_of(refuting, interval->call.argument)] = true;
            else
                open |= UINT32_C(1) << m;
        }
    }
    leave_out(refuting, open);
}

static void rank(struct refuting *refuting)
{
    struct rules_view *view = &refuting->view;
    const value *values = refuting->values;
    for (uint32_t i = 0; i < view->group_count; i++) {
        view->ranks[i] = 0;
        for (uint32_t j = 0; j < view->group_count; j++)
            if (values[i] != VALUE_REFUSED && values[j] != VALUE_REFUSED)
                view->ranks[i] += value_compare(values[j], values[i]) < 0;
    }
}

static bool open_view(struct refuting *refuting, const struct part *part)
{
    struct arena *arena = refuting->arena;
    struct rules_view *view = &refuting->view;
    size_t count = part->count;
    *view = (struct rules_view){.part = part, .set = rule_set_of(part->spec)};
    view->events = arena_allocate(arena, part->positions * sizeof *view->events);
    view->method = arena_allocate(arena, count * sizeof *view->method);
    view->group = arena_allocate(arena, count * sizeof *view->group);
    view->next = arena_allocate(arena, count * sizeof *view->next);
    view->first = arena_allocate(arena, count * sizeof *view->first);
    view->out = arena_allocate(arena, count * sizeof *view->out);
    view->item = arena_allocate(arena, count * sizeof *view->item);
    refuting->others = arena_allocate(arena, count * sizeof *refuting->others);
    refuting->values = arena_allocate(arena, count * sizeof *refuting->values);
    bool good = view->events && view->method && view->group && view->next && view->first &&
                view->out && view->item && refuting->others && refuting->values;
    if (good && view->set->values == RULE_VALUES_ORDERED) {
        view->ranks = arena_allocate(arena, count * sizeof *view->ranks);
        good = view->ranks != NULL;
    }
    if (!good)
        return false;
    collect(refuting);
    if (view->ranks)
        rank(refuting);
    return true;
}

/* ---- taking groups out ---- */

static enum rules_match try_witness(struct refuting *refuting, unsigned rule, uint32_t witness)
{
    refuting->decision->explored += refuting->view.part->positions;
    refuting->steps += refuting->view.part->positions;
    refuting->stopped |= limits_work(refuting->limits, &refuting->steps, POSITIONS_A_LOOK);
    return rules_match(&refuting->view, rule, witness);
}

/* A group that is a witness of some rule for what is left, the last rule first. group_count: there
 * is none, and `*sure` says whether that is certain. */
static uint32_t find_witness(struct refuting *refuting, bool *sure)
{
    const struct rules_view *view = &refuting->view;
    *sure = true;
    for (unsigned r = view->set->rule_count - 1u; r > 0; r--)
        for (uint32_t group = 0; group < view->group_count && !refuting->stopped; group++) {
            enum rules_match match =
                view->out[group] ? RULES_NO_MATCH : try_witness(refuting, r, group);
            if (match == RULES_MATCH)
                return group;
            *sure &= match != RULES_UNDECIDED;
        }
    return view->group_count;
}

static void take_out(struct refuting *refuting, uint32_t group, bool out)
{
    assert(refuting->view.out[group] != out);
    refuting->view.out[group] = out;
    refuting->left += out ? UINT32_MAX : 1;
}

/* Takes out every group without which there is no witness either. */
static void shrink(struct refuting *refuting)
{
    bool sure;
    for (uint32_t group = 0; group < refuting->view.group_count && !refuting->stopped; group++) {
        if (refuting->view.out[group] || refuting->left == 1)
            continue;
        take_out(refuting, group, true);
        if (find_witness(refuting, &sure) < refuting->view.group_count || !sure)
            take_out(refuting, group, false);
    }
}

/* A group that is no witness by itself, to be the only one that is left; group_count: there is
 * none. Of groups that are, rules_match nearly always decides. */
static uint32_t find_alone(struct refuting *refuting)
{
    struct rules_view *view = &refuting->view;
    bool *kept = view->out, sure;
    uint32_t group = 0;
    view->out = refuting->others;
    memset(view->out, true, view->group_count);
    for (; group < view->group_count && !refuting->stopped; group++) {
        view->out[group] = kept[group];
        if (!kept[group] && find_witness(refuting, &sure) == view->group_count && sure)
            break;
        view->out[group] = true;
    }
    if (group < view->group_count)
        refuting->left = 1;
    else
        view->out = kept;
    return group;
}

/* ---- what is found ---- */

static void tell(struct refuting *refuting)
{
    const struct rules_view *view = &refuting->view;
    struct text *text = &refuting->decision->reason;
    unsigned told = 0;
    text_append(text, "no rule can be the last step of any order of the operations on ");
    for (uint32_t group = 0; group < view->group_count; group++) {
        if (view->out[group])
            continue;
        if (told++ >= VALUES_TOLD)
            continue;
        text_append(text, told == 1 ? "" : told == refuting->left ? " and " : ", ");
        if (refuting->values[group] != VALUE_REFUSED) {
            value_print_edn(refuting->values[group], text);
            continue;
        }
        text_append_char(text, '`');
        spec_print_call(view->part->spec, &view->part->intervals[view->first[group]].call, text);
        text_append_char(text, '`');
    }
    if (told > VALUES_TOLD)
        text_format(text, " and %u others", told - VALUES_TOLD);
    refuting->decision->vague = true;
}

static enum step refute(struct refuting *refuting)
{
    const struct rules_view *view = &refuting->view;
    bool sure = true, shown = true;
    bool alone = refuting->left > 0 && find_alone(refuting) < view->group_count;
    while (refuting->left > 0 && !alone && !refuting->stopped) {
        uint32_t witness = find_witness(refuting, &sure);
        if (witness == view->group_count)
            break;
        take_out(refuting, witness, true);
    }
    if (!refuting->stopped && (refuting->left == 0 || !sure))
        return STEP_UNDECIDED;
    shrink(refuting);
    if (refuting->stopped)
        return STEP_REFUSED;
    tell(refuting);
    for (uint32_t i = 0; i < view->part->count; i++)
        if (view->group[i] != GROUP_NONE && !view->out[view->group[i]])
            shown = shown && vector_push(&refuting->decision->evidence, i);
    return step_violation(shown);
}

static enum step rules_decide(const struct part *part, struct limits *limits, struct arena *arena,
                              struct decision *decision)
{
    struct refuting refuting = {.limits = limits, .decision = decision, .arena = arena};
    if (part->count == 0)
        return STEP_UNDECIDED;
    return open_view(&refuting, part) ? refute(&refuting) : STEP_REFUSED;
}

const struct monitor rules_monitor = {rules_apply, NULL, rules_decide,
                                      "it finds violations only, and has found none"};
