/* linchpin convert: one history from one format to another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/quantity.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/input.h"

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

static int write_history(const struct options *options, const lp_history *history)
{
    struct output *output;
    struct error error;
    lp_error fault = {0};
    const char *format = options->to ? options->to : DEFAULT_FORMAT;
    if (output_open(options->output ? options->output : "-", &output, &error) != STATUS_OK) {
        fprintf(stderr, "linchpin convert: %s\n", error.message);
        return EXIT_INPUT;
    }
    lp_status status = lp_history_write(history, format, output_stream(output), &fault);
    if (status != LP_OK) {
        output_abandon(output);
        return error_print(status, &fault, options->operands[0]);
    }
    if (output_commit(output, &error) == STATUS_OK)
        return EXIT_HOLDS;
    fprintf(stderr, "linchpin convert: %s\n", error.message);
    return EXIT_INPUT;
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

static int convert(struct session *session, const struct options *options, lp_context *context)
{
    lp_history **histories;
    size_t count;
    lp_error error = {0};
    int result;
    lp_read_options read = {.format = options->format,
                            .jobs = (unsigned)options->jobs,
                            .order = order_named(options->order),
                            .timeout = session_timeout(session, session->started)};
    lp_status status = input_read(context, options->operands[0], &read, &histories, &count, &error);
    if (status == LP_LIMIT) {
        struct text text = TEXT_EMPTY;
        limit_append(session, limit_find(session, session->started), session->started, &text);
        fprintf(stderr, "linchpin convert: %s before the history was read\n", text_string(&text));
        text_release(&text);
        return EXIT_UNDECIDED;
    }
    if (status != LP_OK)
        return error_print(status, &error, options->operands[0]);
    if (options->verbose)
        for (size_t i = 0; i < count; i++)
            fprintf(stderr, "%s: read %zu operations (%s)\n", lp_history_name(histories[i]),
                    lp_history_length(histories[i]), lp_history_format(histories[i]));
    if (count == 1) {
        say_passed_over(options->operands[0], histories[0]);
        result = write_history(options, histories[0]);
    } else
        result = complain_several(options->operands[0], histories, count);
    input_release(histories, count);
    return result;
}

int convert_run(const struct options *options)
{
    struct session session;
    if (!format_is_known("convert", "--format", options->format, false) ||
        !format_is_known("convert", "--to", options->to, true))
        return EXIT_INPUT;
    session_init(&session, options);
    lp_context *context = session_open(&session, 1);
    int result = EXIT_UNDECIDED;
    if (context) {
        result = convert(&session, options, context);
        session_close(&session, context);
    } else
        fputs("linchpin convert: the memory limit was reached\n", stderr);
    session_release(&session);
    return result;
}
