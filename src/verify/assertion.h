/* What deciding an assertion needs and gives, whatever language it was written in. */
#ifndef VERIFY_ASSERTION_H
#define VERIFY_ASSERTION_H

#include "explore/stats.h"
#include "native/engine.h"
#include "property/fairness.h"
#include "property/normal.h"
#include "property/refinement.h"
#include "reduce/reductions.h"
#include "tell/trace.h"

struct lin_bounds;
struct transport_meeting;

/* How it is decided whether an implementation in `.lin` linearizes a specification. */
enum linearizing {
    LINEARIZING_BY_REFINEMENT, /* of the specification's normal form */
    LINEARIZING_BY_AUTOMATA,   /* of its violation automata: values are then without number */
};

struct assertion_options {
    reductions reductions;    /* those unsound for the assertion are left out */
    enum explore_order order; /* of searches that have one; not along edges */
    struct swarm *swarm;      /* of EXPLORE_SWARM: what its searches share */
    unsigned threads;         /* of a search that may use several; 0: one */
    uint32_t threads_from;    /* see struct explorer; 0: as usual */
    enum linearizing linearizing;
    enum fairness fairness;   /* of the runs that temporal formulas are about */
    enum engine engine;       /* what takes the steps of `.lin` implementations */
    uint32_t most_operations; /* of all threads of a `.lin` assertion together; 0: any number */
    const struct lin_bounds *bounds; /* of one about any number of threads: how many there are;
                                        null: any number (verify/lin_instance.h) */
    struct transport_meeting *ranks; /* that share a search, where it can be; null: none do */
    bool questions_alone; /* about any number of threads: few threads are not searched besides */
    struct checkpoint *checkpoint; /* null: none (verify/checkpointing.h) */
    struct limits *limits;
};

/* Of the events that a specification offers, a reason names no more than these. */
#define ASSERTION_MOST_NAMED 4

enum asked {
    ASKED_SAFE,   /* it cannot come about: proved */
    ASKED_UNSAFE, /* it can in the threads' net */
    ASKED_OPEN,
};

/* What an assertion about any number of threads comes down to. */
struct asked_question {
    const char *name;   /* "fault", "queue_order" */
    const char *about;  /* what would come about; "" */
    const char *method; /* what answered; static, "" */
    const char *reason; /* why it is open, or why it proves nothing that it can; "" */
    enum asked answer;
    bool is_minor; /* without it the assertion holds of executions in which all operations return */
    uint64_t explored;
    size_t controls, places, transitions;
    double seconds;
};

struct asked_questions {
    struct arena arena; /* of texts */
    VECTOR(struct asked_question) items;
};

/* Where a refinement fails. */
enum failing {
    FAILING_NOWHERE,
    FAILING_EVENT,      /* the trace's last step cannot be followed */
    FAILING_REFUSAL,    /* its last state refuses too much */
    FAILING_DIVERGENCE, /* its last state can go on invisibly for ever */
};

struct assertion_result {
    enum holds answer;
    enum limit limit;
    uint64_t states, transitions;
    uint64_t memory;             /* bytes, at most */
    reductions reductions;       /* those that were used */
    const char *method;          /* "refinement", "reachability", "linearizability"; static */
    struct text reason;          /* one sentence */
    struct search_extent extent; /* of an incomplete search that found nothing */
    size_t covered;  /* where a limit ended it: behind the limit in the reason, what was covered */
    bool met_bounds; /* it holds, but not all is asked: the reason says which bounds were met */
    bool found_depth_first; /* what the trace shows */
    struct trace trace;     /* of a violation, of a goal reached, or to a fault of the model */
    enum failing failing;
    VECTOR(const char *) offered; /* FAILING_: the events that the specification offers there; in
                                     the trace's arena */
    uint32_t copies;              /* of each `|||{..}` in the trace; 0: there is none */
    bool is_temporal;             /* a formula; of the runs that are fair */
    enum fairness fairness;       /* in this way */
    bool has_extreme;
    int64_t extreme; /* of `reaches ... with min, max` */
    uint32_t values; /* of a violation: among how many it was found; 0: as the assertion says */
    VECTOR(const char *) missing;  /* operations of the specification that the implementation lacks:
                                      of linearizability; else one that its client order comes to */
    VECTOR(const char *) uncalled; /* its operations that the client order therefore never comes
                                      to; both in the arena of the questions */
    /* About any number of threads: of a violation, with how many it was found, else 0; what was
     * asked; and of which specification. */
    uint32_t threads;
    struct asked_questions asked;
    const char *specification; /* "semaphore(2)", in the arena of the questions */
    struct search_stats stats; /* of the last search of pairs or of states */
};

void assertion_result_init(struct assertion_result *result, struct budget *budget);
void assertion_result_release(struct assertion_result *result);

/* "the time limit was reached" */
const char *limit_reason(enum limit limit);

/* Begins the reason of an answer that a limit prevented, and completes it. */
void assertion_say_limit(struct assertion_result *result);
void assertion_undecided(struct assertion_result *result, const struct search_extent *extent);

/* Whether the search that is asked for stores no states; then the answer is that it does not look
 * for `what`, "runs that go on for ever". */
bool assertion_is_unasked(const struct assertion_options *options, const char *what,
                          struct assertion_result *result);

/* Says of a swarm of several workers what all of them did. */
void assertion_say_swarm(struct assertion_result *result, const struct swarm *swarm);

/* Says of an answer that an execution shows in which order it was found: where that was not chosen
 * there may be a shorter one. */
void assertion_say_order(struct assertion_result *result, const struct search_extent *extent);

/* How a refinement is decided; the reductions of the walk are added to those of the result. */
struct refinement_options assertion_refinement(const struct assertion_options *options,
                                               struct assertion_result *result);

/* Takes over what a refinement found, with its status: the counts, the reason, the trace as
 * replayed on the model, and where it was violated what the specification offered there. */
enum status assertion_take_refinement(struct assertion_result *result, struct graph *implementation,
                                      struct normal *specification, struct refinement *found,
                                      enum status status, struct error *error) MUST_CHECK;

/* Makes an answer of a decision that a budget refused before it had begun. */
void assertion_refused(struct assertion_result *result, const struct limits *limits);

#endif
