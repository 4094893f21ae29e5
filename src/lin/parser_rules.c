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
 * Which names are variables and which are methods is for the checker to say. */
#include "lin/parser_rules.h"

#include <string.h>

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

enum status lin_parse_method(struct parser *parser, struct lin_method ***methods, uint32_t *count)
{
    struct lin_method *method = parser_allocate(parser, sizeof *method);
    if (!method)
        return STATUS_LIMIT;
    TRY(PARSER_APPEND(parser, *methods, *count, method));
    method->is_input = parser_at_word(parser, "input");
    parser->next++;
    method->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a method)", &method->name));
    TRY(parser_expect(parser, LIN_ASSIGN, "and the operation that the method is"));
    method->operation_at = parser_token(parser)->at;
    TRY(parser_name(parser, "(an operation)", &method->operation));
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
    if (!word)
        return STATUS_LIMIT;
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
    if (!condition)
        return STATUS_LIMIT;
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
    if (!rule)
        return STATUS_LIMIT;
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

/* ---- the block ---- */

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
        return lin_parse_method(parser, &rules->methods, &rules->method_count);
    if (parser_at_word(parser, "rule"))
        return parse_rule(parser, rules);
    return parser_complain(parser, "`input`, `method`, `rule`, `values` or `}`");
}

enum status lin_parse_rules(struct parser *parser, struct lin_module *module)
{
    struct lin_rules *rules = parser_allocate(parser, sizeof *rules);
    if (!rules || !vector_push(&module->rules, rules))
        return STATUS_LIMIT;
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
