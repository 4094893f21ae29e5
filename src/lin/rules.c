/* Methods first, then each rule: its variables, what its conditions say of them as sets of methods,
 * and its expression; every limit of rule_set.h is checked with its place. */
#include "lin/rules.h"

#include <stdio.h>
#include <string.h>

#include "lin/lexer.h"
#include "spec/builtin.h"

struct rules_checker {
    const struct lin_module *module;
    const struct lin_rules *rules;
    struct rule_set *set;
    const struct lin_rule *rule; /* the one that is looked at, */
    struct rule *meaning;        /* and what it means */
    struct error *error;
};

#define complain(checker, at, ...)                                                                 \
    script_error((checker)->module->script, (at), (checker)->error, __VA_ARGS__)

const struct lin_rules *lin_find_rules(const struct lin_module *module, const char *name)
{
    for (size_t i = 0; i < module->rules.length; i++)
        if (strcmp(module->rules.items[i]->name, name) == 0)
            return module->rules.items[i];
    return NULL;
}

/* The index of a method; the number of methods if there is none of that name. */
static uint32_t find_method(const struct lin_rules *rules, const char *name)
{
    uint32_t i = 0;
    while (i < rules->method_count && rules->methods[i]->name != name)
        i++;
    return i;
}

static uint32_t find_variable(const struct lin_rule *rule, const char *name)
{
    uint32_t i = 0;
    while (i < rule->variable_count && rule->variables[i]->name != name)
        i++;
    return i;
}

/* "Enq, Deq, DeqEmpty", for messages */
static void list_methods(const struct lin_rules *rules, char *list, size_t room)
{
    size_t used = 0;
    list[0] = 0;
    for (uint32_t i = 0; i < rules->method_count && used < room; i++)
        used += (size_t)snprintf(list + used, room - used, "%s%s", i ? ", " : "",
                                 rules->methods[i]->name);
}

static enum status check_count(const struct rules_checker *checker, place at, uint32_t count,
                               uint32_t most, const char *what)
{
    return count <= most
               ? STATUS_OK
               : complain(checker, at, "expected at most %u %s, found %u", most, what, count);
}

/* ---- the specification that rules or automata are of ---- */

struct lin_subject lin_find_subject(const struct lin_module *module, const char *name)
{
    struct lin_subject subject = {.name = name, .own = lin_find_object(module, name, true)};
    if (!subject.own)
        subject.built_in = spec_class_find(name, strlen(name));
    return subject;
}

/* How many values an operation takes; UINT32_MAX: there is none of that name. */
static uint32_t count_parameters(const struct lin_subject *subject, const char *name)
{
    const struct lin_object *own = subject->own;
    for (uint32_t i = 0; own && i < own->operation_count; i++)
        if (strcmp(own->operations[i]->name, name) == 0)
            return own->operations[i]->parameter_count;
    int at = subject->built_in ? spec_operation_find(subject->built_in, name, strlen(name)) : -1;
    return at >= 0 ? subject->built_in->operations[at].argument[0] != 0 : UINT32_MAX;
}

enum status lin_check_operation(const struct lin_module *module, const struct lin_subject *subject,
                                const struct lin_method *method, struct error *error)
{
    uint32_t parameters = count_parameters(subject, method->operation);
    if (parameters == UINT32_MAX)
        return script_error(module->script, method->operation_at, error,
                            "expected an operation of `%s`, found `%s`, which it does not have",
                            subject->name, method->operation);
    if (parameters > 1)
        return script_error(module->script, method->operation_at, error,
                            "expected an operation with one parameter or none, found `%s`",
                            method->operation);
    if (parameters != method->takes_value)
        return script_error(module->script, method->operation_at, error,
                            "expected `%s(%s)`, as in `%s`, found `%s`", method->operation,
                            parameters ? "value" : "", subject->name,
                            parameters ? "()" : "(value)");
    return STATUS_OK;
}

static enum status name_subject(struct rules_checker *checker, const struct lin_subject *subject)
{
    const struct lin_rules *rules = checker->rules;
    const struct script *script = checker->module->script;
    bool known = subject->own || subject->built_in;
    if (!known && rules->has_subject)
        return complain(checker, rules->subject.at,
                        "expected a specification of this file or a built-in one, found `%s`",
                        subject->name);
    if (!known)
        return STATUS_OK;
    checker->set->subject =
        rules->has_subject
            ? arena_copy_text(checker->module->arena, script->text + rules->subject.at,
                              rules->subject.end - rules->subject.at)
            : rules->name;
    TRY_MEMORY(checker->set->subject);
    for (uint32_t i = 0; i < rules->method_count; i++)
        TRY(lin_check_operation(checker->module, subject, rules->methods[i], checker->error));
    return STATUS_OK;
}

/* ---- methods ---- */

static uint16_t number_operation(struct rule_set *set, const char *name)
{
    uint16_t i = 0;
    while (i < set->operation_count && strcmp(set->operations[i], name) != 0)
        i++;
    if (i == set->operation_count)
        set->operations[set->operation_count++] = name;
    return i;
}

static uint8_t answer_of(const struct lin_method *method)
{
    static const uint8_t answers[] = {
        [LIN_METHOD_ANSWERS_ANYTHING] = RULE_ANSWERS_ANYTHING,
        [LIN_METHOD_ANSWERS_VALUE] = RULE_ANSWERS_VALUE,
        [LIN_METHOD_ANSWERS_SYMBOL] = RULE_ANSWERS_SYMBOL,
        [LIN_METHOD_ANSWERS_TRUE] = RULE_ANSWERS_TRUE,
        [LIN_METHOD_ANSWERS_FALSE] = RULE_ANSWERS_FALSE,
    };
    if (method->answer == LIN_METHOD_ANSWERS_SYMBOL && strcmp(method->symbol, "empty") == 0)
        return RULE_ANSWERS_NIL;
    return answers[method->answer];
}

static enum status check_method(struct rules_checker *checker, uint32_t i)
{
    const struct lin_rules *rules = checker->rules;
    const struct lin_method *method = rules->methods[i];
    if (find_method(rules, method->name) != i)
        return complain(checker, method->at, "expected a new name, found `%s` again", method->name);
    if (strcmp(method->name, "empty") == 0)
        return complain(checker, method->at,
                        "expected a name other than `empty`, which is the empty execution");
    if (method->takes_value && method->answer == LIN_METHOD_ANSWERS_VALUE)
        return complain(checker, method->at,
                        "expected one value of a method, an argument or an answer, found two");
    for (uint32_t j = 0; j < i; j++)
        if (strcmp(rules->methods[j]->operation, method->operation) == 0 &&
            rules->methods[j]->takes_value != method->takes_value)
            return complain(checker, method->operation_at,
                            "expected `%s` with a value everywhere or nowhere", method->operation);
    checker->set->methods[i] = (struct rule_set_method){
        .name = method->name,
        .symbol = method->symbol,
        .operation = number_operation(checker->set, method->operation),
        .is_input = method->is_input,
        .takes_value = method->takes_value,
        .answer = answer_of(method),
    };
    return STATUS_OK;
}

/* ---- conditions ---- */

static enum status check_known_method(const struct rules_checker *checker,
                                      const struct lin_rule_word *word, uint32_t *method)
{
    *method = find_method(checker->rules, word->name);
    if (*method < checker->rules->method_count)
        return STATUS_OK;
    char known[300];
    list_methods(checker->rules, known, sizeof known);
    return complain(checker, word->at, "expected a method (%s), found `%s`", known, word->name);
}

static bool has_value(const struct rule_set_method *method)
{
    return method->takes_value || method->answer == RULE_ANSWERS_VALUE;
}

static enum status check_condition_method(const struct rules_checker *checker,
                                          const struct lin_rule_word *word, uint32_t *method)
{
    TRY(check_known_method(checker, word, method));
    if (!word->compared)
        return STATUS_OK;
    if (checker->rules->values != LIN_VALUES_ORDERED)
        return complain(checker, word->at,
                        "expected a method alone: only where the rules say `values ordered;` are "
                        "values compared");
    if (!has_value(&checker->set->methods[*method]))
        return complain(checker, word->at, "expected a method that has a value, found `%s`",
                        word->name);
    return STATUS_OK;
}

static enum status check_condition_variable(const struct rules_checker *checker,
                                            const struct lin_rule_word *word, uint32_t *variable)
{
    *variable = find_variable(checker->rule, word->name);
    if (*variable < checker->rule->variable_count)
        return STATUS_OK;
    return complain(checker, word->at, "expected a variable of the rule, found `%s`", word->name);
}

static enum status check_membership(const struct rules_checker *checker,
                                    const struct lin_rule_condition *condition)
{
    uint32_t less = 0, greater = 0, number;
    for (uint32_t i = 0; i < condition->method_count; i++) {
        const struct lin_rule_word *word = condition->methods[i];
        TRY(check_condition_method(checker, word, &number));
        less |= word->compared == LIN_GREATER ? 0 : UINT32_C(1) << number;
        greater |= word->compared == LIN_LESS ? 0 : UINT32_C(1) << number;
    }
    for (uint32_t i = 0; i < condition->variable_count; i++) {
        TRY(check_condition_variable(checker, condition->variables[i], &number));
        checker->meaning->variables[number].less &= less;
        checker->meaning->variables[number].greater &= greater;
    }
    return STATUS_OK;
}

/* Of several variables only what compares values can be asked: the paper has one. */
static enum status check_matched(const struct rules_checker *checker,
                                 const struct lin_rule_condition *condition)
{
    struct rule *rule = checker->meaning;
    uint32_t number;
    if (rule->matched_count == RULE_MOST_CONDITIONS)
        return complain(checker, condition->at, "expected at most %u `matched`",
                        RULE_MOST_CONDITIONS);
    struct rule_matched *matched = &rule->matched[rule->matched_count++];
    const struct lin_rule_word *word = condition->methods[0];
    TRY(check_condition_method(checker, word, &number));
    *matched =
        (struct rule_matched){.method = (uint8_t)number,
                              .compared = word->compared == LIN_LESS      ? RULE_COMPARES_LESS
                                          : word->compared == LIN_GREATER ? RULE_COMPARES_GREATER
                                                                          : RULE_COMPARES_NOT};
    if (condition->variable_count > 1 && checker->rules->values != LIN_VALUES_ORDERED)
        return complain(checker, condition->variables[1]->at,
                        "expected one variable: only where the rules say `values ordered;` can "
                        "`matched` be asked of several");
    for (uint32_t i = 0; i < condition->variable_count; i++) {
        TRY(check_condition_variable(checker, condition->variables[i], &number));
        matched->variables |= UINT32_C(1) << number;
    }
    return STATUS_OK;
}

static enum status check_variables(const struct rules_checker *checker)
{
    const struct lin_rule *rule = checker->rule;
    TRY(check_count(checker, rule->at, rule->variable_count, RULE_MOST_VARIABLES, "variables"));
    for (uint32_t i = 0; i < rule->variable_count; i++) {
        const struct lin_rule_word *variable = rule->variables[i];
        if (find_variable(rule, variable->name) != i)
            return complain(checker, variable->at, "expected each variable once, found `%s` again",
                            variable->name);
        if (find_method(checker->rules, variable->name) < checker->rules->method_count)
            return complain(checker, variable->at, "expected a variable, found the method `%s`",
                            variable->name);
        checker->meaning->variables[i] = (struct rule_variable){UINT32_MAX, UINT32_MAX};
    }
    checker->meaning->variable_count = (uint8_t)rule->variable_count;
    return STATUS_OK;
}

/* ---- expressions ---- */

static enum status check_item_variable(const struct rules_checker *checker,
                                       const struct lin_rule_word *item, uint32_t number,
                                       uint32_t expected)
{
    const struct lin_rule *rule = checker->rule;
    if (item->closure)
        return complain(checker, item->at, "expected `%s` without a star: it is a variable",
                        item->name);
    if (number < expected)
        return complain(checker, item->at, "expected each variable once, found `%s` again",
                        item->name);
    if (number > expected)
        return complain(checker, item->at,
                        "expected the variables in their order, `%s` next, found `%s`",
                        rule->variables[expected]->name, item->name);
    return STATUS_OK;
}

static enum status check_items(const struct rules_checker *checker)
{
    const struct lin_rule *rule = checker->rule;
    struct rule *meaning = checker->meaning;
    uint32_t variables = 0, methods = 0, number;
    TRY(check_count(checker, rule->at, rule->item_count, RULE_MOST_ITEMS,
                    "variables and methods in an expression"));
    for (uint32_t i = 0; i < rule->item_count; i++) {
        const struct lin_rule_word *item = rule->items[i];
        number = find_variable(rule, item->name);
        bool variable = number < rule->variable_count;
        if (variable) {
            TRY(check_item_variable(checker, item, number, variables));
            variables++;
        } else {
            TRY(check_known_method(checker, item, &number));
            if (methods >> number & 1)
                return complain(checker, item->at,
                                "expected a method at most once in an expression, found `%s` again",
                                item->name);
            methods |= UINT32_C(1) << number;
        }
        meaning->items[i] = (struct rule_item){.kind = variable        ? RULE_VARIABLE
                                                       : item->closure ? RULE_CLOSURE
                                                                       : RULE_METHOD,
                                               .number = (uint8_t)number};
    }
    meaning->item_count = (uint8_t)rule->item_count;
    if (variables < rule->variable_count)
        return complain(checker, rule->variables[variables]->at,
                        "expected every variable in the expression, found none of `%s`",
                        rule->variables[variables]->name);
    return STATUS_OK;
}

/* In an ordered set the first event of a value tells it. */
static enum status check_order(const struct rules_checker *checker, bool valued)
{
    const struct rule *rule = checker->meaning;
    bool compares = false;
    for (uint32_t i = 0; i < checker->rule->condition_count; i++)
        for (uint32_t j = 0; j < checker->rule->conditions[i]->method_count; j++)
            compares |= checker->rule->conditions[i]->methods[j]->compared != 0;
    if (compares && !valued)
        return complain(checker, checker->rule->at,
                        "expected a method with a value in `%s`, which compares with it",
                        rule->name);
    unsigned first = 0;
    while (rule->items[first].kind == RULE_VARIABLE)
        first++;
    const struct rule_set_method *method = &checker->set->methods[rule->items[first].number];
    if (valued &&
        (rule->items[first].kind == RULE_CLOSURE || !method->is_input || !method->takes_value))
        return complain(
            checker, checker->rule->at,
            "expected `%s` to begin with an input method that takes a value, for values "
            "are ordered",
            rule->name);
    return STATUS_OK;
}

/* An expression has a method that may not be left out. Where values are not renamed a group is all
 * events of its value, so that an expression with a value has the input that brings it in. */
static enum status check_what_is_added(const struct rules_checker *checker)
{
    const struct rule *rule = checker->meaning;
    unsigned count = 0;
    bool certain = false, valued = false, input = false;
    for (unsigned i = 0; i < rule->item_count; i++) {
        const struct rule_item *item = &rule->items[i];
        if (item->kind == RULE_VARIABLE)
            continue;
        count++;
        certain |= item->kind == RULE_METHOD;
        valued |= has_value(&checker->set->methods[item->number]);
        input |= checker->set->methods[item->number].is_input;
    }
    if (!certain)
        return complain(checker, checker->rule->at,
                        "expected a method without a star in `%s`: a rule that adds nothing could "
                        "be the last one of any derivation",
                        rule->name);
    if ((valued || count > 1) && !input && checker->rules->values != LIN_VALUES_RENAMED)
        return complain(checker, checker->rule->at,
                        "expected an input method in `%s`, which brings its value in, found none: "
                        "values are %s",
                        rule->name,
                        checker->rules->values == LIN_VALUES_ORDERED ? "ordered" : "distinct");
    return checker->rules->values == LIN_VALUES_ORDERED ? check_order(checker, valued || count > 1)
                                                        : STATUS_OK;
}

/* What takes too long to decide is refused. */
static enum status check_effort(const struct rules_checker *checker)
{
    const struct rule *rule = checker->meaning;
    uint32_t closures = 0, free = 0;
    for (unsigned i = 0; i < rule->item_count; i++) {
        closures += rule->items[i].kind == RULE_CLOSURE;
        free += rule->items[i].free;
    }
    TRY(check_count(checker, checker->rule->at, closures, RULE_MOST_CLOSURES,
                    "methods with a star in an expression"));
    return check_count(checker, checker->rule->at, free, RULE_MOST_FREE,
                       "variables in an expression behind which another one, with other "
                       "conditions, may begin anywhere");
}

/* ---- rules ---- */

static enum status check_rule(struct rules_checker *checker, uint32_t number)
{
    const struct lin_rules *rules = checker->rules;
    const struct lin_rule *rule = rules->rules[number];
    checker->rule = rule;
    checker->meaning = &checker->set->rules[number];
    *checker->meaning = (struct rule){.name = rule->name};
    for (uint32_t i = 0; i < number; i++)
        if (rules->rules[i]->name == rule->name)
            return complain(checker, rule->at, "expected a new name, found `%s` again", rule->name);
    if ((number == 0) != (rule->item_count == 0))
        return complain(checker, rule->at,
                        number == 0 ? "expected the empty execution, `: empty;`, as the first rule"
                                    : "expected the empty execution as the first rule only");
    TRY(check_variables(checker));
    for (uint32_t i = 0; i < rule->condition_count; i++)
        TRY(rule->conditions[i]->matched ? check_matched(checker, rule->conditions[i])
                                         : check_membership(checker, rule->conditions[i]));
    TRY(check_items(checker));
    if (number > 0)
        TRY(check_what_is_added(checker));
    rule_finish(checker->meaning);
    return check_effort(checker);
}

static enum status check_set(struct rules_checker *checker)
{
    const struct lin_rules *rules = checker->rules;
    if (lin_find_rules(checker->module, rules->name) != rules)
        return complain(checker, rules->at, "expected a new name, found `%s` again", rules->name);
    TRY(check_count(checker, rules->at, rules->method_count, RULE_MOST_METHODS, "methods"));
    TRY(check_count(checker, rules->at, rules->rule_count, RULE_MOST_RULES, "rules"));
    if (rules->rule_count == 0 || rules->method_count == 0)
        return complain(checker, rules->at, "expected methods and rules, found no %s",
                        rules->rule_count ? "method" : "rule");
    const char *name = rules->has_subject ? rules->subject.name : rules->name;
    const struct lin_subject subject = lin_find_subject(checker->module, name);
    TRY(name_subject(checker, &subject));
    for (uint32_t i = 0; i < rules->method_count; i++)
        TRY(check_method(checker, i));
    for (uint32_t i = 0; i < rules->rule_count; i++)
        TRY(check_rule(checker, i));
    checker->set->method_count = (uint8_t)rules->method_count;
    checker->set->rule_count = (uint8_t)rules->rule_count;
    return STATUS_OK;
}

enum status lin_check_rules(struct lin_module *module, struct error *error)
{
    static const uint8_t values[] = {[LIN_VALUES_RENAMED] = RULE_VALUES_RENAMED,
                                     [LIN_VALUES_DISTINCT] = RULE_VALUES_DISTINCT,
                                     [LIN_VALUES_ORDERED] = RULE_VALUES_ORDERED};
    for (size_t i = 0; i < module->rules.length; i++) {
        struct lin_rules *rules = module->rules.items[i];
        place at = rules->values ? rules->values_at : rules->at;
        struct rule_set *set = arena_allocate(module->arena, sizeof *set);
        TRY_MEMORY(set);
        *set = (struct rule_set){
            .name = rules->name,
            .file = module->script->parts[script_part_at(module->script, at)].name,
            .line = script_line(module->script, at),
            .values = values[rules->values],
        };
        struct rules_checker checker = {
            .module = module, .rules = rules, .set = set, .error = error};
        TRY(check_set(&checker));
        rules->set = set;
    }
    return STATUS_OK;
}
