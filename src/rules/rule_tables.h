/* Tables of what is known of all words over the events of a labelling, and over each part of its
 * groups: which rules a word matches, and which rules derive it.
 *
 * The words over a set of groups are the orders of their events, numbered as permutations are. Of
 * each is known, by the definition: which rules it matches, with which witnesses; which rules can
 * be the last step of a derivation; how many rules it takes. A word is derived by the first n rules
 * if for some witness of some rule i <= n the word without it is derived by the first i: that is
 * looked up in the table of one group less, so that every step back is taken, and nothing is
 * assumed of the rules. */
#ifndef RULES_RULE_TABLES_H
#define RULES_RULE_TABLES_H

#include "rules/history.h"
#include "spec/rule_set_words.h"

#define RULE_LEVEL_NONE UINT8_MAX

_Static_assert(RULE_MOST_EVENTS == HISTORY_MOST_ENUMERATED, "histories are of these events");

/* The words over a set of groups. `witnesses` has a row of a byte for each rule: bits, the groups
 * that the word matches the rule with; of the empty word, bit 0 of rule 0. */
struct rule_table {
    uint8_t count;                        /* events */
    uint8_t operations[RULE_MOST_EVENTS]; /* their numbers in the labelling, ascending */
    uint32_t words;                       /* orders of them, */
    uint8_t *orders;                      /* one after another */
    uint8_t *level;       /* by word: so many rules derive it, and no fewer; RULE_LEVEL_NONE */
    uint32_t *last;       /* by word: bits, the rules that can be its last step */
    uint32_t last_of_all; /* bits: of all words */
    uint8_t *projects;    /* by word: every projection matches a rule */
    uint8_t *witnesses;
};

struct rule_tables {
    const struct rule_set *set;
    struct rule_labelling labelling;
    uint32_t ranks[RULE_MOST_EVENTS]; /* of ordered sets, by group */
    struct arena arena;
    struct rule_table tables[1u << RULE_MOST_EVENTS]; /* by groups, as bits */
};

/* Release them whatever the status. STATUS_LIMIT. */
enum status rule_tables_make(struct rule_tables *tables, const struct rule_set *set,
                             const struct rule_labelling *labelling, const uint32_t *ranks,
                             struct budget *budget) MUST_CHECK;
void rule_tables_release(struct rule_tables *tables);

static inline unsigned rule_tables_all(const struct rule_tables *tables)
{
    return (1u << tables->labelling.group_count) - 1;
}

/* The operations of word `number` over `groups`, in their order. */
static inline const uint8_t *rule_tables_order(const struct rule_tables *tables, unsigned groups,
                                               uint32_t number)
{
    const struct rule_table *table = &tables->tables[groups];
    return table->orders + (size_t)number * table->count;
}

/* The number of the word over `part` that is left of `order`, a word over more. */
uint32_t rule_tables_project(const struct rule_tables *tables, const uint8_t *order,
                             unsigned length, unsigned part);

/* The events of an order, as a word. */
struct rule_word rule_tables_word(const struct rule_tables *tables, const uint8_t *order,
                                  unsigned length, struct rule_event events[RULE_MOST_EVENTS]);

static inline const uint8_t *rule_table_witnesses(const struct rule_tables *tables, unsigned groups,
                                                  uint32_t number)
{
    return tables->tables[groups].witnesses + (size_t)number * tables->set->rule_count;
}

#endif
