#include "rules/rule_properties.h"

#include <string.h>

void rule_inspection_count(struct rule_inspection *inspection)
{
    inspection->seen++;
    inspection->stopped |= limits_work(inspection->limits, &inspection->seen, STEPS_A_LOOK);
}

struct rule_example *rule_violate(struct rule_inspection *inspection, enum rule_property property)
{
    struct rule_example *example = &inspection->tally.examples[property];
    *example = (struct rule_example){.labelling = inspection->tables.labelling};
    memcpy(example->ranks, inspection->tables.ranks, sizeof example->ranks);
    inspection->tally.violated[property] = true;
    inspection->tally.at[property] = inspection->number;
    return example;
}

static void inspect_ranked(struct rule_inspection *inspection,
                           const struct rule_labelling *labelling, const uint32_t *ranks)
{
    enum status status = rule_tables_make(&inspection->tables, inspection->request->set, labelling,
                                          ranks, inspection->limits->budget);
    inspection->stopped |= status != STATUS_OK;
    if (!inspection->stopped)
        rule_inspect_words(inspection);
    if (!inspection->stopped)
        rule_inspect_histories(inspection);
    rule_tables_release(&inspection->tables);
}

static void inspect_with_ranks(struct rule_inspection *inspection,
                               const struct rule_labelling *labelling, unsigned group,
                               unsigned taken, uint32_t *ranks)
{
    if (group == labelling->group_count) {
        inspect_ranked(inspection, labelling, ranks);
        return;
    }
    for (unsigned rank = 0; rank < labelling->group_count && !inspection->stopped; rank++) {
        if (taken >> rank & 1)
            continue;
        ranks[group] = rank;
        inspect_with_ranks(inspection, labelling, group + 1, taken | 1u << rank, ranks);
    }
}

void rule_inspect(struct rule_inspection *inspection, const struct rule_labelling *labelling)
{
    uint32_t ranks[RULE_MOST_EVENTS] = {0};
    if (inspection->request->set->values == RULE_VALUES_ORDERED)
        inspect_with_ranks(inspection, labelling, 0, 0, ranks);
    else
        inspect_ranked(inspection, labelling, NULL);
}
