#include "report/result.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *const result_answers[] = {
    [LP_HOLDS] = "holds", [LP_VIOLATED] = "violated", [LP_UNDECIDED] = "unknown"};

static void release_children(struct node *node)
{
    for (struct node *at = node->first, *next; at; at = next) {
        next = at->next;
        release_children(at);
        text_release(&at->words);
        text_release(&at->tail);
        free(at);
    }
}

void result_release(struct result *result)
{
    text_release(&result->reason);
    text_release(&result->replay);
    text_release(&result->subject);
    text_release(&result->facts);
    report_violation_release(&result->drawn);
    release_children(&result->root);
}

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

void result_expect(struct result *result, lp_answer expected)
{
    result->expecting = true;
    result->expected = expected;
    bool as_expected = result->verdict == expected;
    if (as_expected)
        result_fact(result, "as expected");
    else
        result_fact(result, "expected: %s", result->words[expected]);
    node_add_text(&result->root, "expected", result->words[expected]);
    node_add_boolean(&result->root, "as_expected", as_expected);
}

lp_answer result_judge(const struct result *result)
{
    if (!result->expecting)
        return result->verdict;
    if (result->verdict == result->expected)
        return LP_HOLDS;
    return result->verdict == LP_UNDECIDED ? LP_UNDECIDED : LP_VIOLATED;
}

void result_append_message(const struct result *result, struct text *text)
{
    text_format(text, "%s: %s", text_string(&result->subject), result->words[result->verdict]);
    if (result->expecting && result->verdict != result->expected)
        text_format(text, " (expected: %s)", result->words[result->expected]);
    if (result->about)
        text_format(text, ": %s", result->about);
    if (result->reason.length)
        text_format(text, "\n%s", text_string(&result->reason));
}

static struct node *add(struct node *parent, struct node made)
{
    struct node *node = memory_small(sizeof *node);
    *node = made;
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    return parent->last = node;
}

#define ADD(parent, what, name, ...)                                                               \
    add(parent, (struct node){.kind = NODE_##what, .key = (name), __VA_ARGS__})

void node_add_text(struct node *parent, const char *key, const char *text)
{
    ADD(parent, TEXT, key, .text = text);
}

void node_add_texts(struct node *parent, const char *key, const char *const *texts, size_t count)
{
    ADD(parent, TEXTS, key, .found = texts, .count = count);
}

void node_add_number(struct node *parent, const char *key, uint64_t number)
{
    ADD(parent, NUMBER, key, .number = number);
}

void node_add_integer(struct node *parent, const char *key, int64_t integer)
{
    ADD(parent, INTEGER, key, .integer = integer);
}

void node_add_boolean(struct node *parent, const char *key, bool boolean)
{
    ADD(parent, BOOLEAN, key, .boolean = boolean);
}

void node_add_seconds(struct node *parent, double seconds)
{
    ADD(parent, SECONDS, "seconds", .seconds = seconds);
}

void node_add_value(struct node *parent, const char *key, lp_value value)
{
    ADD(parent, VALUE, key, .value = value);
}

void node_add_indices(struct node *parent, const char *key, const uint32_t *indices, size_t count)
{
    ADD(parent, INDICES, key, .found = indices, .count = count);
}

struct node *node_add_object(struct node *parent, const char *key)
{
    return ADD(parent, OBJECT, key, .first = NULL);
}

struct node *node_add_list(struct node *parent, const char *key)
{
    return ADD(parent, LIST, key, .first = NULL);
}

struct node *node_add_table(struct node *parent, const char *key, const struct column *columns)
{
    return ADD(parent, TABLE, key, .columns = columns);
}

void node_add_cell(struct node *row, const char *key, const char *text, const char *shown)
{
    ADD(row, TEXT, key, .text = text, .shown = shown);
}

struct text *node_add_line(struct node *parent, unsigned indent, enum style style)
{
    return &ADD(parent, LINE, NULL, .indent = indent, .style = style)->words;
}

struct text *node_add_paragraph(struct node *parent, unsigned indent, const char *lead)
{
    return &ADD(parent, PARAGRAPH, NULL, .indent = indent, .lead = lead)->words;
}

void node_add_gap(struct node *parent)
{
    ADD(parent, GAP, NULL, .first = NULL);
}

struct node *node_add_found(struct node *parent, enum node_kind kind, const char *key,
                            const lp_history *history, const void *found)
{
    return add(parent, (struct node){.kind = kind, .key = key, .history = history, .found = found});
}

void result_add_verdict(struct result *result)
{
    node_add_text(&result->root, "verdict", result->words[result->verdict]);
}

void result_add_seconds(struct result *result)
{
    node_add_seconds(&result->root, result->seconds);
}

void result_add_reason(struct result *result)
{
    node_add_text(&result->root, "reason",
                  result->reason.length ? text_string(&result->reason) : NULL);
}

void result_add_warnings(struct result *result)
{
    struct node *list = result->warning_count ? node_add_list(&result->root, "warnings") : NULL;
    for (size_t i = 0; i < result->warning_count; i++)
        node_add_text(list, NULL, result->warnings[i].message);
}

void result_add_limit(struct result *result)
{
    static const char *const names[] = {[LP_LIMIT_NONE] = NULL,
                                        [LP_LIMIT_TIME] = "time",
                                        [LP_LIMIT_MEMORY] = "memory",
                                        [LP_LIMIT_INTERRUPT] = "interrupt",
                                        [LP_LIMIT_DEPTH] = "depth"};
    if (result->verdict == LP_UNDECIDED)
        node_add_text(&result->root, "limit", names[result->limit]);
}

const struct node *node_find_cell(const struct node *row, const char *key)
{
    const struct node *cell = row->first;
    while (cell && !(cell->key && strcmp(cell->key, key) == 0))
        cell = cell->next;
    return cell;
}
