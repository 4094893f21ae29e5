/* The recorder: what is written of stamps that are known, and what real threads record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <linchpin/record.h>
#include <pthread.h>

static const char *const NAMES[] = {"enqueue", "dequeue"};

static void set(lp_log *log, uint64_t called, unsigned operation, intptr_t argument,
                uint64_t returned, intptr_t result)
{
    *log->next++ = (lp_record){.called = called << LP_RECORD_OPERATION_BITS | operation,
                               .returned = returned,
                               .argument = argument,
                               .result = result};
}

/* The clock of these ticks once a nanosecond. */
static lp_recorder *make(enum lp_record_ends ends)
{
    lp_recorder *recorder = lp_recorder_create(2, 10, NAMES, 2);
    assert_non_null(recorder);
    recorder->ticks_per_ns = 1;
    lp_recorder_set_ends(recorder, ends, 5);
    return recorder;
}

static void expect_dump(const lp_recorder *recorder, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    const char *reason = NULL;
    assert_int_equal(lp_recorder_dump(recorder, file, &reason), 0);
    fclose(file);
    assert_string_equal(text, expected);
    free(text);
}

static void ends_are_sorted_and_what_touches_overlaps(void **unused)
{
    (void)unused;
    lp_recorder *recorder = make(LP_RECORD_FENCED);
    set(lp_recorder_log(recorder, 0), 10, 0, 7, 20, LP_DONE);
    set(lp_recorder_log(recorder, 0), 30, 1, LP_NOTHING, 40, LP_EMPTY);
    set(lp_recorder_log(recorder, 1), 20, 1, LP_NOTHING, 25, 7);
    expect_dump(
        recorder,
        "{\"process\": 0, \"type\": \"invoke\", \"f\": \"enqueue\", \"value\": 7, \"time\": "
        "10}\n"
        "{\"process\": 1, \"type\": \"invoke\", \"f\": \"dequeue\", \"value\": null, "
        "\"time\": 20}\n"
        "{\"process\": 0, \"type\": \"ok\", \"f\": \"enqueue\", \"value\": null, \"time\": "
        "20}\n"
        "{\"process\": 1, \"type\": \"ok\", \"f\": \"dequeue\", \"value\": 7, \"time\": 25}\n"
        "{\"process\": 0, \"type\": \"invoke\", \"f\": \"dequeue\", \"value\": null, "
        "\"time\": 30}\n"
        "{\"process\": 0, \"type\": \"ok\", \"f\": \"dequeue\", \"value\": null, \"time\": "
        "40}\n");
    lp_recorder_destroy(recorder);
}

/* 10..20 and 22..40 of one thread become 5..25 and 17..45. */
static void three_arguments_keep_their_signs(void **unused)
{
    (void)unused;
    lp_recorder *recorder = make(LP_RECORD_FENCED);
    lp_log *log = lp_recorder_log(recorder, 0);
    lp_recorder_takes_three(recorder, 1);
    recorder->done = "\"done\"";
    lp_call3(log, 1, -1, LP_RECORD_THIRD_MOST, -LP_RECORD_THIRD_MOST - 1);
    lp_return(log, LP_DONE);
    log->first->called = 10 << LP_RECORD_OPERATION_BITS | 1;
    log->first->returned = 20;
    expect_dump(recorder, "{\"process\": 0, \"type\": \"invoke\", \"f\": \"dequeue\", \"value\": "
                          "[-1, 1048575, -1048576], \"time\": 10}\n"
                          "{\"process\": 0, \"type\": \"ok\", \"f\": \"dequeue\", \"value\": "
                          "\"done\", \"time\": 20}\n");
    lp_recorder_destroy(recorder);
}

static void widened_operations_of_a_thread_that_overlap_are_of_two_processes(void **unused)
{
    (void)unused; /* of two threads: 0, 2, 4, ... are those of the first */
    lp_recorder *recorder = make(LP_RECORD_WIDENED);
    set(lp_recorder_log(recorder, 0), 10, 0, 7, 20, LP_YES);
    set(lp_recorder_log(recorder, 0), 22, 1, LP_NOTHING, 0, 0);
    expect_dump(
        recorder,
        "{\"process\": \"recorder\", \"type\": \"info\", \"f\": \"widened-by-ns\", "
        "\"value\": 5}\n"
        "{\"process\": 0, \"type\": \"invoke\", \"f\": \"enqueue\", \"value\": 7, \"time\": "
        "5}\n"
        "{\"process\": 2, \"type\": \"invoke\", \"f\": \"dequeue\", \"value\": null, "
        "\"time\": 17}\n"
        "{\"process\": 0, \"type\": \"ok\", \"f\": \"enqueue\", \"value\": true, \"time\": "
        "25}\n");
    lp_recorder_destroy(recorder);
}

static void a_log_that_is_too_small_is_not_dumped(void **unused)
{
    (void)unused;
    lp_recorder *recorder = lp_recorder_create(1, 2, NAMES, 2);
    lp_log *log = lp_recorder_log(recorder, 0);
    const char *reason = NULL;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(lp_log_has_room(log), i < 2);
        lp_call(log, 0, i);
        lp_return(log, LP_DONE);
    }
    assert_int_equal(lp_recorder_dump(recorder, stderr, &reason), -1);
    assert_string_equal(reason, "a log was too small: operations are missing");
    lp_recorder_clear(recorder);
    expect_dump(recorder, "");
    lp_recorder_destroy(recorder);
}

/* ---- real threads, on a queue under a lock ---- */

enum {
    ROUND = 400,
    THREADS = 3
};

struct shared {
    pthread_mutex_t lock;
    intptr_t items[ROUND * THREADS];
    size_t first, count;
    bool is_wrong; /* takes the newest */
};

struct work {
    struct shared *shared;
    lp_log *log;
    unsigned thread;
};

static intptr_t dequeue(struct shared *shared)
{
    intptr_t value = LP_EMPTY;
    pthread_mutex_lock(&shared->lock);
    if (shared->first < shared->count)
        value = shared->is_wrong ? shared->items[--shared->count] : shared->items[shared->first++];
    pthread_mutex_unlock(&shared->lock);
    return value;
}

static void enqueue(struct shared *shared, intptr_t value)
{
    pthread_mutex_lock(&shared->lock);
    shared->items[shared->count++] = value;
    pthread_mutex_unlock(&shared->lock);
}

static void *work(void *argument)
{
    struct work *work = argument;
    lp_log_start(work->log);
    for (unsigned i = 0; lp_log_has_room(work->log); i++) {
        intptr_t value = (intptr_t)(work->thread * ROUND + i);
        if (i % 4 < 2) {
            lp_call(work->log, 0, value);
            enqueue(work->shared, value);
            lp_return(work->log, LP_DONE);
        } else {
            lp_call(work->log, 1, LP_NOTHING);
            lp_return(work->log, dequeue(work->shared));
        }
    }
    return NULL;
}

/* The verdict on a history in the native format, as a queue. */
static lp_verdict decide(const char *text, size_t size)
{
    lp_context *context = lp_context_create(0);
    lp_history **histories = NULL;
    lp_result *result = NULL;
    lp_error error = {0};
    size_t count = 0;
    if (lp_history_parse(context, "recorded", text, size, NULL, &histories, &count, &error) !=
        LP_OK)
        fail_msg("%s", error.message);
    assert_int_equal(count, 1);
    if (lp_check(context, histories[0], NULL, 0, NULL, &result, &error) != LP_OK)
        fail_msg("%s", error.message);
    lp_verdict verdict = result->verdict;
    lp_result_destroy(result);
    lp_history_destroy(histories[0]);
    free(histories);
    lp_context_destroy(context);
    return verdict;
}

static lp_verdict record(enum lp_record_ends ends, bool is_wrong)
{
    struct shared shared = {.lock = PTHREAD_MUTEX_INITIALIZER, .is_wrong = is_wrong};
    struct work works[THREADS];
    pthread_t threads[THREADS];
    lp_recorder *recorder = lp_recorder_create(THREADS, ROUND, NAMES, 2);
    assert_non_null(recorder);
    lp_recorder_set_ends(recorder, ends, 1000);
    for (unsigned i = 0; i < THREADS; i++) {
        works[i] = (struct work){&shared, lp_recorder_log(recorder, i), i};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &works[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_int_equal(lp_recorder_dump(recorder, file, NULL), 0);
    fclose(file);
    lp_recorder_destroy(recorder);

    lp_verdict verdict = decide(text, size);
    free(text);
    return verdict;
}

static void a_right_queue_is_linearizable_and_a_wrong_one_is_not(void **unused)
{
    (void)unused;
    assert_int_equal(record(LP_RECORD_FENCED, false), LP_LINEARIZABLE);
    assert_int_equal(record(LP_RECORD_FENCED, true), LP_VIOLATION);
    assert_int_equal(record(LP_RECORD_WIDENED, false), LP_LINEARIZABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_sorted_and_what_touches_overlaps),
        cmocka_unit_test(three_arguments_keep_their_signs),
        cmocka_unit_test(widened_operations_of_a_thread_that_overlap_are_of_two_processes),
        cmocka_unit_test(a_log_that_is_too_small_is_not_dumped),
        cmocka_unit_test(a_right_queue_is_linearizable_and_a_wrong_one_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
