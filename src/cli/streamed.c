/* Whether a history is linearizable can be found out in one pass, in the memory of what is open
 * (stream/); everything else that there is to say (why it is not, an order, a picture) takes the
 * operations. So a large file is read twice where it is not linearizable, or not decided by
 * monitors: the first time in vain. docs/decisions/0025-large-files.md says why that is sound and
 * worth it. What memory does not hold as a whole is read once more, and told of the operations that
 * are kept. */
#include "cli/streamed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/faults.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/source.h"

#define BLOCK ((size_t)SIZE_OR_SMALL(256 << 10, 64))
/* From which a specification is inferred. */
#define BEGINNING ((size_t)SIZE_OR_SMALL(64 << 10, 512))
/* Bytes; below, a history takes 20 MB at most; */
#define LARGE  ((off_t)SIZE_OR_SMALL(8 << 20, 4096))
#define PACKED 16 /* of what is packed, a part is as much */

static bool is_or_none(const char *given, const char *wanted)
{
    return !given || strcmp(given, wanted) == 0;
}

/* Whether a monitor can tell what was asked: not what the order of the times is, nor an order of
 * the operations. */
static bool can_be_followed(const struct options *options)
{
    return is_or_none(options->method, "auto") && is_or_none(options->order, "file") &&
           !options->witness && !options->proof && !options->mpi;
}

/* Whether the answer needs no more than the verdict, nor all the time that there is. */
static bool is_enough(const struct options *options)
{
    return can_be_followed(options) && !options->html && options->verbose < 2 && !options->log &&
           options->timeout <= 0 && options->total_timeout <= 0;
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

/* Whether it is a file, which can be read again, of so many bytes at least. */
static bool is_file_of(const char *path, off_t least)
{
    struct stat facts;
    return !input_is_standard(path) && stat(path, &facts) == 0 && S_ISREG(facts.st_mode) &&
           facts.st_size >= least;
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

/* Of one pass. */
struct pass {
    struct work *work;
    struct source *source;
    struct bindings bindings;
    bool inferred, verdict_only;
    lp_monitor *monitor;
};

/* ---- which specification ---- */

/* The specification of a history of which that is the beginning. */
static bool infer(struct pass *pass, const struct spec_choice *choice, const char *bytes,
                  size_t length)
{
    struct work *work = pass->work;
    const lp_read_options reading = {.size = sizeof reading,
                                     .format = work->run->options->format,
                                     .jobs = 1,
                                     .order = LP_ORDER_FILE};
    lp_history **histories = NULL;
    size_t count = 0;
    lp_error error;
    if (lp_history_parse(work->context, work->name, bytes, length, &reading, &histories, &count,
                         &error) != LP_OK)
        return false;
    pass->bindings.items = memory_small(sizeof *pass->bindings.items);
    pass->bindings.specs = memory_small(sizeof *pass->bindings.specs);
    pass->bindings.objects = memory_small(sizeof *pass->bindings.objects);
    pass->bindings.objects[0] = NULL;
    bool found = count == 1 && lp_history_length(histories[0]) > 0 &&
                 lp_spec_infer(work->context, histories[0], NULL, &choice->options,
                               &pass->bindings.specs[0], &error) == LP_OK;
    if (found) {
        pass->bindings.items[0] = (lp_binding){NULL, pass->bindings.specs[0]};
        pass->bindings.count = 1;
    }
    input_release(histories, count);
    return found;
}

static bool find_specification(struct pass *pass, const struct spec_choice *choice)
{
    const char *bytes;
    size_t length;
    struct error fault;
    lp_error error;
    pass->inferred = choice->count == 0;
    if (!pass->inferred)
        return bindings_create(pass->work->context, choice, &pass->bindings, &error) == LP_OK;
    if (source_peek(pass->source, &bytes, &length, BEGINNING, &fault) != STATUS_OK)
        return false;
    const char *last = length ? memrchr(bytes, '\n', length) : NULL;
    return last && infer(pass, choice, bytes, (size_t)(last - bytes) + 1);
}

/* ---- one pass ---- */

static bool open_monitor(struct pass *pass)
{
    const struct work *work = pass->work;
    const struct options *options = work->run->options;
    const lp_monitor_options inner = {.size = sizeof inner,
                                      .format = options->format,
                                      .independent = options->independent,
                                      .results = results_named(options->results),
                                      .order = order_named(options->order),
                                      .jobs = work->jobs,
                                      .monitors_only = pass->verdict_only,
                                      .inferred = pass->inferred};
    lp_error error;
    return lp_monitor_create(work->context, work->name, pass->bindings.items, pass->bindings.count,
                             &inner, &pass->monitor, &error) == LP_OK;
}

/* Whether what comes may make a difference. */
static bool goes_on(const struct pass *pass, const lp_monitor_state *state)
{
    return pass->verdict_only ? state->verdict == LP_LINEARIZABLE : !state->over;
}

/* Whether all of the file was told to the monitor, or as much as makes a difference; false, too,
 * where only the verdict is wanted and it is none. */
static bool feed_all(const struct pass *pass)
{
    char *block = malloc(BLOCK);
    lp_error error;
    size_t got = 1;
    bool fed = block != NULL, more = true;
    while (fed && more && got > 0) {
        struct error fault;
        fed = source_read(pass->source, block, BLOCK, &got, &fault) == STATUS_OK &&
              lp_monitor_feed(pass->monitor, block, got, &error) == LP_OK &&
              !work_is_over(pass->work);
        const lp_monitor_state *state = lp_monitor_look(pass->monitor);
        more = goes_on(pass, state);
        if (fed && more)
            show_progress(pass->work, state);
    }
    free(block);
    return fed && (more || !pass->verdict_only) &&
           (!more || lp_monitor_end(pass->monitor, &error) == LP_OK) &&
           lp_monitor_decide(pass->monitor, &error) == LP_OK;
}

/* Whether there is as much in a file as may be, by its size. */
static bool is_large(const struct pass *pass)
{
    bool packed = false;
    struct error fault;
    return is_file_of(pass->work->name, large_from()) ||
           (source_is_packed(pass->source, &packed, &fault) == STATUS_OK && packed);
}

/* Reads a file once, and decides it; false: nothing is left behind. */
static bool pass_through(struct pass *pass, const struct spec_choice *choice,
                         struct streamed_answer *answer)
{
    struct work *work = pass->work;
    struct budget budget;
    struct error fault;
    lp_error error;
    budget_init(&budget, NULL, 0);
    if (source_open(work->name, &budget, &pass->source, &fault) != STATUS_OK)
        return false;
    bool decided = (!pass->verdict_only || is_large(pass)) && find_specification(pass, choice) &&
                   open_monitor(pass) && feed_all(pass);
    if (decided) {
        answer->state = *lp_monitor_look(pass->monitor);
        decided =
            lp_monitor_result(pass->monitor, &answer->history, &answer->result, &error) == LP_OK;
    }
    lp_monitor_destroy(pass->monitor);
    source_close(pass->source);
    bindings_release(&pass->bindings);
    if (!decided || answer->result->operations >= work->run->options->require)
        return decided;
    streamed_release(answer);
    return false;
}

void streamed_release(struct streamed_answer *answer)
{
    lp_result_destroy(answer->result);
    lp_history_destroy(answer->history);
    *answer = (struct streamed_answer){0};
}

/* ---- the two ways ---- */

bool streamed_decide(struct work *work, const struct spec_choice *choice,
                     struct streamed_answer *answer)
{
    struct pass pass = {.work = work, .verdict_only = true};
    if (work_is_over(work) || !is_enough(work->run->options) ||
        !is_file_of(work->name, large_from() / PACKED) || !pass_through(&pass, choice, answer))
        return false;
    if (answer->result->verdict == LP_LINEARIZABLE && answer->result->operations > 0)
        return true; /* that is all that there is to say */
    streamed_release(answer);
    return false;
}

bool streamed_can_follow(const struct work *work)
{
    const struct options *options = work->run->options;
    return can_be_followed(options) && !options->all && !options->trace &&
           is_file_of(work->name, 0);
}

bool streamed_follow(struct work *work, const struct spec_choice *choice,
                     struct streamed_answer *answer)
{
    struct pass pass = {.work = work};
    if (work_is_over(work) || !pass_through(&pass, choice, answer))
        return false;
    if (answer->result->verdict != LP_UNKNOWN)
        return true;
    streamed_release(answer);
    return false;
}
