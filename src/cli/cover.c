/* linchpin cover: each net is a piece of work. With --to a net is written in another format, and
 * nothing is decided. */
#include <string.h>

#include "cli/command.h"
#include "cli/run.h"
#include "cli/words.h"
#include "report/coverage.h"
#include "report/proof.h"

/* Of a net. */
struct covered {
    lp_net *net;
    uint64_t hash; /* once it is read */
    lp_coverage *result;
};

/* ---- deciding ---- */

static void show_progress(void *user, const lp_cover_progress *now)
{
    struct text line = TEXT_EMPTY;
    if (!work_progress_begin(user, &line))
        return;
    report_text_count(now->explored, "markings", "markings", &line);
    work_progress_end(user, now->memory, now->seconds, &line);
}

static lp_status decide(struct work *work, lp_error *error)
{
    const struct session *session = &work->run->session;
    struct covered *covered = work->own;
    if (work_is_over(work))
        return LP_LIMIT;
    lp_status status = lp_net_read_within(
        work->context, work->name, session_timeout(session, work->began), &covered->net, error);
    if (status != LP_OK)
        return status;
    covered->hash = lp_net_hash(covered->net);
    lp_cover_options inner = {.size = sizeof inner,
                              .timeout = session_timeout(session, work->began),
                              .progress = show_progress,
                              .progress_user = work};
    status = lp_cover(work->context, covered->net, &inner, &covered->result, error);
    work->short_of_memory = status == LP_OK && covered->result->limit == LP_LIMIT_MEMORY;
    return status;
}

static void release(struct work *work)
{
    const struct covered *covered = work->own;
    lp_coverage_destroy(covered->result);
    lp_net_destroy(covered->net);
}

/* ---- showing ---- */

static void write_trace(const struct work *work, const struct result *result, FILE *out)
{
    coverage_trace(result, ((const struct covered *)work->own)->hash, out);
}

static void append_reason(const lp_coverage *found, struct result *result)
{
    struct text *reason = &result->reason;
    if (!found)
        text_append(reason, " before the net was read");
    else if (result->limit == LP_LIMIT_NONE)
        text_append(reason, found->reason);
    else {
        text_append(reason, " after ");
        report_text_count(found->explored, "marking", "markings", reason);
        if (found->unchecked)
            text_format(reason, "; found %s, but this could not be checked any more",
                        found->unchecked);
    }
}

static void show(struct work *work, lp_status status, const lp_error *error)
{
    const lp_coverage *found = ((const struct covered *)work->own)->result;
    if (status != LP_OK && status != LP_LIMIT) {
        work_fail(work, status, error);
        return;
    }
    struct result result = {.input = work->name};
    work_limit(work, found ? &found->limit : NULL, &result);
    append_reason(found, &result);
    coverage_fill(&result, found);
    if (!input_is_stream(work->name))
        words_append_net_replay(work->run->options, work->name, &result.replay);
    work_show(work, &result);
}

static bool narrate(const struct work *work, struct text *line)
{
    const lp_net *net = ((const struct covered *)work->own)->net;
    if (net) {
        report_text_count(lp_net_places(net), "place", "places", line);
        text_append(line, ", ");
        report_text_count(lp_net_transitions(net), "transition", "transitions", line);
        text_append(line, ", ");
    }
    text_format(line, "done, %.3f s, ", session_clock() - work->began);
    return true;
}

static const char *prove(const struct work *work, const struct result *result, struct text *proof)
{
    const struct covered *covered = work->own;
    if (!covered->result)
        return proof_of_nothing(result->input, "no certificate: the verdict is unknown", proof);
    return proof_of_net(covered->net, covered->result, proof);
}

static const struct run_kind kind = {
    .command = "cover",
    .size = sizeof(struct covered),
    .decide = decide,
    .show = show,
    .trace = write_trace,
    .prove = prove,
    .narrate = narrate,
    .release = release,
    .untraced = "unsafe net",
    .pieces = {"net", "nets"},
    .good = {"safe", "safe"},
    .bad = {"unsafe", "unsafe"},
    .counts_none = true,
};

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

struct writing {
    const lp_net *net;
    const char *format;
};

static int write_net(void *user, FILE *out)
{
    const struct writing *writing = user;
    lp_error error = {0};
    if (lp_net_write(writing->net, writing->format, out, &error) == LP_OK)
        return EXIT_HOLDS;
    fprintf(stderr, "linchpin cover: %s\n", error.message);
    return EXIT_INPUT;
}

static int convert(struct run *run)
{
    const struct options *options = run->options;
    lp_error error = {0};
    lp_net *net = NULL;
    lp_context *context = session_open(&run->session, 1, options->operands[0]);
    lp_status status =
        context ? lp_net_read(context, options->operands[0], &net, &error) : LP_LIMIT;
    int result = EXIT_UNDECIDED;
    if (status == LP_OK)
        result =
            output_by("cover", options->output, write_net, &(struct writing){net, options->to});
    else if (status == LP_LIMIT)
        fputs("linchpin cover: a limit was reached before the net was read\n", stderr);
    else
        result = error_print(status, &error, options->operands[0], options->json);
    lp_net_destroy(net);
    if (context)
        session_close(&run->session, context);
    return result;
}

/* ---- the command ---- */

int cover_run(const struct options *options)
{
    struct run run;
    struct result_files files = {0};
    if (!write_commands_make_sense(options))
        return EXIT_INPUT;
    for (size_t i = 0; i < options->operand_count; i++)
        if (!outputs_spare(options, "cover", options->operands[i]))
            return EXIT_INPUT;
    if (!run_open(&run, &kind, options, NULL))
        return EXIT_INPUT;
    run.streams = true;
    int status = EXIT_INPUT;
    if (options->to)
        status = convert(&run);
    else if (result_files_open(options, "cover", &files))
        status =
            run_all(&run, (const char *const *)options->operands, options->operand_count, &files);
    return run_close(&run, status);
}
