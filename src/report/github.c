#include "report/github.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "report/text.h"

static void append_encoded(struct text *text, const char *string, bool is_property)
{
    for (const char *at = string; *at; at++)
        if (strchr(is_property ? "%\r\n:," : "%\r\n", *at))
            text_format(text, "%%%02X", (unsigned char)*at);
        else
            text_append_char(text, *at);
}

/* Line ends would end the command, and in a property commas and colons would end the property;
 * other control characters are shown, as the log is a terminal's. */
static void append_escaped(struct text *text, const char *string, bool is_property)
{
    for (const char *at = string; *at;) {
        struct text shown = TEXT_EMPTY;
        const size_t length = strcspn(at, "\r\n");
        utf8_append_shown(&shown, at, length, true);
        if (at[length])
            text_append_char(&shown, at[length]);
        append_encoded(text, text_string(&shown), is_property);
        text_release(&shown);
        at += length + (at[length] != '\0');
    }
}

/* "::error file=queue.csp,line=31,title=linchpin::" */
static void begin(struct text *text, const char *level, const char *file, uint32_t line)
{
    text_format(text, "::%s ", level);
    if (file && strcmp(file, "-") != 0) {
        text_append(text, "file=");
        append_escaped(text, report_file_below(file), true);
        if (line)
            text_format(text, ",line=%" PRIu32, line);
        text_append(text, ",");
    }
    text_append(text, "title=linchpin::");
}

static void append_warnings(const struct result *result, struct text *text)
{
    for (size_t i = 0; i < result->warning_count; i++) {
        begin(text, "warning", result->input, result->warnings[i].line);
        append_escaped(text, result->warnings[i].message, false);
        text_append(text, "\n");
    }
}

void github_append_result(const struct result *result, struct text *text)
{
    lp_answer judged = result_judge(result);
    append_warnings(result, text);
    if (judged == LP_HOLDS)
        return;
    struct text message = TEXT_EMPTY;
    result_append_message(result, &message);
    begin(text, judged == LP_VIOLATED ? "error" : "warning",
          result->file ? result->file : result->input, result->line);
    append_escaped(text, text_string(&message), false);
    text_append(text, "\n");
    text_release(&message);
}

void github_append_error(const lp_error *error, const char *operand, struct text *text)
{
    begin(text, "error", *error->file ? error->file : operand, error->line);
    append_escaped(text, error->message, false);
    text_append(text, "\n");
}
