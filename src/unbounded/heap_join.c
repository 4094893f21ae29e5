/* Two threads see parts of one heap. What shared variables lead to both see, so these chains are
 * laid side by side, from the variables on: a node is a node, or one of a run; of two runs either
 * ends first, or both at once. What else the one that takes the step has seen, the other one sees
 * at any place that shared variables do not lead to, or not at all. */
#include "unbounded/heap_join.h"

#include <string.h>

#include "unbounded/heap_marks.h"

#define MOST_GOALS 96
#define NOWHERE    UINT32_MAX

/* How much of a run of the deed is to be laid beside something. */
enum rest {
    REST_WHOLE, /* the run, as it is; or a node */
    REST_MAYBE, /* some nodes of it were, maybe all */
    REST_SOME,  /* at least one is left */
};

enum goal_kind {
    GOAL_MEET,  /* the deed's reference is the view's */
    GOAL_PLACE, /* the deed's node is somewhere, or unseen */
    GOAL_LINK,  /* a field of an unseen node leads to what it leads to in the deed */
};

struct goal {
    enum goal_kind kind;
    enum rest rest;
    uint32_t deed, view; /* references */
    uint32_t node, field;
};

struct join {
    struct heap_view view;        /* with runs taken apart */
    uint32_t at[HEAP_MOST_NODES]; /* by node of the deed: of the view */
    uint64_t used;                /* nodes of the view that lie beside something */
    uint64_t unseen;              /* nodes that are new in the view */
    struct goal goals[MOST_GOALS];
    uint32_t goal_count;
};

struct joining {
    const struct heap_shape *shape;
    const struct heap_deed *deed;
    heap_joined *each;
    void *user;
    bool full;
};

static void solve(struct joining *all, struct join *join);

static uint64_t bit(uint32_t node)
{
    return UINT64_C(1) << node;
}

/* Copies all that there is, which is mostly little. */
static void copy_join(struct join *to, const struct join *from)
{
    heap_view_copy(&to->view, &from->view);
    memcpy(to->at, from->at, sizeof to->at);
    to->used = from->used;
    to->unseen = from->unseen;
    memcpy(to->goals, from->goals, from->goal_count * sizeof *to->goals);
    to->goal_count = from->goal_count;
}

static const struct heap_node *deed_node(const struct joining *all, uint32_t reference)
{
    return &all->deed->before.nodes[reference - 1];
}

static void push(struct joining *all, struct join *join, struct goal goal)
{
    if (join->goal_count == MOST_GOALS)
        all->full = true;
    else
        join->goals[join->goal_count++] = goal;
}

static void push_meeting(struct joining *all, struct join *join, uint32_t deed, enum rest rest,
                         uint32_t view)
{
    push(all, join, (struct goal){.kind = GOAL_MEET, .rest = rest, .deed = deed, .view = view});
}

/* A reference to a new node of the view; 0: no room. */
static uint32_t add(struct joining *all, struct join *join, const struct heap_node *node)
{
    if (join->view.count == HEAP_MOST_NODES) {
        all->full = true;
        return 0;
    }
    join->view.nodes[join->view.count] = *node;
    return ++join->view.count;
}

/* Cuts a run into two; a reference to the second. */
static uint32_t cut(struct joining *all, struct join *join, uint32_t run)
{
    const uint32_t second = add(all, join, &join->view.nodes[run]);
    struct heap_node *first = &join->view.nodes[run];
    first->fields[all->shape->link[first->pool]] = second;
    return second;
}

/* ---- side by side ---- */

/* Whether a node, or a run, of either can be the same. */
static bool fits(const struct joining *all, const struct join *join, uint32_t deed, uint32_t view)
{
    const struct heap_node *one = deed_node(all, deed), *other = &join->view.nodes[view - 1];
    return !(join->used & bit(view - 1)) && !one->own && !other->own &&
           !(one->held & other->held) && heap_same_values(all->shape, one, other);
}

/* Whether nothing of the deed's run need be left. */
static bool may_end(const struct joining *all, uint32_t deed, enum rest rest)
{
    const uint8_t run = deed ? deed_node(all, deed)->run : HEAP_ONE;
    return run && (rest == REST_MAYBE || (rest == REST_WHOLE && run == HEAP_ANY));
}

static bool may_be_empty(const struct join *join, uint32_t view)
{
    return view && join->view.nodes[view - 1].run == HEAP_ANY && !(join->used & bit(view - 1));
}

/* False only if a reference of the deed leads to something else than one of the view: that is seen
 * before anything is copied. */
static bool may_meet(const struct joining *all, const struct join *join, uint32_t deed,
                     enum rest rest, uint32_t view)
{
    if (may_end(all, deed, rest) || may_be_empty(join, view))
        return true;
    if (!deed || !view)
        return !deed && !view;
    if (!deed_node(all, deed)->run && join->at[deed - 1] != NOWHERE)
        return join->at[deed - 1] == view - 1;
    return fits(all, join, deed, view);
}

static void meet_nodes(struct joining *all, struct join *join, uint32_t deed, uint32_t view)
{
    if (join->at[deed - 1] != NOWHERE) {
        if (join->at[deed - 1] == view - 1)
            solve(all, join);
        return;
    }
    if (!fits(all, join, deed, view))
        return;
    const struct heap_node *one = deed_node(all, deed), *other = &join->view.nodes[view - 1];
    join->at[deed - 1] = view - 1;
    join->used |= bit(view - 1);
    for (uint32_t i = 0; i < all->shape->fields[one->pool]; i++)
        if (heap_is_reference(all->shape, one->pool, i))
            push_meeting(all, join, one->fields[i], REST_WHOLE, other->fields[i]);
    solve(all, join);
}

static void meet_runs(struct joining *all, struct join *join, uint32_t deed, uint32_t view)
{
    const uint32_t behind_deed = heap_link_of(all->shape, deed_node(all, deed)),
                   behind_view = heap_link_of(all->shape, &join->view.nodes[view - 1]);
    if (!fits(all, join, deed, view))
        return;
    const bool may_go_on = may_meet(all, join, behind_deed, REST_WHOLE, view);
    join->used |= bit(view - 1);
    if (may_meet(all, join, behind_deed, REST_WHOLE, behind_view)) {
        struct join both;
        copy_join(&both, join);
        push_meeting(all, &both, behind_deed, REST_WHOLE, behind_view);
        solve(all, &both);
    }
    if (may_go_on) {
        struct join longer;
        copy_join(&longer, join);
        push_meeting(all, &longer, behind_deed, REST_WHOLE, cut(all, &longer, view - 1));
        solve(all, &longer);
    }
    push_meeting(all, join, deed, REST_SOME, behind_view);
    solve(all, join);
}

/* What is left of the deed's run is not empty, and the view's is not. */
static void meet_there(struct joining *all, struct join *join, uint32_t deed, uint32_t view)
{
    struct heap_node *there = &join->view.nodes[view - 1];
    if (deed_node(all, deed)->run == HEAP_ONE) {
        if (there->run && may_meet(all, join, deed, REST_SOME, view)) {
            struct join more;
            copy_join(&more, join);
            more.view.nodes[view - 1].run = HEAP_SOME;
            (void)cut(all, &more, view - 1);
            more.view.nodes[view - 1].run = HEAP_ONE;
            meet_nodes(all, &more, deed, view);
            there->run = HEAP_ONE;
        }
        meet_nodes(all, join, deed, view);
    } else if (there->run) {
        there->run = HEAP_SOME;
        meet_runs(all, join, deed, view);
    } else if (fits(all, join, deed, view)) {
        join->used |= bit(view - 1);
        push_meeting(all, join, deed, REST_MAYBE, heap_link_of(all->shape, there));
        solve(all, join);
    }
}

static void meet(struct joining *all, struct join *join, uint32_t deed, enum rest rest,
                 uint32_t view)
{
    if (may_end(all, deed, rest)) {
        const uint32_t behind = heap_link_of(all->shape, deed_node(all, deed));
        if (may_meet(all, join, behind, REST_WHOLE, view)) {
            struct join ended;
            copy_join(&ended, join);
            meet(all, &ended, behind, REST_WHOLE, view);
        }
        rest = REST_SOME;
    }
    if (may_be_empty(join, view)) {
        const uint32_t behind = heap_link_of(all->shape, &join->view.nodes[view - 1]);
        if (may_meet(all, join, deed, rest, behind)) {
            struct join empty;
            copy_join(&empty, join);
            empty.used |= bit(view - 1);
            heap_leave_out(all->shape, &empty.view, view - 1);
            meet(all, &empty, deed, rest, behind);
        }
    }
    if (deed && view)
        meet_there(all, join, deed, view);
    else if (!deed && !view)
        solve(all, join);
}

/* ---- what shared variables do not lead to ---- */

/* The goal that is given, with each place of the view for what its reference leads to. What shared
 * variables lead to lies beside something by now. */
static void try_places(struct joining *all, const struct join *join, const struct goal *goal)
{
    for (uint32_t i = 0; i < join->view.count; i++) {
        const struct heap_node *there = &join->view.nodes[i];
        if (((join->used | join->unseen) & bit(i)) || there->own)
            continue;
        for (int inside = 0; inside <= (there->run != HEAP_ONE); inside++) {
            struct join placed;
            copy_join(&placed, join);
            uint32_t at = 1 + i;
            if (there->run)
                placed.view.nodes[i].run = HEAP_SOME;
            if (inside && !(at = cut(all, &placed, i)))
                continue;
            if (goal->kind == GOAL_LINK)
                placed.view.nodes[goal->node].fields[goal->field] = at;
            push_meeting(all, &placed, goal->deed, goal->kind == GOAL_LINK ? REST_SOME : REST_WHOLE,
                         at);
            solve(all, &placed);
        }
    }
}

static void forget_links(const struct joining *all, struct heap_node *node)
{
    node->held = 0;
    for (uint32_t i = 0; i < all->shape->fields[node->pool]; i++)
        if (heap_is_reference(all->shape, node->pool, i))
            node->fields[i] = 0;
}

/* A node of the deed that the view does not have. */
static void place_unseen(struct joining *all, struct join *join, uint32_t deed)
{
    struct heap_node node = *deed_node(all, deed);
    forget_links(all, &node);
    const uint32_t added = add(all, join, &node);
    if (!added)
        return;
    join->at[deed - 1] = added - 1;
    join->unseen |= bit(added - 1);
    for (uint32_t i = 0; i < all->shape->fields[node.pool]; i++)
        if (heap_is_reference(all->shape, node.pool, i))
            push(all, join,
                 (struct goal){.kind = GOAL_LINK,
                               .deed = deed_node(all, deed)->fields[i],
                               .node = added - 1,
                               .field = i});
    solve(all, join);
}

static void place_node(struct joining *all, struct join *join, const struct goal *goal)
{
    if (join->at[goal->deed - 1] == NOWHERE) {
        if (!deed_node(all, goal->deed)->own)
            try_places(all, join, goal);
        place_unseen(all, join, goal->deed);
    } else {
        solve(all, join);
    }
}

/* A run behind a node that the view does not have: it may have none of it, or what is behind some
 * of its nodes. */
static void link_run(struct joining *all, struct join *join, const struct goal *goal)
{
    const struct heap_node *run = deed_node(all, goal->deed);
    struct goal behind = *goal;
    behind.deed = heap_link_of(all->shape, run);
    behind.rest = REST_WHOLE;
    if (run->run == HEAP_ANY || goal->rest == REST_MAYBE) {
        struct join ended;
        copy_join(&ended, join);
        push(all, &ended, behind);
        solve(all, &ended);
    }
    try_places(all, join, goal);
    if (goal->rest == REST_MAYBE)
        return;
    struct heap_node unseen = *run;
    unseen.run = HEAP_SOME;
    forget_links(all, &unseen);
    const uint32_t added = add(all, join, &unseen);
    if (!added)
        return;
    join->unseen |= bit(added - 1);
    join->view.nodes[goal->node].fields[goal->field] = added;
    push(all, join,
         (struct goal){.kind = GOAL_LINK,
                       .rest = REST_MAYBE,
                       .deed = goal->deed,
                       .node = added - 1,
                       .field = (uint32_t)all->shape->link[run->pool]});
    solve(all, join);
}

static void link_unseen(struct joining *all, struct join *join, const struct goal *goal)
{
    if (goal->deed && deed_node(all, goal->deed)->run) {
        link_run(all, join, goal);
        return;
    }
    uint32_t *field = &join->view.nodes[goal->node].fields[goal->field];
    if (goal->deed && join->at[goal->deed - 1] == NOWHERE) {
        push(all, join, *goal);
        push(all, join, (struct goal){.kind = GOAL_PLACE, .deed = goal->deed});
    } else {
        *field = goal->deed ? 1 + join->at[goal->deed - 1] : 0;
    }
    solve(all, join);
}

/* ---- the step ---- */

static uint32_t word_of_value(const struct joining *all, uint32_t pool)
{
    const struct lin_value_slots *values = &all->shape->steps->pools[pool].values;
    return values->count ? values->items[0] - 1 : UINT32_MAX;
}

/* Whether a node is met behind another one, along links. */
static bool is_behind(const struct joining *all, const struct heap_view *view, uint32_t node,
                      uint32_t front)
{
    uint32_t at = front;
    for (uint32_t i = 0; i < view->count; i++) {
        const uint32_t to = heap_link_of(all->shape, &view->nodes[at]);
        if (!to)
            return false;
        at = to - 1;
        if (at == node)
            return true;
    }
    return false;
}

/* The lowest value is marked where the first one is inside: one that would be lower, and is not
 * above it, is none that was called before. */
static bool is_below_lowest(const struct joining *all, const struct heap_view *view, uint32_t root)
{
    bool is_below = false;
    for (uint32_t i = 0; i < view->count; i++) {
        const uint32_t field = word_of_value(all, view->nodes[i].pool);
        const uint32_t word = field == UINT32_MAX ? 0 : view->nodes[i].fields[field];
        if ((word == HEAP_VALUE_LOWEST || word == HEAP_VALUE_BOTH) && i != root)
            is_below |= is_behind(all, view, root, i) && !is_behind(all, view, i, root);
    }
    return is_below;
}

/* Where values are marked: whether a thread that has put its value into a node, or chosen that of
 * one, can see such a step. Notes that its value is taken, or below the lowest one. */
static bool is_possible(const struct joining *all, struct join *join)
{
    const struct heap_deed *deed = all->deed;
    struct heap_view *view = &join->view;
    const uint32_t root = view->roots[0];
    if (root == 0)
        return true;
    for (uint32_t i = 0; i < deed->count; i++) {
        const struct heap_written *written = &deed->written[i];
        const bool is_inside =
            written->value == HEAP_VALUE_INSIDE || written->value == HEAP_VALUE_BOTH;
        if (!written->is_shared && is_inside && join->at[written->node] == root - 1 &&
            written->word == word_of_value(all, view->nodes[root - 1].pool))
            return false; /* a value comes to be inside once, and by its own call */
    }
    const bool is_taken = deed->taken && join->at[deed->taken - 1] == root - 1;
    if (is_taken && !(view->promise & HEAP_MARKED_BRINGS))
        return false; /* a value is taken once, by who has chosen it */
    if (is_taken || (all->shape->marks == HEAP_MARKS_LOWEST && deed->before.observer == 0 &&
                     deed->observer == 1 && is_below_lowest(all, view, root - 1))) {
        view->promise = 0; /* it will not be marked */
        view->roots[0] = 0;
    }
    return true;
}

static void write_words(struct joining *all, struct join *join)
{
    struct heap_view *view = &join->view;
    view->observer = all->deed->observer;
    for (uint32_t i = 0; i < all->deed->count; i++) {
        const struct heap_written *written = &all->deed->written[i];
        const uint32_t word = written->is_reference && written->value
                                  ? 1 + join->at[written->value - 1]
                                  : written->value;
        if (written->is_shared) {
            view->shared[written->word] = word;
            view->held &= ~(UINT32_C(1) << written->word);
        } else {
            struct heap_node *node = &view->nodes[join->at[written->node]];
            node->fields[written->word] = word;
            node->held &= (uint8_t) ~(1u << written->word);
        }
    }
    for (uint32_t i = 0; i < view->count; i++)
        if (join->unseen & bit(i))
            view->nodes[i].own = false;
    if (!all->shape->marks || is_possible(all, join))
        all->each(all->user, view);
}

static void solve(struct joining *all, struct join *join)
{
    if (all->full)
        return;
    if (join->goal_count == 0) {
        write_words(all, join);
        return;
    }
    const struct goal goal = join->goals[--join->goal_count];
    switch (goal.kind) {
    case GOAL_MEET:
        meet(all, join, goal.deed, goal.rest, goal.view);
        break;
    case GOAL_PLACE:
        place_node(all, join, &goal);
        break;
    case GOAL_LINK:
        link_unseen(all, join, &goal);
        break;
    }
}

bool heap_join(const struct heap_shape *shape, const struct heap_deed *deed,
               const struct heap_view *view, heap_joined *each, void *user)
{
    struct joining all = {.shape = shape, .deed = deed, .each = each, .user = user};
    struct join join;
    const struct lin_steps *steps = shape->steps;
    heap_view_copy(&join.view, view);
    join.used = join.unseen = 0;
    join.goal_count = 0;
    for (uint32_t i = 0; i < HEAP_MOST_NODES; i++)
        join.at[i] = NOWHERE;
    for (uint32_t i = 0; i < deed->before.root_count; i++)
        push(&all, &join, (struct goal){.kind = GOAL_PLACE, .deed = deed->before.roots[i]});
    for (uint32_t i = 0; i < steps->heap_first; i++) {
        bool is_reference = false;
        for (size_t j = 0; j < steps->shared_references.length; j++)
            is_reference |= steps->shared_references.items[j].slot == i;
        if (is_reference)
            push_meeting(&all, &join, deed->before.shared[i], REST_WHOLE, view->shared[i]);
        else if (deed->before.shared[i] != view->shared[i] && !(shape->private_locks >> i & 1))
            return true;
    }
    if (!(deed->before.held & view->held))
        solve(&all, &join);
    return !all.full;
}
