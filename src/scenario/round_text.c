#include "scenario/round_text.h"

#include <stdio.h>
#include <string.h>

#include "base/attributes.h"

enum {
    PROCESSES = 4096, /* of a round that is changed, at most */
    PROCESS_STEP = 64 /* operations of a thread, at most, that are of different processes */
};

struct line {
    const char *text;
    size_t length; /* with its end */
    unsigned process;
    char type[8]; /* empty: an annotation */
};

/* The next line from *at on, and *at behind it; false at the end. */
static bool next_line(const char **at, const char *end, struct line *line)
{
    if (*at >= end)
        return false;
    const char *last = memchr(*at, '\n', (size_t)(end - *at));
    line->text = *at;
    line->length = (size_t)((last ? last + 1 : end) - *at);
    if (sscanf(*at, "{\"process\": %u, \"type\": \"%7[a-z]\"", &line->process, line->type) != 2)
        line->type[0] = 0;
    *at += line->length;
    return true;
}

static void append_line(const struct line *line, struct text *text)
{
    text_append_bytes(text, line->text, line->length);
}

/* The operation stays open, so that what its thread calls next is of another process. */
bool round_with_failures_open(const char *history, size_t length, unsigned threads,
                              struct text *text)
{
    unsigned failed[PROCESSES] = {0};
    struct line line;
    bool any = false;
    for (const char *at = history; next_line(&at, history + length, &line);) {
        const char *rest = line.type[0] ? memchr(line.text, ',', line.length) : NULL;
        if (!rest || line.process >= PROCESSES)
            append_line(&line, text);
        else if (strcmp(line.type, "fail") == 0) {
            failed[line.process]++;
            any = true;
        } else {
            text_format(text, "{\"process\": %u",
                        line.process + failed[line.process] * threads * PROCESS_STEP);
            text_append_bytes(text, rest, (size_t)(line.text + line.length - rest));
        }
    }
    return any;
}

/* Whether a line, which ends at `at`, calls an operation that has not returned. */
static bool is_open(const struct line *line, const char *at, const char *end)
{
    struct line other;
    bool open = strcmp(line->type, "invoke") == 0;
    while (open && next_line(&at, end, &other))
        open = !(other.type[0] && other.process == line->process);
    return open;
}

/* The line that calls the `number`th operation that has not returned. */
static bool find_waiting(const char *history, size_t length, unsigned number, struct line *found)
{
    for (const char *at = history; next_line(&at, history + length, found);)
        if (is_open(found, at, history + length) && number-- == 0)
            return true;
    return false;
}

/* `type` of the operation that a line calls, at the time of the line `last`. */
static void append_at_end(const struct line *call, const char *type, const char *prefix,
                          const struct line *last, struct text *text, struct text *name)
{
    static const char operation[] = "\"f\": \"",
                      value[] = "\", \"value\": ", time[] = ", \"time\": ";
    const char *f = memmem(call->text, call->length, operation, strlen(operation));
    const char *v = memmem(call->text, call->length, value, strlen(value));
    const char *t = memmem(call->text, call->length, time, strlen(time));
    const char *now = memmem(last->text, last->length, time, strlen(time));
    bool invokes = strcmp(type, "invoke") == 0;
    if (!f || !v || !t || !now)
        return;
    f += strlen(operation);
    if (invokes)
        text_append_bytes(name, f, (size_t)(v - f));
    text_format(text, "{\"process\": %u, \"type\": \"%s\", \"f\": \"%s", call->process, type,
                prefix);
    text_append_bytes(text, f, (size_t)(v + strlen(value) - f));
    if (invokes)
        text_append_bytes(text, v + strlen(value), (size_t)(t - v) - strlen(value));
    else
        text_append(text, "null");
    text_append_bytes(text, now, (size_t)(last->text + last->length - now));
}

bool round_with_waiting_last(const char *history, size_t length, unsigned number,
                             const char *prefix, struct text *text, struct text *name,
                             unsigned *process)
{
    struct line waiting, line;
    if (!find_waiting(history, length, number, &waiting))
        return false;
    *process = waiting.process;
    for (const char *at = history; next_line(&at, history + length, &line);)
        if (line.text != waiting.text)
            append_line(&line, text);
    append_at_end(&waiting, "invoke", prefix, &line, text, name);
    append_at_end(&waiting, "ok", prefix, &line, text, name);
    return true;
}

void round_with_all_waiting_last(const char *history, size_t length, const char *prefix,
                                 struct text *text)
{
    const char *end = history + length;
    struct text unused = TEXT_EMPTY;
    struct line line = {0}, last;
    for (const char *at = history; next_line(&at, end, &line);)
        if (!is_open(&line, at, end))
            append_line(&line, text);
    last = line;
    for (const char *at = history; next_line(&at, end, &line);)
        if (is_open(&line, at, end)) {
            append_at_end(&line, "invoke", prefix, &last, text, &unused);
            append_at_end(&line, "ok", prefix, &last, text, &unused);
        }
    text_release(&unused);
}
