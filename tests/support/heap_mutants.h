/* Implementations of .lin with a mistake in them, made of right ones. */
#ifndef TESTS_SUPPORT_HEAP_MUTANTS_H
#define TESTS_SUPPORT_HEAP_MUTANTS_H

#include "base/random.h"
#include "base/text.h"

/* Appends the text with one change: a statement is left out, or exchanged with the next line's; a
 * variable or comparison is another one; a `cas` writes whatever is there, or what it compares
 * with; or what is tried again is tried once. A statement that may be changed begins its line. */
void heap_mutate(struct random *random, const char *text, struct text *mutant);

#endif
