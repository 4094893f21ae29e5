/* Decides a set that only grows and is read as a whole. Time is linear in the operations and in
 * what the reads answered together, but for sorting the reads; elements may be added any number of
 * times. The argument is ours.
 *
 * What reads see only grows, so the sets they answered form a chain: S(1) in S(2) in ... in S(n).
 * The level of an element is the first i with S(i) that has it, n + 1 if none has. In every
 * linearization the operations stand in blocks,
 *
 *     block i:  additions of elements of level i, then the reads that answered S(i)
 *
 * where of each element one addition at least stands in its block, and others in it or later. Now
 * let everything take place as early as that allows. With c(0) = 0:
 *
 *     a(i) = the greatest of c(i-1) and, for each element of level i, its first invocation
 *     c(i) = the greatest of a(i) and the invocations of the reads that answered S(i)
 *
 * Additions of level i take place at c(i-1) or when they are invoked, reads of S(i) at a(i) or when
 * they are invoked, whichever is later. If each does so before it returns, that is a linearization:
 * points go up from block to block, and the later of two that do not overlap has the later point.
 * If one does not, there is none, for c and a are the least that is possible: each is the
 * invocation of an operation that has to come first.
 *
 * A pending read is dropped; so is a pending addition, unless its element was seen and it is the
 * first one invoked. A read whose answer is not known takes place when it is invoked. */
#include "monitor/monitors.h"

#include "monitor/numbering.h"
#include "monitor/step.h"
#include <assert.h>

#include <stdlib.h>

#include "base/groups.h"
#include "spec/grow_set.h"
#include "value/print.h"

#define NONE      UINT32_MAX
#define NOT_SEEN  UINT32_MAX /* level of an element that no read answered */
#define INITIALLY 0          /* level of an element that was there at first */

struct element {
    uint32_t invoke, response; /* the first of its additions */
    uint32_t first, soonest;   /* the additions whose these are; NONE: it was there at first */
    uint32_t level;
};

/* What a point in time is the invocation of: an operation that has to come first. */
struct cause {
    uint32_t position;
    uint32_t read;    /* an interval, or NONE */
    uint32_t element; /* else */
};

struct level {
    uint32_t start;      /* c(i-1) */
    uint32_t reads_from; /* a(i) */
    uint32_t read;       /* some read of it */
};

struct grow_set {
    const struct part *part;
    struct limits *limits;
    struct decision *decision;
    struct arena *arena;
    struct numbering numbering; /* of elements */
    struct element *elements;
    uint32_t initial_count;
    uint32_t *reads; /* completed ones with a known answer, by size, answer and invocation */
    uint32_t read_count;
    struct level *levels; /* 1 .. level_count, and the one behind */
    uint32_t level_count;
    uint32_t *level_of_read; /* by place in `reads` */
    struct cause now;        /* c(i), while the levels are walked */
};

static bool is_read(const struct interval *interval)
{
    return interval->call.operation == GROW_SET_READ;
}

/* ---- reading the part ---- */

static bool number_elements(struct grow_set *set)
{
    const struct part *part = set->part;
    struct span span = SPAN_EMPTY;
    size_t length;
    const value *initial = value_get_items(part->spec->initial, &length);
    for (size_t i = 0; i < length; i++)
        span_include(&span, initial[i]);
    for (uint32_t i = 0; i < part->count; i++)
        if (!is_read(&part->intervals[i]))
            span_include(&span, part->intervals[i].call.argument);
    set->elements = arena_allocate(set->arena, (span.count + 1) * sizeof *set->elements);
    if (!set->elements || !numbering_init(&set->numbering, &span, set->arena))
        return false;
    for (size_t i = 0; i < length; i++)
        set->elements[numbering_add(&set->numbering, initial[i])] =
            (struct element){.first = NONE, .soonest = NONE, .level = INITIALLY};
    set->initial_count = (uint32_t)length;
    return true;
}

static void collect_addition(struct grow_set *set, uint32_t addition)
{
    const struct interval *interval = &set->part->intervals[addition];
    uint32_t before = set->numbering.count;
    uint32_t number = numbering_add(&set->numbering, interval->call.argument);
    struct element *element = &set->elements[number];
    if (number == before)
        *element = (struct element){.invoke = interval->invoke,
                                    .response = interval->response,
                                    .first = addition,
                                    .soonest = addition,
                                    .level = NOT_SEEN};
    if (element->level == NOT_SEEN && interval->response < element->response) {
        element->response = interval->response;
        element->soonest = addition;
    }
}

/* A read to be sorted. */
struct sorted_read {
    size_t length;
    value answer;
    uint32_t read;
};

static int compare_reads(const void *a, const void *b)
{
    const struct sorted_read *first = a, *second = b;
    if (first->length != second->length)
        return first->length < second->length ? -1 : 1;
    if (first->answer != second->answer) /* of one length: then they are no chain */
        return value_compare(first->answer, second->answer);
    return (first->read > second->read) - (first->read < second->read);
}

static bool sort_reads(struct grow_set *set)
{
    size_t size = set->read_count * sizeof(struct sorted_read);
    struct sorted_read *sorted = arena_allocate(set->arena, size);
    if (!sorted)
        return false;
    for (uint32_t i = 0; i < set->read_count; i++) {
        value answer = set->part->intervals[set->reads[i]].call.result;
        sorted[i] = (struct sorted_read){.answer = answer, .read = set->reads[i]};
        (void)value_get_items(answer, &sorted[i].length);
    }
    if (set->read_count > 1)
        qsort(sorted, set->read_count, sizeof *sorted, compare_reads);
    for (uint32_t i = 0; i < set->read_count; i++)
        set->reads[i] = sorted[i].read;
    return true;
}

static bool collect(struct grow_set *set)
{
    const struct part *part = set->part;
    uint32_t reads = 0;
    for (uint32_t i = 0; i < part->count; i++)
        reads += is_read(&part->intervals[i]);
    set->reads = arena_allocate(set->arena, reads * sizeof *set->reads);
    set->level_of_read = arena_allocate(set->arena, reads * sizeof *set->level_of_read);
    set->levels = arena_allocate(set->arena, ((size_t)reads + 2) * sizeof *set->levels);
    if (!set->reads || !set->level_of_read || !set->levels || !number_elements(set))
        return false;
    for (uint32_t i = 0; i < part->count; i++) {
        const struct interval *interval = &part->intervals[i];
        if (!is_read(interval))
            collect_addition(set, i);
        else if (interval->call.result_known && interval->response != POSITION_NEVER)
            set->reads[set->read_count++] = i;
    }
    return sort_reads(set);
}

/* ---- what is wrong ---- */

static value value_of(const struct grow_set *set, uint32_t element)
{
    uint32_t first = set->elements[element].first;
    return first == NONE ? VALUE_NIL : set->part->intervals[first].call.argument;
}

/* "read returned 5<rest>", a violation by one or two operations. */
static enum step say(struct grow_set *set, const char *before, value v, const char *rest,
                     uint32_t one, uint32_t other)
{
    struct decision *decision = set->decision;
    text_append(&decision->reason, before);
    value_print_edn(v, &decision->reason);
    text_append(&decision->reason, rest);
    return step_violation(vector_push(&decision->evidence, one) &&
                          (other == NONE || vector_push(&decision->evidence, other)));
}

/* An item that stands in the answer `one` and not in the answer `other`. */
static value difference(value one, value other)
{
    size_t length, count, at = 0;
    const value *items = value_get_items(one, &length);
    const value *others = value_get_items(other, &count);
    for (size_t i = 0; i < length; i++) {
        while (at < count && value_compare(others[at], items[i]) < 0)
            at++;
        if (at == count || others[at] != items[i])
            return items[i];
    }
    return VALUE_NIL;
}

static value answer_of(const struct grow_set *set, uint32_t read)
{
    return set->part->intervals[read].call.result;
}

static int compare_values(const void *a, const void *b)
{
    return value_compare(*(const value *)a, *(const value *)b);
}

/* A list: an element stands in it twice. */
static enum step read_twice(struct grow_set *set, uint32_t read)
{
    size_t length, at = 1;
    const value *items = value_get_items(answer_of(set, read), &length);
    value *sorted = arena_allocate(set->arena, length * sizeof *sorted);
    if (!sorted)
        return STEP_REFUSED;
    memcpy(sorted, items, length * sizeof *sorted);
    qsort(sorted, length, sizeof *sorted, compare_values);
    while (at + 1 < length && sorted[at] != sorted[at - 1])
        at++;
    return say(set, "read returned ", sorted[at], " twice", read, NONE);
}

/* Whether the element had been added before the read was called. */
static bool was_added_before(const struct grow_set *set, value v, uint32_t read)
{
    const struct element *element = &set->elements[numbering_find(&set->numbering, v)];
    return element->response < set->part->intervals[read].invoke;
}

/* The read did not return the element, which had been added before it was called. */
static enum step overlooked(struct grow_set *set, value v, uint32_t read)
{
    const struct element *element = &set->elements[numbering_find(&set->numbering, v)];
    bool initial = element->soonest == NONE;
    return say(set, "read did not return ", v,
               initial ? ", which was in the set at first" : ", which had been added before", read,
               element->soonest);
}

static enum step not_a_chain(struct grow_set *set, uint32_t read, uint32_t before)
{
    if (before == NONE) { /* the initial contents */
        value missing = difference(set->part->spec->initial, answer_of(set, read));
        return say(set, "read did not return ", missing, ", which was in the set at first", read,
                   NONE);
    }
    value gone = difference(answer_of(set, before), answer_of(set, read));
    value missing = difference(answer_of(set, read), answer_of(set, before));
    if (was_added_before(set, gone, read)) /* one read is enough then */
        return overlooked(set, gone, read);
    if (was_added_before(set, missing, before))
        return overlooked(set, missing, before);
    struct text *reason = &set->decision->reason;
    text_append(reason, "one read returned ");
    value_print_edn(gone, reason);
    text_append(reason, " and not ");
    value_print_edn(missing, reason);
    return say(set, ", another ", missing, " and not the first", read, before);
}

/* An element was added before what `now` is the invocation of, and had to come later. */
static enum step missing(struct grow_set *set, uint32_t element)
{
    value v = value_of(set, element);
    uint32_t addition = set->elements[element].soonest;
    if (set->now.read != NONE)
        return say(set, "read did not return ", v, ", which had been added before", set->now.read,
                   addition);
    uint32_t level = set->elements[set->now.element].level;
    struct text *reason = &set->decision->reason;
    text_append(reason, "read returned ");
    value_print_edn(value_of(set, set->now.element), reason);
    return say(set, " and not ", v, ", which had been added before", set->levels[level].read,
               addition);
}

/* The read returned before what `by` is the invocation of, and had to come later. */
static enum step too_early(struct grow_set *set, uint32_t read, const struct cause *by)
{
    if (by->read == NONE)
        return say(set, "read returned ", value_of(set, by->element), " before it was added", read,
                   NONE);
    return say(set, "read returned ", difference(answer_of(set, read), answer_of(set, by->read)),
               ", which a later read did not", read, by->read);
}

/* ---- the levels ---- */

/* Gives the elements of an answer that no smaller one has their level. `*from` becomes a(i). */
static enum step add_level(struct grow_set *set, uint32_t read, uint32_t before, struct cause *from)
{
    size_t length, smaller, old = 0;
    value answer = answer_of(set, read);
    if (value_kind_of(answer) != KIND_SET)
        return read_twice(set, read);
    const value *items = value_get_items(answer, &length);
    smaller = set->initial_count;
    if (before != NONE)
        (void)value_get_items(answer_of(set, before), &smaller);
    *from = set->now;
    for (size_t i = 0; i < length; i++) {
        uint32_t number = numbering_find(&set->numbering, items[i]);
        if (number == NUMBER_NONE)
            return say(set, "read returned ", items[i], ", which was never added", read, NONE);
        struct element *element = &set->elements[number];
        old += element->level != NOT_SEEN;
        if (element->level != NOT_SEEN)
            continue;
        element->level = set->level_count;
        if (element->invoke > from->position)
            *from = (struct cause){element->invoke, NONE, number};
    }
    return old == smaller ? STEP_READY : not_a_chain(set, read, before);
}

/* Whether some element of the answer had been added before c(i-1), at which it was not there. */
static enum step check_level(struct grow_set *set, uint32_t read)
{
    size_t length;
    const value *items = value_get_items(answer_of(set, read), &length);
    for (size_t i = 0; i < length; i++) {
        uint32_t number = numbering_find(&set->numbering, items[i]);
        const struct element *element = &set->elements[number];
        if (element->level == set->level_count && element->response < set->now.position)
            return missing(set, number);
    }
    return STEP_READY;
}

/* The reads reads[first .. end) answered the same. */
static enum step walk_level(struct grow_set *set, uint32_t first, uint32_t end)
{
    const struct interval *intervals = set->part->intervals;
    uint32_t read = set->reads[first], before = first ? set->reads[first - 1] : NONE;
    struct cause from;
    assert(first < end && end <= set->read_count);
    set->level_count++;
    set->levels[set->level_count].start = set->now.position;
    set->levels[set->level_count].read = read;
    TRY_STEP(add_level(set, read, before, &from));
    TRY_STEP(check_level(set, read));
    set->levels[set->level_count].reads_from = from.position;
    assert(set->now.position <= from.position); /* c(i-1) <= a(i) */
    set->now = from;
    for (uint32_t i = first; i < end; i++) {
        const struct interval *interval = &intervals[set->reads[i]];
        if (interval->response < from.position)
            return too_early(set, set->reads[i], &from);
        if (interval->invoke > set->now.position)
            set->now = (struct cause){interval->invoke, set->reads[i], NONE};
        set->level_of_read[i] = set->level_count;
    }
    return STEP_READY;
}

static enum step walk_levels(struct grow_set *set)
{
    set->now = (struct cause){0, NONE, NONE};
    for (uint32_t first = 0, end; first < set->read_count; first = end) {
        for (end = first + 1; end < set->read_count; end++)
            if (answer_of(set, set->reads[end]) != answer_of(set, set->reads[first]))
                break;
        if (limits_reached(set->limits) != LIMIT_NONE)
            return STEP_REFUSED;
        TRY_STEP(walk_level(set, first, end));
    }
    set->levels[set->level_count + 1].start = set->now.position;
    for (uint32_t i = 0; i < set->numbering.count; i++)
        if (set->elements[i].level == NOT_SEEN && set->elements[i].response < set->now.position)
            return missing(set, i);
    return STEP_READY;
}

/* ---- the linearization ---- */

/* Operations in the order of their points: by block, additions before reads, first, then by point;
 * both sorts count and keep the order of equal ones. */
struct placing {
    uint32_t *point, *block; /* by interval; NONE: left out */
    uint32_t *order;
    uint32_t count;
};

static void place(const struct grow_set *set, struct placing *placing)
{
    const struct part *part = set->part;
    for (uint32_t i = 0; i < part->count; i++) {
        const struct interval *interval = &part->intervals[i];
        bool pending = interval->response == POSITION_NEVER;
        placing->point[i] = pending ? NONE : interval->invoke;
        placing->block[i] = 0;
        if (is_read(interval))
            continue;
        uint32_t number = numbering_find(&set->numbering, interval->call.argument);
        const struct element *element = &set->elements[number];
        bool seen = element->level != NOT_SEEN && element->level != INITIALLY;
        uint32_t level = element->level == NOT_SEEN ? set->level_count + 1 : element->level;
        uint32_t start = level == INITIALLY ? 0 : set->levels[level].start;
        if (!pending || (seen && element->first == i))
            placing->point[i] = start > interval->invoke ? start : interval->invoke;
        placing->block[i] = 2 * level;
    }
    for (uint32_t i = 0; i < set->read_count; i++) {
        uint32_t read = set->reads[i], from = set->levels[set->level_of_read[i]].reads_from;
        if (placing->point[read] < from)
            placing->point[read] = from;
        placing->block[read] = 2 * set->level_of_read[i] + 1;
    }
}

/* Sorts order[0 .. count) by a key below `keys`, stably. False when refused. */
static bool sort_by(struct placing *placing, const uint32_t *key, uint32_t keys,
                    struct arena *arena)
{
    struct groups groups;
    if (!groups_begin(&groups, keys, arena))
        return false;
    while (groups_pass(&groups, arena))
        for (uint32_t i = 0; i < placing->count; i++)
            groups_put(&groups, key[placing->order[i]], placing->order[i]);
    placing->order = groups.items;
    return groups_made(&groups);
}

static enum step linearize(struct grow_set *set)
{
    const struct part *part = set->part;
    struct arena *arena = set->arena;
    size_t size = part->count * sizeof(uint32_t);
    struct placing placing = {.point = arena_allocate(arena, size),
                              .block = arena_allocate(arena, size),
                              .order = arena_allocate(arena, size)};
    if (!placing.point || !placing.block || !placing.order)
        return STEP_REFUSED;
    place(set, &placing);
    for (uint32_t i = 0; i < part->count; i++)
        if (placing.point[i] != NONE)
            placing.order[placing.count++] = i;
    return sort_by(&placing, placing.block, 2 * (set->level_count + 2), arena) &&
                   sort_by(&placing, placing.point, part->positions, arena) &&
                   decision_linearize(set->decision, placing.order, placing.count)
               ? STEP_READY
               : STEP_REFUSED;
}

static enum step grow_set_decide(const struct part *part, struct limits *limits,
                                 struct arena *arena, struct decision *decision)
{
    struct grow_set set = {.part = part, .limits = limits, .decision = decision, .arena = arena};
    decision->explored = part->positions;
    if (!collect(&set) || limits_reached(limits) != LIMIT_NONE)
        return STEP_REFUSED;
    TRY_STEP(walk_levels(&set));
    return linearize(&set);
}

const struct monitor grow_set_monitor = {NULL, NULL, grow_set_decide, GIVES_UP_PENDING};
