#include "unbounded/heap_marked.h"

#define ADDS_ONLY (1u << METHOD_ADDS)

struct marking {
    const struct heap_shape *shape;
    const struct method_roles *roles;
    const struct thread_move *settled;
    const struct heap_marked_user *user;
    enum heap_marked_failure failure;
};

/* A way in which a step may be. */
struct way {
    struct heap_step step; /* its views are those below */
    struct heap_view before, after;
    uint32_t marked, promise; /* behind it */
    uint32_t root;            /* likewise */
};

static void copy_way(struct way *to, const struct way *from)
{
    to->step = from->step;
    heap_view_copy(&to->before, &from->before);
    heap_view_copy(&to->after, &from->after);
    to->marked = from->marked;
    to->promise = from->promise;
    to->root = from->root;
    to->step.before = &to->before;
    to->step.after = &to->after;
}

static void fail(struct marking *marking, enum heap_marked_failure failure)
{
    if (marking->failure == HEAP_MARKED_PROVED)
        marking->failure = failure;
}

static uint32_t value_at(const struct heap_shape *shape, const struct heap_view *view,
                         uint32_t node)
{
    struct heap_node copy = view->nodes[node];
    const uint32_t *word = heap_value_of(shape, &copy);
    return word ? *word : 0;
}

static void set_value(const struct marking *marking, struct way *way, uint32_t node, uint32_t word)
{
    *heap_value_of(marking->shape, &way->after.nodes[node]) = word;
}

static void end_way(struct marking *marking, struct way *way)
{
    const bool runs = way->after.thread[LIN_THREAD_AT] != 0;
    way->after.roots[0] = runs ? way->root : 0;
    if (marking->failure == HEAP_MARKED_PROVED)
        marking->user->each(marking->user->user, &way->step, way->marked, runs ? way->promise : 0);
}

/* ---- operations that bring values ---- */

static uint32_t link_of(const struct heap_shape *shape, const struct heap_view *view, uint32_t node)
{
    const int32_t link = shape->link[view->nodes[node].pool];
    return link < 0 ? 0 : view->nodes[node].fields[link];
}

/* The lowest value is in a run. */
static void end_in_run(struct marking *marking, const struct way *way, uint32_t node, uint32_t run)
{
    const bool any = way->after.nodes[run].run == HEAP_ANY;
    if (way->before.count != way->after.count) {
        fail(marking, HEAP_MARKED_NO_ROOM); /* the step has made nodes */
        return;
    }
    for (unsigned i = any ? 2 : 0; i < 4; i++) {
        struct way apart;
        copy_way(&apart, way);
        const uint32_t at = heap_view_split(marking->shape, &apart.before, run, i >> 1, i & 1);
        if (at == HEAP_GONE ||
            heap_view_split(marking->shape, &apart.after, run, i >> 1, i & 1) != at) {
            fail(marking, HEAP_MARKED_NO_ROOM);
            return;
        }
        set_value(marking, &apart, node, HEAP_VALUE_INSIDE);
        set_value(marking, &apart, at, HEAP_VALUE_LOWEST);
        end_way(marking, &apart);
    }
}

/* The first value that is inside: it is the lowest one, or one below it is. */
static void end_first(struct marking *marking, const struct way *way, uint32_t node)
{
    struct way marked;
    uint64_t met = UINT64_C(1) << node;
    copy_way(&marked, way);
    set_value(marking, &marked, node, HEAP_VALUE_BOTH);
    end_way(marking, &marked);
    for (uint32_t next = link_of(marking->shape, &way->after, node);
         next && !(met >> (next - 1) & 1); next = link_of(marking->shape, &way->after, next - 1)) {
        met |= UINT64_C(1) << (next - 1);
        if (value_at(marking->shape, &way->after, next - 1) != HEAP_VALUE_PLAIN)
            continue;
        if (way->after.nodes[next - 1].run) {
            end_in_run(marking, way, node, next - 1);
            continue;
        }
        copy_way(&marked, way);
        set_value(marking, &marked, node, HEAP_VALUE_INSIDE);
        set_value(marking, &marked, next - 1, HEAP_VALUE_LOWEST);
        end_way(marking, &marked);
    }
}

/* Its value is marked: surely inside from here on. */
static void end_bringing(struct marking *marking, struct way *way)
{
    const uint64_t shared = heap_view_shared_nodes(marking->shape, &way->after);
    if (!way->root || !(shared >> (way->root - 1) & 1)) {
        fail(marking, HEAP_MARKED_LOST);
        return;
    }
    const uint32_t node = way->root - 1, word = value_at(marking->shape, &way->after, node);
    if (way->marked++ == HEAP_MOST_MARKED)
        return; /* two are always enough */
    if (marking->shape->marks == HEAP_MARKS_LOWEST && way->marked == 1) {
        end_first(marking, way, node);
        return;
    }
    set_value(marking, way, node, word == HEAP_VALUE_LOWEST ? HEAP_VALUE_BOTH : HEAP_VALUE_INSIDE);
    end_way(marking, way);
}

static void go_on_bringing(struct marking *marking, struct way *way)
{
    if (way->step.stored && (way->promise & HEAP_MARKED_BRINGS)) {
        if (way->promise & HEAP_MARKED_STORED)
            fail(marking, HEAP_MARKED_MISPLACED);
        way->promise |= HEAP_MARKED_STORED;
        way->root = way->step.stored;
    }
    end_way(marking, way);
    if (way->step.move.answer != ANSWER_NONE && (way->promise & HEAP_MARKED_BRINGS))
        end_bringing(marking, way);
}

/* ---- operations that take values ---- */

/* It is settled that it takes the value of a node. */
static void settle(struct marking *marking, struct way *way, bool *goes_on)
{
    const uint32_t node = heap_node_of_name(marking->settled->result);
    if (way->promise & HEAP_MARKED_SETTLED)
        fail(marking, HEAP_MARKED_TWICE);
    if (!heap_is_name_of_value(marking->settled->result) || node >= way->after.count ||
        way->after.nodes[node].run) {
        fail(marking, HEAP_MARKED_OPEN);
        return;
    }
    const uint32_t word = value_at(marking->shape, &way->after, node);
    if (way->root)
        *goes_on = way->root == 1 + node; /* else it has not chosen what it takes */
    else
        *goes_on = !heap_is_inside(word) && word != HEAP_VALUE_LOWEST; /* it was called later */
    if (*goes_on && word == HEAP_VALUE_LOWEST)
        fail(marking, HEAP_MARKED_BREAKS);
    way->promise |= HEAP_MARKED_SETTLED;
    way->root = 0;
    way->step.taken = 1 + node;
}

static void go_on_taking(struct marking *marking, struct way *way)
{
    const struct thread_move *move = &way->step.move, *settled = marking->settled;
    bool goes_on = true;
    if (settled && settled->answer == ANSWER_NONE)
        fail(marking, HEAP_MARKED_OPEN);
    if (settled && settled->answer == ANSWER_VALUED)
        settle(marking, way, &goes_on);
    if (!goes_on)
        return;
    if (move->answer == ANSWER_VALUED && !(way->promise & HEAP_MARKED_SETTLED))
        fail(marking, HEAP_MARKED_NOTHING);
    if (move->answer == ANSWER_PLAIN) {
        if (way->promise & HEAP_MARKED_SETTLED)
            fail(marking, HEAP_MARKED_OTHER);
        if (way->root)
            return; /* it takes nothing, so that it has chosen nothing */
        if (way->promise & HEAP_MARKED_COVERED)
            fail(marking, HEAP_MARKED_BREAKS);
    }
    end_way(marking, way);
}

/* It is called. From then on what it has chosen is inside no more. */
static void call_taking(struct marking *marking, const struct way *way, uint32_t chosen)
{
    const struct heap_shape *shape = marking->shape;
    const bool covers = shape->marks == HEAP_MARKS_COVER;
    struct way called;
    copy_way(&called, way);
    called.root = chosen;
    if (chosen) {
        const uint32_t word = value_at(shape, &called.after, chosen - 1);
        if (!heap_is_inside(word) || (--called.marked == 0 && !covers))
            return; /* something is inside, as long as what is lowest is */
        set_value(marking, &called, chosen - 1,
                  word == HEAP_VALUE_BOTH ? HEAP_VALUE_LOWEST : HEAP_VALUE_PLAIN);
    }
    called.promise = covers && called.marked > 0 ? HEAP_MARKED_COVERED : 0;
    go_on_taking(marking, &called);
}

/* ---- steps ---- */

enum heap_marked_failure heap_marked_step(const struct heap_shape *shape,
                                          const struct method_roles *roles,
                                          const struct heap_step *step,
                                          const struct thread_move *settled,
                                          const struct heap_marked_user *user)
{
    struct marking marking = {shape, roles, settled, user, HEAP_MARKED_PROVED};
    const struct thread_move *move = &step->move;
    const bool adds = method_roles_of(roles, move->operation) == ADDS_ONLY;
    struct way way;
    way.step = *step;
    heap_view_copy(&way.before, step->before);
    heap_view_copy(&way.after, step->after);
    way.step.before = &way.before;
    way.step.after = &way.after;
    way.marked = step->before->observer;
    way.promise = move->calls ? 0 : step->before->promise;
    way.root = move->calls ? 0 : step->before->roots[0];
    if (method_roles_forbid(roles, move) ||
        (settled && settled->answer != ANSWER_NONE && method_roles_forbid(roles, settled)))
        return HEAP_MARKED_ANSWER;
    if (step->misplaces || (step->stored && !adds))
        return HEAP_MARKED_MISPLACED;
    if (adds) {
        if (move->calls)
            way.promise = HEAP_MARKED_BRINGS;
        go_on_bringing(&marking, &way);
        return marking.failure;
    }
    if (!move->calls) {
        go_on_taking(&marking, &way);
        return marking.failure;
    }
    for (uint32_t chosen = 0; chosen <= step->before->count; chosen++)
        if (chosen == 0 || heap_is_inside(value_at(shape, step->before, chosen - 1)))
            call_taking(&marking, &way, chosen);
    return marking.failure;
}

/* ---- views ---- */

bool heap_marked_is_whole(const struct heap_shape *shape, const struct heap_view *view)
{
    const uint64_t shared = heap_view_shared_nodes(shape, view);
    uint32_t inside = 0;
    for (uint32_t i = 0; i < view->count; i++)
        inside += (shared >> i & 1) && heap_is_inside(value_at(shape, view, i));
    return inside == view->observer;
}

/* Which nodes the links of one lead to. */
static uint64_t below(const struct heap_shape *shape, const struct heap_view *view, uint32_t node)
{
    uint64_t met = 0;
    for (uint32_t next = link_of(shape, view, node); next && !(met >> (next - 1) & 1);
         next = link_of(shape, view, next - 1))
        met |= UINT64_C(1) << (next - 1);
    return met;
}

/* Whether a node is below the lowest value, and is not above it. */
static bool is_lower(const struct heap_shape *shape, const struct heap_view *view, uint32_t node)
{
    for (uint32_t i = 0; i < view->count; i++) {
        const uint32_t word = value_at(shape, view, i);
        if ((word == HEAP_VALUE_LOWEST || word == HEAP_VALUE_BOTH) && i != node)
            return (below(shape, view, i) >> node & 1) && !(below(shape, view, node) >> i & 1);
    }
    return false;
}

bool heap_marked_happens(const struct heap_shape *shape, uint64_t inside, uint32_t taken,
                         bool begins, struct heap_view *view)
{
    const uint32_t root = view->roots[0];
    const bool is_taken = root && taken == root, brings = view->promise & HEAP_MARKED_BRINGS;
    if (root && (inside >> (root - 1) & 1))
        return false; /* it is another one's, and it was inside before it was chosen */
    if (is_taken && !brings)
        return false; /* what has chosen it takes it */
    if (is_taken || (root && begins && is_lower(shape, view, root - 1)))
        view->promise = view->roots[0] = 0;
    return true;
}
