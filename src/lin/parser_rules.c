/* Inductive rules in `.lin`:
 *
 *     rules     := `rules` NAME [`of` NAME [arguments]] `{` member* `}`
 *     member    := `values` (`distinct` | `ordered`) `;`
 *                | method
 *                | `rule` NAME `:` [premises `=>`] expression `;`
 *     premises  := VARIABLE* [`where` condition {`,` condition}]
 *     condition := VARIABLE {`,` VARIABLE} `in` group `*`
 *                | `matched` `(` named `,` VARIABLE VARIABLE* `)`
 *     group     := named | `{` [named {`,` named}] `}`
 *     named     := NAME [(`<` | `>`) `value`]
 *     expression := `empty` | (VARIABLE | NAME [`*`])*
 *     method    := (`input` | `method`) NAME `=` OPERATION `(` [`value`] `)` [`->` answer] `;`
 *     answer    := `value` | `empty` | `ok` | `true` | `false` | SYMBOL
 *
 * Which names are variables and which are methods is for the checker to say.
 *
 * Violation automata:
 *
 *     automaton  := `automaton` NAME `of` NAME [arguments] `{` member* `}`
 *     member     := `rule` STRING `;`
 *                 | `for` (`histories` | `prefixes`) `;`
 *                 | `single` COLOUR {`,` COLOUR} `;`
 *                 | method
 *                 | [`initial`] [`accepting` [`complete`]] `state` NAME `{` transition* `}`
 *     transition := letter {`,` letter} `->` (NAME | `dead`) `;`
 *     letter     := [`marked`] (`others` | [`call` | `ret`] NAME [`(` COLOUR {`,` COLOUR} `)`])
 *
 * Without `call` or `ret` both are meant, without colours all three. */
#include "lin/parser_rules.h"

#include <string.h>

#include "lang/references.h"
#include "lin/parser_expression.h"

/* ---- methods ---- */

static enum status parse_answer(struct parser *parser, struct lin_method *method)
{
    if (parser_accept(parser, LIN_TRUE)) {
        method->answer = LIN_METHOD_ANSWERS_TRUE;
    } else if (parser_accept(parser, LIN_FALSE)) {
        method->answer = LIN_METHOD_ANSWERS_FALSE;
    } else if (parser_accept_word(parser, "value")) {
        method->answer = LIN_METHOD_ANSWERS_VALUE;
    } else if (!parser_accept_word(parser, "ok")) {
        method->answer = LIN_METHOD_ANSWERS_SYMBOL;
        return parser_name(parser, "(what it answers: `value`, `empty`, `ok`, true, false)",
                           &method->symbol);
    }
    return STATUS_OK;
}

static enum status parse_method(struct parser *parser, struct lin_method ***methods,
                                uint32_t *count)
{
    struct lin_method *method = parser_allocate(parser, sizeof *method);
    TRY_MEMORY(method);
    TRY(PARSER_APPEND(parser, *methods, *count, method));
    method->is_input = parser_at_word(parser, "input");
    parser->next++;
    method->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a method)", &method->name));
    TRY(parser_expect(parser, LIN_ASSIGN, "and the operation that the method is"));
    method->operation_at = parser_token(parser)->at;
    TRY(parser_name(parser, "(an operation)", &method->operation));
    references_add_shared(parser->script, method->operation_at, method->operation,
                          REFERENCE_OPERATION);
    TRY(parser_expect(parser, LIN_LEFT_PAREN, "after the operation"));
    method->takes_value = parser_accept_word(parser, "value");
    TRY(parser_expect(parser, LIN_RIGHT_PAREN,
                      method->takes_value ? "after `value`" : "or `value`"));
    if (parser_accept(parser, LIN_ARROW))
        TRY(parse_answer(parser, method));
    return parser_expect(parser, LIN_SEMICOLON, "after the method");
}

/* A name, appended to the words. */
static enum status parse_word(struct parser *parser, const char *purpose,
                              struct lin_rule_word ***words, uint32_t *count)
{
    struct lin_rule_word *word = parser_allocate(parser, sizeof *word);
    TRY_MEMORY(word);
    word->at = parser_token(parser)->at;
    TRY(PARSER_APPEND(parser, *words, *count, word));
    return parser_name(parser, purpose, &word->name);
}

/* ---- conditions ---- */

/* `Del`, `Del < value` */
static enum status parse_named(struct parser *parser, struct lin_rule_condition *condition)
{
    TRY(parse_word(parser, "(a method)", &condition->methods, &condition->method_count));
    if (!parser_at(parser, LIN_LESS) && !parser_at(parser, LIN_GREATER))
        return STATUS_OK;
    condition->methods[condition->method_count - 1]->compared = parser_token(parser)->kind;
    parser->next++;
    return parser_accept_word(parser, "value")
               ? STATUS_OK
               : parser_complain(parser, "`value`, which methods are compared with");
}

/* `Enq`, `{Enq, Deq}`, and the star behind them */
static enum status parse_group(struct parser *parser, struct lin_rule_condition *condition)
{
    if (!parser_accept(parser, LIN_LEFT_BRACE)) {
        TRY(parse_named(parser, condition));
    } else if (!parser_accept(parser, LIN_RIGHT_BRACE)) {
        do
            TRY(parse_named(parser, condition));
        while (parser_accept(parser, LIN_COMMA));
        TRY(parser_expect(parser, LIN_RIGHT_BRACE, "after the methods"));
    }
    return parser_expect(parser, LIN_STAR, "after the methods");
}

static enum status parse_variable(struct parser *parser, const char *purpose,
                                  struct lin_rule_condition *condition)
{
    return parse_word(parser, purpose, &condition->variables, &condition->variable_count);
}

/* `(Enq, u)`, behind `matched` */
static enum status parse_matched(struct parser *parser, struct lin_rule_condition *condition)
{
    TRY(parser_expect(parser, LIN_LEFT_PAREN, "after `matched`"));
    TRY(parse_named(parser, condition));
    TRY(parser_expect(parser, LIN_COMMA, "between method and variable"));
    do
        TRY(parse_variable(parser, "(a variable)", condition));
    while (parser_at(parser, LIN_NAME));
    return parser_expect(parser, LIN_RIGHT_PAREN, "after the variable");
}

static enum status parse_membership(struct parser *parser, struct lin_rule_condition *condition)
{
    do
        TRY(parse_variable(parser, "(a variable, or `matched`)", condition));
    while (parser_accept(parser, LIN_COMMA));
    TRY(parser_expect(parser, LIN_IN, "and methods"));
    return parse_group(parser, condition);
}

static enum status parse_condition(struct parser *parser, struct lin_rule *rule)
{
    struct lin_rule_condition *condition = parser_allocate(parser, sizeof *condition);
    TRY_MEMORY(condition);
    TRY(PARSER_APPEND(parser, rule->conditions, rule->condition_count, condition));
    condition->at = parser_token(parser)->at;
    condition->matched =
        parser_at_word(parser, "matched") && parser_ahead(parser, 1)->kind == LIN_LEFT_PAREN;
    parser->next += condition->matched;
    return condition->matched ? parse_matched(parser, condition)
                              : parse_membership(parser, condition);
}

/* ---- rules ---- */

static bool has_premises(const struct parser *parser)
{
    for (size_t ahead = 0;; ahead++) {
        const struct token *token = parser_ahead(parser, ahead);
        if (token->kind == LIN_DOUBLE_ARROW ||
            (token->kind == LIN_NAME && strcmp(token->name, "where") == 0))
            return true;
        if (token->kind == LIN_SEMICOLON || token->kind == LIN_END)
            return false;
    }
}

static enum status parse_premises(struct parser *parser, struct lin_rule *rule)
{
    while (parser_at(parser, LIN_NAME) && !parser_at_word(parser, "where"))
        TRY(parse_word(parser, "(a variable)", &rule->variables, &rule->variable_count));
    if (parser_accept_word(parser, "where")) {
        do
            TRY(parse_condition(parser, rule));
        while (parser_accept(parser, LIN_COMMA));
    }
    return parser_expect(parser, LIN_DOUBLE_ARROW, "before the expression");
}

static enum status parse_items(struct parser *parser, struct lin_rule *rule)
{
    if (parser_accept_word(parser, "empty"))
        return STATUS_OK;
    do {
        TRY(parse_word(parser, "(a variable or a method)", &rule->items, &rule->item_count));
        rule->items[rule->item_count - 1]->closure = parser_accept(parser, LIN_STAR);
    } while (parser_at(parser, LIN_NAME));
    return STATUS_OK;
}

static enum status parse_rule(struct parser *parser, struct lin_rules *rules)
{
    struct lin_rule *rule = parser_allocate(parser, sizeof *rule);
    TRY_MEMORY(rule);
    TRY(PARSER_APPEND(parser, rules->rules, rules->rule_count, rule));
    parser->next++;
    rule->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a rule)", &rule->name));
    TRY(parser_expect(parser, LIN_COLON, "after the rule's name"));
    if (has_premises(parser))
        TRY(parse_premises(parser, rule));
    TRY(parse_items(parser, rule));
    return parser_expect(parser, LIN_SEMICOLON, "after the rule");
}

/* ---- the block of rules ---- */

static enum status parse_values(struct parser *parser, struct lin_rules *rules)
{
    if (rules->values != LIN_VALUES_RENAMED)
        return parser_complain(parser, "one `values`");
    rules->values_at = parser_token(parser)->at;
    parser->next++;
    if (parser_accept_word(parser, "distinct"))
        rules->values = LIN_VALUES_DISTINCT;
    else if (parser_accept_word(parser, "ordered"))
        rules->values = LIN_VALUES_ORDERED;
    else
        return parser_complain(parser, "`distinct` or `ordered`");
    return parser_expect(parser, LIN_SEMICOLON, NULL);
}

static enum status parse_member(struct parser *parser, struct lin_rules *rules)
{
    if (parser_at_word(parser, "values"))
        return parse_values(parser, rules);
    if (parser_at_word(parser, "input") || parser_at_word(parser, "method"))
        return parse_method(parser, &rules->methods, &rules->method_count);
    if (parser_at_word(parser, "rule"))
        return parse_rule(parser, rules);
    return parser_complain(parser, "`input`, `method`, `rule`, `values` or `}`");
}

enum status lin_parse_rules(struct parser *parser, struct lin_module *module)
{
    struct lin_rules *rules = parser_allocate(parser, sizeof *rules);
    TRY_MEMORY(rules && vector_push(&module->rules, rules));
    parser->next++;
    rules->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a set of rules)", &rules->name));
    rules->has_subject = parser_accept_word(parser, "of");
    if (rules->has_subject)
        TRY(lin_parse_reference_here(parser, "(a specification)", &rules->subject));
    TRY(parser_expect(parser, LIN_LEFT_BRACE, NULL));
    while (!parser_at(parser, LIN_RIGHT_BRACE))
        TRY(parse_member(parser, rules));
    return parser_expect(parser, LIN_RIGHT_BRACE, NULL);
}

/* ---- colours and letters of automata ---- */

#define MOST_COLOUR 3

static enum status parse_colour(struct parser *parser, unsigned *colours)
{
    const struct token *token = parser_token(parser);
    if (token->kind != LIN_INTEGER || token->integer < 1 || token->integer > MOST_COLOUR)
        return parser_complain(parser, "a colour (1, 2 or 3)");
    if (*colours >> token->integer & 1)
        return parser_complain(parser, "each colour once");
    *colours |= 1u << token->integer;
    parser->next++;
    return STATUS_OK;
}

static enum status parse_colours(struct parser *parser, unsigned *colours)
{
    do
        TRY(parse_colour(parser, colours));
    while (parser_accept(parser, LIN_COMMA));
    return STATUS_OK;
}

/* A word is what it says only where a name follows: a method may be called `call`. */
static bool accept_before_name(struct parser *parser, const char *word)
{
    if (!parser_at_word(parser, word) || parser_ahead(parser, 1)->kind != LIN_NAME)
        return false;
    parser->next++;
    return true;
}

static enum status parse_letter(struct parser *parser, struct lin_transition *transition)
{
    struct lin_letter *letter = parser_allocate(parser, sizeof *letter);
    TRY_MEMORY(letter);
    TRY(PARSER_APPEND(parser, transition->letters, transition->letter_count, letter));
    letter->at = parser_token(parser)->at;
    letter->marked = accept_before_name(parser, "marked");
    letter->others = parser_accept_word(parser, "others");
    if (letter->others)
        return STATUS_OK;
    letter->calls = accept_before_name(parser, "call");
    letter->returns = !letter->calls && accept_before_name(parser, "ret");
    if (!letter->calls && !letter->returns)
        letter->calls = letter->returns = true;
    letter->method_at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a method, or `others`)", &letter->method));
    if (parser_accept(parser, LIN_LEFT_PAREN)) {
        TRY(parse_colours(parser, &letter->colours));
        return parser_expect(parser, LIN_RIGHT_PAREN, "after the colours");
    }
    for (unsigned colour = 1; colour <= MOST_COLOUR; colour++)
        letter->colours |= 1u << colour;
    return STATUS_OK;
}

/* ---- states ---- */

static enum status parse_transition(struct parser *parser, struct lin_automaton_state *state)
{
    struct lin_transition *transition = parser_allocate(parser, sizeof *transition);
    TRY_MEMORY(transition);
    TRY(PARSER_APPEND(parser, state->transitions, state->transition_count, transition));
    do
        TRY(parse_letter(parser, transition));
    while (parser_accept(parser, LIN_COMMA));
    TRY(parser_expect(parser, LIN_ARROW, "and where these letters lead"));
    transition->target_at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a state, or `dead`)", &transition->target));
    return parser_expect(parser, LIN_SEMICOLON, "after the transition");
}

static enum status parse_state(struct parser *parser, struct lin_automaton *automaton)
{
    struct lin_automaton_state *state = parser_allocate(parser, sizeof *state);
    TRY_MEMORY(state);
    TRY(PARSER_APPEND(parser, automaton->states, automaton->state_count, state));
    state->initial = parser_accept_word(parser, "initial");
    state->accepting = parser_accept_word(parser, "accepting");
    state->complete = state->accepting && parser_accept_word(parser, "complete");
    if (!parser_accept_word(parser, "state"))
        return parser_complain(parser, "`state`");
    state->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a state)", &state->name));
    TRY(parser_expect(parser, LIN_LEFT_BRACE, NULL));
    while (!parser_at(parser, LIN_RIGHT_BRACE))
        TRY(parse_transition(parser, state));
    return parser_expect(parser, LIN_RIGHT_BRACE, NULL);
}

/* ---- the block of an automaton ---- */

static enum status parse_use(struct parser *parser, struct lin_automaton *automaton)
{
    if (automaton->not_for_histories || automaton->not_for_prefixes)
        return parser_complain(parser, "one `for`");
    parser->next++;
    automaton->not_for_prefixes = parser_accept_word(parser, "histories");
    automaton->not_for_histories = !automaton->not_for_prefixes;
    if (automaton->not_for_histories && !parser_accept_word(parser, "prefixes"))
        return parser_complain(parser, "`histories` or `prefixes`");
    return parser_expect(parser, LIN_SEMICOLON, NULL);
}

static enum status parse_wrong(struct parser *parser, struct lin_automaton *automaton)
{
    if (automaton->rule)
        return parser_complain(parser, "one `rule`");
    parser->next++;
    if (!parser_at(parser, LIN_STRING))
        return parser_complain(parser, "what is wrong with the histories, in quotes");
    automaton->rule = parser_token(parser)->name;
    parser->next++;
    return parser_expect(parser, LIN_SEMICOLON, NULL);
}

static enum status parse_violates(struct parser *parser, struct lin_automaton *automaton)
{
    if (automaton->violates)
        return parser_complain(parser, "one `violates`");
    parser->next++;
    automaton->violates_at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a rule)", &automaton->violates));
    return parser_expect(parser, LIN_SEMICOLON, NULL);
}

static enum status parse_automaton_member(struct parser *parser, struct lin_automaton *automaton)
{
    if (parser_at_word(parser, "rule"))
        return parse_wrong(parser, automaton);
    if (parser_at_word(parser, "violates"))
        return parse_violates(parser, automaton);
    if (parser_at(parser, LIN_FOR))
        return parse_use(parser, automaton);
    if (parser_accept_word(parser, "single")) {
        TRY(parse_colours(parser, &automaton->single));
        return parser_expect(parser, LIN_SEMICOLON, "after the colours");
    }
    if (parser_at_word(parser, "input") || parser_at_word(parser, "method"))
        return parse_method(parser, &automaton->methods, &automaton->method_count);
    if (parser_at_word(parser, "initial") || parser_at_word(parser, "accepting") ||
        parser_at_word(parser, "state"))
        return parse_state(parser, automaton);
    return parser_complain(parser, "`initial`, `accepting`, `state`, `input`, `method`, `rule`, "
                                   "`violates`, `for`, `single` or `}`");
}

enum status lin_parse_automaton(struct parser *parser, struct lin_module *module)
{
    struct lin_automaton *automaton = parser_allocate(parser, sizeof *automaton);
    TRY_MEMORY(automaton && vector_push(&module->automata, automaton));
    parser->next++;
    automaton->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(an automaton)", &automaton->name));
    if (!parser_accept_word(parser, "of"))
        return parser_complain(parser, "`of` and the specification whose violations it accepts");
    TRY(lin_parse_reference_here(parser, "(a specification)", &automaton->subject));
    TRY(parser_expect(parser, LIN_LEFT_BRACE, NULL));
    while (!parser_at(parser, LIN_RIGHT_BRACE))
        TRY(parse_automaton_member(parser, automaton));
    return parser_expect(parser, LIN_RIGHT_BRACE, NULL);
}
