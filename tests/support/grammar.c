#include "support/grammar.h"

#include <string.h>

static void expand(struct grammar *grammar, const char *from, const char *end);

/* The end of the alternative that begins at `from`; past nested ones. */
static const char *alternative_end(const char *from)
{
    unsigned depth = 0;
    for (;; from++) {
        if (from[0] != '$')
            continue;
        if (from[1] == '[')
            depth++;
        else if (from[1] == ']' && depth-- == 0)
            return from;
        else if (from[1] == '|' && depth == 0)
            return from;
    }
}

static const char *expand_alternatives(struct grammar *grammar, const char *from)
{
    uint32_t count = 1, chosen;
    const char *at = from;
    while (at = alternative_end(at), at[1] == '|') {
        count++;
        at += 2;
    }
    chosen = random_below(&grammar->random, count);
    for (uint32_t i = 0; i < chosen; i++)
        from = alternative_end(from) + 2;
    expand(grammar, from, alternative_end(from));
    return at + 2;
}

static void expand_point(struct grammar *grammar, const char *from, const char *end)
{
    uint32_t drawn = random_below(&grammar->random, 10);
    if (drawn == 0)
        return;
    text_append(grammar->out, "linearize");
    if (drawn > 2) {
        text_append_char(grammar->out, ' ');
        expand(grammar, from, end);
    }
    text_append(grammar->out, "; ");
}

static void expand(struct grammar *grammar, const char *from, const char *end)
{
    while (from < end) {
        if (*from != '$') {
            text_append_char(grammar->out, *from++);
            continue;
        }
        from += 2;
        if (from[-1] == '[') {
            from = expand_alternatives(grammar, from);
        } else if (from[-1] == '(') {
            const char *behind = strstr(from, "$)");
            expand_point(grammar, from, behind);
            from = behind + 2;
        } else if (from[-1] == '<') {
            const char *second = strstr(from, "$:"), *behind = strstr(from, "$>");
            expand(grammar, grammar->plain ? second + 2 : from, grammar->plain ? behind : second);
            from = behind + 2;
        } else if (from[-1] == 'A') {
            text_append(grammar->out, grammar->add);
        } else if (from[-1] == 'B') {
            text_append(grammar->out, grammar->take);
        } else if (from[-1] == '#') {
            text_format(grammar->out, "%u", grammar->number);
        } else if (random_below(&grammar->random, 100) < grammar->noise) {
            const char *noise =
                grammar->noises[random_below(&grammar->random, (uint32_t)grammar->noise_count)];
            grammar->number++;
            expand(grammar, noise, noise + strlen(noise));
        }
    }
}

void grammar_expand(struct grammar *grammar, const char *from)
{
    expand(grammar, from, from + strlen(from));
}

void grammar_break_lines(const char *from, struct text *text)
{
    unsigned depth = 0;
    for (; *from; from++) {
        text_append_char(text, *from);
        depth += *from == '(';
        depth -= *from == ')';
        if (depth == 0 && strchr(";{}", *from)) {
            text_append_char(text, '\n');
            while (from[1] == ' ')
                from++;
        }
    }
}

/* ---- shrinking ---- */

/* The text without the lines from `first` to before `end`, and without line `also`. */
static void without(const char *text, size_t first, size_t end, size_t also, struct text *out)
{
    for (size_t line = 0; *text; line++) {
        size_t length = strcspn(text, "\n") + 1;
        if ((line < first || line >= end) && line != also)
            text_append_bytes(out, text, length);
        text += length;
    }
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static bool try_without(struct text *text, size_t first, size_t end, size_t also,
                        grammar_keep *keep, void *context)
{
    struct text smaller = TEXT_EMPTY;
    without(text_string(text), first, end, also, &smaller);
    bool kept = keep(context, text_string(&smaller));
    if (kept) {
        text_clear(text);
        text_append(text, text_string(&smaller));
    }
    text_release(&smaller);
    return kept;
}

void grammar_shrink(struct text *text, grammar_keep *keep, void *context)
{
    for (bool smaller = true; smaller;) {
        smaller = false;
        size_t lines = count_lines(text_string(text));
        for (size_t size = lines / 2; size > 0 && !smaller; size--)
            for (size_t first = 0; first + size <= lines && !smaller; first++)
                smaller = try_without(text, first, first + size, SIZE_MAX, keep, context);
        for (size_t one = 0; one < lines && !smaller; one++) /* a brace and its partner */
            for (size_t other = one + 1; other < lines && !smaller; other++)
                smaller = try_without(text, one, one + 1, other, keep, context);
    }
}
