/* One walk over the declarations. An object that an assertion names and the file does not declare
 * is built in, or the checker complains. */
#include "lin/declared.h"

#include <string.h>

#include "lang/references.h"
#include "lin/rules.h"
#include "spec/builtin.h"

static void declare(const struct lin_module *module, place at, const char *name,
                    enum reference_kind kind)
{
    references_add(module->script, at, name, at, kind);
}

static void declare_variables(const struct lin_module *module,
                              struct lin_variable *const *variables, uint32_t count,
                              enum reference_kind kind)
{
    for (uint32_t i = 0; i < count; i++)
        declare(module, variables[i]->at, variables[i]->name, kind);
}

static void declare_locals(const struct lin_module *module, const struct lin_statement *statement)
{
    if (!statement)
        return;
    if (statement->kind == LIN_STATEMENT_DECLARE)
        declare(module, statement->variable->at, statement->variable->name, REFERENCE_LOCAL);
    for (uint32_t i = 0; i < statement->count; i++)
        declare_locals(module, statement->items[i]);
}

static void declare_operation(const struct lin_module *module,
                              const struct lin_operation *operation)
{
    if (operation->is_function)
        declare(module, operation->at, operation->name, REFERENCE_FUNCTION);
    declare_variables(module, operation->parameters, operation->parameter_count,
                      REFERENCE_PARAMETER);
    declare_locals(module, operation->body);
}

static void declare_object(const struct lin_module *module, const struct lin_object *object)
{
    declare(module, object->at, object->name,
            object->is_program ? REFERENCE_PROGRAM
            : object->is_spec  ? REFERENCE_SPECIFICATION
                               : REFERENCE_IMPLEMENTATION);
    for (uint32_t i = 0; i < object->parameter_count; i++)
        declare(module, object->parameters[i].at, object->parameters[i].name, REFERENCE_PARAMETER);
    declare_variables(module, object->variables, object->variable_count, REFERENCE_VARIABLE);
    for (uint32_t i = 0; i < object->struct_count; i++) {
        declare(module, object->structs[i]->at, object->structs[i]->name, REFERENCE_TYPE);
        declare_variables(module, object->structs[i]->fields, object->structs[i]->field_count,
                          REFERENCE_FIELD);
    }
    for (uint32_t i = 0; i < object->operation_count; i++)
        declare_operation(module, object->operations[i]);
    for (uint32_t i = 0; i < object->together_count; i++)
        declare_operation(module, &object->togethers[i]->body);
    for (uint32_t i = 0; i < object->function_count; i++)
        declare_operation(module, object->functions[i]);
    if (object->initially)
        declare_operation(module, object->initially);
}

/* A specification that the file does not declare. */
static void note_builtin(const struct lin_module *module, place at, const char *name)
{
    if (name && spec_class_find(name, strlen(name)))
        references_add_builtin(module->script, at, name, REFERENCE_SPECIFICATION);
}

/* `stack`, `register(initial = 3)`: the object, and its parameters that are named. */
static void note_reference(const struct lin_module *module, const struct lin_reference *reference,
                           bool is_spec)
{
    const struct lin_object *object =
        reference->name ? lin_find_object(module, reference->name, is_spec) : NULL;
    if (!object && is_spec)
        note_builtin(module, reference->at, reference->name);
    if (!object)
        return;
    references_add(module->script, reference->at, reference->name, object->at,
                   is_spec ? REFERENCE_SPECIFICATION : REFERENCE_IMPLEMENTATION);
    for (uint32_t i = 0; i < reference->argument_count; i++)
        for (uint32_t j = 0; j < object->parameter_count; j++)
            if (reference->arguments[i].name == object->parameters[j].name)
                references_add(module->script, reference->arguments[i].at,
                               reference->arguments[i].name, object->parameters[j].at,
                               REFERENCE_PARAMETER);
}

static void note_program(const struct lin_module *module, const struct lin_reference *reference)
{
    const struct lin_object *program =
        reference->name ? lin_find_program(module, reference->name) : NULL;
    if (program)
        references_add(module->script, reference->at, reference->name, program->at,
                       REFERENCE_PROGRAM);
}

/* What a program uses is an implementation or else a specification. */
static void note_used(const struct lin_module *module, const struct lin_reference *reference)
{
    note_reference(module, reference,
                   reference->name && !lin_find_object(module, reference->name, false));
}

static void note_assertion(const struct lin_module *module, const struct lin_assertion *assertion)
{
    if (assertion->property == LIN_REFINES) {
        note_program(module, &assertion->program);
        note_program(module, &assertion->specification_program);
        note_used(module, &assertion->implementation);
        note_used(module, &assertion->specification);
        return;
    }
    note_reference(module, &assertion->implementation, false);
    note_reference(module, &assertion->specification, true);
    for (uint32_t i = 0; i < assertion->option_count; i++) { /* `spec = S` */
        const struct lin_option *option = &assertion->options[i];
        const struct lin_object *object =
            option->word ? lin_find_object(module, option->word, true) : NULL;
        if (!object)
            note_builtin(module, option->word_at, option->word);
        if (object)
            references_add(module->script, option->word_at, option->word, object->at,
                           REFERENCE_SPECIFICATION);
    }
}

/* ---- rules and automata ---- */

static const char *subject_of(const struct lin_rules *rules)
{
    return rules->has_subject ? rules->subject.name : rules->name;
}

static const struct lin_method *find_method(struct lin_method *const *methods, uint32_t count,
                                            const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (methods[i]->name == name)
            return methods[i];
    return NULL;
}

/* A method; those of an automaton are those of the rules of the same object, if they have one of
 * that name. */
static void note_method(const struct lin_module *module, place at, const char *name,
                        struct lin_method *const *methods, uint32_t count, const char *subject)
{
    const struct lin_method *found = find_method(methods, count, name), *shared = NULL;
    if (!found)
        return;
    for (size_t i = 0; i < module->rules.length && !shared; i++)
        if (strcmp(subject_of(module->rules.items[i]), subject) == 0)
            shared = find_method(module->rules.items[i]->methods,
                                 module->rules.items[i]->method_count, name);
    references_add(module->script, at, name, shared ? shared->at : found->at, REFERENCE_METHOD);
}

/* A name in a rule: one of its variables, or a method. */
static void note_word(const struct lin_module *module, const struct lin_rules *rules,
                      const struct lin_rule *rule, const struct lin_rule_word *word)
{
    for (uint32_t i = 0; i < rule->variable_count; i++)
        if (rule->variables[i]->name == word->name) {
            references_add(module->script, word->at, word->name, rule->variables[i]->at,
                           REFERENCE_LOCAL);
            return;
        }
    note_method(module, word->at, word->name, rules->methods, rules->method_count,
                subject_of(rules));
}

static void note_words(const struct lin_module *module, const struct lin_rules *rules,
                       const struct lin_rule *rule, struct lin_rule_word *const *words,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        note_word(module, rules, rule, words[i]);
}

static void note_methods(const struct lin_module *module, struct lin_method *const *methods,
                         uint32_t count, const char *subject)
{
    for (uint32_t i = 0; i < count; i++)
        note_method(module, methods[i]->at, methods[i]->name, methods, count, subject);
}

/* Rules that do not say what they are of have the name of a specification, if there is one. */
static void note_rules(const struct lin_module *module, const struct lin_rules *rules)
{
    const struct lin_subject subject = lin_find_subject(module, rules->name);
    if (rules->has_subject)
        note_reference(module, &rules->subject, true);
    if (!rules->has_subject && subject.own)
        references_add(module->script, rules->at, rules->name, subject.own->at,
                       REFERENCE_SPECIFICATION);
    else if (!rules->has_subject && subject.built_in)
        note_builtin(module, rules->at, rules->name);
    else
        declare(module, rules->at, rules->name, REFERENCE_RULES);
    note_methods(module, rules->methods, rules->method_count, subject_of(rules));
    for (uint32_t i = 0; i < rules->rule_count; i++) {
        const struct lin_rule *rule = rules->rules[i];
        declare(module, rule->at, rule->name, REFERENCE_RULE);
        note_words(module, rules, rule, rule->variables, rule->variable_count);
        for (uint32_t j = 0; j < rule->condition_count; j++) {
            const struct lin_rule_condition *condition = rule->conditions[j];
            note_words(module, rules, rule, condition->methods, condition->method_count);
            note_words(module, rules, rule, condition->variables, condition->variable_count);
        }
        note_words(module, rules, rule, rule->items, rule->item_count);
    }
}

/* The rule whose violations an automaton accepts: one of the file that is of the same object. */
static void note_violated(const struct lin_module *module, const struct lin_automaton *automaton)
{
    for (size_t i = 0; automaton->violates && i < module->rules.length; i++) {
        const struct lin_rules *rules = module->rules.items[i];
        const char *of = subject_of(rules);
        for (uint32_t j = 0; strcmp(of, automaton->subject.name) == 0 && j < rules->rule_count; j++)
            if (rules->rules[j]->name == automaton->violates)
                references_add(module->script, automaton->violates_at, automaton->violates,
                               rules->rules[j]->at, REFERENCE_RULE);
    }
}

static void note_transition(const struct lin_module *module, const struct lin_automaton *automaton,
                            const struct lin_transition *transition)
{
    for (uint32_t i = 0; i < transition->letter_count; i++)
        if (!transition->letters[i]->others)
            note_method(module, transition->letters[i]->method_at, transition->letters[i]->method,
                        automaton->methods, automaton->method_count, automaton->subject.name);
    for (uint32_t i = 0; i < automaton->state_count; i++)
        if (automaton->states[i]->name == transition->target)
            references_add(module->script, transition->target_at, transition->target,
                           automaton->states[i]->at, REFERENCE_STATE);
}

static void note_automaton(const struct lin_module *module, const struct lin_automaton *automaton)
{
    declare(module, automaton->at, automaton->name, REFERENCE_AUTOMATON);
    note_reference(module, &automaton->subject, true);
    note_violated(module, automaton);
    note_methods(module, automaton->methods, automaton->method_count, automaton->subject.name);
    for (uint32_t i = 0; i < automaton->state_count; i++) {
        const struct lin_automaton_state *state = automaton->states[i];
        declare(module, state->at, state->name, REFERENCE_STATE);
        for (uint32_t j = 0; j < state->transition_count; j++)
            note_transition(module, automaton, state->transitions[j]);
    }
}

void lin_note_declared(const struct lin_module *module)
{
    if (!module->script->references)
        return;
    for (size_t i = 0; i < module->constants.length; i++)
        if (module->constants.items[i]->name)
            declare(module, module->constants.items[i]->at, module->constants.items[i]->name,
                    REFERENCE_CONSTANT);
    for (size_t i = 0; i < module->enums.length; i++)
        declare(module, module->enums.items[i]->at, module->enums.items[i]->name, REFERENCE_TYPE);
    for (size_t i = 0; i < module->objects.length; i++)
        declare_object(module, module->objects.items[i]);
    for (size_t i = 0; i < module->programs.length; i++)
        declare_object(module, module->programs.items[i]);
    for (size_t i = 0; i < module->rules.length; i++)
        note_rules(module, module->rules.items[i]);
    for (size_t i = 0; i < module->automata.length; i++)
        note_automaton(module, module->automata.items[i]);
    for (size_t i = 0; i < module->assertions.length; i++)
        note_assertion(module, &module->assertions.items[i]);
}
