/* Monitors that decide event by event: however long a history is, what they keep stays level, but
 * for what has to be kept. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/faults.h"
#include "spec/cas_register.h"
#include "spec/priority_queue.h"
#include "spec/queue.h"
#include "spec/register.h"
#include "spec/stack.h"
#include "stream/online.h"
#include "stream/online_cas.h"
#include "stream/online_container.h"
#include "stream/serials.h"
#include "support/endless.h"
#include "support/generate.h"

/* A container or a register that is used for long. */
struct use {
    const char *name;
    enum endless_order order;
    uint16_t add, remove; /* operations */
    bool keyed;
};

static const struct use uses[] = {
    {"queue", ENDLESS_OLDEST, QUEUE_ENQUEUE, QUEUE_DEQUEUE, false},
    {"stack", ENDLESS_NEWEST, STACK_PUSH, STACK_POP, false},
    {"priority-queue", ENDLESS_LEAST, PRIORITY_QUEUE_INSERT, PRIORITY_QUEUE_DELETE_MIN, false},
    {"register", ENDLESS_OLDEST, REGISTER_WRITE, REGISTER_READ, true},
};

/* Whether what is kept is listed in the order of the invocations, all that is inside included. */
static void expect_listed(const struct online *online, uint64_t inside)
{
    struct numbers list = {.budget = online->budget};
    assert_true(serials_list(online, &list));
    assert_true(list.length >= inside);
    for (size_t i = 1; i < list.length; i++)
        assert_true(list.items[i - 1] < list.items[i]);
    vector_release(&list);
}

/* The most that is kept in the first tenth and in the last, but for pending operations and for what
 * is inside; and of a container, and a register with cas, how many operations are decided at a
 * look. */
struct level {
    uint64_t first, last, decided_first, decided_last;
};

static void note_level(struct level *level, const struct online *online, uint64_t decided,
                       const struct endless *endless, uint64_t operations)
{
    const uint64_t known = endless->tail - endless->head + endless->pendings;
    const uint64_t retained = online->class->retained(online);
    const uint64_t kept = retained > known ? retained - known : 0;
    const bool in_first = endless->operations <= operations / 10;
    if (!in_first && endless->operations <= operations / 10 * 9)
        return;
    uint64_t *most = in_first ? &level->first : &level->last;
    *most = kept > *most ? kept : *most;
    most = in_first ? &level->decided_first : &level->decided_last;
    *most = decided > *most ? decided : *most;
}

/* Runs a long history, so many operations in a million pending. */
static struct level run_long(const struct use *use, uint32_t inside, uint64_t operations,
                             uint32_t pending)
{
    struct level level = {0};
    struct subject subject;
    subject_open(&subject, workload_find(use->name));
    struct limits limits;
    limits_init(&limits, &subject.budget);
    struct online *online = online_create(subject.spec, VALUE_NIL, false, &limits, DROPS_SELDOM);
    struct endless endless;
    uint32_t handles[ENDLESS_PROCESSES];
    endless_open(&endless, 7, use->order, 8, use->keyed, inside, pending);
    for (uint64_t now = 1; endless.operations < operations; now++) {
        struct endless_event event = endless_next(&endless);
        bool answers = !event.adds && !event.begins && !event.pending;
        value found = event.value ? value_small(event.value) : VALUE_NIL;
        struct online_event told = {.now = now,
                                    .serial = event.serial,
                                    .stage = event.begins    ? STAGE_RUNNING
                                             : event.pending ? STAGE_PENDING
                                                             : STAGE_COMPLETES,
                                    .call = {.argument = event.adds ? found : VALUE_NIL,
                                             .result = answers ? found : VALUE_NIL,
                                             .result_known = answers,
                                             .operation = event.adds ? use->add : use->remove},
                                    .handle = &handles[event.place]};
        assert_int_equal(online->class->event(online, &told), ONLINE_POSSIBLE);
        const bool container = use->order == ENDLESS_NEWEST || use->order == ENDLESS_LEAST;
        note_level(&level, online,
                   container ? ((struct container_online *)online)->intervals.length : 0, &endless,
                   operations);
    }
    expect_listed(online, endless.tail - endless.head > 8 ? endless.tail - endless.head - 8 : 0);
    endless_close(&endless);
    online_destroy(online);
    subject_close(&subject);
    return level;
}

static void test_level(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {2, 100, 2000};
    for (size_t i = 0; i < ARRAY_LENGTH(uses); i++)
        for (size_t j = 0; j < (uses[i].keyed ? 1 : ARRAY_LENGTH(sizes)); j++) {
            struct level level = run_long(&uses[i], sizes[j], 100000, 200);
            printf("%s, %u inside: %" PRIu64 " kept in the first tenth, %" PRIu64 " in the last\n",
                   uses[i].name, sizes[j], level.first, level.last);
            /* A stack's walls stand between the pushes of values that are inside. */
            uint64_t walls = uses[i].order == ENDLESS_NEWEST ? sizes[j] : 0;
            assert_true(level.first < 400 + walls && level.last < 400 + walls);
            assert_true(level.last <= level.first + 64 + walls);
        }
}

/* Where a tenth or a third of all operations stay pending, of which there are thousands in the end,
 * no more is decided at a look than in the beginning. */
static void test_level_pending(void **state)
{
    (void)state;
    static const uint32_t pending[] = {100000, 333333};
    for (size_t i = 0; i < ARRAY_LENGTH(uses); i++)
        for (size_t j = 0; uses[i].order != ENDLESS_OLDEST && j < 2 * ARRAY_LENGTH(pending); j++) {
            const uint32_t inside = j % 2 ? 1000 : 50;
            struct level level = run_long(&uses[i], inside, 20000, pending[j / 2]);
            printf("%s, %u inside, %u in a million pending: %" PRIu64
                   " decided in the first tenth, %" PRIu64 " in the last\n",
                   uses[i].name, inside, pending[j / 2], level.decided_first, level.decided_last);
            assert_true(level.decided_last <= 2 * level.decided_first + 400);
        }
}

/* ---- cas ---- */

/* How a register with cas is used. */
struct cas_use {
    uint32_t processes, pending; /* pending: operations in a million */
    uint64_t operations;
};

static const struct cas_use cas_uses[] = {{1, 0, 15000},     {8, 0, 15000},  {8, 100, 15000},
                                          {8, 10000, 50000}, {32, 0, 15000}, {32, 10000, 15000}};

/* The most in the first tenth and in the last. */
struct cas_level {
    struct level kept;
    size_t first, last; /* bytes of a checkpoint */
};

static struct online_event event_of_cas(const struct subject *subject,
                                        const struct endless_event *event)
{
    const value written = event->value ? value_small(event->value) : VALUE_NIL;
    const value items[] = {value_small(event->expected), written};
    const bool completes = !event->begins && !event->pending;
    struct online_event told = {.serial = event->serial,
                                .stage = event->begins    ? STAGE_RUNNING
                                         : event->pending ? STAGE_PENDING
                                                          : STAGE_COMPLETES};
    told.call = (struct call){.operation = CAS_REGISTER_WRITE, .argument = written};
    if (event->swaps)
        told.call = (struct call){.operation = CAS_REGISTER_CAS,
                                  .argument = value_list(subject->pool, items, 2),
                                  .result = value_boolean(completes && event->swapped),
                                  .result_known = completes};
    else if (!event->adds)
        told.call = (struct call){.operation = CAS_REGISTER_READ,
                                  .result = completes ? written : VALUE_NIL,
                                  .result_known = completes};
    return told;
}

/* Writes the monitor, and goes on with what was read from that. */
static struct online *save_cas(const struct subject *subject, struct limits *limits,
                               struct online *online, size_t *bytes)
{
    struct packed packed;
    vector_init(&packed, online->budget);
    struct archive archive = archive_to_memory(&packed);
    online_archive(&online, VALUE_NIL, false, limits, &archive);
    assert_int_equal(archive.status, STATUS_OK);
    *bytes = packed.length;
    struct online *read = online_cas_create(subject->spec, VALUE_NIL, false, NULL, limits);
    archive = archive_from_memory(packed.items);
    online_archive(&read, VALUE_NIL, false, limits, &archive);
    assert_int_equal(archive.status, STATUS_OK);
    vector_release(&packed);
    online_destroy(online);
    return read;
}

/* Now and then another monitor goes on with what the one before it has written. */
static struct cas_level run_cas(const struct cas_use *use, uint64_t operations)
{
    struct cas_level level = {.first = 0};
    struct subject subject;
    struct limits limits;
    struct endless endless;
    uint32_t handles[ENDLESS_PROCESSES];
    subject_open(&subject, workload_find("cas-register"));
    limits_init(&limits, &subject.budget);
    struct online *online = online_cas_create(subject.spec, VALUE_NIL, false, NULL, &limits);
    endless_open(&endless, 7, ENDLESS_OLDEST, use->processes, 1, 0, use->pending);
    endless.with_cas = true;
    for (uint64_t now = 1; endless.operations < operations; now++) {
        const struct endless_event event = endless_next(&endless);
        struct online_event told = event_of_cas(&subject, &event);
        told.now = now;
        told.handle = &handles[event.place];
        assert_int_equal(online->class->event(online, &told), ONLINE_POSSIBLE);
        note_level(&level.kept, online, ((struct cas_online *)online)->operations.length, &endless,
                   operations);
        if (now % 500)
            continue;
        size_t bytes;
        online = save_cas(&subject, &limits, online, &bytes);
        size_t *most = endless.operations <= operations / 10      ? &level.first
                       : endless.operations > operations / 10 * 9 ? &level.last
                                                                  : &bytes;
        *most = bytes > *most ? bytes : *most;
    }
    endless_close(&endless);
    online_destroy(online);
    subject_close(&subject);
    return level;
}

/* Nearly half of the cas fail. A monitor keeps what has come since it looked last, and little else,
 * and so does a checkpoint. */
static void test_level_cas(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cas_uses); i++) {
        const struct cas_use *use = &cas_uses[i];
        const struct cas_level level = run_cas(use, use->operations);
        const struct level *kept = &level.kept;
        printf("cas, %u processes, %u in a million pending: %" PRIu64 " kept in the first tenth"
               ", %" PRIu64 " in the last, %" PRIu64 " and %" PRIu64
               " decided, checkpoints of %zu and %zu bytes\n",
               use->processes, use->pending, kept->first, kept->last, kept->decided_first,
               kept->decided_last, level.first, level.last);
        assert_true(kept->last <= 2 * kept->first);
        assert_in_range(kept->decided_last, 1, 2 * kept->decided_first);
        /* A pending write or cas takes 20 bytes at most: its value and that of a cas, when it was
         * invoked, and its number. */
        assert_in_range(level.last, 1, 2 * level.first + use->operations * use->pending / 50000);
        assert_true(level.kept.first < 1000);
    }
}

/* ---- objects that count ---- */

/* An object that counts from 0, and which way its operations do; 0: it says whether there is any.
 */
struct account {
    const char *spec;
    int64_t most;
    uint32_t operations;
    int8_t ways[3];
    bool answers; /* whether it has counted */
};

static const struct account accounts[] = {
    {"counter", INT64_MAX, 3, {1, 1, 0}, false}, /* add, inc, read */
    {"semaphore(3)", 3, 2, {-1, 1}, false},      /* acquire, release */
    {"mutex", 1, 2, {1, -1}, false},             /* acquire, release */
    {"set", 1, 3, {1, -1, 0}, true},             /* add, remove, contains */
};

struct caller {
    uint64_t serial;
    uint32_t handle;
    uint8_t state; /* 0: idle, 1: has called, 2: has taken effect */
    struct call call;
};

static void take_effect(const struct account *account, struct caller *caller, int64_t *count)
{
    int8_t way = account->ways[caller->call.operation];
    bool may = way > 0 ? *count < account->most : *count > 0;
    if (way != 0 && !may && !account->answers)
        return; /* it waits */
    caller->state = 2;
    if (way == 0)
        caller->call.result = account->answers ? value_boolean(*count > 0) : value_small(*count);
    else if (account->answers)
        caller->call.result = value_boolean(may);
    caller->call.result_known = way == 0 || account->answers;
    *count += may ? way : 0;
}

/* Runs a long history, an operation in a thousand pending, some of them for nothing; the most that
 * is kept in the first and in the last tenth, but for pending operations. */
static void run_account(const struct account *account, uint32_t processes, uint64_t *first,
                        uint64_t *last)
{
    const uint64_t events = 100000;
    struct workload workload = {.name = account->spec, .spec = account->spec, .key = "1"};
    struct subject subject;
    struct limits limits;
    struct caller callers[ENDLESS_PROCESSES] = {0};
    struct random random;
    workload.key = account->answers ? "1" : NULL;
    subject_open(&subject, &workload);
    limits_init(&limits, &subject.budget);
    random_seed(&random, 5);
    struct online *online =
        online_create(subject.spec, subject.key, account->answers, &limits, DROPS_SELDOM);
    uint64_t now = 1, serials = 0, pending = 0;
    int64_t count = account->ways[0] < 0 ? account->most : 0;
    *first = *last = 0;
    while (now < events) {
        struct caller *caller = &callers[random_below(&random, processes)];
        struct online_event event = {
            .now = now, .serial = caller->serial, .handle = &caller->handle};
        bool stays = caller->state && random_below(&random, 1000) == 0;
        if (!stays && caller->state == 1) {
            take_effect(account, caller, &count);
            continue;
        }
        if (caller->state == 0) {
            uint16_t operation = (uint16_t)random_below(&random, account->operations);
            event.serial = caller->serial = serials++;
            caller->call = (struct call){.operation = operation,
                                         .argument = operation ? VALUE_NIL : value_small(1)};
            event.stage = STAGE_RUNNING;
        } else {
            event.stage = stays ? STAGE_PENDING : STAGE_COMPLETES;
            pending += stays && account->ways[caller->call.operation];
        }
        event.call = caller->call;
        event.call.result_known &= event.stage == STAGE_COMPLETES;
        caller->state = caller->state == 0;
        now++;
        assert_int_equal(online->class->event(online, &event), ONLINE_POSSIBLE);
        uint64_t retained = online->class->retained(online);
        uint64_t kept = retained > pending ? retained - pending : 0;
        if (now <= events / 10 && kept > *first)
            *first = kept;
        if (now > events / 10 * 9 && kept > *last)
            *last = kept;
    }
    expect_listed(online, 0);
    online_destroy(online);
    subject_close(&subject);
}

static void test_level_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * ARRAY_LENGTH(accounts); i++) {
        const struct account *account = &accounts[i / 2];
        const uint32_t processes = i % 2 ? 32 : 8;
        uint64_t first, last;
        run_account(account, processes, &first, &last);
        printf("%s, %u processes: %" PRIu64 " kept in the first tenth, %" PRIu64 " in the last\n",
               account->spec, processes, first, last);
        assert_true(first <= 2 * processes && last <= 2 * processes);
    }
}

/* ---- values within values ---- */

struct nest {
    struct subject subject;
    struct limits limits;
    struct online *online;
    uint64_t now;
    VECTOR(uint32_t) handles;
};

static enum online_answer tell_nest(struct nest *nest, uint64_t serial, enum stage stage,
                                    const struct call *call)
{
    struct online_event event = {.now = ++nest->now,
                                 .serial = serial,
                                 .call = *call,
                                 .stage = stage,
                                 .handle = &nest->handles.items[serial]};
    return nest->online->class->event(nest->online, &event);
}

static void push(struct nest *nest, uint64_t serial, enum stage stage, int64_t pushed)
{
    struct call call = {.operation = STACK_PUSH, .argument = value_small(pushed)};
    assert_int_equal(tell_nest(nest, serial, stage, &call), ONLINE_POSSIBLE);
}

static enum online_answer pop(struct nest *nest, uint64_t serial, enum stage stage, int64_t popped)
{
    struct call call = {.operation = STACK_POP};
    if (stage == STAGE_COMPLETES) {
        call.result = value_small(popped);
        call.result_known = true;
    }
    return tell_nest(nest, serial, stage, &call);
}

enum {
    NEST_BOTTOM = 0, /* serials: a push of the value -1, */
    NEST_TOP = 1,    /* one of -2 above it, */
    NEST_LONG = 2,   /* the pop that must have taken -2, for */
    NEST_SHORT = 3,  /* this one takes -1; */
    NEST_FIRST = 4,  /* from here on a push and a pop of each value 1, 2, ... */
};

/* Each value is pushed while the one before it is, and popped while that is. */
static void begin_nest(struct nest *nest, uint32_t count)
{
    *nest = (struct nest){0};
    subject_open(&nest->subject, workload_find("stack"));
    limits_init(&nest->limits, &nest->subject.budget);
    vector_init(&nest->handles, &nest->subject.budget);
    assert_true(vector_reserve(&nest->handles, NEST_FIRST + 2 * (count + 1)));
    nest->online = online_create(nest->subject.spec, VALUE_NIL, false, &nest->limits, DROPS_SELDOM);
    assert_non_null(nest->online);
    push(nest, NEST_BOTTOM, STAGE_RUNNING, -1);
    push(nest, NEST_BOTTOM, STAGE_COMPLETES, -1);
    push(nest, NEST_FIRST, STAGE_RUNNING, 1);
    push(nest, NEST_TOP, STAGE_RUNNING, -2);
    push(nest, NEST_TOP, STAGE_COMPLETES, -2);
    assert_int_equal(pop(nest, NEST_LONG, STAGE_RUNNING, 0), ONLINE_POSSIBLE);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t serial = NEST_FIRST + 2 * (uint64_t)i;
        push(nest, serial + 2, STAGE_RUNNING, i + 2);
        push(nest, serial, STAGE_COMPLETES, i + 1);
        assert_int_equal(pop(nest, serial + 1, STAGE_RUNNING, 0), ONLINE_POSSIBLE);
        if (i > 0)
            assert_int_equal(pop(nest, serial - 1, STAGE_COMPLETES, i), ONLINE_POSSIBLE);
        if (i == 1) {
            assert_int_equal(pop(nest, NEST_SHORT, STAGE_RUNNING, 0), ONLINE_POSSIBLE);
            assert_int_equal(pop(nest, NEST_SHORT, STAGE_COMPLETES, -1), ONLINE_POSSIBLE);
        }
    }
}

static enum online_answer end_nest(struct nest *nest, enum stage stage, int64_t popped,
                                   size_t *retained)
{
    struct online *online = nest->online;
    assert_int_equal(online->class->look(online), ONLINE_POSSIBLE);
    *retained = online->class->retained(online);
    enum online_answer answer = pop(nest, NEST_LONG, stage, popped);
    if (answer == ONLINE_POSSIBLE)
        answer = online->class->look(online);
    if (answer == ONLINE_POSSIBLE)
        *retained = online->class->retained(online);
    online_destroy(online);
    vector_release(&nest->handles);
    subject_close(&nest->subject);
    return answer;
}

/* While it is open when a value was popped that lies in another, that lies in another, and so on,
 * all of them are kept; but no longer. */
static void test_nested(void **state)
{
    (void)state;
    struct nest nest;
    size_t retained;
    begin_nest(&nest, 5000);
    assert_int_equal(end_nest(&nest, STAGE_COMPLETES, -2, &retained), ONLINE_POSSIBLE);
    assert_true(retained < 16);
    begin_nest(&nest, 5000); /* nobody has taken what lay on -1 */
    assert_int_equal(end_nest(&nest, STAGE_FAILED, 0, &retained), ONLINE_IMPOSSIBLE);
    /* (In the hostile build, which looks all the time, it was known before that who has.) */
    assert_in_range(retained, SIZE_OR_SMALL(5001, 1), SIZE_MAX);
    begin_nest(&nest, 5000);
    assert_int_equal(end_nest(&nest, STAGE_COMPLETES, 5001, &retained), ONLINE_IMPOSSIBLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_level), cmocka_unit_test(test_level_cas),
        cmocka_unit_test(test_level_pending), cmocka_unit_test(test_level_counts),
        cmocka_unit_test(test_nested)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
