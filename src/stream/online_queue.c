/* A queue, event by event.
 *
 * A value that is removed goes at once: all that it leaves behind is when its enqueue was invoked.
 * A value that is inside and whose enqueue was over by then has been overtaken: it is due at once,
 * a dequeue that runs now has taken it. Values become due in the order in which their enqueues
 * ended, and of two the first is due no later. So the history so far is linearizable as far as
 * orders go if the i-th value that is due finds i dequeues that run or are pending and were invoked
 * before it became due; and a dequeue that answers a value must have been invoked before that was
 * due. */
#include "stream/online_queue.h"

#include <string.h>

#include "base/faults.h"
#include "base/hash.h"
#include "base/linked.h"
#include "spec/queue.h"

#define NONE        RUNNING_NONE
#define NEVER       UINT64_MAX
#define RUNS_LONG   VALUE_TRUE /* said of a value that is unseen: its enqueue has not ended */
#define COVERS_MOST SIZE_OR_SMALL(1024, 4) /* kept to tell which points are none */

static struct queue *queue_of(const struct online *online)
{
    return (struct queue *)online;
}

/* ---- values ---- */

static uint64_t hash_of(value v)
{
    return hash_word(v);
}

static uint32_t find(const struct queue *queue, value wanted)
{
    struct table_search search = table_search(&queue->by_value, hash_of(wanted));
    while (table_next(&search))
        if (queue->items.items[search.number].value == wanted)
            return search.number;
    return NONE;
}

static void forget_value(struct queue *queue, uint32_t number)
{
    table_remove(&queue->by_value, hash_of(queue->items.items[number].value), number);
}

static void free_item(struct queue *queue, uint32_t number)
{
    queue->items.items[number] = (struct item){.after = queue->free};
    queue->free = number;
}

/* NONE when refused. */
static uint32_t add_item(struct queue *queue, value added, uint64_t begun, uint64_t serial)
{
    uint32_t number = queue->free;
    if (number == NONE) {
        number = (uint32_t)queue->items.length;
        if (!vector_reserve(&queue->items, queue->items.length + 1))
            return NONE;
        queue->items.length++;
    } else {
        queue->free = queue->items.items[number].after;
    }
    queue->items.items[number] = (struct item){
        .value = added, .begun = begun, .ended = NEVER, .due = NEVER, .serial = serial};
    return table_add(&queue->by_value, hash_of(added), number) ? number : NONE;
}

static enum online_answer add_value(struct queue *queue, const struct online_event *event)
{
    if (find(queue, event->call.argument) != NONE ||
        unseen_has(&queue->unseen, event->call.argument))
        return ONLINE_LEAVES;
    *event->handle = add_item(queue, event->call.argument, event->now, event->serial);
    return *event->handle != NONE ? ONLINE_POSSIBLE : ONLINE_REFUSED;
}

/* A dequeue answers a value: *number is where it is kept, NONE if it is not. False when refused. */
static bool find_answered(struct queue *queue, value answered, uint32_t *number)
{
    struct added enqueue;
    *number = find(queue, answered);
    if (*number != NONE || !unseen_take_pair(&queue->unseen, answered, &enqueue))
        return true;
    *number = add_item(queue, answered, enqueue.invoked, enqueue.serial);
    if (*number == NONE)
        return false;
    queue->items.items[*number].pending = enqueue.other != RUNS_LONG;
    queue->items.items[*number].aside = enqueue.other == RUNS_LONG;
    return true;
}

/* A dequeue has answered the value of an enqueue that runs for long. False when refused. */
static bool set_aside_taken(struct queue *queue, uint32_t number)
{
    const struct pending_operation enqueue = {.invoked = queue->items.items[number].begun,
                                              .serial = queue->items.items[number].serial,
                                              .detail = queue->items.items[number].dequeue};
    free_item(queue, number);
    return pending_list_add(&queue->taken, &enqueue);
}

/* Where the value is kept whose enqueue ends, and was set aside, if a dequeue has not answered it;
 * NONE when refused. */
static uint32_t find_long(struct queue *queue, const struct online_event *event)
{
    struct added enqueue;
    return unseen_take_of(&queue->unseen, event->call.argument, event->serial, &enqueue)
               ? add_item(queue, enqueue.value, enqueue.invoked, enqueue.serial)
               : NONE;
}

static void enter(struct queue *queue, uint32_t number, uint64_t now)
{
    struct item *item = &queue->items.items[number];
    item->ended = now;
    item->inside = true;
    LINKED_APPEND(queue, queue->items.items, number);
    queue->inside++;
}

static void leave(struct queue *queue, uint32_t number)
{
    const struct item *item = &queue->items.items[number];
    if (item->due != NEVER) {
        queue->due--;
        if (queue->last_due == number)
            queue->last_due = item->before;
    }
    LINKED_REMOVE(queue, queue->items.items, number);
    queue->inside--;
    free_item(queue, number);
}

/* ---- witnesses ---- */

static bool add_witness(struct witnesses *witnesses, struct witness witness)
{
    return vector_push(&witnesses->items, witness);
}

/* Keeps of the overtakers those by which some value is due, and the last. */
static void thin_overtakers(struct queue *queue)
{
    struct witnesses *all = &queue->overtakers;
    size_t kept = 0;
    uint32_t item = queue->due ? queue->first : NONE;
    if (all->items.length < all->next)
        return;
    for (size_t i = 0; i < all->items.length; i++) {
        struct witness witness = all->items.items[i];
        while (item != NONE && queue->items.items[item].due < witness.to)
            item = queue->items.items[item].after;
        bool needed = item != NONE && queue->items.items[item].due == witness.to;
        if (needed || i + 1 == all->items.length)
            all->items.items[kept++] = witness;
    }
    all->items.length = kept;
    all->next = online_next(&queue->online, kept);
}

/* Keeps of the covers that matter enough to cover the same points. They stand in the order of their
 * removals' answers, which is not that of their intervals. */
static void thin_covers(struct queue *queue)
{
    struct witnesses *all = &queue->covers;
    struct witness *items = all->items.items;
    if (all->items.length < all->next)
        return;
    uint64_t since = queue_needed_since(queue);
    size_t kept = 0;
    for (size_t i = 0; i < all->items.length; i++) {
        if (items[i].to <= since)
            continue;
        struct witness witness = items[i];
        bool within = false;
        while (kept && !within) {
            const struct witness *other = &items[kept - 1];
            within = other->from <= witness.from && witness.to <= other->to;
            if (within || !(witness.from <= other->from && other->to <= witness.to))
                break;
            kept--;
        }
        if (!within)
            items[kept++] = witness;
    }
    /* Ends in order now, or nearly: of three in a row that touch, the middle one is not needed. */
    size_t left = 0;
    for (size_t i = 0; i < kept; i++) {
        while (left >= 2 && items[left - 2].to > items[i].from &&
               items[left - 2].from <= items[left - 1].from && items[left - 1].to <= items[i].to)
            left--;
        items[left++] = items[i];
    }
    if (left > COVERS_MOST) {
        for (size_t i = 0; i < left; i++)
            if (queue->uncovered < items[i].to)
                queue->uncovered = items[i].to;
        left = 0;
    }
    all->items.length = left;
    all->next = online_next(&queue->online, left);
}

/* ---- what is due ---- */

/* A dequeue has answered the value: what it overtook is due. */
static bool overtake(struct queue *queue, const struct item *removed, uint64_t dequeue,
                     uint64_t now)
{
    struct witness witness = {removed->begun, now, removed->serial, dequeue};
    if (queue->overtaken >= removed->begun)
        return true;
    queue->overtaken = removed->begun;
    uint32_t number =
        queue->last_due == NONE ? queue->first : queue->items.items[queue->last_due].after;
    for (; number != NONE; number = queue->items.items[number].after) {
        struct item *item = &queue->items.items[number];
        if (item->ended >= queue->overtaken)
            break;
        if (item == removed)
            continue;
        item->due = now;
        queue->due++;
        queue->last_due = number;
    }
    thin_overtakers(queue);
    return add_witness(&queue->overtakers, witness);
}

/* Pending dequeues from which nothing tells any more when they were invoked. */
static bool age(struct queue *queue)
{
    struct running *dequeues = &queue->dequeues;
    struct running_walk walk;
    uint64_t until = queue->due ? queue->items.items[queue->first].due : NEVER;
    if (queue->points.length && queue->points.items[0].at < until)
        until = queue->points.items[0].at;
    while (queue->online.drops != DROPS_NOTHING && running_oldest(dequeues) < until &&
           running_oldest(dequeues) != running_since(dequeues)) {
        running_walk_first(dequeues, &walk);
        if (!pile_add(&queue->old, running_walk_at(&walk)->serial))
            return false;
        running_walk_remove(dequeues, &walk);
    }
    return true;
}

/* Where only pending dequeues are left that can have taken the first value that is due, one of them
 * has, and both are over with. Which does not matter: all that follows is due later. */
static bool settle(struct queue *queue)
{
    struct item *item = &queue->items.items[queue->first];
    struct running_walk walk;
    if (queue->online.drops == DROPS_NOTHING || running_since(&queue->dequeues) < item->due ||
        (queue->points.length && queue->points.items[0].at <= item->ended))
        return false;
    running_walk_before(&queue->dequeues, item->due, &walk);
    const struct pending_operation *taker = running_walk_at(&walk);
    if (!taker && !queue->old.count)
        return false;
    const uint64_t invoked = queue->old.count ? 0 : taker->invoked;
    if (queue->points.length && queue->points.items[0].at < invoked)
        return false;
    for (size_t i = 0; i < queue->points.length; i++)
        queue->points.items[i].values--;
    if (invoked > item->ended && queue->uncovered < invoked)
        queue->uncovered = invoked;
    if (queue->old.count) {
        pile_take(&queue->old);
        queue_taker_gone(queue, 0);
    } else {
        running_walk_remove(&queue->dequeues, &walk);
        queue_taker_gone(queue, invoked);
    }
    forget_value(queue, queue->first);
    leave(queue, queue->first);
    return true;
}

/* Whether each value that is due may have been taken, where that was so before a dequeue was over
 * that was invoked then: it could have taken none that was due earlier. So of many values and
 * dequeues that have been there for long none is looked at. */
static bool may_be_taken(const struct queue *queue, uint64_t since)
{
    uint64_t have = queue_takers(queue), need = queue->due;
    uint32_t number = queue->last_due;
    const struct pending_operation *dequeue;
    struct running_walk walk;
    running_walk_last(&queue->dequeues, &walk);
    for (; number != NONE && queue->items.items[number].due > since; need--) {
        const struct item *item = &queue->items.items[number];
        for (; (dequeue = running_walk_at(&walk)) && dequeue->invoked > item->due;
             running_walk_back(&walk))
            have--;
        if (have < need)
            return false;
        number = item->before;
    }
    return true;
}

/* What follows from one dequeue less, which was invoked then, or one that is pending now: NEVER.
 * Where one settles a value, all others may still be taken: there is one value less that was due
 * before them, too. */
static enum online_answer look(struct queue *queue, uint64_t since)
{
    enum online_answer answer = queue_sweep(queue);
    if (answer != ONLINE_POSSIBLE)
        return answer;
    if (!age(queue))
        return ONLINE_REFUSED;
    if (!may_be_taken(queue, since))
        return ONLINE_IMPOSSIBLE;
    while (queue->due && settle(queue))
        ;
    return age(queue) ? ONLINE_POSSIBLE : ONLINE_REFUSED;
}

/* ---- events ---- */

static enum online_answer end_enqueue(struct queue *queue, const struct online_event *event)
{
    if (event->stage == STAGE_COMPLETES && event->call.result_known)
        return ONLINE_LEAVES;
    struct pending_walk walk;
    bool taken = *event->handle == NONE && pending_list_find(&queue->taken, event->serial, &walk);
    if (taken)
        pending_list_remove(&queue->taken, &walk);
    const uint32_t number =
        *event->handle == NONE && !taken ? find_long(queue, event) : *event->handle;
    if (number == NONE && !taken)
        return ONLINE_REFUSED;
    if (!taken && queue->items.items[number].taken) {
        free_item(queue, number);
        taken = true;
    }
    if (taken)
        return event->stage == STAGE_FAILED ? ONLINE_IMPOSSIBLE : ONLINE_POSSIBLE;
    if (event->stage == STAGE_COMPLETES) {
        enter(queue, number, event->now);
    } else if (event->stage == STAGE_FAILED) {
        forget_value(queue, number);
        free_item(queue, number);
    } else {
        const struct item item = queue->items.items[number];
        forget_value(queue, number);
        free_item(queue, number);
        if (!unseen_add(&queue->unseen, item.value, item.begun, item.serial))
            return ONLINE_REFUSED;
    }
    return ONLINE_POSSIBLE;
}

static enum online_answer end_dequeue(struct queue *queue, const struct online_event *event)
{
    if (event->stage == STAGE_PENDING) {
        running_stays(&queue->dequeues, *event->handle, event->serial);
        return look(queue, NEVER);
    }
    if (event->stage == STAGE_COMPLETES && !event->call.result_known)
        return ONLINE_LEAVES;
    const uint64_t begun = running_find(&queue->dequeues, *event->handle, event->serial).invoked;
    enum online_answer answer = ONLINE_POSSIBLE;
    if (event->stage == STAGE_COMPLETES && event->call.result != VALUE_NIL) {
        uint32_t number;
        if (!find_answered(queue, event->call.result, &number))
            return ONLINE_REFUSED;
        if (number == NONE)
            return ONLINE_IMPOSSIBLE; /* never added, or removed before */
        struct item *item = &queue->items.items[number];
        if (item->inside && item->due < begun)
            return ONLINE_IMPOSSIBLE;
        forget_value(queue, number);
        if (!overtake(queue, item, event->serial, event->now))
            return ONLINE_REFUSED;
        if (item->inside && item->ended < begun) {
            struct witness cover = {item->ended, begun, item->serial, event->serial};
            thin_covers(queue);
            if (!add_witness(&queue->covers, cover))
                return ONLINE_REFUSED;
        }
        if (item->inside) {
            queue_value_gone(queue, item->ended, begun);
            leave(queue, number);
        } else if (item->pending) {
            free_item(queue, number);
        } else {
            item->taken = true;
            item->dequeue = event->serial;
            if (item->aside && !set_aside_taken(queue, number))
                return ONLINE_REFUSED;
        }
    }
    (void)running_end(&queue->dequeues, *event->handle, event->serial);
    queue_taker_gone(queue, begun);
    if (event->stage == STAGE_COMPLETES && event->call.result == VALUE_NIL)
        answer = queue_found_nothing(queue, event, begun);
    return answer == ONLINE_POSSIBLE ? look(queue, begun) : answer;
}

static enum online_answer queue_event(struct online *online, const struct online_event *event)
{
    struct queue *queue = queue_of(online);
    if (event->call.operation == QUEUE_ENQUEUE)
        return event->stage == STAGE_RUNNING ? add_value(queue, event) : end_enqueue(queue, event);
    if (event->stage != STAGE_RUNNING)
        return end_dequeue(queue, event);
    *event->handle = running_add(&queue->dequeues, event->now, event->serial);
    return *event->handle != NONE && queue_add_point(queue, event->now) ? ONLINE_POSSIBLE
                                                                        : ONLINE_REFUSED;
}

/* The value of an enqueue that runs for long is as good as one whose enqueue is pending. */
static bool queue_set_aside(struct online *online, const struct call *call, uint64_t serial,
                            uint32_t *handle)
{
    struct queue *queue = queue_of(online);
    if (call->operation != QUEUE_ENQUEUE)
        return running_set_aside(&queue->dequeues, *handle, serial, online->drops);
    if (*handle == NONE)
        return true;
    if (queue->items.items[*handle].taken) {
        const uint32_t number = *handle;
        *handle = NONE;
        return set_aside_taken(queue, number);
    }
    const struct item *item = &queue->items.items[*handle];
    const struct added enqueue = {
        .value = item->value, .other = RUNS_LONG, .invoked = item->begun, .serial = item->serial};
    if (!unseen_add_pair(&queue->unseen, &enqueue))
        return false;
    forget_value(queue, *handle);
    free_item(queue, *handle);
    *handle = NONE;
    return true;
}

/* ---- what is kept ---- */

static void queue_destroy(struct online *online)
{
    struct queue *queue = queue_of(online);
    running_release(&queue->dequeues);
    table_release(&queue->by_value);
    unseen_release(&queue->unseen);
    pending_list_release(&queue->taken);
    pile_release(&queue->old);
    vectors_release(&queue->items, &queue->points, &queue->doubtful, &queue->certain,
                    &queue->overtakers.items, &queue->covers.items);
    memory_release(online->budget, queue, sizeof *queue);
}

static size_t queue_retained(const struct online *online)
{
    const struct queue *queue = queue_of(online);
    return queue->by_value.count + unseen_count(&queue->unseen) + queue_takers(queue) +
           queue->points.length + queue->doubtful.length + queue->overtakers.items.length +
           queue->covers.items.length;
}

static bool each_witness(const struct witnesses *witnesses, const struct online_visitor *visitor)
{
    for (size_t i = 0; i < witnesses->items.length; i++)
        if (!visitor->visit(visitor->context, witnesses->items.items[i].add) ||
            !visitor->visit(visitor->context, witnesses->items.items[i].remove))
            return false;
    return true;
}

/* Both operations of a value that was taken, until the enqueue has ended, too: without the dequeue
 * it would be inside then. */
static bool each_taken(const struct pending_list *taken, const struct online_visitor *visitor)
{
    const struct pending_operation *enqueue;
    struct pending_walk walk;
    for (pending_list_first(taken, &walk); (enqueue = pending_walk_at(&walk));
         pending_walk_next(&walk))
        if (!visitor->visit(visitor->context, enqueue->serial) ||
            !visitor->visit(visitor->context, enqueue->detail))
            return false;
    return true;
}

static bool queue_each(const struct online *online, const struct online_visitor *visitor)
{
    const struct queue *queue = queue_of(online);
    for (size_t i = 0; i < queue->items.length; i++) {
        const struct item *item = &queue->items.items[i];
        if (item->begun && (!visitor->visit(visitor->context, item->serial) ||
                            (item->taken && !visitor->visit(visitor->context, item->dequeue))))
            return false;
    }
    if (!running_each(&queue->dequeues, visitor) || !unseen_each(&queue->unseen, visitor) ||
        !each_taken(&queue->taken, visitor) || !pile_each(&queue->old, visitor))
        return false;
    for (size_t i = 0; i < queue->doubtful.length; i++)
        if (!visitor->visit(visitor->context, queue->doubtful.items[i].serial))
            return false;
    return each_witness(&queue->overtakers, visitor) && each_witness(&queue->covers, visitor);
}

static bool queue_is_exact(struct online *online)
{
    struct queue *queue = queue_of(online);
    return queue_needed_since(queue) >= queue->uncovered;
}

static void archive_items(struct archive *archive, struct queue *queue)
{
    ARCHIVE_LENGTH(archive, &queue->items);
    const size_t length = queue->items.length;
    for (size_t i = 0; i < length; i++) {
        struct item *item = &queue->items.items[i];
        archive_value(archive, &item->value);
        ARCHIVE(archive, item->begun);
        ARCHIVE(archive, item->ended);
        ARCHIVE(archive, item->due);
        ARCHIVE(archive, item->serial);
        item->before = archive_place(archive, item->before, length);
        item->after = archive_place(archive, item->after, length);
        ARCHIVE(archive, item->inside);
        ARCHIVE(archive, item->taken);
    }
    queue->free = archive_place(archive, queue->free, length);
    queue->first = archive_place(archive, queue->first, length);
    queue->last = archive_place(archive, queue->last, length);
    queue->last_due = archive_place(archive, queue->last_due, length);
    ARCHIVE(archive, queue->inside);
    ARCHIVE(archive, queue->due);
}

static void archive_witnesses(struct archive *archive, struct witnesses *witnesses)
{
    ARCHIVE_LENGTH(archive, &witnesses->items);
    for (size_t i = 0; i < witnesses->items.length; i++) {
        struct witness *witness = &witnesses->items.items[i];
        ARCHIVE(archive, witness->from);
        ARCHIVE(archive, witness->to);
        ARCHIVE(archive, witness->add);
        ARCHIVE(archive, witness->remove);
    }
    ARCHIVE(archive, witnesses->next);
}

static void archive_points(struct archive *archive, struct queue *queue)
{
    ARCHIVE_LENGTH(archive, &queue->points);
    for (size_t i = 0; i < queue->points.length; i++) {
        ARCHIVE(archive, queue->points.items[i].at);
        ARCHIVE(archive, queue->points.items[i].values);
        ARCHIVE(archive, queue->points.items[i].takers);
    }
    ARCHIVE_LENGTH(archive, &queue->doubtful);
    for (size_t i = 0; i < queue->doubtful.length; i++) {
        ARCHIVE(archive, queue->doubtful.items[i].begun);
        ARCHIVE(archive, queue->doubtful.items[i].ended);
        ARCHIVE(archive, queue->doubtful.items[i].serial);
    }
    ARCHIVE(archive, queue->next_doubtful);
    ARCHIVE(archive, queue->last_certain);
}

static void queue_archive(struct online *online, struct archive *archive)
{
    struct queue *queue = queue_of(online);
    archive_items(archive, queue);
    running_archive(archive, &queue->dequeues, false);
    unseen_archive(archive, &queue->unseen);
    pending_list_archive(archive, &queue->taken, false);
    pile_archive(archive, &queue->old);
    ARCHIVE(archive, queue->overtaken);
    archive_points(archive, queue);
    archive_witnesses(archive, &queue->overtakers);
    archive_witnesses(archive, &queue->covers);
    ARCHIVE(archive, queue->uncovered);
    for (uint32_t i = 0; i < queue->items.length && archive_reads(archive); i++) {
        const struct item *item = &queue->items.items[i];
        bool is_met = item->begun && !item->taken;
        if (is_met && !table_add(&queue->by_value, hash_of(item->value), i))
            archive_fail(archive, STATUS_LIMIT);
    }
}

/* Whether an enqueue has yet to end. */
static bool has_items(const struct queue *queue)
{
    size_t unused = 0;
    for (uint32_t at = queue->free; at != NONE; at = queue->items.items[at].after)
        unused++;
    return unused < queue->items.length || queue->taken.count;
}

/* It is empty, and all that has happened is over: what comes is behind all of it. */
static bool queue_rests(struct online *online, uint64_t *state)
{
    const struct queue *queue = queue_of(online);
    *state = 0;
    return queue->by_value.count == 0 && unseen_count(&queue->unseen) == 0 &&
           queue_takers(queue) == 0 && queue->doubtful.length == 0 &&
           online->drops != DROPS_NOTHING && !has_items(queue);
}

/* It is empty at first. */
static bool queue_begin(struct online *online, uint64_t state)
{
    (void)online;
    (void)state;
    return true;
}

static const struct online_class queue_online = {
    .event = queue_event,
    .destroy = queue_destroy,
    .retained = queue_retained,
    .each = queue_each,
    .is_exact = queue_is_exact,
    .rests = queue_rests,
    .begin = queue_begin,
    .set_aside = queue_set_aside,
    .archive = queue_archive,
};

struct online *online_queue_create(const struct spec *spec, struct budget *budget)
{
    struct queue *queue = memory_zeroed(budget, sizeof *queue);
    if (!queue)
        return NULL;
    queue->online = (struct online){.class = &queue_online, .spec = spec, .budget = budget};
    pile_init(&queue->old, budget);
    vectors_init(budget, &queue->items, &queue->points, &queue->doubtful, &queue->certain,
                 &queue->overtakers.items, &queue->covers.items);
    table_init(&queue->by_value, budget);
    unseen_init(&queue->unseen, budget);
    pending_list_init(&queue->taken, budget);
    running_init(&queue->dequeues, budget);
    queue->free = queue->first = queue->last = queue->last_due = NONE;
    queue->next_doubtful = 8;
    return &queue->online;
}
