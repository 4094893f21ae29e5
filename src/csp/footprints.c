#include "csp/footprints.h"

#include <string.h>

#define MAX_INSTANCES                                                                              \
    500                /* of one definition unfolded ahead of time; then its syntax bounds it      \
                        */
#define MAX_DEPTH 5000 /* of terms followed ahead of time */

enum outlook_progress {
    OUTLOOK_UNKNOWN,
    OUTLOOK_OPEN, /* on the stack */
    OUTLOOK_COMPLETE,
};

static bool is_atomic_somewhere(const struct csp_process *process)
{
    if (!process)
        return false;
    bool found = process->kind == PROCESS_ATOMIC;
    for (uint32_t i = 0; i < process->count && !found; i++)
        found = is_atomic_somewhere(process->children[i]);
    return found;
}

enum status csp_footprints_create(struct csp_terms *terms, struct csp_footprints *footprints)
{
    struct budget *budget = terms->budget;
    const struct csp_module *module = terms->program->module;
    *footprints =
        (struct csp_footprints){.terms = terms, .words = (terms->program->slot_count + 32) / 32};
    word_arrays_init(&footprints->footprints, budget);
    vector_init(&footprints->outlooks, budget);
    vector_init(&footprints->definitions, budget);
    vector_init(&footprints->instances, budget);
    vector_init(&footprints->marks, budget);
    vector_init(&footprints->children, budget);
    vector_init(&footprints->stack, budget);
    vector_init(&footprints->sets, budget);
    for (size_t i = 0; i < module->definitions.length; i++) {
        footprints->has_atomic |= is_atomic_somewhere(module->definitions.items[i].body);
        if (!vector_push(&footprints->definitions, 0) || !vector_push(&footprints->instances, 0))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

void csp_footprints_release(struct csp_footprints *footprints)
{
    word_arrays_release(&footprints->footprints);
    vector_release(&footprints->outlooks);
    vector_release(&footprints->definitions);
    vector_release(&footprints->instances);
    vector_release(&footprints->marks);
    vector_release(&footprints->children);
    vector_release(&footprints->stack);
    vector_release(&footprints->sets);
}

/* ---- sets ---- */

void csp_footprint_add(const struct csp_footprints *footprints, uint32_t *set, uint32_t first,
                       uint32_t count, bool write)
{
    uint32_t *bits = write ? set + footprints->words : set;
    for (uint32_t slot = first + 1; slot <= first + count; slot++) /* slot 0 is the term */
        bits[slot / 32] |= UINT32_C(1) << slot % 32;
}

static void add_all(uint32_t *to, const uint32_t *from, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        to[i] |= from[i];
}

struct access {
    const struct csp_footprints *footprints;
    uint32_t *set;
};

static void visit_access(void *context, uint32_t first, uint32_t count, bool write)
{
    const struct access *access = context;
    csp_footprint_add(access->footprints, access->set, first, count, write);
}

void csp_footprint_add_code(struct csp_footprints *footprints, code_id code, uint32_t *set)
{
    struct access access = {footprints, set};
    if (code)
        code_accesses(footprints->terms->program->codes, code, visit_access, &access);
}

/* What a definition may do with any arguments. */
static enum status add_definition(struct csp_footprints *footprints, uint32_t definition,
                                  uint32_t *set)
{
    uint32_t *known = &footprints->definitions.items[definition];
    if (*known == 0) {
        const struct csp_module *module = footprints->terms->program->module;
        size_t size = 2 * (size_t)footprints->words;
        uint32_t *own = memory_zeroed(footprints->terms->budget, size * sizeof *own);
        if (!own)
            return STATUS_LIMIT;
        enum status status = csp_syntax_footprint(
            footprints, module->definitions.items[definition].body, false, own);
        uint32_t number = UINT32_MAX;
        if (status == STATUS_OK)
            number = word_arrays_intern(&footprints->footprints, own, size, NULL);
        memory_release(footprints->terms->budget, own, size * sizeof *own);
        if (number == UINT32_MAX)
            return STATUS_LIMIT;
        *known = number + 1;
    }
    add_all(set, csp_footprint(footprints, *known - 1), 2 * footprints->words);
    return STATUS_OK;
}

/* ---- nodes ---- */

bool csp_outlook_room(struct csp_footprints *footprints, term t)
{
    while (footprints->outlooks.length <= t)
        if (!vector_push(&footprints->outlooks, ((struct csp_outlook){0})))
            return false;
    return true;
}

/* The body of a reference whose arguments are constant; TERM_REFUSED where there is none to be
 * followed: its definition then bounds it. */
static enum status body_of(struct csp_footprints *footprints, term t, const uint32_t *at,
                           size_t length, term *body)
{
    struct csp_terms *terms = footprints->terms;
    datum arguments[32];
    size_t count = length - 1;
    *body = TERM_REFUSED;
    if (!csp_outlook_room(footprints, t))
        return STATUS_LIMIT;
    if (footprints->outlooks.items[t].body) {
        *body = footprints->outlooks.items[t].body - 1;
        return STATUS_OK;
    }
    if (count > ARRAY_LENGTH(arguments) || footprints->instances.items[at[0]] > MAX_INSTANCES)
        return STATUS_OK;
    for (size_t i = 0; i < count; i++)
        if (!code_is_constant(terms->program->codes, at[1 + i], &arguments[i]))
            return STATUS_OK;
    struct error ignored; /* of an instance that may never be reached */
    size_t before = terms->bodies.length;
    enum status status = csp_unfold(terms, at[0], arguments, count, body, &ignored);
    footprints->instances.items[at[0]] += terms->bodies.length != before;
    if (status == STATUS_OK)
        footprints->outlooks.items[t].body = *body + 1;
    else
        *body = TERM_REFUSED;
    return status == STATUS_INPUT ? STATUS_OK : status;
}

static void add_codes(struct csp_footprints *footprints, const uint32_t *codes, size_t count,
                      uint32_t *set)
{
    for (size_t i = 0; i < count; i++)
        csp_footprint_add_code(footprints, codes[i], set);
}

static void add_channel(struct csp_footprints *footprints, const struct channel_info *info,
                        uint32_t *set, uint8_t *first)
{
    csp_footprint_add(footprints, set, info->slot, info->length, false);
    csp_footprint_add(footprints, set, info->slot, info->length, true);
    *first |= FIRST_CONDITIONAL | (info->capacity ? 0 : FIRST_COMMUNICATES);
}

static enum status add_input(struct csp_footprints *footprints, uint32_t number, bool only_head,
                             uint32_t *set, uint8_t *first)
{
    const struct csp_program *program = footprints->terms->program;
    const struct csp_process *node = footprints->terms->closures.items[number].node;
    add_channel(footprints, &program->channels.items[csp_symbol(program, node->name).index], set,
                first);
    return csp_syntax_footprint(footprints, node, only_head, set);
}

static bool push_child(struct csp_footprints *footprints, term child, bool first)
{
    return vector_push(&footprints->children, child * 2 + first);
}

static bool push_children(struct csp_footprints *footprints, const uint32_t *items, size_t count,
                          size_t stride, bool first)
{
    for (size_t i = 0; i < count; i++)
        if (!push_child(footprints, items[i * stride], first))
            return false;
    return true;
}

/* What is known of a condition in advance. */
enum foresight {
    MAY_HOLD,
    HOLDS_ALWAYS,
    HOLDS_NEVER,
    FAULTS_ALWAYS, /* it starts with an element outside its array */
};

static enum foresight foresee(const struct csp_footprints *footprints, code_id id)
{
    const struct codes *codes = footprints->terms->program->codes;
    datum constant;
    if (code_is_constant(codes, id, &constant))
        return datum_bits(constant) ? HOLDS_ALWAYS : HOLDS_NEVER;
    return code_starts_outside(codes, id) ? FAULTS_ALWAYS : MAY_HOLD;
}

/* A condition with a branch for each outcome (TERM_REFUSED: none). */
static bool branches(struct csp_footprints *footprints, code_id condition, term then,
                     term otherwise, bool first)
{
    enum foresight known = foresee(footprints, condition);
    return ((known != MAY_HOLD && known != HOLDS_ALWAYS) || push_child(footprints, then, first)) &&
           ((known != MAY_HOLD && known != HOLDS_NEVER) || otherwise == TERM_REFUSED ||
            push_child(footprints, otherwise, first));
}

static bool cases(struct csp_footprints *footprints, const uint32_t *at, size_t length,
                  uint32_t *set)
{
    for (size_t i = 0; i < length; i += 2) {
        enum foresight known = at[i] ? foresee(footprints, at[i]) : HOLDS_ALWAYS;
        csp_footprint_add_code(footprints, at[i], set);
        if (known == FAULTS_ALWAYS)
            return true;
        if (known != HOLDS_NEVER && !push_child(footprints, at[i + 1], false))
            return false;
        if (known == HOLDS_ALWAYS)
            return true;
    }
    return true;
}

static enum status reference(struct csp_footprints *footprints, term t, const uint32_t *at,
                             size_t length, uint32_t *set, uint8_t *first)
{
    term body;
    uint32_t definition = at[0];
    add_codes(footprints, at + 1, length - 1, set);
    TRY(body_of(footprints, t, at, length, &body));
    if (body != TERM_REFUSED)
        return push_child(footprints, body, true) ? STATUS_OK : STATUS_LIMIT;
    *first |= UINT8_MAX;
    return add_definition(footprints, definition, set);
}

enum status csp_term_node(struct csp_footprints *footprints, term t, bool only_head, uint32_t *set,
                          uint8_t *first)
{
    size_t length;
    const uint32_t *at = term_words(footprints->terms, t, &length);
    bool room = true;
    switch (term_kind_of(footprints->terms, t)) {
    case TERM_KIND_STOP:
        break;
    case TERM_KIND_SKIP:
        *first |= FIRST_TERMINATES;
        break;
    case TERM_KIND_EVENT:
        csp_footprint_add_code(footprints, at[1], set);
        add_codes(footprints, at + 3, length - 3, set);
        *first |= at[0] && !at[1] ? FIRST_EVENT : 0;
        *first |= at[0] ? FIRST_LABELLED : 0;
        room = push_child(footprints, at[2], false);
        break;
    case TERM_KIND_OUTPUT:
        add_channel(footprints, &footprints->terms->program->channels.items[at[0]], set, first);
        add_codes(footprints, at + 1, 2, set);
        add_codes(footprints, at + 4, length - 4, set);
        room = push_child(footprints, at[3], false);
        break;
    case TERM_KIND_INPUT:
        return add_input(footprints, at[0], only_head, set, first);
    case TERM_KIND_REFERENCE:
        return reference(footprints, t, at, length, set, first);
    case TERM_KIND_SEQUENCE:
        room = push_child(footprints, at[0], true) && push_child(footprints, at[1], false);
        break;
    case TERM_KIND_GUARD:
        csp_footprint_add_code(footprints, at[0], set);
        *first |= foresee(footprints, at[0]) == HOLDS_ALWAYS ? 0 : FIRST_CONDITIONAL;
        room = branches(footprints, at[0], at[1], TERM_REFUSED, true);
        break;
    case TERM_KIND_IF:
        csp_footprint_add_code(footprints, at[0], set);
        room = branches(footprints, at[0], at[1], at[2], false);
        break;
    case TERM_KIND_IF_ATOMIC:
        csp_footprint_add_code(footprints, at[0], set);
        *first |= foresee(footprints, at[0]) == MAY_HOLD ? FIRST_CONDITIONAL : 0;
        room = branches(footprints, at[0], at[1], at[2], true);
        break;
    case TERM_KIND_IF_BLOCKING:
        csp_footprint_add_code(footprints, at[0], set);
        *first |= foresee(footprints, at[0]) == HOLDS_ALWAYS ? 0 : FIRST_CONDITIONAL;
        room = branches(footprints, at[0], at[1], TERM_REFUSED, false);
        break;
    case TERM_KIND_CASE:
        room = cases(footprints, at, length, set);
        break;
    case TERM_KIND_INTERNAL:
        room = push_children(footprints, at, length, 1, false);
        break;
    case TERM_KIND_CHOICE:
    case TERM_KIND_EXTERNAL:
    case TERM_KIND_INTERLEAVE:
    case TERM_KIND_INTERRUPT:
        room = push_children(footprints, at, length, 1, true);
        break;
    case TERM_KIND_PARALLEL:
        room = push_children(footprints, at + 1, at[0], 1, true);
        break;
    case TERM_KIND_COPIES:
        room = push_children(footprints, at + 2, length / 2, 2, true);
        break;
    case TERM_KIND_HIDE:
        room = push_child(footprints, at[1], true);
        break;
    case TERM_KIND_ATOMIC:
        *first |= FIRST_ATOMIC;
        room = push_child(footprints, at[0], true);
        break;
    case TERM_KIND_ASSERT:
        csp_footprint_add_code(footprints, at[0], set);
        *first |= FIRST_TERMINATES;
        break;
    }
    return room ? STATUS_OK : STATUS_LIMIT;
}

/* ---- first steps ---- */

static enum status next_of(struct csp_footprints *footprints, term t, unsigned depth, uint32_t *set,
                           uint8_t *first)
{
    if (depth > MAX_DEPTH) { /* recursion without a step */
        memset(set, 0xff, 2 * (size_t)footprints->words * sizeof *set);
        *first = UINT8_MAX;
        return STATUS_OK;
    }
    size_t start = footprints->children.length;
    uint8_t own = 0;
    TRY(csp_term_node(footprints, t, true, set, &own));
    size_t end = footprints->children.length;
    for (size_t i = start; i < end; i++)
        if (footprints->children.items[i] & 1)
            TRY(next_of(footprints, footprints->children.items[i] / 2, depth + 1, set, &own));
    footprints->children.length = start;
    if (term_kind_of(footprints->terms, t) == TERM_KIND_SEQUENCE)
        own &= (uint8_t)~FIRST_TERMINATES; /* it goes on with the second */
    *first |= own;
    return STATUS_OK;
}

static enum status complete_next(struct csp_footprints *footprints, term t)
{
    if (!csp_outlook_room(footprints, t))
        return STATUS_LIMIT;
    if (footprints->outlooks.items[t].has_next)
        return STATUS_OK;
    size_t size = 2 * (size_t)footprints->words;
    uint32_t *set = memory_zeroed(footprints->terms->budget, size * sizeof *set);
    if (!set)
        return STATUS_LIMIT;
    uint8_t first = 0;
    uint32_t number = UINT32_MAX;
    footprints->children.length = 0;
    enum status status = next_of(footprints, t, 0, set, &first);
    if (status == STATUS_OK)
        number = word_arrays_intern(&footprints->footprints, set, size, NULL);
    memory_release(footprints->terms->budget, set, size * sizeof *set);
    if (number == UINT32_MAX)
        return status == STATUS_OK ? STATUS_LIMIT : status;
    struct csp_outlook *outlook = &footprints->outlooks.items[t];
    outlook->next = number;
    outlook->first = first;
    outlook->has_next = true;
    return STATUS_OK;
}

enum status csp_first_steps(struct csp_footprints *footprints, term t, uint8_t *first)
{
    TRY(complete_next(footprints, t));
    *first = footprints->outlooks.items[t].first;
    return STATUS_OK;
}

/* ---- everything: strongly connected components (Tarjan), all of one share a footprint ---- */

static enum status close_component(struct csp_footprints *footprints, term root)
{
    size_t size = 2 * (size_t)footprints->words, offset = footprints->outlooks.items[root].set;
    uint32_t *all = footprints->sets.items + offset;
    for (size_t at = offset + size; at < footprints->sets.length; at += size)
        add_all(all, footprints->sets.items + at, (uint32_t)size);
    uint32_t number = word_arrays_intern(&footprints->footprints, all, size, NULL);
    if (number == UINT32_MAX)
        return STATUS_LIMIT;
    footprints->sets.length = offset;
    term member;
    do {
        member = footprints->stack.items[--footprints->stack.length];
        footprints->outlooks.items[member].future = number;
        footprints->outlooks.items[member].progress = OUTLOOK_COMPLETE;
    } while (member != root);
    return STATUS_OK;
}

static enum status future_of(struct csp_footprints *footprints, term t, unsigned depth)
{
    size_t size = 2 * (size_t)footprints->words, offset = footprints->sets.length;
    if (!csp_outlook_room(footprints, t) || !vector_push(&footprints->stack, t) ||
        !vector_reserve(&footprints->sets, offset + size))
        return STATUS_LIMIT;
    footprints->sets.length += size;
    memset(footprints->sets.items + offset, depth > MAX_DEPTH ? 0xff : 0, size * sizeof(uint32_t));
    uint32_t index = footprints->counter++, low = index;
    struct csp_outlook *outlook = &footprints->outlooks.items[t];
    outlook->index = outlook->low = index;
    outlook->set = (uint32_t)offset;
    outlook->progress = OUTLOOK_OPEN;
    size_t start = footprints->children.length;
    uint8_t ignored = 0;
    if (depth <= MAX_DEPTH)
        TRY(csp_term_node(footprints, t, false, footprints->sets.items + offset, &ignored));
    size_t end = footprints->children.length;
    for (size_t i = start; i < end; i++) {
        term child = footprints->children.items[i] / 2;
        if (!csp_outlook_room(footprints, child))
            return STATUS_LIMIT;
        if (footprints->outlooks.items[child].progress == OUTLOOK_UNKNOWN)
            TRY(future_of(footprints, child, depth + 1));
        const struct csp_outlook *below = &footprints->outlooks.items[child];
        if (below->progress == OUTLOOK_COMPLETE)
            add_all(footprints->sets.items + offset, csp_footprint(footprints, below->future),
                    (uint32_t)size);
        else if (below->low < low)
            low = below->low;
    }
    footprints->children.length = start;
    footprints->outlooks.items[t].low = low;
    return low == index ? close_component(footprints, t) : STATUS_OK;
}

const struct csp_outlook *csp_outlook_of(struct csp_footprints *footprints, term t)
{
    if (!csp_outlook_room(footprints, t))
        return NULL;
    if (footprints->outlooks.items[t].progress == OUTLOOK_UNKNOWN) {
        footprints->children.length = footprints->stack.length = footprints->sets.length = 0;
        if (future_of(footprints, t, 0) != STATUS_OK)
            return NULL;
    }
    return complete_next(footprints, t) == STATUS_OK ? &footprints->outlooks.items[t] : NULL;
}
