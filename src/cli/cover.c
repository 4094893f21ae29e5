/* linchpin cover: each net is a piece of work of its own, several at once, each with a context and
 * its share of the memory. What a share is too small for is decided again at the end, alone and
 * with all of it. With --to a net is written in another format, and nothing is decided. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/quantity.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/ordered.h"
#include "cli/results.h"
#include "cli/words.h"
#include "report/coverage.h"
#include "report/json.h"
#include "report/junit.h"

struct cover {
    const struct options *options;
    struct session session;
    struct progress progress;
    struct ordered ordered;
    struct report_style style;
    struct results results;
    unsigned jobs, workers;
};

/* A net while it is being decided. */
struct deciding {
    struct cover *cover;
    size_t index;
    const char *operand;
    struct outcome *outcome;
    double began;
    uint64_t hash; /* of the net, once it is read */
    char *messages;
};

/* ---- what is said ---- */

/* "[3/12] mesh.spec: 1,200,000 markings, 340 MB, 12 s" */
static void show_progress(void *user, const lp_cover_progress *now)
{
    const struct deciding *deciding = user;
    struct cover *cover = deciding->cover;
    struct text line = TEXT_EMPTY;
    if (!progress_due(&cover->progress))
        return;
    if (cover->options->operand_count > 1)
        text_format(&line, "[%zu/%zu] ", deciding->index + 1, cover->options->operand_count);
    utf8_append_shown(&line, deciding->operand, strlen(deciding->operand), true);
    text_append(&line, ": ");
    text_append_count(&line, now->explored);
    text_format(&line, " markings, %zu MB, %.0f s", now->memory >> 20, now->seconds);
    progress_draw(&cover->progress, text_string(&line));
    text_release(&line);
}

/* "12 nets: 10 safe, 2 unsafe, 1 unknown; 1 error" */
static void summarise(const struct cover *cover, const struct tally *tally)
{
    size_t all = tally->verdicts[0] + tally->verdicts[1] + tally->verdicts[2];
    const struct options *options = cover->options;
    if (cover->ordered.failed || options->quiet || (options->json && !options->verbose) ||
        all + tally->errors < 2)
        return;
    fprintf(stderr, "%zu %s: %zu safe", all, all == 1 ? "net" : "nets", tally->verdicts[LP_SAFE]);
    if (tally->verdicts[LP_UNSAFE])
        fprintf(stderr, ", %zu unsafe", tally->verdicts[LP_UNSAFE]);
    if (tally->verdicts[LP_COVER_UNKNOWN])
        fprintf(stderr, ", %zu unknown", tally->verdicts[LP_COVER_UNKNOWN]);
    if (tally->errors)
        fprintf(stderr, "; %zu %s", tally->errors, tally->errors == 1 ? "error" : "errors");
    fprintf(stderr, " (%.2f s)\n", session_clock() - cover->session.started);
}

/* ---- one net ---- */

static void fail(struct deciding *deciding, lp_status status, const lp_error *error)
{
    struct text text = TEXT_EMPTY;
    error_append(error, deciding->operand, &text);
    deciding->messages = text_take(&text);
    deciding->outcome->tally.errors++;
    deciding->outcome->status = status == LP_INTERNAL ? EXIT_FAULT : EXIT_INPUT;
    if (deciding->cover->options->junit)
        junit_append_error(deciding->operand, error->message, &deciding->outcome->junit);
}

static void keep_trace(struct deciding *deciding, const struct coverage_report *report)
{
    struct outcome *outcome = deciding->outcome;
    if (!deciding->cover->options->trace || !report->result || !report->result->has_execution)
        return;
    FILE *out = open_memstream(&outcome->trace, &outcome->trace_length);
    if (!out)
        return;
    coverage_trace(report, deciding->hash, out);
    fclose(out);
}

static void render(struct deciding *deciding, const struct coverage_report *report, FILE *out)
{
    static const int statuses[] = {
        [LP_SAFE] = EXIT_HOLDS, [LP_UNSAFE] = EXIT_VIOLATION, [LP_COVER_UNKNOWN] = EXIT_UNDECIDED};
    const struct cover *cover = deciding->cover;
    struct text text = TEXT_EMPTY, replay = TEXT_EMPTY;
    struct report_style style = cover->style, plain = {.terminal = TERMINAL_PLAIN};
    lp_cover_verdict verdict = coverage_verdict(report);
    if (!input_is_stream(deciding->operand)) {
        words_append_net_replay(cover->options, deciding->operand, &replay);
        style.replay = plain.replay = text_string(&replay);
    }
    plain.terminal.unicode = true;
    deciding->outcome->status = statuses[verdict];
    deciding->outcome->tally.verdicts[verdict]++;
    if (cover->options->json) {
        yajl_gen json = json_begin(out);
        coverage_json_fields(report, json);
        json_end(json, out);
    } else {
        coverage_text(report, &style, &text);
        fwrite(text_string(&text), 1, text.length, out);
    }
    if (cover->options->junit) {
        text_clear(&text);
        coverage_text(report, &plain, &text);
        coverage_junit(report, text_string(&text), &deciding->outcome->junit);
    }
    keep_trace(deciding, report);
    text_release(&text);
    text_release(&replay);
}

/* "FILE: warning: MESSAGE", on standard error. */
static void warn(struct deciding *deciding, const lp_coverage *result)
{
    struct text text = TEXT_EMPTY;
    for (size_t i = 0; i < result->warning_count; i++) {
        utf8_append_shown(&text, deciding->operand, strlen(deciding->operand), true);
        text_format(&text, ": warning: %s\n", result->warnings[i].message);
    }
    if (text.length)
        deciding->messages = text_take(&text);
    text_release(&text);
}

/* The library was given what is left of time and memory; the user knows the limits of the command
 * line. */
static void render_answer(struct deciding *deciding, const lp_coverage *result, FILE *out)
{
    struct text reason = TEXT_EMPTY;
    const struct session *session = &deciding->cover->session;
    lp_limit limit = result ? result->limit : limit_find(session, deciding->began);
    if (limit != LP_LIMIT_NONE) {
        limit_append(session, limit, deciding->began, &reason);
        text_append(&reason, result ? " after " : " before the net was read");
        if (result)
            report_text_count(result->explored, "marking", "markings", &reason);
        if (result && result->unchecked)
            text_format(&reason, "; found %s, but this could not be checked any more",
                        result->unchecked);
    } else
        text_append(&reason, result ? result->reason : "");
    const struct coverage_report report = {.input = deciding->operand,
                                           .reason = text_string(&reason),
                                           .result = result,
                                           .limit = limit};
    render(deciding, &report, out);
    if (result)
        warn(deciding, result);
    text_release(&reason);
}

static bool wants_memory(const struct deciding *deciding, lp_status status,
                         const lp_coverage *result, unsigned share)
{
    const struct session *session = &deciding->cover->session;
    bool refused = status == LP_LIMIT || (status == LP_OK && result->limit == LP_LIMIT_MEMORY);
    return refused && share > 1 && !input_is_stream(deciding->operand) &&
           !atomic_load(&deciding->cover->session.interrupted) &&
           session_remaining(session, deciding->began, NULL) > 0;
}

static lp_status ask(struct deciding *deciding, lp_context *context, lp_net **net,
                     lp_coverage **result, lp_error *error)
{
    const struct session *session = &deciding->cover->session;
    if (!context || session_remaining(session, deciding->began, NULL) <= 0 ||
        atomic_load(&deciding->cover->session.interrupted))
        return LP_LIMIT;
    lp_status status = lp_net_read_within(context, deciding->operand,
                                          session_timeout(session, deciding->began), net, error);
    if (status != LP_OK)
        return status;
    deciding->hash = lp_net_hash(*net);
    lp_cover_options inner = {.timeout = session_timeout(session, deciding->began),
                              .progress = show_progress,
                              .progress_user = deciding};
    return lp_cover(context, *net, &inner, result, error);
}

static void narrate_end(const struct deciding *deciding, const lp_context *context,
                        const lp_net *net)
{
    struct text line = TEXT_EMPTY;
    if (net) {
        report_text_count(lp_net_places(net), "place", "places", &line);
        text_append(&line, ", ");
        report_text_count(lp_net_transitions(net), "transition", "transitions", &line);
        text_append(&line, ", ");
    }
    text_format(&line, "done, %.3f s, ", session_clock() - deciding->began);
    text_append_size(&line, lp_context_memory_peak(context));
    text_append(&line, " at most");
    results_narrate(deciding->cover->options, &deciding->cover->progress, deciding->operand, &line);
    text_release(&line);
}

static void finish(struct deciding *deciding, lp_status status, const lp_coverage *result,
                   const lp_error *error)
{
    struct ordered *ordered = &deciding->cover->ordered;
    FILE *out = ordered_begin(ordered, deciding->index);
    if (status == LP_OK || status == LP_LIMIT)
        render_answer(deciding, result, out);
    else
        fail(deciding, status, error);
    if (!ordered_end(ordered, deciding->index, deciding->messages))
        session_interrupt(&deciding->cover->session); /* nobody hears the rest */
}

static void decide(struct cover *cover, size_t index, unsigned share)
{
    struct outcome *outcome = &cover->results.items[index];
    struct deciding deciding = {.cover = cover,
                                .index = index,
                                .operand = cover->options->operands[index],
                                .outcome = outcome,
                                .began = session_clock() - outcome->spent};
    lp_error error = {0};
    lp_net *net = NULL;
    lp_coverage *result = NULL;
    lp_context *context = session_open(&cover->session, share);
    lp_status status = ask(&deciding, context, &net, &result, &error);
    outcome->again = wants_memory(&deciding, status, result, share);
    if (outcome->again)
        outcome->spent = session_clock() - deciding.began;
    else
        finish(&deciding, status, result, &error);
    if (context)
        narrate_end(&deciding, context, net);
    lp_coverage_destroy(result);
    lp_net_destroy(net);
    if (context)
        session_close(&cover->session, context);
}

static void decide_share(void *context, size_t index, unsigned worker)
{
    (void)worker;
    struct cover *cover = context;
    decide(cover, index, cover->workers);
}

/* ---- all of them ---- */

static int decide_all(struct cover *cover, struct result_files *files)
{
    int status = EXIT_HOLDS;
    bool traced;
    size_t count = cover->options->operand_count;
    results_init(&cover->results, count);
    ordered_init(&cover->ordered, count, &cover->progress);
    cover->workers = count < cover->jobs ? (unsigned)count : cover->jobs;
    parallel_for(cover->workers, count, decide_share, cover);
    for (size_t i = 0; i < count; i++)
        if (cover->results.items[i].again)
            decide(cover, i, 1);
    progress_clear(&cover->progress);
    if (cover->ordered.failed)
        status = exit_unwritten(cover->ordered.reason);
    ordered_release(&cover->ordered);
    struct tally tally = results_sum(&cover->results, &status);
    status =
        exit_worst(status, result_files_write(files, &cover->results,
                                              session_clock() - cover->session.started, &traced));
    if (cover->options->trace && !traced) {
        struct text line = TEXT_EMPTY;
        text_append(&line, "not written, there is no unsafe net");
        results_narrate(cover->options, &cover->progress, cover->options->trace, &line);
        text_release(&line);
    }
    summarise(cover, &tally);
    results_release(&cover->results);
    return status;
}

/* Whether no file that is written is one of the nets. */
static bool outputs_make_sense(const struct options *options)
{
    for (size_t i = 0; i < options->operand_count; i++) {
        const char *net = options->operands[i];
        if (result_writes_over(options->junit, net) || result_writes_over(options->trace, net) ||
            result_writes_over(options->output, net)) {
            fprintf(stderr, "linchpin cover: '%s' is an input, and would be written over\n", net);
            return false;
        }
    }
    return true;
}

/* ---- writing in another format ---- */

static bool write_commands_make_sense(const struct options *options)
{
    static const char *const formats[] = {"spec", "tts", "prop", "pnml"};
    bool known = !options->to;
    for (size_t i = 0; options->to && i < ARRAY_LENGTH(formats); i++)
        known = known || strcmp(options->to, formats[i]) == 0;
    if (!known)
        fprintf(stderr, "linchpin cover: --to: expected spec, tts, prop or pnml, found '%s'\n",
                options->to);
    else if (options->output && !options->to)
        fputs("linchpin cover: --output says where --to writes, which is missing\n", stderr);
    else if (options->to && options->operand_count > 1)
        fputs("linchpin cover: --to writes one net\n", stderr);
    else
        return true;
    return false;
}

static int write_net(const lp_net *net, const struct options *options)
{
    struct output *output;
    struct error error;
    lp_error fault = {0};
    if (output_open(options->output ? options->output : "-", &output, &error) != STATUS_OK) {
        fprintf(stderr, "linchpin cover: %s\n", error.message);
        return EXIT_INPUT;
    }
    if (lp_net_write(net, options->to, output_stream(output), &fault) != LP_OK) {
        output_abandon(output);
        fprintf(stderr, "linchpin cover: %s\n", fault.message);
        return EXIT_INPUT;
    }
    if (output_commit(output, &error) == STATUS_OK)
        return EXIT_HOLDS;
    fprintf(stderr, "linchpin cover: %s\n", error.message);
    return EXIT_INPUT;
}

static int convert(struct cover *cover)
{
    const struct options *options = cover->options;
    lp_error error = {0};
    lp_net *net = NULL;
    lp_context *context = session_open(&cover->session, 1);
    lp_status status =
        context ? lp_net_read(context, options->operands[0], &net, &error) : LP_LIMIT;
    int result = EXIT_UNDECIDED;
    if (status == LP_OK)
        result = write_net(net, options);
    else if (status == LP_LIMIT)
        fputs("linchpin cover: a limit was reached before the net was read\n", stderr);
    else {
        struct text text = TEXT_EMPTY;
        error_append(&error, options->operands[0], &text);
        fputs(text_string(&text), stderr);
        text_release(&text);
        result = status == LP_INTERNAL ? EXIT_FAULT : EXIT_INPUT;
    }
    lp_net_destroy(net);
    if (context)
        session_close(&cover->session, context);
    return result;
}

/* ---- the command ---- */

int cover_run(const struct options *options)
{
    struct cover cover = {.options = options};
    struct result_files files = {0};
    if (!write_commands_make_sense(options) || !outputs_make_sense(options))
        return EXIT_INPUT;
    if (!options->to && !result_files_open(options, "cover", &files))
        return EXIT_INPUT;
    session_init(&cover.session, options);
    progress_init(&cover.progress, !options->no_progress && !(options->json && !options->verbose));
    cover.style = (struct report_style){
        .terminal = terminal_detect(STDOUT_FILENO, (enum colour_choice)options->colour),
        .quiet = options->quiet};
    cover.jobs = options->jobs ? (unsigned)options->jobs : parallel_cores();
    int status = options->to ? convert(&cover) : decide_all(&cover, &files);
    progress_release(&cover.progress);
    session_release(&cover.session);
    return status;
}
