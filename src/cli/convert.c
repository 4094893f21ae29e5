/* linchpin convert: one history from one format to another. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/results.h"

#define DEFAULT_FORMAT "json"

/* A file of one format holds one history in most of them. */
static int complain_several(const char *operand, lp_history **histories, size_t count)
{
    fprintf(stderr, "%s: error: expected one history, found %zu; name one of them:\n", operand,
            count);
    for (size_t i = 0; i < count; i++) {
        char *name = input_name(operand, histories[i]);
        fprintf(stderr, "    linchpin convert '%s'\n", name);
        free(name);
    }
    return EXIT_INPUT;
}

struct conversion {
    const struct options *options;
    const lp_history *history;
};

static int write_history(void *user, FILE *out)
{
    const struct conversion *conversion = user;
    const struct options *options = conversion->options;
    lp_error fault = {0};
    lp_status status = lp_history_write(conversion->history,
                                        options->to ? options->to : DEFAULT_FORMAT, out, &fault);
    return status == LP_OK ? EXIT_HOLDS : error_print(status, &fault, options->operands[0], false);
}

/* What is passed over is never passed over in silence. */
static void say_passed_over(const char *operand, const lp_history *history)
{
    size_t lines = lp_history_passed_over(history);
    if (!lines)
        return;
    struct text text = TEXT_EMPTY;
    utf8_append_shown(&text, operand, strlen(operand), true);
    text_append(&text, ": warning: ");
    text_append_count(&text, lines);
    text_append(&text, lines == 1 ? " line that is no event was passed over"
                                  : " lines that are no events were passed over");
    fprintf(stderr, "%s\n", text_string(&text));
    text_release(&text);
}

static int convert(struct session *session, lp_context *context, void *user)
{
    const struct options *options = user;
    lp_history **histories;
    size_t count;
    lp_read_options read = {.size = sizeof read,
                            .format = options->format,
                            .jobs = (unsigned)options->jobs,
                            .order = order_named(options->order),
                            .timeout = session_timeout(session, session->started)};
    int result = input_read_for("convert", "the history", session, context, options->operands[0],
                                &read, false, &histories, &count);
    if (result != EXIT_HOLDS)
        return result;
    if (options->verbose)
        for (size_t i = 0; i < count; i++)
            fprintf(stderr, "%s: read %zu operations (%s)\n", lp_history_name(histories[i]),
                    lp_history_length(histories[i]), lp_history_format(histories[i]));
    if (count == 1) {
        say_passed_over(options->operands[0], histories[0]);
        result = output_by("convert", options->output, write_history,
                           &(struct conversion){options, histories[0]});
    } else
        result = complain_several(options->operands[0], histories, count);
    input_release(histories, count);
    return result;
}

int convert_run(const struct options *options)
{
    if (!format_is_known("convert", "--format", options->format, false) ||
        !format_is_known("convert", "--to", options->to, true))
        return EXIT_INPUT;
    return session_run(options, "convert", options->operands[0], convert,
                       (void *)(uintptr_t)options);
}
