/* Tests the properties of rules on all histories of one labelling. What each can be linearized to
 * is found for every part of its groups, by trying all orders. */
#include "rules/rule_properties.h"

#include <string.h>

struct histories {
    struct rule_inspection *inspection;
    bool keeps_last; /* there is a last rule wherever something is derived */
    const struct word *word;
    struct linearized parts[1u << RULE_MOST_EVENTS];
};

/* How far the operations may come in this order, after those of `done`. */
static unsigned follow(const struct word *word, const uint8_t *order, unsigned length,
                       unsigned done)
{
    unsigned at = 0;
    while (at < length && !(word->before[order[at]] & ~done))
        done |= 1u << order[at++];
    return at;
}

/* Orders are numbered so that those which begin alike are next to each other: where one fails at
 * some operation, so do the others of its block. */
void rule_linearize(const struct rule_tables *tables, const struct word *word, unsigned groups,
                    struct linearized *linearized)
{
    static const uint32_t blocks[RULE_MOST_EVENTS + 1] = {1, 1, 1, 2, 6, 24, 120, 720, 5040};
    const struct rule_table *table = &tables->tables[groups];
    unsigned rules = tables->set->rule_count, others = (1u << tables->labelling.count) - 1;
    for (unsigned i = 0; i < table->count; i++)
        others &= ~(1u << table->operations[i]);
    linearized->level = linearized->matches = RULE_LEVEL_NONE;
    memset(linearized->witnesses, 0, rules);
    for (uint32_t number = 0, block; number < table->words; number += block - number % block) {
        unsigned at = follow(word, rule_tables_order(tables, groups, number), table->count, others);
        block = blocks[table->count - at];
        if (at < table->count)
            continue;
        const uint8_t *witnesses = rule_table_witnesses(tables, groups, number);
        if (table->level[number] < linearized->level)
            linearized->level = table->level[number];
        for (unsigned r = 0; r < rules; r++)
            linearized->witnesses[r] |= witnesses[r];
    }
    for (unsigned r = rules; r > 0; r--)
        if (linearized->witnesses[r - 1])
            linearized->matches = (uint8_t)r;
}

static struct rule_example *violate_by_history(struct histories *histories,
                                               enum rule_property property)
{
    struct rule_example *example = rule_violate(histories->inspection, property);
    example->has_history = true;
    example->history = *histories->word;
    return example;
}

/* Definition 7, for the rules in their order. */
static void look_at_steps(struct histories *histories, unsigned all)
{
    const struct linearized *whole = &histories->parts[all];
    const struct rule_tables *tables = &histories->inspection->tables;
    for (unsigned r = 1; r < tables->set->rule_count; r++)
        for (unsigned x = 0; x < tables->labelling.group_count; x++) {
            if (!(whole->witnesses[r] >> x & 1) || whole->level <= r + 1 ||
                histories->parts[all & ~(1u << x)].level > r + 1)
                continue;
            struct rule_example *example = violate_by_history(histories, RULE_STEP_BY_STEP);
            example->first_rule = (uint8_t)r;
            example->group = (uint8_t)x;
            return;
        }
}

/* Lemma 5: by so many rules every projection is linearizable to what one of them matches; to be
 * compared with how many linearize the whole. */
static void look_at_all_parts(struct histories *histories, unsigned all)
{
    uint8_t needed = 1;
    unsigned culprit = 0;
    for (unsigned part = 1; part <= all; part++)
        if (histories->parts[part].matches > needed) {
            needed = histories->parts[part].matches;
            culprit = part;
        }
    uint8_t level = histories->parts[all].level;
    if (needed == level)
        return;
    struct rule_example *example = violate_by_history(histories, RULE_BY_PROJECTIONS);
    uint8_t fewer = level < needed ? level : needed;
    example->derived = level < needed;
    example->first_rule = (uint8_t)(fewer - 1);
    example->second_count = histories->inspection->tables.tables[culprit].count;
    memcpy(example->second, histories->inspection->tables.tables[culprit].operations,
           example->second_count);
}

/* Lemma 6. Where nothing over a part is derived the last rule is any: that of the empty word, which
 * nothing else matches. */
static void look_at_last_rules(struct histories *histories, unsigned all)
{
    const struct rule_tables *tables = &histories->inspection->tables;
    unsigned culprit = 0, rule = 0;
    for (unsigned part = 1; part <= all && !culprit; part++) {
        uint32_t last = tables->tables[part].last_of_all;
        rule = last ? (unsigned)__builtin_ctz(last) : 0;
        if (!histories->parts[part].witnesses[rule])
            culprit = part;
    }
    bool linearizable = histories->parts[all].level != RULE_LEVEL_NONE;
    if (linearizable == (culprit == 0))
        return;
    struct rule_example *example = violate_by_history(histories, RULE_BY_LAST_RULES);
    example->derived = linearizable;
    example->first_rule = (uint8_t)rule;
    example->second_count = tables->tables[culprit].count;
    memcpy(example->second, tables->tables[culprit].operations, example->second_count);
}

static bool look_at_history(void *context, const struct word *word)
{
    struct histories *histories = context;
    struct rule_inspection *inspection = histories->inspection;
    unsigned all = rule_tables_all(&inspection->tables);
    rule_inspection_count(inspection);
    histories->word = word;
    for (unsigned part = 0; part <= all; part++)
        rule_linearize(&inspection->tables, word, part, &histories->parts[part]);
    inspection->tally.size.histories++;
    inspection->tally.size.linearizable += histories->parts[all].level != RULE_LEVEL_NONE;
    if (rule_is_open(inspection, RULE_STEP_BY_STEP))
        look_at_steps(histories, all);
    if (rule_is_open(inspection, RULE_BY_PROJECTIONS))
        look_at_all_parts(histories, all);
    if (rule_is_open(inspection, RULE_BY_LAST_RULES) && histories->keeps_last)
        look_at_last_rules(histories, all);
    return !inspection->stopped;
}

void rule_inspect_histories(struct rule_inspection *inspection)
{
    const struct labelling shape = {.count = inspection->tables.labelling.count};
    struct histories histories = {.inspection = inspection, .keeps_last = true};
    for (unsigned part = 0; part <= rule_tables_all(&inspection->tables); part++) {
        uint32_t last = inspection->tables.tables[part].last_of_all;
        histories.keeps_last = histories.keeps_last && !(last & (last - 1));
    }
    words_visit(&shape, HISTORY_ALL, look_at_history, &histories);
}
