#include "stream/online_container.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/linked.h"
#include "monitor/monitors.h"

#define NONE      RUNNING_NONE
#define NEVER     CONTAINER_NEVER
#define ROOM_MOST SIZE_OR_SMALL(1024, 2) /* operations to decide, for which it is kept */

static struct container_online *container_of(const struct online *online)
{
    return (struct container_online *)online;
}

/* ---- values ---- */

uint32_t container_online_find(const struct container_online *container, value wanted)
{
    struct table_search search = table_search(&container->by_value, hash_word(wanted));
    while (table_next(&search))
        if (container->stays.items[search.number].value == wanted)
            return search.number;
    return NONE;
}

static void free_stay(struct container_online *container, uint32_t number)
{
    container->stays.items[number] = (struct stay_of){.after = container->free};
    container->free = number;
}

/* NONE when refused. */
static uint32_t add_stay(struct container_online *container, value added, uint64_t begun,
                         uint64_t serial)
{
    uint32_t number = container->free;
    if (number == NONE) {
        number = (uint32_t)container->stays.length;
        if (!vector_reserve(&container->stays, container->stays.length + 1))
            return NONE;
        container->stays.length++;
    } else {
        container->free = container->stays.items[number].after;
    }
    container->stays.items[number] = (struct stay_of){.value = added,
                                                      .add_begun = begun,
                                                      .add_ended = NEVER,
                                                      .remove_begun = NEVER,
                                                      .remove_ended = NEVER,
                                                      .add = serial,
                                                      .remove = NEVER,
                                                      .used = true};
    return table_add(&container->by_value, hash_word(added), number) ? number : NONE;
}

/* The add of a value never answers, and nobody has removed it. False when refused. */
static bool put_by(struct container_online *container, uint32_t number)
{
    const struct stay_of stay = container->stays.items[number];
    table_remove(&container->by_value, hash_word(stay.value), number);
    free_stay(container, number);
    return unseen_add(&container->unseen, stay.value, stay.add_begun, stay.add);
}

/* A value that was unseen is kept at *number. False when refused. */
static bool return_stay(struct container_online *container, const struct added *add,
                        uint32_t *number)
{
    *number = add_stay(container, add->value, add->invoked, add->serial);
    if (*number == NONE)
        return false;
    container->stays.items[*number].adding = add->other == CONTAINER_RUNS_LONG;
    container->stays.items[*number].handle = NONE;
    return true;
}

/* A removal answers a value: *number is where it is kept, NONE if it is not. False when refused. */
static bool find_answered(struct container_online *container, value answered, uint32_t *number)
{
    struct added add;
    *number = container_online_find(container, answered);
    if (*number != NONE || !unseen_take_pair(&container->unseen, answered, &add))
        return true;
    return return_stay(container, &add, number);
}

static void enter(struct container_online *container, uint32_t number)
{
    container->stays.items[number].inside = true;
    LINKED_APPEND(container, container->stays.items, number);
    container->inside++;
}

static void leave(struct container_online *container, uint32_t number)
{
    if (container->rules->leaves)
        container->rules->leaves(container, number);
    LINKED_REMOVE(container, container->stays.items, number);
    container->stays.items[number].inside = false;
    container->inside--;
}

void container_online_drop(struct container_online *container, uint32_t number)
{
    struct stay_of *stay = &container->stays.items[number];
    table_remove(&container->by_value, hash_word(stay->value), number);
    if (stay->inside)
        leave(container, number);
    stay->gone = true;
    if (!stay->adding)
        free_stay(container, number);
}

bool container_online_remove(struct container_online *container, uint32_t number, uint64_t begun,
                             uint64_t ended, uint64_t serial)
{
    struct stay_of *stay = &container->stays.items[number];
    if (stay->inside)
        leave(container, number);
    stay->remove_begun = begun > stay->add_begun ? begun : stay->add_begun;
    stay->remove_ended = ended;
    stay->remove = serial;
    stay->certain = false;
    return vector_push(&container->removed, number);
}

/* ---- events ---- */

/* What a look took, which may be much beside what is kept. */
static void tidy(struct container_online *container)
{
    if (container->intervals.capacity + container->removed.length <= ROOM_MOST)
        return;
    container->rules->tidy(container);
    vectors_release(&container->intervals, &container->events);
    decision_release(&container->decision);
    decision_init(&container->decision, container->online.budget);
}

static enum online_answer look(struct online *online)
{
    struct container_online *container = container_of(online);
    if (!container->told)
        return ONLINE_POSSIBLE;
    container->told = 0;
    enum online_answer answer = container->rules->look(container);
    tidy(container);
    container->next = online_next_look(container->removed.length + container->empties.length);
    return answer;
}

static enum online_answer begin_add(struct container_online *container,
                                    const struct online_event *event)
{
    value added = event->call.argument;
    uint32_t number = container_online_find(container, added);
    if (number != NONE && container->stays.items[number].remove_ended != NEVER) {
        enum online_answer answer = look(&container->online);
        if (answer != ONLINE_POSSIBLE)
            return answer;
        number = container_online_find(container, added);
    }
    if (number != NONE || unseen_has(&container->unseen, added) ||
        (container->rules->integers && value_kind_of(added) != KIND_INTEGER))
        return ONLINE_LEAVES;
    number = add_stay(container, added, event->now, event->serial);
    if (number == NONE)
        return ONLINE_REFUSED;
    struct stay_of *stay = &container->stays.items[number];
    stay->adding = true;
    stay->handle = running_add(&container->adds, event->now, event->serial);
    *event->handle = number;
    return stay->handle != NONE ? ONLINE_POSSIBLE : ONLINE_REFUSED;
}

/* Where the value is kept whose add ends; NONE: it is gone, and forgotten now. False when refused.
 */
static bool find_added(struct container_online *container, const struct online_event *event,
                       uint32_t *number)
{
    const struct stay_of *stays = container->stays.items;
    struct pending_walk walk;
    struct added add;
    *number = *event->handle;
    if (*number != NONE)
        return true;
    if (unseen_take_of(&container->unseen, event->call.argument, event->serial, &add))
        return return_stay(container, &add, number);
    if (pending_list_find(&container->taken, event->serial, &walk)) {
        pending_list_remove(&container->taken, &walk);
        return true;
    }
    for (*number = 0; *number < container->stays.length; ++*number)
        if (stays[*number].adding && stays[*number].add == event->serial)
            return true;
    *number = NONE;
    return true;
}

static enum online_answer end_add(struct container_online *container,
                                  const struct online_event *event)
{
    uint32_t number;
    if (event->stage == STAGE_COMPLETES && event->call.result_known)
        return ONLINE_LEAVES;
    if (!find_added(container, event, &number))
        return ONLINE_REFUSED;
    struct stay_of *stay = number == NONE ? NULL : &container->stays.items[number];
    (void)running_end(&container->adds, stay ? stay->handle : NONE, event->serial);
    if (stay)
        stay->adding = false;
    if (stay && stay->gone)
        free_stay(container, number);
    if (!stay || stay->gone || stay->remove_ended != NEVER)
        return event->stage == STAGE_FAILED ? ONLINE_IMPOSSIBLE : ONLINE_POSSIBLE;
    if (event->stage == STAGE_PENDING)
        return put_by(container, number) ? ONLINE_POSSIBLE : ONLINE_REFUSED;
    if (event->stage == STAGE_FAILED) {
        container_online_drop(container, number);
        return ONLINE_POSSIBLE;
    }
    stay->add_ended = event->now;
    enter(container, number);
    return !container->rules->enters || container->rules->enters(container, number)
               ? ONLINE_POSSIBLE
               : ONLINE_REFUSED;
}

/* The answer where something is impossible with what is kept. */
static enum online_answer impossible(const struct container_online *container)
{
    return container->guessed > container->since ? ONLINE_REFUSED : ONLINE_IMPOSSIBLE;
}

/* A removal that was invoked at `begun` has answered a value. */
static enum online_answer take(struct container_online *container, uint64_t begun,
                               const struct online_event *event)
{
    uint32_t number;
    if (!find_answered(container, event->call.result, &number))
        return ONLINE_REFUSED;
    if (number == NONE || container->stays.items[number].remove_ended != NEVER)
        return impossible(container); /* never added, or removed before */
    return container_online_remove(container, number, begun, event->now, event->serial)
               ? ONLINE_POSSIBLE
               : ONLINE_REFUSED;
}

static enum online_answer end_removal(struct container_online *container,
                                      const struct online_event *event)
{
    const uint64_t begun =
        running_find(&container->removals, *event->handle, event->serial).invoked;
    if (event->stage == STAGE_PENDING) {
        const struct pending_operation pending = {
            .invoked = begun, .serial = event->serial, .pending = true};
        (void)running_end(&container->removals, *event->handle, event->serial);
        return pending_list_add(&container->pendings, &pending) ? ONLINE_POSSIBLE : ONLINE_REFUSED;
    }
    if (event->stage == STAGE_COMPLETES && !event->call.result_known)
        return ONLINE_LEAVES;
    enum online_answer answer = ONLINE_POSSIBLE;
    if (event->stage == STAGE_COMPLETES && event->call.result != VALUE_NIL) {
        answer = take(container, begun, event);
    } else if (event->stage == STAGE_COMPLETES) {
        struct found_empty empty = {.begun = begun, .ended = event->now, .serial = event->serial};
        if (!vector_push(&container->empties, empty))
            return ONLINE_REFUSED;
    }
    (void)running_end(&container->removals, *event->handle, event->serial);
    return answer;
}

static enum online_answer tell(struct container_online *container, const struct online_event *event)
{
    if (event->call.operation == container->rules->add)
        return event->stage == STAGE_RUNNING ? begin_add(container, event)
                                             : end_add(container, event);
    if (event->stage != STAGE_RUNNING)
        return end_removal(container, event);
    *event->handle = running_add(&container->removals, event->now, event->serial);
    return *event->handle != NONE ? ONLINE_POSSIBLE : ONLINE_REFUSED;
}

/* The value of an add that runs for long is as good as one whose add is pending; but when that was
 * invoked is known as before. */
static bool set_aside_add(struct container_online *container, uint64_t serial, uint32_t *handle)
{
    const struct stay_of *stay = container->stays.items + *handle;
    if (*handle == NONE)
        return true;
    if (!running_set_aside(&container->adds, stay->handle, serial, container->online.drops))
        return false;
    if (stay->gone) {
        const struct pending_operation add = {
            .invoked = stay->add_begun, .serial = serial, .detail = stay->remove};
        if (!pending_list_add(&container->taken, &add))
            return false;
        free_stay(container, *handle);
        *handle = NONE;
    }
    if (*handle == NONE || stay->remove_ended != NEVER)
        return true;
    const struct added add = {.value = stay->value,
                              .other = CONTAINER_RUNS_LONG,
                              .invoked = stay->add_begun,
                              .serial = serial};
    if (!unseen_add_pair(&container->unseen, &add))
        return false;
    table_remove(&container->by_value, hash_word(stay->value), *handle);
    free_stay(container, *handle);
    *handle = NONE;
    return true;
}

static bool container_set_aside(struct online *online, const struct call *call, uint64_t serial,
                                uint32_t *handle)
{
    struct container_online *container = container_of(online);
    return call->operation == container->rules->add
               ? set_aside_add(container, serial, handle)
               : running_set_aside(&container->removals, *handle, serial, online->drops);
}

static enum online_answer container_event(struct online *online, const struct online_event *event)
{
    struct container_online *container = container_of(online);
    container->now = event->now;
    enum online_answer answer = tell(container, event);
    if (answer == ONLINE_POSSIBLE && ++container->told >= container->next)
        return look(online);
    return answer;
}

/* ---- deciding ---- */

/* Adds an operation; `ended`: NEVER. */
static bool add_interval(struct container_online *container, const struct call *call,
                         uint64_t begun, uint64_t ended)
{
    struct interval interval = {.call = *call, .response = POSITION_NEVER};
    struct container_event begins = {begun, (uint32_t)container->intervals.length, false};
    struct container_event ends = {ended, begins.interval, true};
    return vector_push(&container->intervals, interval) &&
           vector_push(&container->events, begins) &&
           (ended == NEVER || vector_push(&container->events, ends));
}

static bool add_of(struct container_online *container, uint32_t number)
{
    const struct stay_of *stay = &container->stays.items[number];
    struct call add = {.operation = container->rules->add, .argument = stay->value};
    struct call remove = {
        .operation = container->rules->remove, .result = stay->value, .result_known = true};
    return add_interval(container, &add, stay->add_begun, stay->add_ended) &&
           (stay->remove_ended == NEVER ||
            add_interval(container, &remove, stay->remove_begun, stay->remove_ended));
}

/* Adds removals that run or are pending, of each so many at most. */
static bool add_removals(struct container_online *container, size_t most)
{
    const struct call remove = {.operation = container->rules->remove};
    const struct pending_operation *removal;
    struct pending_walk pending;
    struct running_walk running;
    bool done = true;
    running_walk_first(&container->removals, &running);
    for (size_t i = 0; i < most && done && (removal = running_walk_at(&running)); i++) {
        done = add_interval(container, &remove, removal->invoked, NEVER);
        running_walk_next(&running);
    }
    pending_list_first(&container->pendings, &pending);
    for (size_t i = 0; i < most && done && (removal = pending_walk_at(&pending)); i++) {
        done = add_interval(container, &remove, removal->invoked, NEVER);
        pending_walk_next(&pending);
    }
    return done;
}

static bool add_all(struct container_online *container, size_t from, const uint32_t *inside,
                    size_t count)
{
    struct call remove = {
        .operation = container->rules->remove, .result = VALUE_NIL, .result_known = true};
    bool done = add_removals(container, count);
    for (size_t i = from; i < container->removed.length && done; i++)
        done = add_of(container, container->removed.items[i]);
    for (size_t i = 0; i < count && done; i++)
        done = add_of(container, inside[i]);
    for (size_t i = 0; i < container->empties.length && done; i++)
        done = add_interval(container, &remove, container->empties.items[i].begun,
                            container->empties.items[i].ended);
    return done;
}

/* A removal that was invoked with its add, or before, comes behind it. */
static int compare_events(const void *first, const void *second)
{
    const struct container_event *a = first, *b = second;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (a->interval > b->interval) - (a->interval < b->interval);
}

static int compare_intervals(const void *first, const void *second)
{
    const struct interval *a = first, *b = second;
    return (a->invoke > b->invoke) - (a->invoke < b->invoke);
}

enum online_answer container_online_decide(struct container_online *container, size_t from,
                                           const uint32_t *inside, size_t count)
{
    struct error error;
    container->intervals.length = container->events.length = 0;
    decision_clear(&container->decision);
    if (!add_all(container, from, inside, count))
        return ONLINE_REFUSED;
    if (!container->intervals.length)
        return ONLINE_POSSIBLE;
    qsort(container->events.items, container->events.length, sizeof *container->events.items,
          compare_events);
    for (uint32_t i = 0; i < container->events.length; i++) {
        const struct container_event *event = &container->events.items[i];
        struct interval *interval = &container->intervals.items[event->interval];
        *(event->ends ? &interval->response : &interval->invoke) = i;
    }
    qsort(container->intervals.items, container->intervals.length,
          sizeof *container->intervals.items, compare_intervals);
    struct part part = {.spec = container->online.spec,
                        .intervals = container->intervals.items,
                        .count = (uint32_t)container->intervals.length,
                        .positions = (uint32_t)container->events.length};
    part.pending = 2 * part.count - part.positions;
    for (uint32_t i = 0; i < part.count; i++)
        container->intervals.items[i].index = i;
    if (monitor_decide(&part, container->limits, &container->decision, &error) != STATUS_OK ||
        container->decision.verdict == VERDICT_UNKNOWN)
        return ONLINE_REFUSED;
    if (container->decision.verdict == VERDICT_LINEARIZABLE)
        return ONLINE_POSSIBLE;
    return impossible(container);
}

/* ---- what is kept ---- */

static void container_destroy(struct online *online)
{
    container_of(online)->rules->release(container_of(online));
}

static size_t container_retained(const struct online *online)
{
    const struct container_online *container = container_of(online);
    return container->by_value.count + unseen_count(&container->unseen) +
           container->removed.length + container->empties.length + container->removals.count +
           container->pendings.count;
}

static bool each_taken(const struct container_online *container,
                       const struct online_visitor *visitor)
{
    const struct pending_operation *add;
    struct pending_walk walk;
    for (pending_list_first(&container->taken, &walk); (add = pending_walk_at(&walk));
         pending_walk_next(&walk))
        if (!visitor->visit(visitor->context, add->serial) ||
            !visitor->visit(visitor->context, add->detail))
            return false;
    return true;
}

static bool container_each(const struct online *online, const struct online_visitor *visitor)
{
    const struct container_online *container = container_of(online);
    for (size_t i = 0; i < container->stays.length; i++) {
        const struct stay_of *stay = &container->stays.items[i];
        if (stay->used && !visitor->visit(visitor->context, stay->add))
            return false;
        if (stay->used && stay->remove != NEVER && !visitor->visit(visitor->context, stay->remove))
            return false;
    }
    for (size_t i = 0; i < container->empties.length; i++)
        if (!visitor->visit(visitor->context, container->empties.items[i].serial))
            return false;
    return running_each(&container->removals, visitor) && each_taken(container, visitor) &&
           pending_list_each(&container->pendings, visitor) &&
           unseen_each(&container->unseen, visitor);
}

static bool container_is_exact(struct online *online)
{
    return container_of(online)->guessed <= container_of(online)->since;
}

/* ---- checkpoints ---- */

static void archive_stay(struct archive *archive, struct stay_of *stay, size_t stays, size_t adds)
{
    archive_value(archive, &stay->value);
    ARCHIVE(archive, stay->add_begun);
    ARCHIVE(archive, stay->add_ended);
    ARCHIVE(archive, stay->remove_begun);
    ARCHIVE(archive, stay->remove_ended);
    ARCHIVE(archive, stay->add);
    ARCHIVE(archive, stay->remove);
    stay->before = archive_place(archive, stay->before, stays);
    stay->after = archive_place(archive, stay->after, stays);
    stay->rank = archive_place(archive, stay->rank, stays);
    stay->handle = archive_place(archive, stay->handle, adds);
    ARCHIVE(archive, stay->used);
    ARCHIVE(archive, stay->adding);
    ARCHIVE(archive, stay->inside);
    ARCHIVE(archive, stay->certain);
    ARCHIVE(archive, stay->gone);
}

static void archive_stays(struct container_online *container, struct archive *archive)
{
    ARCHIVE_LENGTH(archive, &container->stays);
    const size_t length = container->stays.length;
    for (uint32_t i = 0; i < length; i++) {
        struct stay_of *stay = &container->stays.items[i];
        archive_stay(archive, stay, length, container->adds.items.length);
        if (archive_reads(archive) && stay->used && !stay->gone &&
            !table_add(&container->by_value, hash_word(stay->value), i))
            archive_fail(archive, STATUS_LIMIT);
    }
    container->free = archive_place(archive, container->free, length);
    container->first = archive_place(archive, container->first, length);
    container->last = archive_place(archive, container->last, length);
    ARCHIVE(archive, container->inside);
    CONTAINER_ARCHIVE_PLACES(container, archive, &container->removed);
}

static void container_archive(struct online *online, struct archive *archive)
{
    struct container_online *container = container_of(online);
    running_archive(archive, &container->removals, false);
    running_archive(archive, &container->adds, false);
    pending_list_archive(archive, &container->taken, false);
    pending_list_archive(archive, &container->pendings, false);
    unseen_archive(archive, &container->unseen);
    archive_stays(container, archive);
    ARCHIVE_LENGTH(archive, &container->empties);
    for (size_t i = 0; i < container->empties.length; i++) {
        struct found_empty *empty = &container->empties.items[i];
        ARCHIVE(archive, empty->begun);
        ARCHIVE(archive, empty->ended);
        ARCHIVE(archive, empty->serial);
        ARCHIVE(archive, empty->certain);
    }
    ARCHIVE(archive, container->now);
    ARCHIVE(archive, container->told);
    ARCHIVE(archive, container->next);
    ARCHIVE(archive, container->guessed);
    ARCHIVE(archive, container->since);
    container->rules->archive(container, archive);
}

/* It is empty, all that has happened is over, and was looked at: every order of it ends there. */
static bool container_rests(struct online *online, uint64_t *state)
{
    const struct container_online *container = container_of(online);
    *state = 0;
    return container->by_value.count == 0 && unseen_count(&container->unseen) == 0 &&
           container->removals.count == 0 && container->adds.count == 0 &&
           container->pendings.count == 0 && container->told == 0 &&
           online->drops != DROPS_NOTHING && container_is_exact(online);
}

/* It is empty at first. */
static bool container_begin(struct online *online, uint64_t state)
{
    (void)online;
    (void)state;
    return true;
}

static const struct online_class container_online_class = {
    .event = container_event,
    .look = look,
    .destroy = container_destroy,
    .retained = container_retained,
    .each = container_each,
    .is_exact = container_is_exact,
    .rests = container_rests,
    .begin = container_begin,
    .set_aside = container_set_aside,
    .archive = container_archive,
};

void container_online_init(struct container_online *container, const struct spec *spec,
                           const struct container_rules *rules, struct limits *limits)
{
    container->online =
        (struct online){.class = &container_online_class, .spec = spec, .budget = limits->budget};
    container->rules = rules;
    container->limits = limits;
    container->free = container->first = container->last = NONE;
    container->next = ONLINE_LOOK_LEAST;
    vectors_init(limits->budget, &container->stays, &container->removed, &container->empties,
                 &container->intervals, &container->events);
    decision_init(&container->decision, limits->budget);
    table_init(&container->by_value, limits->budget);
    running_init(&container->removals, limits->budget);
    running_init(&container->adds, limits->budget);
    pending_list_init(&container->taken, limits->budget);
    pending_list_init(&container->pendings, limits->budget);
    unseen_init(&container->unseen, limits->budget);
}

void container_online_release(struct container_online *container)
{
    running_release(&container->removals);
    running_release(&container->adds);
    pending_list_release(&container->taken);
    pending_list_release(&container->pendings);
    unseen_release(&container->unseen);
    table_release(&container->by_value);
    decision_release(&container->decision);
    vectors_release(&container->stays, &container->removed, &container->empties,
                    &container->intervals, &container->events);
}
