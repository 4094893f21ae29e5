/* A history bound to specifications, cut into the parts that are decided each on its own: one per
 * object (linearizability is local), and per key where keys never interact. */
#ifndef HISTORY_PART_H
#define HISTORY_PART_H

#include "history/binder.h"

/* An operation that may have happened, bound to the specification. */
struct interval {
    struct call call;
    uint32_t invoke;   /* position among the part's own events: 0 .. positions-1, no gaps */
    uint32_t response; /* likewise, or POSITION_NEVER when pending */
    uint32_t index;    /* of the operation in history->operations */
};

struct part {
    const struct spec *spec;          /* not owned */
    value key;                        /* the specification's only key here; nil unless has_key */
    value independent;                /* the key of an object that stands for itself, by
                                         `--independent`; nil unless has_independent */
    const struct interval *intervals; /* by invoke; failed operations are left out */
    const value *processes;           /* labels, by call.process; the history's; null: numbers do */
    uint32_t count;                   /* of intervals */
    uint32_t positions;               /* 2 * count - pending */
    uint32_t pending;
    uint16_t object; /* or NO_OBJECT */
    bool has_key, has_independent;
    bool keyed_results; /* recorded results are [key value] */
};

/* The parts of one history. Owns the intervals; the history must outlive it. */
struct parts {
    struct budget *budget;
    VECTOR(struct part) items; /* in the order of their first operation */
    struct interval *intervals;
    size_t interval_count;
    bool keyed_results; /* of some map the answers were read as [key value] */
};

/* STATUS_INPUT, with file and line, for the first operation (failed ones too) that the
 * specification does not have or whose values have the wrong shape, or where a map's answers can be
 * read in two ways and `results` does not say which is meant; STATUS_USAGE for an object
 * without specification or the reverse; STATUS_LIMIT. Linear in the history. */
enum status parts_create(const struct history *history, const struct bind_options *options,
                         struct parts *parts, struct error *error) MUST_CHECK;
void parts_release(struct parts *parts);

#endif
