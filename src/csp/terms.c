#include "csp/terms.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- creation ---- */

enum status csp_terms_create(struct csp_program *program, struct labels *labels,
                             struct limits *limits, struct csp_terms *terms)
{
    struct budget *budget = program->budget;
    *terms = (struct csp_terms){
        .program = program, .labels = labels, .budget = budget, .limits = limits};
    arena_init(&terms->arena, budget);
    word_arrays_init(&terms->terms, budget);
    word_arrays_init(&terms->label_sets, budget);
    word_arrays_init(&terms->closure_keys, budget);
    word_arrays_init(&terms->instance_keys, budget);
    word_arrays_init(&terms->body_keys, budget);
    vector_init(&terms->closures, budget);
    vector_init(&terms->instances, budget);
    vector_init(&terms->bodies, budget);
    vector_init(&terms->fixed, budget);
    vector_init(&terms->scratch, budget);
    vector_init(&terms->origins, budget);
    if (term_make(terms, TERM_KIND_STOP, NULL, 0) != TERM_STOP ||
        term_make(terms, TERM_KIND_SKIP, NULL, 0) != TERM_SKIP)
        return STATUS_LIMIT;
    return STATUS_OK;
}

enum status csp_look(struct csp_terms *terms)
{
    return limits_look(terms->limits, &terms->worked) ? STATUS_LIMIT : STATUS_OK;
}

void csp_terms_release(struct csp_terms *terms)
{
    word_arrays_release(&terms->terms);
    word_arrays_release(&terms->label_sets);
    word_arrays_release(&terms->closure_keys);
    word_arrays_release(&terms->instance_keys);
    word_arrays_release(&terms->body_keys);
    vector_release(&terms->closures);
    vector_release(&terms->instances);
    vector_release(&terms->bodies);
    vector_release(&terms->fixed);
    vector_release(&terms->scratch);
    vector_release(&terms->origins);
    arena_release(&terms->arena);
}

/* ---- constructors ---- */

#define SHORT_TERM 30 /* longer terms are built in allocated memory */

term term_make(struct csp_terms *terms, enum term_kind kind, const uint32_t *words, size_t length)
{
    uint32_t local[SHORT_TERM + 1], *built = local;
    size_t size = (length + 1) * sizeof *built;
    if (length > SHORT_TERM) {
        built = memory_allocate(terms->budget, size);
        if (!built)
            return TERM_REFUSED;
    }
    built[0] = kind;
    if (length)
        memcpy(built + 1, words, length * sizeof *words);
    bool fresh = false;
    term made = word_arrays_intern(&terms->terms, built, length + 1, &fresh);
    if (fresh && !vector_push(&terms->fixed, 0))
        made = TERM_REFUSED;
    if (built != local)
        memory_release(terms->budget, built, size);
    return made;
}

/* What a term is without the places of components that have ended: a single component left of an
 * interleaving stands for it. Otherwise the term itself, of which that cannot be said. */
static term without_places(const struct csp_terms *terms, term t)
{
    if (term_kind_of(terms, t) != TERM_KIND_INTERLEAVE)
        return t;
    size_t length;
    const uint32_t *children = term_words(terms, t, &length);
    term left = TERM_SKIP;
    for (size_t i = 0; i < length; i++) {
        if (children[i] == TERM_SKIP)
            continue;
        if (left != TERM_SKIP)
            return t;
        left = without_places(terms, children[i]);
    }
    return left;
}

/* Skip as it is written: atomic { Skip } and choices of Skips count, a reference does not. */
static bool is_skip(const struct csp_terms *terms, term t)
{
    t = without_places(terms, t);
    if (t == TERM_SKIP)
        return true;
    size_t length;
    const uint32_t *words = term_words(terms, t, &length);
    switch (term_kind_of(terms, t)) {
    case TERM_KIND_ATOMIC:
        return is_skip(terms, words[0]);
    case TERM_KIND_CHOICE:
        for (size_t i = 0; i < length; i++)
            if (!is_skip(terms, words[i]))
                return false;
        return length > 0;
    default:
        return false;
    }
}

term term_sequence(struct csp_terms *terms, term first, term second)
{
    if (first == TERM_REFUSED || second == TERM_REFUSED)
        return TERM_REFUSED;
    if (is_skip(terms, first))
        return second;
    const uint32_t words[] = {first, second};
    return term_make(terms, TERM_KIND_SEQUENCE, words, 2);
}

term term_interleave(struct csp_terms *terms, const term *children, size_t count)
{
    size_t start = terms->scratch.length;
    for (size_t i = 0; i < count; i++) {
        if (children[i] == TERM_REFUSED)
            goto refused;
        if (children[i] == TERM_SKIP)
            continue;
        if (term_kind_of(terms, children[i]) != TERM_KIND_INTERLEAVE) {
            if (!vector_push(&terms->scratch, children[i]))
                goto refused;
            continue;
        }
        size_t length;
        const uint32_t *inner = term_words(terms, children[i], &length);
        for (size_t j = 0; j < length; j++)
            if (!vector_push(&terms->scratch, inner[j]))
                goto refused;
    }
    size_t kept = terms->scratch.length - start;
    term made = kept == 0 ? TERM_SKIP
                : kept == 1
                    ? terms->scratch.items[start]
                    : term_make(terms, TERM_KIND_INTERLEAVE, terms->scratch.items + start, kept);
    terms->scratch.length = start;
    return made;
refused:
    terms->scratch.length = start;
    return TERM_REFUSED;
}

term term_interleaved(struct csp_terms *terms, const term *children, size_t count)
{
    bool ended = true;
    if (!terms->counting.apart)
        return term_interleave(terms, children, count);
    for (size_t i = 0; i < count; i++) {
        if (children[i] == TERM_REFUSED)
            return TERM_REFUSED;
        ended &= children[i] == TERM_SKIP;
    }
    return ended ? TERM_SKIP : term_make(terms, TERM_KIND_INTERLEAVE, children, count);
}

term term_choice(struct csp_terms *terms, enum term_kind kind, const term *children, size_t count)
{
    size_t start = terms->scratch.length;
    for (size_t i = 0; i < count; i++) {
        if (children[i] == TERM_REFUSED ||
            ((kind == TERM_KIND_INTERNAL || without_places(terms, children[i]) != TERM_STOP) &&
             !vector_push(&terms->scratch, children[i]))) {
            terms->scratch.length = start;
            return TERM_REFUSED;
        }
    }
    size_t kept = terms->scratch.length - start;
    term made = kept == 0   ? TERM_STOP
                : kept == 1 ? terms->scratch.items[start]
                            : term_make(terms, kind, terms->scratch.items + start, kept);
    terms->scratch.length = start;
    return made;
}

static int compare_words(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Sorts, drops duplicates, interns what stands in scratch from `start` on. */
static uint32_t intern_set(struct csp_terms *terms, size_t start)
{
    uint32_t *items = terms->scratch.items + start;
    size_t count = terms->scratch.length - start, kept = 0;
    if (count)
        qsort(items, count, sizeof *items, compare_words);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || items[kept - 1] != items[i])
            items[kept++] = items[i];
    uint32_t set = word_arrays_intern(&terms->label_sets, items, kept, NULL);
    terms->scratch.length = start;
    return set;
}

uint32_t csp_label_set(struct csp_terms *terms, const label *items, size_t count)
{
    size_t start = terms->scratch.length;
    for (size_t i = 0; i < count; i++) {
        if (!vector_push(&terms->scratch, items[i])) {
            terms->scratch.length = start;
            return UINT32_MAX;
        }
    }
    return intern_set(terms, start);
}

bool label_set_has(const struct csp_terms *terms, uint32_t set, label l)
{
    size_t high, low = 0;
    const uint32_t *items = word_arrays_get(&terms->label_sets, set, &high);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (items[middle] == l)
            return true;
        if (items[middle] < l)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static bool push_set(struct csp_terms *terms, uint32_t set)
{
    size_t count;
    const uint32_t *items = word_arrays_get(&terms->label_sets, set, &count);
    for (size_t i = 0; i < count; i++)
        if (!vector_push(&terms->scratch, items[i]))
            return false;
    return true;
}

term term_hide(struct csp_terms *terms, uint32_t set, term child)
{
    if (child == TERM_REFUSED || set == UINT32_MAX)
        return TERM_REFUSED;
    if (term_kind_of(terms, child) == TERM_KIND_HIDE) {
        size_t length, start = terms->scratch.length;
        const uint32_t *inner = term_words(terms, child, &length);
        uint32_t inner_set = inner[0];
        child = inner[1];
        if (!push_set(terms, set) || !push_set(terms, inner_set)) {
            terms->scratch.length = start;
            return TERM_REFUSED;
        }
        set = intern_set(terms, start);
        if (set == UINT32_MAX)
            return TERM_REFUSED;
    }
    const uint32_t words[] = {set, child};
    return term_make(terms, TERM_KIND_HIDE, words, 2);
}

term term_atomic(struct csp_terms *terms, term child)
{
    if (child == TERM_REFUSED || term_kind_of(terms, child) == TERM_KIND_ATOMIC)
        return child;
    return term_make(terms, TERM_KIND_ATOMIC, &child, 1);
}

static int compare_pairs(const void *a, const void *b)
{
    return compare_words((const uint32_t *)a + 1, (const uint32_t *)b + 1);
}

/* The number of copies when more come; a count that is not fixed yet has nobody come to it, as
 * nobody has left it. */
static uint32_t add_counts(const struct csp_terms *terms, bool any, uint32_t count, uint32_t more)
{
    uint32_t cut_off = any ? terms->counting.cut_off : 0;
    if (count == 0)
        return more;
    if (cut_off) {
        assert(count != COPIES_ANY && more != COPIES_ANY);
        return count <= cut_off && more <= cut_off - count ? count + more : COPIES_MANY;
    }
    return count >= COPIES_MANY || more >= COPIES_MANY - count ? COPIES_ANY : count + more;
}

term term_copies(struct csp_terms *terms, bool any, const uint32_t *pairs, size_t count)
{
    size_t start = terms->scratch.length;
    bool room = vector_push(&terms->scratch, any);
    for (size_t i = 0; room && i < count * 2; i++)
        room = vector_push(&terms->scratch, pairs[i]);
    term made = TERM_REFUSED;
    if (room) {
        uint32_t *sorted = terms->scratch.items + start + 1;
        size_t kept = 0;
        qsort(sorted, count, 2 * sizeof *sorted, compare_pairs);
        for (size_t i = 0; i < count; i++) {
            if (sorted[2 * i] == 0 || sorted[2 * i + 1] == TERM_SKIP)
                continue; /* Skip components are dropped, as in any interleaving */
            if (kept && sorted[2 * kept - 1] == sorted[2 * i + 1]) {
                sorted[2 * kept - 2] = add_counts(terms, any, sorted[2 * kept - 2], sorted[2 * i]);
                continue;
            }
            sorted[2 * kept] = add_counts(terms, any, 0, sorted[2 * i]);
            sorted[2 * kept + 1] = sorted[2 * i + 1];
            kept++;
        }
        made = kept == 0 && (!any || terms->counting.cut_off)
                   ? TERM_SKIP
                   : term_make(terms, TERM_KIND_COPIES, terms->scratch.items + start, 1 + 2 * kept);
    }
    terms->scratch.length = start;
    return made;
}

/* ---- sets of events ---- */

static enum status event_component(struct csp_terms *terms, const struct csp_expression *expression,
                                   const struct scope *scope, uint32_t *slot, struct error *error)
{
    datum constant = 0;
    TRY(csp_constant(terms->program, expression, scope, "a component of an event", &constant,
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
        csp_symbol(terms->program, first->name).kind != SYMBOL_NONE)
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
    const struct channel_info *info = &terms->program->channels.items[number];
    *kind = event->direction == 0     ? LABEL_SYNC
            : event->direction == '!' ? LABEL_OUTPUT
                                      : LABEL_INPUT;
    if (!event->index)
        return STATUS_OK;
    int32_t index = 0;
    TRY(csp_constant_integer(terms->program, event->index, scope, "the channel's index", 0,
                             (int32_t)info->length - 1, &index, error));
    struct text text = TEXT_EMPTY;
    text_format(&text, "%s[%d]", info->name, index);
    *name = arena_copy_text(&terms->arena, text_string(&text), text.length);
    text_release(&text);
    return *name ? STATUS_OK : STATUS_LIMIT;
}

enum status csp_event_label(struct csp_terms *terms, const struct csp_event *event,
                            const struct scope *scope, label *result, struct error *error)
{
    size_t start = terms->scratch.length;
    enum status status = STATUS_OK;
    struct csp_event_head head = csp_event_head(terms, event, scope);
    struct symbol symbol = csp_symbol(terms->program, event->name);
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
            labels_intern_named(terms->labels, head.kind, head.name, terms->scratch.items + start,
                                event->component_count - head.taken);
        if (*result == LABEL_REFUSED)
            status = STATUS_LIMIT;
    }
    terms->scratch.length = start;
    return status;
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
    return vector_push(&visit->labels, l) ? STATUS_OK : STATUS_LIMIT;
}

enum status csp_event_sets(struct csp_terms *terms, const struct csp_event_set *sets,
                           uint32_t count, const struct scope *scope, uint32_t *set,
                           struct error *error)
{
    struct set_visit visit = {.terms = terms};
    vector_init(&visit.labels, terms->budget);
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
            TRY(csp_constant(terms->program, ranges->values[i], scope, "a value of the index",
                             &inner.constant, error));
            TRY(csp_ranges(terms, ranges + 1, count - 1, &inner, visit, context, error));
        }
        return STATUS_OK;
    }
    int32_t first = 0, last = 0;
    TRY(csp_constant_integer(terms->program, ranges->values[0], scope, "a bound", INTEGER_SMALLEST,
                             INT32_MAX, &first, error));
    TRY(csp_constant_integer(terms->program, ranges->values[1], scope, "a bound", INTEGER_SMALLEST,
                             INT32_MAX, &last, error));
    for (int64_t i = first; i <= last; i++) {
        inner.constant = datum_integer((int32_t)i);
        TRY(csp_ranges(terms, ranges + 1, count - 1, &inner, visit, context, error));
    }
    return STATUS_OK;
}
