#include "runtime/retry.h"

#include <string.h>

#include "runtime/heap.h"
#include "runtime/shadow.h"
#include "runtime/stacks.h"
#include "runtime/trial.h"

enum {
    MOST_READS = 12,
    MOST_PLAIN = 48,
    MOST_LOGGED = 64,
    MOST_WRITES = 8,
    MOST_PRIVATE = 1024,
    MOST_SITES = 32
};

/* A thread as it was when it asked for a read, and what became of that. */
struct kept_read {
    struct thread_place place;
    memory_value answer;
    uint64_t plain; /* stands for the plain accesses behind it */
    unsigned first_plain, first_write;
    bool stored; /* what it read, again */
    struct spin_time time;
};

struct plain_read {
    const void *address;
    size_t size;
};

static struct retry {
    unsigned count, plain_count, write_count;
    bool is_kept; /* the last of `reads` is what the thread asks for */
    size_t used;
    struct kept_read reads[MOST_READS]; /* since it did anything else */
    struct plain_read plain[MOST_PLAIN];
    struct plain_read log[MOST_LOGGED];            /* the last ones of the run, round and round */
    struct exploration_access writes[MOST_WRITES]; /* atomic ones */
    char bytes[TRIAL_BYTES];                       /* of the places of `reads` */
} threads[REGION_THREADS];

/* Of reads in the program. */
struct sites {
    unsigned count;
    const void *of[MOST_SITES];
};

static struct {
    bool enabled;
    bool waits, has_waited, unmade_is_at_fault;
    bool left_out, minds_order, strong;
    bool goes_round, has_lost_round;
    struct sites spins, ends; /* loops of one read; the last reads of loops that came round */
} all;

void retry_open(void)
{
    memset(&all, 0, sizeof all);
}

void retry_enable(bool leaves_out, bool waits)
{
    all.enabled = leaves_out;
    all.waits = waits;
    all.left_out = all.strong = all.has_waited = all.unmade_is_at_fault = false;
    all.goes_round = all.has_lost_round = false;
}

void retry_go_round(void)
{
    all.goes_round = true;
}

bool retry_goes_round(void)
{
    return all.goes_round;
}

void retry_mind_order(void)
{
    all.minds_order = true;
}

void retry_forget(unsigned thread)
{
    threads[thread].count = threads[thread].plain_count = threads[thread].write_count = 0;
    threads[thread].used = 0;
}

void retry_publish(unsigned thread)
{
    retry_forget(thread);
    execution.threads[thread].private_from = region_arena(thread) + heap_used(thread);
}

void retry_begin(unsigned thread)
{
    retry_publish(thread);
}

/* Whether what threads do is of interest. */
static bool keeps(void)
{
    return all.enabled || all.waits || (all.minds_order && !all.goes_round);
}

void retry_see_plain(unsigned thread, const void *address, size_t size, bool writes, const void *at)
{
    struct retry *retry = &threads[thread];
    if (!keeps() && !execution.tries)
        return;
    if (!stacks_are_memory() && region_is_own_stack(thread, address)) {
        unsigned bytes;
        if (execution.tries && writes &&
            shadow_atomic(address, (const char *)address + size, &bytes))
            trial_give_up(); /* it would be an event */
        return;
    }
    if (!writes && !execution.tries)
        retry->log[execution.threads[thread].plain_reads++ % MOST_LOGGED] =
            (struct plain_read){address, size};
    if (!writes && retry->count == 0 && !execution.tries)
        return;
    if (execution.tries) {
        trial_see_plain(thread, address, size, writes, at);
        return;
    }
    bool own = trial_is_private(thread, address);
    if (writes && !own) {
        retry_publish(thread);
        return;
    }
    if (retry->count == 0)
        return;
    struct kept_read *last = &retry->reads[retry->count - 1];
    last->plain = trial_add_plain(last->plain, address, size, writes, at);
    if (writes || own)
        return;
    if (retry->plain_count == MOST_PLAIN || size > sizeof(uint64_t)) {
        retry_forget(thread);
        return;
    }
    retry->plain[retry->plain_count].address = address;
    retry->plain[retry->plain_count++].size = size;
}

void retry_see_write(unsigned thread, const struct exploration_access *access)
{
    struct retry *retry = &threads[thread];
    if (thread_is_settled(thread))
        return;
    if (retry->count == 0 || retry->write_count == MOST_WRITES || trial_private_size(thread) > 0 ||
        access->order == ORDER_PLAIN)
        retry_publish(thread);
    else
        retry->writes[retry->write_count++] = *access;
}

void retry_see_value(unsigned thread, bool stored)
{
    struct retry *retry = &threads[thread];
    if (retry->count == 0)
        return;
    retry->reads[retry->count - 1].answer = execution.threads[thread].request.answer;
    retry->reads[retry->count - 1].stored = stored;
}

void retry_see_strong(void)
{
    all.strong |= all.minds_order;
}

void retry_break(void)
{
    if (execution.tries)
        trial_give_up();
    retry_forget(execution.current);
}

bool retry_is_unsound(void)
{
    return all.left_out && (all.strong || shadow_is_left_out());
}

bool retry_has_left_out(void)
{
    return all.left_out;
}

bool retry_is_strong(void)
{
    return all.strong;
}

/* ---- states ---- */

static void keep(unsigned number)
{
    struct retry *retry = &threads[number];
    const struct thread *thread = &execution.threads[number];
    size_t size = trial_size(number);
    bool may_be_kept = thread->request.kind == ASKED_READ && !thread->request.access.is_lock &&
                       !thread->request.access.in_place && thread->frame &&
                       trial_private_size(number) <= MOST_PRIVATE;
    if (thread->request.kind == ASKED_WRITE || request_is_weak_fence(&thread->request))
        return;
    if (!may_be_kept || retry->count == MOST_READS || retry->used + size > TRIAL_BYTES) {
        retry_forget(number);
        if (!may_be_kept || size > TRIAL_BYTES)
            return;
    }
    struct kept_read *read = &retry->reads[retry->count++];
    place_keep(number, &read->place, retry->bytes + retry->used);
    read->plain = 0;
    read->stored = false;
    read->time = (struct spin_time){thread->now.of[number], thread->plain_reads};
    read->first_plain = retry->plain_count;
    read->first_write = retry->write_count;
    retry->used += size;
    retry->is_kept = true;
}

static bool is_update(const struct request *request)
{
    return request->access.operation != OPERATION_LOAD;
}

static enum memory_order_c11 order_without_store(const struct request *request)
{
    return is_update(request) ? request->access.failure_order : request->access.order;
}

/* Whether the first of two reads could have been given what the last was: it stores nothing then,
 * and gives the thread no more order than the last did. */
static bool may_be_given(const struct kept_read *first, const struct kept_read *last)
{
    const struct exploration_access *access = &first->place.request.access;
    const struct execution_event read = {.operation = (uint8_t)access->operation,
                                         .size = (uint8_t)access->size,
                                         .value = last->answer,
                                         .operand = execution_cut(access->operand, access->size),
                                         .expected = execution_cut(access->expected, access->size)};
    memory_value stored;
    if (access->address != last->place.request.access.address ||
        access->size != last->place.request.access.size || first->stored || last->stored ||
        execution_stores(&read, &stored))
        return false;
    if (is_update(&first->place.request) && !is_update(&last->place.request))
        return false; /* a full fence under tso */
    return !order_acquires((uint8_t)order_without_store(&first->place.request)) ||
           order_acquires((uint8_t)order_without_store(&last->place.request));
}

/* Whether what was written in between is written again by what comes now, before anything else; and
 * is not what the last read may have read. */
static bool writes_again(const struct retry *retry, const struct kept_read *first,
                         const struct kept_read *last, const struct request *now)
{
    for (unsigned i = first->first_write; i < last->first_write; i++)
        if (now->kind != ASKED_WRITE || now->access.address != retry->writes[i].address ||
            now->access.size != retry->writes[i].size ||
            retry->writes[i].address == last->place.request.access.address ||
            now->access.order != retry->writes[i].order)
            return false;
    return true;
}

static bool try_without(unsigned number, const struct kept_read *first,
                        const struct kept_read *last)
{
    static struct trial_start now;
    if (!trial_fits(number))
        return false;
    trial_begin(number, &now);
    bool same = trial_from(number, &first->place, last->answer) &&
                trial_came_to(number, &now.place, last->plain);
    trial_end(number, &now);
    return same;
}

/* The accesses that are left out, but for those of the location that is read again. */
static void leave_out(const struct retry *retry, unsigned first, unsigned last)
{
    const void *again = retry->reads[last].place.request.access.address;
    all.left_out = true;
    for (unsigned i = first; i < last; i++) {
        const struct exploration_access *access = &retry->reads[i].place.request.access;
        if (access->address != again)
            shadow_leave_out(access->address, access->size, true);
        if (retry->reads[i].stored)
            shadow_leave_out_update(access->address, access->size);
    }
    for (unsigned i = retry->reads[first].first_plain; i < retry->reads[last].first_plain; i++)
        shadow_leave_out(retry->plain[i].address, retry->plain[i].size, false);
    for (unsigned i = retry->reads[first].first_write; i < retry->reads[last].first_write; i++)
        shadow_leave_out_write(retry->writes[i].address, retry->writes[i].size);
}

/* Whether a read could have been given what a thread writes at its location, and need not. */
static bool may_see(const struct execution_graph *graph, const struct execution_event *read,
                    const struct execution_event *write)
{
    if (read->kind != EVENT_KIND_READ || read->location != write->location ||
        read->thread == write->thread || event_happens_before(read, write))
        return false;
    return read->before < 0 || !event_happens_before(write, &graph->events[read->before]);
}

void retry_look_at_graph(const struct execution_graph *graph)
{
    for (event_number i = 0; all.enabled && i < graph->event_count; i++) {
        const struct execution_event *write = &graph->events[i];
        const struct execution_location *location = &graph->locations[write->location];
        if (write->kind != EVENT_KIND_WRITE || write->is_update ||
            shadow_has_seen_write(location->address, location->size))
            continue;
        for (event_number k = 0; k < graph->event_count; k++)
            if (may_see(graph, &graph->events[k], write)) {
                shadow_see_write(location->address, location->size);
                break;
            }
    }
}

/* With the answer that it got at first the thread comes round, as it would do for ever. */
static void wait_if_same(unsigned number, const struct kept_read *first,
                         const struct kept_read *last)
{
    struct thread *thread = &execution.threads[number];
    thread->waits = (struct exchange_wait){.kind = WAIT_NONE, .since = HANGING_NOTHING};
    if (first->answer == last->answer && first->first_plain == last->first_plain)
        thread->waits = (struct exchange_wait){.kind = WAIT_LOOP,
                                               .since = (uint8_t)(first->time.events + 1),
                                               .at = last->place.request.access.at};
}

bool retry_is_idle(unsigned number)
{
    struct retry *retry = &threads[number];
    retry->is_kept = false;
    if (!all.enabled)
        return false;
    for (unsigned i = 0; i + 1 < retry->count; i++) {
        const struct kept_read *last = &retry->reads[retry->count - 1];
        if (may_be_given(&retry->reads[i], last) &&
            writes_again(retry, &retry->reads[i], last, &execution.threads[number].request) &&
            try_without(number, &retry->reads[i], last)) {
            leave_out(retry, i, retry->count - 1);
            wait_if_same(number, &retry->reads[i], last);
            return true;
        }
    }
    return false;
}

void retry_keep(unsigned number)
{
    if (keeps() && !thread_is_settled(number))
        keep(number);
}

/* ---- waiting for another value ---- */

/* The read from which the thread would have come to where it comes from the read that it asks for,
 * both given the same value; -1: none. */
static int find_same(unsigned number, memory_value value)
{
    static struct trial_start now;
    static struct thread_place ahead;
    static char bytes[TRIAL_BYTES];
    const struct retry *retry = &threads[number];
    struct kept_read last = retry->reads[retry->count - 1];
    int found = -1;
    last.answer = value;
    trial_begin(number, &now);
    if (trial_from(number, &last.place, value)) {
        uint64_t plain = trial_plain();
        place_keep(number, &ahead, bytes);
        for (unsigned i = 0; i + 1 < retry->count && found < 0; i++) {
            held_copy(&execution.threads[number].held, &now.held);
            if (may_be_given(&retry->reads[i], &last) &&
                writes_again(retry, &retry->reads[i], &last, &ahead.request) &&
                trial_from(number, &retry->reads[i].place, value) &&
                trial_came_to(number, &ahead, plain))
                found = (int)i;
        }
    }
    trial_end(number, &now);
    return found;
}

static bool stores(const struct request *request, memory_value value)
{
    const struct exploration_access *access = &request->access;
    const struct execution_event read = {.operation = (uint8_t)access->operation,
                                         .size = (uint8_t)access->size,
                                         .value = value,
                                         .operand = execution_cut(access->operand, access->size),
                                         .expected = execution_cut(access->expected, access->size)};
    memory_value stored;
    return execution_stores(&read, &stored);
}

/* Whether the thread, if the read that it asks for gave it this, would do nothing before it asks
 * for the same again. */
static bool is_vain(unsigned number, memory_value value)
{
    static struct trial_start now;
    const struct kept_read *last = &threads[number].reads[threads[number].count - 1];
    value = execution_cut(value, last->place.request.access.size);
    if (stores(&last->place.request, value))
        return false;
    trial_begin(number, &now);
    bool same = trial_from(number, &last->place, value) && trial_came_to(number, &now.place, 0);
    trial_end(number, &now);
    return same;
}

bool retry_would_repeat(unsigned number, memory_value value)
{
    struct retry *retry = &threads[number];
    struct thread *thread = &execution.threads[number];
    struct kept_read *last = &retry->reads[retry->count - 1];
    if (thread->spins)
        return is_vain(number, value);
    value = execution_cut(value, thread->request.access.size);
    int first = stores(&thread->request, value) ? -1 : find_same(number, value);
    if (first < 0)
        return false;
    leave_out(retry, (unsigned)first, retry->count - 1);
    const struct kept_read *again = &retry->reads[first];
    if (again->first_write != last->first_write && again->first_plain != last->first_plain)
        thread->waits.kind = WAIT_NONE;
    if (again->time.events < thread->waits.since)
        thread->waits.since = (uint8_t)again->time.events;
    return true;
}

/* Whether the thread has read before what it asks for, and that can be tried out. */
static bool reads_again(unsigned number)
{
    const struct retry *retry = &threads[number];
    const struct exploration_access *access = &execution.threads[number].request.access;
    bool again = false;
    if (!retry->is_kept || !trial_fits(number))
        return false;
    for (unsigned i = 0; i + 1 < retry->count; i++)
        again |= retry->reads[i].place.request.access.address == access->address &&
                 retry->reads[i].place.request.access.size == access->size;
    return again;
}

/* The location of such a read; -1: it is none. */
static int find_location(unsigned number, const struct execution_graph *graph)
{
    const struct exploration_access *access = &execution.threads[number].request.access;
    bool again = reads_again(number);
    for (int i = 0; again && i < graph->location_count; i++)
        if (graph->locations[i].address == access->address)
            return i;
    return -1;
}

/* Whether every value that the thread could read now is one with which it would repeat. */
static bool would_always_repeat(unsigned number, const struct execution_graph *graph,
                                unsigned location)
{
    unsigned least = execution_least_rank(graph, location, execution.threads[number].now);
    if (least == 0 && !retry_would_repeat(number, graph->locations[location].initial))
        return false;
    for (event_number i = graph->locations[location].last_write; i >= 0;
         i = graph->events[i].previous) {
        const struct execution_event *write = &graph->events[i];
        if (write->rank >= least &&
            (write->order == ORDER_PLAIN || !retry_would_repeat(number, write->value)))
            return false;
    }
    return true;
}

/* ---- loops of one read ---- */

static bool has_site(const struct sites *sites, const void *at)
{
    for (unsigned i = 0; i < sites->count; i++)
        if (sites->of[i] == at)
            return true;
    return false;
}

static void add_site(struct sites *sites, const void *at)
{
    if (!has_site(sites, at) && sites->count < MOST_SITES)
        sites->of[sites->count++] = at;
}

void retry_see_loop(const void *at, bool is_alone)
{
    add_site(&all.ends, at);
    if (is_alone)
        add_site(&all.spins, at);
}

/* Whether what the thread asks for is such a read, and can be tried out. */
static bool may_come_round(unsigned number, const struct sites *sites)
{
    const struct thread *thread = &execution.threads[number];
    return all.waits && threads[number].is_kept && !thread->request.access.may_fail &&
           !execution.recalls && has_site(sites, thread->request.access.at) && trial_fits(number);
}

/* Whether the read may be the last of an iteration that is left out. */
static bool may_try_again(unsigned number)
{
    return all.enabled && all.waits && !execution.recalls && reads_again(number);
}

/* A read that is not made now, or not with all values, may be at fault all the same. */
static void see_unmade(unsigned number)
{
    const struct thread *thread = &execution.threads[number];
    const struct exploration_access *access = &thread->request.access;
    const struct shadow_access shadow = {.thread = number,
                                         .kind = ACCESS_ATOMIC_READ,
                                         .time = thread->now.of[number] + 1U,
                                         .now = thread->now,
                                         .asks_initialised = true,
                                         .at = access->at};
    struct finding found;
    all.has_waited = true;
    if (shadow_access(&shadow, access->address, access->size, &found) != SHADOW_SEEN)
        all.unmade_is_at_fault = true;
}

/* Whether the thread is where it was when it asked for a read that is kept, and will be found to
 * wait there (runtime/spin.h). */
static bool is_back(unsigned number, const struct kept_read *read)
{
    const struct thread *thread = &execution.threads[number];
    const struct thread_place *place = &read->place;
    const struct spin_call call = spin_call_of(&place->request.access);
    const char *from = place->frame, *end = region_stack_end(number);
    const char *state = place->bytes + (from - place->stack_pointer);
    return thread->fiber.stack_pointer == place->stack_pointer && thread->frame == from &&
           request_is_same(&thread->request, &place->request) &&
           trial_private_size(number) == place->private_size &&
           memcmp(from, state, (size_t)(end - from)) == 0 &&
           memcmp(thread->private_from, place->bytes + place->stack_size, place->private_size) ==
               0 &&
           spin_holds(&thread->spin, &call, state, (size_t)(end - from));
}

/* A thread waits, or would wait, behind an iteration that began at a time: what it has read there.
 * Where it began it reads again if it ever goes on. */
void retry_see_round(unsigned number, const struct spin_time *since)
{
    const struct thread *thread = &execution.threads[number];
    const struct execution_graph *graph = exploration_graph(execution.exploration);
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        const struct execution_location *location = &graph->locations[event->location];
        if (event->thread != number || event->index <= since->events ||
            event->index > thread->now.of[number])
            continue;
        if (event->kind == EVENT_KIND_WRITE)
            shadow_leave_round(location->address, location->size, ACCESS_ATOMIC_WRITE);
        else if (event->kind == EVENT_KIND_READ && event->index > since->events + 1)
            shadow_leave_round(location->address, location->size, ACCESS_ATOMIC_READ);
    }
    all.has_lost_round |= thread->plain_reads - since->plain > MOST_LOGGED;
    for (unsigned i = since->plain; i < thread->plain_reads && !all.has_lost_round; i++) {
        const struct plain_read *read = &threads[number].log[i % MOST_LOGGED];
        shadow_leave_round(read->address, read->size, ACCESS_READ);
    }
}

bool retry_has_too_many_rounds(void)
{
    return all.goes_round && execution.recalls;
}

/* Whether what such an iteration reads could race, and was not gone through. */
static bool notices_round(void)
{
    return all.minds_order && !all.goes_round && (all.has_lost_round || shadow_is_round_noticed());
}

bool retry_misses_rounds(void)
{
    /* Loops around waits for conditions would have too many iterations. */
    return !execution.recalls && notices_round();
}

bool retry_leaves_rounds(void)
{
    return execution.recalls && notices_round();
}

/* Whether the thread, if the read that it asks for gave it this, would be back at that read, or at
 * one before it, and wait there. */
static bool comes_round(unsigned number, memory_value value)
{
    static struct trial_start now;
    const struct retry *retry = &threads[number];
    const struct kept_read *last = &retry->reads[retry->count - 1];
    bool back = false;
    value = execution_cut(value, last->place.request.access.size);
    if (stores(&last->place.request, value))
        return false;
    trial_begin(number, &now);
    if (trial_from(number, &last->place, value) && trial_plain() == 0)
        for (unsigned i = retry->count; i-- > 0 && !back;) {
            back = is_back(number, &retry->reads[i]);
            if (back)
                retry_see_round(number, &retry->reads[i].time);
        }
    trial_end(number, &now);
    return back;
}

static bool is_vain_alternative(unsigned number, memory_value value)
{
    bool vain = (may_come_round(number, &all.ends) && comes_round(number, value)) ||
                (may_try_again(number) && retry_would_repeat(number, value));
    if (vain)
        see_unmade(number);
    return vain;
}

void retry_look_ahead(unsigned number)
{
    struct exploration_access *access = &execution.threads[number].request.access;
    access->is_vain = NULL;
    if (!access->is_last && (may_come_round(number, &all.ends) || may_try_again(number)))
        access->is_vain = is_vain_alternative;
}

static bool spins_at_first(unsigned number, const struct execution_graph *graph)
{
    struct thread *thread = &execution.threads[number];
    const struct exploration_access *access = &thread->request.access;
    int location = -1;
    if (!may_come_round(number, &all.spins))
        return false;
    for (int i = 0; i < graph->location_count; i++)
        if (graph->locations[i].address == access->address)
            location = i;
    thread->spins = true;
    thread->spins = location >= 0 ? would_always_repeat(number, graph, (unsigned)location)
                                  : is_vain(number, memory_load(access->address, access->size));
    if (thread->spins)
        see_unmade(number);
    return thread->spins;
}

bool retry_has_waited(void)
{
    return all.has_waited;
}

bool retry_is_at_fault(void)
{
    return all.unmade_is_at_fault;
}

bool retry_awaits(unsigned number, const struct execution_graph *graph)
{
    struct thread *thread = &execution.threads[number];
    int location = all.enabled ? find_location(number, graph) : -1;
    thread->spins = false;
    thread->waits = (struct exchange_wait){
        .kind = WAIT_LOOP, .since = UINT8_MAX, .at = thread->request.access.at};
    if (location >= 0 && would_always_repeat(number, graph, (unsigned)location))
        return true;
    return spins_at_first(number, graph);
}
