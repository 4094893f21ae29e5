/* Revisions of a map's keys, as etcd has them: every write gives its key a new, larger one.
 *
 * Recorded results may carry them as a map: {:value v :revision r} of a get, {:revision r} of a
 * write, {:ok true :revision r} of a conditional one (in JSON the same with strings). What is known
 * of the revision of a key is its cell's stamp, 2 * bound + exact:
 *
 *     exact   the key is there and its revision is `bound`
 *     else    the key is there and its revision is some number above `bound`, or it is not there
 *             and the revision of the next write is above `bound`
 *
 * A revision that was not recorded is any that makes the rest legal, as long as it is above the
 * last known one; two unrecorded ones in a row are not counted. So without a recorded revision the
 * stamp stays 0 and costs nothing. */
#ifndef SPEC_REVISION_H
#define SPEC_REVISION_H

#include "spec/keyed.h"

#define REVISION_MAX (INT64_C(1) << 61)

/* The keywords of bound answers. */
struct answer_names {
    value ok, revision, value;
};

/* A result taken apart. */
struct answer {
    value value;
    int64_t revision;
    bool ok, has_ok, has_value, has_revision;
};

/* False when the pool refuses. */
bool answer_names_create(struct value_pool *pool, struct answer_names *names) MUST_CHECK;

/* Takes a recorded or bound result apart if it is a map with the keys ok, value and revision, or
 * some of them, and no others, and with the right shapes; false if not. */
bool answer_parse(value result, struct answer *answer);

/* Whether it is what a get showed of a value and its revision. */
bool answer_shows_revision(value result);

/* Of a bound result that says only whether, that boolean; any other itself. */
value answer_shown(value result);

/* The bound form: a map of those that it has. VALUE_REFUSED. */
value answer_bind(struct value_pool *pool, const struct answer_names *names,
                  const struct answer *answer);

/* Whether the cell's key may be, or not be, at `revision`; 0 means that it is not there. */
bool revision_may_be(struct cell cell, int64_t revision);
bool revision_may_differ(struct cell cell, int64_t revision);

/* The cell as it is known after its value was seen with the answer's revision; false: it cannot
 * have that revision. */
bool revision_seen(struct cell *cell, const struct answer *answer);

/* The stamp of the cell after a write of `v` (nil: deletion) with the answer's revision, if it has
 * one; false: revisions must grow. Sets the value as well. */
bool revision_written(struct cell *cell, value v, const struct answer *answer);

#endif
