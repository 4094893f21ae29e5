/* linchpin stress: the sources are one piece of work; each of their tests has an answer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/installed.h"
#include "cli/run.h"
#include "cli/words.h"
#include "report/stressed.h"

enum {
    THREADS = 3, /* unless given */
    GIVE_WAY_ONE_IN = 4,
};

struct request {
    struct text runtime;
    uint64_t seed;
    unsigned threads;
};

struct stress {
    lp_stress_result *results;
    size_t count;
};

static lp_status decide(struct work *work, lp_error *error)
{
    const struct options *options = work->run->options;
    const struct request *request = work->run->request;
    struct stress *stress = work->own;
    const lp_stress_options inner = {.size = sizeof inner,
                                     .sources = (const char *const *)options->operands,
                                     .source_count = options->operand_count,
                                     .flags = (const char *const *)options->flags,
                                     .flag_count = options->flag_count,
                                     .runtime = text_string(&request->runtime),
                                     .test = options->test,
                                     .threads = request->threads,
                                     .operations = (unsigned)options->calls,
                                     .seed = request->seed,
                                     .list = options->list,
                                     .rounds = options->rounds,
                                     .timeout = options->timeout,
                                     .give_way_one_in = options->no_yield ? 0 : GIVE_WAY_ONE_IN,
                                     .widening = (unsigned)options->widening,
                                     .confirm = options->confirm};
    return work->context ? lp_stress(work->context, &inner, &stress->results, &stress->count, error)
                         : LP_LIMIT;
}

static void release(struct work *work)
{
    const struct stress *stress = work->own;
    lp_stress_results_destroy(stress->results, stress->count);
}

/* ---- showing ---- */

static int write_history(void *user, FILE *out)
{
    const lp_history *history = user;
    lp_error error = {0};
    if (lp_history_write(history, "json", out, &error) == LP_OK)
        return EXIT_HOLDS;
    fprintf(stderr, "linchpin stress: %s\n", error.message);
    return EXIT_INPUT;
}

/* The command that runs the same operations again: the same threads may still meet otherwise. */
static void append_again(const struct work *work, const lp_stress_result *found, struct text *text)
{
    const struct options *options = work->run->options;
    const struct request *request = work->run->request;
    text_format(text, "linchpin stress --seed %" PRIu64 " --threads %u", request->seed,
                request->threads);
    if (options->calls)
        text_format(text, " --ops %zu", options->calls);
    if (options->no_yield)
        text_append(text, " --no-yield");
    if (options->widening)
        text_format(text, " --widen %zu", options->widening);
    if (options->confirm)
        text_append(text, " --confirm");
    text_append(text, " --test");
    words_append_word(found->test, text);
    for (size_t i = 0; i < options->operand_count; i++)
        words_append_word(options->operands[i], text);
    for (size_t i = 0; i < options->flag_count; i++) {
        text_append(text, i ? "" : " --");
        words_append_word(options->flags[i], text);
    }
}

/* What a violation rests on where operations were widened. */
static void append_assumption(const struct options *options, const lp_stress_result *found,
                              struct text *reason)
{
    if (!options->widening || found->finding != LP_STRESS_VIOLATION)
        return;
    if (found->confirmation == LP_STRESS_NOT_ASKED)
        text_format(reason, "; that %zu ns is widened enough is an assumption (see --confirm)",
                    options->widening);
    else if (found->confirmation == LP_STRESS_CONFIRMED)
        text_append(reason, "; confirmed with fenced time stamps");
    else
        text_format(reason,
                    "; but not with fenced time stamps, in %" PRIu64
                    " rounds: that %zu ns is widened enough is an assumption",
                    found->confirming_rounds, options->widening);
}

static void append_reason(const struct options *options, const lp_stress_result *found,
                          struct text *reason)
{
    if (found->finding != LP_STRESS_NOTHING) {
        text_format(reason, "round %" PRIu64 ": %s", found->round, found->reason);
        append_assumption(options, found, reason);
    } else if (*found->reason)
        text_append(reason, found->reason);
    else if (found->verdict == LP_UNKNOWN && found->rounds == 0 && found->left_out)
        text_append(reason, "no round was decided");
    else if (found->verdict == LP_UNKNOWN && found->rounds == 0)
        text_append(reason, "no round came to its end in the time given");
    else if (found->verdict == LP_UNKNOWN)
        text_append(reason, *found->spec
                                ? "interrupted: all rounds until then were linearizable"
                                : "the test names no specification: only crashes and hangs "
                                  "were looked for, and none came");
    else
        text_append(reason, "every round that was run is linearizable; others may not be");
    if (found->finding == LP_STRESS_NOTHING && found->rounds && !found->left_out &&
        found->rounds < options->rounds && found->verdict == LP_LINEARIZABLE)
        text_format(reason, "; the time was up behind %" PRIu64 " of %zu rounds", found->rounds,
                    options->rounds);
    if (found->left_out)
        text_format(reason,
                    "; %" PRIu64 " %s left out, as no order of their calls is legal, whatever "
                    "they answer",
                    found->left_out, found->left_out == 1 ? "round was" : "rounds were");
}

static void show(struct work *work, lp_status status, const lp_error *error)
{
    const struct stress *stress = work->own;
    const struct options *options = work->run->options;
    const struct request *request = work->run->request;
    bool wanted = options->output != NULL;
    if (status != LP_OK) {
        work_fail(work, status, error);
        return;
    }
    for (size_t i = 0; options->list && i < stress->count; i++)
        fprintf(work->out, "%s%s%s\n", stress->results[i].test,
                *stress->results[i].spec ? ": " : "", stress->results[i].spec);
    if (options->list)
        return;
    for (size_t i = 0; i < stress->count; i++) {
        const lp_stress_result *found = &stress->results[i];
        struct report *report =
            found->result ? report_create(found->history, found->result, false) : NULL;
        struct text again = TEXT_EMPTY;
        struct result result = {.input = work->name, .limit = LP_LIMIT_NONE};
        append_reason(options, found, &result.reason);
        if (report)
            report->has_no_trace = true;
        if (found->finding != LP_STRESS_NOTHING)
            append_again(work, found, &again);
        stressed_fill(&result,
                      &(struct stressed){.found = found,
                                         .report = report,
                                         .kept = wanted ? options->output : NULL,
                                         .again = again.length ? text_string(&again) : NULL,
                                         .threads = request->threads,
                                         .seed = request->seed});
        work_show(work, &result);
        if (wanted && found->history) {
            (void)output_by("stress", options->output, write_history, found->history);
            wanted = false;
        }
        report_destroy(report);
        text_release(&again);
    }
}

static bool narrate(const struct work *work, struct text *line)
{
    text_format(line, "done, %.3f s, ", session_clock() - work->began);
    return true;
}

static const struct run_kind kind = {
    .command = "stress",
    .size = sizeof(struct stress),
    .decide = decide,
    .show = show,
    .narrate = narrate,
    .release = release,
    .untraced = "violation",
    .pieces = {"test", "tests"},
    .good = {"linearizable", "linearizable"},
    .bad = {"violation", "violations"},
    .counts_none = true,
};

int stress_run(const struct options *options)
{
    struct run run;
    struct result_files files = {0};
    struct request request = {
        .threads = options->threads ? (unsigned)options->threads : THREADS,
        .seed = options->has_seed ? options->seed : (uint64_t)time(NULL) ^ (uint64_t)getpid()};
    int status = EXIT_INPUT;
    if (options->confirm && !options->widening) {
        fputs("linchpin stress: --confirm: expected --widen besides it: fenced time stamps need no "
              "confirmation\n",
              stderr);
        return EXIT_INPUT;
    }
    if (request.threads > 64) {
        fprintf(stderr, "linchpin stress: --threads: expected at most 64, found %u\n",
                request.threads);
        return EXIT_INPUT;
    }
    if (installed_runtime("stress", "stress.o", &request.runtime) &&
        run_open(&run, &kind, options, &request)) {
        const char *const names[] = {options->operands[0]};
        if (result_files_open(options, "stress", &files))
            status = run_all(&run, names, 1, &files);
        status = run_close(&run, status);
    }
    text_release(&request.runtime);
    return status;
}
