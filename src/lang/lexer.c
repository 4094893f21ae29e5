/* One pass over the bytes of a file, longest sign first. A file that is included is cut where its
 * directive stands. */
#include "lang/lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

void names_init(struct names *names, struct arena *arena)
{
    names->arena = arena;
    vector_init(&names->items, arena->budget);
    table_init(&names->numbers, arena->budget);
}

const char *names_intern(struct names *names, const char *letters, size_t length)
{
    uint64_t hash = hash_bytes(letters, length, 0);
    for (struct table_search search = table_search(&names->numbers, hash); table_next(&search);) {
        const char *name = names->items.items[search.number];
        if (strncmp(name, letters, length) == 0 && !name[length])
            return name;
    }
    uint32_t number = (uint32_t)names->items.length;
    const char *copy = arena_copy_text(names->arena, letters, length);
    if (!copy || !vector_push(&names->items, copy) || !table_add(&names->numbers, hash, number))
        return NULL;
    return copy;
}

void names_release(struct names *names)
{
    vector_release(&names->items);
    table_release(&names->numbers);
}

struct lexer {
    const struct script *script;
    const struct dialect *dialect;
    struct names *names;
    place at, end;
    uint32_t steps; /* since the limits of the script were looked at */
    struct error *error;
};

static char peek(const struct lexer *lexer, place ahead)
{
    size_t at = (size_t)lexer->at + ahead;
    return at < lexer->end ? lexer->script->text[at] : 0;
}

/* Skips white space and comments; `*any` says whether there was some. */
static enum status skip_blank(struct lexer *lexer, bool *any)
{
    place start = lexer->at;
    for (;;) {
        char c = peek(lexer, 0);
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f') {
            lexer->at++;
        } else if (c == '/' && peek(lexer, 1) == '/') {
            while (lexer->at < lexer->end && peek(lexer, 0) != '\n')
                lexer->at++;
        } else if (c == '/' && peek(lexer, 1) == '*') {
            const char *end = strstr(lexer->script->text + lexer->at + 2, "*/");
            if (!end)
                return script_error(lexer->script, lexer->at, lexer->error,
                                    "expected `*/`, found the end of the file: this comment is "
                                    "not closed");
            lexer->at = (place)(end + 2 - lexer->script->text);
        } else {
            *any = lexer->at > start;
            return STATUS_OK;
        }
    }
}

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static enum status lex_word(struct lexer *lexer, struct token *token)
{
    const char *letters = lexer->script->text + lexer->at;
    while (is_letter(peek(lexer, token->length)) ||
           isdigit((unsigned char)peek(lexer, token->length)))
        token->length++;
    token->kind = TOKEN_NAME;
    const struct dialect *dialect = lexer->dialect;
    for (size_t i = 0; i < dialect->keyword_count; i++)
        if (dialect->keywords[i].length == token->length &&
            memcmp(dialect->keywords[i].letters, letters, token->length) == 0)
            token->kind = dialect->keywords[i].kind;
    /* Keywords keep their letters too: the atoms of a formula may be spelt like one. */
    token->name = names_intern(lexer->names, letters, token->length);
    return granted(token->name);
}

static enum status lex_integer(struct lexer *lexer, struct token *token)
{
    int64_t number = 0;
    for (char c; isdigit((unsigned char)(c = peek(lexer, token->length))); token->length++) {
        number = number * 10 + (c - '0');
        if (number > INT32_MAX)
            return script_error(lexer->script, lexer->at, lexer->error,
                                "expected an integer of at most %d, found a larger one (the least "
                                "is -2147483647 - 1)",
                                INT32_MAX);
    }
    token->kind = TOKEN_INTEGER;
    token->integer = (int32_t)number;
    return STATUS_OK;
}

static enum status lex_string(struct lexer *lexer, struct token *token)
{
    const char *start = lexer->script->text + lexer->at + 1;
    size_t length = strcspn(start, "\"");
    if (start[length] != '"')
        return script_error(lexer->script, lexer->at, lexer->error,
                            "expected `\"`, found the end of the file: this string is not closed");
    token->kind = TOKEN_STRING;
    token->at++;
    token->length = (uint32_t)length;
    token->name = names_intern(lexer->names, start, length);
    lexer->at += 2; /* the quotes */
    return granted(token->name);
}

static enum status lex_sign(struct lexer *lexer, struct token *token)
{
    const char *letters = lexer->script->text + lexer->at;
    for (size_t i = 0; i < lexer->dialect->sign_count; i++) {
        const struct spelling *sign = &lexer->dialect->signs[i];
        if (*letters == *sign->letters && strncmp(letters, sign->letters, sign->length) == 0) {
            token->kind = sign->kind;
            token->length = sign->length;
            return STATUS_OK;
        }
    }
    unsigned char c = (unsigned char)*letters;
    if (isprint(c))
        return script_error(lexer->script, lexer->at, lexer->error,
                            "expected a token of %s, found the character `%c`",
                            lexer->dialect->name, c);
    return script_error(lexer->script, lexer->at, lexer->error,
                        "expected a token of %s, found the byte 0x%02x", lexer->dialect->name, c);
}

static enum status tokenize_part(struct lexer *lexer, uint32_t part, struct tokens *tokens);

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), most = ending ? strlen(ending) : 0;
    return ending && length >= most && strcmp(name + length - most, ending) == 0;
}

/* After `#include "FILE"`, or an `#import` of a file: replaces the three tokens by those of the
 * file, whose text the script has; a semicolon may follow. Files of another dialect are left to the
 * parser, as is what `#import` names besides files. */
static enum status splice(struct lexer *lexer, struct tokens *tokens)
{
    size_t count = tokens->items.length;
    const struct token *last = &tokens->items.items[count - 1];
    if (last->kind != TOKEN_STRING || count < 3)
        return STATUS_OK;
    const struct token *word = last - 1, *hash = last - 2;
    bool import = lexer->dialect->imports && word->name && strcmp(word->name, "import") == 0;
    if (!word->name || (!import && strcmp(word->name, "include") != 0) || hash->length != 1 ||
        lexer->script->text[hash->at] != '#')
        return STATUS_OK;
    uint32_t part = script_find_part(lexer->script, last->at);
    if (import && part == UINT32_MAX)
        return STATUS_OK;
    if (ends_with(import ? lexer->script->parts[part].name : last->name, lexer->dialect->foreign))
        return STATUS_OK;
    if (part == UINT32_MAX)
        return script_unread(lexer->script, last->at, lexer->error);
    tokens->items.length -= 3;
    bool blank;
    TRY(skip_blank(lexer, &blank));
    if (peek(lexer, 0) == ';')
        lexer->at++;
    struct lexer inner = *lexer;
    return tokenize_part(&inner, part, tokens);
}

/* The tokens of one file, without the end. */
static enum status tokenize_part(struct lexer *lexer, uint32_t part, struct tokens *tokens)
{
    lexer->at = lexer->script->parts[part].start;
    lexer->end = lexer->script->parts[part].end;
    for (;;) {
        bool blank = false;
        TRY(skip_blank(lexer, &blank));
        struct token token = {.attached = !blank, .at = lexer->at};
        char c = peek(lexer, 0);
        if (lexer->at >= lexer->end)
            return STATUS_OK;
        if (is_letter(c))
            TRY(lex_word(lexer, &token));
        else if (isdigit((unsigned char)c))
            TRY(lex_integer(lexer, &token));
        else if (c == '"')
            TRY(lex_string(lexer, &token));
        else
            TRY(lex_sign(lexer, &token));
        lexer->at += token.length;
        TRY_MEMORY(!limits_look(lexer->script->limits, &lexer->steps) &&
                   vector_push(&tokens->items, token));
        TRY(splice(lexer, tokens));
    }
}

enum status tokenize(const struct script *script, const struct dialect *dialect,
                     struct names *names, struct tokens *tokens, struct error *error)
{
    struct lexer lexer = {.script = script, .dialect = dialect, .names = names, .error = error};
    TRY(tokenize_part(&lexer, script->main, tokens));
    struct token end = {.kind = TOKEN_END, .at = lexer.at};
    return granted(vector_push(&tokens->items, end));
}

const char *token_kind_name(const struct dialect *dialect, unsigned kind)
{
    static const char *const common[] = {
        [TOKEN_END] = "the end of the file",
        [TOKEN_NAME] = "a name",
        [TOKEN_INTEGER] = "an integer",
        [TOKEN_STRING] = "a string",
    };
    if (kind < ARRAY_LENGTH(common))
        return common[kind];
    for (size_t i = 0; i < dialect->keyword_count; i++)
        if (dialect->keywords[i].kind == kind)
            return dialect->keywords[i].quoted;
    for (size_t i = 0; i < dialect->sign_count; i++)
        if (dialect->signs[i].kind == kind)
            return dialect->signs[i].quoted;
    return "a token";
}
