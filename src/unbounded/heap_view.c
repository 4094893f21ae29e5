#include "unbounded/heap_view.h"

#include <assert.h>
#include <string.h>

#include "implementation/step_places.h"

static bool is_boolean(const struct lin_variable *variable)
{
    return variable->type.kind == LIN_TYPE_BOOL;
}

static void find_locks(struct heap_shape *shape)
{
    const struct lin_steps *steps = shape->steps;
    for (uint32_t i = 0; i < steps->object->variable_count; i++)
        for (uint32_t j = 0; is_boolean(steps->shared[i].variable) && j < steps->shared[i].length;
             j++)
            shape->locks |= UINT32_C(1) << (steps->shared[i].first + j);
    for (uint32_t p = 0; p < steps->pool_count; p++) {
        const struct lin_struct *of = steps->pools[p].of;
        uint32_t field = 0;
        for (uint32_t i = 0; i < of->field_count; i++) {
            const uint32_t words =
                steps->pools[p].lengths[i] * lin_step_words_of(&of->fields[i]->type);
            for (uint32_t j = 0; is_boolean(of->fields[i]) && j < words; j++)
                shape->lock_fields[p] |= (uint8_t)(1u << (field + j));
            field += words;
        }
    }
}

static bool is_at_lock(const struct lin_steps *steps, size_t i)
{
    const struct instruction *code = steps->listing.code.items;
    return i + 1 < steps->listing.code.length &&
           (code[i + 1].op == OP_LOCK || code[i + 1].op == OP_UNLOCK);
}

/* Of locks those that nothing else reaches. */
static void find_private_locks(struct heap_shape *shape)
{
    const struct lin_steps *steps = shape->steps;
    shape->private_locks = shape->locks;
    memcpy(shape->private_fields, shape->lock_fields, sizeof shape->private_fields);
    for (size_t i = 0; i < steps->listing.code.length; i++) {
        const struct instruction *at = &steps->listing.code.items[i];
        if (at->op == OP_DEREFERENCE && !is_at_lock(steps, i)) {
            const struct lin_struct *of = steps->pools[at->operand].of;
            uint32_t first = 0;
            for (uint32_t j = 0; j < of->field_count; j++) {
                const uint32_t words =
                    steps->pools[at->operand].lengths[j] * lin_step_words_of(&of->fields[j]->type);
                if (at->wide > first && at->wide <= first + words) /* the status comes first */
                    shape->private_fields[at->operand] &= (uint8_t) ~(((1u << words) - 1) << first);
                first += words;
            }
        }
        if ((at->op == OP_ADDRESS && !is_at_lock(steps, i)) || at->op == OP_LOAD_SHARED ||
            at->op == OP_STORE_SHARED)
            for (uint32_t j = 0; j < steps->object->variable_count; j++) {
                const struct lin_layout_of_shared *variable = &steps->shared[j];
                const uint32_t words = variable->length * variable->words,
                               slot = (uint32_t)at->operand;
                if (slot >= variable->first && slot < variable->first + words)
                    shape->private_locks &= ~(((UINT32_C(1) << words) - 1) << variable->first);
            }
    }
}

static uint64_t all_fields(const struct lin_pool *pool)
{
    uint64_t all = 0;
    for (uint32_t i = 1; i < pool->words; i++)
        all |= pool->field_bits[i];
    return all;
}

/* Which fields of each pool's nodes may be read by way of any variable or field. */
static void find_read_fields(struct heap_shape *shape)
{
    const struct lin_steps *steps = shape->steps;
    uint64_t read[ARRAY_LENGTH(shape->read_fields)];
    if (!steps->shared_reads)
        return;
    for (uint32_t p = 0; p < steps->pool_count; p++)
        read[p] = all_fields(&steps->pools[p]);
    for (size_t i = 0; i < steps->shared_references.length; i++)
        read[steps->shared_references.items[i].pool] &= steps->shared_reads[i];
    for (uint32_t p = 0; p < steps->pool_count; p++)
        for (uint32_t i = 0; i < steps->pools[p].reference_count; i++)
            read[steps->pools[p].references[i].pool] &= steps->pools[p].reference_reads[i];
    for (uint32_t p = 0; p < steps->pool_count; p++)
        for (uint32_t i = 0; i < shape->fields[p]; i++)
            if (read[p] & steps->pools[p].field_bits[1 + i])
                shape->read_fields[p] |= (uint8_t)(1u << i);
    for (uint32_t p = 0; p < steps->pool_count; p++)
        shape->read_fields[p] &= (uint8_t)~shape->lock_fields[p];
}

static uint32_t count_booleans(const struct lin_type *type)
{
    uint32_t count = type->kind == LIN_TYPE_BOOL;
    for (uint32_t i = 0; type->kind == LIN_TYPE_RECORD && i < type->of->field_count; i++)
        count += count_booleans(&type->of->fields[i]->type);
    return count;
}

const char *heap_shape_make(const struct lin_steps *steps, struct heap_shape *shape)
{
    *shape = (struct heap_shape){.steps = steps};
    if (steps->pool_count > ARRAY_LENGTH(shape->fields))
        return "there are too many kinds of nodes";
    if (steps->heap_first > HEAP_MOST_SHARED)
        return "there are too many shared variables";
    if (steps->thread_words > HEAP_MOST_THREAD)
        return "there are too many local variables";
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        shape->fields[i] = steps->pools[i].words - 1;
        if (shape->fields[i] > HEAP_MOST_FIELDS)
            return "nodes have too many fields";
        for (uint32_t j = 0; j < steps->pools[i].reference_count; j++)
            shape->references[i] |= (uint8_t)(1u << (steps->pools[i].references[j].slot - 1));
    }
    find_locks(shape);
    find_private_locks(shape);
    find_read_fields(shape);
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        uint32_t booleans = 0;
        for (uint32_t j = 0; j < pool->of->field_count; j++)
            booleans += pool->lengths[j] * count_booleans(&pool->of->fields[j]->type);
        shape->link[i] = -1;
        if (pool->reference_count == 1 && pool->references[0].pool == i)
            shape->link[i] = (int32_t)pool->references[0].slot - 1;
        shape->blurs[i] =
            shape->link[i] >= 0 && pool->values.count + booleans + 1 == shape->fields[i];
    }
    return NULL;
}

static bool has_number(const struct lin_type *type)
{
    bool has = type->kind == LIN_TYPE_INT;
    for (uint32_t i = 0; type->kind == LIN_TYPE_RECORD && i < type->of->field_count; i++)
        has |= has_number(&type->of->fields[i]->type);
    return has;
}

void heap_shape_tell_numbers(struct heap_shape *shape)
{
    for (uint32_t i = 0; i < shape->steps->pool_count; i++) {
        const struct lin_struct *of = shape->steps->pools[i].of;
        for (uint32_t j = 0; j < of->field_count; j++)
            if (has_number(&of->fields[j]->type)) {
                shape->link[i] = -1;
                shape->blurs[i] = false;
            }
    }
}

/* ---- what is reached ---- */

struct reach {
    const struct heap_shape *shape;
    const struct heap_view *view;
    uint64_t reached, named;
    uint8_t entering[HEAP_MOST_NODES]; /* references from nodes that are reached */
};

static void reach(struct reach *found, uint32_t reference)
{
    if (!reference || (found->reached >> (reference - 1) & 1))
        return;
    const struct heap_node *node = &found->view->nodes[reference - 1];
    const struct lin_pool *pool = &found->shape->steps->pools[node->pool];
    found->reached |= UINT64_C(1) << (reference - 1);
    for (uint32_t i = 0; i < pool->reference_count; i++) {
        const uint32_t to = node->fields[pool->references[i].slot - 1];
        if (to)
            found->entering[to - 1]++;
        reach(found, to);
    }
}

static void reach_root(void *user, uint32_t *reference)
{
    struct reach *found = user;
    if (*reference)
        found->named |= UINT64_C(1) << (*reference - 1);
    reach(found, *reference);
}

uint64_t heap_view_nodes_from(const struct heap_shape *shape, const struct heap_view *view,
                              uint32_t reference)
{
    struct reach found = {.shape = shape, .view = view};
    reach(&found, reference);
    return found.reached;
}

uint64_t heap_view_shared_nodes(const struct heap_shape *shape, const struct heap_view *view)
{
    struct reach found = {.shape = shape, .view = view};
    for (size_t i = 0; i < shape->steps->shared_references.length; i++)
        reach(&found, view->shared[shape->steps->shared_references.items[i].slot]);
    return found.reached;
}

/* ---- threads that can only begin again ---- */

static bool holds(const struct heap_shape *shape, const struct heap_view *view,
                  const struct lin_retry *retry)
{
    const uint32_t *locals = view->thread + LIN_THREAD_HEADER, reference = locals[retry->local];
    if (!reference || view->nodes[reference - 1].own)
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(retry->nodes); i++)
        for (uint64_t left = retry->nodes[i]; left; left &= left - 1)
            if (locals[64 * i + (size_t)__builtin_ctzll(left)] == 0)
                return false;
    return !(heap_view_nodes_from(shape, view, view->shared[retry->slot]) >> (reference - 1) & 1);
}

/* Puts such a thread where it begins again. */
static void begin_again(const struct heap_shape *shape, struct heap_view *view)
{
    const struct lin_steps *steps = shape->steps;
    if (!is_at_code(view->thread) || shape->marks)
        return;
    for (size_t i = 0; i < steps->retries.length; i++) {
        const struct lin_retry *retry = &steps->retries.items[i];
        if (retry->at != view->thread[LIN_THREAD_AT] - 1 ||
            !(shape->retries[i / 64] >> i % 64 & 1) || !holds(shape, view, retry))
            continue;
        view->thread[LIN_THREAD_AT] = 1 + retry->head;
        for (uint32_t j = LIN_THREAD_HEADER; j < steps->thread_words; j++)
            if (!lin_steps_live(steps, retry->head, j - LIN_THREAD_HEADER))
                view->thread[j] = 0;
        return;
    }
}

/* ---- the one form ---- */

bool heap_is_alike(const struct heap_shape *shape, const struct heap_node *one,
                   const struct heap_node *other)
{
    if (one->pool != other->pool)
        return false;
    for (uint32_t i = 0; i < shape->fields[one->pool]; i++)
        if (one->fields[i] != other->fields[i] && !heap_is_reference(shape, one->pool, i) &&
            !(shape->private_fields[one->pool] >> i & 1))
            return false;
    return true;
}

/* Whether it holds a value that is told apart from others. */
static bool is_coloured(const struct heap_shape *shape, const struct heap_node *node)
{
    const struct lin_value_slots *values = &shape->steps->pools[node->pool].values;
    for (uint32_t i = 0; i < values->count; i++) {
        const uint32_t word = node->fields[values->items[i] - 1];
        if (word != 0 && word != shape->plain)
            return true;
    }
    return false;
}

struct arranging {
    const struct heap_shape *shape;
    const struct heap_view *from;
    struct heap_view *to;
    uint64_t kept;
    uint64_t exact;                   /* nodes behind which runs are known */
    uint32_t number[HEAP_MOST_NODES]; /* 1 + where it is now */
    uint32_t old[HEAP_MOST_NODES];    /* by new node: which it was */
    bool full;
};

static uint32_t follow(const struct heap_shape *shape, const struct heap_node *node)
{
    return node->fields[shape->link[node->pool]];
}

/* A node like this one, with plain values. */
static void make_plain(const struct heap_shape *shape, const struct heap_node *like,
                       struct heap_node *node)
{
    const struct lin_value_slots *values = &shape->steps->pools[like->pool].values;
    *node = (struct heap_node){.pool = like->pool};
    for (uint32_t i = 0; i < shape->fields[like->pool]; i++)
        if (!heap_is_reference(shape, like->pool, i) &&
            !(shape->private_fields[like->pool] >> i & 1))
            node->fields[i] = like->fields[i];
    for (uint32_t i = 0; i < values->count; i++)
        node->fields[values->items[i] - 1] = shape->plain;
}

static uint32_t add_arranged(struct arranging *a, const struct heap_node *node, uint32_t old)
{
    const uint32_t added = heap_view_add(a->to, node);
    a->full |= added == HEAP_GONE;
    if (added == HEAP_GONE)
        return 0;
    a->old[added] = old;
    return 1 + added;
}

/* Behind nodes like this one, which are not kept, from a reference on: where they end. */
static uint32_t skip_alike(const struct arranging *a, const struct heap_node *node, uint32_t next)
{
    while (next && !(a->kept >> (next - 1) & 1) &&
           heap_is_alike(a->shape, node, &a->from->nodes[next - 1]))
        next = follow(a->shape, &a->from->nodes[next - 1]);
    return next;
}

/* The new name of what a reference leads to: a node that is kept, or the run that begins there. */
static uint32_t rename_reference(struct arranging *a, uint32_t reference)
{
    if (!reference)
        return 0;
    uint32_t at = reference - 1;
    if (a->number[at])
        return a->number[at];
    struct heap_node node = a->from->nodes[at];
    if (!(a->kept >> at & 1)) {
        node.run = HEAP_SOME;
        node.fields[a->shape->link[node.pool]] = skip_alike(a, &node, follow(a->shape, &node));
    }
    return a->number[at] = add_arranged(a, &node, at);
}

static void rename_root(void *user, uint32_t *reference)
{
    *reference = rename_reference(user, *reference);
}

/* The new name of what a link leads to behind a node of which it need not be known. */
static uint32_t rename_blurred(struct arranging *a, const struct heap_node *node,
                               uint32_t reference)
{
    struct heap_node any;
    if (!reference)
        return 0;
    make_plain(a->shape, node, &any);
    any.run = HEAP_ANY;
    any.fields[a->shape->link[any.pool]] = skip_alike(a, &any, reference);
    return add_arranged(a, &any, HEAP_GONE);
}

static void rename_fields(struct arranging *a, uint32_t at)
{
    struct heap_node *node = &a->to->nodes[at];
    const struct lin_pool *pool = &a->shape->steps->pools[node->pool];
    const bool exact = node->run || a->old[at] == HEAP_GONE || (a->exact >> a->old[at] & 1) ||
                       !a->shape->blurs[node->pool];
    for (uint32_t j = 0; j < pool->reference_count; j++) {
        const uint32_t field = pool->references[j].slot - 1;
        const uint32_t renamed = exact ? rename_reference(a, node->fields[field])
                                       : rename_blurred(a, node, node->fields[field]);
        node->fields[field] = renamed;
    }
}

/* Which nodes a local variable or a root names. */
struct naming {
    uint64_t named;
    size_t skipped; /* references of shared variables, which come first */
};

static void name_locally(void *user, uint32_t *reference)
{
    struct naming *naming = user;
    if (naming->skipped) {
        naming->skipped--;
        return;
    }
    if (*reference)
        naming->named |= UINT64_C(1) << (*reference - 1);
}

/* Whether a node has a value that is null, and no shared variable names it. All others that may be
 * blurred are kept for good, or of the kind of the runs behind them. */
static bool is_unlike(const struct heap_shape *shape, const struct heap_view *view, uint32_t at)
{
    const struct lin_value_slots *values = &shape->steps->pools[view->nodes[at].pool].values;
    bool has_null = false, named = false;
    for (uint32_t i = 0; i < values->count; i++)
        has_null |= view->nodes[at].fields[values->items[i] - 1] == 0;
    for (size_t i = 0; has_null && i < shape->steps->shared_references.length; i++)
        named |= view->shared[shape->steps->shared_references.items[i].slot] == 1 + at;
    return has_null && !named;
}

/* Nodes behind which runs are known. */
static uint64_t exact_nodes(const struct heap_shape *shape, struct heap_view *view)
{
    struct naming naming = {.skipped = shape->steps->shared_references.length};
    heap_view_each_root(shape, view, name_locally, &naming);
    for (uint32_t i = 0; i < view->count; i++)
        naming.named |= (uint64_t)(view->nodes[i].own || is_unlike(shape, view, i)) << i;
    return naming.named;
}

/* What may be read of a thread's own nodes, from where it stands, before it is written: bits of
 * fields as in struct lin_pool. */
struct own_reads {
    const struct heap_shape *shape;
    const struct heap_view *view;
    uint64_t fields[HEAP_MOST_NODES];
};

static void read_own(struct own_reads *reads, uint32_t reference, uint64_t fields)
{
    if (!reference || !reads->view->nodes[reference - 1].own ||
        !(fields & ~reads->fields[reference - 1]))
        return;
    const struct heap_node *node = &reads->view->nodes[reference - 1];
    const struct lin_pool *pool = &reads->shape->steps->pools[node->pool];
    reads->fields[reference - 1] |= fields;
    for (uint32_t i = 0; i < pool->reference_count; i++)
        if (fields & pool->field_bits[pool->references[i].slot])
            read_own(reads, node->fields[pool->references[i].slot - 1], pool->reference_reads[i]);
}

/* What a thread has in its own nodes and will write before anybody reads it is nothing. */
static void forget_unread(const struct heap_shape *shape, struct heap_view *view)
{
    const struct lin_steps *steps = shape->steps;
    struct own_reads reads;
    uint64_t own = 0;
    for (uint32_t i = 0; i < view->count; i++)
        own |= (uint64_t)(view->nodes[i].own && shape->read_fields[view->nodes[i].pool]) << i;
    if (!own || !is_at_code(view->thread))
        return;
    reads.shape = shape;
    reads.view = view;
    memset(reads.fields, 0, view->count * sizeof *reads.fields);
    const uint32_t at = view->thread[LIN_THREAD_AT] - 1;
    for (uint32_t i = steps->reads_from[at]; i < steps->reads_from[at + 1]; i++) {
        const struct lin_reads *local = &steps->reads.items[i];
        read_own(&reads, view->thread[LIN_THREAD_HEADER + local->local], local->fields);
    }
    for (; own; own &= own - 1) {
        struct heap_node *node = &view->nodes[__builtin_ctzll(own)];
        for (uint32_t i = 0; shape->read_fields[node->pool] >> i; i++)
            if ((shape->read_fields[node->pool] >> i & 1) &&
                !(reads.fields[__builtin_ctzll(own)] & steps->pools[node->pool].field_bits[1 + i]))
                node->fields[i] = 0;
    }
}

/* A run that may be empty where that is known: behind a node behind which it is, or one that is not
 * like it. HEAP_GONE: there is none. */
static uint32_t find_open(const struct heap_shape *shape, struct heap_view *view)
{
    const uint64_t exact = exact_nodes(shape, view);
    for (uint32_t i = 0; i < view->count; i++) {
        struct heap_node like = view->nodes[i];
        const uint32_t next = shape->link[like.pool] < 0 ? 0 : follow(shape, &like);
        if (!next || view->nodes[next - 1].run != HEAP_ANY)
            continue;
        if (!like.run)
            make_plain(shape, &view->nodes[i], &like);
        if ((exact >> i & 1) || !heap_is_alike(shape, &like, &view->nodes[next - 1]))
            return next - 1;
    }
    return HEAP_GONE;
}

void heap_view_refine(const struct heap_shape *shape, struct heap_view *view,
                      void (*each)(void *user, struct heap_view *view), void *user)
{
    begin_again(shape, view);
    forget_unread(shape, view);
    for (uint32_t run; (run = find_open(shape, view)) != HEAP_GONE;) {
        struct heap_view empty;
        heap_view_copy(&empty, view);
        heap_view_empty(shape, &empty, run);
        heap_view_refine(shape, &empty, each, user);
        view->nodes[run].run = HEAP_SOME;
    }
    each(user, view);
}

/* Whether others hold a lock is nothing that a thread sees. */
static void forget_locks_of_others(const struct heap_shape *shape, struct heap_view *view)
{
    uint32_t others = shape->private_locks & ~view->held;
    for (; others; others &= others - 1)
        view->shared[__builtin_ctz(others)] = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        struct heap_node *node = &view->nodes[i];
        for (others = shape->private_fields[node->pool] & ~(uint32_t)node->held; others;
             others &= others - 1)
            node->fields[__builtin_ctz(others)] = 0;
    }
}

bool heap_view_arrange(const struct heap_shape *shape, struct heap_view *view,
                       uint32_t moved[HEAP_MOST_NODES])
{
    begin_again(shape, view);
    forget_locks_of_others(shape, view);
    forget_unread(shape, view);
    struct heap_view from;
    heap_view_copy(&from, view);
    struct reach found = {.shape = shape, .view = &from};
    struct arranging a = {.shape = shape, .from = &from, .to = view};
    heap_view_each_root(shape, view, reach_root, &found);
    a.exact = exact_nodes(shape, view);
    for (uint32_t i = 0; i < from.count; i++) {
        const struct heap_node *node = &from.nodes[i];
        const bool plain = found.entering[i] == 1 && !node->own && !node->held &&
                           !(found.named >> i & 1) && shape->link[node->pool] >= 0 &&
                           follow(shape, node) && !is_coloured(shape, node);
        a.kept |= (uint64_t)!plain << i;
    }
    view->count = 0;
    heap_view_each_root(shape, view, rename_root, &a);
    for (uint32_t i = 0; i < view->count && !a.full; i++)
        rename_fields(&a, i);
    for (uint32_t i = 0; moved && i < HEAP_MOST_NODES; i++)
        moved[i] = i < from.count && a.number[i] ? a.number[i] - 1 : HEAP_GONE;
    return !a.full;
}

/* ---- words ---- */

size_t heap_view_write(const struct heap_shape *shape, const struct heap_view *view,
                       uint32_t *words)
{
    const struct lin_steps *steps = shape->steps;
    uint32_t *end = words;
    *end++ = view->observer;
    *end++ = view->promise;
    *end++ = view->held;
    *end++ = view->root_count;
    *end++ = view->count;
    memcpy(end, view->shared, steps->heap_first * sizeof *end);
    end += steps->heap_first;
    memcpy(end, view->thread, steps->thread_words * sizeof *end);
    end += steps->thread_words;
    memcpy(end, view->roots, view->root_count * sizeof *end);
    end += view->root_count;
    for (uint32_t i = 0; i < view->count; i++) {
        const struct heap_node *node = &view->nodes[i];
        *end++ = node->pool | (uint32_t)node->own << 16 | (uint32_t)node->run << 17 |
                 (uint32_t)node->held << 24;
        memcpy(end, node->fields, shape->fields[node->pool] * sizeof *end);
        end += shape->fields[node->pool];
    }
    return (size_t)(end - words);
}

void heap_view_read(const struct heap_shape *shape, const uint32_t *words, struct heap_view *view)
{
    const struct lin_steps *steps = shape->steps;
    view->observer = *words++;
    view->promise = *words++;
    view->held = *words++;
    view->root_count = *words++;
    view->count = *words++;
    memcpy(view->shared, words, steps->heap_first * sizeof *words);
    words += steps->heap_first;
    memcpy(view->thread, words, steps->thread_words * sizeof *words);
    words += steps->thread_words;
    memcpy(view->roots, words, view->root_count * sizeof *words);
    words += view->root_count;
    for (uint32_t i = 0; i < view->count; i++) {
        struct heap_node *node = &view->nodes[i];
        *node = (struct heap_node){.pool = (uint16_t)*words,
                                   .own = *words >> 16 & 1,
                                   .run = *words >> 17 & 3,
                                   .held = (uint8_t)(*words >> 24)};
        words++;
        memcpy(node->fields, words, shape->fields[node->pool] * sizeof *words);
        words += shape->fields[node->pool];
    }
}

/* ---- changes ---- */

uint32_t heap_view_add(struct heap_view *view, const struct heap_node *node)
{
    if (view->count == HEAP_MOST_NODES)
        return HEAP_GONE;
    view->nodes[view->count] = *node;
    return view->count++;
}

uint32_t heap_view_split(const struct heap_shape *shape, struct heap_view *view, uint32_t run,
                         bool before, bool behind)
{
    struct heap_node *first = &view->nodes[run];
    const int32_t link = shape->link[first->pool];
    assert(first->run && link >= 0);
    uint32_t node = run;
    if (behind) {
        const uint32_t rest = heap_view_add(view, first);
        if (rest == HEAP_GONE)
            return HEAP_GONE;
        view->nodes[rest].run = HEAP_SOME;
        first->fields[link] = 1 + rest;
    }
    if (before) {
        node = heap_view_add(view, first);
        if (node == HEAP_GONE)
            return HEAP_GONE;
        first->fields[link] = 1 + node;
    }
    view->nodes[node].run = HEAP_ONE;
    return node;
}

void heap_view_empty(const struct heap_shape *shape, struct heap_view *view, uint32_t run)
{
    const uint32_t next = follow(shape, &view->nodes[run]);
    for (uint32_t i = 0; i < view->count; i++) {
        struct heap_node *node = &view->nodes[i];
        if (shape->link[node->pool] >= 0 && follow(shape, node) == 1 + run)
            node->fields[shape->link[node->pool]] = next;
    }
}
