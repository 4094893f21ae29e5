/* What the files behind linchpin/rules.h share. */
#ifndef API_RULES_H
#define API_RULES_H

#include <linchpin/rule_sets.h>

#include "api/objects.h"
#include "lin/ast.h"
#include "rules/check.h"

#define RULES_MAGIC UINT32_C(0x6c707275)

struct lp_rules {
    uint32_t magic;
    lp_context *context;
    struct arena arena; /* scripts and automata */
    VECTOR(struct violation_automaton) automata;
    VECTOR(lp_rule_unmade) unmade;    /* strings are the arena's, or static */
    const struct rule_object *object; /* theirs; null: there are none yet */
    const struct script *script;      /* the file that the specification is in; null: built in */
};

struct lp_rule_sets {
    uint32_t magic;
    lp_context *context;
    struct arena arena;
    struct script script;
    struct lin_module module;
};

#define RULE_SETS_MAGIC UINT32_C(0x6c707273)

/* Adds an automaton of `object` (null: there is none of its name). `name` is the input's, for
 * messages. STATUS_INPUT: it does not go with the others, or has other methods. */
enum status rules_add(lp_rules *rules, const struct violation_automaton *automaton,
                      const struct rule_object *object, const char *name,
                      struct error *error) MUST_CHECK;

/* What the library says of a history that was found, of methods of `object`; none if none was. */
void rules_convert_history(const struct rule_object *object, const struct rules_history *found,
                           lp_rule_history *history);

/* Destroys a specification in which operations take effect together, of which rules and automata
 * say nothing: STATUS_INPUT. */
enum status rules_expect_single(struct spec **spec, struct error *error) MUST_CHECK;

/* The specification of their object, owned by the caller. */
enum status rules_make_spec(const lp_rules *rules, struct spec **spec,
                            struct error *error) MUST_CHECK;

#endif
