/* Decides the questions that together decide an implementation for any number of threads. Each
 * question becomes a Petri net (thread_net.h) with a target, whose coverability petri/cover.h
 * decides. docs/internals/any_threads.md says why what is safe proves what.
 *
 *     questions_init(&questions, &system, object, budget, &error)
 *     question_ask(&questions, &(struct question){.kind = QUESTION_FAULT}, limits, &answer, &error)
 *     question_answer_release(&answer)
 *     questions_release(&questions) */
#ifndef UNBOUNDED_QUESTIONS_H
#define UNBOUNDED_QUESTIONS_H

#include "petri/cover.h"
#include "unbounded/thread_net.h"

enum question_kind {
    /* Does the algorithm do what it must not do, or answer what the object never answers? */
    QUESTION_FAULT,
    /* Does a value leave its range? Then the other answers mean nothing. */
    QUESTION_ERROR,
    /* Is there a history that the automaton accepts? Of unsafe ones the operations that still run
     * may not end as was guessed of them: a violation only if the history is one. */
    QUESTION_RULE,
    /* Can a value be taken again although what added it and what took it have returned? If not, a
     * rule may be asked with `taken`. */
    QUESTION_REMOVED_AGAIN,
    /* Can it be that of the running operations that have changed what others see none can return by
     * itself? If not, what is safe holds of histories whose operations still run, too. */
    QUESTION_BLOCKED,
    /* Can a condition over the shared variables become true? QUESTION_ERROR then asks, too, whether
     * it can fail. */
    QUESTION_NEVER,
    /* Can a move lead to what is bad, as the question says? */
    QUESTION_EFFECTS,
    /* Of a heap without bound, which no net has: unbounded/heap_points.h answers it. */
    QUESTION_HEAP,
    /* Likewise: do threads step for ever though no operation returns? unbounded/heap_progress.h. */
    QUESTION_PROGRESS,
};

struct question {
    enum question_kind kind;
    const struct violation_automaton *automaton; /* QUESTION_RULE: for prefixes */
    /* QUESTION_RULE of stack_order: accept only where no value of colour 1 can still be taken. */
    bool taken;
    /* QUESTION_NEVER, QUESTION_ERROR: as lin_steps_condition has numbered it. */
    bool has_condition;
    uint32_t condition;
    /* QUESTION_EFFECTS: what moves do to a state beside the shared one; which values are called
     * with, 1 << colour. */
    thread_net_effect *effect;
    void *effect_user;
    unsigned colours;
    /* Null, or told of the net before it is decided. */
    void (*made)(void *user, const struct net *net);
    void *user;
};

struct question_answer {
    enum verdict verdict;
    enum limit limit;                     /* VERDICT_UNKNOWN: why; LIMIT_NONE: see `reason` */
    const char *reason;                   /* VERDICT_UNKNOWN without a limit */
    const char *method;                   /* what answered, see cover.h */
    uint64_t explored;                    /* markings */
    size_t controls, locals, transitions; /* of the net */
    struct schedule schedule;             /* VERDICT_UNSAFE */
    double seconds;
};

struct questions {
    struct thread_system *system;
    struct budget *budget;
    struct arena arena;
    struct method_roles roles;
};

/* The system must outlive it. The object is null where no rule is asked about. STATUS_INTERNAL: the
 * implementation has an operation that is none of the object's; STATUS_LIMIT. Release whatever the
 * status. */
enum status questions_init(struct questions *questions, struct thread_system *system,
                           const struct rule_object *object, struct budget *budget,
                           struct error *error) MUST_CHECK;
void questions_release(struct questions *questions);

/* STATUS_OK whenever there is an answer, VERDICT_UNKNOWN included: limits are one. Release it
 * whatever the status; the moves in its schedule are the system's. */
enum status question_ask(struct questions *questions, const struct question *question,
                         const struct limits *limits, struct question_answer *answer,
                         struct error *error) MUST_CHECK;
void question_answer_release(struct question_answer *answer);

#endif
