#include "history/tla.h"

#include <ctype.h>
#include <string.h>

#include "base/attributes.h"

static bool starts(const struct tla_lexer *lexer, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(lexer->end - lexer->at) >= length && !memcmp(lexer->at, word, length);
}

/* Skips white space and comments; false at a comment that does not end. */
static bool skip_blank(struct tla_lexer *lexer)
{
    unsigned nested = 0;
    while (lexer->at < lexer->end) {
        if (*lexer->at == '\n') {
            lexer->line++;
            lexer->at++;
        } else if (starts(lexer, "(*")) {
            nested++;
            lexer->at += 2;
        } else if (nested && starts(lexer, "*)")) {
            nested--;
            lexer->at += 2;
        } else if (nested || isspace((unsigned char)*lexer->at)) {
            lexer->at++;
        } else if (starts(lexer, "\\*")) {
            const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
            lexer->at = newline ? newline : lexer->end;
        } else {
            return true;
        }
    }
    return nested == 0;
}

static enum tla_token_kind lex_text(struct tla_lexer *lexer)
{
    while (++lexer->at < lexer->end && *lexer->at != '\n') {
        if (*lexer->at == '"') {
            lexer->at++;
            return TLA_TEXT;
        }
        if (*lexer->at == '\\' && lexer->at + 1 < lexer->end && lexer->at[1] != '\n')
            lexer->at++;
    }
    return TLA_BROKEN_TEXT;
}

static bool is_name_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_';
}

static enum tla_token_kind lex_word(struct tla_lexer *lexer)
{
    bool number = true;
    for (; lexer->at < lexer->end && is_name_byte(*lexer->at); lexer->at++)
        number &= isdigit((unsigned char)*lexer->at) != 0;
    return number ? TLA_NUMBER : TLA_NAME;
}

static enum tla_token_kind lex_sign(struct tla_lexer *lexer)
{
    static const struct {
        const char *spelling;
        enum tla_token_kind kind;
    } signs[] = {{"<<", TLA_OPEN}, {">>", TLA_CLOSE}, {"|->", TLA_MAPS}};
    for (size_t i = 0; i < ARRAY_LENGTH(signs); i++) {
        if (starts(lexer, signs[i].spelling)) {
            lexer->at += strlen(signs[i].spelling);
            return signs[i].kind;
        }
    }
    char first = *lexer->at++;
    if (first != '=')
        return TLA_OTHER;
    size_t row = 1;
    for (; lexer->at < lexer->end && *lexer->at == '='; lexer->at++)
        row++;
    return row == 2 ? TLA_DEFINE : TLA_OTHER;
}

struct tla_token tla_lex(struct tla_lexer *lexer)
{
    bool closed = skip_blank(lexer);
    struct tla_token token = {.line = lexer->line, .start = lexer->at};
    if (!closed)
        token.kind = TLA_BROKEN_COMMENT;
    else if (lexer->at == lexer->end)
        token.kind = TLA_END;
    else if (*lexer->at == '"')
        token.kind = lex_text(lexer);
    else if (is_name_byte(*lexer->at))
        token.kind = lex_word(lexer);
    else
        token.kind = lex_sign(lexer);
    token.length = (size_t)(lexer->at - token.start);
    return token;
}

bool tla_is_sign(const struct tla_token *token, char sign)
{
    return token->kind == TLA_OTHER && token->length == 1 && *token->start == sign;
}

bool tla_is_word(const struct tla_token *token, const char *word)
{
    return token->length == strlen(word) && !memcmp(token->start, word, token->length);
}
