/* Tokens of `.lin`. Only what begins or joins statements and expressions is reserved; the words of
 * declarations (spec, op, shared, int, ...) are names, told by where they stand. */
#ifndef LIN_LEXER_H
#define LIN_LEXER_H

#include "lang/lexer.h"

#define LIN_KEYWORDS(ROW)                                                                          \
    ROW(IF, "if")                                                                                  \
    ROW(ELSE, "else")                                                                              \
    ROW(WHILE, "while")                                                                            \
    ROW(DO, "do")                                                                                  \
    ROW(FOR, "for")                                                                                \
    ROW(RETURN, "return")                                                                          \
    ROW(BREAK, "break")                                                                            \
    ROW(CONTINUE, "continue")                                                                      \
    ROW(ATOMIC, "atomic")                                                                          \
    ROW(AWAIT, "await")                                                                            \
    ROW(ASSUME, "assume")                                                                          \
    ROW(ASSERT, "assert")                                                                          \
    ROW(LINEARIZE, "linearize")                                                                    \
    ROW(PRINT, "print")                                                                            \
    ROW(EITHER, "either")                                                                          \
    ROW(CHOOSE, "choose")                                                                          \
    ROW(NEW, "new")                                                                                \
    ROW(IN, "in")                                                                                  \
    ROW(TRUE, "true")                                                                              \
    ROW(FALSE, "false")                                                                            \
    ROW(NULL, "null")

/* Longest first: the lexer takes the first row that matches. */
#define LIN_SIGNS(ROW)                                                                             \
    ROW(DOT_DOT, "..")                                                                             \
    ROW(ARROW, "->")                                                                               \
    ROW(DOUBLE_ARROW, "=>")                                                                        \
    ROW(INCREMENT, "++")                                                                           \
    ROW(DECREMENT, "--")                                                                           \
    ROW(ADD_ASSIGN, "+=")                                                                          \
    ROW(SUBTRACT_ASSIGN, "-=")                                                                     \
    ROW(MULTIPLY_ASSIGN, "*=")                                                                     \
    ROW(DIVIDE_ASSIGN, "/=")                                                                       \
    ROW(MODULO_ASSIGN, "%=")                                                                       \
    ROW(EQUAL, "==")                                                                               \
    ROW(NOT_EQUAL, "!=")                                                                           \
    ROW(LESS_EQUAL, "<=")                                                                          \
    ROW(GREATER_EQUAL, ">=")                                                                       \
    ROW(AND_AND, "&&")                                                                             \
    ROW(BAR_BAR, "||")                                                                             \
    ROW(SEMICOLON, ";")                                                                            \
    ROW(COLON, ":")                                                                                \
    ROW(COMMA, ",")                                                                                \
    ROW(DOT, ".")                                                                                  \
    ROW(HASH, "#")                                                                                 \
    ROW(QUESTION, "?")                                                                             \
    ROW(LEFT_PAREN, "(")                                                                           \
    ROW(RIGHT_PAREN, ")")                                                                          \
    ROW(LEFT_BRACE, "{")                                                                           \
    ROW(RIGHT_BRACE, "}")                                                                          \
    ROW(LEFT_BRACKET, "[")                                                                         \
    ROW(RIGHT_BRACKET, "]")                                                                        \
    ROW(ASSIGN, "=")                                                                               \
    ROW(LESS, "<")                                                                                 \
    ROW(GREATER, ">")                                                                              \
    ROW(PLUS, "+")                                                                                 \
    ROW(MINUS, "-")                                                                                \
    ROW(STAR, "*")                                                                                 \
    ROW(SLASH, "/")                                                                                \
    ROW(PERCENT, "%")                                                                              \
    ROW(AND, "&")                                                                                  \
    ROW(BAR, "|")                                                                                  \
    ROW(CARET, "^")                                                                                \
    ROW(BANG, "!")

enum lin_token_kind {
    LIN_END = TOKEN_END,
    LIN_NAME = TOKEN_NAME,
    LIN_INTEGER = TOKEN_INTEGER,
    LIN_STRING = TOKEN_STRING,
    LIN_LAST_COMMON = TOKEN_LAST_COMMON, /* rows follow */
#define LIN_ENUM(name, letters) LIN_##name,
    LIN_KEYWORDS(LIN_ENUM) LIN_SIGNS(LIN_ENUM)
#undef LIN_ENUM
};

extern const struct dialect lin_dialect;

#endif
