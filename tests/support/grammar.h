/* Random program texts from a grammar, and making such a text smaller line by line.
 *
 * `$[a$|b$|c$]` is one of the alternatives, at random; `$N` is a step or two that are not the
 * object's business, or nothing; `$(e$)` is a linearization point that answers e, or leaves it
 * open, or none; `$#` is a number that no other name in the operation has (the same until the next
 * `$N`); `$A` and `$B` are names that the caller chooses. `$<a$:b$>` are two ways to say one thing,
 * without
 * `$[` or `$N`: a, or b where `plain`. Memory is plain malloc and never refused.
 */
#ifndef TESTS_SUPPORT_GRAMMAR_H
#define TESTS_SUPPORT_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/random.h"
#include "base/text.h"

struct grammar {
    struct random random;
    struct text *out;
    const char *add, *take;    /* $A, $B */
    const char *const *noises; /* $N is one of them */
    size_t noise_count;
    unsigned noise;  /* percent of all $N that are not nothing */
    unsigned number; /* $#; counts up, from 0 */
    bool plain;      /* the second of $<a$:b$> */
};

/* Appends a text of the grammar to `out`. */
void grammar_expand(struct grammar *grammar, const char *from);

/* Appends the program with a line after each statement and brace. */
void grammar_break_lines(const char *program, struct text *text);

/* Whether a smaller text still shows what is looked for. */
typedef bool grammar_keep(void *context, const char *text);

/* Takes lines away, and braces with what stands before them, while `keep` lets it. */
void grammar_shrink(struct text *text, grammar_keep *keep, void *context);

#endif
