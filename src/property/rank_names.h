/* What ranks call labels and normalised states. Each numbers them as it meets them; what crosses
 * from one rank to another is a number of the sender, and ahead of its first use goes what it
 * stands for: of a label the event, of a normalised state the one that it was made from and the
 * label that made it. The receiver takes that step itself. So no specification need know how its
 * sets are written down, and a set crosses once between two ranks. */
#ifndef PROPERTY_RANK_NAMES_H
#define PROPERTY_RANK_NAMES_H

#include "base/transport.h"
#include "base/vector.h"
#include "property/normal.h"

/* How a normalised state was met first. */
struct rank_origin {
    normal_id from; /* NORMAL_NONE: it is that of the empty trace; NORMAL_EVERYTHING: not met */
    label by;
};

/* Of another rank. */
struct rank_peer {
    VECTOR(uint32_t) told_labels, told_normals; /* a bit each of ours that it knows */
    VECTOR(uint32_t) labels, normals;           /* by its numbers, ours */
};

struct rank_names {
    struct budget *budget;
    struct normal *normal;
    struct labels *labels;
    VECTOR(struct rank_origin) origins; /* by normalised state */
    VECTOR(normal_id) chain;            /* scratch */
    struct rank_peer *peers;            /* by rank */
    unsigned ranks;
};

/* What is to be told, behind one another. */
struct rank_message {
    VECTOR(uint64_t) words;
};

/* False when refused; released in any case. */
bool rank_names_init(struct rank_names *names, unsigned ranks, struct normal *normal,
                     struct labels *labels, struct budget *budget) MUST_CHECK;
void rank_names_release(struct rank_names *names);

/* Notes how a normalised state was met, unless it was before. False when refused. */
bool rank_names_met(struct rank_names *names, normal_id id, normal_id from, label by) MUST_CHECK;

/* Appends what rank `to` must know of these to understand their numbers. False when refused. */
bool rank_names_tell_label(struct rank_names *names, unsigned to, label l,
                           struct rank_message *message) MUST_CHECK;
bool rank_names_tell_normal(struct rank_names *names, unsigned to, normal_id id,
                            struct rank_message *message) MUST_CHECK;

/* Takes in what rank `from` has told in so many words. */
enum status rank_names_hear(struct rank_names *names, unsigned from, const uint64_t *words,
                            size_t length, struct error *error) MUST_CHECK;

/* Our numbers for those of a rank; LABEL_REFUSED and NORMAL_NONE where what was told did not come,
 * since memory was refused on the way. */
label rank_names_label(const struct rank_names *names, unsigned from, uint32_t theirs);
normal_id rank_names_normal(const struct rank_names *names, unsigned from, uint32_t theirs);

#endif
