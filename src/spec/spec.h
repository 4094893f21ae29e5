/* Sequential specifications: what each operation of an object does when it runs alone.
 *
 * One interface for the built-in objects, for those a user supplies through the library and for
 * those written in `.lin`. A specification is used in two ways:
 *
 * - step: immutable states, for searches. A state is an array of 64-bit words in a canonical form:
 *   two states of a specification are the same exactly when their words are. Whoever explores
 *   states interns the arrays. A call may have several outcomes (nondeterminism) or none (illegal).
 * - replay: one mutable object that calls are applied to in order, for checking a linearization in
 *   time linear in its length. Deliberately separate code from step wherever an object has its own:
 *   the tests run the two against each other.
 *
 * Adding one: docs/internals/add-a-specification.md. */
#ifndef SPEC_SPEC_H
#define SPEC_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"
#include "value/renaming.h"

/* One operation as a specification sees it. */
struct call {
    value argument;     /* in the form that the specification's `bind` gives it */
    value result;       /* likewise; meaningless unless result_known */
    uint32_t process;   /* who called; looked at only where spec_tells_callers */
    uint32_t number;    /* tells it apart from all others of its history; looked at only where
                           operations may stay open (spec_class.is_open) */
    uint16_t operation; /* index into the class's operations */
    bool result_known;  /* false: any result is fine (pending, or not checked) */
    bool read_only;     /* changes no state in which it is legal: every read, and a call whose known
                           result says so (`dequeue -> nil`, `add -> false`, a failed cas) */
};

/* The ways in which a call can take effect: successor states, back to back in `words`. */
struct outcome {
    size_t start, length; /* the state's place in `words` */
    value result;         /* what the operation answers */
};

struct outcomes {
    VECTOR(uint64_t) words;
    VECTOR(struct outcome) items;
    const struct limits *limits; /* looked at where there are many; once reached, no more come, as
                                    if refused. Null: none; not owned */
};

void outcomes_init(struct outcomes *outcomes, struct budget *budget);
void outcomes_clear(struct outcomes *outcomes);
void outcomes_release(struct outcomes *outcomes);

/* Appends an outcome whose state is `length` words; false when refused. */
bool outcomes_add(struct outcomes *outcomes, const uint64_t *words, size_t length,
                  value result) MUST_CHECK;

/* The same with words for the caller to fill in, valid until the next change; null when refused. */
uint64_t *outcomes_add_room(struct outcomes *outcomes, size_t length, value result) MUST_CHECK;

/* Cuts the last outcome's state to `length` words. */
void outcomes_shorten(struct outcomes *outcomes, size_t length);

struct spec;
struct spec_keys;
struct spec_object; /* a replay in progress; its layout is the specification's own */

enum applied {
    APPLIED_LEGAL,
    APPLIED_ILLEGAL, /* the object is unchanged */
    APPLIED_REFUSED, /* a budget refused; the object is of no further use */
};

/* One operation of a class: the row of the table that help, manual and parser are made from. */
struct spec_operation {
    const char *name;       /* with hyphens; underscores are accepted for them */
    const char *aliases[4]; /* null-terminated; other accepted names */
    const char *argument;   /* for people: "v", "[old new]", "" */
    const char *result;     /* for people: "v, nil when empty", "true if added", ""; "ok..." or "":
                               nil says only that it happened */
    bool read_only;         /* never changes the state */
    bool waits;    /* where it is not legal it waits until it is, and progress is not asked of
                      it: `await` in a `.lin` file. Else it must not be called there */
    bool optional; /* an implementation without it lacks nothing */
};

/* What a history recorded of one operation, before it is bound. */
struct recorded {
    value argument;       /* of the invocation; nil where there is none */
    value result;         /* of the ok completion; nil where there is none */
    bool completed;       /* an ok completion exists */
    bool result_recorded; /* the completion carries a value at all (LiMo's plain `return` does not)
                           */
    uint32_t process;
};

/* Operations that may take effect as one, each called by another client: a set-sequential
 * specification (Neiger, PODC 1994). An operation may be a member several times.
 *
 * Where operations may stay open it is an interval-sequential one (Castaneda, Rajsbaum and Raynal,
 * JACM 2018): an operation takes part in several sets, one after the other. It begins in the first
 * and answers in the last; a member is one that begins, or one that is open. */
struct spec_together {
    const uint16_t *operations;
    const bool *open; /* of each: it has begun in an earlier set and is open; else it begins */
    uint32_t count;
};

#define SPEC_MOST_TOGETHER 4

struct spec_class {
    const char *name;       /* as the user writes it, hyphens */
    const char *parameters; /* for people: "n"; null: takes none */
    const char *summary;    /* one line */
    const struct spec_operation *operations;
    size_t operation_count;
    bool takes_owned, takes_nil_reads; /* whether these of struct spec_request mean anything */
    bool tells_callers;                /* `step` may look at call->process */

    /* The orders in which one client calls, operations of all back to back: one order after the
     * other, as it likes, and between them what stands in none. `client_ends`: where each ends;
     * null: there is one. None (count 0): it calls as it likes. */
    const uint16_t *client;
    uint32_t client_count;
    const uint32_t *client_ends;

    /* Checks parameters and initial value of a new instance (`spec` is filled in but for `data`)
     * and sets up what the class needs. Null: no parameters, any initial value. */
    enum status (*create)(struct spec *spec, struct error *error);
    void (*destroy)(struct spec *spec); /* null: nothing to do */

    /* Turns what was recorded of `operation` into a call, which comes filled in as spec_bind says.
     * On a value of the wrong shape writes what was expected and what was found to `complaint` and
     * returns STATUS_INPUT. STATUS_LIMIT when a pool refuses. Null: any values are right. */
    enum status (*bind)(const struct spec *spec, uint16_t operation,
                        const struct recorded *recorded, struct call *call,
                        struct text *complaint) MUST_CHECK;

    /* The known result as people are shown it, no longer than a history may say it. Null: whole. */
    value (*shown_result)(const struct call *call);

    /* Where the `key` field of an event is the first component of the argument (map): the argument
     * of `operation` with `key` put in front; VALUE_REFUSED. Null: a key field splits the history
     * into independent objects. */
    value (*join_key)(const struct spec *spec, uint16_t operation, value key, value argument);

    /* Appends the keys (never nil) that a call touches, where calls on different keys never
     * interact (map, set, multi-register). Null: the object is one whole. False when refused. */
    bool (*keys)(const struct spec *spec, const struct call *call,
                 struct spec_keys *keys) MUST_CHECK;

    /* Appends the initial state as one outcome with result nil; `key` is the only key that will be
     * touched, nil when any may be. False when refused. */
    bool (*init)(const struct spec *spec, value key, struct outcomes *state) MUST_CHECK;

    /* Appends every outcome of `call` in the state `words`; with a known result only those that
     * answer so. None: illegal here. False when refused. */
    bool (*step)(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes) MUST_CHECK;

    /* Whether an operation may wait in a state, whatever it can answer there. Null: where it has no
     * answer. */
    bool (*waits_in)(const struct spec *spec, const uint64_t *words, size_t length,
                     const struct call *call);

    /* Operations that may take effect together. Where there are some, `step` also leads to states
     * in which such a set has begun and waits for its other members, and from these on, a member at
     * a time; nothing else may happen in between, and all must run then. `gathered` says how many
     * members have begun in a state; 0: it is whole. The answer of those that begin a set is the
     * recorded one, nil where it is not known.
     *
     * `step_together` appends every outcome in which these calls, one for each member in its order,
     * take effect at once in a whole state; the result is a list of their answers.
     *
     * Where operations may stay open, `is_open` says whether that of this call.number is, in a
     * state to which `step` has led; null: none may. Each operation alone is a set of one then, and
     * every set begins an operation or ends one. A call of an operation that is open takes part as
     * one that is; whoever explores states calls it again until it is no more. `step_together`
     * takes a state in which none is open, leads to such states, and answers `stays_open` for
     * operations that stay so: the caller knows which are. */
    const struct spec_together *togethers;
    uint32_t together_count;
    value stays_open;
    bool (*is_open)(const struct spec *spec, const uint64_t *words, size_t length, uint32_t number);
    uint32_t (*gathered)(const struct spec *spec, const uint64_t *words, size_t length);
    bool (*step_together)(const struct spec *spec, uint32_t together, const uint64_t *words,
                          size_t length, const struct call *const *calls,
                          struct outcomes *outcomes) MUST_CHECK;

    /* STATUS_INPUT, with its place, if some step that was no trial (limits->fault) has failed so
     * far through a fault of the specification itself; such a step returns false. Thread-safe.
     * Null: there are none. */
    enum status (*fault)(const struct spec *spec, struct error *error);

    /* Renames the values in a state, which stays canonical. Null unless all that the object does
     * with the values of its arguments is to keep them, compare them with each other and answer
     * them: the outcomes of a renamed call in a renamed state are then the outcomes, renamed. False
     * when refused. */
    bool (*rename)(const struct spec *spec, const struct renaming *renaming, uint64_t *words,
                   size_t length) MUST_CHECK;

    /* Says which words of a state are values; the others are numbers. Null: all are, of a built-in
     * specification; of others nobody knows. */
    void (*find_values)(const struct spec *spec, const uint64_t *words, size_t length,
                        bool *values);

    /* Appends a state for people, e.g. `[1 2 3]`; with shows_answers what calls answer in it. */
    bool shows_answers;
    void (*print_state)(const struct spec *spec, const uint64_t *words, size_t length,
                        struct text *text);

    /* The object as mutable data. All three null: replay goes through step, keeping the set of
     * states that are possible. */
    struct spec_object *(*open)(const struct spec *spec, value key, struct budget *budget);
    enum applied (*apply)(struct spec_object *object, const struct call *call, value *result);
    void (*close)(struct spec_object *object);
};

#define SPEC_MAX_PARAMETERS 4

/* An instance: a class with its parameters and initial value. Immutable once created, so threads
 * may share it. */
struct spec {
    const struct spec_class *class;
    struct value_pool *pool; /* where results are interned; not owned */
    struct budget *budget;   /* not owned */
    int64_t parameters[SPEC_MAX_PARAMETERS];
    size_t parameter_count;
    value initial; /* nil unless has_initial */
    bool has_initial;
    bool owned;      /* mutex: only the holder may release */
    bool nil_reads;  /* a completed read of nil is not checked (Knossos's reading) */
    void *data;      /* the class's own */
    uint64_t digest; /* of the text that it was written in; 0: none */
};

/* Whether who calls may decide what a call does: an owned mutex, `thread` in a `.lin` file. */
static inline bool spec_tells_callers(const struct spec *spec)
{
    return spec->owned || spec->class->tells_callers;
}

/* Whether what was recorded is what the object answered, a set that of a list of its elements too,
 * as value_agrees() has it; `*refused` becomes true when the budget refuses. */
bool spec_agrees(value recorded, value answered, struct budget *budget, bool *refused) MUST_CHECK;

/* As spec_class.find_values, where no word of a state is a value. */
void spec_find_no_values(const struct spec *spec, const uint64_t *words, size_t length,
                         bool *values);

/* How many members of a set that takes effect together have begun in a state; 0: it is whole. */
static inline uint32_t spec_gathered(const struct spec *spec, const uint64_t *words, size_t length)
{
    return spec->class->together_count ? spec->class->gathered(spec, words, length) : 0;
}

/* Whether an operation has begun in a state, and is to take part in another set. */
static inline bool spec_is_open(const struct spec *spec, const uint64_t *words, size_t length,
                                uint32_t number)
{
    return spec->class->is_open && spec->class->is_open(spec, words, length, number);
}

struct spec_keys {
    VECTOR(value) items;
};

/* What the user asked for. */
struct spec_request {
    const char *name; /* "queue", "semaphore(3)", "register(initial = 5)", "mutex(owned)" */
    value initial;
    bool has_initial, owned, nil_reads;
};

/* The length of the name in `queue`, `semaphore(3)`, `semaphore (3)`. */
size_t spec_name_length(const char *text);

/* The index of the operation of that name or alias, -1 if the class has none. */
int spec_operation_find(const struct spec_class *class, const char *name, size_t length);

/* Whether the answer nil of an operation says no more than that it happened. */
static inline bool spec_operation_is_silent(const struct spec_operation *operation)
{
    return operation->result[0] == 0 ||
           (operation->result[0] == 'o' && operation->result[1] == 'k');
}

/* Whether an operation that is done says no more, but may also answer that it was not ("ok:
 * swapped"): false is an answer then. */
static inline bool spec_operation_may_decline(const struct spec_operation *operation)
{
    return spec_operation_is_silent(operation) && operation->result[0] &&
           operation->result[2] == ':';
}

/* Whether a right implementation of an operation may wait where it is not legal: it says so itself,
 * or it begins an order in which clients call, as `acquire`. */
bool spec_operation_may_wait(const struct spec_class *class, uint16_t operation);

/* Creates an instance of a class (request->name: its name with parameters, or null); `data` becomes
 * spec->data before class->create. STATUS_USAGE with a message that says what the parameters or the
 * initial value should be. Owned by the caller. */
enum status spec_create_class(const struct spec_class *class, const struct spec_request *request,
                              void *data, struct value_pool *pool, struct budget *budget,
                              struct spec **spec, struct error *error) MUST_CHECK;
void spec_destroy(struct spec *spec);

/* Binds one recorded operation. Before class->bind the call has argument, result, process and
 * operation as recorded, result_known where a completion recorded a result, read_only as the
 * table says. The complaint of STATUS_INPUT reads `enqueue: expected ..., found ...`; the caller
 * adds file and line. The result of a call whose result is not known is nil. */
enum status spec_bind(const struct spec *spec, uint16_t operation, const struct recorded *recorded,
                      struct call *call, struct text *complaint) MUST_CHECK;

/* Appends a call for people, in the specification's terms: `enqueue 7`, `dequeue -> 3`,
 * `dequeue -> ?` when the result is not known. */
void spec_print_call(const struct spec *spec, const struct call *call, struct text *text);

#endif
