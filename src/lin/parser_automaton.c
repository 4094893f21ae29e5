/* Violation automata in `.lin`:
 *
 *     automaton  := `automaton` NAME `of` NAME [arguments] `{` member* `}`
 *     member     := `rule` STRING `;`
 *                 | `for` (`histories` | `prefixes`) `;`
 *                 | `single` COLOUR {`,` COLOUR} `;`
 *                 | method, as in lin/parser_rules.c
 *                 | [`initial`] [`accepting` [`complete`]] `state` NAME `{` transition* `}`
 *     transition := letter {`,` letter} `->` (NAME | `dead`) `;`
 *     letter     := [`marked`] (`others` | [`call` | `ret`] NAME [`(` COLOUR {`,` COLOUR} `)`])
 *
 * Without `call` or `ret` both are meant, without colours all three. */
#include "lin/parser_automaton.h"

#include "lin/parser_expression.h"
#include "lin/parser_rules.h"

#define MOST_COLOUR 3

/* ---- letters ---- */

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
    if (!letter)
        return STATUS_LIMIT;
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
    if (!transition)
        return STATUS_LIMIT;
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
    if (!state)
        return STATUS_LIMIT;
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

/* ---- the block ---- */

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

static enum status parse_rule(struct parser *parser, struct lin_automaton *automaton)
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

static enum status parse_member(struct parser *parser, struct lin_automaton *automaton)
{
    if (parser_at_word(parser, "rule"))
        return parse_rule(parser, automaton);
    if (parser_at_word(parser, "violates"))
        return parse_violates(parser, automaton);
    if (parser_at(parser, LIN_FOR))
        return parse_use(parser, automaton);
    if (parser_accept_word(parser, "single")) {
        TRY(parse_colours(parser, &automaton->single));
        return parser_expect(parser, LIN_SEMICOLON, "after the colours");
    }
    if (parser_at_word(parser, "input") || parser_at_word(parser, "method"))
        return lin_parse_method(parser, &automaton->methods, &automaton->method_count);
    if (parser_at_word(parser, "initial") || parser_at_word(parser, "accepting") ||
        parser_at_word(parser, "state"))
        return parse_state(parser, automaton);
    return parser_complain(parser, "`initial`, `accepting`, `state`, `input`, `method`, `rule`, "
                                   "`violates`, `for`, `single` or `}`");
}

enum status lin_parse_automaton(struct parser *parser, struct lin_module *module)
{
    struct lin_automaton *automaton = parser_allocate(parser, sizeof *automaton);
    if (!automaton || !vector_push(&module->automata, automaton))
        return STATUS_LIMIT;
    parser->next++;
    automaton->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(an automaton)", &automaton->name));
    if (!parser_accept_word(parser, "of"))
        return parser_complain(parser, "`of` and the specification whose violations it accepts");
    TRY(lin_parse_reference_here(parser, "(a specification)", &automaton->subject));
    TRY(parser_expect(parser, LIN_LEFT_BRACE, NULL));
    while (!parser_at(parser, LIN_RIGHT_BRACE))
        TRY(parse_member(parser, automaton));
    return parser_expect(parser, LIN_RIGHT_BRACE, NULL);
}
