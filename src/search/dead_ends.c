#include "search/dead_ends.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EVIDENCE_RECENT  32  /* operations since the last cut */
#define EVIDENCE_ALIKE   8   /* operations before that */
#define STATES_SHOWN     3   /* in the sentence */
#define STATE_SHOWN_MOST 100 /* bytes of a state in the sentence; longer ones are cut */

void dead_ends_init(struct dead_ends *list, struct budget *budget)
{
    *list = (struct dead_ends){.budget = budget};
    for (int i = 0; i < DEAD_ENDS_MOST; i++) {
        vectors_init(budget, &list->items[i].aside, &list->items[i].operations);
    }
}

void dead_ends_release(struct dead_ends *list)
{
    for (int i = 0; i < DEAD_ENDS_MOST; i++) {
        vectors_release(&list->items[i].aside, &list->items[i].operations);
    }
}

static bool is_further(uint32_t event, uint32_t length, const struct dead_end *than)
{
    return event != than->event ? event > than->event : length > than->length;
}

static struct dead_end *least_of(struct dead_ends *list)
{
    struct dead_end *least = &list->items[0];
    for (uint32_t i = 1; i < list->count; i++)
        if (is_further(least->event, least->length, &list->items[i]))
            least = &list->items[i];
    return least;
}

bool dead_ends_is_wanted(const struct dead_ends *list, uint32_t event, uint32_t length)
{
    if (list->count < DEAD_ENDS_MOST)
        return true;
    for (uint32_t i = 0; i < list->count; i++)
        if (is_further(event, length, &list->items[i]))
            return true;
    return false;
}

static bool is_alike(const struct dead_end *item, uint32_t event, uint32_t state,
                     const uint32_t *operations, uint32_t operation_count)
{
    return item->event == event && item->state == state &&
           item->operations.length == operation_count &&
           (operation_count == 0 || /* all that run are members of a set that lacks others */
            memcmp(item->operations.items, operations, operation_count * sizeof *operations) == 0);
}

/* Where a new item belongs: in place of one that is like it but shorter, at the end, or in place of
 * the least. Null: nowhere. */
static struct dead_end *place_for(struct dead_ends *list, uint32_t event, uint32_t state,
                                  uint32_t length, const uint32_t *operations,
                                  uint32_t operation_count)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (is_alike(&list->items[i], event, state, operations, operation_count))
            return length > list->items[i].length ? &list->items[i] : NULL;
    if (list->count < DEAD_ENDS_MOST)
        return &list->items[list->count++];
    struct dead_end *least = least_of(list);
    return is_further(event, length, least) ? least : NULL;
}

bool dead_ends_keep(struct dead_ends *list, uint32_t event, uint32_t state, uint32_t length,
                    const uint32_t *operations, uint32_t operation_count)
{
    struct dead_end *item = place_for(list, event, state, length, operations, operation_count);
    if (!item)
        return true;
    item->event = event;
    item->state = state;
    item->length = length;
    item->shared = length;
    item->aside.length = 0;
    item->operations.length = 0;
    if (length > list->shared)
        list->shared = length;
    for (uint32_t i = 0; i < operation_count; i++)
        if (!vector_push(&item->operations, operations[i]))
            return false;
    return true;
}

uint32_t stuck_length(const struct dead_ends *list, uint32_t length)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].length > length)
            length = list->items[i].length;
    return length;
}

bool dead_ends_put_aside(struct dead_ends *list, const uint32_t *trail, uint32_t length)
{
    if (length >= list->shared)
        return true;
    for (uint32_t i = 0; i < list->count; i++) {
        struct dead_end *item = &list->items[i];
        assert(item->shared + item->aside.length == item->length);
        while (item->shared > length)
            if (!vector_push(&item->aside, trail[--item->shared]))
                return false;
    }
    list->shared = length;
    return true;
}

/* ---- Report ---- */

/* Appends the state that the order leads to. Where states are unified that is another than the
 * search kept, so the order is followed once more; such objects are deterministic. */
static bool print_state(const struct dead_end *item, const struct plan *plan,
                        struct transitions *transitions, struct text *text)
{
    assert(item->shared == 0 && item->aside.length == item->length);
    if (!transitions->unobservable->applies) {
        return transitions_print_state(transitions, item->state, text);
    }
    const struct part *part = plan->part;
    const struct spec_class *class = part->spec->class;
    struct outcomes now, next;
    outcomes_init(&now, plan->budget);
    outcomes_init(&next, plan->budget);
    bool fine = class->init(part->spec, part->key, &now);
    for (uint32_t i = item->length; i-- > 0 && fine;) {
        outcomes_clear(&next);
        fine = class->step(part->spec, now.words.items, now.items.items[0].length,
                           &part->intervals[item->aside.items[i]].call, &next);
        assert(!fine || next.items.length == 1);
        struct outcomes swap = now;
        now = next;
        next = swap;
    }
    if (fine)
        class->print_state(part->spec, now.words.items, now.items.items[0].length, text);
    outcomes_release(&now);
    outcomes_release(&next);
    return fine;
}

static int longer_first(const void *first, const void *second)
{
    const struct dead_end *a = first, *b = second;
    if (a->length != b->length)
        return a->length > b->length ? -1 : 1;
    return a->event > b->event ? -1 : a->event < b->event;
}

static uint32_t furthest_event(const struct dead_ends *list)
{
    uint32_t event = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].event > event)
            event = list->items[i].event;
    return event;
}

/* How many operations an order has: those that stay open have several places. */
static uint32_t count_operations(const struct dead_end *item, const struct plan *plan)
{
    uint32_t count = item->length;
    assert(item->shared == 0 && item->aside.length == item->length);
    for (uint32_t i = 0; plan->part->spec->class->is_open && i < item->length; i++)
        for (uint32_t j = 0; j < i; j++)
            if (item->aside.items[j] == item->aside.items[i]) {
                count--;
                break;
            }
    return count;
}

static bool add_partial(const struct dead_end *item, const struct plan *plan,
                        struct transitions *transitions, struct decision *decision)
{
    struct arena *arena = &decision->arena;
    uint32_t stuck_length = (uint32_t)item->operations.length;
    struct partial_linearization partial = {
        .order = arena_allocate(arena, item->length * sizeof(uint32_t)),
        .length = item->length,
        .stuck = arena_allocate(arena, stuck_length * sizeof(uint32_t)),
        .stuck_length = stuck_length,
    };
    struct text state = TEXT_EMPTY;
    bool printed = print_state(item, plan, transitions, &state);
    partial.state = arena_copy_text(arena, text_string(&state), state.length);
    text_release(&state);
    if (!printed || !partial.order || !partial.stuck || !partial.state)
        return false;
    partial.length = 0; /* an operation that stays open stands in its last place */
    for (uint32_t i = item->length; i-- > 0;) {
        const uint32_t operation = item->aside.items[i];
        bool again = false;
        for (uint32_t j = 0; plan->part->spec->class->is_open && j < i && !again; j++)
            again = item->aside.items[j] == operation;
        if (!again)
            partial.order[partial.length++] = operation;
    }
    if (stuck_length)
        memcpy(partial.stuck, item->operations.items, stuck_length * sizeof(uint32_t));
    return vector_push(&decision->partials, partial);
}

/* The last event before `event` at which nothing runs but pending operations; 0 is one. */
static uint32_t last_cut(const struct plan *plan, uint32_t event)
{
    uint32_t cut = 0, running = 0;
    for (uint32_t e = 0; e < event; e++) {
        if (plan->part->intervals[plan->events[e] / 2].response == POSITION_NEVER)
            continue;
        running += plan->events[e] & 1 ? -1u : 1u;
        if (running == 0)
            cut = e;
    }
    return cut;
}

/* Whether the operation has to do with what the due one answers, or else takes. */
static bool concerns(const struct call *call, const struct call *due)
{
    value about = due->result_known ? due->result : due->argument;
    return call->argument == about || (call->result_known && call->result == about);
}

/* Every order ends before the response `event`. Evidence is what was invoked before it: the due
 * operation, the latest that ran or were invoked since the last quiescent cut, and before them the
 * latest that concern the same value. A guess, which the search for a core starts from. */
static bool add_evidence(const struct plan *plan, uint32_t event, struct decision *decision)
{
    const struct part *part = plan->part;
    const struct interval *due = &part->intervals[plan->events[event] / 2];
    uint32_t cut = last_cut(plan, event), recent = EVIDENCE_RECENT, alike = EVIDENCE_ALIKE;
    size_t first = decision->evidence.length;
    for (uint32_t i = part->count; i-- > 0;) {
        const struct interval *interval = &part->intervals[i];
        if (interval->invoke > event || interval->response == POSITION_NEVER)
            continue;
        bool is_recent = interval->response > cut && recent > 0;
        if (interval != due && !is_recent && !(alike && concerns(&interval->call, &due->call)))
            continue;
        *(is_recent ? &recent : &alike) -= interval != due;
        if (!vector_push(&decision->evidence, i))
            return false;
    }
    uint32_t *low = decision->evidence.items + first;
    uint32_t *high = decision->evidence.items + decision->evidence.length - 1;
    for (; low < high; low++, high--) {
        uint32_t swap = *low;
        *low = *high;
        *high = swap;
    }
    return true;
}

/* At most STATE_SHOWN_MOST bytes, cut between characters. */
static void append_clipped(struct text *text, const struct text *state)
{
    size_t length = state->length;
    if (length > STATE_SHOWN_MOST) {
        length = STATE_SHOWN_MOST;
        while (length > 0 && ((unsigned char)state->bytes[length] & 0xc0) == 0x80)
            length--;
    }
    text_append_bytes(text, text_string(state), length);
    if (length < state->length)
        text_append(text, "...");
}

/* The different states, of those that are printed, that the furthest orders end in: `4, 0 or 2`.
 * False when a budget refuses. */
static bool append_states(const struct dead_ends *list, uint32_t event, const struct plan *plan,
                          struct transitions *transitions, struct text *text)
{
    struct text different[DEAD_ENDS_MOST];
    uint32_t count = 0;
    bool fine = true;
    for (uint32_t i = 0; i < list->count && fine; i++) {
        struct text state = TEXT_EMPTY;
        if (list->items[i].event != event)
            continue;
        fine = print_state(&list->items[i], plan, transitions, &state);
        uint32_t known = 0;
        while (known < count && strcmp(text_string(&different[known]), text_string(&state)) != 0)
            known++;
        if (known == count)
            different[count++] = state;
        else
            text_release(&state);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i < STATES_SHOWN) {
            text_append(text, i == 0 ? "" : i + 1 == count ? " or " : ", ");
            append_clipped(text, &different[i]);
        }
        text_release(&different[i]);
    }
    if (count > STATES_SHOWN)
        text_append(text, " or another value");
    return fine;
}

static bool write_reason(const struct dead_ends *list, uint32_t event, const struct plan *plan,
                         struct transitions *transitions, bool all, struct decision *decision)
{
    const struct part *part = plan->part;
    uint32_t length = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const uint32_t count =
            list->items[i].event == event ? count_operations(&list->items[i], plan) : 0;
        length = count > length ? count : length;
    }
    struct text *reason = &decision->reason;
    if (all)
        text_format(reason, "after %" PRIu32 " of %" PRIu32 " operations no order can continue: `",
                    length, part->count);
    else
        text_format(reason,
                    "no order has all operations; of those that were followed to their ends the "
                    "furthest stops after %" PRIu32 " of %" PRIu32 ": `",
                    length, part->count);
    spec_print_call(part->spec, &part->intervals[plan->events[event] / 2].call, reason);
    text_append(reason, "` has to take effect next, but ");
    if (!part->spec->class->shows_answers)
        text_format(reason, "the %s holds ", part->spec->class->name);
    return append_states(list, event, plan, transitions, reason);
}

bool dead_ends_report(struct dead_ends *list, const struct plan *plan,
                      struct transitions *transitions, bool all, struct decision *decision)
{
    assert(list->count > 0);
    uint32_t event = furthest_event(list);
    qsort(list->items, list->count, sizeof *list->items, longer_first);
    if (!write_reason(list, event, plan, transitions, all, decision))
        return false;
    for (uint32_t i = 0; i < list->count; i++)
        if (!add_partial(&list->items[i], plan, transitions, decision))
            return false;
    return add_evidence(plan, event, decision);
}
