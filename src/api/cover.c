/* Deciding coverability, and telling of it: the run as an execution, its transitions fired one by
 * one on the net that was read. */
#include "petri/evidence.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/net.h"
#include "base/require.h"
#include "base/text.h"

#define COVERAGE_MAGIC UINT32_C(0x6c70636e)
#define MOST_NAMED     6 /* places that a reason names */

struct covering {
    lp_coverage visible; /* first: lp_coverage_destroy gets its address */
    uint32_t magic;
    lp_context *context;
    struct budget budget;
    struct arena arena;
    uint64_t started;
    const lp_cover_options *options;
    struct coverage coverage; /* as it was found, for lp_coverage_prove */
};

_Static_assert((int)LP_COVER_UNKNOWN == (int)VERDICT_UNKNOWN, "lp_cover_verdict is enum verdict");

/* ---- executions ---- */

static bool set_variable(struct arena *arena, const char *name, uint32_t count,
                         lp_variable *variable)
{
    char digits[16];
    int length = snprintf(digits, sizeof digits, "%" PRIu32, count);
    *variable = (lp_variable){name, arena_copy_text(arena, digits, (size_t)length)};
    return variable->value != NULL;
}

/* Fires the transition at `counts`, and lists what has changed. */
static bool describe_step(struct arena *arena, const lp_net *net, uint32_t number, uint32_t *counts,
                          lp_step *step)
{
    const struct net_transition *transition = &net->net.transitions.items[number];
    const struct arcs takes = transition->takes, gives = transition->gives;
    lp_variable *changes = arena_allocate(arena, (takes.count + gives.count) * sizeof *changes);
    *step = (lp_step){.event = net->transition_names[number],
                      .kind = LP_STEP_EVENT,
                      .visible = true,
                      .changes = changes};
    bool good = changes != NULL;
    for (uint32_t i = 0; i < takes.count; i++)
        counts[takes.items[i].place] -= takes.items[i].count;
    for (uint32_t i = 0; i < gives.count; i++)
        counts[gives.items[i].place] += gives.items[i].count;
    for (uint32_t i = 0, j = 0; good && (i < takes.count || j < gives.count);) {
        uint32_t taken = i < takes.count ? takes.items[i].place : NET_NONE;
        uint32_t given = j < gives.count ? gives.items[j].place : NET_NONE;
        uint32_t changed = taken < given ? taken : given;
        uint32_t less = taken == changed ? takes.items[i++].count : 0;
        uint32_t more = given == changed ? gives.items[j++].count : 0;
        if (less != more)
            good = set_variable(arena, net->net.places.items[changed].name, counts[changed],
                                &changes[step->change_count++]);
    }
    return good;
}

static bool describe_start(struct arena *arena, const struct net *net, const uint32_t *counts,
                           lp_execution *execution)
{
    size_t count = 0;
    for (size_t p = 0; p < net->places.length; p++)
        count += counts[p] > 0;
    lp_variable *start = arena_allocate(arena, count * sizeof *start);
    execution->start = start;
    for (size_t p = 0; start && p < net->places.length; p++)
        if (counts[p] && !set_variable(arena, net->places.items[p].name, counts[p],
                                       &start[execution->start_count++]))
            return false;
    return start != NULL;
}

/* `counts` becomes the marking at its end. */
static enum status describe_run(struct covering *covering, const lp_net *net, const struct run *run,
                                uint32_t *counts)
{
    lp_execution *execution = &covering->visible.execution;
    size_t length = run->transitions.length;
    lp_step *steps = arena_allocate(&covering->arena, length * sizeof *steps);
    TRY_MEMORY(steps && describe_start(&covering->arena, &net->net, run->initial, execution) &&
               counts);
    memcpy(counts, run->initial, net->net.places.length * sizeof *counts);
    for (size_t i = 0; i < length; i++)
        TRY_MEMORY(
            describe_step(&covering->arena, net, run->transitions.items[i], counts, &steps[i]));
    execution->steps = steps;
    execution->length = length;
    covering->visible.has_execution = true;
    return STATUS_OK;
}

/* ---- reasons ---- */

static bool covers(const uint32_t *counts, struct arcs target)
{
    for (uint32_t i = 0; i < target.count; i++)
        if (counts[target.items[i].place] < target.items[i].count)
            return false;
    return true;
}

static const struct arcs *covered_target(const struct net *net, const uint32_t *counts)
{
    for (size_t i = 0; i < net->targets.length; i++)
        if (covers(counts, net->targets.items[i]))
            return &net->targets.items[i];
    return NULL;
}

static void append_target(const struct net *net, struct arcs target, struct text *text)
{
    if (!target.count)
        text_append(text, "a target that asks for no token");
    for (uint32_t i = 0; i < target.count && i < MOST_NAMED; i++)
        text_format(text, "%s%s >= %" PRIu32, i ? ", " : "",
                    net->places.items[target.items[i].place].name, target.items[i].count);
    if (target.count > MOST_NAMED)
        text_format(text, " and %" PRIu32 " more", target.count - MOST_NAMED);
}

/* `counts` is the marking at the end of the run. */
static void append_unsafe(const struct covering *covering, const struct net *net,
                          const uint32_t *counts, struct text *text)
{
    const lp_coverage *visible = &covering->visible;
    size_t length = visible->execution.length;
    const struct arcs *target = covered_target(net, counts);
    if (length)
        text_format(text, "%s run of %zu %s covers ", visible->shortest ? "the shortest" : "a",
                    length, length == 1 ? "transition" : "transitions");
    else
        text_append(text, "an initial marking covers ");
    if (target)
        append_target(net, *target, text);
}

static void append_safe(const struct covering *covering, struct text *text)
{
    const lp_coverage *visible = &covering->visible;
    if (strcmp(visible->method, "pairs") == 0)
        text_append(text, "no target is covered: each needs tokens that never lie together");
    else if (strcmp(visible->method, "invariants") == 0)
        text_append(text, "no target is covered: each exceeds a weighted sum of tokens that no "
                          "transition raises");
    else
        text_format(text, "no target is covered: a set of %zu %s%s proves it", visible->certificate,
                    visible->certificate == 1 ? "marking" : "markings",
                    strcmp(visible->method, "forward") == 0
                        ? " with all that is reachable below them"
                        : " with all that leads to a target above them");
}

static void append_unknown(const struct covering *covering, const struct coverage *coverage,
                           struct text *text)
{
    static const char *const limits[] = {[LP_LIMIT_TIME] = "the time limit was reached",
                                         [LP_LIMIT_MEMORY] = "the memory limit was reached",
                                         [LP_LIMIT_INTERRUPT] = "it was interrupted",
                                         [LP_LIMIT_DEPTH] = ""}; /* nets do not nest */
    lp_limit limit = covering->visible.limit;
    text_append(text, limit == LP_LIMIT_NONE ? coverage->reason : limits[limit]);
    text_format(text, " after %" PRIu64 " markings", coverage->explored);
    if (covering->visible.unchecked)
        text_format(text, "; found %s, but this could not be checked any more",
                    covering->visible.unchecked);
}

/* What an engine had found. */
static bool describe_unchecked(struct covering *covering, const struct coverage *coverage)
{
    char found[40];
    if (coverage->verdict != VERDICT_UNKNOWN || coverage->found == VERDICT_UNKNOWN)
        return true;
    snprintf(found, sizeof found, "%s, by %s", coverage->found == VERDICT_SAFE ? "safe" : "unsafe",
             coverage->found_by);
    covering->visible.unchecked = arena_copy_text(&covering->arena, found, strlen(found));
    return covering->visible.unchecked != NULL;
}

static bool warn_of_targets(struct covering *covering, const struct net *net)
{
    char message[100];
    size_t empty = 0;
    while (empty < net->targets.length && net->targets.items[empty].count)
        empty++;
    if (empty == net->targets.length)
        return true;
    lp_warning *warning = arena_allocate(&covering->arena, sizeof *warning);
    snprintf(message, sizeof message,
             "target %zu asks for no token, so that every marking covers it", empty + 1);
    if (!warning)
        return false;
    *warning = (lp_warning){0, arena_copy_text(&covering->arena, message, strlen(message))};
    covering->visible.warnings = warning;
    covering->visible.warning_count = 1;
    return warning->message != NULL;
}

static enum status describe(struct covering *covering, const lp_net *net, struct coverage *coverage)
{
    lp_coverage *visible = &covering->visible;
    struct text text = TEXT_EMPTY;
    enum status status = STATUS_OK;
    visible->verdict = (lp_cover_verdict)coverage->verdict;
    visible->limit = (lp_limit)coverage->limit;
    visible->method = coverage->method;
    visible->explored = coverage->explored;
    visible->certificate = coverage->certificate.markings.length;
    visible->shortest = coverage->shortest;
    TRY_MEMORY(describe_unchecked(covering, coverage) && warn_of_targets(covering, &net->net));
    if (coverage->verdict == VERDICT_UNSAFE) {
        uint32_t *counts =
            arena_allocate(&covering->arena, net->net.places.length * sizeof *counts);
        status = describe_run(covering, net, &coverage->run, counts);
        if (status == STATUS_OK)
            append_unsafe(covering, &net->net, counts, &text);
    } else if (coverage->verdict == VERDICT_SAFE)
        append_safe(covering, &text);
    else
        append_unknown(covering, coverage, &text);
    visible->reason = arena_copy_text(&covering->arena, text_string(&text), text.length);
    text_release(&text);
    return visible->reason ? status : STATUS_LIMIT;
}

/* ---- the whole ---- */

static void tell(void *user, uint64_t explored)
{
    const struct covering *covering = user;
    const lp_cover_progress now = {.explored = explored,
                                   .memory = covering->budget.used,
                                   .seconds = seconds_since(covering->started)};
    if (covering->options->progress)
        covering->options->progress(covering->options->progress_user, &now);
}

static enum status cover(struct covering *covering, const lp_net *net, struct error *error)
{
    struct coverage *coverage = &covering->coverage;
    struct limits limits;
    const struct cover_options inner = {.progress = tell, .user = covering};
    limits_for(&limits, covering->context, &covering->budget, covering->options->timeout);
    enum status status =
        cover_solve(&net->net, &covering->budget, &limits, &inner, coverage, error);
    if (status == STATUS_OK)
        status = describe(covering, net, coverage);
    covering->visible.memory = covering->budget.peak;
    covering->visible.seconds = seconds_since(covering->started);
    return status;
}

lp_status lp_cover(lp_context *context, const lp_net *net, const lp_cover_options *options,
                   lp_coverage **coverage, lp_error *error)
{
    lp_cover_options own;
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_ALIVE(net, NET_MAGIC);
    REQUIRE_NOT_NULL(coverage);
    REQUIRE_SIZED(&own, options, progress_user);
    struct error fault = {0};
    enum status status = STATUS_LIMIT;
    struct covering *covering = memory_zeroed(&context->budget, sizeof *covering);
    *coverage = NULL;
    if (covering) {
        covering->magic = COVERAGE_MAGIC;
        covering->context = context;
        covering->started = clock_nanoseconds();
        covering->options = &own;
        budget_init(&covering->budget, &context->budget, 0);
        arena_init(&covering->arena, &covering->budget);
        status = cover(covering, net, &fault);
        covering->options = NULL;
    }
    if (status == STATUS_LIMIT)
        error_set(&fault, status, NULL, 0, "the memory limit is reached");
    report_status(status, &fault, error);
    if (status == STATUS_OK)
        *coverage = &covering->visible;
    else if (covering)
        lp_coverage_destroy(&covering->visible);
    return (lp_status)status;
}

void lp_coverage_destroy(lp_coverage *coverage)
{
    if (!coverage)
        return;
    struct covering *covering = (struct covering *)coverage;
    REQUIRE_ALIVE(covering, COVERAGE_MAGIC);
    covering->magic = 0;
    coverage_release(&covering->coverage);
    arena_release(&covering->arena);
    memory_release(&covering->context->budget, covering, sizeof *covering);
}

bool lp_coverage_prove(const lp_coverage *coverage, const lp_net *net, FILE *out, const char **set,
                       size_t *lines)
{
    REQUIRE_NOT_NULL(coverage);
    REQUIRE_ALIVE(net, NET_MAGIC);
    const struct covering *covering = (const struct covering *)coverage;
    REQUIRE_ALIVE(covering, COVERAGE_MAGIC);
    if (coverage->verdict == LP_COVER_UNKNOWN)
        return false;
    *set = evidence_set(&covering->coverage);
    *lines = evidence_write(&covering->coverage, &net->net, out);
    return true;
}

/* ---- once more ---- */

static uint32_t named_place(const struct net *net, const char *name)
{
    for (uint32_t p = 0; p < net->places.length; p++)
        if (strcmp(net->places.items[p].name, name) == 0)
            return p;
    return NET_NONE;
}

static bool read_count(const char *text, uint32_t *count)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    *count = (uint32_t)number;
    return *text >= '0' && *text <= '9' && !*end && number <= NET_MOST_TOKENS;
}

static bool begin(const struct net *net, const lp_execution *execution, uint32_t *counts)
{
    for (size_t i = 0; i < execution->start_count; i++) {
        uint32_t at = named_place(net, execution->start[i].name);
        if (at == NET_NONE || !read_count(execution->start[i].value, &counts[at]))
            return false;
    }
    for (size_t p = 0; p < net->places.length; p++) {
        const struct net_place *described = &net->places.items[p];
        if (described->open ? counts[p] < described->initial : counts[p] != described->initial)
            return false;
    }
    return true;
}

static bool changes_agree(const lp_step *left, const lp_step *right)
{
    bool equal = left->change_count == right->change_count;
    for (size_t i = 0; equal && i < left->change_count; i++)
        equal = strcmp(left->changes[i].name, right->changes[i].name) == 0 &&
                strcmp(left->changes[i].value, right->changes[i].value) == 0;
    return equal;
}

/* Fires the transition of that name; *fired: there is one, it can, and it does what the step says.
 */
static enum status follow_step(const lp_net *net, const lp_step *step, struct arena *arena,
                               uint32_t *counts, bool *fired)
{
    for (uint32_t t = 0; t < net->net.transitions.length; t++) {
        lp_step found;
        if (strcmp(net->transition_names[t], step->event) != 0 ||
            !covers(counts, net->net.transitions.items[t].takes))
            continue;
        TRY_MEMORY(describe_step(arena, net, t, counts, &found));
        *fired = changes_agree(step, &found);
        return STATUS_OK;
    }
    *fired = false;
    return STATUS_OK;
}

static enum status follow(const lp_net *net, const lp_execution *execution, struct arena *arena,
                          size_t *followed, bool *covered, struct error *error)
{
    size_t bytes = net->net.places.length * sizeof(uint32_t);
    uint32_t *counts = arena_allocate(arena, bytes);
    bool fired = true;
    if (!counts)
        return error_set(error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
    memset(counts, 0, bytes);
    if (!begin(&net->net, execution, counts))
        return error_set(error, STATUS_INPUT, net->name, 0,
                         "the execution does not start in an initial marking of the net");
    for (*followed = 0; *followed < execution->length; ++*followed) {
        TRY(follow_step(net, &execution->steps[*followed], arena, counts, &fired));
        if (!fired)
            break;
    }
    *covered = fired && covered_target(&net->net, counts);
    return STATUS_OK;
}

lp_status lp_net_follow(lp_context *context, const lp_net *net, const lp_execution *execution,
                        size_t *followed, bool *covered, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_ALIVE(net, NET_MAGIC);
    REQUIRE_NOT_NULL(execution);
    REQUIRE_NOT_NULL(followed);
    REQUIRE_NOT_NULL(covered);
    struct error fault = {0};
    struct arena arena;
    *followed = 0;
    *covered = false;
    arena_init(&arena, &context->budget);
    enum status status = follow(net, execution, &arena, followed, covered, &fault);
    arena_release(&arena);
    return report_status(status, &fault, error);
}
