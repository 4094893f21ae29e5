/* The nodes and arcs of a PNML file: pnml_read.c reads them, pnml_net.c makes a net of them. */
#ifndef PETRI_PNML_H
#define PETRI_PNML_H

#include "lang/script.h"
#include "petri/name_numbers.h"
#include "petri/net.h"

enum pnml_kind {
    PNML_PLACE,
    PNML_TRANSITION,
    PNML_REFERENCE_PLACE, /* stands for another node: on another page, say */
    PNML_REFERENCE_TRANSITION,
};

struct pnml_node {
    enum pnml_kind kind;
    place at; /* of its element */
    uint32_t line;
    const char *id, *name, *reference; /* name null: none; reference: the id of another node */
    uint32_t tokens;
    bool open;
};

struct pnml_arc {
    place at;
    const char *source, *target; /* ids */
    uint32_t weight;
};

/* One place of a target or of an invariant, which linchpin writes. */
struct pnml_count {
    place at;
    const char *id;
    uint32_t count;
};

struct pnml_counts {
    bool is_target; /* else an invariant */
    size_t end;     /* in pnml->counts; it begins where the one before ends */
};

struct pnml {
    const struct script *script;
    const struct limits *limits; /* null: none */
    struct arena arena;
    VECTOR(struct pnml_node) nodes;
    VECTOR(struct pnml_arc) arcs;
    VECTOR(struct pnml_counts) groups;
    VECTOR(struct pnml_count) counts;
};

/* Reads the elements. STATUS_INPUT with the place of what is no place/transition net. */
enum status pnml_read(struct pnml *pnml, struct error *error) MUST_CHECK;

/* Follows the references and makes the net, which is empty. */
enum status pnml_to_net(const struct pnml *pnml, struct net *net, struct error *error) MUST_CHECK;

#endif
