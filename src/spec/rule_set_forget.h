/* Which groups of an execution need not be remembered.
 *
 * Without this, the state of a rule set would be the whole execution so far, and no two orders of
 * past operations would ever be the same state. Group x of a word u can be forgotten if for every
 * continuation v, u v is in the set exactly when (u without x) v is. Left to right that is closure
 * under projection. For the other direction we look for a proof, by the argument below; where there
 * is none x stays.
 *
 * Let the decomposition of every rule be settled by the witness's events (rule_set_is_settled).
 * Whether a word is what rule j makes with witness y is then a question about y and each other
 * group z alone; write y ->j z if the word's projection to the two is what rule j makes with
 * witness y. x can be forgotten if no event of x can follow, its events are those of rule i, and
 * for all other groups, those of u completed in every way and those that may still come:
 *
 *     (1) x ->i z for each z made by a rule before i;
 *     (2) y ->j x for each y made by a rule j after i;
 *     (3) for each y made by rule i: y ->i x, or else x ->i y, and x ->i z for each z made by
 *         rule i with y ->i z.
 *
 * Then take a derivation of a word w without x and put x into it, by induction on its length. Let
 * its last step be y, by rule j. For j > i, by (2), y is a last step with x too. For j < i all of w
 * was made by rules before i, and by (1) x is a last step. For j = i, by (3), one of the two is.
 * Groups that can be in no word of the set together with one that stays are not asked for. A
 * closure stands for none or one event: the more there are, the less holds, which is so because
 * no condition `matched` is about methods of groups that have closures. */
#ifndef SPEC_RULE_SET_FORGET_H
#define SPEC_RULE_SET_FORGET_H

#include "spec/rule_set.h"

/* Whether the set is of the form that the argument needs. */
bool rule_set_may_forget(const struct rule_set *set);

/* Whether group `x` of a word of the set can be forgotten. Groups are numbers below `groups`. The
 * set may forget. */
bool rule_set_forgets(const struct rule_set *set, const struct rule_word *word, uint32_t groups,
                      uint32_t x);

/* Whether some events that are next to each other, of the same group and this method, are as good
 * as one. The set may forget. */
bool rule_set_repeats(const struct rule_set *set, uint32_t method);

#endif
