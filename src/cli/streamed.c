/* Whether a history is linearizable can be found out in one pass, in the memory of what is open
 * (stream/); everything else that there is to say (why it is not, an order, a picture) takes the
 * operations. So a large file is read twice where it is not linearizable, or not decided by
 * monitors: the first time in vain. docs/decisions/0025-large-files.md says why that is sound and
 * worth it. */
#include "cli/streamed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/quantity.h"
#include "base/source.h"

#define BLOCK ((size_t)256 << 10)
#define LARGE ((off_t)8 << 20) /* bytes; below, a history takes 20 MB at most */

static bool is_or_none(const char *given, const char *wanted)
{
    return !given || strcmp(given, wanted) == 0;
}

/* Whether what was asked can be answered without the operations, and without what one pass cannot
 * know: how the answers of a map are to be read, what the order of the times is. */
static bool is_enough(const struct options *options)
{
    return options->spec_count == 1 && !strchr(options->specs[0], '=') &&
           is_or_none(options->method, "auto") && is_or_none(options->order, "file") &&
           !options->results && !options->initial && !options->independent && !options->witness &&
           !options->proof && !options->html && !options->mpi && !options->verbose &&
           !options->log && options->timeout <= 0 && options->total_timeout <= 0;
}

/* Builds in which things fail on purpose (base/faults.h) are told by the environment, too. */
static off_t large_from(void)
{
#ifdef LINCHPIN_FAULTS
    const char *said = getenv("LINCHPIN_LARGE");
    if (said)
        return strtoll(said, NULL, 10);
#endif
    return LARGE;
}

static bool is_large(const char *path)
{
    struct stat facts;
    return !input_is_standard(path) && stat(path, &facts) == 0 && S_ISREG(facts.st_mode) &&
           facts.st_size >= large_from();
}

static void show_progress(const struct work *work, const lp_monitor_state *state)
{
    struct text line = TEXT_EMPTY;
    if (!work_progress_begin(work, &line))
        return;
    double seconds = session_clock() - work->began;
    text_append_count(&line, state->operations);
    text_append(&line, " operations");
    work_progress_rate(state->operations, seconds, &line);
    work_progress_end(work, state->memory, seconds, &line);
}

/* Whether all of the file was told to the monitor, and there is hope. */
static bool feed_all(const struct work *work, struct source *source, lp_monitor *monitor)
{
    char *block = malloc(BLOCK);
    lp_error error;
    size_t got = 1;
    bool hope = block != NULL;
    while (hope && got > 0) {
        struct error fault;
        hope = source_read(source, block, BLOCK, &got, &fault) == STATUS_OK &&
               lp_monitor_feed(monitor, block, got, &error) == LP_OK;
        const lp_monitor_state *state = lp_monitor_look(monitor);
        hope &= state->verdict == LP_LINEARIZABLE && !work_is_over(work);
        if (hope)
            show_progress(work, state);
    }
    free(block);
    return hope && lp_monitor_end(monitor, &error) == LP_OK &&
           lp_monitor_decide(monitor, &error) == LP_OK;
}

/* Whether the answer is all that there is to say. */
static bool is_final(const struct work *work, const lp_result *result)
{
    return result->verdict == LP_LINEARIZABLE && result->operations > 0 &&
           result->operations >= work->run->options->require;
}

static bool decide(struct work *work, const struct bindings *bindings, lp_history **history,
                   lp_result **result)
{
    const struct options *options = work->run->options;
    const lp_monitor_options inner = {.size = sizeof inner,
                                      .format = options->format,
                                      .order = order_named(options->order),
                                      .jobs = work->jobs,
                                      .monitors_only = true};
    struct budget budget;
    struct source *source;
    lp_monitor *monitor;
    lp_error error;
    struct error fault;
    budget_init(&budget, NULL, 0);
    if (source_open(work->name, &budget, &source, &fault) != STATUS_OK)
        return false;
    bool decided = lp_monitor_create(work->context, work->name, bindings->items, bindings->count,
                                     &inner, &monitor, &error) == LP_OK;
    if (decided) {
        decided = feed_all(work, source, monitor) &&
                  lp_monitor_result(monitor, history, result, &error) == LP_OK;
        lp_monitor_destroy(monitor);
    }
    source_close(source);
    if (!decided || is_final(work, *result))
        return decided;
    lp_result_destroy(*result);
    lp_history_destroy(*history);
    return false;
}

bool streamed_decide(struct work *work, const struct spec_choice *choice, lp_history **history,
                     lp_result **result)
{
    struct bindings bindings = {0};
    lp_error error;
    if (work_is_over(work) || !is_enough(work->run->options) || !is_large(work->name))
        return false;
    bool decided = bindings_create(work->context, choice, &bindings, &error) == LP_OK &&
                   decide(work, &bindings, history, result);
    bindings_release(&bindings);
    return decided;
}
