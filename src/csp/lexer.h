/* Tokens of CSP#, as PAT 3.5 accepts it. */
#ifndef CSP_LEXER_H
#define CSP_LEXER_H

#include "lang/lexer.h"

/* One row a token: name in the code, its letters. Keywords first. */
#define CSP_KEYWORDS(ROW)                                                                          \
    ROW(IMPORT, "import")                                                                          \
    ROW(INCLUDE, "include")                                                                        \
    ROW(ASSERT, "assert")                                                                          \
    ROW(DEFINE, "define")                                                                          \
    ROW(ALPHABET, "alphabet")                                                                      \
    ROW(ENUM, "enum")                                                                              \
    ROW(VAR, "var")                                                                                \
    ROW(HVAR, "hvar")                                                                              \
    ROW(CHANNEL, "channel")                                                                        \
    ROW(IF, "if")                                                                                  \
    ROW(IFA, "ifa")                                                                                \
    ROW(IFB, "ifb")                                                                                \
    ROW(ELSE, "else")                                                                              \
    ROW(CASE, "case")                                                                              \
    ROW(DEFAULT, "default")                                                                        \
    ROW(WHILE, "while")                                                                            \
    ROW(CALL, "call")                                                                              \
    ROW(NEW, "new")                                                                                \
    ROW(TAU, "tau")                                                                                \
    ROW(ATOMIC, "atomic")                                                                          \
    ROW(INTERRUPT, "interrupt")                                                                    \
    ROW(SKIP, "Skip")                                                                              \
    ROW(STOP, "Stop")                                                                              \
    ROW(TRUE, "true")                                                                              \
    ROW(FALSE, "false")                                                                            \
    ROW(XOR, "xor")                                                                                \
    ROW(DEADLOCKFREE, "deadlockfree")                                                              \
    ROW(NONTERMINATING, "nonterminating")                                                          \
    ROW(DIVERGENCEFREE, "divergencefree")                                                          \
    ROW(DETERMINISTIC, "deterministic")                                                            \
    ROW(REACHES, "reaches")                                                                        \
    ROW(REFINES, "refines")                                                                        \
    ROW(WITH, "with")                                                                              \
    ROW(MIN, "min")                                                                                \
    ROW(MAX, "max")

/* Longest first: the lexer takes the first row that matches. */
#define CSP_SIGNS(ROW)                                                                             \
    ROW(FAILURES_DIVERGENCES, "<FD>")                                                              \
    ROW(FAILURES, "<F>")                                                                           \
    ROW(EXTERNAL, "[*]")                                                                           \
    ROW(INTERLEAVE, "|||")                                                                         \
    ROW(EQUIVALENT, "<->")                                                                         \
    ROW(CHOICE, "[]")                                                                              \
    ROW(INTERNAL, "<>")                                                                            \
    ROW(BAR_BAR, "||")                                                                             \
    ROW(SATISFIES, "|=")                                                                           \
    ROW(ARROW, "->")                                                                               \
    ROW(AND_SLASH, "/\\")                                                                          \
    ROW(OR_SLASH, "\\/")                                                                           \
    ROW(DOT_DOT, "..")                                                                             \
    ROW(INCREMENT, "++")                                                                           \
    ROW(DECREMENT, "--")                                                                           \
    ROW(EQUAL, "==")                                                                               \
    ROW(NOT_EQUAL, "!=")                                                                           \
    ROW(LESS_EQUAL, "<=")                                                                          \
    ROW(GREATER_EQUAL, ">=")                                                                       \
    ROW(AND_AND, "&&")                                                                             \
    ROW(HASH, "#")                                                                                 \
    ROW(SEMICOLON, ";")                                                                            \
    ROW(COLON, ":")                                                                                \
    ROW(COMMA, ",")                                                                                \
    ROW(DOT, ".")                                                                                  \
    ROW(AT, "@")                                                                                   \
    ROW(LEFT_PAREN, "(")                                                                           \
    ROW(RIGHT_PAREN, ")")                                                                          \
    ROW(LEFT_BRACE, "{")                                                                           \
    ROW(RIGHT_BRACE, "}")                                                                          \
    ROW(LEFT_BRACKET, "[")                                                                         \
    ROW(RIGHT_BRACKET, "]")                                                                        \
    ROW(BACKSLASH, "\\")                                                                           \
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
    ROW(BANG, "!")                                                                                 \
    ROW(QUESTION, "?")                                                                             \
    ROW(DOLLAR, "$")

enum csp_token_kind {
    CSP_END = TOKEN_END,
    CSP_NAME = TOKEN_NAME,
    CSP_INTEGER = TOKEN_INTEGER,
    CSP_STRING = TOKEN_STRING,
    CSP_LAST_COMMON = TOKEN_LAST_COMMON, /* rows follow */
#define CSP_ENUM(name, letters) CSP_##name,
    CSP_KEYWORDS(CSP_ENUM) CSP_SIGNS(CSP_ENUM)
#undef CSP_ENUM
};

extern const struct dialect csp_dialect;

#endif
