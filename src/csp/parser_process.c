/* Processes, loosest operator first: ||| then || then [] then <> then [*] then interrupt, hiding,
 * sequence, guard, and prefix, which binds tightest: `a -> P; Q` is `(a -> P); Q`. */
#include "csp/parser_process.h"

#include "csp/parser_event.h"
#include "csp/parser_expression.h"
#include "csp/parser_statement.h"

static enum status make(struct parser *parser, enum csp_process_kind kind, place at,
                        uint32_t children, struct csp_process **process)
{
    struct csp_process *made = parser_allocate(parser, sizeof *made);
    *process = made;
    TRY_MEMORY(made);
    made->kind = (uint8_t)kind;
    made->at = at;
    made->count = children;
    if (children) {
        made->children = parser_allocate(parser, children * sizeof *made->children);
        TRY_MEMORY(made->children);
    }
    return STATUS_OK;
}

/* ---- prefixes ---- */

static enum status parse_prefix(struct parser *parser, struct csp_process **process);

/* The optional program, the arrow and what follows it. */
static enum status parse_continuation(struct parser *parser, struct csp_process *process)
{
    if (parser_at(parser, CSP_LEFT_BRACE))
        TRY(csp_parse_block(parser, &process->program));
    TRY(parser_expect(parser, CSP_ARROW, "after the event"));
    return parse_prefix(parser, &process->children[0]);
}

/* `c ! e.f -> P` and `c ? [guard] x.y -> P`; an index of a channel array is attached to its name,
 * since `c [i]` could begin a guard. */
static enum status parse_communication(struct parser *parser, struct csp_process **process)
{
    const struct token *name = parser_token(parser);
    TRY(make(parser, PROCESS_OUTPUT, name->at, 1, process));
    (*process)->name = name->name;
    parser->next++;
    if (parser_accept(parser, CSP_LEFT_BRACKET)) {
        TRY(csp_parse_sum(parser, &(*process)->index));
        TRY(parser_expect(parser, CSP_RIGHT_BRACKET, "after the channel's index"));
    }
    if (parser_accept(parser, CSP_QUESTION)) {
        (*process)->kind = PROCESS_INPUT;
        if (parser_accept(parser, CSP_LEFT_BRACKET)) {
            TRY(csp_parse_condition(parser, &(*process)->condition));
            TRY(parser_close_condition(parser, CSP_RIGHT_BRACKET, CSP_ASSIGN, "after the guard"));
        }
    } else {
        TRY(parser_expect(parser, CSP_BANG, "after the channel"));
    }
    TRY(csp_parse_expressions(parser, CSP_DOT, &(*process)->arguments,
                              &(*process)->argument_count));
    return parse_continuation(parser, *process);
}

/* Whether a name here begins `c!`, `c?`, `c[i]!` or `c[i]?`. */
static bool is_communication(const struct parser *parser)
{
    const struct token *after = parser_ahead(parser, 1);
    if (after->kind == CSP_BANG || after->kind == CSP_QUESTION)
        return true;
    if (after->kind != CSP_LEFT_BRACKET || !after->attached)
        return false;
    unsigned open = 0;
    for (size_t ahead = 1;; ahead++) {
        unsigned kind = parser_ahead(parser, ahead)->kind;
        if (kind == CSP_END || kind == CSP_SEMICOLON || kind == CSP_ARROW)
            return false;
        open += kind == CSP_LEFT_BRACKET;
        if (kind == CSP_RIGHT_BRACKET && --open == 0) {
            kind = parser_ahead(parser, ahead + 1)->kind;
            return kind == CSP_BANG || kind == CSP_QUESTION;
        }
    }
}

/* A name: the first event of a prefix, or a process. */
static enum status parse_named(struct parser *parser, struct csp_process **process)
{
    if (is_communication(parser))
        return parse_communication(parser, process);
    place at = parser_token(parser)->at;
    unsigned after = parser_ahead(parser, 1)->kind;
    if (after == CSP_DOT || after == CSP_ARROW || after == CSP_LEFT_BRACE) {
        TRY(make(parser, PROCESS_EVENT, at, 1, process));
        TRY(csp_parse_event(parser, &(*process)->event));
        return parse_continuation(parser, *process);
    }
    TRY(make(parser, PROCESS_REFERENCE, at, 0, process));
    TRY(parser_name(parser, NULL, &(*process)->name));
    if (parser_at(parser, CSP_LEFT_PAREN))
        return csp_parse_arguments(parser, &(*process)->arguments, &(*process)->argument_count);
    return STATUS_OK;
}

/* ---- conditionals ---- */

static enum status parse_braced(struct parser *parser, struct csp_process **process)
{
    TRY(parser_expect(parser, CSP_LEFT_BRACE, "before the process"));
    TRY(csp_parse_process(parser, process));
    return parser_expect(parser, CSP_RIGHT_BRACE, "after the process");
}

static enum status parse_if(struct parser *parser, struct csp_process **process)
{
    const struct token *token = parser_token(parser);
    enum csp_process_kind kind = token->kind == CSP_IF    ? PROCESS_IF
                                 : token->kind == CSP_IFA ? PROCESS_IF_ATOMIC
                                                          : PROCESS_IF_BLOCKING;
    parser->next++;
    TRY(make(parser, kind, token->at, kind == PROCESS_IF_BLOCKING ? 1 : 2, process));
    TRY(parser_expect(parser, CSP_LEFT_PAREN, "before the condition"));
    TRY(csp_parse_condition(parser, &(*process)->condition));
    TRY(parser_close_condition(parser, CSP_RIGHT_PAREN, CSP_ASSIGN, "after the condition"));
    TRY(parse_braced(parser, &(*process)->children[0]));
    if (kind == PROCESS_IF_BLOCKING || !parser_accept(parser, CSP_ELSE))
        return STATUS_OK;
    if (parser_at(parser, CSP_IF) || parser_at(parser, CSP_IFA)) {
        TRY(parser_enter(parser));
        TRY(parse_if(parser, &(*process)->children[1]));
        parser_leave(parser);
        return STATUS_OK;
    }
    return parse_braced(parser, &(*process)->children[1]);
}

static enum status parse_branch(struct parser *parser, struct csp_process *process)
{
    struct csp_expression *condition = NULL;
    struct csp_process *child = NULL;
    uint32_t conditions = process->count;
    if (!parser_accept(parser, CSP_DEFAULT))
        TRY(csp_parse_condition(parser, &condition));
    TRY(parser_close_condition(parser, CSP_COLON, CSP_ASSIGN, "after the condition of a branch"));
    TRY(csp_parse_process(parser, &child));
    TRY(PARSER_APPEND(parser, process->conditions, conditions, condition));
    return PARSER_APPEND(parser, process->children, process->count, child);
}

static enum status parse_case(struct parser *parser, struct csp_process **process)
{
    TRY(make(parser, PROCESS_CASE, parser_token(parser)->at, 0, process));
    parser->next++;
    TRY(parser_expect(parser, CSP_LEFT_BRACE, "after `case`"));
    bool last = false;
    while (!last && ((*process)->count == 0 || !parser_at(parser, CSP_RIGHT_BRACE))) {
        last = parser_at(parser, CSP_DEFAULT);
        TRY(parse_branch(parser, *process));
    }
    return parser_expect(parser, CSP_RIGHT_BRACE, "after the branches");
}

/* ---- atoms ---- */

/* Whether `(` opens a tuple of events, `(a, b) -> P`: nothing published says what that means. */
static bool is_event_tuple(const struct parser *parser)
{
    unsigned open = 0;
    for (size_t ahead = 0;; ahead++) {
        unsigned kind = parser_ahead(parser, ahead)->kind;
        if (kind == CSP_END)
            return false;
        open += kind == CSP_LEFT_PAREN;
        if (kind == CSP_RIGHT_PAREN && --open == 0)
            return parser_ahead(parser, ahead + 1)->kind == CSP_ARROW;
    }
}

static enum status parse_parenthesised(struct parser *parser, struct csp_process **process)
{
    if (is_event_tuple(parser))
        return script_error(parser->script, parser_token(parser)->at, parser->error,
                            "expected a process, found a tuple of events before `->`, which is "
                            "not supported");
    parser->next++;
    TRY(csp_parse_process(parser, process));
    return parser_expect(parser, CSP_RIGHT_PAREN, "after the process");
}

static enum status parse_nullary(struct parser *parser, enum csp_process_kind kind,
                                 struct csp_process **process)
{
    TRY(make(parser, kind, parser_token(parser)->at, 0, process));
    parser->next++;
    /* In `case { c: Skip (d): P }` the parenthesis belongs to what follows. */
    if (parser_at(parser, CSP_LEFT_PAREN) && parser_ahead(parser, 1)->kind == CSP_RIGHT_PAREN)
        parser->next += 2;
    return STATUS_OK;
}

/* assert(condition) and atomic { P } */
static enum status parse_wrapped(struct parser *parser, struct csp_process **process)
{
    bool assertion = parser_at(parser, CSP_ASSERT);
    TRY(make(parser, assertion ? PROCESS_ASSERT : PROCESS_ATOMIC, parser_token(parser)->at,
             assertion ? 0 : 1, process));
    parser->next++;
    if (!assertion)
        return parse_braced(parser, &(*process)->children[0]);
    TRY(parser_expect(parser, CSP_LEFT_PAREN, "after `assert`"));
    TRY(csp_parse_expression(parser, &(*process)->condition));
    return parser_expect(parser, CSP_RIGHT_PAREN, "after the condition");
}

/* An event without a name: tau and program, or the program alone. */
static enum status parse_silent(struct parser *parser, struct csp_process **process)
{
    TRY(make(parser, PROCESS_EVENT, parser_token(parser)->at, 1, process));
    (*process)->event.at = parser_token(parser)->at;
    (void)parser_accept(parser, CSP_TAU);
    return parse_continuation(parser, *process);
}

static enum status parse_prefix_here(struct parser *parser, struct csp_process **process)
{
    switch (parser_token(parser)->kind) {
    case CSP_NAME:
        return parse_named(parser, process);
    case CSP_TAU:
    case CSP_LEFT_BRACE:
        return parse_silent(parser, process);
    case CSP_SKIP:
        return parse_nullary(parser, PROCESS_SKIP, process);
    case CSP_STOP:
        return parse_nullary(parser, PROCESS_STOP, process);
    case CSP_IF:
    case CSP_IFA:
    case CSP_IFB:
        return parse_if(parser, process);
    case CSP_CASE:
        return parse_case(parser, process);
    case CSP_ATOMIC:
    case CSP_ASSERT:
        return parse_wrapped(parser, process);
    case CSP_LEFT_PAREN:
        return parse_parenthesised(parser, process);
    case CSP_LEFT_BRACKET:
        return parser_complain(parser, "a process (behind `->` a guard stands in parentheses: "
                                       "`-> ([c] P)`)");
    default:
        return parser_complain(parser, "a process");
    }
}

static enum status parse_prefix(struct parser *parser, struct csp_process **process)
{
    TRY(parser_enter(parser));
    TRY(parse_prefix_here(parser, process));
    parser_leave(parser);
    return STATUS_OK;
}

static enum status parse_guard(struct parser *parser, struct csp_process **process)
{
    if (!parser_at(parser, CSP_LEFT_BRACKET))
        return parse_prefix(parser, process);
    TRY(make(parser, PROCESS_GUARD, parser_token(parser)->at, 1, process));
    parser->next++;
    TRY(csp_parse_condition(parser, &(*process)->condition));
    TRY(parser_close_condition(parser, CSP_RIGHT_BRACKET, CSP_ASSIGN, "after the guard"));
    return parse_prefix(parser, &(*process)->children[0]);
}

/* ---- sequence ---- */

/* `;` is both sequence and the end of a definition: after it a definition begins, or the file ends,
 * or another declaration does; else the sequence goes on. */
static bool ends_definition(const struct parser *parser)
{
    switch (parser_ahead(parser, 1)->kind) {
    case CSP_END:
    case CSP_HASH:
    case CSP_VAR:
    case CSP_HVAR:
    case CSP_CHANNEL:
    case CSP_ENUM:
        return true;
    case CSP_NAME:
        break;
    default:
        return false;
    }
    size_t ahead = 2;
    if (parser_ahead(parser, ahead)->kind == CSP_LEFT_PAREN) {
        for (unsigned open = 0;; ahead++) {
            unsigned kind = parser_ahead(parser, ahead)->kind;
            if (kind == CSP_END)
                return false;
            open += kind == CSP_LEFT_PAREN;
            if (kind == CSP_RIGHT_PAREN && --open == 0)
                break;
        }
        ahead++;
    }
    return parser_ahead(parser, ahead)->kind == CSP_ASSIGN;
}

/* Makes `*process` the first child of a composition. */
static enum status begin_composition(struct parser *parser, enum csp_process_kind kind, place at,
                                     struct csp_process **process)
{
    struct csp_process *first = *process;
    TRY(make(parser, kind, at, 0, process));
    return PARSER_APPEND(parser, (*process)->children, (*process)->count, first);
}

static bool goes_on(const struct parser *parser)
{
    return parser_at(parser, CSP_SEMICOLON) && !ends_definition(parser);
}

static enum status parse_sequence(struct parser *parser, struct csp_process **process)
{
    place at = parser_token(parser)->at;
    TRY(parse_guard(parser, process));
    if (!goes_on(parser))
        return STATUS_OK;
    TRY(begin_composition(parser, PROCESS_SEQUENCE, at, process));
    while (goes_on(parser)) {
        struct csp_process *child = NULL;
        parser->next++;
        TRY(parse_guard(parser, &child));
        TRY(PARSER_APPEND(parser, (*process)->children, (*process)->count, child));
    }
    return STATUS_OK;
}

static enum status parse_hiding(struct parser *parser, struct csp_process **process)
{
    TRY(parse_sequence(parser, process));
    if (!parser_at(parser, CSP_BACKSLASH))
        return STATUS_OK;
    struct csp_process *hidden = *process;
    TRY(make(parser, PROCESS_HIDE, parser_token(parser)->at, 1, process));
    (*process)->children[0] = hidden;
    parser->next++;
    TRY(parser_expect(parser, CSP_LEFT_BRACE, "after `\\`"));
    TRY(csp_parse_event_sets(parser, true, &(*process)->hidden, &(*process)->hidden_count));
    return parser_expect(parser, CSP_RIGHT_BRACE, "after the hidden events");
}

/* ---- compositions: one level each, loosest last ---- */

static const struct level {
    uint8_t token, kind;
} levels[] = {
    {CSP_INTERRUPT, PROCESS_INTERRUPT}, {CSP_EXTERNAL, PROCESS_EXTERNAL},
    {CSP_INTERNAL, PROCESS_INTERNAL},   {CSP_CHOICE, PROCESS_CHOICE},
    {CSP_BAR_BAR, PROCESS_PARALLEL},    {CSP_INTERLEAVE, PROCESS_INTERLEAVE},
};

#define LEVEL_LOOSEST ((int)ARRAY_LENGTH(levels) - 1)

static enum status parse_level(struct parser *parser, int level, struct csp_process **process);

/* `||| {n} @ P`, `||| {..} @ P` */
static enum status parse_copies(struct parser *parser, place at, struct csp_process **process)
{
    TRY(make(parser, PROCESS_COPIES, at, 1, process));
    TRY(parser_expect(parser, CSP_LEFT_BRACE, NULL));
    if (!parser_accept(parser, CSP_DOT_DOT))
        TRY(csp_parse_expression(parser, &(*process)->condition));
    TRY(parser_expect(parser, CSP_RIGHT_BRACE, "after the number of copies"));
    TRY(parser_expect(parser, CSP_AT, "after the number of copies"));
    return csp_parse_process(parser, &(*process)->children[0]);
}

/* An operator where an operand should be: an indexed form, which takes all that follows. */
static enum status parse_indexed(struct parser *parser, struct csp_process **process)
{
    const struct token *token = parser_token(parser);
    parser->next++;
    if (token->kind == CSP_INTERLEAVE && parser_at(parser, CSP_LEFT_BRACE))
        return parse_copies(parser, token->at, process);
    TRY(make(parser, PROCESS_INDEXED, token->at, 1, process));
    for (size_t i = 0; i < ARRAY_LENGTH(levels); i++)
        if (levels[i].token == token->kind)
            (*process)->operator= levels[i].kind;
    TRY(csp_parse_ranges(parser, &(*process)->ranges, &(*process)->range_count));
    TRY(parser_expect(parser, CSP_AT, "after the ranges"));
    return csp_parse_process(parser, &(*process)->children[0]);
}

static bool is_indexed(const struct parser *parser)
{
    for (size_t i = 1; i < ARRAY_LENGTH(levels); i++)
        if (parser_at(parser, levels[i].token))
            return true;
    return false;
}

static enum status parse_operand(struct parser *parser, int level, struct csp_process **process)
{
    if (is_indexed(parser))
        return parse_indexed(parser, process);
    if (level < 0)
        return parse_hiding(parser, process);
    return parse_level(parser, level, process);
}

static enum status parse_level(struct parser *parser, int level, struct csp_process **process)
{
    const struct level *found = &levels[level];
    place at = parser_token(parser)->at;
    TRY(parse_operand(parser, level - 1, process));
    if (!parser_at(parser, found->token))
        return STATUS_OK;
    TRY(begin_composition(parser, (enum csp_process_kind)found->kind, at, process));
    while (parser_accept(parser, found->token)) {
        struct csp_process *child = NULL;
        TRY(parse_operand(parser, level - 1, &child));
        TRY(PARSER_APPEND(parser, (*process)->children, (*process)->count, child));
    }
    return STATUS_OK;
}

enum status csp_parse_process(struct parser *parser, struct csp_process **process)
{
    TRY(parser_enter(parser));
    TRY(parse_level(parser, LEVEL_LOOSEST, process));
    parser_leave(parser);
    return STATUS_OK;
}
