/* Monitors that decide event by event: behind every event the answer is that of the definition
 * (support/oracle.h), with operations that run, fail and stay pending, dropping or keeping all; and
 * however long a history is, what they keep stays level. On histories too long for the definition
 * those that drop answer behind every event as one that drops nothing.
 *
 *     test_online [FIRST_SEED [COUNT]] */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spec/priority_queue.h"
#include "spec/queue.h"
#include "spec/register.h"
#include "spec/stack.h"
#include "stream/online.h"
#include "stream/online_container.h"
#include "stream/serials.h"
#include "support/endless.h"
#include "support/prefix.h"
#include "support/seeds.h"

static struct seeds seeds = {1, 2000};

static const char *const names[] = {
    "queue",          "register", "cas-register",           "map of one key",
    "set of one key", "mutex",    "mutex with try-acquire", "semaphore",
    "counter",        "stack",    "priority-queue",         "increments",
};

/* Of other counters nearly all are for the search soon. */
static const struct workload increments = {
    .name = "increments",
    .spec = "counter",
    .initial = "-2",
    .calls = {{"inc", NULL, NULL}, {"add", "1", NULL}, {"read", NULL, "-2 -1 0 1 2"}}};

/* Which monitors say in which state the object is where nothing is open. */
static bool may_rest(const char *name)
{
    static const char *const others[] = {"queue", "counter", "stack", "priority-queue",
                                         "increments"};
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
        if (strcmp(name, others[i]) == 0)
            return false;
    return true;
}

static const struct workload *find_workload(const char *name)
{
    return strcmp(name, increments.name) == 0 ? &increments : workload_find(name);
}

static const char *const ways[] = {
    [DROPS_SELDOM] = "dropping seldom",
    [DROPS_AT_ONCE] = "dropping at once",
    [DROPS_NOTHING] = "dropping nothing",
};

struct trial {
    const struct subject *subject;
    struct prefixes prefixes;
    uint64_t histories, violations, events, left, unsure, idle;
};

/* A monitor that is told the events of a trial. */
struct told {
    struct online *online;
    uint32_t handles[PREFIXES_MOST];
    enum stage stages[PREFIXES_MOST];
    uint64_t now;
    bool left;
};

static void fail_with(const struct trial *trial, uint64_t seed, enum online_drops drops,
                      uint32_t end, enum online_answer found, bool expected)
{
    struct text text = TEXT_EMPTY;
    prefixes_print(&trial->prefixes, &text);
    fail_msg("seed %" PRIu64 ", %s, %s, in front of %u: expected %s, found %d: %s", seed,
             trial->subject->workload->name, ways[drops], end, expected ? "possible" : "impossible",
             (int)found, text_string(&text));
}

/* Tells the monitor what happened to the i-th operation right in front of `end`, if anything. */
static enum online_answer tell(const struct trial *trial, struct told *told, uint32_t i,
                               uint32_t end)
{
    const struct interval *interval = &trial->prefixes.sample.intervals[i];
    struct online_event event = {.serial = i, .handle = &told->handles[i]};
    struct online *online = told->online;
    enum online_answer answer = ONLINE_POSSIBLE;
    if (interval->invoke + 1 == end) {
        prefixes_know(&trial->prefixes, i, interval->invoke, &event.call);
        event.stage = told->stages[i] = STAGE_RUNNING;
        event.now = ++told->now;
        answer = online->class->event(online, &event);
    }
    if (answer != ONLINE_POSSIBLE || interval->invoke >= end || told->stages[i] != STAGE_RUNNING)
        return answer;
    event.stage = prefixes_know(&trial->prefixes, i, end, &event.call);
    if (event.stage == STAGE_RUNNING)
        return answer;
    told->stages[i] = event.stage;
    event.now = ++told->now;
    return online->class->event(online, &event);
}

/* Tells the monitor what happens right in front of `end`. */
static enum online_answer tell_all(const struct trial *trial, struct told *told, uint32_t end)
{
    enum online_answer answer = ONLINE_POSSIBLE;
    for (uint32_t i = 0; i < trial->prefixes.sample.part.count && answer == ONLINE_POSSIBLE; i++)
        answer = tell(trial, told, i, end);
    return answer;
}

/* Where nothing is open another monitor goes on from the state alone. */
static void rest(struct trial *trial, struct told *told, struct limits *limits)
{
    struct online *online = told->online;
    const struct part *part = &trial->prefixes.sample.part;
    uint64_t state;
    if (online->drops != DROPS_AT_ONCE || !online->class->rests ||
        !online->class->rests(online, &state))
        return;
    online_destroy(online);
    told->online =
        online_create(part->spec, part->key, trial->subject->has_key, limits, DROPS_AT_ONCE);
    assert_non_null(told->online);
    assert_true(told->online->class->begin(told->online, state));
    trial->idle++;
}

static void try_sample(struct trial *trial, uint64_t seed, enum online_drops drops)
{
    const struct part *part = &trial->prefixes.sample.part;
    struct limits limits;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    limits_init(&limits, &budget);
    struct online *online =
        online_create(part->spec, part->key, trial->subject->has_key, &limits, drops);
    struct told told = {.online = online};
    enum online_answer answer = ONLINE_POSSIBLE;
    assert_non_null(online);
    trial->histories++;
    for (uint32_t end = 1; end <= part->positions && answer == ONLINE_POSSIBLE; end++) {
        rest(trial, &told, &limits);
        online = told.online;
        answer = tell_all(trial, &told, end);
        trial->events++;
        if (answer == ONLINE_POSSIBLE && online->class->look) {
            if (drops == DROPS_SELDOM && end < part->positions && end % 5)
                continue;
            answer = online->class->look(online);
        }
        if (answer == ONLINE_REFUSED && online->class->look && drops != DROPS_NOTHING) {
            trial->unsure++;
            break;
        }
        assert_int_not_equal(answer, ONLINE_REFUSED);
        trial->left += answer == ONLINE_LEAVES;
        trial->violations += answer == ONLINE_IMPOSSIBLE;
        bool expected = prefixes_linearizable(&trial->prefixes, end);
        if (answer != ONLINE_LEAVES && (answer == ONLINE_POSSIBLE) != expected)
            fail_with(trial, seed, drops, end, answer, expected);
    }
    online_destroy(online);
    assert_int_equal(budget.used, 0);
}

static void try_seed(struct trial *trial, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed);
    struct shape shape = {.operations = 1 + random_below(&random, 9),
                          .processes = 1 + random_below(&random, 4),
                          .values = random_below(&random, 3) ? 0 : 1 + random_below(&random, 3),
                          .pending_percent = random_below(&random, 3) * 15,
                          .unknown_percent = random_below(&random, 5) ? 0 : 10,
                          .mutate_percent = 60,
                          .eagerness = random_below(&random, 4)};
    sample_random(&trial->prefixes.sample, trial->subject, &random, &shape);
    if (trial->prefixes.sample.part.count > 9)
        return;
    prefixes_choose_fates(&trial->prefixes, &random);
    try_sample(trial, seed, DROPS_AT_ONCE);
    try_sample(trial, seed, DROPS_SELDOM);
    try_sample(trial, seed, DROPS_NOTHING);
}

static void test_prefixes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        struct subject subject;
        subject_open(&subject, find_workload(names[i]));
        struct trial trial = {.subject = &subject};
        for (unsigned j = 0; j < seeds.count; j++)
            try_seed(&trial, seeds.first + j);
        printf("%s: seeds %" PRIu64 " to %" PRIu64 ": %" PRIu64 " histories, %" PRIu64
               " events, %" PRIu64 " violations, %" PRIu64 " for the search, %" PRIu64
               " behind a guess, idle %" PRIu64 " times\n",
               names[i], seeds.first, seeds.first + seeds.count - 1, trial.histories, trial.events,
               trial.violations, trial.left, trial.unsure, trial.idle);
        assert_true(seeds_met(trial.violations, trial.histories, 300));
        assert_true(!may_rest(names[i]) || seeds_met(trial.idle, trial.histories, 100));
        assert_true(seeds_met(trial.histories - trial.left, trial.histories, 20));
        sample_release(&trial.prefixes.sample);
        subject_close(&subject);
    }
}

/* ---- histories too long for the definition ---- */

/* What those answer that have not left; false when they differ. */
static bool agree(struct trial *trial, struct told *told, struct limits *limits, uint32_t end,
                  enum online_answer *answer)
{
    size_t counts[2] = {0};
    for (int drops = 0; drops < 3; drops++) {
        if (told[drops].left)
            continue;
        rest(trial, &told[drops], limits);
        struct online *online = told[drops].online;
        bool looks = online->class->look && (drops != DROPS_SELDOM || end % 7 == 0);
        enum online_answer one = tell_all(trial, &told[drops], end);
        if (one == ONLINE_POSSIBLE && looks)
            one = online->class->look(online);
        if (one == ONLINE_REFUSED && online->class->look) {
            trial->unsure++;
            told[drops].left = true;
            continue;
        }
        assert_int_not_equal(one, ONLINE_REFUSED);
        told[drops].left = one == ONLINE_LEAVES;
        if (!told[drops].left && (!online->class->look || looks || one == ONLINE_IMPOSSIBLE))
            counts[one == ONLINE_IMPOSSIBLE]++;
    }
    bool left = told[DROPS_AT_ONCE].left && told[DROPS_NOTHING].left;
    *answer = counts[1] ? ONLINE_IMPOSSIBLE : left ? ONLINE_LEAVES : ONLINE_POSSIBLE;
    return !counts[0] || !counts[1];
}

/* Of so many histories one takes its values from a few, the others never twice the same. */
static void try_long(struct trial *trial, uint64_t seed, uint32_t few)
{
    struct random random;
    random_seed(&random, seed);
    struct shape shape = {.operations = 12 + random_below(&random, PREFIXES_MOST - 12),
                          .processes = 1 + random_below(&random, 8),
                          .values = random_below(&random, few) ? 0 : 1 + random_below(&random, 40),
                          .pending_percent = random_below(&random, 3) * (seed % 4 == 3 ? 25 : 3),
                          .mutate_percent = 60,
                          .eagerness = random_below(&random, 4)};
    sample_random(&trial->prefixes.sample, trial->subject, &random, &shape);
    const struct part *part = &trial->prefixes.sample.part;
    struct limits limits;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    limits_init(&limits, &budget);
    prefixes_choose_fates(&trial->prefixes, &random);
    struct told told[3] = {0};
    for (int drops = 0; drops < 3; drops++)
        told[drops].online = online_create(part->spec, part->key, trial->subject->has_key, &limits,
                                           (enum online_drops)drops);
    enum online_answer answer = ONLINE_POSSIBLE;
    trial->histories++;
    for (uint32_t end = 1; end <= part->positions && answer == ONLINE_POSSIBLE; end++) {
        trial->events++;
        if (!agree(trial, told, &limits, end, &answer)) {
            struct text text = TEXT_EMPTY;
            prefixes_print(&trial->prefixes, &text);

            fail_msg("seed %" PRIu64 ", %s, a long history, in front of %u: those that drop and "
                     "that drop nothing differ: %s",
                     seed, trial->subject->workload->name, end, text_string(&text));
        }
    }
    trial->violations += answer == ONLINE_IMPOSSIBLE;
    trial->left += answer == ONLINE_LEAVES;
    for (int drops = 0; drops < 3; drops++)
        online_destroy(told[drops].online);
    assert_int_equal(budget.used, 0);
}

static void test_dropping(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        struct subject subject;
        subject_open(&subject, find_workload(names[i]));
        struct trial trial = {.subject = &subject};
        for (unsigned j = 0; j < seeds.count; j++)
            try_long(&trial, seeds.first + j, 3);
        if (strcmp(names[i], "stack") == 0) {
            try_long(&trial, 31704, 3); /* a pop fails that had to have taken what walls surround */
            try_long(&trial, 8021873, 3); /* what is taken need not have been, and no pop runs */
            try_long(&trial, 3589, 30);   /* of two pending pops the other one has taken a value */
        }
        printf("%s: %" PRIu64 " long histories, %" PRIu64 " events, %" PRIu64
               " violations, %" PRIu64 " for the search, %" PRIu64 " behind a guess\n",
               names[i], trial.histories, trial.events, trial.violations, trial.left, trial.unsure);
        assert_true(seeds_met(trial.violations, trial.histories - trial.left, 10));
        sample_release(&trial.prefixes.sample);
        subject_close(&subject);
    }
}

/* ---- histories by hand ---- */

/* Events: +N:V operation N adds V, -N it removes, .N an add answers, .N:V a removal (0: nothing),
 * ?N stays pending, !N fails. */
struct written {
    const char *object, *events;
    bool violation; /* with the last event, and none before */
};

static const struct written written[] = {
    /* 5 came out before 1, which lay under it, and all the while 9 lay on it. */
    {"stack", "+0:1 .0 +4:5 .4 -6 ?6 -7 +8:9 .8 -9 .7:1 -10 .10:9 .9:5", true},
    /* 17 and 19 are above 13, and only one pop may have taken either. */
    {"stack", "+12:13 +13:14 .13 +16:17 .12 -17 .17:14 .16 +18:19 .18 -20 -21 ?21 .20:13", true},
    /* Pop 18 has taken 17, and pop 25 has taken 24, though 18 may have done that, too. */
    {"stack",
     "+14:15 .14 +15:16 +16:17 .15 -17 .16 -18 ?18 -19 .17:15 .19:16 +20:21 +21:22 .21 +22:23 .20 "
     "+23:24 .22 -24 .23 -25 ?25 -26 .24:23 -27 .27:21 -28 .26:22 !28",
     false},
    /* 10 is inside until operation 3 takes it, and 20 before that: nothing is found only if
     * operation 4 takes 20, which fails. */
    {"priority-queue", "+0:10 .0 -1 +2:20 .2 -3 -4 .3:10 .1 !4", true},
    /* The same for the removal of 32: 14 is in its way, then 27, unless the last removal takes it.
     */
    {"priority-queue",
     "+2:13 -3 .2 -6 +7:14 +8:27 .7 +9:32 .6:13 +10:19 .9 .10 .8 -11 -13 .13:19 .11:14 -14 +15:7 "
     ".3:32 .14:7",
     true},
    /* Nothing is found while 20 is inside, until it is taken, and 53 before that. */
    {"priority-queue", "+0:20 +1:35 .1 -4 .4:35 +6:53 .0 -9 .6 -12 .12:20 .9:0", true},
};

/* Tells the event, and what the monitor says of all. */
static enum online_answer tell_written(struct online *online, const char *event, uint64_t now,
                                       struct told *told, struct call *calls)
{
    char *end;
    size_t number = strtoul(event + 1, &end, 10);
    int64_t number_told = *end == ':' ? strtoll(end + 1, NULL, 10) : 0;
    value found = number_told ? value_small(number_told) : VALUE_NIL;
    struct call *call = &calls[number];
    bool begins = *event == '+' || *event == '-';
    if (begins) /* both have the operations in this order */
        *call = (struct call){.operation = *event == '-', .argument = found};
    else if (*event == '.' && call->operation)
        *call = (struct call){.operation = 1, .result = found, .result_known = true};
    struct online_event told_event = {.now = now,
                                      .serial = number,
                                      .call = *call,
                                      .stage = begins          ? STAGE_RUNNING
                                               : *event == '.' ? STAGE_COMPLETES
                                               : *event == '?' ? STAGE_PENDING
                                                               : STAGE_FAILED,
                                      .handle = &told->handles[number]};
    enum online_answer answer = online->class->event(online, &told_event);
    return answer == ONLINE_POSSIBLE ? online->class->look(online) : answer;
}

static void try_written(const struct written *one, enum online_drops drops)
{
    struct subject subject;
    struct limits limits;
    struct told told = {0};
    struct call calls[PREFIXES_MOST];
    subject_open(&subject, workload_find(one->object));
    limits_init(&limits, &subject.budget);
    struct online *online = online_create(subject.spec, VALUE_NIL, false, &limits, drops);
    assert_non_null(online);
    const char *at = one->events;
    enum online_answer answer = ONLINE_POSSIBLE;
    for (uint64_t now = 1; *at && answer == ONLINE_POSSIBLE; now++) {
        answer = tell_written(online, at, now, &told, calls);
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    /* Behind a guess nothing need be known. */
    if ((answer == ONLINE_IMPOSSIBLE) != one->violation || (one->violation && *at))
        fail_msg("%s, %s: %s: found %d in front of \"%s\"", one->object, ways[drops], one->events,
                 (int)answer, at);
    online_destroy(online);
    subject_close(&subject);
}

static void test_written(void **state)
{
    (void)state;
    assert_true(STACK_PUSH == 0 && STACK_POP == 1);
    assert_true(PRIORITY_QUEUE_INSERT == 0 && PRIORITY_QUEUE_DELETE_MIN == 1);
    for (size_t i = 0; i < ARRAY_LENGTH(written); i++)
        for (int drops = 0; drops < 3; drops++)
            try_written(&written[i], (enum online_drops)drops);
}

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
 * is inside; and of a container how many operations are decided at a look. */
struct level {
    uint64_t first, last, decided_first, decided_last;
};

static void note_level(struct level *level, const struct online *online, bool container,
                       const struct endless *endless, uint64_t operations)
{
    const uint64_t known = endless->tail - endless->head + endless->pendings;
    const uint64_t retained = online->class->retained(online);
    const uint64_t kept = retained > known ? retained - known : 0;
    const uint64_t decided =
        container ? ((const struct container_online *)online)->intervals.length : 0;
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
        note_level(&level, online, use->order == ENDLESS_NEWEST || use->order == ENDLESS_LEAST,
                   &endless, operations);
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
static void run_account(const struct account *account, uint64_t *first, uint64_t *last)
{
    const uint64_t events = 100000;
    struct workload workload = {.name = account->spec, .spec = account->spec, .key = "1"};
    struct subject subject;
    struct limits limits;
    struct caller callers[8] = {0};
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
        struct caller *caller = &callers[random_below(&random, ARRAY_LENGTH(callers))];
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
    for (size_t i = 0; i < ARRAY_LENGTH(accounts); i++) {
        uint64_t first, last;
        run_account(&accounts[i], &first, &last);
        printf("%s: %" PRIu64 " kept in the first tenth, %" PRIu64 " in the last\n",
               accounts[i].spec, first, last);
        assert_true(first <= 16 && last <= 16);
    }
}

int main(int argc, char **argv)
{
    seeds_from_arguments(&seeds, argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefixes),      cmocka_unit_test(test_dropping),
        cmocka_unit_test(test_written),       cmocka_unit_test(test_level),
        cmocka_unit_test(test_level_pending), cmocka_unit_test(test_level_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
