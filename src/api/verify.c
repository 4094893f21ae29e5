/* Deciding an assertion on a copy of its model, and the answer in the installed types. */
#include <linchpin/verify.h>

#include <stdlib.h>
#include <string.h>

#include "api/model.h"
#include "api/variables.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/require.h"
#include "base/ticker.h"
#include "base/transport.h"
#include "property/incomplete.h"
#include "verify/checkpointing.h"
#include "verify/csp_assertion.h"
#include "verify/csp_specification.h"
#include "verify/lin_any.h"
#include "verify/lin_assertion.h"
#include "verify/lin_instance_open.h"
#include "verify/lin_smallest.h"

#define TICK_MILLISECONDS 200

/* What a second search, for a shorter execution, may take: counted, so that the same execution is
 * shown each time. The time is a bound for models whose states take unusually long. */
#define SECOND_STATES UINT64_C(8)          /* times those of the first, in each of its parts */
#define SECOND_LEAST  UINT64_C(250 * 1000) /* states; between these as many as the first, in all */
#define SECOND_MOST   UINT64_C(2000 * 1000)
#define SECOND_TIME   UINT64_C(30000000000) /* nanoseconds */
#define SECOND_BYTES  ((size_t)256 << 20)   /* and SECOND_STATES times those of the first */

_Static_assert((int)LP_UNDECIDED == (int)UNDECIDED, "lp_answer is enum holds");
_Static_assert((int)LP_FAILURE_DIVERGENCE == (int)FAILING_DIVERGENCE, "lp_failure is enum failing");

_Static_assert((int)LP_QUESTION_OPEN == (int)ASKED_OPEN, "lp_question_answer is enum asked");
_Static_assert((int)LP_ENGINE_BYTECODE == (int)ENGINE_BYTECODE, "lp_engine is enum engine");
_Static_assert((int)LP_FAIRNESS_KINDS == (int)FAIRNESS_KINDS, "lp_fairness is enum fairness");

_Static_assert((int)LP_VERIFY_AUTOMATA == (int)LINEARIZING_BY_AUTOMATA,
               "lp_verify_method is enum linearizing");

#define MOST_JOBS 1024

#define VERIFICATION_MAGIC UINT32_C(0x6c707665)

/* What lp_verification is the beginning of. */
struct verification {
    lp_verification visible; /* first: the handle is its address */
    uint32_t magic;
    lp_context *context;
    struct budget budget; /* of the verification, below the context's */
    struct assertion_result inner;
    struct budget second_budget;
    struct assertion_result second; /* without reductions, for a shorter execution */
    bool is_shorter;
    bool is_first;      /* no other one of its swarm has answered before */
    struct arena arena; /* of what is converted */
    lp_history *history;
    lp_result *check;
    char checkpoint_fault[ERROR_MESSAGE_SIZE];
    lp_search_stats stats;
};

lp_status lp_reductions_check(const char *text, lp_error *error)
{
    REQUIRE_NOT_NULL(text);
    reductions set;
    struct error fault;
    return report_status(reductions_parse(text, &set, &fault), &fault, error);
}

const char *lp_fairness_name(lp_fairness fairness)
{
    REQUIRE(fairness < LP_FAIRNESS_KINDS, "there is no such fairness");
    return fairness_name((enum fairness)fairness);
}

/* ---- progress ---- */

struct watch {
    const lp_verify_options *options;
    const struct swarm *swarm;
    const struct limits *limits;
    const struct budget *budget;
    uint64_t started;
};

static void tick(void *context)
{
    const struct watch *watch = context;
    lp_verify_progress progress = {.explored = atomic_load(&watch->limits->work) +
                                               atomic_load(&watch->swarm->states),
                                   .memory = atomic_load(&watch->budget->used),
                                   .seconds = seconds_since(watch->started)};
    watch->options->progress(watch->options->progress_user, &progress);
}

/* ---- the answer in the installed types ---- */

static enum status convert_execution(struct arena *arena, const struct trace *trace,
                                     lp_execution *execution)
{
    lp_step *steps = arena_allocate(arena, trace->steps.length * sizeof *steps);
    TRY_MEMORY(steps);
    for (size_t i = 0; i < trace->steps.length; i++) {
        const struct trace_step *step = &trace->steps.items[i];
        steps[i] = (lp_step){.event = step->event,
                             .kind = step_kind(&step->said, step->visible),
                             .process = step->process,
                             .visible = step->visible};
        step_place(&step->said, &steps[i]);
        TRY(variables_split(arena, step->changes, &steps[i].changes, &steps[i].change_count));
    }
    *execution = (lp_execution){.steps = steps,
                                .length = trace->steps.length,
                                .is_lasso = trace->is_lasso,
                                .loop_start = trace->loop_start};
    return variables_split(arena, trace->start, &execution->start, &execution->start_count);
}

static enum status convert_reductions(struct arena *arena, reductions used,
                                      lp_verification *visible)
{
    const char **names = arena_allocate(arena, 8 * sizeof used * sizeof *names);
    TRY_MEMORY(names);
    for (const char *name; (name = reductions_next(&used));)
        names[visible->reduction_count++] = name;
    visible->reductions = names;
    return STATUS_OK;
}

static enum status convert_questions(struct arena *arena, const struct assertion_result *inner,
                                     lp_verification *visible)
{
    size_t count = inner->asked.items.length;
    lp_question *questions = arena_allocate(arena, count * sizeof *questions);
    TRY_MEMORY(questions);
    for (size_t i = 0; i < count; i++) {
        const struct asked_question *asked = &inner->asked.items.items[i];
        questions[i] = (lp_question){.name = asked->name,
                                     .about = asked->about,
                                     .answer = (lp_question_answer)asked->answer,
                                     .method = asked->method,
                                     .reason = asked->reason,
                                     .explored = asked->explored,
                                     .controls = asked->controls,
                                     .places = asked->places,
                                     .transitions = asked->transitions,
                                     .seconds = asked->seconds};
    }
    visible->questions = questions;
    visible->question_count = count;
    return STATUS_OK;
}

static void convert_stats(const struct search_stats *stats, lp_search_stats *shown)
{
    const size_t known = stats->states + stats->index + stats->nodes + stats->pairs + stats->edges;
    *shown = (lp_search_stats){.expanded = stats->graph.expanded,
                               .steps = stats->graph.steps,
                               .found = stats->found,
                               .levels = stats->levels.items,
                               .level_count = stats->levels.length,
                               .ample_offered = stats->graph.offered,
                               .ample = stats->graph.ample,
                               .ample_left_out = stats->graph.left_out,
                               .passed = stats->graph.passed,
                               .renumbered = stats->graph.renumbered,
                               .pure = stats->graph.pure,
                               .stale = stats->graph.stale,
                               .covered = stats->covered,
                               .replaced = stats->replaced,
                               .has_specification = stats->has_specification,
                               .sets = stats->normal.sets,
                               .asked = stats->asked,
                               .worked_out = stats->normal.worked_out,
                               .state_bytes = stats->states,
                               .index_bytes = stats->index,
                               .found_bytes = stats->nodes,
                               .pair_bytes = stats->pairs,
                               .edge_bytes = stats->edges,
                               .other_bytes = stats->all > known ? stats->all - known : 0,
                               .is_native = stats->native_from > 0,
                               .native_from = stats->native_from ? stats->native_from - 1 : 0};
}

static enum status convert(struct verification *verification)
{
    const struct assertion_result *inner = &verification->inner;
    lp_verification *visible = &verification->visible;
    const struct assertion_result *shown = verification->is_shorter ? &verification->second : inner;
    visible->answer = (lp_answer)inner->answer;
    visible->limit = (lp_limit)inner->limit;
    visible->method = inner->method ? inner->method : "";
    visible->reason = text_string(&shown->reason);
    visible->covered = shown->limit ? visible->reason + shown->covered : "";
    visible->met_bounds = inner->met_bounds;
    visible->missing = inner->missing.items;
    visible->missing_count = inner->missing.length;
    visible->uncalled = inner->uncalled.items;
    visible->uncalled_count = inner->uncalled.length;
    visible->states = inner->states;
    visible->transitions = inner->transitions;
    visible->is_temporal = inner->is_temporal;
    visible->fairness = (lp_fairness)inner->fairness;
    visible->has_extreme = inner->has_extreme && inner->answer == HOLDS;
    visible->extreme = inner->extreme;
    visible->copies = shown->copies;
    visible->search = shown->found_depth_first ? LP_SEARCH_DEPTH : LP_SEARCH_BREADTH;
    visible->failure = (lp_failure)shown->failing;
    visible->offered = shown->offered.items;
    visible->offered_count = shown->offered.length;
    visible->values = shown->values;
    visible->threads = shown->threads ? trace_threads(&shown->trace) : 0;
    TRY(convert_reductions(&verification->arena, inner->reductions, visible));
    TRY(convert_questions(&verification->arena, inner, visible));
    visible->has_execution = shown->trace.start != NULL;
    visible->checkpoint_fault = verification->checkpoint_fault;
    convert_stats(&inner->stats, &verification->stats);
    visible->stats = inner->stats.is_there ? &verification->stats : NULL;
    return convert_execution(&verification->arena, &shown->trace, &visible->execution);
}

/* ---- the operations of a violation ---- */

/* The specification that the operations of a violation are to be checked against. */
static lp_status open_explaining_spec(lp_context *context, const struct model_copy *instance,
                                      size_t index, lp_spec **spec)
{
    struct spec *inner;
    struct error ignored;
    enum status status = STATUS_USAGE;
    const char *name;
    if (instance->is_lin) {
        const struct lin_assertion *assertion = &instance->lin.assertions.items[index];
        name = assertion->specification.name;
        if (assertion->property == LIN_LINEARIZES)
            status = lin_assertion_spec(&instance->lin, assertion, context->pool, &context->budget,
                                        &inner, &ignored);
    } else {
        const struct csp_assertion *assertion = &instance->module.assertions.items[index];
        name = assertion->goal;
        if (assertion->kind == ASSERTION_LINEARIZES && assertion->points == POINTS_NONE)
            status = csp_assertion_spec(&instance->module, assertion, context->pool,
                                        &context->budget, &inner, &ignored);
    }
    if (status == STATUS_OK)
        status = spec_wrap(context, inner, name, NULL, spec, &ignored);
    return (lp_status)status;
}

/* The same operations decided by the checker of histories, which knows nothing of models: it
 * confirms the violation, and says it in terms of operations. */
static void explain(struct verification *verification, const lp_model *model, size_t index,
                    double timeout)
{
    lp_verification *visible = &verification->visible;
    lp_context *context = verification->context;
    lp_spec *spec = NULL;
    if (visible->answer != LP_VIOLATED || visible->failure != LP_FAILURE_EVENT)
        return;
    const double most = 2; /* seconds: the answer is there already */
    lp_check_options options = {.size = sizeof options,
                                .jobs = 1,
                                .timeout = timeout > 0 && timeout < most ? timeout : most};
    if (open_explaining_spec(context, &model->instance, index, &spec) == LP_OK &&
        lp_execution_history(context, &visible->execution, lp_model_name(model),
                             &verification->history, NULL) == LP_OK) {
        const lp_binding binding = {NULL, spec};
        if (lp_check(context, verification->history, &binding, 1, &options, &verification->check,
                     NULL) == LP_OK &&
            verification->check->verdict == LP_VIOLATION) {
            visible->history = verification->history;
            visible->check = verification->check;
        }
    }
    lp_spec_destroy(spec);
}

/* ---- verifying ---- */

static void verification_free(struct verification *verification)
{
    struct budget *budget = &verification->context->budget;
    lp_result_destroy(verification->check);
    lp_history_destroy(verification->history);
    assertion_result_release(&verification->inner);
    assertion_result_release(&verification->second);
    arena_release(&verification->arena);
    verification->magic = 0;
    memory_release(budget, verification, sizeof *verification);
}

static struct verification *verification_create(lp_context *context)
{
    struct verification *verification = memory_zeroed(&context->budget, sizeof *verification);
    if (!verification)
        return NULL;
    verification->magic = VERIFICATION_MAGIC;
    verification->context = context;
    budget_init(&verification->budget, &context->budget, 0);
    arena_init(&verification->arena, &verification->budget);
    assertion_result_init(&verification->inner, &verification->budget);
    assertion_result_init(&verification->second, &verification->second_budget);
    return verification;
}

static enum status decide_copy(struct model_copy *instance, size_t index, struct value_pool *pool,
                               const struct assertion_options *options,
                               struct assertion_result *result, struct error *error)
{
    if (instance->is_lin)
        return lin_assertion_decide(&instance->lin, &instance->lin.assertions.items[index], pool,
                                    options, result, error);
    if (transport_helps(options->ranks))
        return STATUS_OK; /* rank 0 decides it */
    return csp_assertion_decide(&instance->program, &instance->module.assertions.items[index], pool,
                                options, result, error);
}

/* The second search itself. Of an implementation in .lin what counts first is how few operations
 * there are. */
static enum status search_again(struct verification *verification, struct model_copy *instance,
                                size_t index, const struct assertion_options *options,
                                uint64_t states, struct error *error)
{
    const struct assertion_result *inner = &verification->inner;
    struct assertion_result *second = &verification->second;
    struct value_pool *pool = verification->context->pool;
    const struct lin_assertion *assertion =
        instance->is_lin ? &instance->lin.assertions.items[index] : NULL;
    if (assertion && (assertion->property == LIN_LINEARIZES || assertion->property == LIN_NEVER))
        return lin_assertion_smallest(&instance->lin, assertion, pool, options, inner, states,
                                      second, &verification->is_shorter, error);
    struct assertion_options plain = *options;
    if (states < plain.limits->most_work)
        plain.limits->most_work = states;
    plain.reductions = REDUCE_NONE;
    if (!inner->reductions)
        return STATUS_OK;
    enum status status = decide_copy(instance, index, pool, &plain, second, error);
    verification->is_shorter = status == STATUS_OK && second->answer == inner->answer &&
                               second->trace.steps.length < inner->trace.steps.length;
    return status;
}

/* Reductions keep the answer, but may leave out the shortest execution that shows it. One is
 * searched for, about as far again. */
static void shorten(struct verification *verification, struct model_copy *instance, size_t index,
                    const struct assertion_options *options)
{
    const struct assertion_result *inner = &verification->inner;
    struct limits limits;
    struct assertion_options again = {.reductions = options->reductions,
                                      .linearizing = options->linearizing,
                                      .engine = options->engine,
                                      .limits = &limits};
    struct error ignored;
    const uint64_t deadline = clock_nanoseconds() + SECOND_TIME;
    const uint64_t states = inner->states < SECOND_LEAST  ? SECOND_LEAST
                            : inner->states > SECOND_MOST ? SECOND_MOST
                                                          : inner->states;
    if (options->order == EXPLORE_NEWEST_FIRST || !inner->trace.steps.length)
        return;
    limits_init_within(&limits, options->limits, &verification->second_budget);
    limits.most_work = inner->states * SECOND_STATES;
    if (!limits.deadline || deadline < limits.deadline)
        limits.deadline = deadline;
    LOG(limits.log, "verification: violated in %zu steps; looking for a shorter execution",
        inner->trace.steps.length);
    budget_init(&verification->second_budget, &verification->budget,
                SECOND_BYTES + SECOND_STATES * atomic_load(&verification->budget.peak));
    verification->is_shorter &=
        search_again(verification, instance, index, &again, states, &ignored) == STATUS_OK;
}

/* What is asked, and of a swarm what its workers share. */
struct verify_request {
    const lp_model *model;
    size_t index;
    const lp_verify_options *options; /* null `reductions` are the defaults */
    struct swarm *swarm;              /* null: it is none */
    atomic_bool *is_answered;         /* by one of the swarm */
};

/* Of a swarm the first answer counts, which nothing stops any more. */
static bool answers_first(const struct verify_request *request, enum status status,
                          const struct verification *verification, struct limits *limits)
{
    if (!request->swarm || (status != STATUS_INPUT && verification->inner.answer == UNDECIDED))
        return true;
    limits->stop = NULL;
    return !atomic_exchange(request->is_answered, true);
}

/* ---- checkpoints ---- */

/* Finds what is kept of the assertion. */
static enum status open_checkpoint(const struct verify_request *request,
                                   const struct model_copy *instance,
                                   struct assertion_options *options, struct checkpointing *kept,
                                   struct budget *budget, struct error *error)
{
    const lp_model *model = request->model;
    const char *lacks = checkpointing_options_lack(options);
    struct text key = TEXT_EMPTY;
    if (!lacks && instance->is_lin)
        lacks = checkpointing_lin_lacks(&instance->lin.assertions.items[request->index]);
    else if (!lacks)
        lacks = checkpointing_csp_lacks(&instance->module.assertions.items[request->index]);
    if (lacks)
        return error_set(error, STATUS_USAGE, NULL, 0, "--checkpoint is not supported for %s",
                         lacks);
    checkpointing_key(options, &key);
    enum status status =
        checkpointing_open(kept, request->options->checkpoint, lp_model_name(model),
                           lp_model_hash(model), request->index, &key, budget, error);
    text_release(&key);
    kept->search.log = options->limits->log;
    options->checkpoint = &kept->search;
    return status;
}

/* The answer that is kept, if there is one, in place of one that is found. */
static enum status load_answer(struct verification *verification, const struct checkpointing *kept,
                               bool *is_there, struct error *error)
{
    struct kept_results results = {.inner = &verification->inner, .second = &verification->second};
    budget_init(&verification->second_budget, &verification->budget, 0);
    TRY(checkpointing_load(kept, &results, is_there, error));
    verification->is_shorter = results.is_shorter;
    verification->visible.seconds = results.seconds;
    verification->visible.memory = results.memory;
    verification->visible.resumed = *is_there;
    return STATUS_OK;
}

/* What a limit ended goes on from its search the next time; so does what ended the search for a
 * shorter execution. */
static void keep_answer(struct verification *verification, struct checkpointing *kept,
                        const struct limits *limits)
{
    const enum limit reached = limits_reached(limits);
    const lp_verification *visible = &verification->visible;
    const struct kept_results results = {.inner = &verification->inner,
                                         .second = &verification->second,
                                         .is_shorter = verification->is_shorter,
                                         .seconds = visible->seconds,
                                         .memory = visible->memory};
    struct error *fault = &kept->search.error;
    verification->visible.resumed = kept->search.resumed;
    if (verification->inner.limit == LIMIT_NONE && reached != LIMIT_TIME &&
        reached != LIMIT_INTERRUPT && !kept->search.failed)
        kept->search.failed = checkpointing_keep(kept, &results, fault) != STATUS_OK;
    if (kept->search.failed)
        memcpy(verification->checkpoint_fault, fault->message, sizeof fault->message);
}

/* Decides the assertion on the copy, and looks for a shorter execution. */
static enum status decide_now(struct verification *verification, struct model_copy *instance,
                              const struct verify_request *request,
                              const struct assertion_options *options, struct error *error)
{
    struct limits *limits = options->limits;
    const size_t index = request->index;
    uint64_t started = clock_nanoseconds();
    enum status status = decide_copy(instance, index, verification->context->pool, options,
                                     &verification->inner, error);
    if (options->checkpoint)
        started -= options->checkpoint->spent; /* by those that it went on from */
    verification->visible.seconds = seconds_since(started);
    verification->visible.memory = atomic_load(&verification->budget.peak);
    verification->is_first = answers_first(request, status, verification, limits);
    if (status == STATUS_OK && verification->inner.answer != UNDECIDED && verification->is_first)
        shorten(verification, instance, index, options);
    return status;
}

static enum status decide(struct verification *verification, const struct verify_request *request,
                          struct limits *limits, struct error *error)
{
    static const enum explore_order orders[] = {[LP_SEARCH_AUTO] = EXPLORE_IN_TURNS,
                                                [LP_SEARCH_BREADTH] = EXPLORE_OLDEST_FIRST,
                                                [LP_SEARCH_DEPTH] = EXPLORE_NEWEST_FIRST,
                                                [LP_SEARCH_BITSTATE] = EXPLORE_BITSTATE,
                                                [LP_SEARCH_SWARM] = EXPLORE_SWARM};
    const lp_verify_options *options = request->options;
    struct model_copy instance;
    struct checkpointing kept = {0};
    bool is_there = false;
    struct assertion_options inner = {.reductions = REDUCE_DEFAULT,
                                      .order = orders[options->search],
                                      .swarm = request->swarm,
                                      .threads =
                                          request->swarm ? 1 : threads_for((unsigned)options->jobs),
                                      .linearizing = (enum linearizing)options->method,
                                      .fairness = (enum fairness)options->fairness,
                                      .engine = (enum engine)options->engine,
                                      .ranks = (struct transport_meeting *)options->ranks,
                                      .limits = limits};
    if (options->reductions)
        TRY(reductions_parse(options->reductions, &inner.reductions, error));
    enum status status = model_copy_open(&instance, request->model, &verification->budget, error);
    if (status == STATUS_OK && options->checkpoint)
        status = open_checkpoint(request, &instance, &inner, &kept, &verification->budget, error);
    if (status == STATUS_OK && options->checkpoint)
        status = load_answer(verification, &kept, &is_there, error);
    if (status == STATUS_OK && !is_there)
        status = decide_now(verification, &instance, request, &inner, error);
    if (status == STATUS_OK && options->checkpoint && !is_there)
        keep_answer(verification, &kept, limits);
    if (status == STATUS_OK && verification->inner.threads)
        status = lin_any_tell(
            &instance.lin, &instance.lin.assertions.items[request->index], &verification->inner,
            verification->is_shorter ? &verification->second : &verification->inner, error);
    checkpointing_release(&kept);
    model_copy_release(&instance);
    return status;
}

static void refuse(struct verification *verification)
{
    verification->inner.answer = UNDECIDED;
    verification->inner.limit = LIMIT_MEMORY;
    assertion_say_limit(&verification->inner);
}

/* ---- a swarm ---- */

/* The workers of a swarm: each has a verification of its own, the first one the caller's. */
struct swarm_work {
    const struct verify_request *request;
    struct limits *limits; /* of all of it */
    struct swarm_worker *workers;
};

struct swarm_worker {
    struct verification *verification;
    enum status status;
    struct error error;
};

static void search_in_swarm(void *context, size_t i, unsigned thread)
{
    (void)thread;
    struct swarm_work *work = context;
    struct swarm_worker *worker = &work->workers[i];
    struct limits limits;
    limits_init_within(&limits, work->limits, &worker->verification->budget);
    limits.stop = work->request->is_answered;
    worker->status = decide(worker->verification, work->request, &limits, &worker->error);
}

/* Adds up what all did where nobody found anything; the first limit that one met is told. */
static void add_up(struct swarm_worker *workers, unsigned count, const struct swarm *swarm)
{
    struct assertion_result *sum = &workers[0].verification->inner;
    for (unsigned i = 1; i < count; i++) {
        const struct assertion_result *part = &workers[i].verification->inner;
        sum->states += part->states;
        sum->transitions += part->transitions;
        sum->extent.bits.searches += part->extent.bits.searches;
        if (part->extent.longest > sum->extent.longest)
            sum->extent.longest = part->extent.longest;
        if (sum->limit == LIMIT_NONE)
            sum->limit = part->limit;
    }
    assertion_say_swarm(sum, swarm);
}

/* The first one that answers takes the place of `*verification`. */
static enum status take_answer(struct swarm_worker *workers, unsigned count,
                               const struct swarm *swarm, struct error *error)
{
    unsigned best = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct swarm_worker *worker = &workers[i];
        const bool answers =
            worker->status == STATUS_INPUT || worker->verification->inner.answer != UNDECIDED;
        if (answers && worker->verification->is_first)
            best = i;
    }
    const struct swarm_worker taken = workers[best];
    workers[best] = workers[0];
    workers[0] = taken;
    *error = taken.error;
    if (taken.status == STATUS_OK && taken.verification->inner.answer == UNDECIDED)
        add_up(workers, count, swarm);
    return taken.status;
}

static enum status decide_by_swarm(struct verification **verification,
                                   struct verify_request *request, struct limits *limits,
                                   struct error *error)
{
    const unsigned threads = threads_for((unsigned)request->options->jobs);
    atomic_bool is_answered = false;
    struct swarm_work work = {.request = request, .limits = limits};
    struct swarm_worker *workers = memory_small(threads * sizeof *workers);
    unsigned count = 1;
    workers[0] = (struct swarm_worker){.verification = *verification};
    for (; count < threads; count++) {
        workers[count] =
            (struct swarm_worker){.verification = verification_create((*verification)->context)};
        if (!workers[count].verification)
            break;
    }
    request->is_answered = &is_answered;
    work.workers = workers;
    parallel_for(count, count, search_in_swarm, &work);
    const enum status status = take_answer(workers, count, request->swarm, error);
    *verification = workers[0].verification;
    for (unsigned i = 1; i < count; i++) {
        (*verification)->visible.memory += workers[i].verification->visible.memory;
        verification_free(workers[i].verification);
    }
    free(workers);
    return status;
}

static enum status run(struct verification **verification, struct verify_request *request,
                       struct error *error)
{
    const lp_verify_options *options = request->options;
    struct limits limits;
    limits_for(&limits, (*verification)->context, &(*verification)->budget, options->timeout);
    struct swarm swarm = {.most = limits.deadline ? 0 : SWARM_SEARCHES};
    struct watch watch = {.options = options,
                          .swarm = &swarm,
                          .limits = &limits,
                          .budget = &(*verification)->context->budget,
                          .started = clock_nanoseconds()};
    struct ticker *ticker =
        options->progress ? ticker_start(TICK_MILLISECONDS, tick, &watch) : NULL;
    request->swarm = options->search == LP_SEARCH_SWARM ? &swarm : NULL;
    enum status status = request->swarm ? decide_by_swarm(verification, request, &limits, error)
                                        : decide(*verification, request, &limits, error);
    ticker_stop(ticker);
    if (status == STATUS_LIMIT) { /* before there was a program */
        refuse(*verification);
        status = STATUS_OK;
    }
    if (status == STATUS_OK || status == STATUS_INPUT)
        TRY(convert(*verification));
    if (status == STATUS_OK)
        explain(*verification, request->model, request->index, options->timeout);
    return status;
}

/* If this one has not come to the search that ranks share, they do not wait for it. */
static void leave_ranks(struct transport_meeting *ranks)
{
    if (ranks && !ranks->held)
        transport_meet(ranks, false);
    if (ranks)
        ranks->held = false;
}

lp_status lp_verify(lp_context *context, const lp_model *model, size_t index,
                    const lp_verify_options *options, lp_verification **result, lp_error *error)
{
    lp_verify_options own;
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_ALIVE(model, MODEL_MAGIC);
    REQUIRE(index < model_copy_assertions(&model->instance), "there is no such assertion");
    REQUIRE_NOT_NULL(result);
    REQUIRE_SIZED(&own, options, progress_user);
    options = &own;
    REQUIRE(options->search <= LP_SEARCH_SWARM, "no such search");
    REQUIRE(options->jobs <= MOST_JOBS, "too many threads");
    REQUIRE(options->method == LP_VERIFY_REFINEMENT || options->method == LP_VERIFY_AUTOMATA,
            "no such method");
    REQUIRE(options->fairness < LP_FAIRNESS_KINDS, "no such fairness");
    REQUIRE(options->engine <= LP_ENGINE_BYTECODE, "no such engine");
    REQUIRE(!options->ranks || options->search != LP_SEARCH_SWARM, "ranks share no swarm");
    struct error fault;
    *result = NULL;
    struct verification *verification = verification_create(context);
    enum status status = STATUS_LIMIT;
    struct verify_request request = {.model = model, .index = index, .options = options};
    if (verification)
        status = run(&verification, &request, &fault);
    leave_ranks((struct transport_meeting *)options->ranks);
    if (status == STATUS_LIMIT)
        error_set(&fault, status, NULL, 0, "the memory limit is reached");
    report_status(status, &fault, error);
    if (status == STATUS_OK || (status == STATUS_INPUT && verification->visible.has_execution))
        *result = &verification->visible;
    else if (verification)
        verification_free(verification);
    return (lp_status)status;
}

void lp_verification_destroy(lp_verification *result)
{
    if (!result)
        return;
    struct verification *verification = (struct verification *)result;
    REQUIRE_ALIVE(verification, VERIFICATION_MAGIC);
    verification_free(verification);
}
