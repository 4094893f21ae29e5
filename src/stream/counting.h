/* What calls of an object that counts say: which way they count, whether they did, and which count
 * they saw. Counts begin at 0; of a counter it is how often something was added to it. */
#ifndef STREAM_COUNTING_H
#define STREAM_COUNTING_H

#include "spec/spec.h"

enum direction {
    DOWN,
    UP,
    READ,
};

struct counted {
    const struct spec *spec; /* of a set, mutex, semaphore or counter; not owned */
    value key;               /* of a set: the element that this is about */
    int64_t initial, number; /* of a counter: what it is at first, what is added; 0: unknown */
};

/* Nothing is known yet of what is added. */
struct counted counted_object(const struct spec *spec, value key);

/* The count at first, and the greatest that there can be. */
int64_t counted_first(const struct counted *counted);
int64_t counted_most(const struct counted *counted);

/* What a call of a counter adds. */
int64_t counted_added(const struct call *call);

/* What adds 0 to a counter is a read of which nobody knows the answer. */
enum direction counted_direction(const struct counted *counted, const struct call *call);

/* Whether a completed call says that it did nothing; *known: whether it says anything. */
bool counted_declines(const struct counted *counted, const struct call *call, bool *known);

/* The count that a completed call has seen which only read, or declined; -1: there is none such. */
int64_t counted_seen(const struct counted *counted, const struct call *call);

/* The same specification with this count at first, to be destroyed with spec_destroy; null when
 * refused. */
struct spec *counted_spec(const struct counted *counted, int64_t count, struct budget *budget);

#endif
