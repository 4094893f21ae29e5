#include "petri/pnml_elements.h"

#include <stddef.h>
#include <string.h>

#include "base/attributes.h"

struct row {
    enum pnml_element parent;
    const char *name;
    enum pnml_element element;
};

/* What is in a net as well as on a page is in both: older files have no pages. */
static const struct row rows[] = {
    {PNML_DOCUMENT, "pnml", PNML_ROOT},
    {PNML_ROOT, "net", PNML_NET},
    {PNML_NET, "page", PNML_PAGE},
    {PNML_NET, "place", PNML_NODE_PLACE},
    {PNML_NET, "transition", PNML_NODE_TRANSITION},
    {PNML_NET, "arc", PNML_ARC},
    {PNML_NET, "referencePlace", PNML_NODE_REFERENCE_PLACE},
    {PNML_NET, "referenceTransition", PNML_NODE_REFERENCE_TRANSITION},
    {PNML_NODE_PLACE, "name", PNML_NAME},
    {PNML_NODE_PLACE, "initialMarking", PNML_MARKING},
    {PNML_NODE_PLACE, "capacity", PNML_CAPACITY},
    {PNML_NODE_TRANSITION, "name", PNML_NAME},
    {PNML_ARC, "inscription", PNML_INSCRIPTION},
    {PNML_ARC, "type", PNML_ARC_TYPE},
    {PNML_ARC, "arctype", PNML_ARC_TYPE},
    {PNML_NAME, "text", PNML_TEXT},
    {PNML_NAME, "value", PNML_TEXT}, /* before the standard */
    {PNML_MARKING, "text", PNML_TEXT},
    {PNML_MARKING, "value", PNML_TEXT},
    {PNML_INSCRIPTION, "text", PNML_TEXT},
    {PNML_INSCRIPTION, "value", PNML_TEXT},
    {PNML_CAPACITY, "text", PNML_TEXT},
    {PNML_CAPACITY, "value", PNML_TEXT},
    {PNML_ARC_TYPE, "text", PNML_TEXT},
    {PNML_OURS, "open", PNML_OPEN},
    {PNML_OURS, "target", PNML_TARGET},
    {PNML_OURS, "invariant", PNML_INVARIANT},
    {PNML_TARGET, "atLeast", PNML_COUNT},
    {PNML_INVARIANT, "weight", PNML_COUNT},
};

/* Wherever they stand. */
static const char *const skipped[] = {"toolspecific", "graphics", "label", "description"};

/* Labels that say nothing where they stand. */
static const struct row skipped_there[] = {
    {PNML_NET, "name", PNML_SKIPPED},
    {PNML_ARC, "name", PNML_SKIPPED},
    {PNML_ARC, "arcpath", PNML_SKIPPED},
    {PNML_NODE_REFERENCE_PLACE, "name", PNML_SKIPPED},
    {PNML_NODE_REFERENCE_TRANSITION, "name", PNML_SKIPPED},
    {PNML_NODE_TRANSITION, "orientation", PNML_SKIPPED},
};

enum pnml_element pnml_element_find(enum pnml_element parent, const char *name)
{
    enum pnml_element within = parent == PNML_PAGE ? PNML_NET : parent;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (rows[i].parent == within && strcmp(rows[i].name, name) == 0)
            return rows[i].element;
    for (size_t i = 0; i < ARRAY_LENGTH(skipped); i++)
        if (strcmp(skipped[i], name) == 0)
            return PNML_SKIPPED;
    for (size_t i = 0; i < ARRAY_LENGTH(skipped_there); i++)
        if (skipped_there[i].parent == within && strcmp(skipped_there[i].name, name) == 0)
            return PNML_SKIPPED;
    return PNML_UNKNOWN;
}
