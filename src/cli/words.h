/* Writes the command that a user can type to see a violation again. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include "base/text.h"
#include "cli/options.h"

/* Appends the commands, one on each line and quoted for a shell, that step through the first
 * violation of `input`: where no trace was asked for, one that makes the trace first. */
void words_append_replay(const struct options *options, const char *input, struct text *text);

/* The same for an assertion, "FILE:LINE"; `kept`: it is the one in the trace that was asked for. */
void words_append_model_replay(const struct options *options, const char *assertion, bool kept,
                               struct text *text);

/* The same for a net. */
void words_append_net_replay(const struct options *options, const char *net, struct text *text);

/* Appends a blank and a word, quoted for a shell where it must be. */
void words_append_word(const char *word, struct text *text);

/* What runs an execution of real code again. */
struct test_words {
    const char *test, *memory_model, *scenario, *schedule;
    const char *races; /* null: as ever */
    const char *const *sources, *const *flags;
    size_t source_count, flag_count;
};
void words_append_test(const struct test_words *words, struct text *text);

#endif
