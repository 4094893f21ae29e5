/* `assert NAME property with options;`, and `assert P with A refines P with B;`. */
#include "lin/parser_assertion.h"

#include <stdio.h>
#include <string.h>

#include "base/suggestion.h"
#include "lin/parser_expression.h"
#include "lin/parser_formula.h"

static enum status parse_property(struct parser *parser, struct lin_assertion *assertion)
{
    static const char *const words[] = {
        [LIN_LINEARIZES] = "linearizes",
        [LIN_LOCK_FREE] = "lock_free",
        [LIN_WAIT_FREE] = "wait_free",
        [LIN_OBSTRUCTION_FREE] = "obstruction_free",
        [LIN_DEADLOCK_FREE] = "deadlock_free",
        [LIN_STARVATION_FREE] = "starvation_free",
        [LIN_NEVER] = "never",
        [LIN_SATISFIES] = "satisfies",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
        if (!parser_accept_word(parser, words[i]))
            continue;
        assertion->property = (uint8_t)i;
        if (i == LIN_LINEARIZES)
            return lin_parse_reference_here(parser, "(the specification)",
                                            &assertion->specification);
        if (i == LIN_SATISFIES)
            return lin_parse_formula(parser, &assertion->formula);
        if (i != LIN_NEVER)
            return STATUS_OK;
        TRY(parser_expect(parser, LIN_LEFT_PAREN, "before the condition"));
        TRY(lin_parse_expression(parser, &assertion->condition));
        return parser_close_condition(parser, LIN_RIGHT_PAREN, LIN_ASSIGN, "after the condition");
    }
    const char *found = parser_at(parser, LIN_NAME)        ? parser_token(parser)->name
                        : parser_at(parser, LIN_LINEARIZE) ? "linearize"
                                                           : "";
    size_t meant = suggestion_find(found, strlen(found), words, ARRAY_LENGTH(words));
    if (meant < ARRAY_LENGTH(words)) {
        char wanted[32];
        snprintf(wanted, sizeof wanted, "`%s`", words[meant]);
        return parser_complain(parser, wanted);
    }
    return parser_complain(
        parser, "what is asserted (linearizes, lock_free, wait_free, "
                "obstruction_free, deadlock_free, starvation_free, never, satisfies; of a "
                "program, `with` and what it uses)");
}

static enum status parse_option(struct parser *parser, struct lin_option *option)
{
    option->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(an option)", &option->name));
    if (parser_at(parser, LIN_INTEGER))
        return parser_expect(parser, LIN_ASSIGN, "after the option");
    if (!parser_accept(parser, LIN_ASSIGN))
        return STATUS_OK;
    if (parser_at(parser, LIN_COMMA) || parser_at(parser, LIN_SEMICOLON)) {
        char wanted[100];
        snprintf(wanted, sizeof wanted, "the value of `%.60s`", option->name);
        return parser_complain(parser, wanted);
    }
    unsigned after = parser_ahead(parser, 1)->kind;
    if (parser_at(parser, LIN_NAME) && (after == LIN_COMMA || after == LIN_SEMICOLON)) {
        option->word = parser_token(parser)->name;
        option->word_at = parser_token(parser)->at;
        parser->next++;
        return STATUS_OK;
    }
    return lin_parse_expression(parser, &option->expression);
}

static enum status parse_options(struct parser *parser, struct lin_assertion *assertion)
{
    if (!parser_accept_word(parser, "with"))
        return STATUS_OK;
    do {
        struct lin_option option = {0};
        TRY(parse_option(parser, &option));
        TRY(PARSER_APPEND(parser, assertion->options, assertion->option_count, option));
    } while (parser_accept(parser, LIN_COMMA));
    return STATUS_OK;
}

/* From the first `with` on: `P with treiber refines P with stack` */
static enum status parse_refinement(struct parser *parser, struct lin_assertion *assertion)
{
    assertion->property = LIN_REFINES;
    assertion->program = assertion->implementation;
    TRY(lin_parse_reference_here(parser, "(what the program uses)", &assertion->implementation));
    if (!parser_accept_word(parser, "refines"))
        return parser_complain(parser, "`refines` after what the program uses");
    TRY(lin_parse_reference_here(parser, "(a program)", &assertion->specification_program));
    if (!parser_accept_word(parser, "with"))
        return parser_complain(parser, "`with` and what the program uses");
    return lin_parse_reference_here(parser, "(what the program uses)", &assertion->specification);
}

enum status lin_parse_assertion(struct parser *parser, struct lin_assertion *assertion)
{
    assertion->at = parser_token(parser)->at;
    parser->next++;
    TRY(lin_parse_reference_here(parser, "(an implementation or program)",
                                 &assertion->implementation));
    TRY(parser_accept_word(parser, "with") ? parse_refinement(parser, assertion)
                                           : parse_property(parser, assertion));
    TRY(parse_options(parser, assertion));
    assertion->end = parser_last_end(parser);
    return parser_expect(parser, LIN_SEMICOLON, "after the assertion");
}
