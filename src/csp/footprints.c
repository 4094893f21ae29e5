#include "csp/footprints.h"

#include <string.h>

#include "csp/events.h"

/* Of one definition unfolded ahead of time; then its syntax bounds it. */
#define MAX_INSTANCES   500
#define MAX_DEPTH       5000 /* of terms followed ahead of time */
#define MOST_COMPONENTS 16   /* of an event whose label is known ahead of time */

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

enum status csp_footprints_create(struct csp_term_pool *pool, struct csp_unfolded *unfolded,
                                  struct csp_footprints *footprints)
{
    struct budget *budget = pool->budget;
    const struct csp_module *module = pool->program->module;
    *footprints =
        (struct csp_footprints){.unfolded = unfolded, .words = csp_footprint_words(pool->program)};
    csp_terms_init(&footprints->terms, pool);
    pthread_mutex_init(&footprints->lock, NULL);
    shared_words_init(&footprints->footprints, budget);
    blocks_init(&footprints->outlooks, budget, sizeof(struct csp_outlook));
    vectors_init(budget, &footprints->definitions, &footprints->instances, &footprints->children,
                 &footprints->events, &footprints->stack, &footprints->sets);
    for (size_t i = 0; i < module->definitions.length; i++) {
        footprints->has_atomic |= is_atomic_somewhere(module->definitions.items[i].body);
        TRY_MEMORY(vector_push(&footprints->definitions, 0) &&
                   vector_push(&footprints->instances, 0));
    }
    return csp_mentioned_create(pool->program, &footprints->mentioned);
}

void csp_footprints_release(struct csp_footprints *footprints)
{
    if (!footprints->terms.pool)
        return;
    shared_words_release(&footprints->footprints);
    blocks_release(&footprints->outlooks);
    csp_terms_release(&footprints->terms);
    csp_mentioned_release(&footprints->mentioned);
    pthread_mutex_destroy(&footprints->lock);
    vectors_release(&footprints->definitions, &footprints->instances, &footprints->children,
                    &footprints->events, &footprints->stack, &footprints->sets);
}

/* ---- sets ---- */

static const struct csp_program *program_of(const struct csp_footprints *footprints)
{
    return footprints->terms.pool->program;
}

static void add_all(uint32_t *to, const uint32_t *from, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        to[i] |= from[i];
}

/* What a definition may do with any arguments. */
static enum status add_definition(struct csp_footprints *footprints, uint32_t definition,
                                  uint32_t *set)
{
    uint32_t *known = &footprints->definitions.items[definition];
    if (*known == 0) {
        const struct csp_module *module = program_of(footprints)->module;
        size_t size = 2 * (size_t)footprints->words;
        uint32_t *own = memory_zeroed(footprints->terms.pool->budget, size * sizeof *own);
        TRY_MEMORY(own);
        csp_mentioned_in(&footprints->mentioned, module->definitions.items[definition].body, false,
                         own);
        uint32_t number = shared_words_intern(&footprints->footprints, own, size);
        memory_release(footprints->terms.pool->budget, own, size * sizeof *own);
        TRY_MEMORY(number != UINT32_MAX);
        *known = number + 1;
    }
    add_all(set, csp_footprint(footprints, *known - 1), 2 * footprints->words);
    return STATUS_OK;
}

/* ---- nodes ---- */

struct csp_outlook *csp_outlook_reach(struct csp_footprints *footprints, term t)
{
    return blocks_reach(&footprints->outlooks, t);
}

/* The body of a reference whose arguments are constant; TERM_REFUSED where there is none to be
 * followed: its definition then bounds it. */
static enum status body_of(struct csp_footprints *footprints, term t, const uint32_t *at,
                           size_t length, term *body)
{
    struct csp_terms *terms = &footprints->terms;
    datum arguments[32];
    size_t count = length - 1;
    struct csp_outlook *outlook = csp_outlook_reach(footprints, t);
    *body = TERM_REFUSED;
    TRY_MEMORY(outlook);
    if (outlook->body) {
        *body = outlook->body - 1;
        return STATUS_OK;
    }
    if (count > ARRAY_LENGTH(arguments) || footprints->instances.items[at[0]] > MAX_INSTANCES)
        return STATUS_OK;
    for (size_t i = 0; i < count; i++)
        if (!code_is_constant(terms->pool->program->codes, at[1 + i], &arguments[i]))
            return STATUS_OK;
    struct error ignored; /* of an instance that may never be reached */
    struct csp_unfolded *unfolded = footprints->unfolded;
    uint32_t before = shared_words_count(&unfolded->body_keys);
    enum status status = csp_unfold(terms, unfolded, at[0], arguments, count, body, &ignored);
    footprints->instances.items[at[0]] += shared_words_count(&unfolded->body_keys) != before;
    if (status == STATUS_OK)
        outlook->body = *body + 1;
    else
        *body = TERM_REFUSED;
    return status == STATUS_INPUT ? STATUS_OK : status;
}

static void add_codes(struct csp_footprints *footprints, const uint32_t *codes, size_t count,
                      uint32_t *set)
{
    for (size_t i = 0; i < count; i++)
        csp_footprint_add_code(program_of(footprints), codes[i], set);
}

static void add_channel(struct csp_footprints *footprints, const struct channel_info *info,
                        uint32_t *set, uint8_t *first)
{
    csp_footprint_add(set, footprints->words, info->slot, info->length, false);
    csp_footprint_add(set, footprints->words, info->slot, info->length, true);
    set[0] |= FOOTPRINT_FAULTS;
    *first |= FIRST_CONDITIONAL | (info->capacity ? 0 : FIRST_COMMUNICATES);
}

static void add_input(struct csp_footprints *footprints, uint32_t number, bool only_head,
                      uint32_t *set, uint8_t *first)
{
    const struct csp_program *program = program_of(footprints);
    const struct csp_process *node = csp_closure(footprints->terms.pool, number)->node;
    add_channel(footprints, &program->channels.items[csp_symbol(program, node->name).index], set,
                first);
    csp_mentioned_in(&footprints->mentioned, node, only_head, set);
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
    const struct codes *codes = program_of(footprints)->codes;
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
        csp_footprint_add_code(program_of(footprints), at[i], set);
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
        return granted(push_child(footprints, body, true));
    *first |= UINT8_MAX;
    set[0] |= FOOTPRINT_FAULTS;
    return add_definition(footprints, definition, set);
}

enum status csp_term_node(struct csp_footprints *footprints, term t, bool only_head, uint32_t *set,
                          uint8_t *first)
{
    size_t length;
    const uint32_t *at = term_words(&footprints->terms, t, &length);
    bool room = true;
    switch (term_kind_of(&footprints->terms, t)) {
    case TERM_KIND_STOP:
        break;
    case TERM_KIND_SKIP:
        *first |= FIRST_TERMINATES;
        break;
    case TERM_KIND_EVENT:
        csp_footprint_add_code(program_of(footprints), at[1], set);
        add_codes(footprints, at + 3, length - 3, set);
        *first |= at[0] && !at[1] ? FIRST_EVENT : 0;
        *first |= at[0] ? FIRST_LABELLED : 0;
        room = push_child(footprints, at[2], false);
        break;
    case TERM_KIND_OUTPUT:
        add_channel(footprints, &program_of(footprints)->channels.items[at[0]], set, first);
        add_codes(footprints, at + 1, 2, set);
        add_codes(footprints, at + 4, length - 4, set);
        room = push_child(footprints, at[3], false);
        break;
    case TERM_KIND_INPUT:
        add_input(footprints, at[0], only_head, set, first);
        break;
    case TERM_KIND_REFERENCE:
        return reference(footprints, t, at, length, set, first);
    case TERM_KIND_SEQUENCE:
        room = push_child(footprints, at[0], true) && push_child(footprints, at[1], false);
        break;
    case TERM_KIND_GUARD:
        csp_footprint_add_code(program_of(footprints), at[0], set);
        *first |= foresee(footprints, at[0]) == HOLDS_ALWAYS ? 0 : FIRST_CONDITIONAL;
        room = branches(footprints, at[0], at[1], TERM_REFUSED, true);
        break;
    case TERM_KIND_IF:
        csp_footprint_add_code(program_of(footprints), at[0], set);
        room = branches(footprints, at[0], at[1], at[2], false);
        break;
    case TERM_KIND_IF_ATOMIC:
        csp_footprint_add_code(program_of(footprints), at[0], set);
        *first |= foresee(footprints, at[0]) == MAY_HOLD ? FIRST_CONDITIONAL : 0;
        room = branches(footprints, at[0], at[1], at[2], true);
        break;
    case TERM_KIND_IF_BLOCKING:
        csp_footprint_add_code(program_of(footprints), at[0], set);
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
        csp_footprint_add_code(program_of(footprints), at[0], set);
        set[0] |= FOOTPRINT_FAULTS;
        *first |= FIRST_TERMINATES;
        break;
    }
    return granted(room);
}

/* ---- first steps ---- */

/* Adds the label of a plain event to footprints->events. */
static enum status add_event(struct csp_footprints *footprints, term t, uint8_t *first)
{
    size_t length;
    const uint32_t *at = term_words(&footprints->terms, t, &length);
    uint32_t components[MOST_COMPONENTS];
    if (!at[0] || at[1])
        return STATUS_OK;
    const uint32_t count = (uint32_t)length - 3;
    bool known = count <= ARRAY_LENGTH(components);
    for (uint32_t i = 0; known && i < count; i++) {
        datum d = 0;
        known = code_is_constant(program_of(footprints)->codes, at[3 + i], &d) &&
                !datum_is_array(d) && datum_tag_of(d) != DATUM_OBJECT;
        components[i] = known ? datum_to_slot(d) : 0;
    }
    *first |= known ? 0 : FIRST_ANY_EVENT;
    if (!known)
        return STATUS_OK;
    label l = csp_named_event(footprints->terms.pool->labels, at[0], components, count);
    return granted(l != LABEL_REFUSED && vector_push(&footprints->events, l));
}

/* Takes those out again, from `start` on, that the term hides. */
static void hide_events(struct csp_footprints *footprints, term t, size_t start)
{
    size_t length, kept = start;
    const uint32_t set = term_words(&footprints->terms, t, &length)[0];
    for (size_t i = start; i < footprints->events.length; i++)
        if (!label_set_has(&footprints->terms, set, footprints->events.items[i]))
            footprints->events.items[kept++] = footprints->events.items[i];
    footprints->events.length = kept;
}

static enum status next_of(struct csp_footprints *footprints, term t, unsigned depth, uint32_t *set,
                           uint8_t *first)
{
    if (depth > MAX_DEPTH) { /* recursion without a step */
        memset(set, 0xff, 2 * (size_t)footprints->words * sizeof *set);
        *first = UINT8_MAX;
        return STATUS_OK;
    }
    const enum term_kind kind = term_kind_of(&footprints->terms, t);
    const size_t start = footprints->children.length, events = footprints->events.length;
    uint8_t own = 0;
    TRY(csp_term_node(footprints, t, true, set, &own));
    if (kind == TERM_KIND_EVENT)
        TRY(add_event(footprints, t, &own));
    size_t end = footprints->children.length;
    for (size_t i = start; i < end; i++)
        if (footprints->children.items[i] & 1)
            TRY(next_of(footprints, footprints->children.items[i] / 2, depth + 1, set, &own));
    footprints->children.length = start;
    if (kind == TERM_KIND_SEQUENCE)
        own &= (uint8_t)~FIRST_TERMINATES; /* it goes on with the second */
    if (kind == TERM_KIND_HIDE)
        hide_events(footprints, t, events);
    *first |= own;
    return STATUS_OK;
}

static enum status complete_next(struct csp_footprints *footprints, term t)
{
    struct csp_outlook *outlook = csp_outlook_reach(footprints, t);
    TRY_MEMORY(outlook);
    if (atomic_load(&outlook->has_next))
        return STATUS_OK;
    size_t size = 2 * (size_t)footprints->words;
    uint32_t *set = memory_zeroed(footprints->terms.pool->budget, size * sizeof *set);
    TRY_MEMORY(set);
    uint8_t first = 0;
    uint32_t number = UINT32_MAX;
    footprints->children.length = footprints->events.length = 0;
    enum status status = next_of(footprints, t, 0, set, &first);
    if (status == STATUS_OK)
        number = shared_words_intern(&footprints->footprints, set, size);
    memory_release(footprints->terms.pool->budget, set, size * sizeof *set);
    if (number == UINT32_MAX)
        return status == STATUS_OK ? STATUS_LIMIT : status;
    outlook->next = number;
    outlook->events =
        csp_label_set(&footprints->terms, footprints->events.items, footprints->events.length);
    if (outlook->events == UINT32_MAX)
        return STATUS_LIMIT;
    outlook->first = first;
    atomic_store(&outlook->has_next, true);
    atomic_fetch_add(&footprints->worked_out, 1);
    return STATUS_OK;
}

enum status csp_first_steps(struct csp_footprints *footprints, term t, uint8_t *first)
{
    const struct csp_outlook *outlook = csp_outlook_reach(footprints, t);
    enum status status = outlook ? STATUS_OK : STATUS_LIMIT;
    if (outlook && !atomic_load_explicit(&outlook->has_next, memory_order_acquire)) {
        pthread_mutex_lock(&footprints->lock);
        status = complete_next(footprints, t);
        pthread_mutex_unlock(&footprints->lock);
    }
    if (status == STATUS_OK)
        *first = outlook->first;
    return status;
}

/* ---- everything: strongly connected components (Tarjan), all of one share a footprint ---- */

static enum status close_component(struct csp_footprints *footprints, term root)
{
    size_t size = 2 * (size_t)footprints->words, offset = csp_outlook_reach(footprints, root)->set;
    uint32_t *all = footprints->sets.items + offset;
    for (size_t at = offset + size; at < footprints->sets.length; at += size)
        add_all(all, footprints->sets.items + at, (uint32_t)size);
    uint32_t number = shared_words_intern(&footprints->footprints, all, size);
    TRY_MEMORY(number != UINT32_MAX);
    footprints->sets.length = offset;
    term member;
    do {
        member = footprints->stack.items[--footprints->stack.length];
        struct csp_outlook *outlook = csp_outlook_reach(footprints, member);
        assert(outlook->progress == OUTLOOK_OPEN);
        outlook->future = number;
        outlook->progress = OUTLOOK_COMPLETE;
    } while (member != root);
    return STATUS_OK;
}

static enum status future_of(struct csp_footprints *footprints, term t, unsigned depth)
{
    size_t size = 2 * (size_t)footprints->words, offset = footprints->sets.length;
    struct csp_outlook *outlook = csp_outlook_reach(footprints, t);
    TRY_MEMORY(outlook && vector_push(&footprints->stack, t) &&
               vector_reserve(&footprints->sets, offset + size));
    footprints->sets.length += size;
    memset(footprints->sets.items + offset, depth > MAX_DEPTH ? 0xff : 0, size * sizeof(uint32_t));
    uint32_t index = footprints->counter++, low = index;
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
        const struct csp_outlook *below = csp_outlook_reach(footprints, child);
        TRY_MEMORY(below);
        if (below->progress == OUTLOOK_UNKNOWN)
            TRY(future_of(footprints, child, depth + 1));
        if (below->progress == OUTLOOK_COMPLETE)
            add_all(footprints->sets.items + offset, csp_footprint(footprints, below->future),
                    (uint32_t)size);
        else if (below->low < low)
            low = below->low;
    }
    footprints->children.length = start;
    assert(low <= index);
    outlook->low = low;
    return low == index ? close_component(footprints, t) : STATUS_OK;
}

static enum status complete(struct csp_footprints *footprints, term t, struct csp_outlook *outlook)
{
    if (outlook->progress == OUTLOOK_UNKNOWN) {
        footprints->children.length = footprints->stack.length = footprints->sets.length = 0;
        TRY(future_of(footprints, t, 0));
    }
    TRY(complete_next(footprints, t));
    assert(outlook->progress == OUTLOOK_COMPLETE);
    atomic_store(&outlook->complete, true);
    atomic_fetch_add(&footprints->worked_out, 1);
    return STATUS_OK;
}

const struct csp_outlook *csp_outlook_of(struct csp_footprints *footprints, term t)
{
    struct csp_outlook *outlook = csp_outlook_reach(footprints, t);
    enum status status = outlook ? STATUS_OK : STATUS_LIMIT;
    if (outlook && !atomic_load_explicit(&outlook->complete, memory_order_acquire)) {
        pthread_mutex_lock(&footprints->lock);
        status = complete(footprints, t, outlook);
        pthread_mutex_unlock(&footprints->lock);
    }
    return status == STATUS_OK ? outlook : NULL;
}
