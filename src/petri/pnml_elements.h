/* The table of PNML elements (ISO/IEC 15909-2) that say something of a place/transition net: which
 * may stand in which. */
#ifndef PETRI_PNML_ELEMENTS_H
#define PETRI_PNML_ELEMENTS_H

enum pnml_element {
    PNML_DOCUMENT, /* what the outermost one stands in */
    PNML_ROOT,
    PNML_NET,
    PNML_PAGE,
    PNML_NODE_PLACE,
    PNML_NODE_TRANSITION,
    PNML_NODE_REFERENCE_PLACE,
    PNML_NODE_REFERENCE_TRANSITION,
    PNML_ARC,
    PNML_NAME,
    PNML_MARKING,
    PNML_INSCRIPTION,
    PNML_CAPACITY,
    PNML_ARC_TYPE,
    PNML_TEXT,
    PNML_OURS, /* toolspecific, of linchpin */
    PNML_OPEN,
    PNML_TARGET,
    PNML_INVARIANT,
    PNML_COUNT,
    PNML_SKIPPED, /* with all that is in it: how things are drawn, what other tools note */
    PNML_UNKNOWN,
};

/* PNML_UNKNOWN: it does not belong there. */
enum pnml_element pnml_element_find(enum pnml_element parent, const char *name);

#endif
