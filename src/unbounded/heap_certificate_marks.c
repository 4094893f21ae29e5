#include "unbounded/heap_certificate_marks.h"

#include <string.h>

/* ---- automata ---- */

/* A letter's side, as the file has it. */
struct side {
    const struct alphabet *alphabet;
    uint32_t letter, colour;
    enum method_role role;
    bool returns;
};

/* Side `number` of all, from 0; false behind the last. */
static bool find_side(const struct alphabet *alphabet, uint32_t number, struct side *side)
{
    *side = (struct side){.alphabet = alphabet,
                          .letter = number / 2,
                          .colour = 1 + number / 2 % VIOLATION_COLOURS,
                          .returns = number % 2};
    if (side->letter >= alphabet->letters)
        return false;
    side->role = alphabet->roles->object->methods[alphabet->method[side->letter]].role;
    return true;
}

static uint32_t behind(const struct side *side, uint32_t state)
{
    const struct violation_automaton *automaton = side->alphabet->automaton;
    return automaton->next[violation_automaton_at(automaton, state,
                                                  side->returns ? VIOLATION_RETURN : VIOLATION_CALL,
                                                  side->letter / VIOLATION_COLOURS, side->colour)];
}

static bool has_marks_or_asks(const struct alphabet *alphabet)
{
    const struct violation_automaton *automaton = alphabet->automaton;
    struct side side;
    bool has = automaton->single || alphabet->roles->object->values_are_processes;
    for (uint32_t i = 0; i < automaton->method_count; i++)
        has |= automaton->unmarked[i] != i;
    for (uint32_t i = 0; find_side(alphabet, i, &side); i++)
        has |= side.role == METHOD_ASKS;
    return has;
}

const char *certificate_needs_points(const struct alphabet *alphabet)
{
    const struct violation_automaton *automaton = alphabet->automaton;
    struct side side;
    if (has_marks_or_asks(alphabet))
        return "an automaton reads operations in several ways";
    for (uint32_t i = 0; find_side(alphabet, i, &side); i++) {
        bool moves = false, reads = false;
        for (uint32_t s = 0; s < automaton->state_count; s++) {
            const uint32_t to = behind(&side, s);
            if (automaton->accepting[s] && to != s)
                return "an automaton takes back what it has accepted";
            if (automaton->accepting[s])
                continue;
            reads |= to != VIOLATION_DEAD;
            moves |= to != s;
        }
        if (side.role == METHOD_EMPTY && moves)
            return "an automaton reads what finds nothing";
        if (side.role == METHOD_ANSWERS && !side.returns && moves && reads)
            return "an automaton reads where an operation that takes a value is called";
    }
    return NULL;
}

/* How far a history has come to break a rule; -1 in `marked[0]`: it cannot any more. */
struct progress {
    int marked[3]; /* by colour, values that are inside; 0: unused */
    int stage;     /* 0: not begun, 1: begun, 2: nothing of colour 1 may come, 3: broken */
};

static const struct progress hopeless = {.marked = {-1}};

/* A cover of one operation that finds nothing, of colour 2, by values of colour 1. */
static struct progress go_on_covering(struct progress at, const struct side *side)
{
    const bool one = side->colour == 1;
    if (at.stage == 3)
        return at;
    if (side->role == METHOD_ADDS && one && side->returns) {
        at.marked[1]++;
        return at.marked[1] > at.stage + 1 ? hopeless : at;
    }
    if (side->role == METHOD_ANSWERS && one && !side->returns) {
        at.marked[1]--;
        return at.marked[1] < 1 ? hopeless : at;
    }
    if (side->role != METHOD_EMPTY || side->colour != 2)
        return at;
    if (at.stage != (side->returns ? 1 : 0) || (!side->returns && at.marked[1] != 1))
        return hopeless;
    at.stage = side->returns ? 3 : 1;
    if (at.stage == 3)
        at.marked[1] = 0;
    return at;
}

/* A cover, from the first return on, of values of colour 1 that were called before it, and of
 * colour 2 that were not. */
static struct progress go_on_lowest(struct progress at, const struct side *side)
{
    if (side->role == METHOD_EMPTY || side->colour == 3)
        return at;
    const bool adds = side->role == METHOD_ADDS, one = side->colour == 1;
    if (at.stage == 2)
        return one ? hopeless : at;
    if (at.stage == 0) {
        if (!adds || !one)
            return hopeless;
        at.stage = at.marked[1] = side->returns;
        return at;
    }
    if (adds && !side->returns)
        return one ? hopeless : at;
    if (adds) {
        at.marked[side->colour]++;
        return at.marked[1] + at.marked[2] > HEAP_MOST_MARKED ? hopeless : at;
    }
    if (side->returns)
        return at;
    if (--at.marked[side->colour] < 0)
        return hopeless;
    if (at.marked[1] + at.marked[2] > 0)
        return at;
    if (one)
        return hopeless;
    return (struct progress){.stage = 2};
}

static bool is_broken(const struct progress *at, enum heap_marks rule)
{
    if (rule == HEAP_MARKS_COVER)
        return at->stage == 3;
    return at->stage == 2 || (at->stage == 1 && at->marked[1] == 0 && at->marked[2] > 0);
}

#define MOST_PAIRS (VIOLATION_MOST_STATES * 64)

struct pair {
    uint32_t state;
    struct progress at;
};

static bool leads_to_acceptance(const struct alphabet *alphabet, uint32_t state)
{
    uint32_t found[VIOLATION_MOST_STATES], count = 0;
    struct side side;
    found[count++] = state;
    for (uint32_t i = 0; i < count; i++) {
        if (alphabet->automaton->accepting[found[i]])
            return true;
        for (uint32_t j = 0; find_side(alphabet, j, &side); j++) {
            const uint32_t to = behind(&side, found[i]);
            bool known = to == VIOLATION_DEAD;
            for (uint32_t k = 0; k < count && !known; k++)
                known = found[k] == to;
            if (!known)
                found[count++] = to;
        }
    }
    return false;
}

const char *certificate_says_more(const struct alphabet *alphabet, enum heap_marks rule)
{
    static const char more[] = "an automaton may accept what does not break its rule";
    const struct violation_automaton *automaton = alphabet->automaton;
    struct pair pairs[MOST_PAIRS];
    bool useful[VIOLATION_MOST_STATES];
    uint32_t count = 0;
    struct side side;
    if (has_marks_or_asks(alphabet))
        return "an automaton reads operations in several ways";
    for (uint32_t s = 0; s < automaton->state_count; s++)
        useful[s] = leads_to_acceptance(alphabet, s);
    pairs[count++] = (struct pair){.state = automaton->initial};
    for (uint32_t i = 0; i < count; i++) {
        const struct pair pair = pairs[i];
        if (automaton->accepting[pair.state] && !is_broken(&pair.at, rule))
            return more;
        for (uint32_t j = 0; find_side(alphabet, j, &side); j++) {
            struct pair next = {.state = behind(&side, pair.state)};
            if (next.state == VIOLATION_DEAD || !useful[next.state])
                continue;
            next.at = rule == HEAP_MARKS_COVER ? go_on_covering(pair.at, &side)
                                               : go_on_lowest(pair.at, &side);
            bool known = false;
            for (uint32_t k = 0; k < count && !known; k++)
                known = memcmp(&pairs[k], &next, sizeof next) == 0;
            if (next.at.marked[0] < 0 || (!known && count == MOST_PAIRS))
                return more;
            if (!known)
                pairs[count++] = next;
        }
    }
    return NULL;
}

bool certificate_forbids_repeats(const struct alphabet *alphabet)
{
    const struct violation_automaton *automaton = alphabet->automaton;
    struct {
        uint32_t state, brought, taken;
    } found[4 * VIOLATION_MOST_STATES], next;
    uint32_t count = 1;
    struct side side;
    memset(found, 0, sizeof found);
    found[0].state = automaton->initial;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; find_side(alphabet, j, &side); j++) {
            const bool first = side.colour == 1;
            memcpy(&next, &found[i], sizeof next);
            next.brought += side.role == METHOD_ADDS && first && !side.returns;
            next.taken += side.role == METHOD_ANSWERS && first && side.returns;
            if (automaton->accepting[found[i].state] || next.brought > 1)
                continue;
            next.state = behind(&side, found[i].state);
            if (next.state == VIOLATION_DEAD)
                return false;
            if (next.taken == 2 && !automaton->accepting[next.state])
                return false;
            bool known = automaton->accepting[next.state];
            for (uint32_t k = 0; k < count && !known; k++)
                known = memcmp(&found[k], &next, sizeof next) == 0;
            if (!known)
                memcpy(&found[count++], &next, sizeof next);
        }
    return true;
}

/* ---- views ---- */

static uint32_t *value_in(const struct heap_shape *shape, struct heap_view *view, uint32_t node)
{
    const struct lin_pool *pool = &shape->steps->pools[view->nodes[node].pool];
    return pool->values.count ? &view->nodes[node].fields[pool->values.items[0] - 1] : NULL;
}

static uint32_t read_value(const struct heap_shape *shape, const struct heap_view *view,
                           uint32_t node)
{
    const struct lin_pool *pool = &shape->steps->pools[view->nodes[node].pool];
    return pool->values.count ? view->nodes[node].fields[pool->values.items[0] - 1] : 0;
}

/* Nodes that shared variables lead to: bits. */
static uint64_t seen_by_all(const struct heap_shape *shape, const struct heap_view *view)
{
    uint64_t seen = 0, left = 0;
    for (size_t i = 0; i < shape->steps->shared_references.length; i++) {
        const uint32_t to = view->shared[shape->steps->shared_references.items[i].slot];
        left |= to ? UINT64_C(1) << (to - 1) : 0;
    }
    while (left) {
        const uint32_t at = (uint32_t)__builtin_ctzll(left);
        seen |= UINT64_C(1) << at;
        for (uint32_t i = 0; i < shape->fields[view->nodes[at].pool]; i++) {
            const uint32_t to = view->nodes[at].fields[i];
            if (heap_is_reference(shape, view->nodes[at].pool, i) && to)
                left |= UINT64_C(1) << (to - 1);
        }
        left &= ~seen;
    }
    return seen;
}

const char *certificate_look_at_marks(const struct heap_shape *shape, const struct heap_view *view)
{
    const uint64_t seen = seen_by_all(shape, view);
    uint32_t inside = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        const uint32_t word = read_value(shape, view, i);
        if ((seen >> i & 1) && (word == HEAP_VALUE_INSIDE || word == HEAP_VALUE_BOTH))
            inside++;
    }
    return inside == view->observer ? NULL
                                    : "a value that is inside is where not all threads see it";
}

/* ---- steps ---- */

struct check {
    const struct certificate_marking *marking;
    const char *fault;
};

static void find_fault(struct check *check, const char *fault)
{
    if (!check->fault)
        check->fault = fault;
}

static void copy_way(struct certificate_way *to, const struct certificate_way *from)
{
    heap_view_copy(&to->before, &from->before);
    heap_view_copy(&to->after, &from->after);
    to->taken = from->taken;
}

static void tell(struct check *check, struct certificate_way *way)
{
    if (!way->after.thread[LIN_THREAD_AT]) {
        way->after.promise = 0;
        way->after.roots[0] = 0;
    }
    if (!check->fault)
        check->marking->each(check->marking->user, way);
}

static uint32_t next_of(const struct heap_shape *shape, const struct heap_view *view, uint32_t node)
{
    return shape->link[view->nodes[node].pool] < 0 ? 0 : heap_link_of(shape, &view->nodes[node]);
}

/* A node out of a run, with a run in front of it and behind it; its reference, 0: no room. */
static uint32_t take_out(const struct heap_shape *shape, struct heap_view *view, uint32_t run,
                         bool front, bool rest)
{
    const struct heap_node whole = view->nodes[run];
    const int32_t link = shape->link[whole.pool];
    uint32_t node = run;
    if (view->count + 2 > HEAP_MOST_NODES)
        return 0;
    if (front) {
        node = view->count++;
        view->nodes[node] = whole;
        view->nodes[run].fields[link] = 1 + node;
    }
    view->nodes[node].run = HEAP_ONE;
    if (rest) {
        view->nodes[view->count] = whole;
        view->nodes[view->count].run = HEAP_SOME;
        view->nodes[node].fields[link] = ++view->count;
    }
    return 1 + node;
}

/* The first value is inside, and another one below it is the lowest. */
static void tell_below(struct check *check, const struct certificate_way *way, uint32_t node,
                       uint32_t lowest)
{
    const struct heap_shape *shape = check->marking->shape;
    struct certificate_way below;
    copy_way(&below, way);
    *value_in(shape, &below.after, node) = HEAP_VALUE_INSIDE;
    *value_in(shape, &below.after, lowest) = HEAP_VALUE_LOWEST;
    tell(check, &below);
}

static void tell_all_below(struct check *check, const struct certificate_way *way, uint32_t node)
{
    const struct heap_shape *shape = check->marking->shape;
    uint32_t at = node;
    for (uint32_t i = 0; i < way->after.count; i++) {
        const uint32_t to = next_of(shape, &way->after, at);
        if (!to || to - 1 == node)
            return;
        at = to - 1;
        const bool is_run = way->after.nodes[at].run;
        if (read_value(shape, &way->after, at) != HEAP_VALUE_PLAIN)
            continue;
        if (!is_run)
            tell_below(check, way, node, at);
        for (int front = 0; is_run && front <= 1; front++)
            for (int rest = 0; rest <= 1; rest++) {
                struct certificate_way apart;
                copy_way(&apart, way);
                if (way->after.nodes[at].run == HEAP_ANY && !front)
                    continue; /* a run that may be empty is in front of it */
                const uint32_t in_before = take_out(shape, &apart.before, at, front, rest),
                               in_after = take_out(shape, &apart.after, at, front, rest);
                if (!in_after || in_before != in_after)
                    find_fault(check, heap_too_many_nodes);
                else
                    tell_below(check, &apart, node, in_after - 1);
            }
    }
}

/* An operation that brings a value ends, and the value is marked. */
static void end_bringing(struct check *check, struct certificate_way *way)
{
    const struct heap_shape *shape = check->marking->shape;
    const uint32_t root = way->after.roots[0];
    const bool lowest = shape->marks == HEAP_MARKS_LOWEST;
    if (!root || !(seen_by_all(shape, &way->after) >> (root - 1) & 1)) {
        find_fault(check, "a value is brought to where not all threads see it");
        return;
    }
    if (way->after.observer == HEAP_MOST_MARKED)
        return;
    uint32_t *word = value_in(shape, &way->after, root - 1);
    const bool first = ++way->after.observer == 1 && lowest;
    if (first)
        tell_all_below(check, way, root - 1);
    *word = first || *word == HEAP_VALUE_LOWEST ? HEAP_VALUE_BOTH : HEAP_VALUE_INSIDE;
    tell(check, way);
}

static void bring(struct check *check, struct certificate_way *way)
{
    const struct certificate_marking *marking = check->marking;
    const bool may_be = way->after.promise & HEAP_MARKED_BRINGS;
    if (may_be && marking->stored) {
        if (way->after.promise & HEAP_MARKED_STORED)
            find_fault(check, "a value is put into two nodes");
        way->after.promise |= HEAP_MARKED_STORED;
        way->after.roots[0] = marking->stored;
    }
    const bool may_end = may_be && marking->move->answer != ANSWER_NONE;
    struct certificate_way marked;
    if (may_end)
        copy_way(&marked, way);
    tell(check, way);
    if (may_end)
        end_bringing(check, &marked);
}

/* False: an operation that takes a value is not what it was when it was called. */
static bool settle(struct check *check, struct certificate_way *way)
{
    const struct thread_move *settled = check->marking->settled;
    struct heap_view *after = &way->after;
    const uint32_t name = settled->result;
    if (settled->answer == ANSWER_PLAIN)
        return true;
    if (settled->answer != ANSWER_VALUED || name < HEAP_FIRST_NAME ||
        name - HEAP_FIRST_NAME >= after->count || after->nodes[name - HEAP_FIRST_NAME].run) {
        find_fault(check, "it is open what an operation takes");
        return false;
    }
    const uint32_t node = name - HEAP_FIRST_NAME,
                   word = read_value(check->marking->shape, after, node);
    if (after->promise & HEAP_MARKED_SETTLED)
        find_fault(check, "an operation takes two values");
    if (after->roots[0]
            ? after->roots[0] != 1 + node
            : word == HEAP_VALUE_INSIDE || word == HEAP_VALUE_LOWEST || word == HEAP_VALUE_BOTH)
        return false;
    if (word == HEAP_VALUE_LOWEST)
        find_fault(check, "the lowest value is taken while another one is inside");
    after->promise |= HEAP_MARKED_SETTLED;
    after->roots[0] = 0;
    way->taken = 1 + node;
    return true;
}

static void take(struct check *check, struct certificate_way *way)
{
    const struct certificate_marking *marking = check->marking;
    if (marking->settled && !settle(check, way))
        return;
    const bool settled = way->after.promise & HEAP_MARKED_SETTLED;
    if (marking->move->answer == ANSWER_VALUED && !settled)
        find_fault(check, "it is settled nowhere what an operation takes");
    if (marking->move->answer == ANSWER_PLAIN) {
        if (settled)
            find_fault(check, "an operation takes a value and finds nothing");
        if (way->after.roots[0])
            return;
        if (way->after.promise & HEAP_MARKED_COVERED)
            find_fault(check, "an operation finds nothing while something is inside");
    }
    tell(check, way);
}

static void call_to_take(struct check *check, const struct certificate_way *called)
{
    const struct heap_shape *shape = check->marking->shape;
    const uint32_t least = shape->marks == HEAP_MARKS_LOWEST ? 1 : 0;
    for (uint32_t i = 0; i <= called->before.count; i++) {
        struct certificate_way way;
        const uint32_t word = i ? read_value(shape, &called->before, i - 1) : HEAP_VALUE_PLAIN;
        if (i && word != HEAP_VALUE_INSIDE && word != HEAP_VALUE_BOTH)
            continue;
        copy_way(&way, called);
        if (i) {
            if (--way.after.observer < least)
                continue;
            *value_in(shape, &way.after, i - 1) =
                word == HEAP_VALUE_BOTH ? HEAP_VALUE_LOWEST : HEAP_VALUE_PLAIN;
        }
        way.after.roots[0] = i;
        if (!least && way.after.observer)
            way.after.promise = HEAP_MARKED_COVERED;
        take(check, &way);
    }
}

const char *certificate_mark(const struct certificate_marking *marking,
                             const struct heap_view *before, const struct heap_view *after)
{
    struct check check = {marking, NULL};
    struct certificate_way way;
    heap_view_copy(&way.before, before);
    heap_view_copy(&way.after, after);
    way.taken = 0;
    const bool calls = marking->move->calls;
    way.after.observer = before->observer;
    way.after.promise = calls ? 0 : before->promise;
    way.after.roots[0] = calls ? 0 : before->roots[0];
    if (marking->stored && !marking->adds)
        return "a value is put into a node by who takes it";
    if (!marking->adds) {
        if (calls)
            call_to_take(&check, &way);
        else
            take(&check, &way);
        return check.fault;
    }
    if (calls)
        way.after.promise = HEAP_MARKED_BRINGS;
    bring(&check, &way);
    return check.fault;
}
