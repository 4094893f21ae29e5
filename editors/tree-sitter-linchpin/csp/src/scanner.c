/* The semicolon that ends a definition, not one between two processes: behind it the file ends, or
 * a declaration or definition begins. As `ends_definition` in src/csp/parser_process.c. */
#include <string.h>

#include "tree_sitter/parser.h"

enum {
    END
};

/* Longer words are neither keywords nor shown: only whether they are equal to one counts. */
#define MOST_LETTERS 15

static void advance(TSLexer *lexer)
{
    lexer->advance(lexer, false);
}

static bool is_letter(int32_t c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/* False: a `/` that begins no comment. */
static bool skip_comment(TSLexer *lexer)
{
    advance(lexer);
    if (lexer->lookahead == '/') {
        while (!lexer->eof(lexer) && lexer->lookahead != '\n')
            advance(lexer);
        return true;
    }
    if (lexer->lookahead != '*')
        return false;
    advance(lexer);
    for (bool star = false; !lexer->eof(lexer) && !(star && lexer->lookahead == '/');) {
        star = lexer->lookahead == '*';
        advance(lexer);
    }
    advance(lexer);
    return true;
}

/* White space and comments. */
static bool skip_blank(TSLexer *lexer)
{
    for (;;) {
        int32_t c = lexer->lookahead;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f')
            advance(lexer);
        else if (c != '/' || lexer->eof(lexer))
            return true;
        else if (!skip_comment(lexer))
            return false;
    }
}

/* `var`, `hvar`, `channel`, `enum` begin a declaration; another word may be what is defined. */
static bool word_declares(TSLexer *lexer)
{
    static const char *const words[] = {"var", "hvar", "channel", "enum"};
    char word[MOST_LETTERS + 1] = "";
    size_t length = 0;
    for (; is_letter(lexer->lookahead) || (lexer->lookahead >= '0' && lexer->lookahead <= '9');
         advance(lexer))
        if (length < MOST_LETTERS)
            word[length++] = (char)lexer->lookahead;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

/* `P =` or `P(...) =`, behind the name. */
static bool definition_follows(TSLexer *lexer)
{
    if (!skip_blank(lexer))
        return false;
    if (lexer->lookahead == '(') {
        unsigned open = 0;
        do {
            if (lexer->eof(lexer))
                return false;
            if (lexer->lookahead == '/') {
                (void)skip_comment(lexer);
                continue;
            }
            open += lexer->lookahead == '(';
            open -= lexer->lookahead == ')';
            advance(lexer);
        } while (open);
        if (!skip_blank(lexer))
            return false;
    }
    if (lexer->lookahead != '=')
        return false;
    advance(lexer);
    return lexer->lookahead != '=';
}

void *tree_sitter_csp_external_scanner_create(void)
{
    return NULL;
}

void tree_sitter_csp_external_scanner_destroy(void *payload)
{
    (void)payload;
}

unsigned tree_sitter_csp_external_scanner_serialize(void *payload, char *buffer)
{
    (void)payload;
    (void)buffer;
    return 0;
}

void tree_sitter_csp_external_scanner_deserialize(void *payload, const char *buffer,
                                                  unsigned length)
{
    (void)payload;
    (void)buffer;
    (void)length;
}

bool tree_sitter_csp_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid_symbols)
{
    (void)payload;
    if (!valid_symbols[END])
        return false;
    for (int32_t c = lexer->lookahead; c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f';
         c = lexer->lookahead)
        lexer->advance(lexer, true);
    if (lexer->lookahead != ';')
        return false;
    advance(lexer);
    lexer->mark_end(lexer);
    lexer->result_symbol = END;
    if (!skip_blank(lexer))
        return false;
    if (lexer->eof(lexer) || lexer->lookahead == '#')
        return true;
    return is_letter(lexer->lookahead) && (word_declares(lexer) || definition_follows(lexer));
}
