/* Decides an assertion about any number of threads, in two ways that take turns: a search among few
 * threads, and the questions of unbounded/questions.h.
 *
 * The questions and a search among few threads take turns, each turn longer than the last, until
 * the assertion is decided or a limit of the whole is reached: a question that needs for ever keeps
 * no other from being answered. */
#include "verify/lin_any.h"

#include <string.h>

#include "base/log.h"
#include "verify/lin_any_heap.h"
#include "verify/lin_any_points.h"
#include "verify/lin_any_progress.h"
#include "verify/lin_any_reason.h"
#include "verify/lin_bounded.h"
#include "verify/lin_broken.h"
#include "verify/lin_confirm.h"
#include "verify/lin_instance_open.h"

/* A turn, of each question and of the search among few threads, takes so many nanoseconds at first,
 * and each one after it so many times as many. */
#define FIRST_TURN   UINT64_C(2000000000)
#define TURNS_GROW   4
#define LONGEST_TURN (UINT64_MAX / 64)
#define LAST_TURN    UINT64_C(10000000000) /* of the search when no question is open by its turn */

/* Pairs of a state with one of the specification: of the searches among few threads before all
 * questions and when no question can be answered any more, and of one run that is confirmed. */
#define FIRST_STATES     UINT64_C(20000)
#define FIRST_OPERATIONS 6
#define TWO_STATES       UINT64_C(40000)
#define TWO_OPERATIONS   8
#define FEW_THREADS      4
#define MOST_OPERATIONS  64
#define ONE_OPERATIONS   16 /* what goes wrong when a structure has grown shows with one thread */
#define HEAP_SHARE       4  /* of the first ones, where a proof takes less than all of them */
#define LAST_STATES      UINT64_C(200000)
#define CONFIRMED_STATES UINT64_C(1000000)
#define FEW_BYTES        ((size_t)1 << 30)
#define ENDLESS_BYTES    ((size_t)1 << 26) /* what a specification keeps may grow for ever */

struct asking {
    struct question question;
    enum limit limit; /* why it is open */
    bool was_cut;     /* by the end of its turn */
    bool was_asked;
};

struct any {
    const struct lin_module *module;
    const struct lin_assertion *assertion;
    struct value_pool *pool;
    const struct assertion_options *options;
    struct assertion_result *result;
    struct labels *labels;
    struct lin_instance instance;
    struct thread_system system;
    VECTOR(struct asking) asking; /* beside result->asked.items */
    uint32_t operations;          /* all executions with so many were looked at */
    uint32_t of_one, of_two;      /* those of one thread, of two, with so many */
    bool opened, has_system;
    struct error *error;
};

static bool is_never(const struct any *any)
{
    return any->assertion->property == LIN_NEVER;
}

/* ---- limits ---- */

/* Those of the whole, until then at most, with so many bytes at most and less than there are: to
 * use them up ends nothing else. */
static void take_part(const struct any *any, struct budget *part, uint64_t deadline, size_t bytes,
                      struct limits *limits)
{
    const struct limits *whole = any->options->limits;
    size_t left = budget_left(whole->budget), most = left - left / 8;
    budget_init(part, whole->budget, bytes < most ? bytes : most);
    limits_init_within(limits, whole, part);
    limits->deadline = deadline;
}

/* When a turn ends that begins now. */
static uint64_t end_of(const struct any *any, uint64_t turn)
{
    uint64_t deadline = any->options->limits->deadline, end = clock_nanoseconds() + turn;
    return deadline && deadline < end ? deadline : end;
}

/* ---- few threads ---- */

/* Takes over what was found with so many threads, a violation or a fault of the model. */
static void take(struct any *any, struct assertion_result *found)
{
    struct assertion_result before = *any->result;
    *any->result = *found;
    *found = before;
    found->asked = any->result->asked;
    any->result->asked = before.asked;
    any->result->specification = before.specification;
    any->result->states += before.states;
    any->result->transitions += before.transitions;
}

/* *settled: the assertion is decided by it, here as below. Without `operations`: any number. */
static enum status search_few(struct any *any, const struct lin_bounded_effort *effort,
                              uint32_t *operations, bool *settled)
{
    struct assertion_result found;
    struct lin_bounded_effort few = *effort;
    if (is_never(any)) /* it may compare them */
        few.values = any->instance.setting.values;
    *settled = false;
    if (any->options->questions_alone)
        return STATUS_OK;
    assertion_result_init(&found, any->options->limits->budget);
    enum status status =
        operations ? lin_search_bounded(any->module, any->assertion, any->pool, any->options, &few,
                                        operations, &found, any->error)
                   : lin_search_endless(any->module, any->assertion, any->pool, any->options, &few,
                                        &found, any->error);
    *settled = status == STATUS_OK && found.answer == VIOLATED;
    if (*settled || status == STATUS_INPUT) {
        take(any, &found);
    } else {
        any->result->states += found.states;
        any->result->transitions += found.transitions;
    }
    assertion_result_release(&found);
    return status;
}

/* ---- questions ---- */

static enum status add_question(struct any *any, struct question question, const char *name,
                                const char *about)
{
    struct asked_questions *asked = &any->result->asked;
    struct asked_question shown = {.answer = ASKED_OPEN, .method = "", .reason = ""};
    shown.is_minor = question.kind == QUESTION_BLOCKED || question.kind == QUESTION_REMOVED_AGAIN;
    shown.name = arena_copy_text(&asked->arena, name, strlen(name));
    shown.about = arena_copy_text(&asked->arena, about, strlen(about));
    return granted(shown.name && shown.about && vector_push(&asked->items, shown) &&
                   vector_push(&any->asking, ((struct asking){.question = question})));
}

/* Whether an automaton may be asked about with `taken` (unbounded/questions.h). */
static bool is_stack_order(const struct any *any, const struct violation_automaton *automaton)
{
    return !any->instance.rules.own && strcmp(automaton->name, "stack_order") == 0;
}

/* What is asked of a condition, and where no automata describe the violations. */
static enum status add_questions_without_rules(struct any *any)
{
    const bool never = is_never(any);
    const struct question error = {.kind = QUESTION_ERROR,
                                   .has_condition = never,
                                   .condition = any->instance.condition},
                          last = {.kind = never ? QUESTION_NEVER : QUESTION_EFFECTS,
                                  .has_condition = never,
                                  .condition = any->instance.condition};
    TRY(add_question(any, error, "range",
                     never ? "an int leaves its range, or the condition itself fails"
                           : "an int leaves its range"));
    TRY(add_question(any, (struct question){.kind = QUESTION_FAULT}, "fault",
                     "an operation does what it must not do"));
    return add_question(any, last, never ? "never" : "points",
                        never ? "the condition becomes true"
                              : "an operation answers what it does not at its linearization point");
}

static enum status add_questions(struct any *any)
{
    if (is_never(any) || any->instance.by_points)
        return add_questions_without_rules(any);
    if (any->assertion->property == LIN_LOCK_FREE)
        return add_question(any, (struct question){.kind = QUESTION_PROGRESS}, "progress",
                            "operations take steps for ever, and none returns");
    const struct any_rules *rules = &any->instance.rules;
    bool asks_leftover = false;
    if (any->instance.any_nodes)
        return add_question(any, (struct question){.kind = QUESTION_HEAP}, "heap",
                            "an operation answers what it does not where it takes effect");
    TRY(add_question(any, (struct question){.kind = QUESTION_ERROR}, "range",
                     "an int leaves its range"));
    TRY(add_question(any, (struct question){.kind = QUESTION_FAULT}, "fault",
                     "an operation does what it must not do, or answers what it never may"));
    for (size_t i = 0; i < rules->automata.count; i++)
        asks_leftover |= is_stack_order(any, &rules->automata.items[i]);
    if (asks_leftover)
        TRY(add_question(any, (struct question){.kind = QUESTION_REMOVED_AGAIN}, "leftover",
                         "a value that was taken can be taken again"));
    for (size_t i = 0; i < rules->automata.count; i++) {
        const struct violation_automaton *automaton = &rules->automata.items[i];
        const struct question question = {.kind = QUESTION_RULE, .automaton = automaton};
        TRY(add_question(any, question, automaton->name, automaton->rule));
    }
    /* Of a mutex or semaphore only what has returned matters. */
    if (rules->object->values_are_processes && !rules->own)
        return STATUS_OK;
    return add_question(any, (struct question){.kind = QUESTION_BLOCKED}, "stuck",
                        "an operation that others have noticed may wait for ever");
}

/* Whether no value that was taken can be taken again: known only if it was asked. */
static bool leaves_nothing(const struct any *any)
{
    for (size_t i = 0; i < any->asking.length; i++)
        if (any->asking.items[i].question.kind == QUESTION_REMOVED_AGAIN)
            return any->result->asked.items.items[i].answer == ASKED_SAFE;
    return false;
}

/* What the net can do is done by so many threads. */
static enum status confirm(struct any *any, const struct schedule *run,
                           struct asked_question *shown, enum limit *limit, bool *settled)
{
    struct budget part;
    struct limits limits;
    struct assertion_options options = *any->options;
    struct assertion_result found;
    take_part(any, &part, any->options->limits->deadline, FEW_BYTES, &limits);
    limits.most_work = CONFIRMED_STATES;
    options.limits = &limits;
    assertion_result_init(&found, any->options->limits->budget);
    enum status status = lin_confirm(any->module, any->assertion, any->pool, &options, &any->system,
                                     run, &found, any->error);
    *settled = status == STATUS_OK && found.answer == VIOLATED;
    any->result->states += found.states;
    any->result->transitions += found.transitions;
    *limit = limits_reached(any->options->limits);
    if (found.limit == LIMIT_MEMORY && part.limit < FEW_BYTES) /* there is no more */
        *limit = LIMIT_MEMORY;
    if (status == STATUS_OK && !*settled)
        shown->reason = lin_any_doubt(run, found.answer, &any->result->asked.arena);
    if (*settled || status == STATUS_INPUT) {
        found.states = found.transitions = 0;
        take(any, &found);
        any->result->method = "coverability";
    }
    assertion_result_release(&found);
    return status;
}

/* The reason is null when refused. */
static void show(const struct question_answer *answer, const char *limit_text, struct arena *arena,
                 struct asked_question *shown)
{
    const char *reason = answer->reason ? answer->reason : limit_text;
    shown->answer = answer->verdict == VERDICT_SAFE     ? ASKED_SAFE
                    : answer->verdict == VERDICT_UNSAFE ? ASKED_UNSAFE
                                                        : ASKED_OPEN;
    shown->method = answer->method;
    shown->reason = shown->answer == ASKED_UNSAFE || !reason
                        ? ""
                        : arena_copy_text(arena, reason, strlen(reason));
    shown->explored = answer->explored;
    shown->controls = answer->controls;
    shown->places = answer->controls + answer->locals;
    shown->transitions = answer->transitions;
    shown->seconds += answer->seconds;
}

static enum status ask(struct any *any, size_t number, uint64_t deadline, bool *settled)
{
    struct asking *asking = &any->asking.items[number];
    struct question *question = &asking->question;
    struct assertion_result *result = any->result;
    struct asked_question *shown = &result->asked.items.items[number];
    struct arena *arena = &result->asked.arena;
    struct budget part;
    struct limits limits;
    struct questions questions;
    struct question_answer answer;
    take_part(any, &part, deadline, SIZE_MAX, &limits);
    LOG(limits.log, "any number of threads: question %zu of %zu, %s", number + 1,
        any->asking.length, shown->name);
    if (question->kind == QUESTION_RULE)
        question->taken = is_stack_order(any, question->automaton) && leaves_nothing(any);
    enum status status =
        questions_init(&questions, &any->system, any->instance.rules.object, &part, any->error);
    if (status == STATUS_OK) {
        status = question->kind == QUESTION_EFFECTS
                     ? lin_any_points_ask(&any->instance, &questions, &limits, &answer, any->error)
                 : question->kind == QUESTION_HEAP
                     ? lin_any_heap_ask(&any->instance, &questions, &limits,
                                        any->options->limits->deadline, &answer, any->error)
                 : question->kind == QUESTION_PROGRESS
                     ? lin_any_progress_ask(&any->instance, &questions, &limits,
                                            any->options->limits->deadline, &answer, any->error)
                     : question_ask(&questions, question, &limits, &answer, any->error);
        LOG(limits.log, "any number of threads: %s: %s, %s markings in %.3f s", shown->name,
            answer.verdict == VERDICT_SAFE     ? "never"
            : answer.verdict == VERDICT_UNSAFE ? "perhaps"
                                               : "open",
            count_text(answer.explored).digits, answer.seconds);
        show(&answer, answer.limit ? limit_reason(answer.limit) : "", arena, shown);
        asking->was_asked = true;
        asking->limit = answer.limit;
        asking->was_cut = answer.limit == LIMIT_TIME && deadline != any->options->limits->deadline;
        result->states += answer.explored;
        result->transitions += answer.transitions;
        atomic_fetch_add(&any->options->limits->work, answer.explored);
        bool shows = question->kind != QUESTION_BLOCKED && question->kind != QUESTION_REMOVED_AGAIN;
        if (status == STATUS_OK && answer.verdict == VERDICT_UNSAFE && shows)
            status = confirm(any, &answer.schedule, shown, &asking->limit, settled);
        else if (status == STATUS_OK && answer.verdict == VERDICT_UNSAFE)
            shown->reason = lin_any_stuck(&any->system, &answer.schedule, arena);
        if (status == STATUS_OK && !*settled && question->kind == QUESTION_EFFECTS &&
            answer.verdict == VERDICT_UNSAFE)
            shown->reason = "no steps were found at which the operations could take effect so that "
                            "every answer is the specification's there";
        if (status == STATUS_OK && !shown->reason)
            status = STATUS_LIMIT;
        question_answer_release(&answer);
    }
    questions_release(&questions);
    return status;
}

/* Whether it has not been asked, or a turn was too short for it, or more is known now. */
static bool is_to_ask(const struct any *any, size_t number)
{
    const struct asking *asking = &any->asking.items[number];
    if (!asking->was_asked || asking->was_cut)
        return true;
    return asking->question.kind == QUESTION_RULE && !asking->question.taken &&
           any->result->asked.items.items[number].answer != ASKED_SAFE &&
           is_stack_order(any, asking->question.automaton) && leaves_nothing(any);
}

/* *cut: this turn was too short for some. */
static enum status ask_open(struct any *any, uint64_t turn, bool *cut, bool *settled)
{
    *cut = false;
    for (size_t i = 0; i < any->asking.length && !*settled; i++) {
        if (!is_to_ask(any, i))
            continue;
        if (limits_reached(any->options->limits) != LIMIT_NONE)
            return STATUS_OK;
        TRY(ask(any, i, end_of(any, turn), settled));
        *cut |= any->asking.items[i].was_cut;
    }
    return STATUS_OK;
}

static bool is_proved(const struct any *any)
{
    bool proved = true;
    for (size_t i = 0; i < any->asking.length && proved; i++)
        proved = any->asking.items[i].question.kind == QUESTION_REMOVED_AGAIN ||
                 any->result->asked.items.items[i].answer == ASKED_SAFE;
    return proved;
}

/* Why something is not decided; LIMIT_NONE: not by a limit. */
static enum limit limit_of(const struct any *any)
{
    for (size_t i = 0; i < any->asking.length; i++) {
        const struct asking *asking = &any->asking.items[i];
        if (any->result->asked.items.items[i].answer == ASKED_SAFE)
            continue;
        if (!asking->was_asked)
            return limits_reached(any->options->limits);
        if (asking->limit != LIMIT_NONE)
            return asking->limit;
    }
    return LIMIT_NONE;
}

/* Of what is settled before only the questions are told that were asked. */
static void forget_unasked(struct any *any)
{
    struct asked_questions *asked = &any->result->asked;
    size_t kept = 0;
    for (size_t i = 0; i < any->asking.length; i++)
        if (any->asking.items[i].was_asked)
            asked->items.items[kept++] = asked->items.items[i];
    asked->items.length = kept;
}

/* ---- the whole ---- */

static enum status open(struct any *any)
{
    static const struct lin_options nothing;
    struct budget *budget = any->options->limits->budget;
    any->labels = labels_create(budget);
    TRY_MEMORY(any->labels);
    any->opened = true;
    TRY(lin_instance_open(&any->instance, any->module, any->assertion, &nothing, any->labels,
                          any->pool, any->options->limits, any->error));
    const char *name = any->instance.spec ? any->instance.name : "";
    struct assertion_result *result = any->result;
    result->specification = arena_copy_text(&result->asked.arena, name, strlen(name));
    TRY_MEMORY(result->specification);
    any->has_system = true;
    TRY(thread_system_create(&any->system, &any->instance.steps, any->labels, any->options->limits,
                             any->error));
    return add_questions(any);
}

/* One thread and two that call often, once; what has been looked at is not looked at again. */
static enum status search_far(struct any *any, bool *settled)
{
    static const struct lin_bounded_effort one = {.states = TWO_STATES,
                                                  .threads = 1,
                                                  .operations = ONE_OPERATIONS,
                                                  .nanoseconds = LAST_TURN,
                                                  .bytes = FEW_BYTES},
                                           two = {.states = LAST_STATES,
                                                  .threads = 2,
                                                  .operations = ONE_OPERATIONS,
                                                  .nanoseconds = LAST_TURN,
                                                  .bytes = FEW_BYTES};
    TRY(search_few(any, &one, &any->of_one, settled));
    return *settled ? STATUS_OK : search_few(any, &two, &any->of_two, settled);
}

static enum status take_turns(struct any *any, bool *settled)
{
    bool cut = true;
    for (uint64_t turn = FIRST_TURN; cut; turn *= turn < LONGEST_TURN ? TURNS_GROW : 1) {
        TRY(ask_open(any, turn, &cut, settled));
        if (*settled || is_proved(any) || limits_reached(any->options->limits) != LIMIT_NONE)
            return STATUS_OK;
        if (turn == FIRST_TURN)
            TRY(search_far(any, settled));
        if (*settled)
            return STATUS_OK;
        const struct lin_bounded_effort effort = {.states = cut ? UINT64_MAX : LAST_STATES,
                                                  .threads = FEW_THREADS,
                                                  .operations = MOST_OPERATIONS,
                                                  .nanoseconds = cut ? turn : LAST_TURN,
                                                  .bytes = FEW_BYTES};
        TRY(search_few(any, &effort, &any->operations, settled));
        if (*settled)
            return STATUS_OK;
    }
    return STATUS_OK;
}

/* search_few, before any question. */
static enum status search_first(struct any *any, const struct lin_bounded_effort *effort,
                                uint32_t *operations, bool *settled)
{
    struct lin_bounded_effort least = *effort;
    if (any->instance.any_nodes)
        least.states /= HEAP_SHARE;
    return search_few(any, &least, operations, settled);
}

/* Two threads that go on for ever: a counter that comes round shows after many operations, but in
 * few states. With nodes there are as many states as may be stored. */
static enum status search_endless(struct any *any, bool *settled)
{
    static const struct lin_bounded_effort endless = {
        .states = FIRST_STATES, .threads = 2, .bytes = ENDLESS_BYTES};
    return search_few(any, &endless, NULL, settled);
}

static enum status search(struct any *any, bool *settled)
{
    static const struct lin_bounded_effort first = {.states = FIRST_STATES,
                                                    .threads = FEW_THREADS,
                                                    .operations = FIRST_OPERATIONS,
                                                    .bytes = FEW_BYTES},
                                           two = {.states = TWO_STATES,
                                                  .threads = 2,
                                                  .operations = TWO_OPERATIONS,
                                                  .bytes = FEW_BYTES};
    TRY(open(any));
    TRY(search_first(any, &first, &any->operations, settled));
    if (!*settled) /* two that call more often are not many */
        TRY(search_first(any, &two, &any->of_two, settled));
    if (!*settled && !any->instance.any_nodes)
        TRY(search_endless(any, settled));
    return *settled ? STATUS_OK : take_turns(any, settled);
}

static enum status decide(struct any *any)
{
    struct assertion_result *result = any->result;
    bool settled = false;
    TRY(search(any, &settled));
    if (settled) {
        forget_unasked(any);
        return STATUS_OK;
    }
    result->answer = is_proved(any) ? HOLDS : UNDECIDED;
    result->limit = result->answer == HOLDS ? LIMIT_NONE : limit_of(any);
    bool few_were_cut = false;
    if (result->answer != HOLDS && result->limit == LIMIT_NONE) {
        result->limit = limits_reached(any->options->limits);
        few_were_cut = result->limit != LIMIT_NONE;
    }
    result->reductions = REDUCE_INTERVALS | REDUCE_SLICE; /* those of a thread system */
    if (any->instance.any_nodes)
        result->method = "views";
    struct lin_completions within = {.said = TEXT_EMPTY, .lacking = TEXT_EMPTY};
    enum status status = STATUS_OK;
    if (result->answer == HOLDS && !any->instance.any_nodes)
        status = lin_completions_count(&any->instance, any->options, &within, any->error);
    if (status == STATUS_OK)
        lin_any_conclude(&any->instance, any->operations, few_were_cut, &within, result);
    lin_completions_release(&within);
    return status;
}

enum status lin_any_decide(const struct lin_module *module, const struct lin_assertion *assertion,
                           struct value_pool *pool, const struct assertion_options *options,
                           struct assertion_result *result, struct error *error)
{
    struct any any = {.module = module,
                      .assertion = assertion,
                      .pool = pool,
                      .options = options,
                      .result = result,
                      .error = error};
    result->method = "coverability";
    if (assertion_is_unasked(options, "any number of threads", result))
        return STATUS_OK;
    vector_init(&any.asking, options->limits->budget);
    enum status status = decide(&any);
    if (status == STATUS_LIMIT) {
        assertion_refused(result, options->limits);
        status = STATUS_OK;
    }
    if (any.has_system)
        thread_system_release(&any.system);
    if (any.opened)
        lin_instance_close(&any.instance);
    labels_destroy(any.labels);
    vector_release(&any.asking);
    return status;
}

enum status lin_any_tell(const struct lin_module *module, const struct lin_assertion *assertion,
                         const struct assertion_result *result, struct assertion_result *shown,
                         struct error *error)
{
    struct arena arena;
    struct violation_automata automata;
    struct text told = TEXT_EMPTY;
    const uint32_t threads = trace_threads(&shown->trace);
    if (assertion->property != LIN_LINEARIZES) {
        text_format(&told, "%u thread%s enough: %s", threads, threads == 1 ? " is" : "s are",
                    text_string(&shown->reason));
        text_clear(&shown->reason);
        text_append(&shown->reason, text_string(&told));
        text_release(&told);
        return STATUS_OK;
    }
    arena_init(&arena, result->asked.arena.budget);
    enum status status = any_rules_list(module, &assertion->specification, result->specification,
                                        &arena, &automata, error);
    if (status == STATUS_OK) {
        const struct violation_automaton *broken = lin_find_broken(&shown->trace, &automata);
        text_format(&told, "%u thread%s enough: ", threads, threads == 1 ? " is" : "s are");
        text_append(&told, text_string(&shown->reason));
        if (broken)
            text_format(&told, "; it breaks the rule `%s`%s%s", broken->name,
                        *broken->rule ? ": " : "", broken->rule);
        text_clear(&shown->reason);
        text_append(&shown->reason, text_string(&told));
    }
    text_release(&told);
    arena_release(&arena);
    return status;
}
