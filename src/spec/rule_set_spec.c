#include "spec/rule_set_spec.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "spec/bind.h"
#include "spec/builtin.h"
#include "spec/rule_set_forget.h"
#include "spec/rule_set_prefix.h"
#include "spec/rule_set_state.h"
#include "value/print.h"

struct rule_spec {
    struct spec_class class;
    struct budget *budget;
    struct arena arena;
    const struct rule_set *set;
    bool forgets;
    pthread_mutex_t lock; /* of what follows */
    bool has_fault;
    struct error fault;
};

static struct rule_spec *rules_of(const struct spec *spec)
{
    return spec->data;
}

/* ---- methods and calls ---- */

/* Whether the method answers nothing but this result. */
static bool answers_only(const struct rule_set_method *method, value result)
{
    switch ((enum rule_answer)method->answer) {
    case RULE_ANSWERS_NIL:
        return result == VALUE_NIL;
    case RULE_ANSWERS_TRUE:
        return result == VALUE_TRUE;
    case RULE_ANSWERS_FALSE:
        return result == VALUE_FALSE;
    case RULE_ANSWERS_SYMBOL:
        return value_text_is(result, method->symbol);
    default:
        return false;
    }
}

bool rule_method_fits(const struct rule_set *set, unsigned method, value result)
{
    const struct rule_set_method *own = &set->methods[method];
    if (own->answer == RULE_ANSWERS_VALUE)
        return result != VALUE_NIL;
    if (own->answer != RULE_ANSWERS_ANYTHING)
        return answers_only(own, result);
    for (unsigned i = 0; i < set->method_count; i++)
        if (set->methods[i].operation == own->operation && answers_only(&set->methods[i], result))
            return false;
    return true;
}

/* The value that a call tells of its event. */
static value value_of(const struct rule_set_method *method, const struct call *call)
{
    if (method->takes_value)
        return call->argument;
    if (method->answer == RULE_ANSWERS_VALUE && call->result_known)
        return call->result;
    return VALUE_UNKNOWN;
}

/* ---- outcomes ---- */

/* Whether the last outcome is another one again. */
static bool is_repeated(const struct outcomes *outcomes, size_t first)
{
    const struct outcome *last = &outcomes->items.items[outcomes->items.length - 1];
    for (const struct outcome *other = &outcomes->items.items[first]; other < last; other++)
        if (other->result == last->result && other->length == last->length &&
            memcmp(outcomes->words.items + other->start, outcomes->words.items + last->start,
                   last->length * sizeof(uint64_t)) == 0)
            return true;
    return false;
}

/* ---- steps ---- */

static void remember_fault(struct rule_spec *rules, const struct call *call)
{
    struct text text = TEXT_EMPTY;
    text_format(&text, "%s ", rules->set->operations[call->operation]);
    value_print_edn(call->argument, &text);
    pthread_mutex_lock(&rules->lock);
    if (!rules->has_fault)
        error_set(&rules->fault, STATUS_INPUT, rules->set->file, rules->set->line,
                  "the rules of %s are about executions in which each value is given to an input "
                  "method once, found a second `%s`",
                  rules->set->name, text_string(&text));
    rules->has_fault = true;
    pthread_mutex_unlock(&rules->lock);
    text_release(&text);
}

static enum status find_fault(const struct spec *spec, struct error *error)
{
    struct rule_spec *rules = rules_of(spec);
    pthread_mutex_lock(&rules->lock);
    enum status status = rules->has_fault ? STATUS_INPUT : STATUS_OK;
    if (rules->has_fault && error)
        *error = rules->fault;
    pthread_mutex_unlock(&rules->lock);
    return status;
}

/* Whether the group has an event of this input method, or of one that stands for the same calls. */
static bool has_input(const struct execution *execution, uint32_t group, unsigned method)
{
    const struct rule_set_method *methods = execution->set->methods;
    for (uint32_t i = 0; i < execution->length; i++)
        if (execution->events[i].group == group &&
            rule_methods_are_alike(&methods[execution->events[i].method], &methods[method]))
            return true;
    return false;
}

/* The group of a value; group_count if there is none. */
static uint32_t find_group(const struct execution *execution, value known)
{
    uint32_t group = 0;
    while (group < execution->group_count && execution->values[group] != known)
        group++;
    return group;
}

static value answer_of(const struct rule_spec *rules, const struct spec *spec, unsigned method,
                       const struct call *call, value known)
{
    const struct rule_set_method *own = &rules->set->methods[method];
    if (call->result_known)
        return call->result;
    switch ((enum rule_answer)own->answer) {
    case RULE_ANSWERS_VALUE:
        return known == VALUE_UNKNOWN ? VALUE_NIL : known;
    case RULE_ANSWERS_TRUE:
        return VALUE_TRUE;
    case RULE_ANSWERS_FALSE:
        return VALUE_FALSE;
    case RULE_ANSWERS_SYMBOL:
        return value_text(spec->pool, KIND_SYMBOL, own->symbol, strlen(own->symbol));
    default:
        return VALUE_NIL;
    }
}

struct stepping {
    const struct spec *spec;
    const uint64_t *words;
    size_t length;
    const struct call *call;
    struct outcomes *outcomes;
    size_t first; /* outcome */
};

/* The event of `method` in `group` (group_count: a new one), if that is in the set. */
static bool step_to(const struct stepping *stepping, unsigned method, uint32_t group)
{
    const struct rule_spec *rules = rules_of(stepping->spec);
    value known = value_of(&rules->set->methods[method], stepping->call);
    struct execution execution;
    if (!execution_open(&execution, rules->set, rules->budget, stepping->words, stepping->length))
        return false;
    if (group == execution.group_count)
        execution.values[execution.group_count++] = VALUE_UNKNOWN;
    if (known != VALUE_UNKNOWN)
        execution.values[group] = known;
    known = execution.values[group];
    execution.events[execution.length++] = (struct rule_event){(uint16_t)method, (uint16_t)group};
    execution_rank(&execution);
    const struct rule_word word = execution_word(&execution);
    bool good = true;
    if (rule_set_derives(rules->set, rules->set->rule_count, &word, execution.scratch)) {
        if (rules->forgets)
            execution_forget(&execution);
        value result = answer_of(rules, stepping->spec, method, stepping->call, known);
        good = result != VALUE_REFUSED &&
               execution_add_outcome(&execution, result, stepping->outcomes);
        if (good && is_repeated(stepping->outcomes, stepping->first))
            stepping->outcomes->items.length--;
    }
    execution_close(&execution);
    return good;
}

/* The groups of which the call can be an event of `method`. */
static bool step_method(const struct stepping *stepping, struct execution *now, unsigned method)
{
    struct rule_spec *rules = rules_of(stepping->spec);
    const struct rule_set_method *own = &rules->set->methods[method];
    value known = value_of(own, stepping->call);
    if (now->group_count == UINT16_MAX)
        return false;
    bool told_apart = rules->set->values != RULE_VALUES_RENAMED && known != VALUE_UNKNOWN;
    uint32_t same = told_apart ? find_group(now, known) : now->group_count;
    if (same < now->group_count && own->is_input && has_input(now, same, method)) {
        if (!limits_note_fault(stepping->outcomes->limits))
            remember_fault(rules, stepping->call);
        return false;
    }
    for (uint32_t group = 0; group <= now->group_count; group++) {
        bool new = group == now->group_count;
        value other = new ? VALUE_UNKNOWN : now->values[group];
        if ((told_apart && group != same) ||
            (known != VALUE_UNKNOWN && other != VALUE_UNKNOWN && known != other) ||
            (!new && own->is_input &&has_input(now, group, method)))
            continue;
        if (!step_to(stepping, method, group))
            return false;
    }
    return true;
}

static bool rules_step(const struct spec *spec, const uint64_t *words, size_t length,
                       const struct call *call, struct outcomes *outcomes)
{
    const struct rule_spec *rules = rules_of(spec);
    const struct stepping stepping = {.spec = spec,
                                      .words = words,
                                      .length = length,
                                      .call = call,
                                      .outcomes = outcomes,
                                      .first = outcomes->items.length};
    struct execution now;
    bool good = execution_open(&now, rules->set, rules->budget, words, length);
    if (!good)
        return false;
    for (unsigned m = 0; good && m < rules->set->method_count; m++)
        if (rules->set->methods[m].operation == call->operation &&
            (!call->result_known || rule_method_fits(rules->set, m, call->result)))
            good = step_method(&stepping, &now, m);
    execution_close(&now);
    return good;
}

static bool rules_init(const struct spec *spec, value key, struct outcomes *state)
{
    (void)spec;
    (void)key;
    return outcomes_add(state, &(uint64_t){0}, 1, VALUE_NIL);
}

static bool rules_rename(const struct spec *spec, const struct renaming *renaming, uint64_t *words,
                         size_t length)
{
    (void)length;
    bool room = true;
    for (size_t i = 1; i <= words[0] && room; i++) {
        if (words[i] == VALUE_UNKNOWN)
            continue;
        words[i] = renaming_apply(renaming, spec->pool, words[i]);
        room = words[i] != VALUE_REFUSED;
    }
    return room;
}

/* `Enq 1, Enq 2, Deq 1` */
static void rules_print(const struct spec *spec, const uint64_t *words, size_t length,
                        struct text *text)
{
    const struct rule_set *set = rules_of(spec)->set;
    size_t count = length - 1 - (size_t)words[0];
    for (size_t i = 0; i < count; i++) {
        uint64_t event = execution_event(words, i);
        value known = words[1 + execution_event_group(event)];
        text_format(text, "%s%s", i ? ", " : "", set->methods[execution_event_method(event)].name);
        if (known == VALUE_UNKNOWN)
            continue;
        text_append_char(text, ' ');
        value_print_edn(known, text);
    }
    if (count == 0)
        text_append(text, "nothing");
}

/* ---- binding ---- */

/* What an operation answers, over all its methods. */
struct answers {
    bool takes_value, answers_value, answers_boolean, answers_other;
};

static struct answers answers_of(const struct rule_set *set, unsigned operation)
{
    struct answers answers = {0};
    for (unsigned m = 0; m < set->method_count; m++) {
        const struct rule_set_method *method = &set->methods[m];
        if (method->operation != operation)
            continue;
        answers.takes_value |= method->takes_value;
        answers.answers_value |= method->answer == RULE_ANSWERS_VALUE;
        answers.answers_boolean |=
            method->answer == RULE_ANSWERS_TRUE || method->answer == RULE_ANSWERS_FALSE;
        answers.answers_other |=
            method->answer == RULE_ANSWERS_NIL || method->answer == RULE_ANSWERS_SYMBOL;
    }
    return answers;
}

static enum status bind_argument(const struct rule_set *set, value argument, struct text *complaint)
{
    enum value_kind kind = value_kind_of(argument);
    if (argument == VALUE_NIL)
        return bind_complain(complaint, "a value other than nil (which reads as empty)", argument);
    if (set->values == RULE_VALUES_ORDERED && kind != KIND_INTEGER && kind != KIND_REAL)
        return bind_complain(complaint, "a number, for values are ordered", argument);
    return STATUS_OK;
}

static enum status rules_bind(const struct spec *spec, uint16_t operation,
                              const struct recorded *recorded, struct call *call,
                              struct text *complaint)
{
    const struct rule_set *set = rules_of(spec)->set;
    struct answers answers = answers_of(set, operation);
    if (answers.takes_value)
        TRY(bind_argument(set, recorded->argument, complaint));
    else
        bind_answer(recorded, call);
    if (!answers.answers_value && !answers.answers_other && !answers.answers_boolean)
        bind_no_result(call);
    else if (answers.answers_boolean && !answers.answers_value && !answers.answers_other)
        call->result_known &= value_kind_of(call->result) == KIND_BOOLEAN;
    return STATUS_OK;
}

/* ---- creation ---- */

bool rule_set_is_class(const struct spec_class *class)
{
    return class->step == rules_step;
}

const struct rule_set *rule_set_of(const struct spec *spec)
{
    return rule_set_is_class(spec->class) ? rules_of(spec)->set : NULL;
}

static const char *describe_result(const struct answers *answers)
{
    if (answers->answers_value)
        return "v, nil when empty";
    if (answers->answers_boolean)
        return "bool";
    return answers->answers_other ? "ok, or a symbol" : "";
}

/* "put_if_revision" as the tables have it: with hyphens. */
static char *with_hyphens(struct arena *arena, const char *name)
{
    char *copy = arena_copy_text(arena, name, strlen(name));
    for (char *letter = copy; letter && *letter; letter++)
        if (*letter == '_')
            *letter = '-';
    return copy;
}

/* The names that histories may use besides, where the rules are those of a built-in object. */
static void add_aliases(const struct rule_set *set, struct spec_operation *row)
{
    const struct spec_class *class =
        set->subject ? spec_class_find(set->subject, strcspn(set->subject, "( ")) : NULL;
    int found = class ? spec_operation_find(class, row->name, strlen(row->name)) : -1;
    if (found >= 0)
        memcpy(row->aliases, class->operations[found].aliases, sizeof row->aliases);
}

static enum status describe(struct rule_spec *rules)
{
    const struct rule_set *set = rules->set;
    struct spec_operation *rows =
        arena_allocate(&rules->arena, set->operation_count * sizeof *rows);
    TRY_MEMORY(rows);
    for (unsigned i = 0; i < set->operation_count; i++) {
        struct answers answers = answers_of(set, i);
        rows[i] = (struct spec_operation){.name = with_hyphens(&rules->arena, set->operations[i]),
                                          .argument = answers.takes_value ? "v" : "",
                                          .result = describe_result(&answers)};
        TRY_MEMORY(rows[i].name);
        add_aliases(set, &rows[i]);
    }
    rules->class.operations = rows;
    rules->class.operation_count = set->operation_count;
    return STATUS_OK;
}

static void release(struct rule_spec *rules)
{
    arena_release(&rules->arena);
    pthread_mutex_destroy(&rules->lock);
    memory_release(rules->budget, rules, sizeof *rules);
}

static void rules_destroy(struct spec *spec)
{
    release(rules_of(spec));
}

static enum status refuse_initial(struct spec *spec, struct error *error)
{
    if (!spec->has_initial)
        return STATUS_OK;
    return error_set(error, STATUS_USAGE, NULL, 0,
                     "%s is given by rules: it begins with the empty execution, and takes no "
                     "initial value",
                     spec->class->name);
}

enum status rule_set_spec_create(const struct rule_set *set, const struct spec_request *request,
                                 struct value_pool *pool, struct budget *budget, struct spec **spec,
                                 struct error *error)
{
    *spec = NULL;
    TRY(rule_set_check_prefixes(set, budget, error));
    struct rule_spec *rules = memory_zeroed(budget, sizeof *rules);
    if (!rules)
        return bind_refused(error);
    rules->budget = budget;
    arena_init(&rules->arena, budget);
    pthread_mutex_init(&rules->lock, NULL);
    rules->set = rule_set_copy(set, &rules->arena);
    enum status status = rules->set ? describe(rules) : STATUS_LIMIT;
    if (status == STATUS_OK) {
        rules->forgets = rule_set_may_forget(rules->set);
        rules->class.name = rules->set->name;
        rules->class.summary = "a specification by inductive rules";
        rules->class.create = refuse_initial;
        rules->class.destroy = rules_destroy;
        rules->class.bind = rules_bind;
        rules->class.init = rules_init;
        rules->class.step = rules_step;
        rules->class.print_state = rules_print;
        rules->class.fault = find_fault;
        rules->class.rename = set->values == RULE_VALUES_RENAMED ? rules_rename : NULL;
        struct spec_request inner = {.initial = request->initial,
                                     .has_initial = request->has_initial};
        status = spec_create_class(&rules->class, &inner, rules, pool, budget, spec, error);
    }
    if (status == STATUS_LIMIT)
        bind_refused(error);
    if (status != STATUS_OK)
        release(rules);
    return status;
}
