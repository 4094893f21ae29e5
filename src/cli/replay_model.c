/* Stepping through an execution of a model, or a run of a net. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/replay.h"
#include "report/execution.h"

bool replay_wait(void)
{
    fflush(stdout);
    int first = getchar(), next = first;
    while (next != '\n' && next != EOF)
        next = getchar();
    if (first == EOF)
        fputc('\n', stdout);
    return first != 'q' && first != EOF;
}

static int complain(lp_status status, const lp_error *error, const char *operand, bool json)
{
    if (status != LP_LIMIT)
        return error_print(status, error, operand, json);
    fputs("linchpin replay: the memory limit was reached\n", stderr);
    return EXIT_UNDECIDED;
}

/* Takes the steps again; EXIT_HOLDS if each is possible. */
static int take_again(lp_context *context, const lp_model *model, const struct options *options,
                      const struct model_trace *trace)
{
    lp_walk *walk;
    lp_error error = {0};
    size_t followed = 0;
    lp_status status = lp_walk_create(context, model, trace->process, &walk, &error);
    if (status == LP_OK) {
        status = lp_walk_along(walk, &trace->execution, &followed, &error);
        lp_walk_destroy(walk);
    }
    if (status != LP_OK)
        return complain(status, &error, trace->input, options->json);
    if (followed == trace->execution.length)
        return EXIT_HOLDS;
    if (trace->execution.is_lasso && followed + 1 == trace->execution.length)
        return input_complain(options->operands[0], options->json,
                              "step %zu of the trace does not lead back to where its loop begins",
                              followed + 1);
    return input_complain(options->operands[0], options->json,
                          "the model cannot take step %zu of the trace", followed + 1);
}

struct stepping {
    bool interactive, begun;
};

/* The head stands there at once; each step waits. */
static bool show_piece(void *user, struct text *text)
{
    struct stepping *stepping = user;
    bool head = !stepping->begun;
    stepping->begun = true;
    if (!stepping->interactive || head) {
        fputs(text_string(text), stdout);
        return true;
    }
    fwrite(text_string(text), 1, text->length - 1, stdout); /* Enter ends the line */
    return replay_wait();
}

static void show(const struct options *options, const struct model_trace *trace)
{
    struct terminal terminal = terminal_detect(STDOUT_FILENO, (enum colour_choice)options->colour);
    struct stepping stepping = {terminal.interactive && isatty(STDIN_FILENO) == 1, false};
    struct text text = TEXT_EMPTY;
    utf8_append_shown(&text, trace->input, strlen(trace->input), terminal.unicode);
    if (!trace->is_net)
        text_format(&text, ":%" PRIu32, trace->line);
    text_append(&text, ": ");
    terminal_append(&terminal, STYLE_BAD, trace->verdict, &text);
    text_append(&text, trace->is_net ? "" : ": ");
    if (!trace->is_net)
        utf8_append_shown(&text, trace->assertion, strlen(trace->assertion), terminal.unicode);
    text_append(&text, "\n");
    if (options->quiet) {
        fputs(text_string(&text), stdout);
        text_release(&text);
        return;
    }
    if (trace->reason)
        report_text_reason(trace->reason, &terminal, &text);
    text_append(&text, "  ");
    report_text_count(trace->execution.length, "step", "steps", &text);
    text_format(&text, ", taken again on the %s.\n\n", trace->is_net ? "net" : "model");
    fputs(text_string(&text), stdout);
    text_release(&text);
    execution_pieces(&trace->execution, trace->failing, &terminal, show_piece, &stepping);
}

static int replay_on_model(lp_context *context, const struct options *options,
                           const struct model_trace *trace)
{
    lp_model *model;
    lp_error error = {0};
    lp_status status = lp_model_read(context, trace->input, &model, &error);
    if (status != LP_OK)
        return complain(status, &error, trace->input, options->json);
    int result =
        replay_fits(trace->input, "the model", trace->hash, lp_model_hash(model), options->json)
            ? take_again(context, model, options, trace)
            : EXIT_INPUT;
    lp_model_destroy(model);
    return result;
}

/* Fires the transitions again; EXIT_HOLDS if each can, and a target is covered in the end. */
static int fire_again(lp_context *context, const lp_net *net, const struct options *options,
                      const struct model_trace *trace)
{
    size_t followed;
    bool covered;
    lp_error error = {0};
    lp_status status = lp_net_follow(context, net, &trace->execution, &followed, &covered, &error);
    if (status != LP_OK)
        return complain(status, &error, trace->input, options->json);
    if (covered && followed == trace->execution.length)
        return EXIT_HOLDS;
    if (followed < trace->execution.length)
        return input_complain(options->operands[0], options->json,
                              "the net cannot take step %zu of the trace", followed + 1);
    return input_complain(options->operands[0], options->json,
                          "no target is covered at the end of the trace");
}

static int replay_on_net(lp_context *context, const struct options *options,
                         const struct model_trace *trace)
{
    lp_net *net;
    lp_error error = {0};
    lp_status status = lp_net_read(context, trace->input, &net, &error);
    if (status != LP_OK)
        return complain(status, &error, trace->input, options->json);
    int result = replay_fits(trace->input, "the net", trace->hash, lp_net_hash(net), options->json)
                     ? fire_again(context, net, options, trace)
                     : EXIT_INPUT;
    lp_net_destroy(net);
    return result;
}

struct replayed {
    const struct options *options;
    const struct model_trace *trace;
};

static int take_all_again(struct session *session, lp_context *context, void *user)
{
    const struct replayed *replayed = user;
    (void)session;
    return (replayed->trace->is_net ? replay_on_net : replay_on_model)(context, replayed->options,
                                                                       replayed->trace);
}

int replay_model(const struct options *options, const struct model_trace *trace)
{
    struct replayed replayed = {options, trace};
    int status = session_run(options, "replay", options->operands[0], take_all_again, &replayed);
    if (status != EXIT_HOLDS)
        return status;
    if (options->json) {
        struct result result = {.input = trace->input};
        model_trace_fill(&result, trace);
        replay_write(trace->is_net ? "cover" : "verify", true, &result);
    } else
        show(options, trace);
    return EXIT_VIOLATION;
}
