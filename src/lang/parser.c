#include "lang/parser.h"

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
    char wanted[200];
    snprintf(wanted, sizeof wanted, "%s%s%s", token_kind_name(parser->dialect, kind),
             purpose ? " " : "", purpose ? purpose : "");
    return parser_complain(parser, wanted);
}

enum status parser_name(struct parser *parser, const char *purpose, const char **name)
{
    *name = parser_token(parser)->name;
    return parser_expect(parser, TOKEN_NAME, purpose);
}

void *parser_allocate(struct parser *parser, size_t size)
{
    void *block = arena_allocate(parser->arena, size);
    if (block)
        memset(block, 0, size);
    return block;
}

enum status parser_take_list(struct parser *parser, parser_list *list, void ***items,
                             uint32_t *count)
{
    size_t size = list->length * sizeof *list->items;
    *count = (uint32_t)list->length;
    *items = parser_allocate(parser, size);
    if (*items && size)
        memcpy(*items, list->items, size);
    vector_release(list);
    return *items ? STATUS_OK : STATUS_LIMIT;
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
