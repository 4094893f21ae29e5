/* A register, or one key of a map, that is read, written and changed by cas, event by event.
 *
 * The operations that are kept are decided together, now and then: without the cas that failed
 * first, by what is found out of their values (online_cas_stages.c), then with what these ask, by
 * the monitor for whole histories. What no event to come can touch is dropped behind that
 * (online_cas_drop.c). Values are written once, as far as operations are kept, or may still have
 * been; else the search takes over.
 *
 * A write that never answers, and that nobody has read, is put by. Only a question may need it
 * there: before something is impossible because of one, it is decided with all of them. */
#include "stream/online_cas.h"

#include <stdlib.h>

#include "base/hash.h"
#include "monitor/register_given.h"
#include "search/search.h"
#include "spec/cas_register.h"

#define SEARCHED_MOST 100000 /* steps of a search, where cas that failed ask too much */
#define LOOKS_RARELY                                                                               \
    4 /* times as many events as other monitors wait for, for what stays is decided again */

static struct cas_online *cas_of(const struct online *online)
{
    return (struct cas_online *)online;
}

static bool drops(const struct cas_online *cas)
{
    return cas->online.drops != DROPS_NOTHING;
}

/* Whether somebody has written the value, or may have done so. */
static bool is_kept(const struct cas_online *cas, value v)
{
    struct table_search search = table_search(&cas->by_value, hash_word(v));
    while (table_next(&search))
        if (cas->operations.items[search.number].access.written == v)
            return true;
    search = table_search(&cas->by_away, hash_word(v));
    while (table_next(&search))
        if (cas->operations.items[search.number].access.written == v)
            return true;
    return unseen_has(&cas->unseen, v);
}

/* Whether it may not be written once more. Nor may the initial value, though nobody can read it any
 * more: what goes on from the operations that are kept begins with it, and those that say so may be
 * dropped. */
static bool is_written(const struct cas_online *cas, value v)
{
    return cas->initial == v || is_kept(cas, v);
}

/* ---- deciding ---- */

enum asked {
    ASKED_NOTHING, /* cas that failed are left out */
    ASKED_NEXT,    /* but those that say which value was replaced by which by then */
    ASKED_NEEDED,  /* those that ask nothing are, or for a pending write */
    ASKED_PENDING, /* those that ask nothing are; with what was put away */
    ASKED_ALL,
};

static bool add_moment(struct cas_online *cas, uint64_t time, uint32_t operation, bool ends)
{
    const struct cas_moment moment = {time, operation, ends};
    return vector_push(&cas->moments, moment);
}

/* Whether a cas that failed is. */
static bool is_asked(const struct cas_operation *operation, enum asked asked)
{
    static const bool by_stages[][4] = {
        [ASKED_NOTHING] = {false},
        [ASKED_NEXT] = {[CAS_ASKS_NEXT] = true},
        [ASKED_NEEDED] = {[CAS_ASKS_NEXT] = true, [CAS_ASKS_OPEN] = true},
        [ASKED_PENDING] = {false, true, true, true},
        [ASKED_ALL] = {true, true, true, true},
    };
    return by_stages[asked][operation->asks];
}

/* Whether an operation has a part, */
static bool has_part(const struct cas_online *cas, uint32_t number, enum asked asked)
{
    const struct cas_operation *operation = &cas->operations.items[number];
    return operation->access.kind != ACCESS_FREE &&
           (operation->access.kind != ACCESS_FAILED || is_asked(operation, asked));
}

/* and one from the beginning on: it says what was there when it answered. */
static bool is_from_beginning(const struct cas_online *cas, uint32_t number, enum asked asked)
{
    const struct cas_operation *operation = &cas->operations.items[number];
    return operation->access.kind == ACCESS_FAILED && asked != ASKED_ALL &&
           operation->asks == CAS_ASKS_NEXT;
}

/* Adds those moments of an operation that are not among the events. False when refused. */
static bool add_moments(struct cas_online *cas, uint32_t number, enum asked asked)
{
    const struct cas_operation *operation = &cas->operations.items[number];
    const bool always = is_from_beginning(cas, number, asked);
    if (!has_part(cas, number, asked))
        return true;
    return (!(always || operation->invoked <= cas->looked) ||
            add_moment(cas, always ? 0 : operation->invoked, number, false)) &&
           (operation->ended > cas->looked || add_moment(cas, operation->ended, number, true));
}

static int compare_moments(const void *first, const void *second)
{
    const struct cas_moment *a = first, *b = second;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (a->operation > b->operation) - (a->operation < b->operation);
}

/* Takes out what is there twice: what was put away may be kept besides, and be put away again. */
static void leave_one_of_each(struct cas_online *cas)
{
    struct cas_moment *moments = cas->moments.items;
    size_t left = 0;
    for (size_t i = 0; i < cas->moments.length; i++)
        if (!left || !moments[i].time || moments[i].time != moments[left - 1].time)
            moments[left++] = moments[i];
    cas->moments.length = left;
}

/* Adds those that are. False when refused. */
static bool add_events(struct cas_online *cas, enum asked asked)
{
    if (!vector_reserve(&cas->moments, cas->moments.length + cas->events.length))
        return false;
    for (size_t i = 0; i < cas->events.length; i++) {
        const struct cas_moment *event = &cas->events.items[i];
        if (has_part(cas, event->operation, asked) &&
            (event->ends || !is_from_beginning(cas, event->operation, asked)))
            cas->moments.items[cas->moments.length++] = *event;
    }
    return true;
}

/* What an operation does, as it has a part. */
static struct access access_of(const struct cas_online *cas, uint32_t number, enum asked asked)
{
    if (number >= cas->operations.length) {
        const struct added *write = &cas->unread.items[number - cas->operations.length];
        return (struct access){.kind = ACCESS_WRITE, .written = write->value};
    }
    const struct cas_operation *operation = &cas->operations.items[number];
    if (asked == ASKED_ALL || operation->access.kind != ACCESS_FAILED ||
        operation->asks != CAS_ASKS_NEXT)
        return operation->access;
    const struct cas_stage *stages = cas->stages.items;
    const uint32_t stage = cas_stage_of(cas, operation->access.expected);
    return (struct access){.kind = ACCESS_READ, .expected = stages[stages[stage].next].value};
}

/* Makes a part of what there is. False when refused. */
static bool make_part(struct cas_online *cas, enum asked asked)
{
    const size_t count = cas->operations.length + cas->unread.length;
    bool done = vector_reserve(&cas->places, count) && vector_reserve(&cas->intervals, count) &&
                vector_reserve(&cas->given, count);
    cas->moments.length = cas->intervals.length = 0;
    const size_t from = asked == ASKED_PENDING ? 0 : cas->put_away;
    for (uint32_t i = (uint32_t)from; i < cas->operations.length && done; i++)
        done = add_moments(cas, i, asked);
    for (uint32_t i = 0; i < cas->unread.length && done; i++)
        done = add_moment(cas, cas->unread.items[i].invoked, (uint32_t)cas->operations.length + i,
                          false);
    if (!done)
        return false;
    if (cas->moments.length)
        qsort(cas->moments.items, cas->moments.length, sizeof *cas->moments.items, compare_moments);
    leave_one_of_each(cas);
    if (!add_events(cas, asked))
        return false;
    for (uint32_t i = 0; i < cas->moments.length; i++) {
        const struct cas_moment *moment = &cas->moments.items[i];
        if (moment->ends) {
            cas->intervals.items[cas->places.items[moment->operation]].response = i;
            continue;
        }
        const uint32_t place = (uint32_t)cas->intervals.length++;
        struct interval *interval = &cas->intervals.items[place];
        *interval =
            (struct interval){.invoke = i, .response = POSITION_NEVER, .index = moment->operation};
        if (moment->operation < cas->operations.length)
            interval->call.operation = cas->operations.items[moment->operation].operation;
        cas->places.items[moment->operation] = place;
        cas->given.items[place] = access_of(cas, moment->operation, asked);
    }
    cas->part.intervals = cas->intervals.items;
    cas->part.count = (uint32_t)cas->intervals.length;
    cas->part.positions = (uint32_t)cas->moments.length;
    cas->part.pending = 2 * cas->part.count - cas->part.positions;
    return true;
}

/* Whether the order that was found is one: the monitor leaves that to whoever asks. */
static bool is_order(const struct cas_online *cas)
{
    value now = cas->is_initial ? cas->initial : REGISTER_NO_VALUE;
    uint32_t latest = 0, completed = 0;
    for (size_t i = 0; i < cas->decision.linearization.length; i++) {
        const uint32_t number = cas->decision.linearization.items[i];
        const struct interval *interval = &cas->intervals.items[number];
        const struct access *access = &cas->given.items[number];
        const bool finds = access->kind == ACCESS_READ || access->kind == ACCESS_SWAP;
        if ((finds && now != access->expected) ||
            (access->kind == ACCESS_FAILED && now == access->expected) ||
            interval->response < latest)
            return false;
        if (interval->invoke > latest)
            latest = interval->invoke;
        if (cas_writes(access))
            now = access->written;
        completed += interval->response != POSITION_NEVER;
    }
    return completed == cas->part.count - cas->part.pending;
}

static enum verdict decide_part(struct cas_online *cas, enum asked asked)
{
    const value initial = cas->is_initial ? cas->initial : REGISTER_NO_VALUE;
    if (!make_part(cas, asked))
        return VERDICT_UNKNOWN;
    if (!cas->part.count)
        return VERDICT_LINEARIZABLE;
    if (register_decide_accesses(&cas->part, cas->given.items, initial, cas->limits,
                                 &cas->decision) != STATUS_OK)
        return VERDICT_UNKNOWN;
    const enum verdict verdict = cas->decision.verdict;
    return verdict == VERDICT_LINEARIZABLE && asked != ASKED_NOTHING && !is_order(cas)
               ? VERDICT_UNKNOWN
               : verdict;
}

/* ---- by search ---- */

/* The call of an operation of a cas-register that does the same. False when refused. */
static bool call_of(const struct cas_online *cas, const struct interval *interval,
                    const struct access *access, struct call *call)
{
    const value items[] = {access->expected, access->written};
    *call = (struct call){.argument = access->written, .operation = CAS_REGISTER_WRITE};
    if (access->kind == ACCESS_READ)
        *call = (struct call){.result = access->expected,
                              .operation = CAS_REGISTER_READ,
                              .result_known = true,
                              .read_only = true};
    if (access->kind != ACCESS_SWAP && access->kind != ACCESS_FAILED)
        return true;
    *call = (struct call){.argument = value_list(cas->online.spec->pool, items, 2),
                          .result = access->kind == ACCESS_SWAP ? VALUE_TRUE : VALUE_FALSE,
                          .operation = CAS_REGISTER_CAS,
                          .result_known = interval->response != POSITION_NEVER};
    return call->argument != VALUE_REFUSED;
}

/* Decides the part that was made, as one of a cas-register. */
static enum verdict search_part(struct cas_online *cas)
{
    const struct spec_request request = {.initial = cas->initial,
                                         .has_initial = cas->initial != VALUE_NIL};
    struct spec *spec;
    struct error error;
    struct limits limits;
    struct part part = cas->part;
    enum verdict verdict = VERDICT_UNKNOWN;
    if ((!cas->is_initial && is_kept(cas, cas->initial)) ||
        spec_create_class(&cas_register_class, &request, NULL, cas->online.spec->pool,
                          cas->online.budget, &spec, &error) != STATUS_OK)
        return VERDICT_UNKNOWN;
    bool done = true;
    for (size_t i = 0; i < cas->intervals.length && done; i++) {
        struct interval *interval = &cas->intervals.items[i];
        done = call_of(cas, interval, &cas->given.items[i], &interval->call);
        interval->call.process = (uint32_t)i;
    }
    limits_init(&limits, cas->online.budget);
    limits.interrupt = cas->limits->interrupt;
    limits.stop = cas->limits->stop;
    limits.most_work = SEARCHED_MOST;
    part.spec = spec;
    part.has_key = false;
    decision_clear(&cas->decision);
    if (done && search_decide(&part, &limits, &cas->decision, &error) == STATUS_OK)
        verdict = cas->decision.verdict;
    spec_destroy(spec);
    return verdict;
}

static enum verdict decide_or_search(struct cas_online *cas, enum asked asked)
{
    const enum verdict verdict = decide_part(cas, asked);
    return verdict == VERDICT_UNKNOWN ? search_part(cas) : verdict;
}

/* Of cas that failed, where what may still not have happened may be what they need, and writes that
 * were put by. */
static enum verdict decide_asked(struct cas_online *cas, enum asked asked)
{
    enum verdict verdict = decide_or_search(cas, asked);
    if (verdict != VERDICT_LINEARIZABLE && unseen_count(&cas->unseen) > 0) {
        if (!vector_reserve(&cas->unread, unseen_count(&cas->unseen)))
            return VERDICT_UNKNOWN;
        cas->unread.length = unseen_list(&cas->unseen, cas->unread.items);
        verdict = decide_or_search(cas, asked);
    }
    cas->unread.length = 0;
    return verdict;
}

static enum online_answer answer_of(enum verdict verdict)
{
    return verdict == VERDICT_LINEARIZABLE ? ONLINE_POSSIBLE
           : verdict == VERDICT_VIOLATION  ? ONLINE_IMPOSSIBLE
                                           : ONLINE_REFUSED;
}

/* Whether there is a pending write for each block whose question is open, and for those that only
 * such can have followed: it takes effect just before the block is due. */
static bool has_pending_for_all(struct cas_online *cas)
{
    for (size_t i = 0; i < cas->blocks.length; i++)
        if (cas->blocks.items[i].due != CAS_NEVER &&
            cas->blocks.items[i].due < cas->blocks.items[i].last)
            return false;
    return !cas_asks_for_uncertain(cas) &&
           cas_find_pending(cas, CAS_WANTED_OPEN) == CAS_PENDING_ENOUGH &&
           decide_part(cas, ASKED_NEXT) == VERDICT_LINEARIZABLE;
}

/* Of what is linearizable but for cas that failed. */
static enum online_answer decide_failed(struct cas_online *cas)
{
    const bool wants = cas_wants_pending(cas);
    const enum cas_pending found = cas_find_pending(cas, CAS_WANTED);
    if (found != CAS_PENDING_ENOUGH)
        return found == CAS_PENDING_TOO_FEW ? ONLINE_IMPOSSIBLE : ONLINE_REFUSED;
    if (!cas->asks)
        return ONLINE_POSSIBLE;
    /* What was put by is no part of that, and so can be what is wanted besides. */
    if ((!wants || cas_find_pending(cas, CAS_WANTED_APART) == CAS_PENDING_ENOUGH) &&
        decide_part(cas, ASKED_NEEDED) == VERDICT_LINEARIZABLE)
        return ONLINE_POSSIBLE;
    if (has_pending_for_all(cas))
        return ONLINE_POSSIBLE;
    return answer_of(decide_asked(cas, wants ? ASKED_PENDING : ASKED_NEEDED));
}

static enum online_answer decide_all(struct cas_online *cas)
{
    const enum cas_stages stages = drops(cas) ? cas_find_stages(cas) : CAS_STAGES_IN_DISORDER;
    if (stages != CAS_STAGES_IN_DISORDER)
        return stages == CAS_STAGES_FOUND ? decide_failed(cas) : ONLINE_REFUSED;
    const enum online_answer answer = answer_of(decide_part(cas, ASKED_NOTHING));
    if (answer != ONLINE_POSSIBLE)
        return answer;
    return drops(cas) ? ONLINE_REFUSED : answer_of(decide_asked(cas, ASKED_ALL));
}

static enum online_answer look(struct online *online)
{
    struct cas_online *cas = cas_of(online);
    if (!cas->told)
        return ONLINE_POSSIBLE;
    cas->told = 0;
    cas->rests = false;
    const enum online_answer answer = decide_all(cas);
    if (answer == ONLINE_POSSIBLE && drops(cas) && !cas_drop(cas))
        return ONLINE_REFUSED;
    cas->next = online_next_look(LOOKS_RARELY * (cas->operations.length - cas->put_away));
    return answer;
}

/* ---- events ---- */

/* The operation that does so; a name of it is told only if something is not possible. */
static uint16_t operation_of(const struct cas_online *cas, enum access_kind kind)
{
    uint16_t operation = 0;
    while (cas->accesses.kinds[operation] != kind)
        operation++;
    return operation;
}

/* A pending operation that was put by may be needed. False when refused. */
static bool take_back(struct cas_online *cas, const struct access *access, uint64_t invoked,
                      uint64_t serial)
{
    const struct cas_operation operation = {.access = *access,
                                            .invoked = invoked,
                                            .ended = CAS_NEVER,
                                            .serial = serial,
                                            .handle = CAS_NONE,
                                            .operation = operation_of(cas, access->kind)};
    const uint32_t number = (uint32_t)cas->operations.length;
    if (invoked > cas->looked)
        cas->looked = invoked; /* it was put by then: a monitor that was read back may not know */
    return vector_push(&cas->operations, operation) &&
           table_add(&cas->by_value, hash_word(access->written), number);
}

/* A write of the value that was put by may be needed. False when refused. */
static bool recall(struct cas_online *cas, value v)
{
    struct running_operation write;
    const struct access access = {.kind = ACCESS_WRITE, .written = v};
    return !unseen_take(&cas->unseen, v, &write) ||
           take_back(cas, &access, write.invoked, write.serial);
}

/* A value may be there from now on, for cas that were put by, and then the values that these write.
 */
static enum online_answer recall_swaps(struct cas_online *cas, value v)
{
    struct added swap;
    for (size_t next = cas->operations.length;; v = cas->operations.items[next++].access.written) {
        while (unseen_take_pair(&cas->absent, v, &swap)) {
            const struct access access = {
                .kind = ACCESS_SWAP, .expected = v, .written = swap.other};
            const bool again = is_written(cas, swap.other);
            if (!take_back(cas, &access, swap.invoked, swap.serial))
                return ONLINE_REFUSED;
            if (again)
                return ONLINE_LEAVES;
        }
        if (next == cas->operations.length)
            return ONLINE_POSSIBLE;
    }
}

static struct access known(const struct cas_online *cas, const struct online_event *event)
{
    const struct interval interval = {
        .call = event->call, .response = event->stage == STAGE_COMPLETES ? 0 : POSITION_NEVER};
    return accesses_of(&cas->accesses, &interval);
}

/* What was known when it began. */
static struct access begun(const struct cas_online *cas, const struct online_event *event)
{
    struct interval interval = {.call = event->call, .response = POSITION_NEVER};
    interval.call.result_known = false;
    return accesses_of(&cas->accesses, &interval);
}

struct running *cas_running(struct cas_online *cas, enum access_kind kind)
{
    return kind == ACCESS_WRITE ? &cas->writes : kind == ACCESS_SWAP ? &cas->swaps : &cas->reads;
}

static enum online_answer begin(struct cas_online *cas, const struct online_event *event)
{
    const struct access access = known(cas, event);
    if (access.kind == ACCESS_OTHER)
        return ONLINE_LEAVES;
    if (cas_writes(&access) && is_written(cas, access.written)) {
        const enum online_answer answer = look(&cas->online);
        if (answer != ONLINE_POSSIBLE || is_written(cas, access.written))
            return answer == ONLINE_POSSIBLE ? ONLINE_LEAVES : answer;
    }
    if (access.kind == ACCESS_SWAP && !recall(cas, access.expected))
        return ONLINE_REFUSED;
    if (cas_writes(&access)) {
        const enum online_answer answer = recall_swaps(cas, access.written);
        if (answer != ONLINE_POSSIBLE)
            return answer;
    }
    struct running *running = cas_running(cas, access.kind);
    const uint32_t number = (uint32_t)cas->operations.length;
    const uint32_t handle = running_add(running, event->now, event->serial);
    const struct cas_operation operation = {.access = access,
                                            .invoked = event->now,
                                            .ended = CAS_NEVER,
                                            .serial = event->serial,
                                            .handle = handle,
                                            .operation = event->call.operation};
    const struct cas_moment moment = {event->now, number, false};
    if (handle == CAS_NONE || !vector_push(&cas->operations, operation) ||
        !vector_push(&cas->events, moment) ||
        (cas_writes(&access) && !table_add(&cas->by_value, hash_word(access.written), number)))
        return ONLINE_REFUSED;
    running->items.items[handle].detail = number;
    *event->handle = handle;
    return ONLINE_POSSIBLE;
}

static enum online_answer end(struct cas_online *cas, const struct online_event *event)
{
    const struct access access = known(cas, event);
    const bool completes = event->stage == STAGE_COMPLETES;
    if (completes && access.kind == ACCESS_OTHER)
        return ONLINE_LEAVES;
    struct running *running = cas_running(cas, begun(cas, event).kind);
    const uint32_t number = (uint32_t)running->items.items[*event->handle].detail;
    const bool finds = completes && !(access.kind == ACCESS_WRITE || access.kind == ACCESS_FREE);
    if (finds && !recall(cas, access.expected))
        return ONLINE_REFUSED;
    struct cas_operation *operation = &cas->operations.items[number];
    const bool wrote = cas_writes(&operation->access);
    running_remove(running, *event->handle);
    operation->handle = CAS_NONE;
    if (event->stage == STAGE_FAILED)
        operation->access.kind = ACCESS_FREE;
    else if (completes)
        operation->access = access;
    if (completes) {
        const struct cas_moment moment = {event->now, number, true};
        operation->ended = event->now;
        if (!vector_push(&cas->events, moment))
            return ONLINE_REFUSED;
    }
    if (wrote && !cas_writes(&operation->access))
        table_remove(&cas->by_value, hash_word(operation->access.written), number);
    return ONLINE_POSSIBLE;
}

static enum online_answer cas_event(struct online *online, const struct online_event *event)
{
    struct cas_online *cas = cas_of(online);
    if (event->call.operation >= ACCESSES_MOST)
        return ONLINE_LEAVES;
    const enum online_answer answer =
        event->stage == STAGE_RUNNING ? begin(cas, event) : end(cas, event);
    if (answer == ONLINE_POSSIBLE && ++cas->told >= cas->next)
        return look(online);
    return answer;
}

/* ---- what is kept ---- */

static void cas_destroy(struct online *online)
{
    struct cas_online *cas = cas_of(online);
    running_release(&cas->reads);
    running_release(&cas->swaps);
    running_release(&cas->writes);
    table_release(&cas->by_value);
    table_release(&cas->by_order);
    table_release(&cas->by_away);
    unseen_release(&cas->unseen);
    unseen_release(&cas->absent);
    decision_release(&cas->decision);
    vectors_release(&cas->operations, &cas->stages, &cas->blocks, &cas->open, &cas->unread,
                    &cas->moments, &cas->intervals, &cas->places, &cas->given);
    vectors_release(&cas->orders, &cas->lacking, &cas->away, &cas->lacks, &cas->free, &cas->events);
    memory_release(online->budget, cas, sizeof *cas);
}

static size_t cas_retained(const struct online *online)
{
    const struct cas_online *cas = cas_of(online);
    return cas->operations.length + unseen_count(&cas->unseen) + unseen_count(&cas->absent);
}

static bool cas_each(const struct online *online, const struct online_visitor *visitor)
{
    const struct cas_online *cas = cas_of(online);
    for (size_t i = 0; i < cas->operations.length; i++)
        if (!visitor->visit(visitor->context, cas->operations.items[i].serial))
            return false;
    return unseen_each(&cas->unseen, visitor) && unseen_each(&cas->absent, visitor);
}

static bool cas_rests(struct online *online, uint64_t *state)
{
    const struct cas_online *cas = cas_of(online);
    const bool rests = cas->rests && cas->told == 0 && drops(cas);
    if (rests)
        *state = cas->now;
    return rests;
}

static bool cas_goes_on(const struct online *online, uint64_t *state)
{
    const struct cas_online *cas = cas_of(online);
    if (cas->goes_on)
        *state = cas->initial;
    return cas->goes_on;
}

static void archive_operation(struct archive *archive, struct cas_online *cas,
                              struct cas_operation *operation)
{
    ARCHIVE_BELOW(archive, operation->access.kind, ACCESS_FAILED + 1);
    archive_value(archive, &operation->access.expected);
    archive_value(archive, &operation->access.written);
    ARCHIVE(archive, operation->invoked);
    ARCHIVE(archive, operation->ended);
    ARCHIVE(archive, operation->serial);
    ARCHIVE_BELOW(archive, operation->operation, ACCESSES_MOST);
    const struct running *running = cas_running(cas, operation->access.kind);
    operation->handle = archive_place(archive, operation->handle, running->items.length);
}

static void cas_archive(struct online *online, struct archive *archive)
{
    struct cas_online *cas = cas_of(online);
    ARCHIVE_LENGTH(archive, &cas->operations);
    running_archive(archive, &cas->reads, false);
    running_archive(archive, &cas->swaps, false);
    running_archive(archive, &cas->writes, false);
    for (size_t i = 0; i < cas->operations.length; i++)
        archive_operation(archive, cas, &cas->operations.items[i]);
    unseen_archive(archive, &cas->unseen);
    unseen_archive(archive, &cas->absent);
    ARCHIVE_BELOW(archive, cas->put_away, cas->operations.length + 1);
    ARCHIVE(archive, cas->parted);
    archive_value(archive, &cas->initial);
    archive_value(archive, &cas->now);
    ARCHIVE(archive, cas->is_initial);
    ARCHIVE(archive, cas->goes_on);
    ARCHIVE(archive, cas->rests);
    ARCHIVE(archive, cas->told);
    ARCHIVE(archive, cas->next);
    if (!archive_reads(archive))
        return;
    table_clear(&cas->by_value);
    table_clear(&cas->by_away);
    for (uint32_t i = 0; i < cas->operations.length && archive->status == STATUS_OK; i++) {
        const struct cas_operation *operation = &cas->operations.items[i];
        const struct access *access = &operation->access;
        const uint64_t last = operation->ended == CAS_NEVER ? operation->invoked : operation->ended;
        if (last > cas->looked)
            cas->looked = last; /* the moments are sorted when it is looked next */
        struct table *table = i < cas->put_away ? &cas->by_away : &cas->by_value;
        if (i < cas->put_away)
            cas->operations.items[i].asks = CAS_ASKS_PENDING;
        if (cas_writes(access) && !table_add(table, hash_word(access->written), i))
            archive_fail(archive, STATUS_LIMIT);
    }
}

static const struct online_class cas_online_class = {
    .event = cas_event,
    .destroy = cas_destroy,
    .look = look,
    .retained = cas_retained,
    .each = cas_each,
    .rests = cas_rests,
    .goes_on = cas_goes_on,
    .archive = cas_archive,
};

bool online_is_cas(const struct online *online)
{
    return online->class == &cas_online_class;
}

struct online *online_cas_create(const struct spec *spec, value key, bool has_key,
                                 const value *initial, struct limits *limits)
{
    struct budget *budget = limits->budget;
    struct cas_online *cas = memory_zeroed(budget, sizeof *cas);
    if (!cas)
        return NULL;
    cas->online = (struct online){.class = &cas_online_class, .spec = spec, .budget = budget};
    cas->limits = limits;
    vectors_init(budget, &cas->operations, &cas->stages, &cas->blocks, &cas->open, &cas->unread,
                 &cas->moments, &cas->intervals, &cas->places, &cas->given);
    vectors_init(budget, &cas->orders, &cas->lacking, &cas->away, &cas->lacks, &cas->free,
                 &cas->events);
    table_init(&cas->by_value, budget);
    table_init(&cas->by_order, budget);
    table_init(&cas->by_away, budget);
    running_init(&cas->reads, budget);
    running_init(&cas->swaps, budget);
    running_init(&cas->writes, budget);
    unseen_init(&cas->unseen, budget);
    unseen_init(&cas->absent, budget);
    decision_init(&cas->decision, budget);
    cas->part = (struct part){.spec = spec, .key = key, .has_key = has_key};
    cas->is_initial = true;
    cas->next = ONLINE_LOOK_LEAST;
    if (accesses_init(&cas->accesses, &cas->part, limits) &&
        cas->accesses.initial != VALUE_REFUSED) {
        cas->initial = initial ? *initial : cas->accesses.initial;
        return &cas->online;
    }
    cas_destroy(&cas->online);
    return NULL;
}
