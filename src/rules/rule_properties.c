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
