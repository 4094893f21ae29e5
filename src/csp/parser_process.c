/* Processes, loosest operator first: ||| then || then [] then <> then [*] then interrupt, hiding,
 * sequence, guard, and prefix, which binds tightest: `a -> P; Q` is `(a -> P); Q`. */
#include <string.h>

#include "csp/parser.h"

static enum status make(struct parser *parser, enum csp_process_kind kind, place at,
                        uint32_t children, struct csp_process **process)
{
    struct csp_process *made = parser_allocate(parser, sizeof *made);
    *process = made;
    if (!made)
        return STATUS_LIMIT;
    made->kind = (uint8_t)kind;
    made->at = at;
    made->count = children;
    if (children) {
        made->children = parser_allocate(parser, children * sizeof *made->children);
        if (!made->children)
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

/* ---- events ---- */

/* The index and the direction of a communication, `c[i]!` of `c[i]!5`. */
static enum status parse_direction(struct parser *parser, struct csp_event *event)
{
    if (parser_accept(parser, CSP_LEFT_BRACKET)) {
        TRY(parser_sum(parser, &event->index));
        TRY(parser_expect(parser, CSP_RIGHT_BRACKET, "after the channel's index"));
    }
    if (parser_accept(parser, CSP_BANG))
        event->direction = '!';
    else if (parser_accept(parser, CSP_QUESTION))
        event->direction = '?';
    return STATUS_OK;
}

static enum status parse_components(struct parser *parser, struct csp_event *event)
{
    parser_list list;
    vector_init(&list, parser->arena->budget);
    enum status status = STATUS_OK;
    bool more = event->direction || parser_accept(parser, CSP_DOT);
    while (status == STATUS_OK && more) {
        struct csp_expression *component = NULL;
        status = parser_sum(parser, &component);
        if (status == STATUS_OK && !vector_push(&list, component))
            status = STATUS_LIMIT;
        more = parser_accept(parser, CSP_DOT);
    }
    void **items = NULL;
    enum status taken = parser_take_list(parser, &list, &items, &event->component_count);
    event->components = (struct csp_expression **)items;
    TRY(status);
    return taken;
}

enum status parser_event(struct parser *parser, struct csp_event *event)
{
    event->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(an event)", &event->name));
    return parse_components(parser, event);
}

static enum status parse_hidden_event(struct parser *parser, struct csp_event *event)
{
    event->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(an event)", &event->name));
    TRY(parse_direction(parser, event));
    return parse_components(parser, event);
}

enum status parser_event_sets(struct parser *parser, bool hidden, struct csp_event_set **sets,
                              uint32_t *count)
{
    VECTOR(struct csp_event_set) list;
    vector_init(&list, parser->arena->budget);
    enum status status;
    do {
        struct csp_event_set set = {0};
        status = STATUS_OK;
        if (parser_ahead(parser, 1)->kind == CSP_COLON) {
            status = parser_ranges(parser, &set.ranges, &set.range_count);
            if (status == STATUS_OK)
                status = parser_expect(parser, CSP_AT, "after the ranges");
        }
        if (status == STATUS_OK)
            status = (hidden ? parse_hidden_event : parser_event)(parser, &set.event);
        if (status == STATUS_OK && !vector_push(&list, set))
            status = STATUS_LIMIT;
    } while (status == STATUS_OK && parser_accept(parser, CSP_COMMA));
    if (status == STATUS_OK) {
        *count = (uint32_t)list.length;
        *sets = parser_allocate(parser, list.length * sizeof *list.items);
        if (*sets)
            memcpy(*sets, list.items, list.length * sizeof *list.items);
        else
            status = STATUS_LIMIT;
    }
    vector_release(&list);
    return status;
}

/* ---- prefixes ---- */

static enum status parse_prefix(struct parser *parser, struct csp_process **process);

/* The optional program, the arrow and what follows it. */
static enum status parse_continuation(struct parser *parser, struct csp_process *process)
{
    if (parser_at(parser, CSP_LEFT_BRACE))
        TRY(parser_block(parser, &process->program));
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
        TRY(parser_sum(parser, &(*process)->index));
        TRY(parser_expect(parser, CSP_RIGHT_BRACKET, "after the channel's index"));
    }
    if (parser_accept(parser, CSP_QUESTION)) {
        (*process)->kind = PROCESS_INPUT;
        if (parser_accept(parser, CSP_LEFT_BRACKET)) {
            TRY(parser_condition(parser, &(*process)->condition));
            TRY(parser_expect(parser, CSP_RIGHT_BRACKET, "after the guard"));
        }
    } else {
        TRY(parser_expect(parser, CSP_BANG, "after the channel"));
    }
    TRY(parser_expressions(parser, CSP_DOT, &(*process)->arguments, &(*process)->argument_count));
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
        TRY(parser_event(parser, &(*process)->event));
        return parse_continuation(parser, *process);
    }
    TRY(make(parser, PROCESS_REFERENCE, at, 0, process));
    TRY(parser_name(parser, NULL, &(*process)->name));
    if (parser_at(parser, CSP_LEFT_PAREN))
        return parser_arguments(parser, &(*process)->arguments, &(*process)->argument_count);
    return STATUS_OK;
}

/* ---- conditionals ---- */

static enum status parse_braced(struct parser *parser, struct csp_process **process)
{
    TRY(parser_expect(parser, CSP_LEFT_BRACE, "before the process"));
    TRY(parser_process(parser, process));
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
    TRY(parser_condition(parser, &(*process)->condition));
    TRY(parser_expect(parser, CSP_RIGHT_PAREN, "after the condition"));
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

static enum status parse_branch(struct parser *parser, parser_list *conditions,
                                parser_list *children)
{
    struct csp_expression *condition = NULL;
    struct csp_process *child = NULL;
    if (!parser_accept(parser, CSP_DEFAULT))
        TRY(parser_condition(parser, &condition));
    TRY(parser_expect(parser, CSP_COLON, "after the condition of a branch"));
    TRY(parser_process(parser, &child));
    return vector_push(conditions, condition) && vector_push(children, child) ? STATUS_OK
                                                                              : STATUS_LIMIT;
}

static enum status parse_case(struct parser *parser, struct csp_process **process)
{
    TRY(make(parser, PROCESS_CASE, parser_token(parser)->at, 0, process));
    parser->next++;
    TRY(parser_expect(parser, CSP_LEFT_BRACE, "after `case`"));
    parser_list conditions, children;
    vector_init(&conditions, parser->arena->budget);
    vector_init(&children, parser->arena->budget);
    enum status status = STATUS_OK;
    bool last = false;
    while (status == STATUS_OK && !last &&
           (children.length == 0 || !parser_at(parser, CSP_RIGHT_BRACE))) {
        last = parser_at(parser, CSP_DEFAULT);
        status = parse_branch(parser, &conditions, &children);
    }
    void **items = NULL, **guards = NULL;
    enum status taken = parser_take_list(parser, &conditions, &guards, &(*process)->count);
    enum status taken_children = parser_take_list(parser, &children, &items, &(*process)->count);
    (*process)->conditions = (struct csp_expression **)guards;
    (*process)->children = (struct csp_process **)items;
    TRY(status);
    TRY(taken);
    TRY(taken_children);
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
    TRY(parser_process(parser, process));
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
    TRY(parser_expression(parser, &(*process)->condition));
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
    TRY(parser_condition(parser, &(*process)->condition));
    TRY(parser_expect(parser, CSP_RIGHT_BRACKET, "after the guard"));
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

/* A process with several children from a list; one child stands for itself. */
static enum status make_composition(struct parser *parser, enum csp_process_kind kind, place at,
                                    parser_list *list, enum status status,
                                    struct csp_process **process)
{
    void **items = NULL;
    uint32_t count = 0;
    enum status taken = parser_take_list(parser, list, &items, &count);
    TRY(status);
    TRY(taken);
    if (count == 1) {
        *process = items[0];
        return STATUS_OK;
    }
    TRY(make(parser, kind, at, 0, process));
    (*process)->children = (struct csp_process **)items;
    (*process)->count = count;
    return STATUS_OK;
}

static enum status parse_sequence(struct parser *parser, struct csp_process **process)
{
    place at = parser_token(parser)->at;
    parser_list list;
    vector_init(&list, parser->arena->budget);
    enum status status;
    for (;;) {
        struct csp_process *child = NULL;
        status = parse_guard(parser, &child);
        if (status == STATUS_OK && !vector_push(&list, child))
            status = STATUS_LIMIT;
        if (status != STATUS_OK || !parser_at(parser, CSP_SEMICOLON) || ends_definition(parser))
            break;
        parser->next++;
    }
    return make_composition(parser, PROCESS_SEQUENCE, at, &list, status, process);
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
    TRY(parser_event_sets(parser, true, &(*process)->hidden, &(*process)->hidden_count));
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
        TRY(parser_expression(parser, &(*process)->condition));
    TRY(parser_expect(parser, CSP_RIGHT_BRACE, "after the number of copies"));
    TRY(parser_expect(parser, CSP_AT, "after the number of copies"));
    return parser_process(parser, &(*process)->children[0]);
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
    TRY(parser_ranges(parser, &(*process)->ranges, &(*process)->range_count));
    TRY(parser_expect(parser, CSP_AT, "after the ranges"));
    return parser_process(parser, &(*process)->children[0]);
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
    place at = parser_token(parser)->at;
    parser_list list;
    vector_init(&list, parser->arena->budget);
    enum status status;
    do {
        struct csp_process *child = NULL;
        status = parse_operand(parser, level - 1, &child);
        if (status == STATUS_OK && !vector_push(&list, child))
            status = STATUS_LIMIT;
    } while (status == STATUS_OK && parser_accept(parser, levels[level].token));
    return make_composition(parser, (enum csp_process_kind)levels[level].kind, at, &list, status,
                            process);
}

enum status parser_process(struct parser *parser, struct csp_process **process)
{
    TRY(parser_enter(parser));
    TRY(parse_level(parser, LEVEL_LOOSEST, process));
    parser_leave(parser);
    return STATUS_OK;
}
