#include "report/report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"

static bool is_named(const lp_spec_operation_entry *entry, const char *function)
{
    if (name_is(entry->name, function, strlen(function)))
        return true;
    for (size_t i = 0; entry->aliases && entry->aliases[i]; i++)
        if (name_is(entry->aliases[i], function, strlen(function)))
            return true;
    return false;
}

/* Whether a row of the table is a specification ("semaphore(3)"): there is a queue with a parameter
 * and one without. */
static bool is_entry(const lp_spec_entry *entry, const char *spec)
{
    size_t length = strcspn(spec, "(");
    bool is_numbered = spec[length] && isdigit((unsigned char)spec[length + 1]);
    return name_is(entry->name, spec, length) && is_numbered == (entry->parameters != NULL);
}

/* Whether `function` has a result in the built-in specification `spec`, other than that it
 * happened; what is not in the table may have one. */
static bool function_answers(const char *spec, const char *function)
{
    lp_spec_entry entry;
    lp_spec_operation_entry operation;
    for (size_t i = 0; lp_spec_at(i, &entry); i++) {
        if (!is_entry(&entry, spec))
            continue;
        for (size_t j = 0; lp_spec_operation_at(i, j, &operation); j++)
            if (is_named(&operation, function))
                return *operation.result && strncmp(operation.result, "ok", 2) != 0;
    }
    return true;
}

static bool is_silent(const lp_violation *found, const char *function)
{
    for (size_t i = 0; i < found->silent_count; i++)
        if (name_is(found->silent[i], function, strlen(function)))
            return true;
    return false;
}

struct report_operation report_operation_find(const lp_history *history, const lp_violation *found,
                                              uint32_t index)
{
    struct report_operation operation = {
        .index = index, .invoke_byte = REPORT_NO_BYTE, .response_byte = REPORT_NO_BYTE};
    operation.recorded = lp_history_operation(history, index);
    const char *function = operation.recorded.function;
    operation.keyed = found->keyed_results;
    operation.answers = function_answers(found->spec, function) &&
                        (operation.recorded.result != LP_VALUE_NIL || !is_silent(found, function));
    return operation;
}

static int by_invocation(const void *left, const void *right)
{
    const struct report_operation *a = left, *b = right;
    return (a->recorded.invoke > b->recorded.invoke) - (a->recorded.invoke < b->recorded.invoke);
}

static int by_index(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static size_t unique(uint32_t *indices, size_t length)
{
    size_t kept = 0;
    for (size_t i = 0; i < length; i++)
        if (i == 0 || indices[i] != indices[kept - 1])
            indices[kept++] = indices[i];
    return kept;
}

/* Of all that could be shown the last ones: a history goes wrong at its end. */
static void show_last(struct report_violation *violation, const lp_history *history,
                      uint32_t *indices, size_t length)
{
    const lp_violation *found = violation->found;
    qsort(indices, length, sizeof *indices, by_index);
    length = unique(indices, length);
    size_t first = length > REPORT_MOST_SHOWN ? length - REPORT_MOST_SHOWN : 0;
    violation->left_out = first;
    violation->operations = memory_small((length - first) * sizeof *violation->operations);
    for (size_t i = first; i < length; i++) {
        struct report_operation *operation = &violation->operations[violation->operation_count++];
        *operation = report_operation_find(history, found, indices[i]);
        operation->core =
            found->core_length &&
            bsearch(&indices[i], found->core, found->core_length, sizeof *found->core, by_index);
    }
}

void report_violation_fill(struct report_violation *violation, const lp_history *history,
                           const lp_violation *found, bool whole)
{
    size_t most = whole ? REPORT_MOST_SHOWN : REPORT_MOST_TOLD;
    bool readable = found->core_length && found->core_length <= most;
    bool evidence = !readable && found->evidence_length &&
                    (!found->core_length || found->evidence_length < found->core_length);
    const uint32_t *core = evidence ? found->evidence : found->core;
    size_t length = evidence ? found->evidence_length : found->core_length;
    /* The context of a core that is too large is that of other operations, mostly. */
    size_t context = evidence && found->core_length > REPORT_MOST_SHOWN ? 0 : found->context_length;
    uint32_t *indices = memory_small((length + context) * sizeof *indices);
    for (size_t i = 0; i < length; i++)
        indices[i] = core[i];
    for (size_t i = 0; i < context; i++)
        indices[length + i] = found->context[i];
    *violation = (struct report_violation){.found = found};
    show_last(violation, history, indices, length + context);
    violation->core_left_out = evidence ? found->core_length : 0;
    for (size_t i = 0; i < violation->operation_count && evidence; i++)
        violation->core_left_out -= violation->operations[i].core;
    qsort(violation->operations, violation->operation_count, sizeof *violation->operations,
          by_invocation);
    free(indices);
}

void report_violation_release(struct report_violation *violation)
{
    free(violation->operations);
}

struct report *report_create(const lp_history *history, const lp_result *result, bool witness)
{
    struct report *report = memory_small(sizeof *report);
    *report = (struct report){.history = history, .result = result, .witness = witness};
    if (result->verdict == LP_VIOLATION)
        report->violation_count = result->violation_count;
    report->violations = memory_small(report->violation_count * sizeof *report->violations);
    for (size_t i = 0; i < report->violation_count; i++)
        report_violation_fill(&report->violations[i], history, &result->violations[i], false);
    return report;
}

void report_destroy(struct report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < report->violation_count; i++)
        report_violation_release(&report->violations[i]);
    free(report->violations);
    free(report);
}
