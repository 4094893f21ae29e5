#include "rules/rule_subject.h"

#include <string.h>

#include "spec/rule_set_spec.h"
#include "value/print.h"

/* ---- stepping the specification ---- */

/* A call whose answer is not known yet. */
static enum status bind(const struct rule_subject *subject, unsigned operation, unsigned argument,
                        unsigned process, struct call *call, struct error *error)
{
    const char *name = subject->set->operations[operation];
    int found = spec_operation_find(subject->spec->class, name, strlen(name));
    const struct recorded recorded = {.argument = argument ? value_small(argument) : VALUE_NIL,
                                      .process = process};
    struct text complaint = TEXT_EMPTY;
    enum status status =
        found < 0 ? STATUS_INPUT
                  : spec_bind(subject->spec, (uint16_t)found, &recorded, call, &complaint);
    if (status == STATUS_INPUT)
        error_set(error, status, subject->set->file, subject->set->line,
                  "expected `%s` to take any value in `%s`: %s", name, subject->set->subject,
                  text_string(&complaint));
    text_release(&complaint);
    return status;
}

static enum status step(const struct rule_subject *subject, const uint64_t *words, size_t length,
                        const struct call *call, struct outcomes *outcomes, struct error *error)
{
    const struct spec *spec = subject->spec;
    if (spec->class->step(spec, words, length, call, outcomes))
        return STATUS_OK;
    enum status fault = spec->class->fault ? spec->class->fault(spec, error) : STATUS_OK;
    return fault == STATUS_OK ? STATUS_LIMIT : fault;
}

/* ---- whether a word is allowed ---- */

struct allowing {
    const struct rule_subject *subject;
    const struct rule_word *word;
    const uint8_t *values;
    bool allowed;
    struct error *error;
};

static bool answers(const struct allowing *allowing, const struct rule_event *event, value result)
{
    const struct rule_set *set = allowing->subject->set;
    return rule_method_fits(set, event->method, result) &&
           (set->methods[event->method].answer != RULE_ANSWERS_VALUE ||
            result == value_small(allowing->values[event->group]));
}

static enum status allow_from(struct allowing *allowing, uint32_t at, const uint64_t *words,
                              size_t length)
{
    const struct rule_subject *subject = allowing->subject;
    struct outcomes outcomes;
    struct call call;
    if (at == allowing->word->length) {
        allowing->allowed = true;
        return STATUS_OK;
    }
    const struct rule_event *event = &allowing->word->events[at];
    const struct rule_set_method *method = &subject->set->methods[event->method];
    TRY(bind(subject, method->operation, method->takes_value ? allowing->values[event->group] : 0,
             at, &call, allowing->error));
    outcomes_init(&outcomes, subject->budget);
    enum status status = step(subject, words, length, &call, &outcomes, allowing->error);
    for (size_t i = 0; i < outcomes.items.length && status == STATUS_OK && !allowing->allowed; i++)
        if (answers(allowing, event, outcomes.items.items[i].result))
            status =
                allow_from(allowing, at + 1, outcomes.words.items + outcomes.items.items[i].start,
                           outcomes.items.items[i].length);
    outcomes_release(&outcomes);
    return status;
}

enum status rule_subject_allows(const struct rule_subject *subject, const struct rule_word *word,
                                const uint8_t *values, bool *allowed, struct error *error)
{
    struct allowing allowing = {.subject = subject, .word = word, .values = values, .error = error};
    struct outcomes state;
    outcomes_init(&state, subject->budget);
    enum status status = STATUS_LIMIT;
    if (subject->spec->class->init(subject->spec, VALUE_NIL, &state))
        status = allow_from(&allowing, 0, state.words.items, state.items.items[0].length);
    outcomes_release(&state);
    *allowed = allowing.allowed;
    return status;
}

/* ---- what is allowed ---- */

struct visiting {
    const struct rule_subject *subject;
    unsigned count;
    bool (*visit)(void *context, const struct rule_calls *calls);
    void *context;
    struct rule_calls calls;
    bool ended;
    struct error *error;
};

static bool takes_value(const struct rule_set *set, unsigned operation)
{
    for (unsigned m = 0; m < set->method_count; m++)
        if (set->methods[m].operation == operation)
            return set->methods[m].takes_value;
    return false;
}

static enum status visit_from(struct visiting *visiting, unsigned values, const uint64_t *words,
                              size_t length);

static enum status visit_call(struct visiting *visiting, unsigned operation, unsigned argument,
                              unsigned values, const uint64_t *words, size_t length)
{
    const struct rule_subject *subject = visiting->subject;
    struct outcomes outcomes;
    struct call call;
    TRY(bind(subject, operation, argument, visiting->calls.count, &call, visiting->error));
    outcomes_init(&outcomes, subject->budget);
    enum status status = step(subject, words, length, &call, &outcomes, visiting->error);
    for (size_t i = 0; i < outcomes.items.length && status == STATUS_OK && !visiting->ended; i++) {
        const struct outcome *outcome = &outcomes.items.items[i];
        visiting->calls.items[visiting->calls.count++] =
            (struct rule_call){(uint16_t)operation, (uint8_t)argument, outcome->result};
        status = visit_from(visiting, argument > values ? argument : values,
                            outcomes.words.items + outcome->start, outcome->length);
        visiting->calls.count--;
    }
    outcomes_release(&outcomes);
    return status;
}

/* `values`: those that have been given. */
static enum status visit_from(struct visiting *visiting, unsigned values, const uint64_t *words,
                              size_t length)
{
    const struct rule_set *set = visiting->subject->set;
    if (visiting->calls.count == visiting->count) {
        visiting->ended = !visiting->visit(visiting->context, &visiting->calls);
        return STATUS_OK;
    }
    unsigned most = set->values == RULE_VALUES_ORDERED ? visiting->count : values + 1;
    for (unsigned operation = 0; operation < set->operation_count; operation++) {
        bool takes = takes_value(set, operation);
        for (unsigned argument = takes; argument <= (takes ? most : 0); argument++)
            if (!visiting->ended)
                TRY(visit_call(visiting, operation, argument, values, words, length));
    }
    return STATUS_OK;
}

enum status rule_subject_visit(const struct rule_subject *subject, unsigned count,
                               bool (*visit)(void *context, const struct rule_calls *calls),
                               void *context, struct error *error)
{
    struct visiting visiting = {
        .subject = subject, .count = count, .visit = visit, .context = context, .error = error};
    struct outcomes state;
    outcomes_init(&state, subject->budget);
    enum status status = STATUS_LIMIT;
    if (subject->spec->class->init(subject->spec, VALUE_NIL, &state))
        status = visit_from(&visiting, 0, state.words.items, state.items.items[0].length);
    outcomes_release(&state);
    return status;
}

/* ---- calls as events ---- */

static bool is_event_of(const struct rule_set *set, const struct rule_call *call, unsigned method)
{
    return set->methods[method].operation == call->operation &&
           rule_method_fits(set, method, call->result);
}

bool rule_calls_are_differentiated(const struct rule_set *set, const struct rule_calls *calls)
{
    for (unsigned m = 0; m < set->method_count; m++) {
        uint32_t given = 0;
        for (unsigned i = 0; i < calls->count && set->methods[m].is_input; i++) {
            const struct rule_call *call = &calls->items[i];
            if (!call->argument || !is_event_of(set, call, m))
                continue;
            if (given >> call->argument & 1)
                return false;
            given |= UINT32_C(1) << call->argument;
        }
    }
    return true;
}

struct deriving {
    const struct rule_set *set;
    const struct rule_calls *calls;
    bool prefix_closed;
    struct rule_event events[RULE_MOST_EVENTS];
    value values[RULE_MOST_EVENTS]; /* by group; VALUE_REFUSED: not known */
};

/* Whether the first `length` events are a word of the set. */
static bool is_derived(const struct deriving *deriving, unsigned length, unsigned groups)
{
    uint32_t ranks[RULE_MOST_EVENTS];
    struct rule_event scratch[RULE_MOST_EVENTS];
    for (unsigned i = 0; i < groups; i++) /* values are small numbers */
        ranks[i] = deriving->values[i] == VALUE_REFUSED
                       ? 0
                       : (uint32_t)value_small_get(deriving->values[i]);
    const struct rule_word word = {deriving->events, length,
                                   deriving->set->values == RULE_VALUES_ORDERED ? ranks : NULL};
    return rule_set_derives(deriving->set, deriving->set->rule_count, &word, scratch);
}

/* Whether the group has an event of a method that stands for the same calls as this input. */
static bool has_input(const struct deriving *deriving, unsigned length, unsigned group,
                      unsigned method)
{
    const struct rule_set_method *methods = deriving->set->methods;
    for (unsigned i = 0; i < length && methods[method].is_input; i++)
        if (deriving->events[i].group == group &&
            rule_methods_are_alike(&methods[deriving->events[i].method], &methods[method]))
            return true;
    return false;
}

static bool derive_from(struct deriving *deriving, unsigned at, unsigned groups);

/* The call as an event of `method`, of each group that it can be of. */
static bool derive_method(struct deriving *deriving, unsigned at, unsigned groups, unsigned method)
{
    const struct rule_call *call = &deriving->calls->items[at];
    const struct rule_set_method *own = &deriving->set->methods[method];
    value known = own->takes_value                    ? value_small(call->argument)
                  : own->answer == RULE_ANSWERS_VALUE ? call->result
                                                      : VALUE_REFUSED;
    bool renamed = deriving->set->values == RULE_VALUES_RENAMED, met = false;
    for (unsigned group = 0; group <= groups; group++) {
        bool new = group == groups;
        value before = new ? VALUE_REFUSED : deriving->values[group];
        bool same = known != VALUE_REFUSED && before == known;
        met |= same;
        if ((known != VALUE_REFUSED && before != VALUE_REFUSED && !same) ||
            (new &&met && !renamed) || has_input(deriving, at, group, method))
            continue;
        deriving->values[group] = known != VALUE_REFUSED ? known : before;
        deriving->events[at] = (struct rule_event){(uint16_t)method, (uint16_t)group};
        if ((!deriving->prefix_closed || is_derived(deriving, at + 1, groups + new)) &&
            derive_from(deriving, at + 1, groups + new))
            return true;
        deriving->values[group] = before;
    }
    return false;
}

static bool derive_from(struct deriving *deriving, unsigned at, unsigned groups)
{
    if (at == deriving->calls->count)
        return is_derived(deriving, at, groups);
    for (unsigned m = 0; m < deriving->set->method_count; m++)
        if (is_event_of(deriving->set, &deriving->calls->items[at], m) &&
            derive_method(deriving, at, groups, m))
            return true;
    return false;
}

bool rule_calls_are_derived(const struct rule_set *set, const struct rule_calls *calls,
                            bool prefix_closed)
{
    struct deriving deriving = {.set = set, .calls = calls, .prefix_closed = prefix_closed};
    return derive_from(&deriving, 0, 0);
}

/* ---- for people ---- */

static value result_of(const struct rule_set_method *method, value own, struct value_pool *pool)
{
    switch ((enum rule_answer)method->answer) {
    case RULE_ANSWERS_VALUE:
        return own;
    case RULE_ANSWERS_TRUE:
        return VALUE_TRUE;
    case RULE_ANSWERS_FALSE:
        return VALUE_FALSE;
    case RULE_ANSWERS_SYMBOL:
        return value_text(pool, KIND_SYMBOL, method->symbol, strlen(method->symbol));
    default:
        return VALUE_NIL;
    }
}

void rule_calls_of_word(const struct rule_set *set, const struct rule_word *word,
                        const uint8_t *values, struct value_pool *pool, struct rule_calls *calls)
{
    calls->count = (uint8_t)word->length;
    for (uint32_t i = 0; i < word->length; i++) {
        const struct rule_set_method *method = &set->methods[word->events[i].method];
        uint8_t own = values[word->events[i].group];
        calls->items[i] = (struct rule_call){.operation = method->operation,
                                             .argument = method->takes_value ? own : 0,
                                             .result = result_of(method, value_small(own), pool)};
    }
}

void rule_calls_print(const struct rule_set *set, const struct rule_calls *calls, struct text *text)
{
    for (unsigned i = 0; i < calls->count; i++) {
        const struct rule_call *call = &calls->items[i];
        bool silent = true;
        for (unsigned m = 0; m < set->method_count; m++)
            silent &= set->methods[m].operation != call->operation ||
                      set->methods[m].answer == RULE_ANSWERS_ANYTHING;
        text_format(text, "%s%s", i ? ", " : "", set->operations[call->operation]);
        if (call->argument)
            text_format(text, " %u", call->argument);
        if (silent && call->result == VALUE_NIL)
            continue;
        text_append(text, " -> ");
        value_print_edn(call->result, text);
    }
    if (calls->count == 0)
        text_append(text, "nothing");
}
