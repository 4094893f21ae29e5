/* The thread reads the model anew: a model may be used by several threads, but the one of the
 * document goes away with the next change. */
#include "lsp/assertion_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/expectation.h"
#include "report/json.h"
#include "report/text.h"
#include "report/tree.h"

#define MOST_STEPS 200 /* that are kept with their places */

const char *assertion_run_answer_word(lp_answer answer)
{
    return answer == LP_HOLDS ? "holds" : answer == LP_VIOLATED ? "violated" : "unknown";
}

/* ---- progress ---- */

/* Begins a $/progress notification, its value open; false: nobody wants it. */
static bool begin_progress(struct assertion_run *run, const char *kind,
                           struct wire_message *message)
{
    if (!run->token)
        return false;
    wire_begin_notification(message, "$/progress");
    json_open_object(message->json, "params");
    json_add_key(message->json, "token");
    json_add_raw(message->json, run->token);
    json_open_object(message->json, "value");
    json_add_text(message->json, "kind", kind);
    return true;
}

static void end_progress(struct assertion_run *run, struct wire_message *message)
{
    yajl_gen_map_close(message->json);
    yajl_gen_map_close(message->json);
    wire_send(run->wire, message);
}

static void tell_begin(struct assertion_run *run)
{
    struct wire_message message;
    if (!begin_progress(run, "begin", &message))
        return;
    json_add_text(message.json, "title", "linchpin");
    json_add_text(message.json, "message", run->assertion);
    json_add_boolean(message.json, "cancellable", true);
    end_progress(run, &message);
}

static void tell_progress(void *user, const lp_verify_progress *progress)
{
    struct assertion_run *run = user;
    struct wire_message message;
    struct text text = TEXT_EMPTY;
    if (!begin_progress(run, "report", &message))
        return;
    report_text_count(progress->explored, "state", "states", &text);
    json_add_text(message.json, "message", text_string(&text));
    end_progress(run, &message);
    text_release(&text);
}

static void tell_end(struct assertion_run *run)
{
    struct wire_message message;
    if (!begin_progress(run, "end", &message))
        return;
    if (run->verdict)
        json_add_text(message.json, "message", run->verdict->title);
    end_progress(run, &message);
}

/* ---- verdicts ---- */

/* "holds (212 states)", "violated (12 states, expected: holds)" */
static char *make_title(const struct assertion_run *run, const lp_verification *found)
{
    struct text title = TEXT_EMPTY;
    text_append(&title, assertion_run_answer_word(found->answer));
    text_append(&title, " (");
    report_text_count(found->states, "state", "states", &title);
    if (run->is_expected || run->answer != LP_HOLDS)
        text_format(&title, ", %s%s", run->answer == run->expected ? "as expected" : "expected: ",
                    run->answer == run->expected ? "" : assertion_run_answer_word(run->expected));
    text_append(&title, ")");
    return text_take(&title);
}

static void keep_steps(struct verdict *verdict, const lp_execution *execution)
{
    size_t room = execution->length < MOST_STEPS ? execution->length : MOST_STEPS;
    verdict->steps = memory_small(room * sizeof *verdict->steps);
    for (size_t i = 0; i < execution->length && verdict->step_count < room; i++) {
        const lp_step *step = &execution->steps[i];
        struct text says = TEXT_EMPTY;
        if (!step->line)
            continue;
        text_format(&says, "%zu. %s", i + 1, step->event);
        for (size_t j = 0; j < step->change_count; j++)
            text_format(&says, "%s%s = %s", j ? ", " : ": ", step->changes[j].name,
                        step->changes[j].value);
        verdict->steps[verdict->step_count++] =
            (struct verdict_step){.file = step->file ? text_copy(step->file) : NULL,
                                  .line = step->line,
                                  .says = text_take(&says)};
    }
}

static char *make_report(const struct assertion_run *run, const lp_model *model,
                         const lp_verification *found)
{
    lp_report *report = lp_report_create(LP_REPORT_TEXT, NULL);
    if (!report)
        return text_copy("");
    lp_report_verification(report, model, run->index, found, run->path);
    char *made = lp_report_finish(report, NULL);
    return made ? made : text_copy("");
}

static struct verdict *make_verdict(const struct assertion_run *run)
{
    struct verdict *verdict = memory_small(sizeof *verdict);
    *verdict = (struct verdict){.assertion = text_copy(run->assertion)};
    return verdict;
}

static void take_answer(struct assertion_run *run, const lp_model *model,
                        const lp_verification *found)
{
    struct verdict *verdict = make_verdict(run);
    run->has_answer = true;
    run->answer = found->answer;
    run->states = found->states;
    run->transitions = found->transitions;
    run->seconds = found->seconds;
    run->limit = found->limit;
    verdict->title = make_title(run, found);
    verdict->report = make_report(run, model, found);
    verdict->hash = lp_model_hash(model);
    verdict->as_expected = run->answer == run->expected;
    verdict->is_unknown = run->answer == LP_UNDECIDED;
    verdict->reason = text_copy(found->reason ? found->reason : "");
    if (found->has_execution)
        keep_steps(verdict, &found->execution);
    run->verdict = verdict;
}

/* Of an assertion that could not be decided, or a model that could not be read. */
static void take_error(struct assertion_run *run, const lp_model *model,
                       const lp_verification *found)
{
    struct verdict *verdict = make_verdict(run);
    const char *file = run->error.file;
    verdict->is_error = true;
    verdict->is_unknown = run->status == LP_LIMIT;
    verdict->title = text_copy(run->status == LP_LIMIT ? "unknown (a limit was reached)" : "error");
    verdict->reason = text_copy(run->error.message);
    verdict->hash = model ? lp_model_hash(model) : 0;
    if (!*file || strcmp(file, run->path) == 0) {
        verdict->line = run->error.line;
        verdict->column = run->error.column;
    }
    struct text report = TEXT_EMPTY;
    text_format(&report, "%s:%" PRIu32 ": error: %s\n", *file ? file : run->path, run->error.line,
                run->error.message);
    verdict->report = text_take(&report);
    if (found && found->has_execution)
        keep_steps(verdict, &found->execution);
    run->verdict = verdict;
}

/* ---- the thread ---- */

static void decide(struct assertion_run *run, const lp_model *model)
{
    lp_assertion assertion;
    lp_verification *found = NULL;
    const lp_verify_options options = {.size = sizeof options,
                                       .timeout = run->settings->timeout,
                                       .progress = tell_progress,
                                       .progress_user = run};
    char *key =
        lp_model_assertion_at(model, run->index, &assertion) ? verdict_key(&assertion) : NULL;
    bool same = key && strcmp(key, run->assertion) == 0;
    free(key);
    if (!same) { /* a file that is included has changed */
        snprintf(run->error.message, sizeof run->error.message, "the assertion is no longer there");
        run->status = LP_INPUT;
        take_error(run, model, NULL);
        return;
    }
    run->is_expected = assertion.expected != NULL;
    if (!expectation_read(assertion.expected, LP_FAIRNESS_NONE, &run->expected, &run->error)) {
        run->status = LP_INPUT;
        run->error.line = assertion.line;
    } else {
        run->status = lp_verify(run->context, model, run->index, &options, &found, &run->error);
    }
    if (atomic_load(&run->cancelled))
        run->status = LP_LIMIT;
    else if (run->status == LP_OK)
        take_answer(run, model, found);
    else
        take_error(run, model, found);
    lp_verification_destroy(found);
}

static void *work(void *argument)
{
    struct assertion_run *run = argument;
    lp_model *model = NULL;
    size_t count;
    tell_begin(run);
    run->status = lp_model_parse_all(run->context, run->files, run->file_count, &model, NULL,
                                     &run->error, 1, &count);
    if (run->status == LP_OK)
        decide(run, model);
    else if (!atomic_load(&run->cancelled))
        take_error(run, NULL, NULL);
    lp_model_destroy(model);
    tell_end(run);
    run->finished(run);
    return NULL;
}

bool assertion_run_start(struct assertion_run *run)
{
    run->context = lp_context_create(run->settings->memory);
    if (run->context && atomic_load(&run->cancelled))
        lp_context_interrupt(run->context);
    run->started = run->context && pthread_create(&run->thread, NULL, work, run) == 0;
    return run->started;
}

void assertion_run_cancel(struct assertion_run *run)
{
    atomic_store(&run->cancelled, true);
    if (run->context)
        lp_context_interrupt(run->context);
}

void assertion_run_release(struct assertion_run *run)
{
    if (run->started)
        pthread_join(run->thread, NULL);
    if (run->context)
        lp_context_destroy(run->context);
    if (run->verdict)
        verdict_release(run->verdict);
    yajl_tree_free(run->request);
    free(run->uri);
    free(run->path);
    for (size_t i = 0; i < run->file_count; i++) {
        free((char *)(uintptr_t)run->files[i].path);
        free((char *)(uintptr_t)run->files[i].text);
    }
    free(run->files);
    free(run->assertion);
    free(run->token);
    free(run);
}

/* ---- the answer ---- */

void assertion_run_answer(struct assertion_run *run)
{
    yajl_val id = tree_find(run->request, "id", yajl_t_any);
    struct wire_message message;
    if (!run->verdict) {
        wire_answer_error(run->wire, id, WIRE_REQUEST_CANCELLED, "the run was cancelled");
        return;
    }
    wire_begin_answer(&message, id);
    yajl_gen json = message.json;
    yajl_gen_map_open(json);
    json_add_text(json, "assertion", run->assertion);
    json_add_text(json, "verdict",
                  run->has_answer            ? assertion_run_answer_word(run->answer)
                  : run->verdict->is_unknown ? assertion_run_answer_word(LP_UNDECIDED)
                                             : "error");
    json_add_text(json, "expected", assertion_run_answer_word(run->expected));
    json_add_boolean(json, "asExpected", run->verdict->as_expected);
    json_add_text(json, "reason", run->verdict->reason);
    json_add_text(json, "title", run->verdict->title);
    if (run->has_answer) {
        json_add_number(json, "states", run->states);
        json_add_number(json, "transitions", run->transitions);
        json_add_seconds(json, run->seconds);
    }
    json_add_text(json, "report", run->verdict->report);
    yajl_gen_map_close(json);
    wire_send(run->wire, &message);
}
