/* Explains why a stack allows no order of a history: finds a small set of values that block one
 * another.
 *
 * Where the elimination cannot go on, each value left has an operation whose every moment is
 * critical for others that are left. From one value on, collect the others that cover such an
 * operation of it, the farthest reaching first, then those that cover an operation of these, and so
 * on: the set where this ends cannot be eliminated by itself. Several starts are tried, the
 * smallest set is kept, and of a small one every value is left out that need not be there. */
#include "monitor/stack.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

enum {
    MOST_STARTS = 64,
    MOST_MEMBERS = 64,   /* of a set; beyond that all values left are shown */
    MOST_MINIMISED = 16, /* leaving out takes the fifth power of it */
    MOST_NAMED = 5,
};

struct members {
    uint32_t items[MOST_MEMBERS];
    uint32_t count;
};

struct conflict {
    struct stacking *stacking;
    uint32_t *reach; /* by moment: of the values left that are critical from it or earlier on, the
                        one that is so the longest; ELEMENT_NONE if there is none */
    uint32_t moments;
};

static const struct piece *piece_of(const struct conflict *conflict, uint32_t element)
{
    return &conflict->stacking->elimination.pieces[element];
}

static bool conflict_init(struct conflict *conflict, struct stacking *stacking)
{
    *conflict = (struct conflict){.stacking = stacking, .moments = stacking->moments.count};
    conflict->reach =
        memory_allocate(stacking->limits->budget, conflict->moments * sizeof(uint32_t));
    if (!conflict->reach)
        return false;
    uint32_t *reach = conflict->reach;
    for (uint32_t moment = 0; moment < conflict->moments; moment++)
        reach[moment] = ELEMENT_NONE;
    for (uint32_t i = 0; i < stacking->elimination.count; i++) {
        const struct piece *piece = piece_of(conflict, i);
        uint32_t moment = piece->stay.add_last + 1;
        if (piece_is_left(piece) &&
            (reach[moment] == ELEMENT_NONE ||
             piece_of(conflict, reach[moment])->stay.remove_first < piece->stay.remove_first))
            reach[moment] = i;
    }
    for (uint32_t moment = 1; moment < conflict->moments; moment++)
        if (reach[moment] == ELEMENT_NONE ||
            (reach[moment - 1] != ELEMENT_NONE &&
             piece_of(conflict, reach[moment - 1])->stay.remove_first >
                 piece_of(conflict, reach[moment])->stay.remove_first))
            reach[moment] = reach[moment - 1];
    return true;
}

static void conflict_release(struct conflict *conflict)
{
    memory_release(conflict->stacking->limits->budget, conflict->reach,
                   conflict->moments * sizeof(uint32_t));
}

/* The first moment from `moment` on that is critical for no member but `except`; bit i of `which`
 * says whether items[i] counts. */
static uint32_t first_uncovered(const struct conflict *conflict, const struct members *members,
                                uint64_t which, uint32_t except, uint32_t moment)
{
    for (uint32_t i = 0; i < members->count; i++) {
        const struct stay *stay = &piece_of(conflict, members->items[i])->stay;
        if ((which >> i & 1) && members->items[i] != except && stay->add_last < moment &&
            moment < stay->remove_first) {
            moment = stay->remove_first;
            i = UINT32_MAX; /* another one may go on from there */
        }
    }
    return moment;
}

/* Covers the moments first .. last of an operation of `element`, with members where possible.
 * Returns how many others that takes; appends them if `add`. */
static uint32_t cover(const struct conflict *conflict, struct members *members, uint32_t element,
                      uint32_t first, uint32_t last, bool add)
{
    uint32_t others = 0;
    for (uint32_t moment = first;;) {
        moment = first_uncovered(conflict, members, UINT64_MAX, element, moment);
        if (moment > last)
            return others;
        uint32_t other = conflict->reach[moment];
        assert(other != ELEMENT_NONE && other != element);
        others++;
        if (add && members->count == MOST_MEMBERS)
            return others;
        if (add)
            members->items[members->count++] = other;
        moment = piece_of(conflict, other)->stay.remove_first;
    }
}

/* Closes the set that begins with `start`; false if it becomes larger than `most`. */
static bool close_members(const struct conflict *conflict, uint32_t start, uint32_t most,
                          struct members *members)
{
    members->items[0] = start;
    members->count = 1;
    for (uint32_t i = 0; i < members->count && members->count <= most; i++) {
        uint32_t element = members->items[i];
        const struct piece *piece = piece_of(conflict, element);
        const struct stay *stay = &piece->stay;
        bool add = piece->add_at == MOMENT_NONE;
        if (add && piece->remove_at == MOMENT_NONE)
            add = cover(conflict, members, element, stay->add_first, stay->add_last, false) <=
                  cover(conflict, members, element, stay->remove_first, stay->remove_last, false);
        uint32_t room = MOST_MEMBERS - members->count;
        if (cover(conflict, members, element, add ? stay->add_first : stay->remove_first,
                  add ? stay->add_last : stay->remove_last, true) > room)
            return false;
    }
    return members->count <= most;
}

/* What is left of the members in `which` after elimination among themselves. */
static uint64_t eliminate(const struct conflict *conflict, const struct members *members,
                          uint64_t which)
{
    const uint32_t end = conflict->moments - 1;
    for (uint32_t i = 0; i < members->count; i++) {
        if (!(which >> i & 1))
            continue;
        const struct piece *piece = piece_of(conflict, members->items[i]);
        const struct stay *stay = &piece->stay;
        bool removed = piece_is_removed(&conflict->stacking->values, members->items[i]);
        if (first_uncovered(conflict, members, which, members->items[i], stay->add_first) <=
                stay->add_last &&
            first_uncovered(conflict, members, which, members->items[i], stay->remove_first) <=
                (removed ? stay->remove_last : end)) {
            which &= ~(UINT64_C(1) << i);
            i = UINT32_MAX; /* those before it may be free now */
        }
    }
    return which;
}

static void minimise(const struct conflict *conflict, struct members *members)
{
    uint64_t which = (UINT64_C(1) << members->count) - 1;
    for (uint32_t i = 0; i < members->count; i++) {
        if (!(which >> i & 1))
            continue;
        uint64_t rest = eliminate(conflict, members, which & ~(UINT64_C(1) << i));
        if (rest)
            which = rest;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < members->count; i++)
        if (which >> i & 1)
            members->items[kept++] = members->items[i];
    members->count = kept;
}

/* Fills `members` with a small stuck set; with all that is left if that is small, with nothing if
 * no small set is found. */
static void find_members(const struct conflict *conflict, struct members *members)
{
    const struct elimination *elimination = &conflict->stacking->elimination;
    uint32_t stride = elimination->left / MOST_STARTS + 1, next = 0;
    members->count = 0;
    for (uint32_t i = 0; i < elimination->count; i++) {
        if (!piece_is_left(&elimination->pieces[i]) || next++ % stride > 0)
            continue;
        struct members found;
        uint32_t most = members->count ? members->count - 1 : MOST_MEMBERS;
        if (close_members(conflict, i, most, &found))
            *members = found;
    }
    if (members->count <= MOST_MINIMISED)
        minimise(conflict, members);
}

static int compare_adds(const void *context_a, const void *context_b)
{
    const struct element *a = *(const struct element *const *)context_a;
    const struct element *b = *(const struct element *const *)context_b;
    return (a->add_response > b->add_response) - (a->add_response < b->add_response);
}

static void name_members(const struct values *values, const struct element *const *elements,
                         uint32_t count, struct text *reason)
{
    for (uint32_t i = 0; i < count && i < MOST_NAMED; i++) {
        text_append(reason, i == 0 ? "" : i + 1 == count ? " and " : ", ");
        values_print(values, elements[i], reason);
    }
    if (count > MOST_NAMED)
        text_format(reason, " and %" PRIu32 " others", count - MOST_NAMED);
}

/* Two values a and b can block one another in one way only: push a, push b, pop a, pop b. `kept`:
 * some of the values are never popped. */
static void describe(const struct values *values, const struct element *const *elements,
                     uint32_t count, bool kept, struct text *reason)
{
    if (count == 2) {
        text_append(reason, "value ");
        values_print(values, elements[0], reason);
        text_append(reason, " was popped while value ");
        values_print(values, elements[1], reason);
        text_append(reason, kept ? ", pushed after it and never popped, was above it"
                                 : ", pushed after it, was still above it");
    } else {
        text_append(reason, "whichever of the values ");
        name_members(values, elements, count, reason);
        text_append(reason, " was pushed first had to be pushed and popped while none of the "
                            "others was on the stack, but for each of them some were there "
                            "throughout its push or its pop");
    }
    if (kept && values->pending_remove_count > 0)
        text_append(reason, ", whatever the pending pops took");
}

/* Reason and evidence for `count` elements, which get sorted by the ends of their pushes. */
static bool report(struct stacking *stacking, const struct element **elements, uint32_t count)
{
    struct decision *decision = stacking->decision;
    bool kept = false;
    uint32_t last = 0;
    qsort(elements, count, sizeof *elements, compare_adds);
    for (uint32_t i = 0; i < count; i++) {
        if (!values_show(elements[i], decision))
            return false;
        if (elements[i]->remove_response == POSITION_NEVER)
            kept = true;
        else if (elements[i]->remove_response > last)
            last = elements[i]->remove_response;
    }
    describe(&stacking->values, elements, count, kept, &decision->reason);
    return !kept || values_show_removals(&stacking->values, last, decision);
}

static bool report_all_left(struct stacking *stacking)
{
    const struct elimination *elimination = &stacking->elimination;
    const struct element **elements =
        arena_allocate(&stacking->values.arena, elimination->left * sizeof *elements);
    if (!elements)
        return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < elimination->count; i++)
        if (piece_is_left(&elimination->pieces[i]))
            elements[count++] = &stacking->values.elements.items[i];
    return report(stacking, elements, count);
}

enum step stacking_explain(struct stacking *stacking)
{
    struct conflict conflict;
    if (!conflict_init(&conflict, stacking))
        return STEP_REFUSED;
    struct members members;
    find_members(&conflict, &members);
    conflict_release(&conflict);
    const struct element *elements[MOST_MEMBERS];
    for (uint32_t i = 0; i < members.count; i++)
        elements[i] = &stacking->values.elements.items[members.items[i]];
    bool reported =
        members.count > 0 ? report(stacking, elements, members.count) : report_all_left(stacking);
    return step_violation(reported);
}

enum step stacking_explain_pending(struct stacking *stacking)
{
    return values_explain_pending(&stacking->values, stacking->decision,
                                  ", the values that were popped, and the pops that found the "
                                  "stack empty, were not last in, first out");
}
