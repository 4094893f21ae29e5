/* First what the methods of an automaton are, then its states, then for each state what every
 * letter of the alphabet leads to: exactly one transition. */
#include "lin/automaton.h"

#include <ctype.h>
#include <string.h>

#include "lin/rules.h"
#include "spec/rule_object.h"
#include "spec/rule_set.h"

#define MOST_COLOUR 3

struct automaton_checker {
    const struct lin_module *module;
    struct lin_automaton *automaton;
    struct error *error;
};

#define complain(checker, at, ...)                                                                 \
    script_error((checker)->module->script, (at), (checker)->error, __VA_ARGS__)

/* ---- methods that the file says ---- */

static enum status check_method_name(const struct automaton_checker *checker, uint32_t number)
{
    struct lin_method *const *methods = checker->automaton->methods;
    const struct lin_method *method = methods[number];
    size_t length = strlen(method->name);
    for (uint32_t i = 0; i < checker->automaton->method_count; i++) {
        bool copy = strlen(methods[i]->name) + 1 == length && method->name[length - 1] == 'M' &&
                    memcmp(methods[i]->name, method->name, length - 1) == 0;
        if (i < number && methods[i]->name == method->name)
            return complain(checker, method->at, "expected a new name, found `%s` again",
                            method->name);
        if (copy)
            return complain(checker, method->at,
                            "expected a name that is not `%s` with an M: so its marked copy is "
                            "called",
                            methods[i]->name);
    }
    if (strcmp(method->name, "others") == 0)
        return complain(checker, method->at, "expected a name other than `others`");
    return STATUS_OK;
}

/* Whether no other method is of the same operation: what it answers need not be said then. */
static bool is_alone(const struct lin_automaton *automaton, const struct lin_method *method)
{
    for (uint32_t i = 0; i < automaton->method_count; i++)
        if (automaton->methods[i] != method &&
            automaton->methods[i]->operation == method->operation)
            return false;
    return true;
}

static struct object_method describe(const struct lin_automaton *automaton,
                                     const struct lin_method *method, bool processes)
{
    static const enum method_result results[] = {
        [LIN_METHOD_ANSWERS_ANYTHING] = RESULT_ANY,  [LIN_METHOD_ANSWERS_SYMBOL] = RESULT_SYMBOL,
        [LIN_METHOD_ANSWERS_TRUE] = RESULT_TRUE,     [LIN_METHOD_ANSWERS_FALSE] = RESULT_FALSE,
        [LIN_METHOD_ANSWERS_VALUE] = RESULT_ITS_OWN,
    };
    bool nil = method->symbol && strcmp(method->symbol, "empty") == 0;
    bool answers = processes || method->answer == LIN_METHOD_ANSWERS_VALUE;
    enum method_role role = method->is_input      ? METHOD_ADDS
                            : method->takes_value ? METHOD_ASKS
                            : answers             ? METHOD_ANSWERS
                                                  : METHOD_EMPTY;
    return (struct object_method){
        .name = method->name,
        .operation = method->operation,
        .role = role,
        .most = role == METHOD_ADDS    ? 1
                : processes            ? METHOD_TAKES
                : role == METHOD_EMPTY ? 0
                                       : METHOD_LOOKS,
        .result =
            nil || (method->answer == LIN_METHOD_ANSWERS_ANYTHING && !is_alone(automaton, method))
                ? RESULT_ITS_OWN
                : results[method->answer],
        .symbol = method->symbol,
    };
}

/* Where the first input has no value, values are processes: what is no input ends what an input
 * began. */
static enum status check_method(const struct automaton_checker *checker,
                                const struct lin_subject *subject, uint32_t number, uint32_t first)
{
    const struct lin_method *method = checker->automaton->methods[number];
    bool processes = !checker->automaton->methods[first]->takes_value;
    bool silent = method->answer == LIN_METHOD_ANSWERS_ANYTHING;
    TRY(check_method_name(checker, number));
    TRY(lin_check_operation(checker->module, subject, method, checker->error));
    if (processes && (method->takes_value || !silent))
        return complain(checker, method->operation_at,
                        "expected an operation without value and answer, as `%s` is one, whose "
                        "values are who calls",
                        checker->automaton->methods[first]->name);
    if (method->is_input && !method->takes_value && !processes)
        return complain(checker, method->operation_at,
                        "expected an operation with a value, as `%s` is one, found `%s()`",
                        checker->automaton->methods[first]->name, method->operation);
    if (method->takes_value && method->answer == LIN_METHOD_ANSWERS_VALUE)
        return complain(checker, method->operation_at,
                        "expected one value of a method, an argument or an answer, found two");
    return STATUS_OK;
}

/* Inputs come first, as in rule_object.c. */
static enum status make_object(const struct automaton_checker *checker,
                               const struct lin_subject *subject)
{
    struct lin_automaton *automaton = checker->automaton;
    uint32_t count = automaton->method_count, first = 0;
    struct arena *arena = checker->module->arena;
    struct rule_object *object = arena_allocate(arena, sizeof *object);
    struct object_method *methods = arena_allocate(arena, count * sizeof *methods);
    TRY_MEMORY(object && methods);
    if (count > OBJECT_MOST_METHODS)
        return complain(checker, automaton->methods[OBJECT_MOST_METHODS]->at,
                        "expected at most %d methods, found %u", OBJECT_MOST_METHODS, count);
    while (first < count && !automaton->methods[first]->is_input)
        first++;
    if (first == count)
        return complain(checker, automaton->methods[0]->at,
                        "expected an `input` among the methods of `%s`", subject->name);
    bool processes = !automaton->methods[first]->takes_value;
    *object = (struct rule_object){
        .name = subject->name, .values_are_processes = processes, .methods = methods};
    for (uint32_t i = 0; i < count; i++)
        TRY(check_method(checker, subject, i, first));
    for (uint32_t i = 0; i < 2 * count; i++)
        if (automaton->methods[i % count]->is_input == (i < count))
            methods[object->method_count++] =
                describe(automaton, automaton->methods[i % count], processes);
    automaton->object = object;
    return STATUS_OK;
}

/* ---- the specification ---- */

/* The text of a reference without white space. */
static const char *spell(const struct automaton_checker *checker,
                         const struct lin_reference *reference)
{
    const char *text = checker->module->script->text;
    char *spelt = arena_allocate(checker->module->arena, reference->end - reference->at + 1);
    size_t length = 0;
    if (!spelt)
        return NULL;
    for (place at = reference->at; at < reference->end; at++)
        if (!isspace((unsigned char)text[at]))
            spelt[length++] = text[at];
    spelt[length] = 0;
    return spelt;
}

/* The first automaton of the same specification that says its methods; null: none does. */
static struct lin_automaton *find_methods(const struct automaton_checker *checker)
{
    const struct lin_module *module = checker->module;
    for (size_t i = 0; i < module->automata.length; i++)
        if (module->automata.items[i]->method_count &&
            module->automata.items[i]->subject.name == checker->automaton->subject.name)
            return module->automata.items[i];
    return NULL;
}

static enum status find_object(struct automaton_checker *checker)
{
    struct lin_automaton *automaton = checker->automaton;
    const struct lin_reference *reference = &automaton->subject;
    struct lin_subject subject = lin_find_subject(checker->module, reference->name);
    struct lin_automaton *said = find_methods(checker);
    automaton->specification = spell(checker, reference);
    TRY_MEMORY(automaton->specification);
    if (subject.built_in && !automaton->object)
        automaton->object = rule_object_find(automaton->specification);
    if (!subject.own && !subject.built_in)
        return complain(checker, reference->at,
                        "expected a specification of this file or a built-in one, found `%s`",
                        subject.name);
    if (automaton->method_count && automaton != said)
        return complain(checker, automaton->methods[0]->at,
                        "expected the methods of `%s` once, found them again: `%s` says them",
                        subject.name, said->name);
    if (!subject.own && rule_object_find(automaton->specification) && said)
        return complain(checker, said->methods[0]->at,
                        "expected no methods, for those of `%s` are known", subject.name);
    if (automaton->object)
        return STATUS_OK;
    if (!said)
        return complain(checker, reference->at,
                        "expected a %s, or the methods of `%s` in one of its automata, as in "
                        "`input Add = add(value);`",
                        rule_object_names(), subject.name);
    const struct automaton_checker other = {checker->module, said, checker->error};
    if (!said->object)
        TRY(make_object(&other, &subject));
    automaton->object = said->object;
    return STATUS_OK;
}

/* ---- states ---- */

static uint32_t find_state(const struct lin_automaton *automaton, const char *name)
{
    uint32_t number = 0;
    while (number < automaton->state_count && automaton->states[number]->name != name)
        number++;
    return number;
}

static enum status check_states(const struct automaton_checker *checker)
{
    struct lin_automaton *automaton = checker->automaton;
    bool initial = false, accepting = false;
    for (uint32_t i = 0; i < automaton->state_count; i++) {
        const struct lin_automaton_state *state = automaton->states[i];
        if (i == LIN_AUTOMATON_MOST_STATES)
            return complain(checker, state->at, "expected at most %d states",
                            LIN_AUTOMATON_MOST_STATES);
        if (strcmp(state->name, "dead") == 0)
            return complain(checker, state->at, "expected a name other than `dead`");
        if (find_state(automaton, state->name) != i)
            return complain(checker, state->at, "expected a new name, found `%s` again",
                            state->name);
        if (state->initial && initial)
            return complain(checker, state->at, "expected one `initial` state, found a second one");
        if (state->initial)
            automaton->initial = i;
        initial = initial || state->initial;
        accepting = accepting || state->accepting;
    }
    if (!initial || !accepting)
        return complain(checker, automaton->at, "expected %s state in `%s`, found none",
                        initial ? "an `accepting`" : "an `initial`", automaton->name);
    return STATUS_OK;
}

/* ---- transitions ---- */

/* What a state has said of each letter. */
struct said {
    bool letters[2][OBJECT_MOST_METHODS][2][MOST_COLOUR + 1]; /* by event, method, mark, colour */
    bool others[2];                                           /* by mark */
};

static enum status find_letter_method(const struct automaton_checker *checker,
                                      struct lin_letter *letter)
{
    const struct rule_object *object = checker->automaton->object;
    struct text known = TEXT_EMPTY;
    letter->number = rule_object_find_method(object, letter->method);
    if (letter->number < object->method_count)
        return STATUS_OK;
    rule_object_append_methods(object, &known);
    complain(checker, letter->at, "expected a method of `%s` (%s), found `%s`",
             checker->automaton->specification, text_string(&known), letter->method);
    text_release(&known);
    return STATUS_INPUT;
}

static enum status check_letter(const struct automaton_checker *checker, struct lin_letter *letter,
                                struct said *said)
{
    if (letter->others && said->others[letter->marked])
        return complain(checker, letter->at, "expected `others` once in a state");
    if (letter->others) {
        said->others[letter->marked] = true;
        return STATUS_OK;
    }
    TRY(find_letter_method(checker, letter));
    checker->automaton->marked |= (uint32_t)letter->marked << letter->number;
    for (unsigned event = 0; event < 2; event++)
        for (unsigned colour = 1; colour <= MOST_COLOUR; colour++) {
            bool *known = &said->letters[event][letter->number][letter->marked][colour];
            if (!(event ? letter->returns : letter->calls) || !(letter->colours >> colour & 1))
                continue;
            if (*known)
                return complain(checker, letter->at,
                                "expected each letter once in a state, found `%s %s(%u)` again",
                                event ? "ret" : "call", letter->method, colour);
            *known = true;
        }
    return STATUS_OK;
}

static enum status check_target(const struct automaton_checker *checker,
                                struct lin_transition *transition)
{
    const struct lin_automaton *automaton = checker->automaton;
    transition->to = find_state(automaton, transition->target);
    if (strcmp(transition->target, "dead") == 0)
        transition->to = UINT32_MAX;
    else if (transition->to == automaton->state_count)
        return complain(checker, transition->target_at,
                        "expected a state of `%s`, or `dead`, found `%s`", automaton->name,
                        transition->target);
    return STATUS_OK;
}

static enum status check_transitions(const struct automaton_checker *checker)
{
    const struct lin_automaton *automaton = checker->automaton;
    for (uint32_t i = 0; i < automaton->state_count; i++) {
        const struct lin_automaton_state *state = automaton->states[i];
        struct said said = {0};
        for (uint32_t t = 0; t < state->transition_count; t++) {
            TRY(check_target(checker, state->transitions[t]));
            for (uint32_t l = 0; l < state->transitions[t]->letter_count; l++)
                TRY(check_letter(checker, state->transitions[t]->letters[l], &said));
        }
    }
    return STATUS_OK;
}

/* ---- the rule that it belongs to ---- */

/* The rules of the same specification; null: the file has none. */
static const struct rule_set *find_rules(const struct automaton_checker *checker)
{
    const struct lin_module *module = checker->module;
    for (size_t i = 0; i < module->rules.length; i++) {
        const struct rule_set *set = module->rules.items[i]->set;
        if (set->subject && strcmp(set->subject, checker->automaton->specification) == 0)
            return set;
    }
    return NULL;
}

static bool has_method(const struct rule_set *set, const char *name)
{
    for (unsigned m = 0; m < set->method_count; m++)
        if (strcmp(set->methods[m].name, name) == 0)
            return true;
    return false;
}

/* Where the file has no rules nothing is known of them. */
static enum status check_violates(const struct automaton_checker *checker)
{
    const struct lin_automaton *automaton = checker->automaton;
    const struct rule_set *set = automaton->violates ? find_rules(checker) : NULL;
    unsigned rule = 1;
    if (!set)
        return STATUS_OK;
    while (rule < set->rule_count && strcmp(set->rules[rule].name, automaton->violates) != 0)
        rule++;
    if (rule == set->rule_count)
        return complain(checker, automaton->violates_at,
                        "expected a rule of `%s` other than the empty one, found `%s`", set->name,
                        automaton->violates);
    for (uint32_t m = 0; m < automaton->object->method_count; m++)
        if (!has_method(set, automaton->object->methods[m].name))
            return complain(checker, automaton->violates_at,
                            "expected rules and automata of `%s` to have the same methods, found "
                            "no `%s` in the rules",
                            automaton->specification, automaton->object->methods[m].name);
    return STATUS_OK;
}

static enum status check_automaton(struct automaton_checker *checker)
{
    const struct lin_module *module = checker->module;
    const struct lin_automaton *automaton = checker->automaton;
    for (size_t i = 0; module->automata.items[i] != automaton; i++)
        if (module->automata.items[i]->name == automaton->name)
            return complain(checker, automaton->at, "expected a new name, found `%s` again",
                            automaton->name);
    TRY(find_object(checker));
    TRY(check_states(checker));
    TRY(check_transitions(checker));
    TRY(check_violates(checker));
    unsigned methods =
        automaton->object->method_count + (unsigned)__builtin_popcount(automaton->marked);
    if (methods > OBJECT_MOST_METHODS)
        return complain(checker, automaton->at,
                        "expected at most %d methods and marked copies, found %u",
                        OBJECT_MOST_METHODS, methods);
    return STATUS_OK;
}

enum status lin_check_automata(struct lin_module *module, struct error *error)
{
    for (size_t i = 0; i < module->automata.length; i++) {
        struct automaton_checker checker = {module, module->automata.items[i], error};
        TRY(check_automaton(&checker));
    }
    return STATUS_OK;
}
