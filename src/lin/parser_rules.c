/* Inductive rules in `.lin`:
 *
 *     rules     := `rules` NAME [`of` NAME [arguments]] `{` member* `}`
 *     member    := `values` (`distinct` | `ordered`) `;`
 *                | a method, as in lin/parser_method.c
 *                | `rule` NAME `:` [premises `=>`] expression `;`
 *     premises  := VARIABLE* [`where` condition {`,` condition}]
 *     condition := VARIABLE {`,` VARIABLE} `in` methods `*`
 *                | `matched` `(` method `,` VARIABLE VARIABLE* `)`
 *     methods   := method | `{` [method {`,` method}] `}`
 *     method    := NAME [(`<` | `>`) `value`]
 *     expression := `empty` | (VARIABLE | NAME [`*`])*
 *
 * Which names are variables and which are methods is for the checker to say. */
#include "lin/parser.h"

#include <string.h>

/* A name as an item of a list. */
static enum status parse_word(struct parser *parser, const char *purpose, parser_list *list,
                              struct lin_rule_word **word)
{
    *word = parser_allocate(parser, sizeof **word);
    if (!*word || !vector_push(list, *word))
        return STATUS_LIMIT;
    (*word)->at = parser_token(parser)->at;
    return parser_name(parser, purpose, &(*word)->name);
}

/* ---- conditions ---- */

/* `Del`, `Del < value` */
static enum status parse_method_name(struct parser *parser, parser_list *list)
{
    struct lin_rule_word *word;
    TRY(parse_word(parser, "(a method)", list, &word));
    if (!parser_at(parser, LIN_LESS) && !parser_at(parser, LIN_GREATER))
        return STATUS_OK;
    word->compared = parser_token(parser)->kind;
    parser->next++;
    return lin_accept_word(parser, "value")
               ? STATUS_OK
               : parser_complain(parser, "`value`, which methods are compared with");
}

/* `Enq`, `{Enq, Deq}`, and the star behind them */
static enum status parse_methods(struct parser *parser, parser_list *list)
{
    if (!parser_accept(parser, LIN_LEFT_BRACE)) {
        TRY(parse_method_name(parser, list));
    } else if (!parser_accept(parser, LIN_RIGHT_BRACE)) {
        do
            TRY(parse_method_name(parser, list));
        while (parser_accept(parser, LIN_COMMA));
        TRY(parser_expect(parser, LIN_RIGHT_BRACE, "after the methods"));
    }
    return parser_expect(parser, LIN_STAR, "after the methods");
}

/* `(Enq, u)`, behind `matched` */
static enum status parse_matched(struct parser *parser, parser_list *methods,
                                 parser_list *variables)
{
    struct lin_rule_word *word;
    TRY(parser_expect(parser, LIN_LEFT_PAREN, "after `matched`"));
    TRY(parse_method_name(parser, methods));
    TRY(parser_expect(parser, LIN_COMMA, "between method and variable"));
    do
        TRY(parse_word(parser, "(a variable)", variables, &word));
    while (parser_at(parser, LIN_NAME));
    return parser_expect(parser, LIN_RIGHT_PAREN, "after the variable");
}

static enum status parse_membership(struct parser *parser, parser_list *methods,
                                    parser_list *variables)
{
    struct lin_rule_word *word;
    do
        TRY(parse_word(parser, "(a variable, or `matched`)", variables, &word));
    while (parser_accept(parser, LIN_COMMA));
    TRY(parser_expect(parser, LIN_IN, "and methods"));
    return parse_methods(parser, methods);
}

static enum status parse_condition(struct parser *parser, parser_list *conditions)
{
    struct lin_rule_condition *condition = parser_allocate(parser, sizeof *condition);
    if (!condition || !vector_push(conditions, condition))
        return STATUS_LIMIT;
    parser_list methods, variables;
    vector_init(&methods, parser->arena->budget);
    vector_init(&variables, parser->arena->budget);
    condition->at = parser_token(parser)->at;
    condition->matched =
        lin_at_word(parser, "matched") && parser_ahead(parser, 1)->kind == LIN_LEFT_PAREN;
    enum status status;
    if (condition->matched) {
        parser->next++;
        status = parse_matched(parser, &methods, &variables);
    } else {
        status = parse_membership(parser, &methods, &variables);
    }
    enum status first =
        parser_take_list(parser, &methods, (void ***)&condition->methods, &condition->method_count);
    enum status second = parser_take_list(parser, &variables, (void ***)&condition->variables,
                                          &condition->variable_count);
    TRY(status);
    TRY(first);
    return second;
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

static enum status parse_premises(struct parser *parser, parser_list *variables,
                                  parser_list *conditions)
{
    struct lin_rule_word *word;
    while (parser_at(parser, LIN_NAME) && !lin_at_word(parser, "where"))
        TRY(parse_word(parser, "(a variable)", variables, &word));
    if (lin_accept_word(parser, "where")) {
        do
            TRY(parse_condition(parser, conditions));
        while (parser_accept(parser, LIN_COMMA));
    }
    return parser_expect(parser, LIN_DOUBLE_ARROW, "before the expression");
}

static enum status parse_items(struct parser *parser, parser_list *items)
{
    struct lin_rule_word *word;
    if (lin_accept_word(parser, "empty"))
        return STATUS_OK;
    do {
        TRY(parse_word(parser, "(a variable or a method)", items, &word));
        word->closure = parser_accept(parser, LIN_STAR);
    } while (parser_at(parser, LIN_NAME));
    return STATUS_OK;
}

static enum status parse_rule(struct parser *parser, parser_list *rules)
{
    struct lin_rule *rule = parser_allocate(parser, sizeof *rule);
    if (!rule || !vector_push(rules, rule))
        return STATUS_LIMIT;
    parser->next++;
    rule->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a rule)", &rule->name));
    TRY(parser_expect(parser, LIN_COLON, "after the rule's name"));
    parser_list variables, conditions, items;
    vector_init(&variables, parser->arena->budget);
    vector_init(&conditions, parser->arena->budget);
    vector_init(&items, parser->arena->budget);
    enum status status =
        has_premises(parser) ? parse_premises(parser, &variables, &conditions) : STATUS_OK;
    if (status == STATUS_OK)
        status = parse_items(parser, &items);
    const struct {
        parser_list *list;
        void ***items;
        uint32_t *count;
    } lists[] = {
        {&variables, (void ***)&rule->variables, &rule->variable_count},
        {&conditions, (void ***)&rule->conditions, &rule->condition_count},
        {&items, (void ***)&rule->items, &rule->item_count},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++) {
        enum status taken = parser_take_list(parser, lists[i].list, lists[i].items, lists[i].count);
        if (status == STATUS_OK)
            status = taken;
    }
    TRY(status);
    return parser_expect(parser, LIN_SEMICOLON, "after the rule");
}

/* ---- the block ---- */

static enum status parse_values(struct parser *parser, struct lin_rules *rules)
{
    if (rules->values != LIN_VALUES_RENAMED)
        return parser_complain(parser, "one `values`");
    rules->values_at = parser_token(parser)->at;
    parser->next++;
    if (lin_accept_word(parser, "distinct"))
        rules->values = LIN_VALUES_DISTINCT;
    else if (lin_accept_word(parser, "ordered"))
        rules->values = LIN_VALUES_ORDERED;
    else
        return parser_complain(parser, "`distinct` or `ordered`");
    return parser_expect(parser, LIN_SEMICOLON, NULL);
}

static enum status parse_member(struct parser *parser, struct lin_rules *rules,
                                parser_list *methods, parser_list *list)
{
    if (lin_at_word(parser, "values"))
        return parse_values(parser, rules);
    if (lin_at_word(parser, "input") || lin_at_word(parser, "method"))
        return lin_parse_method(parser, methods);
    if (lin_at_word(parser, "rule"))
        return parse_rule(parser, list);
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
    rules->has_subject = lin_accept_word(parser, "of");
    if (rules->has_subject)
        TRY(lin_parse_reference_here(parser, "(a specification)", &rules->subject));
    TRY(parser_expect(parser, LIN_LEFT_BRACE, NULL));
    parser_list methods, list;
    vector_init(&methods, parser->arena->budget);
    vector_init(&list, parser->arena->budget);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !parser_at(parser, LIN_RIGHT_BRACE))
        status = parse_member(parser, rules, &methods, &list);
    enum status first =
        parser_take_list(parser, &methods, (void ***)&rules->methods, &rules->method_count);
    enum status second =
        parser_take_list(parser, &list, (void ***)&rules->rules, &rules->rule_count);
    TRY(status);
    TRY(first);
    TRY(second);
    return parser_expect(parser, LIN_RIGHT_BRACE, NULL);
}
