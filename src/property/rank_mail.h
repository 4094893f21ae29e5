/* Pairs on their way to other ranks: gathered for each, without those that are there already, and
 * written as bits in which each slot of a state takes as many as the greatest value of it that any
 * rank sends needs.
 *
 * A letter to a rank is, in words of 64 bits:
 *
 *     | words of names | pairs | names (rank_names.h) | slots, normalised state, label, of each |
 */
#ifndef PROPERTY_RANK_MAIL_H
#define PROPERTY_RANK_MAIL_H

#include "base/faults.h"
#include "property/rank_names.h"

#define RANK_MAIL_CACHE                                                                            \
    SIZE_OR_SMALL(UINT32_C(1) << 15, 4) /* pairs that are known to be on their way */

/* What goes to a rank: pairs, each the slots of a state, a normalised state and a label. */
struct rank_outbox {
    VECTOR(uint32_t) pairs;
    struct rank_message names, letter;
};

struct rank_mail {
    const struct transport *transport; /* not owned */
    struct rank_names *names;          /* not owned */
    struct budget *budget;
    uint32_t slots;               /* of a state */
    uint32_t *seen;               /* of each word of a pair, all bits that were ever sent */
    struct rank_outbox *outboxes; /* by rank; that of this one stays empty */
    uint32_t *cache;              /* by hash: 1 + number of a pair in its outbox; 0: none */
    size_t waiting;               /* pairs in all outboxes */
    uint64_t sent_bytes, sent_pairs;
    const uint64_t **letters; /* scratch, by rank */
    size_t *lengths, *received;
};

bool rank_mail_init(struct rank_mail *mail, const struct transport *transport,
                    struct rank_names *names, uint32_t slots, struct budget *budget) MUST_CHECK;
void rank_mail_release(struct rank_mail *mail);

/* A pair for another rank; `hash` is that of the state. False when refused. */
bool rank_mail_put(struct rank_mail *mail, unsigned to, uint64_t hash, const uint32_t *state,
                   normal_id normal, label by) MUST_CHECK;

/* Collective: sends all that waits, and gives each pair that came to `take`. `bits`: how many each
 * word of a pair takes, the same on all ranks. The first failure is told, when all is exchanged. */
enum status rank_mail_exchange(struct rank_mail *mail, const uint64_t *bits,
                               enum status (*take)(void *user, const uint32_t *state,
                                                   normal_id normal, label by),
                               void *user, struct error *error) MUST_CHECK;

/* The words of a pair. */
static inline uint32_t rank_mail_words(const struct rank_mail *mail)
{
    return mail->slots + 2;
}

/* How many bits each word of a pair needs that waits here; for all ranks to find the most. */
void rank_mail_bits(const struct rank_mail *mail, uint64_t *bits);

#endif
