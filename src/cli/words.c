/* The command that a user can give to see a violation again. */
#include "cli/words.h"

#include <string.h>

void words_append_word(const char *word, struct text *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_-+=:,./@%#";
    text_append_char(text, ' ');
    if (*word && !word[strspn(word, plain)] && *word != '#') {
        text_append(text, word);
        return;
    }
    text_append_char(text, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            text_append(text, "'\\''");
        else
            text_append_char(text, *word);
    }
    text_append_char(text, '\'');
}

static void append_option(const char *name, const char *argument, struct text *text)
{
    if (argument) {
        text_format(text, " --%s", name);
        words_append_word(argument, text);
    }
}

void words_append_replay(const struct options *options, const char *input, struct text *text)
{
    if (options->trace && options->operand_count == 1) {
        text_append(text, "linchpin replay");
        words_append_word(options->trace, text);
        return;
    }
    text_append(text, "linchpin check");
    for (size_t i = 0; i < options->spec_count; i++)
        append_option("spec", options->specs[i], text);
    append_option("initial", options->initial, text);
    append_option("method", options->method, text);
    append_option("format", options->format, text);
    append_option("results", options->results, text);
    append_option("order", options->order, text);
    text_append(text, options->independent ? " --independent" : "");
    text_append(text, options->owned ? " --owned" : "");
    text_append(text, options->knossos_nil ? " --knossos-nil" : "");
    text_append(text, " --trace trace.json");
    words_append_word(input, text);
    text_append(text, "\nlinchpin replay trace.json");
}

void words_append_model_replay(const struct options *options, const char *assertion, bool kept,
                               struct text *text)
{
    text_append(text, "linchpin ");
    if (kept && options->trace) {
        text_append(text, "replay");
        words_append_word(options->trace, text);
        return;
    }
    text_append(text, "verify");
    append_option("reduce", options->reduce, text);
    append_option("search", options->search, text);
    text_append(text, options->bitstate ? " --bitstate" : options->swarm ? " --swarm" : "");
    append_option("method", options->method, text);
    append_option("fairness", options->fairness, text);
    text_append(text, " --trace trace.json");
    words_append_word(assertion, text);
    text_append(text, "\nlinchpin replay trace.json");
}

void words_append_net_replay(const struct options *options, const char *net, struct text *text)
{
    bool kept = options->trace && options->operand_count == 1;
    text_append(text, kept ? "linchpin replay" : "linchpin cover --trace trace.json");
    words_append_word(kept ? options->trace : net, text);
    text_append(text, kept ? "" : "\nlinchpin replay trace.json");
}

void words_append_test(const struct test_words *words, struct text *text)
{
    text_append(text, "linchpin test");
    append_option("test", words->test, text);
    if (strcmp(words->memory_model, "rc11") != 0)
        append_option("memory-model", words->memory_model, text);
    append_option("races", words->races, text);
    append_option("scenario", words->scenario, text);
    append_option("schedule", words->schedule, text);
    for (size_t i = 0; i < words->source_count; i++)
        words_append_word(words->sources[i], text);
    text_append(text, words->flag_count ? " --" : "");
    for (size_t i = 0; i < words->flag_count; i++)
        words_append_word(words->flags[i], text);
}
