/* The events of a CSP# model whose components are constants: their labels, and sets of them. */
#ifndef CSP_EVENTS_H
#define CSP_EVENTS_H

#include "csp/terms.h"

/* The labels of `x:{0..2} @ e.x, f`: an interned set. */
enum status csp_event_sets(struct csp_terms *terms, const struct csp_event_set *sets,
                           uint32_t count, const struct scope *scope, uint32_t *set,
                           struct error *error) MUST_CHECK;

/* The kind and name of an event, and how many of its components belong to that: `inv.push.0` is the
 * call of `push` with the component 0, where `push` is declared nowhere (and so for res and lin).
 */
struct csp_event_head {
    enum label_kind kind;
    const char *name;
    uint32_t taken;
};

struct csp_event_head csp_event_head(const struct csp_terms *terms, const struct csp_event *event,
                                     const struct scope *scope);

/* The label of an event whose components are constant in the scope. */
enum status csp_event_label(struct csp_terms *terms, const struct csp_event *event,
                            const struct scope *scope, label *result,
                            struct error *error) MUST_CHECK;

/* The label of the event of a term: `name` as it stands there (csp/terms.h), and the components.
 * LABEL_REFUSED when refused. */
label csp_named_event(struct labels *labels, uint32_t name, const uint32_t *components,
                      size_t count) MUST_CHECK;

/* Calls `visit` for each combination of values of the ranges, bound innermost last; stops at a
 * status other than OK. */
typedef enum status range_visit(void *context, const struct scope *scope, struct error *error);
enum status csp_ranges(struct csp_terms *terms, const struct csp_range *ranges, uint32_t count,
                       const struct scope *scope, range_visit *visit, void *context,
                       struct error *error) MUST_CHECK;

#endif
