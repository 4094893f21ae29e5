/* One input after another on each thread. Each input has a context of its own with its share of the
 * memory; what a share is too small for is to be decided again, alone and with all of it, so that
 * the verdict does not depend on what else was asked. */
#include "cli/decide.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/quantity.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/words.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/label.h"
#include "report/trace.h"

/* One input while it is being decided. */
struct work {
    struct check *check;
    size_t index;
    const char *operand;
    struct outcome *outcome;
    lp_context *context;
    struct bindings bindings;
    unsigned jobs;
    unsigned share; /* 1/share of the memory */
    double began;
    lp_history **histories;
    size_t count;
    struct answer *answers; /* of each history */
    char *messages;
};

struct answer {
    struct work *work;
    lp_status status;
    lp_result *result;
    lp_error error;
};

/* "[3/102] orders.edn: 12 of 100 parts, 1,200,000 steps (800,000/s), 340 MB, 12 s" */
static void show_progress(void *user, const lp_progress *now)
{
    const struct answer *answer = user;
    const struct work *work = answer->work;
    struct check *check = work->check;
    struct text line = TEXT_EMPTY;
    if (!progress_due(&check->progress))
        return;
    if (check->inputs.count > 1)
        text_format(&line, "[%zu/%zu] ", work->index + 1, check->inputs.count);
    utf8_append_shown(&line, work->operand, strlen(work->operand), true);
    text_append(&line, ": ");
    text_append_count(&line, now->parts_done);
    text_append(&line, " of ");
    text_append_count(&line, now->parts);
    text_append(&line, now->parts == 1 ? " part, " : " parts, ");
    text_append_count(&line, now->explored);
    text_append(&line, " steps");
    if (now->seconds > 0) {
        text_append(&line, " (");
        text_append_count(&line, (uint64_t)((double)now->explored / now->seconds));
        text_append(&line, "/s)");
    }
    text_format(&line, ", %zu MB, %.0f s", now->memory >> 20, now->seconds);
    progress_draw(&check->progress, text_string(&line));
    text_release(&line);
}

static void decide(void *context, size_t i, unsigned worker)
{
    (void)worker;
    struct work *work = context;
    struct answer *answer = &work->answers[i];
    const struct check *check = work->check;
    struct bindings bindings = {0};
    lp_check_options options = {
        .method = check->method,
        .inferred = &check->choice.options,
        .independent = check->options->independent,
        .results = results_named(check->options->results),
        .all = check->options->all,
        .jobs = work->count >= work->jobs ? 1 : work->jobs / (unsigned)work->count,
        .timeout = session_timeout(&check->session, work->began),
        .progress = show_progress,
        .progress_user = answer,
        .require = check->options->require};
    answer->work = work;
    answer->status = bindings_create(work->context, &check->choice, &bindings, &answer->error);
    if (answer->status == LP_OK)
        answer->status =
            lp_check(work->context, work->histories[i], bindings.count ? bindings.items : NULL,
                     bindings.count, &options, &answer->result, &answer->error);
    bindings_release(&bindings);
}

static void keep_trace(struct work *work, const struct report *report)
{
    const struct options *options = work->check->options;
    if (!options->trace || work->outcome->trace)
        return;
    struct trace request = {.hash = lp_history_hash(report->history),
                            .specs = (char **)(uintptr_t)options->specs,
                            .spec_count = options->spec_count,
                            .initial = (char *)(uintptr_t)options->initial,
                            .format = (char *)(uintptr_t)options->format,
                            .method = (char *)(uintptr_t)options->method,
                            .results = (char *)(uintptr_t)options->results,
                            .order = (char *)(uintptr_t)options->order,
                            .independent = options->independent,
                            .owned = options->owned,
                            .knossos_nil = options->knossos_nil};
    FILE *out = open_memstream(&work->outcome->trace, &work->outcome->trace_length);
    if (!out)
        return;
    trace_write(&request, report, out);
    fclose(out);
}

static void write_witness(const struct report *report, FILE *out)
{
    lp_error error;
    const lp_result *result = report->result;
    lp_history *sequential =
        lp_history_sequential(report->history, result->linearization, result->linearization_length);
    if (!sequential || lp_history_write(sequential, NULL, out, &error) != LP_OK)
        fprintf(out, "(the order cannot be written: %s)\n",
                sequential ? error.message : "no memory is left");
    lp_history_destroy(sequential);
}

static void render(struct work *work, const struct report *report, FILE *out)
{
    static const int statuses[] = {[LP_LINEARIZABLE] = EXIT_HOLDS,
                                   [LP_VIOLATION] = EXIT_VIOLATION,
                                   [LP_UNKNOWN] = EXIT_UNDECIDED};
    const struct options *options = work->check->options;
    struct text text = TEXT_EMPTY, replay = TEXT_EMPTY;
    words_append_replay(options, report->input, &replay);
    work->outcome->status = exit_worst(work->outcome->status, statuses[report->verdict]);
    work->outcome->tally.verdicts[report->verdict]++;
    if (options->json)
        report_json(report, options->witness, out);
    else {
        struct report_style style = work->check->style;
        style.replay = text_string(&replay);
        report_text(report, &style, &text);
        fwrite(text_string(&text), 1, text.length, out);
        if (options->witness && report->verdict == LP_LINEARIZABLE)
            write_witness(report, out);
    }
    if (options->junit) {
        struct report_style plain = {.terminal = TERMINAL_PLAIN, .replay = text_string(&replay)};
        plain.terminal.unicode = true;
        text_clear(&text);
        report_text(report, &plain, &text);
        junit_append_report(report, text_string(&text), &work->outcome->junit);
    }
    if (report->verdict == LP_VIOLATION)
        keep_trace(work, report);
    text_release(&text);
    text_release(&replay);
}

static void fail(struct work *work, lp_status status, const lp_error *error)
{
    struct text text = TEXT_EMPTY;
    if (work->messages)
        text_append(&text, work->messages);
    free(work->messages);
    error_append(error, work->operand, &text);
    work->messages = text_take(&text);
    work->outcome->tally.errors++;
    work->outcome->status =
        exit_worst(work->outcome->status, status == LP_INTERNAL ? EXIT_FAULT : EXIT_INPUT);
    if (work->check->options->junit)
        junit_append_error(work->operand, error->message, &work->outcome->junit);
}

/* "FILE:LINE: warning: MESSAGE", among the messages of the input. */
static void warn(struct work *work, const char *name, const lp_result *result)
{
    struct text text = TEXT_EMPTY;
    if (work->messages)
        text_append(&text, work->messages);
    free(work->messages);
    for (size_t i = 0; i < result->warning_count; i++) {
        const lp_warning *warning = &result->warnings[i];
        utf8_append_shown(&text, name, strlen(name), true);
        if (warning->line)
            text_format(&text, ":%" PRIu32, warning->line);
        text_append(&text, ": warning: ");
        utf8_append_shown(&text, warning->message, strlen(warning->message), true);
        text_append(&text, "\n");
    }
    work->messages = text_take(&text);
}

/* A limit stopped the work before there was a result. */
static void render_unread(struct work *work, const char *name, const char *doing, FILE *out)
{
    const struct session *session = &work->check->session;
    struct text reason = TEXT_EMPTY;
    lp_limit limit = limit_find(session, work->began);
    limit_append(session, limit, work->began, &reason);
    text_format(&reason, " %s", doing);
    struct report *report = report_create_unread(name, limit, text_string(&reason));
    render(work, report, out);
    report_destroy(report);
    text_release(&reason);
}

/* The library was given what is left of time and memory, and names these as the limits, before a
 * colon; the user knows those of the command line. */
static void append_limit(const struct work *work, const lp_result *result, struct text *reason)
{
    const char *covered = strchr(result->reason, ':');
    limit_append(&work->check->session, result->limit, work->began, reason);
    text_append(reason, covered ? covered : "");
}

static void render_answer(struct work *work, size_t i, FILE *out)
{
    struct answer *answer = &work->answers[i];
    char *name = input_name(work->operand, work->histories[i]);
    if (answer->status == LP_OK) {
        struct text reason = TEXT_EMPTY;
        struct report *report = report_create(name, work->histories[i], answer->result);
        if (report->verdict == LP_UNKNOWN) {
            append_limit(work, answer->result, &reason);
            report->reason = text_string(&reason);
        }
        render(work, report, out);
        if (answer->result->warning_count)
            warn(work, name, answer->result);
        report_destroy(report);
        text_release(&reason);
    } else if (answer->status == LP_LIMIT)
        render_unread(work, name, "before it was decided", out);
    else
        fail(work, answer->status, &answer->error);
    free(name);
}

/* Whether some history stopped at its share of the memory. */
static bool wants_memory(const struct work *work, lp_status status)
{
    bool refused = status == LP_LIMIT;
    for (size_t i = 0; i < work->count; i++) {
        const struct answer *answer = &work->answers[i];
        refused = refused || answer->status == LP_LIMIT ||
                  (answer->status == LP_OK && answer->result->verdict == LP_UNKNOWN &&
                   answer->result->limit == LP_LIMIT_MEMORY);
    }
    return refused && work->share > 1 && !atomic_load(&work->check->session.interrupted) &&
           session_remaining(&work->check->session, work->began, NULL) > 0;
}

static void narrate_read(const struct work *work, const lp_history *history)
{
    struct text line = TEXT_EMPTY;
    text_append(&line, "read ");
    text_append_count(&line, lp_history_length(history));
    text_format(&line, " operations (%s), %.3f s, ", lp_history_format(history),
                session_clock() - work->began);
    text_append_size(&line, lp_context_memory(work->context));
    results_narrate(work->check->options, &work->check->progress, lp_history_name(history), &line);
    text_release(&line);
}

static lp_status read_input(struct work *work, lp_error *error)
{
    struct check *check = work->check;
    bool over = session_remaining(&check->session, work->began, NULL) <= 0;
    if (over || atomic_load(&check->session.interrupted))
        return LP_LIMIT;
    lp_read_options options = {.format = check->options->format,
                               .jobs = work->jobs,
                               .order = order_named(check->options->order),
                               .timeout = session_timeout(&check->session, work->began)};
    lp_status status =
        input_read(work->context, work->operand, &options, &work->histories, &work->count, error);
    for (size_t i = 0; i < work->count; i++)
        narrate_read(work, work->histories[i]);
    return status;
}

static void finish(struct work *work, lp_status status, const lp_error *error)
{
    FILE *out = ordered_begin(&work->check->ordered, work->index);
    if (status == LP_LIMIT)
        render_unread(work, work->operand, "before it was read", out);
    else if (status != LP_OK)
        fail(work, status, error);
    for (size_t i = 0; i < work->count; i++)
        render_answer(work, i, out);
    if (!ordered_end(&work->check->ordered, work->index, work->messages))
        session_interrupt(&work->check->session); /* nobody hears the rest */
}

static void narrate_end(const struct work *work)
{
    struct text line = TEXT_EMPTY;
    text_append(&line, "done, ");
    text_append_size(&line, lp_context_memory_peak(work->context));
    text_append(&line, " at most");
    results_narrate(work->check->options, &work->check->progress, work->operand, &line);
    text_release(&line);
}

void decide_input(struct check *check, size_t index, unsigned share, unsigned jobs)
{
    struct work work = {.check = check,
                        .index = index,
                        .operand = check->inputs.names[index],
                        .outcome = &check->results.items[index],
                        .jobs = jobs,
                        .share = share,
                        .began = session_clock() - check->results.items[index].spent};
    lp_error error = {0};
    lp_status status = LP_LIMIT;
    work.context = session_open(&check->session, share);
    if (work.context)
        status = read_input(&work, &error);
    work.answers = memory_small(work.count * sizeof *work.answers);
    memset(work.answers, 0, work.count * sizeof *work.answers);
    parallel_for(jobs, work.count, decide, &work);
    work.outcome->again = wants_memory(&work, status);
    if (work.outcome->again)
        work.outcome->spent = session_clock() - work.began;
    else
        finish(&work, status, &error);
    for (size_t i = 0; i < work.count; i++)
        lp_result_destroy(work.answers[i].result);
    free(work.answers);
    input_release(work.histories, work.count);
    if (work.context) {
        narrate_end(&work);
        session_close(&check->session, work.context);
    }
}
