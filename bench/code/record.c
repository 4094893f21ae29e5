/* What recording an operation costs: nanoseconds an operation, one thread, and two threads at a
 * shared counter; against the same loop without a recorder, and with clock_gettime as the clock.
 *
 * Usage: record-cost [OPERATIONS] (1,000,000). Of five runs the least counts. */
#include <linchpin/record.h>
#include <pthread.h>

enum {
    THREADS = 2,
    RUNS = 5
};

enum way {
    WAY_NONE,
    WAY_WIDENED,
    WAY_FENCED,
    WAY_CLOCK
};

static const char *const names[] = {"inc"};
static uint64_t shared_counter;

struct work {
    lp_log *log;
    size_t operations;
    enum way way;
    double nanoseconds;
};

static void *work(void *argument)
{
    struct work *work = argument;
    lp_log *log = work->log;
    lp_log_start(log);
    uint64_t begin = lp_clock_monotonic();
    if (work->way == WAY_NONE)
        for (size_t i = 0; i < work->operations; i++)
            __atomic_fetch_add(&shared_counter, 1, __ATOMIC_RELAXED);
    else
        for (size_t i = 0; i < work->operations; i++) {
            lp_call(log, 0, LP_NOTHING);
            intptr_t value = (intptr_t)__atomic_fetch_add(&shared_counter, 1, __ATOMIC_RELAXED);
            lp_return(log, value);
        }
    work->nanoseconds = (double)(lp_clock_monotonic() - begin) / (double)work->operations;
    return NULL;
}

static double measure(enum way way, unsigned count, size_t operations)
{
    double least = 1e9;
    for (unsigned run = 0; run < RUNS; run++) {
        lp_recorder *recorder = lp_recorder_create(count, operations, names, 1);
        struct work works[THREADS];
        pthread_t threads[THREADS];
        if (!recorder)
            exit(2);
        lp_recorder_set_ends(recorder, way == WAY_WIDENED ? LP_RECORD_WIDENED : LP_RECORD_FENCED,
                             1000);
        for (unsigned i = 0; i < count; i++) {
            works[i] = (struct work){lp_recorder_log(recorder, i), operations, way, 0};
            works[i].log->use_clock |= way == WAY_CLOCK;
            recorder->logs[i].use_clock = works[i].log->use_clock;
            pthread_create(&threads[i], NULL, work, &works[i]);
        }
        double slowest = 0;
        for (unsigned i = 0; i < count; i++) {
            pthread_join(threads[i], NULL);
            slowest = works[i].nanoseconds > slowest ? works[i].nanoseconds : slowest;
        }
        least = slowest < least ? slowest : least;
        lp_recorder_destroy(recorder);
    }
    return least;
}

int main(int count, char **arguments)
{
    static const char *const WAYS[] = {"not recorded", "widened stamps", "fenced stamps",
                                       "clock_gettime, fenced"};
    size_t operations = count > 1 ? strtoul(arguments[1], NULL, 10) : 1000000;
    double bare[2] = {0, 0};
    printf("| recording | one thread, ns an operation | more | two threads, ns | ratio |\n"
           "|---|---:|---:|---:|---:|\n");
    for (enum way way = WAY_NONE; way <= WAY_CLOCK; way++) {
        double one = measure(way, 1, operations), two = measure(way, 2, operations);
        if (way == WAY_NONE) {
            bare[0] = one;
            bare[1] = two;
        }
        printf("| %s | %.0f | %.0f | %.0f | %.1f |\n", WAYS[way], one, one - bare[0], two,
               two / bare[1]);
    }
    return 0;
}
