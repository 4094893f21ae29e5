#include "report/junit.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "report/result.h"
#include "report/text.h"

/* XML 1.0 has no way to say most control characters (section 2.2): they are replaced. */
static void append_escaped(struct text *text, const char *string)
{
    size_t length = strlen(string);
    for (size_t at = 0, size; at < length; at += size) {
        uint32_t point;
        size = utf8_decode(string + at, length - at, &point);
        if (point == UTF8_INVALID || point == 0xFFFE || point == 0xFFFF ||
            (point < 0x20 && point != '\n' && point != '\t'))
            text_append(text, "\xEF\xBF\xBD");
        else if (point == '&')
            text_append(text, "&amp;");
        else if (point == '<')
            text_append(text, "&lt;");
        else if (point == '>')
            text_append(text, "&gt;");
        else if (point == '"')
            text_append(text, "&quot;");
        else
            text_append_bytes(text, string + at, size);
    }
}

static void append_attribute(struct text *text, const char *name, const char *value)
{
    text_format(text, " %s=\"", name);
    append_escaped(text, value);
    text_append(text, "\"");
}

/* Where a test case is. */
struct place {
    const char *file;
    uint32_t line; /* 0: none */
};

static void append_case(const char *class_name, const char *name, struct place place,
                        double seconds, const char *fault, const char *type, const char *message,
                        const char *story, struct text *text)
{
    text_append(text, "    <testcase");
    append_attribute(text, "classname", class_name ? class_name : "linchpin");
    append_attribute(text, "name", name);
    if (place.file && strcmp(place.file, "-") != 0)
        append_attribute(text, "file", report_file_below(place.file));
    if (place.line)
        text_format(text, " line=\"%" PRIu32 "\"", place.line);
    text_format(text, " time=\"%.6f\"", seconds);
    if (!fault) {
        text_append(text, "/>\n");
        return;
    }
    text_format(text, ">\n      <%s type=\"%s\"", fault, type);
    struct text line = TEXT_EMPTY; /* in attributes the ends of lines would be lost */
    text_append_bytes(&line, message, strcspn(message, "\n"));
    append_attribute(text, "message", text_string(&line));
    text_release(&line);
    text_append(text, ">");
    append_escaped(text, story);
    text_format(text, "</%s>\n    </testcase>\n", fault);
}

/* Where a file is as far as that is the same on every machine: below this folder, or its name. */
static const char *stable(const char *path)
{
    const char *below = report_file_below(path);
    return *below == '/' ? strrchr(below, '/') + 1 : below;
}

/* The name is the same whether the test passes or fails: the scenario in which it fails is in the
 * story. */
static void append_name(const struct result *result, struct text *name)
{
    const char *subject = text_string(&result->subject);
    size_t length = result->input ? strlen(result->input) : 0;
    if (length && strncmp(subject, result->input, length) == 0) {
        text_append(name, stable(result->input));
        subject += length;
    }
    text_append(name, subject);
    if (result->about && !result->is_about_scenario)
        text_format(name, ": %s", result->about);
}

void result_junit(const struct result *result, const char *story, struct text *text)
{
    static const char *const faults[] = {
        [LP_HOLDS] = NULL, [LP_VIOLATED] = "failure", [LP_UNDECIDED] = "error"};
    struct text name = TEXT_EMPTY, message = TEXT_EMPTY;
    append_name(result, &name);
    lp_answer judged = result_judge(result);
    struct place place = {result->file ? result->file : result->input, result->line};
    if (result->expecting && judged != LP_HOLDS)
        text_format(&message, "expected: %s; found: %s%s", result->words[result->expected],
                    result->words[result->verdict], result->reason.length ? ": " : "");
    text_append(&message, text_string(&result->reason));
    append_case(result->family ? stable(result->family) : NULL, text_string(&name), place,
                result->seconds, faults[judged], result->words[result->verdict],
                text_string(&message), story, text);
    text_release(&name);
    text_release(&message);
}

void junit_append_error(const char *input, const lp_error *error, const char *story,
                        struct text *text)
{
    struct place place = {*error->file ? error->file : input, error->line};
    append_case(NULL, stable(input), place, 0, "error", "input", error->message, story, text);
}

void junit_write(const struct junit_totals *totals, const char *cases, FILE *out)
{
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites>\n"
            "  <testsuite name=\"linchpin\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\""
            " time=\"%.6f\">\n%s  </testsuite>\n"
            "</testsuites>\n",
            totals->tests, totals->failures, totals->errors, totals->seconds, cases);
}
