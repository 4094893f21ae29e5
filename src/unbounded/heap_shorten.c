#include "unbounded/heap_shorten.h"

#include "unbounded/heap_certificate_retries.h"

const char heap_too_many_nodes[] = "a view has too many nodes";

bool heap_same_values(const struct heap_shape *shape, const struct heap_node *one,
                      const struct heap_node *other)
{
    bool same = one->pool == other->pool;
    for (uint32_t i = 0; same && i < shape->fields[one->pool]; i++)
        same = heap_is_reference(shape, one->pool, i) || one->fields[i] == other->fields[i] ||
               (shape->private_fields[one->pool] >> i & 1);
    return same;
}

uint32_t heap_link_of(const struct heap_shape *shape, const struct heap_node *node)
{
    return shape->link[node->pool] < 0 ? 0 : node->fields[shape->link[node->pool]];
}

struct leaving_out {
    uint32_t run, next; /* references */
};

static void leave_out(void *user, uint32_t *reference)
{
    const struct leaving_out *out = user;
    if (*reference == out->run)
        *reference = out->next;
}

void heap_leave_out(const struct heap_shape *shape, struct heap_view *view, uint32_t run)
{
    struct leaving_out out = {1 + run, heap_link_of(shape, &view->nodes[run])};
    heap_view_each_root(shape, view, leave_out, &out);
    for (uint32_t i = 0; i < view->count; i++)
        for (uint32_t j = 0; j < shape->fields[view->nodes[i].pool]; j++)
            if (heap_is_reference(shape, view->nodes[i].pool, j))
                leave_out(&out, &view->nodes[i].fields[j]);
}

/* ---- what is known of a heap's nodes ---- */

struct shortening {
    const struct heap_shape *shape;
    struct heap_view heap;
    uint64_t reached, known; /* known: what is behind them; named by a local or a root, or own, or
                                with a null value where no shared variable names them */
    uint64_t named;
    uint8_t entering[HEAP_MOST_NODES];
    uint64_t plain;
    struct heap_view view;
    uint32_t moved[HEAP_MOST_NODES];
    uint64_t blurred; /* nodes of the view of which it is not known what is behind them */
    bool full;
};

static uint64_t bit(uint32_t node)
{
    return UINT64_C(1) << node;
}

/* The nodes that roots name. */
struct naming {
    uint64_t all, locally, by_variables;
    size_t shared; /* roots still to come that are shared variables */
};

static void name(void *user, uint32_t *reference)
{
    struct naming *naming = user;
    const uint64_t node = *reference ? bit(*reference - 1) : 0;
    naming->all |= node;
    naming->locally |= naming->shared ? 0 : node;
    naming->by_variables |= naming->shared ? node : 0;
    naming->shared -= naming->shared > 0;
}

/* Whether a reference from another node is all that leads to it, and nothing tells it apart. */
static bool is_plain(const struct shortening *s, uint32_t at)
{
    const struct heap_node *node = &s->heap.nodes[at];
    if (node->own || node->held || (s->named & bit(at)) || s->entering[at] != 1 ||
        !heap_link_of(s->shape, node))
        return false;
    for (uint32_t i = 0; i < s->shape->steps->pools[node->pool].values.count; i++) {
        const uint32_t word = node->fields[s->shape->steps->pools[node->pool].values.items[i] - 1];
        if (word && word != s->shape->plain)
            return false;
    }
    return true;
}

/* Whether it has a value that is null. */
static bool lacks_value(const struct heap_shape *shape, const struct heap_node *node)
{
    bool lacks = false;
    for (uint32_t i = 0; i < shape->steps->pools[node->pool].values.count; i++)
        lacks |= !node->fields[shape->steps->pools[node->pool].values.items[i] - 1];
    return lacks;
}

/* What any nodes behind one are of which it is not known how many they are: like it, and plain. */
static struct heap_node any_like(const struct heap_shape *shape, const struct heap_node *node)
{
    const struct lin_value_slots *values = &shape->steps->pools[node->pool].values;
    struct heap_node any = *node;
    any.run = HEAP_ANY;
    any.own = false;
    any.held = 0;
    for (uint32_t i = 0; i < shape->fields[node->pool]; i++)
        if (shape->private_fields[node->pool] >> i & 1)
            any.fields[i] = 0;
    for (uint32_t i = 0; i < values->count; i++)
        any.fields[values->items[i] - 1] = shape->plain;
    return any;
}

static void begin(struct shortening *s, const struct heap_shape *shape,
                  const struct heap_view *heap)
{
    s->shape = shape;
    heap_view_copy(&s->heap, heap);
    s->reached = s->known = s->named = s->plain = s->blurred = 0;
    memset(s->entering, 0, sizeof s->entering);
    s->full = false;
}

static void look_at_heap(struct shortening *s)
{
    struct heap_view *heap = &s->heap;
    struct naming naming = {.shared = s->shape->steps->shared_references.length};
    heap_view_each_root(s->shape, heap, name, &naming);
    s->named = naming.all;
    s->known = naming.locally;
    for (uint32_t i = 0; i < heap->count; i++)
        if (heap->nodes[i].own ||
            (lacks_value(s->shape, &heap->nodes[i]) && !(naming.by_variables & bit(i))))
            s->known |= bit(i);
    s->reached = s->named;
    for (uint64_t left = s->named; left;) {
        const struct heap_node *node = &heap->nodes[__builtin_ctzll(left)];
        const struct lin_pool *pool = &s->shape->steps->pools[node->pool];
        left &= left - 1;
        for (uint32_t j = 0; j < pool->reference_count; j++) {
            const uint32_t to = node->fields[pool->references[j].slot - 1];
            if (!to)
                continue;
            s->entering[to - 1]++;
            left |= bit(to - 1) & ~s->reached;
            s->reached |= bit(to - 1);
        }
    }
    for (uint32_t i = 0; i < heap->count; i++)
        s->plain |= is_plain(s, i) ? bit(i) : 0;
}

/* Whether a view does not say what is behind a node of the heap. */
static bool is_blurred(const struct shortening *s, uint32_t at)
{
    const struct heap_node *node = &s->heap.nodes[at];
    return node->run == HEAP_ONE && s->shape->blurs[node->pool] && !(s->known & bit(at));
}

/* ---- the view ---- */

/* A lock that nothing else reaches is true where the thread holds it. */
static void forget_locks_of_others(const struct heap_shape *shape, struct heap_view *heap)
{
    for (uint32_t i = 0; shape->private_locks >> i; i++)
        if ((shape->private_locks >> i & 1) && !(heap->held >> i & 1))
            heap->shared[i] = 0;
    for (uint32_t n = 0; n < heap->count; n++)
        for (uint32_t i = 0; shape->private_fields[heap->nodes[n].pool] >> i; i++)
            if ((shape->private_fields[heap->nodes[n].pool] >> i & 1) &&
                !(heap->nodes[n].held >> i & 1))
                heap->nodes[n].fields[i] = 0;
}

/* What may be read of a node by way of a local where the thread stands. */
static uint64_t read_by_locals(const struct heap_shape *shape, const struct heap_view *heap,
                               uint32_t reference)
{
    const struct lin_steps *steps = shape->steps;
    const uint32_t at = heap->thread[LIN_THREAD_AT] - 1;
    uint64_t fields = 0;
    for (uint32_t i = steps->reads_from[at]; i < steps->reads_from[at + 1]; i++)
        if (heap->thread[LIN_THREAD_HEADER + steps->reads.items[i].local] == reference &&
            heap->nodes[reference - 1].pool == steps->reads.items[i].pool)
            fields |= steps->reads.items[i].fields;
    return fields;
}

/* Fields of its own nodes that the thread writes before anybody reads them are null in a view. Two
 * passes: what may be read, until no more is found; then the rest goes. */
static void forget_unread(const struct heap_shape *shape, struct heap_view *heap)
{
    const struct lin_pool *pools = shape->steps->pools;
    uint64_t fields[HEAP_MOST_NODES];
    bool any = false, more = true;
    for (uint32_t n = 0; n < heap->count; n++)
        any |= heap->nodes[n].own && shape->read_fields[heap->nodes[n].pool];
    if (!any || !is_at_code(heap->thread))
        return;
    for (uint32_t n = 0; n < heap->count; n++)
        fields[n] = heap->nodes[n].own ? read_by_locals(shape, heap, 1 + n) : UINT64_MAX;
    while (more) {
        more = false;
        for (uint32_t n = 0; n < heap->count; n++) {
            const struct lin_pool *pool = &pools[heap->nodes[n].pool];
            for (uint32_t j = 0; heap->nodes[n].own && j < pool->reference_count; j++) {
                const uint32_t slot = pool->references[j].slot,
                               to = heap->nodes[n].fields[slot - 1];
                if (!to || !(fields[n] & pool->field_bits[slot]) ||
                    !(pool->reference_reads[j] & ~fields[to - 1]))
                    continue;
                fields[to - 1] |= pool->reference_reads[j];
                more = true;
            }
        }
    }
    for (uint32_t n = 0; n < heap->count; n++)
        for (uint32_t i = 0; i < shape->fields[heap->nodes[n].pool]; i++)
            if (!(fields[n] & pools[heap->nodes[n].pool].field_bits[1 + i]) &&
                (shape->read_fields[heap->nodes[n].pool] >> i & 1))
                heap->nodes[n].fields[i] = 0;
}

static uint32_t append(struct shortening *s, const struct heap_node *node)
{
    if (s->view.count == HEAP_MOST_NODES) {
        s->full = true;
        return 0;
    }
    s->view.nodes[s->view.count] = *node;
    return ++s->view.count;
}

/* What is behind plain nodes like this one, from a reference on. */
static uint32_t behind_alike(const struct shortening *s, const struct heap_node *like, uint32_t at)
{
    while (at && (s->plain & bit(at - 1)) &&
           heap_same_values(s->shape, like, &s->heap.nodes[at - 1]))
        at = heap_link_of(s->shape, &s->heap.nodes[at - 1]);
    return at;
}

/* Fields of a node that is appended still lead to the heap's nodes. */
static uint32_t find_or_append(struct shortening *s, uint32_t reference)
{
    if (!reference || s->moved[reference - 1] != HEAP_GONE)
        return reference ? 1 + s->moved[reference - 1] : 0;
    const uint32_t at = reference - 1;
    const bool plain = s->plain & bit(at);
    const struct heap_node *node = &s->heap.nodes[at];
    s->full |= node->run && !plain; /* it should have been taken apart */
    const uint32_t added = append(s, node);
    if (!added)
        return 0;
    s->moved[at] = added - 1;
    if (plain) {
        struct heap_node *run = &s->view.nodes[added - 1];
        run->run = HEAP_SOME;
        run->fields[s->shape->link[run->pool]] =
            behind_alike(s, node, heap_link_of(s->shape, node));
    } else if (is_blurred(s, at)) {
        s->blurred |= bit(added - 1);
    }
    return added;
}

static void find_root(void *user, uint32_t *reference)
{
    *reference = find_or_append(user, *reference);
}

/* A run that may be empty behind a node of the view, in front of what is behind plain nodes. */
static uint32_t append_any(struct shortening *s, const struct heap_node *node, uint32_t reference)
{
    struct heap_node any = any_like(s->shape, node);
    any.fields[s->shape->link[node->pool]] = behind_alike(s, &any, reference);
    return reference ? append(s, &any) : 0;
}

static bool make_view(struct shortening *s)
{
    memcpy(&s->view, &s->heap, offsetof(struct heap_view, nodes));
    s->view.count = 0;
    memset(s->moved, 0xff, sizeof s->moved); /* HEAP_GONE */
    heap_view_each_root(s->shape, &s->view, find_root, s);
    for (uint32_t i = 0; i < s->view.count && !s->full; i++) {
        const uint32_t pool = s->view.nodes[i].pool;
        for (uint32_t j = 0; j < s->shape->steps->pools[pool].reference_count; j++) {
            const uint32_t field = s->shape->steps->pools[pool].references[j].slot - 1;
            const uint32_t old = s->view.nodes[i].fields[field];
            const uint32_t now = s->blurred & bit(i) ? append_any(s, &s->view.nodes[i], old)
                                                     : find_or_append(s, old);
            s->view.nodes[i].fields[field] = now;
        }
    }
    return !s->full;
}

/* A run that may be empty, and is not passed over as what is behind a node of which it is not
 * known; else the number of nodes. */
static uint32_t find_doubtful(const struct shortening *s)
{
    for (uint32_t i = 0; i < s->heap.count; i++) {
        const struct heap_node *node = &s->heap.nodes[i];
        const uint32_t to = heap_link_of(s->shape, node);
        if (!(s->reached & bit(i)) || !to || s->heap.nodes[to - 1].run != HEAP_ANY)
            continue;
        const struct heap_node any = any_like(s->shape, node);
        if (!is_blurred(s, i) || !(s->plain & bit(to - 1)) || (s->plain & bit(i)) ||
            !heap_same_values(s->shape, &any, &s->heap.nodes[to - 1]))
            return to - 1;
    }
    return s->heap.count;
}

bool heap_shorten(const struct heap_shape *shape, const struct heap_view *heap,
                  heap_shortened *each, void *user)
{
    struct shortening s;
    begin(&s, shape, heap);
    (void)certificate_is_retrying(shape, &s.heap);
    forget_locks_of_others(shape, &s.heap);
    forget_unread(shape, &s.heap);
    look_at_heap(&s);
    const uint32_t any = find_doubtful(&s);
    if (any < heap->count) {
        struct heap_view settled;
        heap_view_copy(&settled, heap);
        settled.nodes[any].run = HEAP_SOME;
        const bool room = heap_shorten(shape, &settled, each, user);
        heap_leave_out(shape, &settled, any);
        return heap_shorten(shape, &settled, each, user) && room;
    }
    if (!make_view(&s))
        return false;
    each(user, &s.view, s.moved);
    return true;
}
