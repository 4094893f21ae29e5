/* Parts that own their intervals: made from a line of text, printed as one, renumbered. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/generate.h"
#include "value/print.h"

void sample_release(struct sample *sample)
{
    free(sample->intervals);
    *sample = (struct sample){0};
}

void sample_reserve(struct sample *sample, uint32_t count)
{
    if (count > sample->capacity) {
        sample->capacity = count;
        sample->intervals = realloc(sample->intervals, count * sizeof *sample->intervals);
    }
    sample->part.intervals = sample->intervals;
}

void sample_start(struct sample *sample, const struct subject *subject, uint32_t count)
{
    sample_reserve(sample, count);
    sample->part = (struct part){.spec = subject->spec,
                                 .key = subject->key,
                                 .has_key = subject->has_key,
                                 .object = NO_OBJECT,
                                 .intervals = sample->intervals};
}

void sample_copy_part(struct sample *to, const struct part *from)
{
    sample_reserve(to, from->count);
    to->part = *from;
    to->part.intervals = to->intervals;
    if (from->count)
        memcpy(to->intervals, from->intervals, from->count * sizeof *to->intervals);
}

struct moment {
    uint32_t position, interval;
    bool response;
};

static int moment_compare(const void *first, const void *second)
{
    const struct moment *a = first, *b = second;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    if (a->response != b->response)
        return a->response ? 1 : -1;
    return a->interval < b->interval ? -1 : a->interval > b->interval;
}

static int interval_compare(const void *first, const void *second)
{
    const struct interval *a = first, *b = second;
    return a->invoke < b->invoke ? -1 : a->invoke > b->invoke;
}

void sample_renumber(struct sample *sample)
{
    struct part *part = &sample->part;
    struct moment *moments = calloc(2 * (size_t)part->count + 1, sizeof *moments);
    uint32_t count = 0;
    part->pending = 0;
    for (uint32_t i = 0; i < part->count; i++) {
        moments[count++] = (struct moment){sample->intervals[i].invoke, i, false};
        if (sample->intervals[i].response != POSITION_NEVER)
            moments[count++] = (struct moment){sample->intervals[i].response, i, true};
        else
            part->pending++;
    }
    qsort(moments, count, sizeof *moments, moment_compare);
    for (uint32_t i = 0; i < count; i++) {
        struct interval *interval = &sample->intervals[moments[i].interval];
        *(moments[i].response ? &interval->response : &interval->invoke) = i;
    }
    part->positions = count;
    free(moments);
    qsort(sample->intervals, part->count, sizeof *sample->intervals, interval_compare);
    for (uint32_t i = 0; i < part->count; i++)
        sample->intervals[i].index = i;
}

bool interval_answer(const struct spec *spec, struct interval *interval, const value *result)
{
    struct recorded recorded = {.argument = interval->call.argument,
                                .result = result ? *result : VALUE_NIL,
                                .completed = interval->response != POSITION_NEVER,
                                .result_recorded = result != NULL,
                                .process = interval->call.process};
    struct text complaint = TEXT_EMPTY;
    struct call call;
    bool bound =
        spec_bind(spec, interval->call.operation, &recorded, &call, &complaint) == STATUS_OK;
    if (bound)
        interval->call = call;
    text_release(&complaint);
    return bound;
}

/* ---- From and to text ---- */

#define MAX_OPERATION_VALUES 4

static _Noreturn void wrong(const char *text, const char *expected)
{
    fprintf(stderr, "sample text: expected %s at: %s\n", expected, text);
    abort();
}

static const char *skip_blanks(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

static uint32_t position_of(value v, const char *at)
{
    int64_t integer;
    if (value_text_is(v, "_"))
        return POSITION_NEVER;
    if (!value_get_integer(v, &integer))
        wrong(at, "a position or _");
    return (uint32_t)integer;
}

/* One operation, from its name to before `;` or the end; returns where that is. */
static const char *parse_operation(const struct subject *subject, const char *at, uint32_t index,
                                   struct interval *interval)
{
    char name[64];
    size_t length = strcspn(at, " ;"), used;
    if (length == 0 || length >= sizeof name)
        wrong(at, "the name of an operation");
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    const char *start = at;
    value values[MAX_OPERATION_VALUES];
    size_t count = 0;
    uint32_t process = index;
    for (at = skip_blanks(at + length); *at && *at != ';'; at = skip_blanks(at)) {
        struct error error;
        if (*at == '@') {
            process = (uint32_t)strtoul(at + 1, (char **)&at, 10);
            continue;
        }
        if (count == MAX_OPERATION_VALUES ||
            value_parse_edn(subject->pool, at, strcspn(at, ";"), &used, "test", 1, &values[count],
                            &error) != STATUS_OK)
            wrong(at, "a value");
        at += used;
        count++;
    }
    size_t positions = 0;
    const value *ends = count ? value_get_items(values[--count], &positions) : NULL;
    if (positions != 2)
        wrong(start, "an interval [invoke response]");
    interval->invoke = position_of(ends[0], start);
    interval->response = position_of(ends[1], start);

    int operation = spec_operation_find(subject->spec->class, name, strlen(name));
    if (operation < 0)
        wrong(start, "an operation of the specification");
    bool takes = subject->spec->class->operations[operation].argument[0] != 0;
    if (count < takes || count > (size_t)takes + 1)
        wrong(start, "argument and result");
    bool has_result = count > takes && !value_text_is(values[takes], "?");
    struct recorded recorded = {.argument = takes ? values[0] : VALUE_NIL,
                                .result = has_result ? values[takes] : VALUE_NIL,
                                .completed = interval->response != POSITION_NEVER,
                                .result_recorded = has_result,
                                .process = process};
    interval->call = subject_call(subject, name, &recorded);
    return at;
}

void sample_parse(struct sample *sample, const struct subject *subject, const char *text)
{
    uint32_t most = 1;
    for (const char *at = text; *at; at++)
        most += *at == ';';
    sample_start(sample, subject, most);
    for (const char *at = skip_blanks(text); *at;) {
        uint32_t i = sample->part.count++;
        sample->intervals[i] = (struct interval){0};
        at = parse_operation(subject, at, i, &sample->intervals[i]);
        at = skip_blanks(*at == ';' ? at + 1 : at);
    }
    sample_renumber(sample);
}

void sample_print(const struct part *part, struct text *text)
{
    for (uint32_t i = 0; i < part->count; i++) {
        const struct interval *interval = &part->intervals[i];
        const struct spec_operation *operation =
            &part->spec->class->operations[interval->call.operation];
        text_format(text, "%s%s ", i ? "; " : "", operation->name);
        if (operation->argument[0]) {
            value_print_edn(interval->call.argument, text);
            text_append_char(text, ' ');
        }
        if (!interval->call.result_known)
            text_append(text, "? ");
        else if (operation->result[0]) {
            value_print_edn(interval->call.result, text);
            text_append_char(text, ' ');
        }
        if (interval->response == POSITION_NEVER)
            text_format(text, "[%" PRIu32 " _]", interval->invoke);
        else
            text_format(text, "[%" PRIu32 " %" PRIu32 "]", interval->invoke, interval->response);
        text_format(text, " @%" PRIu32, interval->call.process);
    }
}

/* ---- Shrinking ---- */

/* Renumbers `trial`; keeps it as the new sample if the fault is still there. */
static bool keep_if(struct sample *sample, struct sample *trial,
                    bool (*still)(void *context, const struct part *part), void *context)
{
    sample_renumber(trial);
    if (!still(context, &trial->part))
        return false;
    sample_copy_part(sample, &trial->part);
    return true;
}

/* The changes to operation `i`, from the greatest to the least. */
static bool change(struct sample *trial, uint32_t i, int kind)
{
    struct interval *interval = &trial->intervals[i];
    switch (kind) {
    case 0:
        *interval = trial->intervals[--trial->part.count];
        return true;
    case 1:
        if (interval->response == POSITION_NEVER)
            return false;
        interval->response = POSITION_NEVER;
        return interval_answer(trial->part.spec, interval, NULL);
    default:
        return interval->call.result_known && interval_answer(trial->part.spec, interval, NULL);
    }
}

void sample_shrink(struct sample *sample, bool (*still)(void *context, const struct part *part),
                   void *context)
{
    struct sample trial = {0};
    for (bool progress = true; progress;) {
        progress = false;
        for (int kind = 0; kind < 3; kind++)
            for (uint32_t i = sample->part.count; i-- > 0;) {
                if (i >= sample->part.count)
                    continue;
                sample_copy_part(&trial, &sample->part);
                if (change(&trial, i, kind) && keep_if(sample, &trial, still, context))
                    progress = true;
            }
    }
    sample_release(&trial);
}
