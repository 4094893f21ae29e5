/* One function for each form of an assertion. */
#include "csp/parser_assertion.h"

#include "csp/parser_expression.h"
#include "csp/parser_formula.h"

static enum status assertion_reference(struct parser *parser, struct csp_process **process)
{
    *process = parser_allocate(parser, sizeof **process);
    TRY_MEMORY(*process);
    (*process)->kind = PROCESS_REFERENCE;
    (*process)->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a process)", &(*process)->name));
    if (parser_at(parser, CSP_LEFT_PAREN))
        TRY(csp_parse_arguments(parser, &(*process)->arguments, &(*process)->argument_count));
    return STATUS_OK;
}

static enum status assertion_reaches(struct parser *parser, struct csp_assertion *assertion)
{
    assertion->kind = ASSERTION_REACHES;
    assertion->goal_at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a proposition that `#define` gives)", &assertion->goal));
    if (!parser_at(parser, CSP_SEMICOLON) && !parser_at(parser, CSP_WITH))
        return parser_complain(parser, "`;` or `with` after the proposition's name (`#define goal "
                                       "x == 1;` gives a condition a name)");
    if (!parser_accept(parser, CSP_WITH))
        return STATUS_OK;
    assertion->minimum = parser_at(parser, CSP_MIN);
    assertion->maximum = parser_at(parser, CSP_MAX);
    if (!assertion->minimum && !assertion->maximum)
        return parser_complain(parser, "`min` or `max`");
    parser->next++;
    TRY(parser_expect(parser, CSP_LEFT_PAREN, NULL));
    TRY(csp_parse_expression(parser, &assertion->extreme));
    return parser_expect(parser, CSP_RIGHT_PAREN, NULL);
}

/* What stands in the parentheses of `linearizes register(initial = 3)`, as text: the grammar of
 * specifications is not ours. */
static enum status linearizes_arguments(struct parser *parser, struct csp_assertion *assertion)
{
    if (!parser_accept(parser, CSP_LEFT_PAREN))
        return STATUS_OK;
    place start = parser_token(parser)->at;
    for (unsigned open = 0; open || !parser_at(parser, CSP_RIGHT_PAREN); parser->next++) {
        if (parser_at(parser, CSP_END))
            return parser_complain(parser, "`)` after the specification's arguments");
        if (parser_at(parser, CSP_LEFT_PAREN))
            open++;
        else if (parser_at(parser, CSP_RIGHT_PAREN))
            open--;
    }
    place end = parser_token(parser)->at;
    assertion->goal_arguments =
        arena_copy_text(parser->arena, parser->script->text + start, end - start);
    parser->next++;
    return granted(assertion->goal_arguments);
}

/* The specification's name: hyphens allowed (`priority-queue`), read as written. */
static enum status linearizes_name(struct parser *parser, struct csp_assertion *assertion)
{
    place start = parser_token(parser)->at;
    const char *part = NULL;
    TRY(parser_name(parser, "(a sequential specification)", &part));
    while (parser_at(parser, CSP_MINUS) && parser_token(parser)->attached &&
           parser_ahead(parser, 1)->kind == CSP_NAME && parser_ahead(parser, 1)->attached)
        parser->next += 2;
    assertion->goal = arena_copy_text(parser->arena, parser->script->text + start,
                                      parser_last_end(parser) - start);
    return granted(assertion->goal);
}

static enum status assertion_linearizes(struct parser *parser, struct csp_assertion *assertion)
{
    assertion->kind = ASSERTION_LINEARIZES;
    TRY(linearizes_name(parser, assertion));
    TRY(linearizes_arguments(parser, assertion));
    if (!parser_accept(parser, CSP_WITH))
        return STATUS_OK;
    if (!parser_accept_word(parser, "points"))
        return parser_complain(parser, "`points`");
    assertion->points = POINTS_GIVEN;
    if (!parser_accept(parser, CSP_ASSIGN))
        return STATUS_OK;
    if (!parser_accept_word(parser, "complete"))
        return parser_complain(parser, "`complete`");
    assertion->points = POINTS_COMPLETE;
    return STATUS_OK;
}

static enum status assertion_body(struct parser *parser, struct csp_assertion *assertion)
{
    static const struct {
        uint8_t token, kind;
    } plain[] = {
        {CSP_DEADLOCKFREE, ASSERTION_DEADLOCK_FREE},
        {CSP_NONTERMINATING, ASSERTION_NONTERMINATING},
        {CSP_DIVERGENCEFREE, ASSERTION_DIVERGENCE_FREE},
        {CSP_DETERMINISTIC, ASSERTION_DETERMINISTIC},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(plain); i++) {
        if (parser_accept(parser, plain[i].token)) {
            assertion->kind = plain[i].kind;
            return STATUS_OK;
        }
    }
    if (parser_accept(parser, CSP_REACHES))
        return assertion_reaches(parser, assertion);
    if (parser_accept(parser, CSP_REFINES)) {
        assertion->kind = ASSERTION_REFINES;
        if (parser_accept(parser, CSP_FAILURES))
            assertion->kind = ASSERTION_REFINES_FAILURES;
        else if (parser_accept(parser, CSP_FAILURES_DIVERGENCES))
            assertion->kind = ASSERTION_REFINES_FAILURES_DIVERGENCES;
        return assertion_reference(parser, &assertion->specification);
    }
    if (parser_accept(parser, CSP_SATISFIES)) {
        assertion->kind = ASSERTION_SATISFIES;
        return csp_parse_formula(parser, &assertion->formula);
    }
    if (parser_accept_word(parser, "linearizes"))
        return assertion_linearizes(parser, assertion);
    return parser_complain(parser, "an assertion (deadlockfree, nonterminating, divergencefree, "
                                   "deterministic, reaches, refines, |= or linearizes)");
}

enum status csp_parse_assertion(struct parser *parser, struct csp_assertion *assertion)
{
    assertion->at = parser_token(parser)->at;
    TRY(assertion_reference(parser, &assertion->process));
    assertion->process_end = parser_last_end(parser);
    TRY(assertion_body(parser, assertion));
    assertion->end = parser_last_end(parser);
    return parser_expect(parser, CSP_SEMICOLON, "after the assertion");
}
