#include "report/result.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/utf8.h"
#include "report/json.h"
#include "report/junit.h"

const char *const result_answers[] = {
    [LP_HOLDS] = "holds", [LP_VIOLATED] = "violated", [LP_UNDECIDED] = "unknown"};

void result_release(struct result *result)
{
    text_release(&result->subject);
    text_release(&result->facts);
}

/* ---- filling it ---- */

static void begin_fact(struct result *result)
{
    text_append(&result->facts, result->facts.length ? ", " : "");
}

void result_count(struct result *result, uint64_t number, const char *one, const char *several)
{
    begin_fact(result);
    report_text_count(number, one, several, &result->facts);
}

void result_fact(struct result *result, const char *format, ...)
{
    va_list arguments;
    begin_fact(result);
    va_start(arguments, format);
    text_format_list(&result->facts, format, arguments);
    va_end(arguments);
}

static void add(struct result *result, struct result_part part)
{
    assert(result->part_count < RESULT_MOST_PARTS);
    result->parts[result->part_count++] = part;
}

void result_add_text(struct result *result, const char *key, const char *text)
{
    add(result, (struct result_part){.kind = PART_TEXT, .key = key, .text = text});
}

void result_add_texts(struct result *result, const char *key, const char *const *texts,
                      size_t count)
{
    add(result, (struct result_part){.kind = PART_TEXTS, .key = key, .texts = {texts, count}});
}

void result_add_number(struct result *result, const char *key, uint64_t number)
{
    add(result, (struct result_part){.kind = PART_NUMBER, .key = key, .number = number});
}

void result_add_integer(struct result *result, const char *key, int64_t integer)
{
    add(result, (struct result_part){.kind = PART_INTEGER, .key = key, .integer = integer});
}

void result_add_boolean(struct result *result, const char *key, bool boolean)
{
    add(result, (struct result_part){.kind = PART_BOOLEAN, .key = key, .boolean = boolean});
}

void result_add_evidence(struct result *result, const struct evidence_kind *kind, const void *found)
{
    add(result, (struct result_part){.kind = PART_EVIDENCE, .evidence = {kind, found}});
}

void result_add_verdict(struct result *result)
{
    result_add_text(result, "verdict", result->words[result->verdict]);
}

void result_add_seconds(struct result *result)
{
    add(result,
        (struct result_part){.kind = PART_SECONDS, .key = "seconds", .seconds = result->seconds});
}

void result_add_reason(struct result *result)
{
    result_add_text(result, "reason", result->reason);
}

void result_add_warnings(struct result *result)
{
    if (result->warning_count)
        add(result, (struct result_part){.kind = PART_WARNINGS, .key = "warnings"});
}

void result_add_limit(struct result *result)
{
    static const char *const names[] = {[LP_LIMIT_NONE] = NULL,
                                        [LP_LIMIT_TIME] = "time",
                                        [LP_LIMIT_MEMORY] = "memory",
                                        [LP_LIMIT_INTERRUPT] = "interrupt",
                                        [LP_LIMIT_DEPTH] = "depth"};
    if (result->verdict == LP_UNDECIDED)
        result_add_text(result, "limit", names[result->limit]);
}

/* ---- writing it ---- */

/* "queue.csp:31: violated: P() refines Q() (refinement, 1,000 states, 0.010 s)" */
static void append_verdict(const struct result *result, const struct terminal *terminal,
                           struct text *text)
{
    static const enum style styles[] = {
        [LP_HOLDS] = STYLE_GOOD, [LP_VIOLATED] = STYLE_BAD, [LP_UNDECIDED] = STYLE_UNKNOWN};
    utf8_append_shown(text, text_string(&result->subject), result->subject.length,
                      terminal->unicode);
    text_append(text, ": ");
    terminal_append(terminal, styles[result->verdict], result->words[result->verdict], text);
    if (result->about) {
        text_append(text, ": ");
        utf8_append_shown(text, result->about, strlen(result->about), terminal->unicode);
    }
    if (result->facts.length) {
        text_append(text, " (");
        utf8_append_shown(text, text_string(&result->facts), result->facts.length,
                          terminal->unicode);
        if (result->decided) {
            text_append(text, ", ");
            report_text_seconds(result->seconds, text);
        }
        text_append(text, ")");
    }
    text_append(text, "\n");
}

void result_text(const struct result *result, const struct report_style *style, struct text *text)
{
    const struct terminal *terminal = &style->terminal;
    append_verdict(result, terminal, text);
    if (result->reason && !result->told && (!style->quiet || result->insistent))
        report_text_reason(result->reason, terminal, text);
    if (style->quiet)
        return;
    for (size_t i = 0; i < result->part_count; i++) {
        const struct result_part *part = &result->parts[i];
        if (part->kind == PART_EVIDENCE && part->evidence.kind->text)
            part->evidence.kind->text(part->evidence.found, terminal, text);
    }
    if (result->has_replay && style->replay)
        report_text_commands(style->replay, terminal, text);
}

static void add_warnings(const struct result *result, yajl_gen json)
{
    json_add_key(json, "warnings");
    yajl_gen_array_open(json);
    for (size_t i = 0; i < result->warning_count; i++)
        json_add_item(json, result->warnings[i].message);
    yajl_gen_array_close(json);
}

static void add_part(const struct result *result, const struct result_part *part, yajl_gen json)
{
    switch (part->kind) {
    case PART_TEXT:
        json_add_text(json, part->key, part->text);
        return;
    case PART_TEXTS:
        json_add_texts(json, part->key, part->texts.items, part->texts.count);
        return;
    case PART_NUMBER:
        json_add_number(json, part->key, part->number);
        return;
    case PART_INTEGER:
        json_add_integer(json, part->key, part->integer);
        return;
    case PART_BOOLEAN:
        json_add_boolean(json, part->key, part->boolean);
        return;
    case PART_SECONDS:
        json_add_seconds(json, part->seconds);
        return;
    case PART_WARNINGS:
        add_warnings(result, json);
        return;
    case PART_EVIDENCE:
        if (part->evidence.kind->json)
            part->evidence.kind->json(part->evidence.found, json);
    }
}

void result_json_fields(const struct result *result, yajl_gen json)
{
    for (size_t i = 0; i < result->part_count; i++)
        add_part(result, &result->parts[i], json);
}

void result_json(const struct result *result, FILE *out)
{
    yajl_gen json = json_begin(out);
    result_json_fields(result, json);
    json_end(json, out);
}

void result_junit(const struct result *result, const char *story, struct text *text)
{
    static const char *const faults[] = {
        [LP_HOLDS] = NULL, [LP_VIOLATED] = "failure", [LP_UNDECIDED] = "error"};
    struct text name = TEXT_EMPTY;
    text_append(&name, text_string(&result->subject));
    if (result->about)
        text_format(&name, ": %s", result->about);
    junit_append_case(result->family, text_string(&name), result->seconds, faults[result->verdict],
                      result->words[result->verdict], result->reason ? result->reason : "", story,
                      text);
    text_release(&name);
}
