/* What several threads record at once (stream/recorders.h, lp_client): nothing is lost, what
 * happened before something else stands before it, and the answer is that of a monitor that one
 * thread tells the same events in their order, and of check.
 *
 *     test_monitor_clients [FIRST_SEED [COUNT]] */
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <linchpin/linchpin.h>

#include "base/random.h"
#include "base/vector.h"
#include "stream/recorders.h"
#include "support/seeds.h"

static struct seeds seeds = {1, 60};

/* ---- in the order of the stamps ---- */

#define THREADS 4
#define PUT     3000 /* by each */

/* When a clock stood in front of and behind what a thread put. */
struct put {
    uint64_t before, behind;
};

struct recording {
    struct recorders *recorders;
    unsigned number;
    atomic_uint_least64_t *clock;
    struct put puts[PUT];
};

struct read_event {
    unsigned thread, number;
    uint32_t line;
};

struct reading {
    size_t length;
    struct read_event events[THREADS * PUT];
};

static enum status take(void *user, const struct event *event, struct error *error)
{
    struct reading *reading = user;
    (void)error;
    assert_true(reading->length < ARRAY_LENGTH(reading->events));
    reading->events[reading->length++] =
        (struct read_event){(unsigned)value_small_get(event->process),
                            (unsigned)value_small_get(event->value), event->line};
    return STATUS_OK;
}

static void *record(void *user)
{
    struct recording *recording = user;
    struct recorder *recorder =
        recorder_add(recording->recorders, value_small((int)recording->number));
    bool done = recorder != NULL;
    for (unsigned i = 0; i < PUT && done; i++) {
        const struct event event = {.process = recorder->process, .value = value_small((int)i)};
        recording->puts[i].before = atomic_fetch_add(recording->clock, 1);
        done = recorder_put(recorder, &event);
        recording->puts[i].behind = atomic_fetch_add(recording->clock, 1);
    }
    return done ? recording : NULL;
}

/* An event whose recording was over before that of another began stands before it. */
static void expect_order(const struct recording *recordings, const struct reading *reading)
{
    unsigned next[THREADS] = {0};
    uint64_t earliest = UINT64_MAX; /* that something further behind was over */
    for (size_t i = 0; i < reading->length; i++) {
        const struct read_event *event = &reading->events[i];
        assert_true(event->thread < THREADS);
        assert_int_equal(event->number, next[event->thread]++);
        assert_int_equal(event->line, i + 1);
    }
    for (size_t i = reading->length; i-- > 0;) {
        const struct read_event *event = &reading->events[i];
        const struct put *put = &recordings[event->thread].puts[event->number];
        assert_true(earliest > put->before);
        earliest = put->behind < earliest ? put->behind : earliest;
    }
}

static void what_threads_put_is_handed_on_in_order(void **unused)
{
    static struct recording recordings[THREADS];
    static struct reading reading;
    (void)unused;
    struct budget budget;
    struct recorders recorders;
    struct error error;
    pthread_t threads[THREADS];
    atomic_uint_least64_t clock = 0;
    const struct event_sink sink = {take, &reading};
    budget_init(&budget, NULL, 0);
    recorders_init(&recorders, &budget);
    for (unsigned i = 0; i < THREADS; i++) {
        recordings[i] = (struct recording){.recorders = &recorders, .number = i, .clock = &clock};
        assert_int_equal(pthread_create(&threads[i], NULL, record, &recordings[i]), 0);
    }
    while (atomic_load(&clock) < 2 * THREADS * PUT - THREADS)
        assert_int_equal(recorders_collect(&recorders, &sink, &error), STATUS_OK);
    for (unsigned i = 0; i < THREADS; i++) {
        void *done;
        assert_int_equal(pthread_join(threads[i], &done), 0);
        assert_ptr_equal(done, &recordings[i]);
    }
    assert_int_equal(recorders_collect(&recorders, &sink, &error), STATUS_OK);
    assert_int_equal(reading.length, THREADS * PUT);
    expect_order(recordings, &reading);
    recorders_release(&recorders);
    assert_int_equal(budget.used, 0);
}

/* Events that are put while memory is refused have a place nevertheless. */
static void nothing_is_handed_on_behind_what_was_refused(void **unused)
{
    static struct reading reading;
    (void)unused;
    struct budget budget;
    struct recorders recorders;
    struct error error;
    const struct event_sink sink = {take, &reading};
    budget_init(&budget, NULL, 0);
    recorders_init(&recorders, &budget);
    struct recorder *first = recorder_add(&recorders, value_small(0)),
                    *second = recorder_add(&recorders, value_small(1));
    struct event event = {.value = value_small(0)};
    int put = 0;
    assert_true(first && second);
    event.process = second->process;
    assert_true(recorder_put(second, &event));
    event.process = first->process;
    const size_t used = budget.used, room = sizeof(struct recorded_event) * 100;
    budget.limit = used + room;
    for (bool done = true; done; put += done) {
        event.value = value_small(put);
        done = recorder_put(first, &event);
    }
    budget.limit = 0;
    event = (struct event){.process = second->process, .value = value_small(1)};
    assert_true(recorder_put(second, &event));
    assert_int_equal(recorders_collect(&recorders, &sink, &error), STATUS_OK);
    assert_in_range(put, 1, 100);
    assert_int_equal(reading.length, 1 + put);
    assert_int_equal(reading.events[put].thread, 0);
    budget.limit = 1;
    assert_null(recorder_add(&recorders, value_small(2)));
    recorders_release(&recorders);
    assert_int_equal(budget.used, 0);
}

/* The events of a thread that collects seldom are not copied: there may be as many as memory holds.
 */
static void a_backlog_takes_no_more_memory_while_it_is_collected(void **unused)
{
    static struct reading reading;
    (void)unused;
    struct budget budget;
    struct recorders recorders;
    struct error error;
    const struct event_sink sink = {take, &reading};
    budget_init(&budget, NULL, 0);
    recorders_init(&recorders, &budget);
    struct recorder *some[] = {recorder_add(&recorders, value_small(0)),
                               recorder_add(&recorders, value_small(1))};
    assert_true(some[0] && some[1]);
    for (int i = 0; i < 2 * PUT; i++) {
        struct recorder *recorder = some[i % 3 == 0];
        const struct event event = {.process = recorder->process, .value = value_small(i)};
        assert_true(recorder_put(recorder, &event));
    }
    budget.limit = budget.used + sizeof(struct recorded_event) * PUT / 10;
    assert_int_equal(recorders_collect(&recorders, &sink, &error), STATUS_OK);
    assert_int_equal(reading.length, 2 * PUT);
    for (unsigned i = 0; i < 2 * PUT; i++)
        assert_true(reading.events[i].number == i && reading.events[i].line == i + 1);
    recorders_release(&recorders);
    assert_int_equal(budget.used, 0);
}

struct echo {
    struct recorder *recorder;
    unsigned taken;
};

static enum status put_another(void *user, const struct event *event, struct error *error)
{
    struct echo *echo = user;
    (void)error;
    echo->taken++;
    assert_true(recorder_put(echo->recorder, event));
    return STATUS_OK;
}

static enum status count_taken(void *user, const struct event *event, struct error *error)
{
    struct echo *echo = user;
    (void)event;
    (void)error;
    echo->taken++;
    return STATUS_OK;
}

static void collecting_ends_though_more_is_put_and_gives_memory_back(void **unused)
{
    (void)unused;
    struct budget budget;
    struct recorders recorders;
    struct error error;
    struct echo echo = {0};
    const struct event_sink echoing = {put_another, &echo}, counting = {count_taken, &echo};
    const unsigned many = VECTOR_LONG + 1;
    const struct event event = {.value = value_small(0)};
    budget_init(&budget, NULL, 0);
    recorders_init(&recorders, &budget);
    echo.recorder = recorder_add(&recorders, value_small(0));
    assert_non_null(echo.recorder);
    assert_true(recorder_put(echo.recorder, &event));
    for (unsigned i = 1; i <= 3; i++) {
        assert_int_equal(recorders_collect(&recorders, &echoing, &error), STATUS_OK);
        assert_int_equal(echo.taken, i);
    }
    const size_t used = budget.used;
    for (unsigned i = 0; i < many; i++)
        assert_true(recorder_put(echo.recorder, &event));
    assert_int_equal(recorders_collect(&recorders, &counting, &error), STATUS_OK);
    assert_int_equal(echo.taken, 3 + 1 + many);
    assert_in_range(budget.used, 0, used + many);
    recorders_release(&recorders);
    assert_int_equal(budget.used, 0);
}

static void what_is_refused_while_collecting_is_said(void **unused)
{
    (void)unused;
    static struct reading reading;
    struct budget budget;
    struct recorders recorders;
    struct error error = {0};
    const struct event_sink sink = {take, &reading};
    budget_init(&budget, NULL, 0);
    recorders_init(&recorders, &budget);
    struct recorder *recorder = recorder_add(&recorders, value_small(0));
    const struct event event = {.value = value_small(0)};
    assert_non_null(recorder);
    assert_true(recorder_put(recorder, &event));
    budget.limit = 1;
    assert_int_equal(recorders_collect(&recorders, &sink, &error), STATUS_LIMIT);
    assert_non_null(strstr(error.message, "memory"));
    assert_int_equal(error.line, 0);
    assert_int_equal(reading.length, 0);
    recorders_release(&recorders);
}

/* ---- clients of a monitor ---- */

#define PROCESSES 5
#define EVENTS    160

struct told {
    unsigned client;
    const char *function; /* null: it completes */
    lp_value value;
    lp_outcome outcome;
};

/* Callers of a queue whose elements are there for a while before they are taken. */
struct caller {
    bool runs, enqueues, has_taken_effect;
    int64_t item; /* 0: none */
};

struct maker {
    struct random random;
    lp_context *context;
    struct caller callers[PROCESSES];
    int64_t inside[EVENTS], next;
    size_t count;
    unsigned wrong; /* answers in a hundred */
};

static lp_value item_of(const struct maker *maker, int64_t item)
{
    return item ? lp_value_integer(maker->context, item) : LP_VALUE_NIL;
}

static void take_effect(struct maker *maker, struct caller *caller)
{
    caller->has_taken_effect = true;
    if (caller->enqueues) {
        maker->inside[maker->count++] = caller->item;
        return;
    }
    caller->item = maker->count ? maker->inside[0] : 0;
    if (maker->count)
        memmove(maker->inside, maker->inside + 1, --maker->count * sizeof *maker->inside);
    if (caller->item && random_below(&maker->random, 100) < maker->wrong)
        caller->item = 1 + random_below(&maker->random, (uint32_t)maker->next);
}

static struct told make_event(struct maker *maker)
{
    for (;;) {
        const unsigned client = random_below(&maker->random, PROCESSES);
        struct caller *caller = &maker->callers[client];
        struct told told = {.client = client, .value = LP_VALUE_NIL};
        if (!caller->runs) {
            *caller = (struct caller){.runs = true, .enqueues = random_below(&maker->random, 2)};
            told.function = caller->enqueues ? "enqueue" : "dequeue";
            caller->item = caller->enqueues ? ++maker->next : 0;
            told.value = item_of(maker, caller->item);
            return told;
        }
        if (!caller->has_taken_effect && random_chance(&maker->random, 9, 10)) {
            take_effect(maker, caller);
            continue;
        }
        caller->runs = false;
        told.outcome = caller->has_taken_effect ? LP_OUTCOME_OK : LP_OUTCOME_FAIL;
        if (told.outcome == LP_OUTCOME_OK && !caller->enqueues)
            told.value = item_of(maker, caller->item);
        return told;
    }
}

static lp_monitor *open_monitor(lp_context *context, lp_spec *queue)
{
    const lp_binding binding = {NULL, queue};
    const lp_monitor_options options = {.size = sizeof options, .batch = 16};
    lp_monitor *monitor;
    lp_error error;
    assert_int_equal(lp_monitor_create(context, "log", &binding, 1, &options, &monitor, &error),
                     LP_OK);
    return monitor;
}

static void tell(lp_monitor *monitor, lp_history *history, const struct told *told,
                 lp_context *context)
{
    lp_error error;
    const lp_value process = lp_value_integer(context, told->client);
    if (told->function) {
        assert_int_equal(lp_monitor_invoke(monitor, process, told->function, told->value, &error),
                         LP_OK);
        assert_int_equal(lp_history_invoke(history, process, told->function, told->value, &error),
                         LP_OK);
        return;
    }
    assert_int_equal(lp_monitor_complete(monitor, process, told->outcome, told->value, &error),
                     LP_OK);
    assert_int_equal(lp_history_complete(history, process, told->outcome, told->value, &error),
                     LP_OK);
}

static void put(lp_client *client, const struct told *told)
{
    lp_error error;
    if (told->function)
        assert_int_equal(lp_client_invoke(client, told->function, told->value, &error), LP_OK);
    else
        assert_int_equal(lp_client_complete(client, told->outcome, told->value, &error), LP_OK);
}

static void expect_same(lp_monitor *recorded, lp_monitor *told, uint64_t seed)
{
    lp_error error;
    assert_int_equal(lp_monitor_collect(recorded, &error), LP_OK);
    assert_int_equal(lp_monitor_decide(recorded, &error), LP_OK);
    assert_int_equal(lp_monitor_decide(told, &error), LP_OK);
    const lp_monitor_state *a = lp_monitor_look(recorded), *b = lp_monitor_look(told);
    if (a->verdict != b->verdict || a->line != b->line || a->exact != b->exact ||
        a->operations != b->operations || a->running != b->running || a->pending != b->pending ||
        a->retained != b->retained)
        fail_msg("seed %" PRIu64 ": verdict %d in line %u, found %d in line %u", seed,
                 (int)b->verdict, b->line, (int)a->verdict, a->line);
}

static lp_verdict verdict_of(lp_context *context, lp_history *history, lp_spec *queue)
{
    const lp_binding binding = {NULL, queue};
    lp_result *result;
    lp_error error;
    assert_int_equal(lp_history_close(history, &error), LP_OK);
    assert_int_equal(lp_check(context, history, &binding, 1, NULL, &result, &error), LP_OK);
    const lp_verdict verdict = result->verdict;
    lp_result_destroy(result);
    return verdict;
}

/* Whether there is a violation. */
static bool try_seed(uint64_t seed)
{
    lp_context *context = lp_context_create(0);
    struct maker maker = {.context = context, .wrong = seed % 2 ? 3 : 0};
    lp_spec *queue;
    lp_error error;
    lp_client *clients[PROCESSES];
    random_seed(&maker.random, seed);
    assert_int_equal(lp_spec_create(context, "queue", NULL, &queue, &error), LP_OK);
    lp_monitor *recorded = open_monitor(context, queue), *told = open_monitor(context, queue);
    lp_history *history = lp_history_create(context, "history");
    for (unsigned i = 0; i < PROCESSES; i++)
        assert_int_equal(
            lp_client_create(recorded, lp_value_integer(context, i), &clients[i], &error), LP_OK);
    for (unsigned i = 0; i < EVENTS; i++) {
        const struct told event = make_event(&maker);
        put(clients[event.client], &event);
        tell(told, history, &event, context);
        if (random_chance(&maker.random, 1, 30))
            expect_same(recorded, told, seed);
    }
    expect_same(recorded, told, seed);
    const lp_verdict verdict = lp_monitor_look(recorded)->verdict;
    assert_int_equal(verdict, verdict_of(context, history, queue));
    lp_history_destroy(history);
    lp_monitor_destroy(recorded);
    lp_monitor_destroy(told);
    lp_spec_destroy(queue);
    lp_context_destroy(context);
    return verdict == LP_VIOLATION;
}

static void clients_are_answered_as_one_that_tells_all(void **unused)
{
    (void)unused;
    unsigned violations = 0;
    for (unsigned i = 0; i < seeds.count; i++)
        violations += try_seed(seeds.first + i);
    printf("seeds %" PRIu64 " to %" PRIu64 ": %u violations\n", seeds.first,
           seeds.first + seeds.count - 1, violations);
    assert_true(seeds_met(violations, seeds.count, 20));
    assert_true(seeds_met(seeds.count - violations, seeds.count, 20));
}

/* ---- a real queue ---- */

#define ITEMS 400 /* that each thread enqueues */

/* A queue under a lock; once it hands out what was not there. */
struct store {
    lp_context *context;
    lp_monitor *monitor;
    pthread_mutex_t lock;
    int64_t items[THREADS * ITEMS];
    size_t first, end;
    atomic_uint done;
    bool lies;
};

struct user {
    struct store *store;
    int64_t number;
    bool fine;
};

static void enqueue(struct store *store, int64_t item)
{
    pthread_mutex_lock(&store->lock);
    store->items[store->end++] = item;
    pthread_mutex_unlock(&store->lock);
}

static int64_t dequeue(struct store *store)
{
    pthread_mutex_lock(&store->lock);
    int64_t item = store->first < store->end ? store->items[store->first++] : 0;
    if (store->lies && store->first == THREADS * ITEMS / 2)
        item = THREADS * ITEMS + 1;
    pthread_mutex_unlock(&store->lock);
    return item;
}

static void *use(void *of)
{
    struct user *user = of;
    struct store *store = user->store;
    lp_client *client;
    lp_error error;
    user->fine = lp_client_create(store->monitor, lp_value_integer(store->context, user->number),
                                  &client, &error) == LP_OK;
    for (int64_t i = 0; i < ITEMS && user->fine; i++) {
        const int64_t item = 1 + user->number * ITEMS + i;
        const lp_value added = lp_value_integer(store->context, item);
        user->fine = lp_client_invoke(client, "enqueue", added, &error) == LP_OK;
        enqueue(store, item);
        user->fine &= lp_client_complete(client, LP_OUTCOME_OK, LP_VALUE_NIL, &error) == LP_OK &&
                      lp_client_invoke(client, "dequeue", LP_VALUE_NIL, &error) == LP_OK;
        const int64_t taken = dequeue(store);
        const lp_value removed = taken ? lp_value_integer(store->context, taken) : LP_VALUE_NIL;
        user->fine &= lp_client_complete(client, LP_OUTCOME_OK, removed, &error) == LP_OK;
    }
    atomic_fetch_add(&store->done, 1);
    return NULL;
}

static void watch(bool lies, lp_verdict expected)
{
    static struct store store;
    lp_context *context = lp_context_create(0);
    struct user users[THREADS];
    pthread_t threads[THREADS];
    lp_spec *queue;
    lp_error error;
    assert_int_equal(lp_spec_create(context, "queue", NULL, &queue, &error), LP_OK);
    store =
        (struct store){.context = context, .monitor = open_monitor(context, queue), .lies = lies};
    pthread_mutex_init(&store.lock, NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        users[i] = (struct user){.store = &store, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, use, &users[i]), 0);
    }
    while (atomic_load(&store.done) < THREADS)
        assert_int_equal(lp_monitor_collect(store.monitor, &error), LP_OK);
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(users[i].fine);
    }
    assert_int_equal(lp_monitor_collect(store.monitor, &error), LP_OK);
    assert_int_equal(lp_monitor_decide(store.monitor, &error), LP_OK);
    const lp_monitor_state *state = lp_monitor_look(store.monitor);
    assert_int_equal(state->verdict, expected);
    if (!lies)
        assert_int_equal(state->operations, 2 * THREADS * ITEMS);
    pthread_mutex_destroy(&store.lock);
    lp_monitor_destroy(store.monitor);
    lp_spec_destroy(queue);
    lp_context_destroy(context);
}

static void what_real_threads_do_is_decided(void **unused)
{
    (void)unused;
    watch(false, LP_LINEARIZABLE);
    watch(true, LP_VIOLATION);
}

int main(int argc, char **argv)
{
    seeds_from_arguments(&seeds, argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_threads_put_is_handed_on_in_order),
        cmocka_unit_test(nothing_is_handed_on_behind_what_was_refused),
        cmocka_unit_test(a_backlog_takes_no_more_memory_while_it_is_collected),
        cmocka_unit_test(collecting_ends_though_more_is_put_and_gives_memory_back),
        cmocka_unit_test(what_is_refused_while_collecting_is_said),
        cmocka_unit_test(clients_are_answered_as_one_that_tells_all),
        cmocka_unit_test(what_real_threads_do_is_decided)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
