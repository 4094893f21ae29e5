#include "unbounded/heap_deeds.h"

#include <string.h>

#define NONE            UINT32_MAX
#define MOST_DEED_WORDS (HEAP_MOST_WORDS + 4 + 5 * HEAP_MOST_WRITTEN)

void heap_deeds_init(struct heap_deeds *deeds, const struct heap_shape *shape,
                     struct budget *budget)
{
    *deeds = (struct heap_deeds){.shape = shape};
    word_arrays_init(&deeds->groups, budget);
    word_arrays_init(&deeds->words, budget);
    vectors_init(budget, &deeds->items, &deeds->next, &deeds->first);
    arena_init(&deeds->arena, budget);
}

void heap_deeds_release(struct heap_deeds *deeds)
{
    word_arrays_release(&deeds->groups);
    word_arrays_release(&deeds->words);
    vectors_release(&deeds->items, &deeds->next, &deeds->first);
    arena_release(&deeds->arena);
}

static void fail(struct heap_deeds *deeds, const char *failure)
{
    if (!deeds->failure)
        deeds->failure = failure;
}

/* ---- what all threads see ---- */

static void forget_self(struct heap_view *view, bool keeps_own)
{
    memset(view->thread, 0, sizeof view->thread);
    view->promise = 0;
    for (uint32_t i = 0; i < view->count; i++)
        view->nodes[i].own = view->nodes[i].own && keeps_own;
}

static void take_view(void *user, struct heap_view *view, const uint32_t *moved)
{
    (void)moved;
    *(struct heap_view *)user = *view;
}

/* The words of it, the same for each thread; how many there are. */
static size_t write_common(struct heap_deeds *deeds, const struct heap_view *view, uint32_t *words)
{
    struct heap_view common = *view, shortened = {0};
    forget_self(&common, false);
    common.held = common.root_count = 0;
    for (uint32_t i = 0; i < common.count; i++)
        common.nodes[i].held = 0;
    if (!heap_shorten(deeds->shape, &common, take_view, &shortened))
        fail(deeds, heap_too_many_nodes);
    return heap_view_write(deeds->shape, &shortened, words);
}

static uint32_t add_group(struct heap_deeds *deeds, const struct heap_view *view)
{
    uint32_t words[HEAP_MOST_WORDS];
    const uint32_t group =
        word_arrays_intern(&deeds->groups, words, write_common(deeds, view, words), NULL);
    if (group == deeds->first.length)
        deeds->refused |= !vector_push(&deeds->first, NONE);
    deeds->refused |= group == NONE;
    return group;
}

uint32_t heap_deeds_first(struct heap_deeds *deeds, const struct heap_view *view)
{
    uint32_t words[HEAP_MOST_WORDS];
    const uint32_t group =
        word_arrays_find(&deeds->groups, words, write_common(deeds, view, words));
    return group == NONE ? NONE : deeds->first.items[group];
}

/* ---- what others see of a step ---- */

struct doing {
    struct heap_deeds *deeds;
    const struct heap_deed *deed; /* of which the view is not shortened */
};

static void add_shortened(void *user, struct heap_view *view, const uint32_t *moved)
{
    struct doing *doing = user;
    struct heap_deeds *deeds = doing->deeds;
    struct heap_deed cut = *doing->deed, *deed = &cut;
    uint32_t words[MOST_DEED_WORDS];
    bool fresh = false;
    cut.before = *view;
    size_t count = heap_view_write(deeds->shape, view, words);
    words[count++] = deed->observer;
    words[count++] = deed->by_bringer;
    if (deed->taken)
        deed->taken = 1 + moved[deed->taken - 1];
    words[count++] = deed->taken;
    words[count++] = deed->count;
    for (uint32_t i = 0; i < deed->count; i++) {
        struct heap_written *written = &deed->written[i];
        written->node = written->is_shared ? 0 : moved[written->node];
        if (written->is_reference && written->value)
            written->value = 1 + moved[written->value - 1];
        memcpy(words + count, written, sizeof *written);
        count += sizeof *written / sizeof *words;
    }
    const uint32_t number = word_arrays_intern(&deeds->words, words, count, &fresh);
    if (number == NONE)
        deeds->refused = true;
    if (!fresh || deeds->refused)
        return;
    deed = arena_allocate(&deeds->arena, sizeof *deed);
    if (!deed) {
        deeds->refused = true;
        return;
    }
    *deed = cut;
    const uint32_t group = add_group(deeds, view);
    deeds->refused = deeds->refused || !vector_push(&deeds->items, deed) ||
                     !vector_push(&deeds->next, deeds->first.items[group]);
    if (!deeds->refused)
        deeds->first.items[group] = number;
}

static void add_root(struct heap_deeds *deeds, struct heap_view *view, uint32_t reference)
{
    bool known = reference == 0;
    for (uint32_t i = 0; i < view->root_count; i++)
        known |= view->roots[i] == reference;
    if (known)
        return;
    if (view->root_count == HEAP_MOST_ROOTS)
        fail(deeds, "a step refers to too many nodes");
    else
        view->roots[view->root_count++] = reference;
}

bool heap_is_unnoticed(const struct heap_shape *shape, const struct heap_node *node, uint32_t field)
{
    return node->own || (shape->private_fields[node->pool] >> field & 1);
}

static void add_written(struct heap_deeds *deeds, struct heap_deed *deed, uint32_t was,
                        struct heap_written written)
{
    if (was == written.value)
        return;
    if (deed->count == HEAP_MOST_WRITTEN) {
        fail(deeds, "a step writes too much");
        return;
    }
    deed->written[deed->count++] = written;
    if (!written.is_shared)
        add_root(deeds, &deed->before, 1 + written.node);
    if (written.is_reference) {
        add_root(deeds, &deed->before, written.value);
        add_root(deeds, &deed->before, was);
    }
}

static bool leads_from_variable(const struct heap_shape *shape, uint32_t word)
{
    bool leads = false;
    for (size_t i = 0; i < shape->steps->shared_references.length; i++)
        leads |= shape->steps->shared_references.items[i].slot == word;
    return leads;
}

/* What a step writes where others may see it. */
static void find_deed(struct heap_deeds *deeds, const struct heap_view *before,
                      const struct heap_view *after, struct heap_deed *deed)
{
    const struct heap_shape *shape = deeds->shape;
    deed->before = *after;
    deed->count = 0;
    deed->before.observer = before->observer;
    deed->before.held = before->held;
    memcpy(deed->before.shared, before->shared, sizeof before->shared);
    deed->before.root_count = 0;
    add_root(deeds, &deed->before, deed->taken);
    forget_self(&deed->before, true);
    for (uint32_t n = 0; n < after->count; n++) {
        deed->before.nodes[n].own = n >= before->count || before->nodes[n].own;
        if (!deed->before.nodes[n].own)
            deed->before.nodes[n] = before->nodes[n];
    }
    for (uint32_t i = 0; i < shape->steps->heap_first; i++)
        if (!(shape->private_locks >> i & 1))
            add_written(deeds, deed, before->shared[i],
                        (struct heap_written){.is_shared = true,
                                              .word = i,
                                              .is_reference = leads_from_variable(shape, i),
                                              .value = after->shared[i]});
    for (uint32_t n = 0; n < before->count; n++)
        for (uint32_t i = 0; i < shape->fields[before->nodes[n].pool]; i++)
            if (!heap_is_unnoticed(shape, &before->nodes[n], i))
                add_written(deeds, deed, before->nodes[n].fields[i],
                            (struct heap_written){
                                .node = n,
                                .word = i,
                                .is_reference = heap_is_reference(shape, before->nodes[n].pool, i),
                                .value = after->nodes[n].fields[i]});
}

void heap_deeds_add(struct heap_deeds *deeds, const struct heap_view *before,
                    const struct heap_view *after, uint32_t observer, uint32_t by_bringer,
                    uint32_t taken)
{
    struct heap_deed deed = {.observer = observer, .by_bringer = by_bringer, .taken = taken};
    struct doing doing = {deeds, &deed};
    find_deed(deeds, before, after, &deed);
    if ((deed.count > 0 || observer != before->observer || taken) &&
        !heap_shorten(deeds->shape, &deed.before, add_shortened, &doing))
        fail(deeds, heap_too_many_nodes);
}
