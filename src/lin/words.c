#include "lin/words.h"

#include <string.h>

#include "value/print.h"

void lin_words_init(struct lin_words *words, struct arena *arena)
{
    words->arena = arena;
    vector_init(&words->texts, arena->budget);
    pthread_mutex_init(&words->lock, NULL);
}

void lin_words_release(struct lin_words *words)
{
    vector_release(&words->texts);
    pthread_mutex_destroy(&words->lock);
}

bool lin_word_of_text(struct lin_words *words, const char *text, uint32_t *word)
{
    uint32_t number = 0;
    *word = LIN_WORD_NULL;
    if (strcmp(text, "ok") == 0 || strcmp(text, "empty") == 0)
        return true;
    while (number < words->texts.length && strcmp(words->texts.items[number], text) != 0)
        number++;
    *word = LIN_WORD_TEXT + number;
    if (number < words->texts.length)
        return true;
    const char *copy = arena_copy_text(words->arena, text, strlen(text));
    return copy && !lin_word_is_number(*word) && vector_push(&words->texts, copy);
}

bool lin_word_of_value(struct lin_words *words, value v, uint32_t *word)
{
    int64_t integer;
    *word = v == VALUE_TRUE ? 1 : v == VALUE_FALSE ? 0 : LIN_WORD_NULL;
    if (v == VALUE_NIL || v == VALUE_TRUE || v == VALUE_FALSE)
        return true;
    if (value_get_integer(v, &integer) && integer >= LIN_WORD_LEAST && integer <= INT32_MAX) {
        *word = (uint32_t)integer;
        return true;
    }
    struct text text = TEXT_EMPTY;
    if (value_kind_of(v) == KIND_SYMBOL)
        text_append(&text, value_get_text(v, NULL));
    else
        value_print_edn(v, &text);
    bool known = lin_word_of_text(words, text_string(&text), word);
    text_release(&text);
    return known;
}

value lin_word_value(const struct lin_words *words, uint32_t word, struct value_pool *pool)
{
    if (lin_word_is_number(word))
        return value_small((int32_t)word);
    if (word == LIN_WORD_NULL)
        return VALUE_NIL;
    if (word < LIN_WORD_TEXT)
        return value_boolean(word == LIN_WORD_TRUE);
    const char *text = words->texts.items[word - LIN_WORD_TEXT];
    return value_text(pool, KIND_SYMBOL, text, strlen(text));
}

void lin_word_print(const struct lin_words *words, uint32_t word, struct text *text)
{
    if (lin_word_is_number(word))
        text_format(text, "%d", (int32_t)word);
    else
        text_append(text,
                    word == LIN_WORD_NULL ? "null" : words->texts.items[word - LIN_WORD_TEXT]);
}
