#include "csp/events.h"

/* ---- labels ---- */

static enum status event_component(struct csp_terms *terms, const struct csp_expression *expression,
                                   const struct scope *scope, uint32_t *slot, struct error *error)
{
    datum constant = 0;
    TRY(csp_constant(terms->pool->program, expression, scope, "a component of an event", &constant,
                     error));
    *slot = datum_to_slot(constant);
    return STATUS_OK;
}

struct csp_event_head csp_event_head(const struct csp_terms *terms, const struct csp_event *event,
                                     const struct scope *scope)
{
    const struct csp_event_head plain = {LABEL_EVENT, event->name, 0};
    enum label_kind kind = label_kind_of_word(event->name);
    const struct csp_expression *first = event->component_count ? event->components[0] : NULL;
    if (kind == LABEL_EVENT || !first || first->kind != EXPRESSION_NAME ||
        csp_symbol(terms->pool->program, first->name).kind != SYMBOL_NONE)
        return plain;
    for (; scope; scope = scope->outer)
        if (scope->name == first->name)
            return plain;
    return (struct csp_event_head){kind, first->name, 1};
}

/* The name and kind of a communication, `c[0]` and LABEL_OUTPUT of `c[0]!5`. */
static enum status communication(struct csp_terms *terms, const struct csp_event *event,
                                 const struct scope *scope, uint32_t number, const char **name,
                                 enum label_kind *kind, struct error *error)
{
    const struct channel_info *info = &terms->pool->program->channels.items[number];
    *kind = event->direction == 0     ? LABEL_SYNC
            : event->direction == '!' ? LABEL_OUTPUT
                                      : LABEL_INPUT;
    if (!event->index)
        return STATUS_OK;
    int32_t index = 0;
    TRY(csp_constant_integer(terms->pool->program, event->index, scope, "the channel's index", 0,
                             (int32_t)info->length - 1, &index, error));
    struct text text = TEXT_EMPTY;
    text_format(&text, "%s[%d]", info->name, index);
    *name = arena_copy_text(&terms->pool->arena, text_string(&text), text.length);
    text_release(&text);
    return granted(*name);
}

enum status csp_event_label(struct csp_terms *terms, const struct csp_event *event,
                            const struct scope *scope, label *result, struct error *error)
{
    size_t start = terms->scratch.length;
    enum status status = STATUS_OK;
    struct csp_event_head head = csp_event_head(terms, event, scope);
    struct symbol symbol = csp_symbol(terms->pool->program, event->name);
    if (symbol.kind == SYMBOL_CHANNEL)
        TRY(communication(terms, event, scope, symbol.index, &head.name, &head.kind, error));
    for (uint32_t i = head.taken; status == STATUS_OK && i < event->component_count; i++) {
        uint32_t slot = 0;
        status = event_component(terms, event->components[i], scope, &slot, error);
        if (status == STATUS_OK && !vector_push(&terms->scratch, slot))
            status = STATUS_LIMIT;
    }
    if (status == STATUS_OK) {
        *result =
            labels_intern_named(terms->pool->labels, head.kind, head.name,
                                terms->scratch.items + start, event->component_count - head.taken);
        if (*result == LABEL_REFUSED)
            status = STATUS_LIMIT;
    }
    terms->scratch.length = start;
    return status;
}

label csp_named_event(struct labels *labels, uint32_t name, const uint32_t *components,
                      size_t count)
{
    const struct action *kept = labels_get(labels, name - 1);
    const struct action event = {.kind = (enum label_kind)kept->components[0],
                                 .name = kept->name,
                                 .components = components,
                                 .count = (uint32_t)count};
    return labels_intern(labels, &event);
}

struct set_visit {
    struct csp_terms *terms;
    const struct csp_event *event;
    VECTOR(label) labels;
};

static enum status visit_event(void *context, const struct scope *scope, struct error *error)
{
    struct set_visit *visit = context;
    label l = 0;
    TRY(csp_event_label(visit->terms, visit->event, scope, &l, error));
    return granted(vector_push(&visit->labels, l));
}

enum status csp_event_sets(struct csp_terms *terms, const struct csp_event_set *sets,
                           uint32_t count, const struct scope *scope, uint32_t *set,
                           struct error *error)
{
    struct set_visit visit = {.terms = terms};
    vector_init(&visit.labels, terms->pool->budget);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        visit.event = &sets[i].event;
        status = csp_ranges(terms, sets[i].ranges, sets[i].range_count, scope, visit_event, &visit,
                            error);
    }
    if (status == STATUS_OK) {
        *set = csp_label_set(terms, visit.labels.items, visit.labels.length);
        if (*set == UINT32_MAX)
            status = STATUS_LIMIT;
    }
    vector_release(&visit.labels);
    return status;
}

/* ---- ranges ---- */

enum status csp_ranges(struct csp_terms *terms, const struct csp_range *ranges, uint32_t count,
                       const struct scope *scope, range_visit *visit, void *context,
                       struct error *error)
{
    TRY(csp_look(terms));
    if (count == 0)
        return visit(context, scope, error);
    struct scope inner = {
        .outer = scope, .name = ranges->name, .kind = BOUND_CONSTANT, .binder = ranges};
    if (!ranges->interval) {
        for (uint32_t i = 0; i < ranges->value_count; i++) {
            TRY(csp_constant(terms->pool->program, ranges->values[i], scope, "a value of the index",
                             &inner.constant, error));
            TRY(csp_ranges(terms, ranges + 1, count - 1, &inner, visit, context, error));
        }
        return STATUS_OK;
    }
    int32_t first = 0, last = 0;
    TRY(csp_constant_integer(terms->pool->program, ranges->values[0], scope, "a bound",
                             INTEGER_SMALLEST, INT32_MAX, &first, error));
    TRY(csp_constant_integer(terms->pool->program, ranges->values[1], scope, "a bound",
                             INTEGER_SMALLEST, INT32_MAX, &last, error));
    for (int64_t i = first; i <= last; i++) {
        inner.constant = datum_integer((int32_t)i);
        TRY(csp_ranges(terms, ranges + 1, count - 1, &inner, visit, context, error));
    }
    return STATUS_OK;
}
