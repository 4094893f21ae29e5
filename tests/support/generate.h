/* Parts to test on: parsed from a line of text, every small one, or random ones of any size.
 *
 * A `subject` is a specification with the operations to call on it; samples are parts over a
 * subject. Memory is plain malloc and never refused; what cannot be done (a text that does not
 * parse, an operation that the specification does not have) fails the test. */
#ifndef TESTS_SUPPORT_GENERATE_H
#define TESTS_SUPPORT_GENERATE_H

#include "base/random.h"
#include "history/part.h"

/* One operation of a workload. In `argument` and `results` each `#` stands for a value of the
 * domain 1, 2, ...; both are EDN. */
struct call_template {
    const char *operation;
    const char *argument; /* null: none */
    const char *results;  /* what it may answer, separated by blanks; null: nothing recorded */
};

#define WORKLOAD_MAX_CALLS 16

/* What to call on which object. */
struct workload {
    const char *name;
    const char *spec;    /* as in spec_request: "semaphore(2)" */
    const char *initial; /* EDN; null: none */
    const char *key;     /* EDN: parts of this one key; null: whole */
    bool owned;          /* and then every assignment of processes matters */
    struct call_template calls[WORKLOAD_MAX_CALLS]; /* ends at the first null operation */
};

/* At least one for every built-in class, keyed classes both whole and for one key. */
const struct workload *workloads(size_t *count);
const struct workload *workload_find(const char *name);

/* A workload's specification, created. */
struct subject {
    const struct workload *workload;
    struct budget budget;
    struct value_pool *pool;
    struct spec *spec;
    value key;
    bool has_key;
};

void subject_open(struct subject *subject, const struct workload *workload);
/* A subject over a class that is not built in; `workload->spec` is ignored. */
void subject_open_class(struct subject *subject, const struct workload *workload,
                        const struct spec_class *class);
void subject_close(struct subject *subject);

/* The value that EDN `text` describes. */
value test_value(struct value_pool *pool, const char *text);

/* What a subject's specification makes of what was recorded of `operation`. */
struct call subject_call(const struct subject *subject, const char *operation,
                         const struct recorded *recorded);

/* How many `#` a template's text has (0 for null), and its value with them replaced. */
uint32_t template_slots(const char *text);
value template_value(const struct subject *subject, const char *text, const int64_t *values);

/* A part that owns its intervals. All zero: empty. */
struct sample {
    struct part part;
    struct interval *intervals; /* = part.intervals */
    uint32_t capacity;
};

void sample_release(struct sample *sample);
void sample_reserve(struct sample *sample, uint32_t count);
void sample_copy_part(struct sample *to, const struct part *from);
/* An empty part of the subject with room for `count` intervals, to be filled in by hand and
 * renumbered. */
void sample_start(struct sample *sample, const struct subject *subject, uint32_t count);

/* Makes the sample that `text` describes. Operations separated by `;`, each its name, its argument
 * if the specification's operation takes one, its result (`?` or nothing: not known), its interval
 * (`_`: pending), and optionally `@process`:
 *
 *     enqueue 1 [0 3]; dequeue 1 [1 2] @7; dequeue ? [4 _]
 *
 * Only the order of the positions counts; processes are numbered by operation unless given. */
void sample_parse(struct sample *sample, const struct subject *subject, const char *text);

/* Appends a text that sample_parse reads back. */
void sample_print(const struct part *part, struct text *text);

/* Calls `visit` with every part of exactly `operations` operations over 1 .. `values`, up to the
 * names of processes (which only an owned object distinguishes): each operation completed with each
 * result, completed with a result that is not known, or pending; a failed operation is not part of
 * a part. Of the parts about one in `keep_one_in` (at random) is visited, all if it is 1. Returns
 * how many were visited. */
struct enumeration {
    uint32_t operations, values;
    uint32_t keep_one_in;
    uint64_t seed;
    void (*visit)(void *context, const struct part *part);
    void *context;
};
uint64_t sample_enumerate(const struct subject *subject, const struct enumeration *enumeration);

/* How a random part looks. */
struct shape {
    uint32_t operations, processes;
    uint32_t values;          /* size of the domain; 0: every argument is a new value */
    uint32_t recalled;        /* not 0, and no domain: of several arguments all but the last are
                                 among so many of the last new values */
    uint32_t pending_percent; /* operations that never respond */
    uint32_t unknown_percent; /* completed ones whose result is not known */
    uint32_t mutate_percent;  /* samples that are changed after the fact */
    uint32_t eagerness;       /* 0: as it comes; 1 ..: operations run longer, overlap more */
    const uint32_t *weights;  /* of workload->calls; null: all alike */
};

/* A correct run of the object by `shape->processes` concurrent processes: each operation takes
 * effect at a random point of its interval and answers what the specification says. An operation
 * that is not legal at its point fails, and so is not in the part. Then, perhaps, a mutation:
 * results swapped or replaced, intervals shifted or cut, an operation lost. */
void sample_random(struct sample *sample, const struct subject *subject, struct random *random,
                   const struct shape *shape);

/* One mutation (none if nothing applies), after which a process
 * still runs one operation at a time. */
void sample_mutate(struct sample *sample, const struct subject *subject, struct random *random);

/* Makes the sample smaller while `still(context, part)` holds (it must hold at first): operations
 * removed, turned pending, results forgotten. */
void sample_shrink(struct sample *sample, bool (*still)(void *context, const struct part *part),
                   void *context);

/* Binds the operation again, with another result (null: none recorded). False, and nothing changes,
 * when the specification does not take it. */
bool interval_answer(const struct spec *spec, struct interval *interval, const value *result);

/* Sorts the intervals, renumbers positions and counts; for tests that edit intervals by hand. Equal
 * positions: invocations first. */
void sample_renumber(struct sample *sample);

#endif
