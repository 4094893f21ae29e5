/* Tokens ahead, complaints, lists in the arena, and precedence climbing: after an operand, every
 * operator that binds at least as tightly as asked takes what binds tighter than itself on its
 * right. */
#include "lang/parser.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum status parser_start(struct parser *parser, const struct script *script,
                         const struct dialect *dialect, struct arena *arena, struct error *error)
{
    *parser = (struct parser){.script = script, .dialect = dialect, .arena = arena, .error = error};
    names_init(&parser->names, arena);
    vector_init(&parser->tokens.items, arena->budget);
    return tokenize(script, dialect, &parser->names, &parser->tokens, error);
}

void parser_release(struct parser *parser)
{
    vector_release(&parser->tokens.items);
    names_release(&parser->names);
}

const struct token *parser_ahead(const struct parser *parser, size_t ahead)
{
    size_t last = parser->tokens.items.length - 1;
    size_t at = parser->next + ahead;
    return &parser->tokens.items.items[at < last ? at : last];
}

place parser_last_end(const struct parser *parser)
{
    const struct token *last = &parser->tokens.items.items[parser->next - 1];
    return last->at + last->length + (last->kind == TOKEN_STRING); /* the closing quote */
}

bool parser_in_included(const struct parser *parser, place at)
{
    return script_part_at(parser->script, at) != parser->script->main;
}

bool parser_accept(struct parser *parser, unsigned kind)
{
    if (!parser_at(parser, kind))
        return false;
    if (kind != TOKEN_END)
        parser->next++;
    return true;
}

bool parser_at_word(const struct parser *parser, const char *word)
{
    const struct token *token = parser_token(parser);
    return token->kind == TOKEN_NAME && strcmp(token->name, word) == 0;
}

bool parser_at_any_word(const struct parser *parser, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (parser_at_word(parser, words[i]))
            return true;
    return false;
}

bool parser_accept_word(struct parser *parser, const char *word)
{
    bool is_there = parser_at_word(parser, word);
    parser->next += is_there;
    return is_there;
}

enum status parser_complain(struct parser *parser, const char *wanted)
{
    const struct token *token = parser_token(parser);
    const struct script *script = parser->script;
    if (token->kind == TOKEN_END)
        return script_error(script, token->at, parser->error,
                            "expected %s, found the end of the file", wanted);
    return script_error(script, token->at, parser->error, "expected %s, found `%.*s`", wanted,
                        token->length > 40 ? 40 : (int)token->length, script->text + token->at);
}

enum status parser_expect(struct parser *parser, unsigned kind, const char *purpose)
{
    if (parser_accept(parser, kind))
        return STATUS_OK;
    parser->lacked = kind;
    parser->lacked_at = parser->next;
    char wanted[200];
    snprintf(wanted, sizeof wanted, "%s%s%s", token_kind_name(parser->dialect, kind),
             purpose ? " " : "", purpose ? purpose : "");
    return parser_complain(parser, wanted);
}

bool parser_lacks(const struct parser *parser, unsigned kind)
{
    if (parser->lacked != kind || parser->lacked_at != parser->next || parser->next == 0)
        return false;
    for (place at = parser_last_end(parser); at < parser_token(parser)->at; at++)
        if (parser->script->text[at] == '\n')
            return true;
    return false;
}

enum status parser_close_condition(struct parser *parser, unsigned kind, unsigned assign,
                                   const char *purpose)
{
    return parser_at(parser, assign) ? parser_complain(parser, "`==`, which compares")
                                     : parser_expect(parser, kind, purpose);
}

enum status parser_name(struct parser *parser, const char *purpose, const char **name)
{
    *name = parser_token(parser)->name;
    return parser_expect(parser, TOKEN_NAME, purpose);
}

void *parser_allocate(struct parser *parser, size_t size)
{
    if (limits_look(parser->script->limits, &parser->steps))
        return NULL;
    void *block = arena_allocate(parser->arena, size);
    if (block)
        memset(block, 0, size);
    return block;
}

#define FIRST_ROOM 4 /* items; a power of two, as every room is */

void *parser_make_room(struct parser *parser, void *items, uint32_t count, size_t size)
{
    bool full = count < FIRST_ROOM ? count == 0 : (count & (count - 1)) == 0;
    if (!full)
        return items;
    size_t room = count ? (size_t)count * 2 : FIRST_ROOM;
    void *moved = arena_allocate(parser->arena, room * size);
    if (moved && count)
        memcpy(moved, items, count * size);
    return moved;
}

enum status parser_enter(struct parser *parser)
{
    if (parser->depth < PARSER_MAX_DEPTH) {
        parser->depth++;
        return STATUS_OK;
    }
    return script_error(parser->script, parser_token(parser)->at, parser->error,
                        "expected at most %d levels of nesting, found more", PARSER_MAX_DEPTH);
}

void parser_leave(struct parser *parser)
{
    parser->depth--;
}

enum status parser_check_height(struct parser *parser, unsigned height, place at)
{
    if (height <= PARSER_MAX_HEIGHT)
        return STATUS_OK;
    return script_error(parser->script, at, parser->error,
                        "expected at most %d operators in a row, found more", PARSER_MAX_HEIGHT);
}

enum status parser_climb(struct parser *parser, const struct parser_operators *operators,
                         unsigned lowest, void **tree)
{
    assert(lowest > 0); /* level 0 is that of what is no operator */
    TRY(operators->operand(parser, operators->context, tree));
    for (;;) {
        place at = parser_token(parser)->at;
        struct parser_operator found = operators->find(parser);
        if (found.level < lowest)
            return STATUS_OK;
        parser->next += found.tokens;
        void *right = NULL;
        if (found.goes_right) /* as deep as the chain is long; else no deeper than there are levels
                               */
            TRY(parser_enter(parser));
        TRY(parser_climb(parser, operators, found.level + !found.goes_right, &right));
        if (found.goes_right)
            parser_leave(parser);
        TRY(operators->join(parser, found, at, tree, right));
    }
}
