#include "search/queue_lookahead.h"

#include <assert.h>

#include "base/bisect.h"
#include "spec/queue.h"

/* The dequeues of one value: by_response and by_invocation, from `first` on. What follows `stamp`
 * belongs to the question of that stamp. */
struct lookahead_line {
    uint32_t first, count;
    uint64_t stamp;
    uint32_t cursor;  /* in by_response: behind that of the last copy seen */
    uint32_t running; /* running dequeues that have not taken effect */
    uint32_t future;  /* in by_invocation: the first that is not yet invoked */
    uint32_t seen;    /* copies in the queue, up to where it was looked at */
    uint32_t passed;  /* dequeues that respond before the contents can have left */
};

static bool is_dequeue(const struct part *part, uint32_t operation)
{
    return part->intervals[operation].call.operation == QUEUE_DEQUEUE;
}

static bool is_known(const struct part *part)
{
    for (uint32_t i = 0; i < part->count; i++)
        if (is_dequeue(part, i) && !(part->intervals[i].call.result_known &&
                                     part->intervals[i].response != POSITION_NEVER))
            return false;
    return true;
}

static value result_of(const struct queue_lookahead *ahead, uint32_t dequeue)
{
    return ahead->plan->part->intervals[dequeue].call.result;
}

static bool number_values(struct queue_lookahead *ahead)
{
    const struct part *part = ahead->plan->part;
    struct span span = SPAN_EMPTY;
    for (uint32_t i = 0; i < part->count; i++)
        if (is_dequeue(part, i)) {
            span_include(&span, part->intervals[i].call.result);
            ahead->count++;
        }
    return numbering_init(&ahead->numbering, &span, &ahead->arena);
}

static struct lookahead_line *line_of(const struct queue_lookahead *ahead, value v)
{
    uint32_t number = numbering_find(&ahead->numbering, v);
    return number == NUMBER_NONE ? NULL : &ahead->lines[number];
}

/* Walks over the events, which sorts the dequeues both ways. */
static void sort_dequeues(struct queue_lookahead *ahead)
{
    const struct plan *plan = ahead->plan;
    uint32_t responses = 0;
    for (uint32_t e = 0; e < plan->event_count; e++) {
        uint32_t operation = plan->events[e] / 2;
        if (!is_dequeue(plan->part, operation))
            continue;
        struct lookahead_line *line = line_of(ahead, result_of(ahead, operation));
        if (plan->events[e] & 1) {
            ahead->all[responses++] = operation;
            ahead->by_response[line->first + line->cursor++] = operation;
        } else {
            ahead->by_invocation[line->first + line->future++] = operation;
        }
    }
    assert(responses == ahead->count);
}

bool queue_lookahead_init(struct queue_lookahead *ahead, const struct plan *plan,
                          struct budget *budget)
{
    *ahead = (struct queue_lookahead){.plan = plan};
    arena_init(&ahead->arena, budget);
    const struct part *part = plan->part;
    if (part->spec->class != &queue_class || !is_known(part))
        return true;
    if (!number_values(ahead))
        return false;
    size_t size = ahead->count * sizeof(uint32_t);
    ahead->lines = arena_zeroed(&ahead->arena, ahead->count * sizeof *ahead->lines);
    ahead->by_response = arena_allocate(&ahead->arena, size);
    ahead->by_invocation = arena_allocate(&ahead->arena, size);
    ahead->all = arena_allocate(&ahead->arena, size);
    if (!ahead->lines || !ahead->by_response || !ahead->by_invocation || !ahead->all)
        return false;
    for (uint32_t i = 0; i < part->count; i++)
        if (is_dequeue(part, i))
            ahead->lines[numbering_add(&ahead->numbering, result_of(ahead, i))].count++;
    for (uint32_t i = 1; i < ahead->numbering.count; i++)
        ahead->lines[i].first = ahead->lines[i - 1].first + ahead->lines[i - 1].count;
    sort_dequeues(ahead);
    ahead->applies = true;
    return true;
}

void queue_lookahead_release(struct queue_lookahead *ahead)
{
    arena_release(&ahead->arena);
}

/* ---- A question ---- */

static const struct interval *interval_of(const struct queue_lookahead *ahead, uint32_t dequeue)
{
    return &ahead->plan->part->intervals[dequeue];
}

/* Of a dequeue that has not responded. */
static bool has_taken_effect(const struct queue_lookahead *ahead, uint32_t dequeue, uint32_t event,
                             const uint64_t *load)
{
    return interval_of(ahead, dequeue)->invoke < event &&
           load_has(load, ahead->plan->operations[dequeue].slot);
}

/* The first of `count` dequeues, sorted so, that responds (`invoked`: is invoked) at `event` or
 * later. */
static uint32_t first_from(const struct queue_lookahead *ahead, const uint32_t *dequeues,
                           uint32_t count, uint32_t event, bool invoked)
{
    uint32_t low = 0;
    BISECT(low, count, middle,
           (invoked ? interval_of(ahead, dequeues[middle])->invoke
                    : interval_of(ahead, dequeues[middle])->response) < event);
    return low;
}

/* Makes a line ready for the present question. */
static void line_open(struct queue_lookahead *ahead, struct lookahead_line *line, uint32_t event,
                      const uint64_t *load)
{
    if (line->stamp == ahead->stamp)
        return;
    const uint32_t *by_response = ahead->by_response + line->first;
    line->stamp = ahead->stamp;
    line->seen = 0;
    line->passed = 0;
    line->cursor = first_from(ahead, by_response, line->count, event, false);
    line->future = first_from(ahead, ahead->by_invocation + line->first, line->count, event, true);
    /* Invoked and not responded: as many as those that responded fall short of those invoked. */
    uint32_t open = line->future - line->cursor;
    line->running = 0;
    for (uint32_t i = line->cursor; open > 0; i++) {
        if (interval_of(ahead, by_response[i])->invoke > event)
            continue;
        line->running += !has_taken_effect(ahead, by_response[i], event, load);
        open--;
    }
}

/* The dequeue that is the next by response of those that have not taken effect; null if there is
 * none left. */
static const struct interval *line_next(const struct queue_lookahead *ahead,
                                        struct lookahead_line *line, uint32_t event,
                                        const uint64_t *load)
{
    const uint32_t *by_response = ahead->by_response + line->first;
    while (line->cursor < line->count &&
           has_taken_effect(ahead, by_response[line->cursor], event, load))
        line->cursor++;
    if (line->cursor == line->count)
        return NULL;
    return interval_of(ahead, by_response[line->cursor++]);
}

/* Whether a dequeue that responds before `earliest` would have to take what is not in the queue.
 * None of them can before the contents, which do not leave before `earliest`, are gone. */
static bool takes_too_early(struct queue_lookahead *ahead, uint32_t event, const uint64_t *load,
                            uint32_t earliest)
{
    for (uint32_t i = first_from(ahead, ahead->all, ahead->count, event, false); i < ahead->count;
         i++) {
        uint32_t dequeue = ahead->all[i];
        if (interval_of(ahead, dequeue)->response >= earliest)
            return false;
        if (has_taken_effect(ahead, dequeue, event, load))
            continue;
        struct lookahead_line *line = line_of(ahead, result_of(ahead, dequeue));
        line_open(ahead, line, event, load);
        if (++line->passed > line->seen)
            return true;
    }
    return false;
}

bool queue_lookahead_is_hopeless(struct queue_lookahead *ahead, uint32_t event,
                                 const uint64_t *load, const uint64_t *words, size_t length)
{
    assert(ahead->applies);
    ahead->stamp++;
    uint32_t earliest = event; /* when the value looked at can leave */
    for (size_t i = 0; i < length; i++) {
        struct lookahead_line *line = line_of(ahead, words[i]);
        const struct interval *taker = NULL;
        if (line) {
            line_open(ahead, line, event, load);
            taker = line_next(ahead, line, event, load);
        }
        if (!taker)
            return takes_too_early(ahead, event, load, POSITION_NEVER);
        if (++line->seen > line->running) {
            uint32_t next = line->first + line->future + line->seen - line->running - 1;
            uint32_t invoke = interval_of(ahead, ahead->by_invocation[next])->invoke;
            if (invoke > earliest)
                earliest = invoke;
        }
        if (earliest > taker->response)
            return true;
    }
    return takes_too_early(ahead, event, load, earliest);
}
