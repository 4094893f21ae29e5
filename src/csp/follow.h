/* Who takes the moves of a state. A state says only how many copies are alike, and an interleaving
 * closes up where a component has ended; people are shown processes that keep their numbers. So
 * executions that are shown are followed: beside each state stands who is where in it, and with
 * each move who takes it and who is where behind it. Searches know nothing of it.
 *
 * Who is where is written down in blocks, one for each composition that a term is at heart, and for
 * each process that it is instead, from left to right. A block is the number of its items, the next
 * number that nobody has, and the items:
 *
 *     INTERLEAVE, PARALLEL  of each component its number
 *     COPIES                the number for the first copy to move, or NOBODY; then component and
 *                           number of each copy that has one, by number
 *     others                the number
 *
 * Copies are alike until they move, and get their numbers then. Of copies that are alike again the
 * least numbered one moves first. What a process turns into goes on with its number, and where it
 * turns into several the others get the next. What comes when all of a composition have ended
 * begins with 0 again. */
#ifndef CSP_FOLLOW_H
#define CSP_FOLLOW_H

#include "csp/replace.h"

#define NOBODY UINT32_MAX

/* Where the walk through a term stood, see csp_follow_into. */
struct csp_followed_from {
    size_t at;
    bool is_leaf;
};

/* Around the moves of one state: `who` says who is where in its term, or nothing. STATUS_LIMIT,
 * here and below. From then on `process` of a move is the number of a note: who takes it, and who
 * is where behind it; 0: there is none. */
enum status csp_follow_begin(struct csp_worker *worker, const uint32_t *who,
                             size_t length) MUST_CHECK;
void csp_follow_end(struct csp_worker *worker);

/* Appends what the note of a complete move says. */
enum status csp_follow_tell(struct csp_worker *worker, const struct move *move,
                            struct followed *out) MUST_CHECK;

/* Around the moves of each term at the outermost level, those from `first` on. */
enum status csp_follow_into(struct csp_worker *worker, term t,
                            struct csp_followed_from *from) MUST_CHECK;
enum status csp_follow_out(struct csp_worker *worker, const struct csp_followed_from *from,
                           size_t first) MUST_CHECK;

/* Gives the moves from `first` on, which have none, the note of the single process that the walk
 * stands at. */
enum status csp_follow_leaf(struct csp_worker *worker, size_t first) MUST_CHECK;

/* Of an external choice or an interrupt that the walk stands at: goes on to child i; returns where
 * to put `at` back to. And of a move of child i that leaves the others where they are, its target
 * still that of the child. */
size_t csp_follow_child(struct csp_worker *worker, term t, uint32_t i);
enum status csp_follow_keep(struct csp_worker *worker, term t, uint32_t i,
                            struct move *move) MUST_CHECK;

/* Of the composition that the walk stands at: a move of component i, all staying where they are;
 * and one in which the components `gone` become the terms `come`. */
enum status csp_follow_component(struct csp_worker *worker, const struct composition *composition,
                                 uint32_t i, struct move *move) MUST_CHECK;
enum status csp_follow_replaced(struct csp_worker *worker, const struct composition *composition,
                                const uint32_t *gone, const term *come, size_t count,
                                struct move *move) MUST_CHECK;

#endif
