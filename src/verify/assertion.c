/* A result is filled from what a search found: its figures, the trace, replayed on the model, and
 * the sentence that says what is wrong. */
#include "verify/assertion.h"

#include "explore/bitstate.h"
#include "tell/trace_writer.h"

void assertion_result_init(struct assertion_result *result, struct budget *budget)
{
    *result = (struct assertion_result){.answer = UNDECIDED};
    trace_init(&result->trace, budget);
    vector_init(&result->offered, budget);
    arena_init(&result->asked.arena, budget);
    vectors_init(budget, &result->asked.items, &result->missing, &result->uncalled);
    search_stats_init(&result->stats, budget);
}

void assertion_result_release(struct assertion_result *result)
{
    text_release(&result->reason);
    trace_release(&result->trace);
    vectors_release(&result->offered, &result->asked.items, &result->missing, &result->uncalled);
    arena_release(&result->asked.arena);
    search_stats_release(&result->stats);
}

const char *limit_reason(enum limit limit)
{
    switch (limit) {
    case LIMIT_TIME:
        return "the time limit was reached";
    case LIMIT_MEMORY:
        return "the memory limit was reached";
    case LIMIT_DEPTH:
        return "processes nest more than 2,500 deep";
    default:
        return "interrupted";
    }
}

void assertion_say_limit(struct assertion_result *result)
{
    text_clear(&result->reason);
    text_append(&result->reason, limit_reason(result->limit));
    result->covered = result->reason.length;
}

/* "1 state", "2 states" */
static void say_count(struct text *text, uint64_t count, const char *what)
{
    text_format(text, "%llu %s%s", (unsigned long long)count, what, count == 1 ? "" : "s");
}

static void say_work(struct text *text, const struct assertion_result *result)
{
    say_count(text, result->states, "state");
    text_append(text, " and ");
    say_count(text, result->transitions, "transition");
}

#define FEW_MISSED 0.01

/* What a search did that misses some, where nothing was found. */
static void say_incomplete(struct assertion_result *result)
{
    const struct search_extent *extent = &result->extent;
    const struct bitstate_extent *bits = &extent->bits;
    struct text *reason = &result->reason;
    text_clear(reason);
    if (bits->unasked) {
        text_format(reason, "searches that store no states do not look for %s", bits->unasked);
        return;
    }
    if (result->limit) {
        assertion_say_limit(result);
        text_append(reason, " after ");
    } else
        text_append(reason, "nothing was found in ");
    if (extent->order == EXPLORE_SWARM)
        text_format(reason, "%u random %s of ", bits->searches,
                    bits->searches == 1 ? "search" : "searches");
    say_work(reason, result);
    text_append(reason, ", up to ");
    say_count(reason, extent->longest, "step");
    text_append(reason, " deep");
    if (extent->order == EXPLORE_BITSTATE && bits->missed < FEW_MISSED)
        text_append(reason, "; by estimate none was taken for another");
    else if (extent->order == EXPLORE_BITSTATE)
        text_format(reason, "; by estimate %.2g were taken for others, and missed", bits->missed);
    if (!result->limit)
        text_append(reason, bits->complete
                                ? "; it seems that this is all there is: a search that stores "
                                  "states would prove it"
                                : "; that proves nothing");
}

bool assertion_is_unasked(const struct assertion_options *options, const char *what,
                          struct assertion_result *result)
{
    if (!explore_is_incomplete(options->order))
        return false;
    result->answer = UNDECIDED;
    result->limit = LIMIT_NONE;
    result->extent = (struct search_extent){.order = options->order, .bits.unasked = what};
    say_incomplete(result);
    return true;
}

void assertion_say_swarm(struct assertion_result *result, const struct swarm *swarm)
{
    if (result->answer != UNDECIDED || result->extent.order != EXPLORE_SWARM ||
        result->extent.bits.unasked)
        return;
    result->extent.bits.complete = atomic_load(&swarm->complete);
    say_incomplete(result);
}

void assertion_undecided(struct assertion_result *result, const struct search_extent *extent)
{
    const bool newest_alone = extent->is_newest && !extent->has_turned;
    if (explore_is_incomplete(extent->order)) {
        result->extent = *extent;
        say_incomplete(result);
        return;
    }
    assertion_say_limit(result);
    text_append(&result->reason, " after ");
    say_work(&result->reason, result);
    text_append(&result->reason, ", ");
    say_count(&result->reason, newest_alone ? extent->longest : extent->depth, "step");
    text_append(&result->reason, " deep");
    if (extent->has_turned)
        text_format(&result->reason, " breadth first and %llu depth first",
                    (unsigned long long)extent->longest);
}

void assertion_say_order(struct assertion_result *result, const struct search_extent *extent)
{
    result->found_depth_first = extent->is_newest;
    if (!extent->has_turned)
        return;
    text_format(&result->reason, "%sfound %s first after ", result->reason.length ? "; " : "",
                extent->is_newest ? "depth" : "breadth");
    say_count(&result->reason, result->states, "state");
    text_append(&result->reason, ": a shorter way may be there");
}

/* The events that the specification can follow with where the walk ended. */
static enum status collect_offered(struct assertion_result *result, const struct labels *labels,
                                   struct normal *normal, normal_id at, struct error *error)
{
    const struct normal_edge *offered;
    uint32_t count;
    struct text text = TEXT_EMPTY;
    bool kept = true;
    TRY(normal->class->edges(normal, at, &offered, &count, error));
    for (uint32_t i = 0; i < count && kept; i++) {
        labels_print(labels, offered[i].label, &text);
        const char *copy = arena_copy_text(&result->trace.arena, text_string(&text), text.length);
        kept = copy && vector_push(&result->offered, copy);
        text_clear(&text);
    }
    text_release(&text);
    return granted(kept);
}

/* "`e` is not possible for the specification here: it offers a, b" */
static enum status explain(struct assertion_result *result, const struct labels *labels,
                           struct normal *normal, const struct refinement *found,
                           struct error *error)
{
    struct text *reason = &result->reason;
    TRY(collect_offered(result, labels, normal, found->before, error));
    if (found->failure == FAILURE_DIVERGENCE) {
        result->failing = FAILING_DIVERGENCE;
        text_append(reason, "here the implementation can go on for ever without a visible event, "
                            "the specification cannot");
        return STATUS_OK;
    }
    if (found->failure == FAILURE_REFUSAL) {
        result->failing = FAILING_REFUSAL;
        text_append(reason, "here the implementation refuses more than the specification may: "
                            "every state that this can be in offers something, of ");
    } else {
        result->failing = FAILING_EVENT;
        label last = found->execution.labels.items[found->execution.labels.length - 1];
        text_append_char(reason, '`');
        labels_print(labels, last, reason);
        text_append(reason, "` is not possible for the specification here: it offers ");
    }
    size_t count = result->offered.length;
    size_t named = count > ASSERTION_MOST_NAMED ? ASSERTION_MOST_NAMED : count;
    for (size_t i = 0; i < named; i++) {
        text_append(reason, i ? ", " : "");
        text_append(reason, result->offered.items[i]);
    }
    if (count == 0)
        text_append(reason, "nothing");
    else if (count > named)
        text_format(reason, " and %zu more", count - named);
    if (found->failure == FAILURE_REFUSAL)
        text_append(reason, ", that the implementation does not");
    return STATUS_OK;
}

struct refinement_options assertion_refinement(const struct assertion_options *options,
                                               struct assertion_result *result)
{
    bool antichain =
        (options->reductions & REDUCE_ANTICHAIN) != 0 && !explore_is_incomplete(options->order);
    if (antichain)
        result->reductions |= REDUCE_ANTICHAIN;
    return (struct refinement_options){.antichain = antichain,
                                       .order = options->order,
                                       .swarm = options->swarm,
                                       .checkpoint = options->checkpoint,
                                       .stats = &result->stats,
                                       .threads = options->threads,
                                       .threads_from = options->threads_from,
                                       .limits = options->limits};
}

enum status assertion_take_refinement(struct assertion_result *result, struct graph *implementation,
                                      struct normal *specification, struct refinement *found,
                                      enum status status, struct error *error)
{
    result->answer = found->answer;
    result->limit = found->limit;
    result->states = found->pairs;
    result->transitions = found->transitions;
    if (status != STATUS_OK && status != STATUS_INPUT)
        return status;
    if (status == STATUS_OK && found->answer == UNDECIDED)
        assertion_undecided(result, &found->extent);
    else if (status == STATUS_OK && found->answer == VIOLATED)
        TRY(explain(result, implementation->model->labels, specification, found, error));
    if (status == STATUS_OK && found->answer == VIOLATED)
        assertion_say_order(result, &found->extent);
    return trace_replay_beside(implementation, &found->execution, &result->trace, status, error);
}

void assertion_refused(struct assertion_result *result, const struct limits *limits)
{
    result->answer = UNDECIDED;
    result->limit = limits_which(limits);
    assertion_say_limit(result);
}
