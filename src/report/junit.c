#include "report/junit.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"

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

static void open_case(struct text *text, const char *input, const char *spec, double seconds)
{
    text_append(text, "    <testcase");
    append_attribute(text, "classname", spec ? spec : "linchpin");
    append_attribute(text, "name", input);
    text_format(text, " time=\"%.6f\"", seconds);
}

static void append_fault(struct text *text, const char *element, const char *type,
                         const char *message, const char *story)
{
    text_format(text, "      <%s type=\"%s\"", element, type);
    append_attribute(text, "message", message);
    text_append(text, ">");
    append_escaped(text, story);
    text_format(text, "</%s>\n", element);
}

void junit_append_report(const struct report *report, const char *story, struct text *text)
{
    const lp_result *result = report->result;
    const char *reason = report->reason ? report->reason : "";
    open_case(text, report->input, result ? result->spec : NULL, result ? result->seconds : 0);
    if (report->verdict == LP_LINEARIZABLE) {
        text_append(text, "/>\n");
        return;
    }
    text_append(text, ">\n");
    if (report->verdict == LP_VIOLATION)
        append_fault(text, "failure", "violation", reason, story);
    else
        append_fault(text, "error", "unknown", reason, story);
    text_append(text, "    </testcase>\n");
}

void junit_append_error(const char *input, const char *message, struct text *text)
{
    open_case(text, input, NULL, 0);
    text_append(text, ">\n");
    append_fault(text, "error", "input", message, message);
    text_append(text, "    </testcase>\n");
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
