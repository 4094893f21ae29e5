/* Monitors that decide event by event: behind every event the answer is that of the definition
 * (support/oracle.h), with operations that run, fail and stay pending, dropping or keeping all. On
 * histories too long for the definition those that drop answer behind every event as one that drops
 * nothing, and the general search finds a violation where they do.
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

#include "search/search.h"
#include "spec/cas_register.h"
#include "spec/priority_queue.h"
#include "spec/queue.h"
#include "spec/stack.h"
#include "stream/online.h"
#include "support/prefix.h"
#include "support/seeds.h"

#define SEARCHED_MOST 100000 /* steps of a search */
#define NO_STATE      UINT64_MAX

static struct seeds seeds = {1, 1500};

static const char *const names[] = {
    "queue",
    "register",
    "cas-register",
    "map of one key",
    "set of one key",
    "mutex",
    "mutex with try-acquire",
    "semaphore",
    "counter",
    "stack",
    "priority-queue",
    "increments",
    "reads, writes",
    "few deletions",
    "with cas",
    "key with cas",
    "mostly cas",
};

/* Of other counters, cas-registers and maps nearly all are for the search soon: where something
 * else is added, and with the first cas. */
static const struct workload narrowed[] = {
    {.name = "increments",
     .spec = "counter",
     .initial = "-2",
     .calls = {{"inc", NULL, NULL}, {"add", "1", NULL}, {"read", NULL, "-2 -1 0 1 2"}}},
    {.name = "reads, writes",
     .spec = "cas-register",
     .calls = {{"read", NULL, "nil #"}, {"write", "#", NULL}}},
    {.name = "with cas",
     .spec = "cas-register",
     .calls = {{"read", NULL, "nil #"}, {"write", "#", NULL}, {"cas", "[# #]", NULL}}},
    {.name = "key with cas",
     .spec = "map",
     .key = ":a",
     .calls = {{"put", "[:a #]", NULL}, {"get", ":a", "nil #"}, {"cas", "[:a # #]", NULL}}},
    {.name = "mostly cas",
     .spec = "cas-register",
     .calls = {{"read", NULL, "nil #"}, {"cas", "[# #]", NULL}}},
    {.name = "few deletions",
     .spec = "map",
     .key = ":a",
     .calls = {{"put", "[:a #]", NULL}, {"get", ":a", "nil #"}, {"delete", ":a", NULL}}}};

/* Of nil, which a deletion writes, it must be known that nobody can read it before the next one. */
static const uint32_t few_deletions[] = {12, 12, 1};

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

/* Those that are left with the first cas, or as soon as something else is added. */
static bool is_left_soon(const char *name)
{
    return strcmp(name, "cas-register") == 0 || strcmp(name, "map of one key") == 0 ||
           strcmp(name, "counter") == 0;
}

static const struct workload *find_workload(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(narrowed); i++)
        if (strcmp(name, narrowed[i].name) == 0)
            return &narrowed[i];
    return workload_find(name);
}

/* Those of the monitor for cas, to which the other one gives an object with the first of them. */
static bool is_with_cas(const char *name)
{
    return strcmp(name, "with cas") == 0 || strcmp(name, "key with cas") == 0 ||
           strcmp(name, "mostly cas") == 0;
}

/* How many seeds are tried: where nothing is dropped what failed is searched for again and again.
 */
static unsigned count_of(const char *name)
{
    return is_with_cas(name) ? (seeds.count + 4) / 5 : seeds.count;
}

static const char *const ways[] = {
    [DROPS_SELDOM] = "dropping seldom",
    [DROPS_AT_ONCE] = "dropping at once",
    [DROPS_NOTHING] = "dropping nothing",
};

struct trial {
    const struct subject *subject;
    const uint32_t *weights; /* of its calls; null: all alike */
    struct prefixes prefixes;
    uint64_t histories, violations, events, left, unsure, idle, searched, aside;
};

/* A monitor that is told the events of a trial. */
struct told {
    struct online *online;
    uint32_t handles[PREFIXES_MOST];
    enum stage stages[PREFIXES_MOST];
    uint64_t now, aside;
    bool left;
};

static struct online *create(const struct trial *trial, struct limits *limits,
                             enum online_drops drops, const value *initial)
{
    const struct part *part = &trial->prefixes.sample.part;
    const bool has_key = trial->subject->has_key;
    if (!is_with_cas(trial->subject->workload->name))
        return online_create(part->spec, part->key, has_key, limits, drops);
    struct online *online = online_cas_create(part->spec, part->key, has_key, initial, limits);
    if (online)
        online->drops = drops;
    return online;
}

static struct trial trial_of(const struct subject *subject)
{
    const bool few = strcmp(subject->workload->name, "few deletions") == 0;
    return (struct trial){.subject = subject, .weights = few ? few_deletions : NULL};
}

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

/* Some of what runs is set aside, unless nothing is dropped. */
static void set_aside(const struct trial *trial, struct told *told, uint32_t end)
{
    struct online *online = told->online;
    struct call call;
    if (!online->class->set_aside || online->drops == DROPS_NOTHING)
        return;
    for (uint32_t i = 0; i < trial->prefixes.sample.part.count; i++) {
        const struct interval *interval = &trial->prefixes.sample.intervals[i];
        if (interval->invoke >= end || told->stages[i] != STAGE_RUNNING || (i + end) % 3)
            continue;
        prefixes_know(&trial->prefixes, i, interval->invoke, &call);
        assert_true(online->class->set_aside(online, &call, i, &told->handles[i]));
        told->aside++;
    }
}

/* Tells the monitor what happens right in front of `end`. */
static enum online_answer tell_all(const struct trial *trial, struct told *told, uint32_t end)
{
    enum online_answer answer = ONLINE_POSSIBLE;
    for (uint32_t i = 0; i < trial->prefixes.sample.part.count && answer == ONLINE_POSSIBLE; i++)
        answer = tell(trial, told, i, end);
    if (answer == ONLINE_POSSIBLE)
        set_aside(trial, told, end);
    return answer;
}

/* Where nothing is open another monitor goes on from the state alone. */
static void rest(struct trial *trial, struct told *told, struct limits *limits)
{
    struct online *online = told->online;
    uint64_t state = NO_STATE;
    if (online->drops != DROPS_AT_ONCE || !online->class->rests)
        return;
    if (!online->class->rests(online, &state)) {
        assert_true(!online_is_cas(online) || state == NO_STATE);
        return;
    }
    online_destroy(online);
    told->online = create(trial, limits, DROPS_AT_ONCE, &state);
    assert_non_null(told->online);
    assert_true(!told->online->class->begin || told->online->class->begin(told->online, state));
    trial->idle++;
}

static void try_sample(struct trial *trial, uint64_t seed, enum online_drops drops)
{
    const struct part *part = &trial->prefixes.sample.part;
    struct limits limits;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    limits_init(&limits, &budget);
    struct online *online = create(trial, &limits, drops, NULL);
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
        const bool may_refuse = drops != DROPS_NOTHING || online_is_cas(online);
        if (answer == ONLINE_REFUSED && online->class->look && may_refuse) {
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
    trial->aside += told.aside;
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
                          .recalled = is_with_cas(trial->subject->workload->name) ? 3 : 0,
                          .pending_percent = random_below(&random, 3) * 15,
                          .unknown_percent = random_below(&random, 5) ? 0 : 10,
                          .mutate_percent = 60,
                          .eagerness = random_below(&random, 4),
                          .weights = trial->weights};
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
        struct trial trial = trial_of(&subject);
        for (unsigned j = 0; j < count_of(names[i]); j++)
            try_seed(&trial, seeds.first + j);
        printf("%s: seeds %" PRIu64 " to %" PRIu64 ": %" PRIu64 " histories, %" PRIu64
               " events, %" PRIu64 " violations, %" PRIu64 " for the search, %" PRIu64
               " behind a guess, idle %" PRIu64 " times\n",
               names[i], seeds.first, seeds.first + count_of(names[i]) - 1, trial.histories,
               trial.events, trial.violations, trial.left, trial.unsure, trial.idle);
        assert_true(seeds_met(trial.violations, trial.histories, 300));
        assert_true(!may_rest(names[i]) || seeds_met(trial.idle, trial.histories, 100));
        assert_true(strcmp(names[i], "queue") != 0 ||
                    seeds_met(trial.aside, trial.histories, 1000));
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

/* What the search says of the events in front of `end`, if it comes to an end. */
static void expect_searched(struct trial *trial, uint64_t seed, uint32_t end, enum verdict expected)
{
    struct sample prefix = {0};
    struct budget budget;
    struct limits limits;
    struct decision decision;
    struct error error;
    budget_init(&budget, NULL, 0);
    limits_init(&limits, &budget);
    limits.most_work = SEARCHED_MOST;
    decision_init(&decision, &budget);
    prefixes_cut(&trial->prefixes, end, &prefix);
    assert_int_equal(search_decide(&prefix.part, &limits, &decision, &error), STATUS_OK);
    trial->searched += decision.verdict != VERDICT_UNKNOWN;
    if (decision.verdict != VERDICT_UNKNOWN && decision.verdict != expected) {
        struct text text = TEXT_EMPTY;
        prefixes_print(&trial->prefixes, &text);
        fail_msg("seed %" PRIu64 ", %s, in front of %u: the search finds %s: %s", seed,
                 trial->subject->workload->name, end,
                 expected == VERDICT_VIOLATION ? "an order" : "none", text_string(&text));
    }
    decision_release(&decision);
    sample_release(&prefix);
}

/* Of so many histories one takes its values from a few, the others never twice the same. */
static void try_long(struct trial *trial, uint64_t seed, uint32_t few)
{
    struct random random;
    random_seed(&random, seed);
    struct shape shape = {.operations = 12 + random_below(&random, PREFIXES_MOST - 12),
                          .processes = 1 + random_below(&random, 8),
                          .values = random_below(&random, few) ? 0 : 1 + random_below(&random, 40),
                          .recalled = is_with_cas(trial->subject->workload->name) ? 4 : 0,
                          .pending_percent = random_below(&random, 3) * (seed % 4 == 3 ? 25 : 3),
                          .mutate_percent = 60,
                          .eagerness = random_below(&random, 4),
                          .weights = trial->weights};
    sample_random(&trial->prefixes.sample, trial->subject, &random, &shape);
    const struct part *part = &trial->prefixes.sample.part;
    struct limits limits;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    limits_init(&limits, &budget);
    prefixes_choose_fates(&trial->prefixes, &random);
    struct told told[3] = {0};
    for (int drops = 0; drops < 3; drops++)
        told[drops].online = create(trial, &limits, (enum online_drops)drops, NULL);
    enum online_answer answer = ONLINE_POSSIBLE;
    trial->histories++;
    uint32_t end = 1;
    for (; end <= part->positions && answer == ONLINE_POSSIBLE; end++) {
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
    if (answer == ONLINE_IMPOSSIBLE)
        expect_searched(trial, seed, end - 1, VERDICT_VIOLATION);
    if (answer != ONLINE_LEAVES && !told[DROPS_NOTHING].left)
        expect_searched(trial, seed, answer == ONLINE_POSSIBLE ? end - 1 : end - 2,
                        VERDICT_LINEARIZABLE);
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
        struct trial trial = trial_of(&subject);
        for (unsigned j = 0; j < count_of(names[i]); j++)
            try_long(&trial, seeds.first + j, 3);
        if (strcmp(names[i], "stack") == 0) {
            try_long(&trial, 31704, 3); /* a pop fails that had to have taken what walls surround */
            try_long(&trial, 8021873, 3); /* what is taken need not have been, and no pop runs */
            try_long(&trial, 3589, 30);   /* of two pending pops the other one has taken a value */
        }
        printf("%s: %" PRIu64 " long histories, %" PRIu64 " events, %" PRIu64
               " violations, %" PRIu64 " for the search, %" PRIu64 " behind a guess, %" PRIu64
               " searched\n",
               names[i], trial.histories, trial.events, trial.violations, trial.left, trial.unsure,
               trial.searched);
        assert_true(trial.histories < 300 || is_left_soon(names[i]) ||
                    3 * trial.left < 2 * trial.histories);
        assert_true(seeds_met(trial.violations, trial.histories - trial.left, 10));
        sample_release(&trial.prefixes.sample);
        subject_close(&subject);
    }
}

/* ---- histories by hand ---- */

/* Events: +N:V operation N adds or writes V, -N it removes or reads, *N:V>W it replaces V by W, .N
 * an add answers, .N:V a removal or read (0: nothing), =N a cas that replaced, /N one that did not,
 * ?N stays pending, !N fails; ~ behind it: the monitor does not look. */
struct written {
    const char *object, *events;
    bool violation; /* with the last event, and none before; where it did not look: by then */
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
    /* 20, 30 and 40 are inside one after the other while operation 5 runs. */
    /* 0 was replaced when cas 1 answered, only by 2, and that when cas 4 did, only by 3: so that
     * was there all the while cas 5 ran. */
    {"cas-register", "*1:0>1 +2:2 *3:2>3 /1 *4:2>1 /4 *5:3>1 ?2 =3 /5", true},
    {"cas-register", "+1:1 *2:0>2 /2 *3:1>2 *4:1>3 /3 *5:3>2 =4 /5", true},
    /* The same, and what a cas replaces that runs is known to have been replaced. */
    {"cas-register", "*1:0>1 -2 +3:2 /1 +4:1 .2:0 *5:3>4 ?3 *6:2>3 /6 +7:5 ?7 -8 .8:5 *9:1>3 =5",
     true},
    {"cas-register",
     "+1:1 -2 *3:0>2 /3 .2:0 *4:2>3 *5:1>2 ?1 -6 ?5 *7:0>4 .6:3 =4 +8:5 ?8 -9 .9:5 =7", true},
    {"cas-register",
     "+1:1 *2:0>2 -3 /2 *4:1>2 +5:3 ?1 ?5 !4 *6:2>4 -7 -8 .3:3 .8:1 +9:2 *10:1>5 .7:2 =10", true},
    /* 1 was read, behind 2, before cas 6 began. */
    {"cas-register", "+1:1 -2 -3 ?1 *4:0>2 .2:1 +5:3 =4 *6:2>4 .3:3 =6", true},
    /* 1 and 2 may have come and gone before 3 was there. */
    {"cas-register", "*1:1>2 *2:3>4 +3:1 +4:3 ?4 *5:4>5 =5 ?2 ?3 =1 -6 .6:5", false},
    /* Only 1 can have replaced 2, and only 1 can have replaced 3, which was written later. */
    {"cas-register",
     "+1:1~ +2:2~ .2~ *3:2>8~ /3~ +4:3~ .4~ *5:3>9~ /5~ .1~ +6:4~ .6~ -7~ .7:4~ +8:5~ .8~ "
     "-9~ .9:5~ -10~ .10:5",
     true},
    /* A cas from 3 to 3 that runs may have found 3, as a read may. */
    {"cas-register", "+1:3 .1 +2:6 *3:3>3 +4:1 .2 .4 *5:7>3 =3", false},
    {"queue", "+1:10 .1 -2 -3 .3:10 +4:20 .4 -5 +7:30 .7 -6 .6:20 !2 +9:40 .9 -8 .8:30 .5:0", true},
    /* Nothing is found while 20 is inside, until it is taken, and 53 before that. */
    {"priority-queue", "+0:20 +1:35 .1 -4 .4:35 +6:53 .0 -9 .6 -12 .12:20 .9:0", true},
    /* Removal 4 of 50 began while 5 was inside, so 10 was taken before it answered: by 0, not 7. */
    {"priority-queue",
     "-0 +1:5 .1 +2:50 .2 +3:60 .3 -4 +5:10 .5 -6 .6:5 .4:50 -7 +8:40 .8 -9 .9:40 -10 .10:60 .7:10",
     true},
    /* 10 was taken before 2 answered, which says so to 4, too: by 0, that has not answered yet. */
    {"priority-queue", "-0 +1:10 .1 +5:20 .5 -2 .2:20 -3 +6:30 .6 -4 .4:30 .3:10", true},
    {"priority-queue", "-0 +1:10 .1 +5:20 .5 -2 .2:20 -3 +6:30 .6 -4 .4:30 +7:40 .7 .0:10 .3:40",
     false},
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
    const bool begins = *event == '+' || *event == '-' || *event == '*';
    const bool completes = *event == '.' || *event == '=' || *event == '/';
    const uint16_t takes = online_is_cas(online) ? CAS_REGISTER_READ : 1;
    if (*event == '*') {
        const value items[] = {found, value_small(strtoll(strchr(event, '>') + 1, NULL, 10))};
        *call = (struct call){.operation = CAS_REGISTER_CAS,
                              .argument = value_list(online->spec->pool, items, 2)};
    } else if (begins) {
        *call = (struct call){.operation = *event == '-' ? takes : !takes, .argument = found};
    } else if (*event == '=' || *event == '/') {
        call->result = value_boolean(*event == '=');
        call->result_known = true;
    } else if (*event == '.' && call->operation == takes) {
        *call = (struct call){.operation = takes, .result = found, .result_known = true};
    }
    struct online_event told_event = {.now = now,
                                      .serial = number,
                                      .call = *call,
                                      .stage = begins          ? STAGE_RUNNING
                                               : completes     ? STAGE_COMPLETES
                                               : *event == '?' ? STAGE_PENDING
                                                               : STAGE_FAILED,
                                      .handle = &told->handles[number]};
    enum online_answer answer = online->class->event(online, &told_event);
    const bool told_only = event[strcspn(event, " ") - 1] == '~';
    const bool looks = answer == ONLINE_POSSIBLE && online->class->look && !told_only;
    return looks ? online->class->look(online) : answer;
}

static void try_written(const struct written *one, enum online_drops drops)
{
    struct subject subject;
    struct limits limits;
    struct told told = {0};
    struct call calls[PREFIXES_MOST];
    subject_open(&subject, workload_find(one->object));
    limits_init(&limits, &subject.budget);
    struct online *online = strcmp(one->object, "cas-register") == 0
                                ? online_cas_create(subject.spec, VALUE_NIL, false, NULL, &limits)
                                : online_create(subject.spec, VALUE_NIL, false, &limits, drops);
    assert_non_null(online);
    online->drops = drops;
    const char *at = one->events;
    enum online_answer answer = ONLINE_POSSIBLE;
    for (uint64_t now = 1; *at && answer == ONLINE_POSSIBLE; now++) {
        answer = tell_written(online, at, now, &told, calls);
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    const bool early = *at && !strchr(one->events, '~');
    /* Behind a guess nothing need be known. */
    if ((answer == ONLINE_IMPOSSIBLE) != one->violation || (one->violation && early))
        fail_msg("%s, %s: %s: found %d in front of \"%s\"", one->object, ways[drops], one->events,
                 (int)answer, at);
    online_destroy(online);
    subject_close(&subject);
}

static void test_written(void **state)
{
    (void)state;
    assert_true(QUEUE_ENQUEUE == 0 && QUEUE_DEQUEUE == 1);
    assert_true(STACK_PUSH == 0 && STACK_POP == 1);
    assert_true(CAS_REGISTER_READ == 0 && CAS_REGISTER_WRITE == 1);
    assert_true(PRIORITY_QUEUE_INSERT == 0 && PRIORITY_QUEUE_DELETE_MIN == 1);
    for (size_t i = 0; i < ARRAY_LENGTH(written); i++)
        for (int drops = 0; drops < 3; drops++)
            try_written(&written[i], (enum online_drops)drops);
}

int main(int argc, char **argv)
{
    seeds_from_arguments(&seeds, argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_prefixes),
                                       cmocka_unit_test(test_dropping),
                                       cmocka_unit_test(test_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
