/* Tests the properties of rules on all executions of one labelling. The tables of rule_tables.h say
 * what is derived, what matches, and what can be a last step; each property compares two of these.
 */
#include "rules/rule_properties.h"

#include <string.h>

/* ---- examples ---- */

static void keep_first(struct rule_example *example, const uint8_t *order, unsigned length)
{
    memcpy(example->first, order, length);
    example->first_count = (uint8_t)length;
}

static void keep_second(struct rule_example *example, const uint8_t *order, unsigned length)
{
    memcpy(example->second, order, length);
    example->second_count = (uint8_t)length;
}

/* What is left of an order in `part`. */
static unsigned project(const struct rule_tables *tables, const uint8_t *order, unsigned length,
                        unsigned part, uint8_t *left)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < length; i++)
        if (part >> tables->labelling.events[order[i]].group & 1)
            left[kept++] = order[i];
    return kept;
}

static void keep_projection(struct rule_example *example, const struct rule_tables *tables,
                            const uint8_t *order, unsigned length, unsigned part)
{
    example->second_count = (uint8_t)project(tables, order, length, part, example->second);
}

/* ---- what is derived ---- */

struct looking {
    struct rule_inspection *inspection;
    const struct rule_tables *tables;
    unsigned all; /* groups */
    uint32_t number;
    const uint8_t *order;
    unsigned length;
};

static void look_at_last(const struct looking *looking)
{
    const struct rule_table *table = &looking->tables->tables[looking->all];
    uint32_t last = table->last[looking->number];
    if (!rule_is_open(looking->inspection, RULE_LAST_UNIQUE) || !(last & (last - 1)))
        return;
    struct rule_example *example = rule_violate(looking->inspection, RULE_LAST_UNIQUE);
    keep_first(example, looking->order, looking->length);
    example->first_rule = (uint8_t)__builtin_ctz(last);
    example->second_rule = (uint8_t)__builtin_ctz(last & (last - 1));
}

static void look_at_projections(const struct looking *looking)
{
    const struct rule_tables *tables = looking->tables;
    const struct rule_table *table = &tables->tables[looking->all];
    uint8_t level = table->level[looking->number];
    for (unsigned x = 0; x < tables->labelling.group_count; x++) {
        unsigned part = looking->all & ~(1u << x);
        uint32_t left = rule_tables_project(tables, looking->order, looking->length, part);
        if (level == RULE_LEVEL_NONE || tables->tables[part].level[left] <= level ||
            !rule_is_open(looking->inspection, RULE_PROJECTED))
            continue;
        struct rule_example *example = rule_violate(looking->inspection, RULE_PROJECTED);
        keep_first(example, looking->order, looking->length);
        keep_projection(example, tables, looking->order, looking->length, part);
        example->first_rule = (uint8_t)(level - 1);
    }
}

/* A part of the groups, the smallest there is, in which the word matches no rule; 0: there is none.
 */
static unsigned find_unmatched(const struct looking *looking)
{
    const struct rule_tables *tables = looking->tables;
    unsigned found = 0;
    for (unsigned part = 1; part <= looking->all; part++) {
        uint32_t left = rule_tables_project(tables, looking->order, looking->length, part);
        const uint8_t *witnesses = rule_table_witnesses(tables, part, left);
        bool matches = false;
        for (unsigned r = 0; r < tables->set->rule_count; r++)
            matches |= witnesses[r] != 0;
        if (!matches && (!found || __builtin_popcount(part) < __builtin_popcount(found)))
            found = part;
    }
    return found;
}

static void look_at_matching(const struct looking *looking)
{
    const struct rule_table *table = &looking->tables->tables[looking->all];
    bool derived = table->level[looking->number] != RULE_LEVEL_NONE;
    if (!rule_is_open(looking->inspection, RULE_MATCHED) ||
        derived == (table->projects[looking->number] != 0))
        return;
    struct rule_example *example = rule_violate(looking->inspection, RULE_MATCHED);
    keep_first(example, looking->order, looking->length);
    keep_projection(example, looking->tables, looking->order, looking->length,
                    find_unmatched(looking));
    example->derived = derived;
}

static void look_at_prefix(const struct looking *looking)
{
    const struct rule_set *set = looking->tables->set;
    struct rule_event events[RULE_MOST_EVENTS], scratch[RULE_MOST_EVENTS];
    struct rule_word prefix =
        rule_tables_word(looking->tables, looking->order, looking->length, events);
    prefix.length--;
    if (!rule_is_open(looking->inspection, RULE_PREFIXES) ||
        rule_set_derives(set, set->rule_count, &prefix, scratch))
        return;
    struct rule_example *example = rule_violate(looking->inspection, RULE_PREFIXES);
    keep_first(example, looking->order, looking->length);
    keep_second(example, looking->order, looking->length - 1);
}

/* ---- what the specification allows ---- */

/* Whether it allows the word, where the value of group g is values[g]; false is kept. */
static bool look_at_values(const struct looking *looking, enum rule_property property,
                           const uint8_t *values)
{
    struct rule_inspection *inspection = looking->inspection;
    struct rule_event events[RULE_MOST_EVENTS];
    const struct rule_word word =
        rule_tables_word(looking->tables, looking->order, looking->length, events);
    bool allowed = true;
    enum status status =
        rule_subject_allows(&inspection->subject, &word, values, &allowed, inspection->error);
    if (status != STATUS_OK) {
        inspection->status = status;
        inspection->stopped = true;
        return false;
    }
    if (allowed)
        return true;
    struct rule_example *example = rule_violate(inspection, property);
    keep_first(example, looking->order, looking->length);
    memcpy(example->values, values, sizeof example->values);
    example->derived = true;
    return false;
}

/* With every way of giving groups equal values, that of group 0 being 1; false once one is not
 * allowed. */
static bool look_at_equal_values(const struct looking *looking, unsigned group, uint8_t most,
                                 uint8_t *values)
{
    unsigned count = looking->tables->labelling.group_count;
    if (group == count)
        return most == count || look_at_values(looking, RULE_EQUAL_VALUES, values);
    for (uint8_t v = 1; v <= most + 1; v++) {
        values[group] = v;
        if (!look_at_equal_values(looking, group + 1, v > most ? v : most, values))
            return false;
    }
    return true;
}

static void look_at_subject(const struct looking *looking)
{
    const struct rule_tables *tables = looking->tables;
    struct rule_inspection *inspection = looking->inspection;
    uint8_t values[RULE_MOST_EVENTS] = {0};
    for (unsigned g = 0; g < tables->labelling.group_count; g++)
        values[g] =
            (uint8_t)(1 + (tables->set->values == RULE_VALUES_ORDERED ? tables->ranks[g] : g));
    if (rule_is_open(inspection, RULE_ALLOWED))
        look_at_values(looking, RULE_ALLOWED, values);
    if (rule_is_open(inspection, RULE_EQUAL_VALUES) && !inspection->stopped)
        look_at_equal_values(looking, 0, 0, values);
}

/* Groups of one shape, and events that are the same, are not told apart. */
static bool is_first_of_its_kind(const struct looking *looking)
{
    const struct rule_labelling *labelling = &looking->tables->labelling;
    unsigned written = 0, begun = 0;
    for (unsigned i = 0; i < looking->length; i++) {
        unsigned own = looking->order[i];
        struct rule_event event = labelling->events[own];
        if (own > 0 && !(written >> (own - 1) & 1) &&
            labelling->events[own - 1].group == event.group &&
            labelling->events[own - 1].method == event.method)
            return false;
        if (event.group > 0 && !(begun >> event.group & 1) && !(begun >> (event.group - 1) & 1) &&
            labelling->shapes[event.group - 1] == labelling->shapes[event.group])
            return false;
        written |= 1u << own;
        begun |= 1u << event.group;
    }
    return true;
}

static void look_at_words(struct rule_inspection *inspection)
{
    const struct rule_tables *tables = &inspection->tables;
    struct looking looking = {
        .inspection = inspection, .tables = tables, .all = rule_tables_all(tables)};
    const struct rule_table *table = &tables->tables[looking.all];
    looking.length = table->count;
    for (uint32_t number = 0; number < table->words && !inspection->stopped; number++) {
        looking.number = number;
        looking.order = rule_tables_order(tables, looking.all, number);
        if (!is_first_of_its_kind(&looking))
            continue;
        rule_inspection_count(inspection);
        inspection->tally.size.words++;
        look_at_matching(&looking);
        if (table->level[number] == RULE_LEVEL_NONE)
            continue;
        inspection->tally.size.derived++;
        look_at_last(&looking);
        look_at_projections(&looking);
        look_at_prefix(&looking);
        if (inspection->subject.spec)
            look_at_subject(&looking);
    }
}

/* ---- permutations of executions ---- */

/* Some word over `groups` with a last step among `rules`. */
static const uint8_t *find_by_last(const struct rule_tables *tables, unsigned groups,
                                   uint32_t rules)
{
    const struct rule_table *table = &tables->tables[groups];
    uint32_t number = 0;
    while (!(table->last[number] & rules))
        number++;
    return rule_tables_order(tables, groups, number);
}

/* Whether the last step of some word is not unique: that is another violation. */
static bool has_two_last(const struct rule_table *table)
{
    for (uint32_t number = 0; number < table->words; number++)
        if (table->last[number] & (table->last[number] - 1))
            return true;
    return false;
}

/* That projections have no later last rule follows, for they are derived by no more rules. */
static void look_at_permutations(struct rule_inspection *inspection)
{
    const struct rule_tables *tables = &inspection->tables;
    unsigned all = rule_tables_all(tables);
    const struct rule_table *table = &tables->tables[all];
    uint32_t last = table->last_of_all;
    if (!(last & (last - 1)) || !rule_is_open(inspection, RULE_LAST_KEPT) || has_two_last(table))
        return;
    unsigned least = (unsigned)__builtin_ctz(last),
             other = (unsigned)__builtin_ctz(last & (last - 1));
    struct rule_example *example = rule_violate(inspection, RULE_LAST_KEPT);
    keep_first(example, find_by_last(tables, all, UINT32_C(1) << least), table->count);
    keep_second(example, find_by_last(tables, all, UINT32_C(1) << other), table->count);
    example->first_rule = (uint8_t)least;
    example->second_rule = (uint8_t)other;
}

void rule_inspect_words(struct rule_inspection *inspection)
{
    look_at_words(inspection);
    look_at_permutations(inspection);
}
