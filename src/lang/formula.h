/* The syntax tree of a formula of linear temporal logic, whatever language it is written in: what
 * the languages differ in is their atoms. Nodes live in the parser's arena. */
#ifndef LANG_FORMULA_H
#define LANG_FORMULA_H

#include "lang/script.h"

struct parser;

enum formula_kind {
    FORMULA_TRUE,
    FORMULA_FALSE,
    FORMULA_ATOM,
    FORMULA_NOT,
    FORMULA_NEXT,
    FORMULA_ALWAYS,
    FORMULA_EVENTUALLY,
    FORMULA_UNTIL,
    FORMULA_RELEASE,
    FORMULA_WEAK_UNTIL, /* not in CSP# */
    FORMULA_AND,
    FORMULA_OR,
    FORMULA_XOR,
    FORMULA_IMPLIES,
    FORMULA_EQUIVALENT,
};

struct formula {
    uint8_t kind;                 /* enum formula_kind */
    uint8_t number;               /* of an atom, from formula_number_atoms */
    uint16_t height;              /* of the tree: 0 of an atom */
    place at, end;                /* `end` of atoms only: behind the text */
    const void *atom;             /* in its language: a struct csp_atom or lin_atom */
    struct formula *left, *right; /* `left` alone for the unary ones */
};

/* A node over these operands, of which a unary operator has `left` only, and a constant none.
 * STATUS_INPUT: the tree is too high. */
enum status formula_make(struct parser *parser, enum formula_kind kind, place at,
                         struct formula *left, struct formula *right,
                         struct formula **formula) MUST_CHECK;

/* A node for the atom that begins at this place and ends with the last token that was taken. */
enum status formula_make_atom(struct parser *parser, place at, const void *atom,
                              struct formula **formula) MUST_CHECK;

/* Finds the number of an atom, 0 to 255: the same for atoms that mean the same. */
typedef enum status formula_number_atom(void *context, const struct formula *atom, unsigned *number,
                                        struct error *error);

/* Numbers the atoms from left to right; errors of `number_of` are forwarded. */
enum status formula_number_atoms(struct formula *formula, formula_number_atom *number_of,
                                 void *context, struct error *error) MUST_CHECK;

#endif
