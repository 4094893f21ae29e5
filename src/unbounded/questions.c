#include "unbounded/questions.h"

#include <assert.h>

#include "unbounded/blocked.h"
#include "unbounded/removed_value.h"
#include "unbounded/retrievable.h"

/* What a question is worked out with. */
struct inquiry {
    struct questions *questions;
    const struct question *question;
    const struct limits *limits;
    struct question_answer *answer;
    struct error *error;
    struct arena arena;
    struct alphabet alphabet;
    struct plain_closure plain;
    struct bit_matrix returns[ANSWER_KINDS]; /* by answer: see returns.h, over `plain` */
    struct retrievable retrievable;          /* where it is asked for */
    struct blocked blocked;
    VECTOR(uint8_t) conditions; /* by shared state */
    bool refused;               /* an answer was made up for want of memory */
    struct thread_net net;
    struct thread_net_design design;
};

/* ---- faults and errors ---- */

static bool is_fault(void *user, const struct thread_move *move)
{
    const struct inquiry *inquiry = user;
    const struct method_roles *roles = &inquiry->questions->roles;
    return move->ending == ENDING_FAULT || (roles->object && method_roles_forbid(roles, move));
}

static bool is_error(void *user, const struct thread_move *move)
{
    (void)user;
    return move->ending == ENDING_ERROR;
}

/* ---- conditions ---- */

enum condition {
    CONDITION_NOT_KNOWN,
    CONDITION_FALSE,
    CONDITION_TRUE,
    CONDITION_FAILS,
};

static enum condition condition_in(struct inquiry *inquiry, uint32_t shared)
{
    const struct question *question = inquiry->question;
    bool holds = false;
    while (inquiry->conditions.length <= shared)
        if (!vector_push(&inquiry->conditions, CONDITION_NOT_KNOWN)) {
            inquiry->refused = true;
            return CONDITION_FALSE;
        }
    uint8_t *known = &inquiry->conditions.items[shared];
    if (*known != CONDITION_NOT_KNOWN)
        return (enum condition) * known;
    enum status status = thread_system_evaluate(inquiry->questions->system, shared,
                                                question->condition, &holds, inquiry->error);
    inquiry->refused = inquiry->refused || (status != STATUS_OK && status != STATUS_INPUT);
    *known = (uint8_t)(status != STATUS_OK ? CONDITION_FAILS
                       : holds             ? CONDITION_TRUE
                                           : CONDITION_FALSE);
    return (enum condition) * known;
}

static bool is_true(void *user, uint32_t shared, uint32_t state)
{
    (void)state;
    return condition_in(user, shared) == CONDITION_TRUE;
}

static bool is_failing(void *user, uint32_t shared, uint32_t state)
{
    (void)state;
    return condition_in(user, shared) == CONDITION_FAILS;
}

/* ---- effects ---- */

static enum thread_effect take_effect(void *user, const struct thread_move *move,
                                      struct reading *reading)
{
    const struct inquiry *inquiry = user;
    return inquiry->question->effect(inquiry->question->effect_user, move, reading);
}

/* ---- rules ---- */

/* Every operation of a whole history returns: what can no more return as was guessed is left
 * out. */
static bool can_return(void *user, uint32_t shared, uint32_t local, auxiliary prophecy)
{
    const struct inquiry *inquiry = user;
    if (thread_system_is_idle(inquiry->questions->system, local))
        return true;
    unsigned answers = alphabet_answers(&inquiry->alphabet, prophecy);
    for (unsigned kind = 0; kind < ANSWER_KINDS; kind++)
        if ((answers >> kind & 1) &&
            bits_get(bit_matrix_row(&inquiry->returns[kind], shared), local))
            return true;
    return false;
}

static bool is_accepted(void *user, uint32_t shared, uint32_t state)
{
    struct inquiry *inquiry = user;
    if (!inquiry->alphabet.accepting[state])
        return false;
    switch (inquiry->question->kind) {
    case QUESTION_REMOVED_AGAIN:
        return retrievable_in(&inquiry->retrievable, shared);
    default:
        return !inquiry->question->taken || !retrievable_in(&inquiry->retrievable, shared);
    }
}

static enum status find_returns(struct inquiry *inquiry)
{
    TRY(plain_closure_make(&inquiry->plain, inquiry->questions->system, inquiry->alphabet.colours,
                           inquiry->questions->budget, inquiry->limits, inquiry->error));
    for (unsigned kind = 0; kind < ANSWER_KINDS; kind++) {
        const struct returns_question question = {.answers = 1u << kind};
        TRY(returns_find(&inquiry->plain.closure, &question, inquiry->limits,
                         &inquiry->returns[kind]));
    }
    return STATUS_OK;
}

/* A rule, or what is asked like one. */
static enum status prepare_rule(struct inquiry *inquiry,
                                const struct violation_automaton *automaton, bool at_once)
{
    struct thread_net_design *design = &inquiry->design;
    struct questions *questions = inquiry->questions;
    assert(questions->roles.object && "rules are about an object");
    TRY(alphabet_make(automaton, &questions->roles, at_once, &inquiry->arena, &inquiry->alphabet));
    if (!at_once)
        TRY(retrievable_find(&inquiry->retrievable, questions->system, questions->budget,
                             inquiry->limits, inquiry->error));
    design->alphabet = &inquiry->alphabet;
    design->colours = inquiry->alphabet.colours;
    /* Of a lock only operations that have returned count: nothing is guessed, and one that waits
     * for ever may be what lets others in. */
    if (!questions->roles.object->values_are_processes) {
        TRY(find_returns(inquiry));
        design->admits = can_return;
    }
    design->is_bad_control = is_accepted;
    return STATUS_OK;
}

static enum status prepare_removed_again(struct inquiry *inquiry)
{
    struct violation_automaton *automaton = arena_allocate(&inquiry->arena, sizeof *automaton);
    TRY_MEMORY(automaton);
    TRY(removed_value_automaton(inquiry->questions->roles.object, &inquiry->arena, automaton));
    return prepare_rule(inquiry, automaton, false);
}

/* ---- operations that cannot return ---- */

static auxiliary remember_change(void *user, const struct thread_move *move, auxiliary before)
{
    const struct inquiry *inquiry = user;
    return blocked_remember(&inquiry->blocked, move, before);
}

static bool is_blocked(void *user, const struct thread_net *net, uint32_t control, uint32_t local)
{
    struct inquiry *inquiry = user;
    return blocked_may_be(&inquiry->blocked, net, control, local);
}

static enum status prepare_blocked(struct inquiry *inquiry)
{
    struct thread_net_design *design = &inquiry->design;
    TRY(blocked_find(&inquiry->blocked, inquiry->questions->system, inquiry->questions->budget,
                     inquiry->limits, inquiry->error));
    design->colours = inquiry->blocked.plain.colours;
    design->remember = remember_change;
    design->is_bad_pair = is_blocked;
    return STATUS_OK;
}

/* ---- the whole ---- */

static enum status prepare(struct inquiry *inquiry)
{
    struct thread_net_design *design = &inquiry->design;
    const uint32_t values = inquiry->questions->system->steps->setting.values;
    *design = (struct thread_net_design){
        .system = inquiry->questions->system, .colours = 1u << 1, .user = inquiry};
    if (inquiry->question->has_condition) /* which may compare them */
        design->colours = (2u << values) - 2;
    switch (inquiry->question->kind) {
    case QUESTION_FAULT:
        design->is_bad_move = is_fault;
        return STATUS_OK;
    case QUESTION_ERROR:
        design->is_bad_move = is_error;
        if (inquiry->question->has_condition)
            design->is_bad_control = is_failing;
        return STATUS_OK;
    case QUESTION_NEVER:
        design->is_bad_control = is_true;
        return STATUS_OK;
    case QUESTION_EFFECTS:
        design->effect = take_effect;
        design->colours = inquiry->question->colours;
        return STATUS_OK;
    case QUESTION_RULE:
        return prepare_rule(inquiry, inquiry->question->automaton, !inquiry->question->taken);
    case QUESTION_REMOVED_AGAIN:
        return prepare_removed_again(inquiry);
    case QUESTION_BLOCKED:
        return prepare_blocked(inquiry);
    case QUESTION_HEAP:
    case QUESTION_PROGRESS: /* is asked of others */
        break;
    }
    return STATUS_INTERNAL;
}

static enum status solve(struct inquiry *inquiry)
{
    struct question_answer *answer = inquiry->answer;
    struct budget *budget = inquiry->questions->budget;
    struct coverage coverage;
    TRY(prepare(inquiry));
    TRY(thread_net_make(&inquiry->net, &inquiry->design, budget, inquiry->limits, inquiry->error));
    if (inquiry->retrievable.refused || inquiry->blocked.refused || inquiry->refused)
        return STATUS_LIMIT;
    const struct net *net = &inquiry->net.net;
    answer->controls = net->controls;
    answer->locals = net->places.length - net->controls;
    answer->transitions = net->transitions.length;
    if (inquiry->question->made)
        inquiry->question->made(inquiry->question->user, net);
    enum status status = cover_solve(net, budget, inquiry->limits, NULL, &coverage, inquiry->error);
    answer->verdict = coverage.verdict;
    answer->limit = coverage.limit;
    answer->reason = coverage.reason;
    answer->method = coverage.method;
    answer->explored = coverage.explored;
    if (status == STATUS_OK && coverage.verdict == VERDICT_UNSAFE &&
        !thread_net_schedule(&inquiry->net, &coverage.run, &answer->schedule))
        status = STATUS_LIMIT;
    coverage_release(&coverage);
    return status;
}

static void release(struct inquiry *inquiry)
{
    thread_net_release(&inquiry->net);
    for (unsigned kind = 0; kind < ANSWER_KINDS; kind++)
        bit_matrix_release(&inquiry->returns[kind]);
    plain_closure_release(&inquiry->plain);
    retrievable_release(&inquiry->retrievable);
    blocked_release(&inquiry->blocked);
    vector_release(&inquiry->conditions);
    arena_release(&inquiry->arena);
}

enum status question_ask(struct questions *questions, const struct question *question,
                         const struct limits *limits, struct question_answer *answer,
                         struct error *error)
{
    struct inquiry inquiry = {.questions = questions,
                              .question = question,
                              .limits = limits,
                              .answer = answer,
                              .error = error};
    uint64_t begin = clock_nanoseconds();
    *answer = (struct question_answer){.verdict = VERDICT_UNKNOWN, .method = ""};
    schedule_init(&answer->schedule, questions->budget);
    arena_init(&inquiry.arena, questions->budget);
    vector_init(&inquiry.conditions, questions->budget);
    enum status status = solve(&inquiry);
    release(&inquiry);
    answer->seconds = seconds_since(begin);
    if (status != STATUS_LIMIT)
        return status;
    answer->verdict = VERDICT_UNKNOWN;
    answer->method = "";
    answer->limit = limits_which(limits);
    return STATUS_OK;
}

void question_answer_release(struct question_answer *answer)
{
    schedule_release(&answer->schedule);
}

enum status questions_init(struct questions *questions, struct thread_system *system,
                           const struct rule_object *object, struct budget *budget,
                           struct error *error)
{
    *questions = (struct questions){.system = system, .budget = budget};
    arena_init(&questions->arena, budget);
    if (!object)
        return STATUS_OK;
    return method_roles_find(system->steps->object, object, &questions->arena, &questions->roles,
                             error);
}

void questions_release(struct questions *questions)
{
    arena_release(&questions->arena);
}
