/* Values whose addition never answers, and that nobody has seen: they may come any time, and there
 * may be millions. */
#ifndef STREAM_UNSEEN_H
#define STREAM_UNSEEN_H

#include "base/table.h"
#include "stream/running.h"

struct unseen {
    struct running additions; /* detail: the value */
    struct table by_value;
};

void unseen_init(struct unseen *unseen, struct budget *budget);
void unseen_release(struct unseen *unseen);

/* Adds a value that is not there; in constant time where its addition was invoked behind nearly all
 * others. False when refused. */
bool unseen_add(struct unseen *unseen, value v, uint64_t invoked, uint64_t serial) MUST_CHECK;

bool unseen_has(const struct unseen *unseen, value v);

/* Takes a value out, if it is there: *addition says of what. */
bool unseen_take(struct unseen *unseen, value v, struct running_operation *addition);

static inline size_t unseen_count(const struct unseen *unseen)
{
    return unseen->additions.count;
}

/* As online_class.each. */
bool unseen_each(const struct unseen *unseen, const struct online_visitor *visitor);

void unseen_archive(struct archive *archive, struct unseen *unseen);

#endif
