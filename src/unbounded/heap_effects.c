#include "unbounded/heap_effects.h"

#include <assert.h>
#include <string.h>

#include "unbounded/heap_marked.h"

/* ---- what a step writes ---- */

static bool is_shared_reference(const struct heap_shape *shape, uint32_t word)
{
    for (size_t i = 0; i < shape->steps->shared_references.length; i++)
        if (shape->steps->shared_references.items[i].slot == word)
            return true;
    return false;
}

static bool add_change(struct heap_effect *effect, struct heap_change change)
{
    if (effect->change_count == HEAP_MOST_CHANGES)
        return false;
    effect->changes[effect->change_count++] = change;
    return true;
}

/* Whether a field's change is one that only its thread can notice: of a lock, see heap_view.h. */
static bool is_private(const struct heap_shape *shape, const struct heap_node *node, uint32_t field)
{
    return node->own || (shape->private_fields[node->pool] >> field & 1);
}

/* The words that differ and others may see. */
static bool find_changes(const struct heap_shape *shape, const struct heap_step *step,
                         struct heap_effect *effect)
{
    const struct heap_view *before = step->before, *after = step->after;
    bool room = true;
    effect->change_count = 0;
    for (uint32_t i = 0; i < shape->steps->heap_first; i++)
        if (before->shared[i] != after->shared[i] && !(i < 32 && (shape->private_locks >> i & 1)))
            room = room && add_change(effect, (struct heap_change){
                                                  .is_shared = true,
                                                  .is_reference = is_shared_reference(shape, i),
                                                  .word = (uint8_t)i,
                                                  .value = after->shared[i]});
    for (uint32_t n = 0; n < before->count; n++)
        for (uint32_t i = 0; i < shape->fields[before->nodes[n].pool]; i++)
            if (before->nodes[n].fields[i] != after->nodes[n].fields[i] &&
                !is_private(shape, &before->nodes[n], i))
                room = room &&
                       add_change(effect, (struct heap_change){.is_reference = heap_is_reference(
                                                                   shape, before->nodes[n].pool, i),
                                                               .node = (uint8_t)n,
                                                               .word = (uint8_t)i,
                                                               .value = after->nodes[n].fields[i]});
    return room;
}

bool heap_step_changes(const struct heap_shape *shape, const struct heap_step *step)
{
    struct heap_effect effect;
    return !find_changes(shape, step, &effect) || effect.change_count > 0;
}

/* ---- cutting ---- */

static bool add_root(struct heap_view *view, uint32_t reference)
{
    if (!reference)
        return true;
    for (uint32_t i = 0; i < view->root_count; i++)
        if (view->roots[i] == reference)
            return true;
    if (view->root_count == HEAP_MOST_ROOTS)
        return false;
    view->roots[view->root_count++] = reference;
    return true;
}

/* The nodes that are written, those that are referred to then, and those that were. */
static bool find_roots(const struct heap_step *step, struct heap_effect *effect)
{
    bool room = add_root(&effect->before, effect->taken);
    for (uint32_t i = 0; i < effect->change_count; i++) {
        const struct heap_change *change = &effect->changes[i];
        if (!change->is_shared)
            room = room && add_root(&effect->before, 1 + change->node);
        if (!change->is_reference)
            continue;
        room = room && add_root(&effect->before, change->value);
        room = room &&
               add_root(&effect->before,
                        change->is_shared ? step->before->shared[change->word]
                                          : step->before->nodes[change->node].fields[change->word]);
    }
    return room;
}

static void forget_thread(struct heap_view *view)
{
    memset(view->thread, 0, sizeof view->thread);
    view->promise = 0;
}

static void forget_locks(struct heap_view *view)
{
    view->held = 0;
    for (uint32_t i = 0; i < view->count; i++)
        view->nodes[i].held = 0;
}

struct cutting {
    const struct heap_shape *shape;
    const struct heap_effect *effect; /* whose view is not arranged */
    void (*each)(void *user, const struct heap_effect *effect);
    void *user;
    bool full;
};

static void cut_refined(void *user, struct heap_view *before)
{
    struct cutting *cutting = user;
    struct heap_effect effect = *cutting->effect;
    uint32_t moved[HEAP_MOST_NODES];
    heap_view_copy(&effect.before, before);
    if (!heap_view_arrange(cutting->shape, &effect.before, moved)) {
        cutting->full = true;
        return;
    }
    if (effect.taken)
        effect.taken = 1 + moved[effect.taken - 1];
    for (uint32_t i = 0; i < effect.change_count; i++) {
        struct heap_change *change = &effect.changes[i];
        if (!change->is_shared)
            change->node = (uint8_t)moved[change->node];
        if (change->is_reference && change->value)
            change->value = 1 + moved[change->value - 1];
    }
    cutting->each(cutting->user, &effect);
}

enum heap_cut heap_effect_make(const struct heap_shape *shape, const struct heap_step *step,
                               uint32_t observer,
                               void (*each)(void *user, const struct heap_effect *effect),
                               void *user)
{
    struct heap_effect effect;
    struct cutting cutting = {.shape = shape, .effect = &effect, .each = each, .user = user};
    effect.observer = observer;
    effect.by_bringer = 0;
    effect.taken = step->taken;
    if (!find_changes(shape, step, &effect))
        return HEAP_CUT_TOO_LARGE;
    if (effect.change_count == 0 && observer == step->before->observer && !effect.taken)
        return HEAP_CUT_NOTHING;
    heap_view_copy(&effect.before, step->before);
    forget_thread(&effect.before);
    effect.before.root_count = 0;
    for (uint32_t n = 0; n < step->after->count; n++)
        if (n >= step->before->count) {
            effect.before.nodes[n] = step->after->nodes[n];
            effect.before.nodes[n].own = true;
        } else if (step->before->nodes[n].own) {
            memcpy(effect.before.nodes[n].fields, step->after->nodes[n].fields,
                   sizeof effect.before.nodes[n].fields);
        }
    effect.before.count = step->after->count;
    if (!find_roots(step, &effect))
        return HEAP_CUT_TOO_LARGE;
    struct heap_view refined;
    heap_view_copy(&refined, &effect.before);
    heap_view_refine(shape, &refined, cut_refined, &cutting);
    return cutting.full ? HEAP_CUT_TOO_LARGE : HEAP_CUT_MADE;
}

size_t heap_effect_write(const struct heap_shape *shape, const struct heap_effect *effect,
                         uint32_t *words)
{
    size_t count = heap_view_write(shape, &effect->before, words);
    words[count++] = effect->observer;
    words[count++] = effect->taken;
    words[count++] = effect->change_count << 8 | effect->by_bringer;
    for (uint32_t i = 0; i < effect->change_count; i++) {
        const struct heap_change *change = &effect->changes[i];
        words[count++] =
            (uint32_t)change->is_shared << 16 | (uint32_t)change->node << 8 | change->word;
        words[count++] = change->value;
    }
    return count;
}

size_t heap_view_cut(const struct heap_shape *shape, const struct heap_view *view, uint32_t *words)
{
    struct heap_view cut;
    heap_view_copy(&cut, view);
    forget_thread(&cut);
    forget_locks(&cut);
    cut.root_count = 0;
    for (uint32_t i = 0; i < cut.count; i++)
        cut.nodes[i].own = false;              /* nobody else can reach such nodes */
    if (!heap_view_arrange(shape, &cut, NULL)) /* what is less has room */
        return 0;
    return heap_view_write(shape, &cut, words);
}

/* ---- placing ---- */

#define NOT_PLACED UINT32_MAX

struct merge {
    struct heap_view view;
    uint32_t placed[HEAP_MOST_NODES]; /* by node of the effect: where it is in the view */
    uint64_t fresh;                   /* nodes of the view that are new to it */
};

/* Copies all that there is, which is mostly few nodes. */
static void copy_merge(struct merge *to, const struct merge *from)
{
    heap_view_copy(&to->view, &from->view);
    memcpy(to->placed, from->placed, sizeof to->placed);
    to->fresh = from->fresh;
}

struct applying {
    const struct heap_shape *shape;
    const struct heap_effect *effect;
    const struct heap_ready_effect *ready;
    heap_effect_user *each;
    void *user;
    uint32_t tried; /* placements */
    bool full;
};

#define MOST_TRIED 20000 /* of one effect on one view: more are given up */

/* What remains to be placed. */
struct goal {
    uint32_t node; /* of the effect */
    const struct goal *next;
};

static void place_goals(struct applying *a, const struct merge *merge, const struct goal *goals);

struct seeing {
    struct applying *a;
    const struct merge *merge;
};

/* Where values are marked: whether the view may be so behind the effect. */
static bool is_possible(const struct applying *a, const struct merge *merge, struct heap_view *view)
{
    const struct heap_effect *effect = a->effect;
    uint64_t inside = 0;
    for (uint32_t i = 0; i < effect->change_count; i++) {
        const struct heap_change *change = &effect->changes[i];
        if (change->is_shared || change->is_reference || !heap_is_inside(change->value))
            continue;
        struct heap_node *node = &view->nodes[merge->placed[change->node]];
        if (heap_value_of(a->shape, node) == &node->fields[change->word])
            inside |= UINT64_C(1) << merge->placed[change->node];
    }
    return heap_marked_happens(a->shape, inside,
                               effect->taken ? 1 + merge->placed[effect->taken - 1] : 0,
                               a->shape->marks == HEAP_MARKS_LOWEST &&
                                   effect->before.observer == 0 && effect->observer == 1,
                               view);
}

static void write_changes(struct applying *a, const struct merge *merge, struct heap_view *view)
{
    const struct heap_effect *effect = a->effect;
    view->observer = effect->observer;
    for (uint32_t i = 0; i < effect->change_count; i++) {
        const struct heap_change *change = &effect->changes[i];
        const uint32_t written = change->is_reference && change->value
                                     ? 1 + merge->placed[change->value - 1]
                                     : change->value;
        if (change->is_shared) {
            view->shared[change->word] = written;
            view->held &= ~(UINT32_C(1) << change->word);
        } else {
            struct heap_node *node = &view->nodes[merge->placed[change->node]];
            node->fields[change->word] = written;
            node->held &= (uint8_t) ~(1u << change->word);
        }
    }
    for (uint32_t i = 0; i < view->count; i++)
        if (merge->fresh >> i & 1)
            view->nodes[i].own = false;
    if (!a->shape->marks || is_possible(a, merge, view))
        a->each(a->user, view);
}

/* The effect happens if the view, as the effect's thread would see it, is what it has seen. */
static void compare_seen(void *user, struct heap_view *seen)
{
    struct seeing *seeing = user;
    struct applying *a = seeing->a;
    uint32_t words[HEAP_MOST_WORDS];
    struct heap_view view;
    heap_view_copy(&view, seen);
    if (!heap_view_arrange(a->shape, seen, NULL) ||
        heap_view_write(a->shape, seen, words) != a->ready->count ||
        memcmp(words, a->ready->seen, a->ready->count * sizeof *words) != 0)
        return;
    const struct heap_view *whole = &seeing->merge->view;
    memcpy(&view, whole, offsetof(struct heap_view, nodes));
    for (uint32_t i = 0; i < view.count; i++) {
        view.nodes[i].own = whole->nodes[i].own;
        view.nodes[i].held = whole->nodes[i].held;
    }
    write_changes(a, seeing->merge, &view);
}

static void happen(struct applying *a, const struct merge *merge)
{
    const struct heap_view *before = &a->effect->before;
    struct heap_view seen;
    heap_view_copy(&seen, &merge->view);
    struct seeing seeing = {a, merge};
    forget_thread(&seen);
    forget_locks(&seen);
    seen.root_count = before->root_count;
    for (uint32_t i = 0; i < before->root_count; i++)
        seen.roots[i] = before->roots[i] ? 1 + merge->placed[before->roots[i] - 1] : 0;
    for (uint32_t i = 0; i < seen.count; i++)
        if (!(merge->fresh >> i & 1))
            seen.nodes[i].own = false;
    heap_view_refine(a->shape, &seen, compare_seen, &seeing);
}

static uint64_t shared_nodes_of(const struct applying *a, const struct merge *merge)
{
    return heap_view_shared_nodes(a->shape, &merge->view);
}

static bool is_taken(const struct merge *merge, uint32_t at)
{
    for (uint32_t i = 0; i < HEAP_MOST_NODES; i++)
        if (merge->placed[i] == at)
            return true;
    return false;
}

static void place_at(struct applying *a, const struct merge *merge, uint32_t node, uint32_t at,
                     const struct goal *rest)
{
    struct merge placed;
    copy_merge(&placed, merge);
    if (merge->view.nodes[at].held & a->effect->before.nodes[node].held)
        return; /* two threads do not hold a lock at once */
    placed.placed[node] = at;
    place_goals(a, &placed, rest);
}

/* Within a run, in the ways that it may be, the first of it at most if `first`. */
static void place_in_run(struct applying *a, const struct merge *merge, uint32_t node, uint32_t run,
                         bool first, const struct goal *rest)
{
    const bool any = merge->view.nodes[run].run == HEAP_ANY;
    for (unsigned i = any && !first ? 2 : 0; i < (first ? 2u : 4u); i++) {
        struct merge placed;
        copy_merge(&placed, merge);
        const uint32_t at = heap_view_split(a->shape, &placed.view, run, i >> 1, i & 1);
        if (at == HEAP_GONE)
            a->full = true;
        else
            place_at(a, &placed, node, at, rest);
    }
}

/* Where the view has the node that a placed node's field leads to. */
static void place_next(struct applying *a, const struct merge *merge, uint32_t node,
                       uint32_t reference, const struct goal *rest)
{
    const struct heap_node *wanted = &a->effect->before.nodes[node];
    if (!reference)
        return;
    const struct heap_node *there = &merge->view.nodes[reference - 1];
    if (there->run == HEAP_ANY) { /* which may be empty */
        struct merge empty;
        copy_merge(&empty, merge);
        heap_view_empty(a->shape, &empty.view, reference - 1);
        place_next(a, &empty, node, there->fields[a->shape->link[there->pool]], rest);
    }
    if (there->own || !heap_is_alike(a->shape, wanted, there))
        return;
    if (there->run)
        place_in_run(a, merge, node, reference - 1, true, rest);
    else if (!is_taken(merge, reference - 1))
        place_at(a, merge, node, reference - 1, rest);
}

/* Links the fields of a node that is new to the view, from this one on. */
static void link(struct applying *a, const struct merge *merge, uint32_t node, uint32_t field,
                 const struct goal *rest);

/* The field leads to this node of the view. */
static void link_to(struct applying *a, const struct merge *merge, uint32_t node, uint32_t field,
                    uint32_t to, const struct goal *rest)
{
    struct merge linked;
    copy_merge(&linked, merge);
    linked.view.nodes[merge->placed[node]].fields[field] = 1 + to;
    link(a, &linked, node, field + 1, rest);
}

/* The field leads to a run of nodes that, from some node on, are the view's. */
static void link_into_view(struct applying *a, const struct merge *merge, uint32_t node,
                           uint32_t field, uint32_t run, const struct goal *rest)
{
    const struct heap_node *wanted = &a->effect->before.nodes[run];
    const uint64_t shared = shared_nodes_of(a, merge);
    for (uint32_t i = 0; i < merge->view.count; i++) {
        const struct heap_node *there = &merge->view.nodes[i];
        if (there->own || (merge->fresh >> i & 1) || !heap_is_alike(a->shape, wanted, there) ||
            (shared >> i & 1) != (a->ready->shared >> run & 1))
            continue;
        for (unsigned way = there->run == HEAP_ANY ? 2 : 0; way < (there->run ? 4u : 1u); way++)
            for (int some = 0; some < 2; some++) {
                struct merge linked;
                copy_merge(&linked, merge);
                uint32_t to = i;
                if (there->run)
                    to = heap_view_split(a->shape, &linked.view, i, way >> 1, way & 1);
                if (to != HEAP_GONE && some) { /* nodes before it that the view does not have */
                    struct heap_node before = *wanted;
                    before.held = 0;
                    before.fields[a->shape->link[before.pool]] = 1 + to;
                    to = heap_view_add(&linked.view, &before);
                    if (to != HEAP_GONE)
                        linked.fresh |= UINT64_C(1) << to;
                }
                if (to == HEAP_GONE)
                    a->full = true;
                else
                    link_to(a, &linked, node, field, to, rest);
            }
    }
}

/* What a goal leads to when it is placed: the rest of a node's fields. */
struct link_goal {
    struct goal goal; /* first: `node` is what the field leads to */
    uint32_t node, field, through;
    const struct goal *rest;
};

#define LINKING ((uint32_t)1 << 31) /* of a goal: it is a link_goal */

static void link(struct applying *a, const struct merge *merge, uint32_t node, uint32_t field,
                 const struct goal *rest)
{
    const struct heap_node *of = &a->effect->before.nodes[node];
    while (field < a->shape->fields[of->pool] &&
           !(heap_is_reference(a->shape, of->pool, field) && of->fields[field]))
        field++;
    if (field == a->shape->fields[of->pool]) {
        place_goals(a, merge, rest);
        return;
    }
    uint32_t to = of->fields[field] - 1, run = NOT_PLACED;
    if (a->effect->before.nodes[to].run) {
        run = to;
        link_into_view(a, merge, node, field, run, rest);
        const uint32_t next =
            a->effect->before.nodes[run].fields[a->shape->link[a->effect->before.nodes[run].pool]];
        to = next ? next - 1 : NOT_PLACED;
        if (next && a->effect->before.nodes[to].run) {
            a->full = true; /* two runs, one behind the other, are given up */
            return;
        }
    }
    const struct link_goal then = {
        .goal = {.node = LINKING}, .node = node, .field = field, .through = run, .rest = rest};
    const struct goal first = {.node = to, .next = &then.goal};
    place_goals(a, merge, to == NOT_PLACED ? &then.goal : &first);
}

/* What the field leads to is placed: through a run of nodes that the view does not have, or at
 * once. */
static void finish_link(struct applying *a, const struct merge *merge, const struct link_goal *goal)
{
    const struct heap_view *before = &a->effect->before;
    struct merge linked;
    copy_merge(&linked, merge);
    uint32_t to = before->nodes[goal->node].fields[goal->field] - 1;
    if (goal->through == NOT_PLACED) {
        link_to(a, merge, goal->node, goal->field, merge->placed[to], goal->rest);
        return;
    }
    struct heap_node run = before->nodes[goal->through];
    run.held = 0;
    uint32_t *next = &run.fields[a->shape->link[run.pool]];
    *next = *next ? 1 + merge->placed[*next - 1] : 0;
    to = heap_view_add(&linked.view, &run);
    if (to == HEAP_GONE) {
        a->full = true;
        return;
    }
    linked.fresh |= UINT64_C(1) << to;
    link_to(a, &linked, goal->node, goal->field, to, goal->rest);
}

static void place_fresh(struct applying *a, const struct merge *merge, uint32_t node,
                        const struct goal *rest)
{
    struct merge placed;
    copy_merge(&placed, merge);
    struct heap_node made = a->effect->before.nodes[node];
    made.held = 0;
    for (uint32_t i = 0; i < a->shape->fields[made.pool]; i++)
        if (heap_is_reference(a->shape, made.pool, i))
            made.fields[i] = 0;
    const uint32_t at = heap_view_add(&placed.view, &made);
    if (at == HEAP_GONE) {
        a->full = true;
        return;
    }
    placed.placed[node] = at;
    placed.fresh |= UINT64_C(1) << at;
    link(a, &placed, node, 0, rest);
}

/* Anywhere: of the view's nodes, within its runs. */
static void place_anywhere(struct applying *a, const struct merge *merge, uint32_t node,
                           const struct goal *rest)
{
    const struct heap_node *wanted = &a->effect->before.nodes[node];
    const uint64_t shared = shared_nodes_of(a, merge);
    for (uint32_t i = 0; i < merge->view.count; i++) {
        const struct heap_node *there = &merge->view.nodes[i];
        if (there->own || (merge->fresh >> i & 1) || !heap_is_alike(a->shape, wanted, there) ||
            (shared >> i & 1) != (a->ready->shared >> node & 1))
            continue;
        if (there->run)
            place_in_run(a, merge, node, i, false, rest);
        else if (!is_taken(merge, i))
            place_at(a, merge, node, i, rest);
    }
}

/* A placed node of which a field leads to this one at once. */
static bool find_placed_before(const struct applying *a, const struct merge *merge, uint32_t node,
                               uint32_t *reference)
{
    const struct heap_view *before = &a->effect->before;
    for (uint32_t i = 0; i < before->count; i++) {
        const struct heap_node *there = &before->nodes[i];
        if (merge->placed[i] == NOT_PLACED || there->run ||
            (merge->fresh >> merge->placed[i] & 1)) /* whose fields may be still to be linked */
            continue;
        for (uint32_t j = 0; j < a->shape->fields[there->pool]; j++)
            if (heap_is_reference(a->shape, there->pool, j) && there->fields[j] == 1 + node) {
                *reference = merge->view.nodes[merge->placed[i]].fields[j];
                return true;
            }
    }
    return false;
}

static void place_goals(struct applying *a, const struct merge *merge, const struct goal *goals)
{
    if (a->full)
        return;
    if (!goals) {
        a->full = ++a->tried > MOST_TRIED;
        if (!a->full)
            happen(a, merge);
        return;
    }
    if (goals->node == LINKING) {
        finish_link(a, merge, (const struct link_goal *)goals);
        return;
    }
    const uint32_t node = goals->node;
    uint32_t reference;
    if (merge->placed[node] != NOT_PLACED) {
        place_goals(a, merge, goals->next);
        return;
    }
    const struct heap_node *wanted = &a->effect->before.nodes[node];
    if (wanted->own) {
        place_fresh(a, merge, node, goals->next);
    } else if (find_placed_before(a, merge, node, &reference)) {
        place_next(a, merge, node, reference, goals->next);
    } else {
        place_anywhere(a, merge, node, goals->next);
        if (!(a->ready->shared >> node & 1))
            place_fresh(a, merge, node, goals->next);
    }
}

struct heap_ready_effect *heap_effect_prepare(const struct heap_shape *shape,
                                              const struct heap_effect *effect, struct arena *arena)
{
    uint32_t words[HEAP_MOST_WORDS];
    struct heap_view seen;
    heap_view_copy(&seen, &effect->before);
    forget_locks(&seen);
    if (!heap_view_arrange(shape, &seen, NULL)) /* nodes that only a lock told apart */
        return NULL;
    const size_t count = heap_view_write(shape, &seen, words);
    struct heap_ready_effect *ready = arena_allocate(arena, sizeof *ready + count * sizeof *words);
    if (!ready)
        return NULL;
    ready->effect = *effect;
    ready->shared = heap_view_shared_nodes(shape, &effect->before);
    ready->count = (uint32_t)count;
    memcpy(ready->seen, words, count * sizeof *words);
    return ready;
}

bool heap_effect_apply(const struct heap_shape *shape, const struct heap_ready_effect *ready,
                       const struct heap_view *view, heap_effect_user *each, void *user)
{
    const struct heap_effect *effect = &ready->effect;
    struct applying a = {
        .shape = shape, .effect = effect, .ready = ready, .each = each, .user = user};
    struct merge merge;
    struct goal goals[HEAP_MOST_ROOTS];
    const struct heap_view *before = &effect->before;
    assert(view->root_count == shape->ghosts && view->observer == before->observer);
    heap_view_copy(&merge.view, view);
    merge.fresh = 0;
    for (uint32_t i = 0; i < HEAP_MOST_NODES; i++)
        merge.placed[i] = NOT_PLACED;
    for (size_t i = 0; i < shape->steps->shared_references.length; i++) {
        const uint32_t word = shape->steps->shared_references.items[i].slot;
        if (!before->shared[word])
            continue;
        const uint32_t node = before->shared[word] - 1, at = view->shared[word] - 1;
        if (before->nodes[node].held & view->nodes[at].held)
            return true;
        merge.placed[node] = at;
    }
    if (before->held & view->held)
        return true;
    for (uint32_t i = 0; i < before->root_count; i++)
        goals[i] =
            (struct goal){before->roots[i] - 1, i + 1 < before->root_count ? &goals[i + 1] : NULL};
    place_goals(&a, &merge, before->root_count ? goals : NULL);
    return !a.full;
}
