/* What the files behind linchpin/rules.h share. */
#ifndef API_RULES_H
#define API_RULES_H

#include <linchpin/rules.h>

#include "api/objects.h"
#include "rules/automaton.h"

#define RULES_MAGIC UINT32_C(0x6c707275)

struct lp_rules {
    uint32_t magic;
    lp_context *context;
    struct arena arena; /* scripts and automata */
    VECTOR(struct violation_automaton) automata;
    const struct rule_object *object; /* theirs; null: there are none yet */
    const struct script *script;      /* the file that the specification is in; null: built in */
};

/* The specification of their object, owned by the caller. */
enum status rules_make_spec(const lp_rules *rules, struct spec **spec,
                            struct error *error) MUST_CHECK;

#endif
