#include "cli/follow_shown.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/output.h"
#include "base/quantity.h"
#include "base/utf8.h"

#include <string.h>

static void append_part(struct text *text, uint64_t count, const char *what)
{
    text_append(text, ", ");
    text_append_count(text, count);
    text_append(text, what);
}

void follow_append(const struct follow_state *now, struct text *text)
{
    const lp_monitor_state *state = now->state;
    text_append_count(text, state->operations);
    text_append(text, " operations");
    work_progress_rate(state->operations - now->resumed, now->seconds, text);
    append_part(text, state->running, " running");
    append_part(text, state->pending, " pending");
    append_part(text, state->retained, " kept");
    if (state->held)
        append_part(text, state->held, " events held");
    if (state->late)
        append_part(text, state->late, " late");
    if (state->given_up)
        append_part(text, state->given_up, " given up");
    if (now->behind) {
        text_append(text, ", ");
        text_append_size(text, now->behind);
        text_append(text, " behind");
    }
}

void follow_say(struct work *work, const struct follow_state *now)
{
    struct text line = TEXT_EMPTY;
    static const char *const words[] = {[LP_LINEARIZABLE] = "linearizable so far",
                                        [LP_VIOLATION] = "violation",
                                        [LP_UNKNOWN] = "unknown"};
    utf8_append_shown(&line, work->name, strlen(work->name), true);
    text_format(&line, ": %s: ", words[now->state->verdict]);
    follow_append(now, &line);
    text_format(&line, ", %zu MB, %.0f s\n", now->state->memory >> 20, now->seconds);
    progress_clear(&work->run->progress);
    fputs(text_string(&line), stderr);
    text_release(&line);
}

/* ---- Prometheus ---- */

struct metric {
    const char *name, *kind, *help;
    double value;
};

static void write_metric(const struct metric *metric, FILE *out)
{
    fprintf(out, "# HELP linchpin_%s %s\n# TYPE linchpin_%s %s\nlinchpin_%s %.17g\n", metric->name,
            metric->help, metric->name, metric->kind, metric->name, metric->value);
}

static void write_metrics(const struct follow_state *now, FILE *out)
{
    const lp_monitor_state *state = now->state;
    bool violated = state->verdict == LP_VIOLATION;
    const struct metric metrics[] = {
        {"operations_total", "counter", "Invocations by clients.", (double)state->operations},
        {"lines_total", "counter", "Whole lines read.", (double)state->lines},
        {"skipped_events_total", "counter", "Events of no client.", (double)state->skipped},
        {"late_operations_total", "counter", "Operations taken as pending: they ran for too long.",
         (double)state->late},
        {"late_answers_total", "counter", "Answers of these, not judged.",
         (double)state->late_answers},
        {"running_operations", "gauge", "Operations that run.", (double)state->running},
        {"pending_operations", "gauge", "Operations that may or may not have happened.",
         (double)state->pending},
        {"retained_operations", "gauge", "Operations that are kept.", (double)state->retained},
        {"held_events", "gauge", "Events that wait for their place in the order of the times.",
         (double)state->held},
        {"objects", "gauge", "Objects and keys, each decided on its own.", (double)state->objects},
        {"given_up_objects", "gauge", "Objects of which nothing more is known.",
         (double)state->given_up},
        {"behind_bytes", "gauge", "Bytes of files that have not been read yet.",
         (double)now->behind},
        {"memory_bytes", "gauge", "Memory in use.", (double)state->memory},
        {"uptime_seconds", "gauge", "Time since the beginning.", now->seconds},
        {"violation", "gauge", "Whether the history is not linearizable.", violated},
        {"violation_line", "gauge", "The first line with which it is not; 0: it is.",
         violated ? state->line : 0},
        {"unknown", "gauge", "Whether the verdict is open, of some object.",
         state->verdict == LP_UNKNOWN},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(metrics); i++)
        write_metric(&metrics[i], out);
}

lp_status follow_write_metrics(const char *path, const struct follow_state *now, lp_error *error)
{
    struct output *output;
    struct error fault = {0};
    enum status status = output_open(path, &output, &fault);
    if (status == STATUS_OK) {
        write_metrics(now, output_stream(output));
        status = output_commit(output, &fault);
    }
    *error = (lp_error){0};
    snprintf(error->message, sizeof error->message, "%s", fault.message);
    return status == STATUS_OK ? LP_OK : LP_USAGE;
}
