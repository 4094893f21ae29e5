/* What operations answer, as words of 32 bits: for programs that use an object, whichever side it
 * is on. A number stands for itself, true and false are 1 and 0, and whatever else there is (a
 * symbol, a list) is known by its text. `ok` and `empty` are null. */
#ifndef LIN_WORDS_H
#define LIN_WORDS_H

#include <pthread.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/vector.h"
#include "value/value.h"

#define LIN_WORD_NULL  ((uint32_t)INT32_MIN)
#define LIN_WORD_FALSE ((uint32_t)INT32_MIN + 1) /* only on its way to a specification */
#define LIN_WORD_TRUE  ((uint32_t)INT32_MIN + 2)
#define LIN_WORD_TEXT  ((uint32_t)INT32_MIN + 3) /* the first text */
#define LIN_WORD_LEAST (INT32_MIN + (1 << 20))   /* the least number */

/* Texts by number. Who uses them holds the lock, which also guards the specification that programs
 * on both sides use, its states and its values: several workers may take steps at the same time. */
struct lin_words {
    struct arena *arena; /* not owned; the texts live in it */
    VECTOR(const char *) texts;
    pthread_mutex_t lock;
};

void lin_words_init(struct lin_words *words, struct arena *arena);
void lin_words_release(struct lin_words *words);

/* Whether a word is a number. */
static inline bool lin_word_is_number(uint32_t word)
{
    return (int32_t)word >= LIN_WORD_LEAST;
}

/* The word of a symbol. False when refused. */
bool lin_word_of_text(struct lin_words *words, const char *text, uint32_t *word) MUST_CHECK;
/* The word of an answer. False when refused. */
bool lin_word_of_value(struct lin_words *words, value v, uint32_t *word) MUST_CHECK;
/* The value that a word stands for; VALUE_REFUSED. */
value lin_word_value(const struct lin_words *words, uint32_t word, struct value_pool *pool);

/* Appends the word for people: `7`, `null`, `full`. */
void lin_word_print(const struct lin_words *words, uint32_t word, struct text *text);

#endif
