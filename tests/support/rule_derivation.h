/* The words that rules derive, by the definition: starting with the empty word, each rule is
 * applied to every word so far, cut in every way, as often as possible. Shares no code with the
 * decision by the last rule (spec/rule_set.h). */
#ifndef TESTS_SUPPORT_RULE_DERIVATION_H
#define TESTS_SUPPORT_RULE_DERIVATION_H

#include "base/random.h"
#include "spec/rule_set.h"

#define DERIVED_MOST 8 /* events of a word */

struct derived_word {
    uint8_t length;
    uint8_t methods[DERIVED_MOST];
    uint8_t groups[DERIVED_MOST]; /* numbered as they begin */
    uint8_t ranks[DERIVED_MOST];  /* of ordered sets, by group; else 0 */
};

struct derived {
    struct derived_word word;
    unsigned level; /* the first `level` rules derive it, and no fewer do */
    uint32_t last;  /* bits: the rules that can be the last step */
    uint32_t next;  /* in its bucket, + 1 */
};

struct derivation {
    struct derived *items;
    size_t count, capacity;
    uint32_t *buckets;
};

/* All words of at most `most` events; memory is plain malloc. */
void derivation_make(struct derivation *derivation, const struct rule_set *set, unsigned most);
void derivation_release(struct derivation *derivation);

/* Null: it is not derived. */
const struct derived *derivation_find(const struct derivation *derivation,
                                      const struct rule_word *word);

/* Whether the rule makes `word` of the word without group `witness`, whose events are those that it
 * adds. */
bool derivation_makes(const struct rule_set *set, unsigned rule, const struct rule_word *word,
                      uint32_t witness);

/* Random rules of two to four methods that the checker of `.lin` would accept. */
void rule_set_random(struct rule_set *set, struct random *random);

#endif
