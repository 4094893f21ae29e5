/* Recording what real threads do to an object, at full speed, as a history for `linchpin check`.
 *
 * A header of C (C11) and C++ (C++11) that stands alone: nothing is linked. Each thread writes to a
 * log of its own; an operation costs two time stamps and 32 bytes, and no memory is shared.
 *
 *     static const char *const names[] = {"push", "pop"};
 *     lp_recorder *recorder = lp_recorder_create(2, 100000, names, 2);   two threads
 *     ... in thread number t:
 *         lp_log *log = lp_recorder_log(recorder, t);
 *         lp_log_start(log);                               waits for the others, starts together
 *         lp_call(log, 0, 7); push(stack, 7); lp_return(log, LP_DONE);
 *         lp_call(log, 1, LP_NOTHING); value = pop(stack);
 *         lp_return(log, value ? *value : LP_EMPTY);
 *     ... when all have ended:
 *     if (lp_recorder_dump(recorder, file, NULL) != 0) ...
 *     lp_recorder_destroy(recorder);
 *
 * Whether the history that results is right is a matter of where the stamps are taken. That of a
 * call must not be later than the operation's first access: it is taken, and waited for, before the
 * operation begins. That of a return must not be earlier than the moment when others can see its
 * last access:
 *
 *   LP_RECORD_FENCED (the default)  a full fence, then the stamp: what the operation stored last
 *       has left the processor's store buffer. Nothing is assumed.
 *   LP_RECORD_WIDENED  plain stamps, which a processor may take a little early or late, and no
 *       fence: half the cost, and store buffers behave as they do without a recorder. At the dump
 *       every operation is widened at both ends (1,000 ns unless set): that none of its accesses
 *       is further away is an assumption, and the history says so in an annotation. Operations of
 * one thread that overlap by that are written as those of several processes, so that nothing is
 * claimed about their order.
 *
 * The clock is the processor's time stamp counter where that runs evenly and the same everywhere
 * (x86: constant_tsc and nonstop_tsc; ARM: the generic timer), else CLOCK_MONOTONIC. */
#ifndef LINCHPIN_RECORD_H
#define LINCHPIN_RECORD_H

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined __linux__
#include <sched.h>
#include <unistd.h>
#endif
#if defined __x86_64__
#include <x86intrin.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef LP_EMPTY                  /* as in the header of test files */
#define LP_EMPTY INTPTR_MIN       /* answers: "empty", "absent"; */
#define LP_DONE  (INTPTR_MIN + 1) /* nothing; */
#define LP_NO    (INTPTR_MIN + 2) /* false; */
#define LP_YES   (INTPTR_MIN + 3) /* true */
#endif
#ifndef LP_HAS_INT /* likewise */
#define LP_HAS_INT
typedef intptr_t lp_int;
#endif
#define LP_NOTHING LP_DONE          /* no argument */
#define LP_FAILED  (INTPTR_MIN + 4) /* the operation gave up, and has changed nothing */

enum lp_record_ends {
    LP_RECORD_FENCED,
    LP_RECORD_WIDENED
};

#define LP_RECORD_OPERATION_BITS 8   /* of `called`: which operation; the rest is a time */
#define LP_RECORD_LINE           128 /* bytes that two logs keep between them */

/* An operation. Times are ticks of the clock since the recorder was made; 0: has not returned. */
typedef struct lp_record {
    uint64_t called; /* time << 8 | operation */
    uint64_t returned;
    intptr_t argument, result;
} lp_record;

/* What one thread writes. */
typedef struct lp_log {
    lp_record *next, *last; /* the one being written; behind `last` there is no room */
    lp_record *first;
    uint64_t begin;   /* of the clock, when the recorder was made */
    uint64_t refused; /* operations that did not fit */
    int ends;         /* enum lp_record_ends */
    int use_clock;    /* CLOCK_MONOTONIC instead of the counter */
    uint64_t skew;    /* ticks behind the common start */
    struct lp_recorder *recorder;
    char padding[LP_RECORD_LINE];
} lp_log;

typedef struct lp_recorder {
    unsigned threads;
    size_t most; /* operations of each thread */
    const char *const *names;
    unsigned name_count;
    int ends;
    uint64_t widening;       /* nanoseconds */
    uint64_t takes_two[4];   /* which operations do, a bit each */
    uint64_t takes_three[4]; /* likewise */
    const char *done;        /* how LP_DONE is written: "null" */
    uint64_t begin, started; /* ticks; `started`: 0 until all have arrived */
    unsigned arrived;
    int use_clock;
    double ticks_per_ns;
    lp_log *logs;
} lp_recorder;

/* ---- the clock ---- */

static inline uint64_t lp_clock_monotonic(void)
{
    struct timespec now;
#ifdef CLOCK_MONOTONIC
    clock_gettime(CLOCK_MONOTONIC, &now);
#else /* strictly C */
    timespec_get(&now, TIME_UTC);
#endif
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#if defined __x86_64__
#define LP_HAS_COUNTER 1
static inline uint64_t lp_counter(void)
{
    return __rdtsc();
}

/* Taken before what follows in the program has begun. */
static inline uint64_t lp_counter_before(void)
{
    uint64_t now = __rdtsc();
    _mm_lfence();
    return now;
}

/* Taken after all that precedes it in the program can be seen by every processor. A locked
 * instruction drains the store buffer as mfence does, at a fraction of the cost. */
static inline uint64_t lp_counter_after(void)
{
    unsigned unused;
    __asm__ volatile("lock; orl $0, -4(%%rsp)" ::: "memory", "cc");
    return __rdtscp(&unused);
}
#elif defined __aarch64__
#define LP_HAS_COUNTER 1
static inline uint64_t lp_counter(void)
{
    uint64_t now;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now)::"memory");
    return now;
}

static inline uint64_t lp_counter_before(void)
{
    __asm__ volatile("isb" ::: "memory");
    uint64_t now = lp_counter();
    __asm__ volatile("isb" ::: "memory");
    return now;
}

static inline uint64_t lp_counter_after(void)
{
    __asm__ volatile("dmb ish\n\tisb" ::: "memory");
    return lp_counter();
}
#else
#define LP_HAS_COUNTER 0
static inline uint64_t lp_counter(void)
{
    return lp_clock_monotonic();
}
static inline uint64_t lp_counter_before(void)
{
    return lp_clock_monotonic();
}
static inline uint64_t lp_counter_after(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return lp_clock_monotonic();
}
#endif

/* Whether the counter can be trusted: it runs at one rate, in sleep too, on every processor. */
static inline bool lp_counter_is_even(void)
{
#if defined __x86_64__ && defined __linux__
    char line[8192];
    bool constant = false, nonstop = false;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file) && !(constant && nonstop)) {
        constant |= strstr(line, " constant_tsc") != NULL;
        nonstop |= strstr(line, " nonstop_tsc") != NULL;
    }
    if (file)
        fclose(file);
    return constant && nonstop;
#else
    return LP_HAS_COUNTER;
#endif
}

static inline double lp_counter_rate(void)
{
    uint64_t begin = lp_clock_monotonic(), ticks = lp_counter(), now;
    do
        now = lp_clock_monotonic();
    while (now - begin < 10000000u);
    return (double)(lp_counter() - ticks) / (double)(now - begin);
}

/* ---- a recorder ---- */

static inline void lp_recorder_destroy(lp_recorder *recorder)
{
    if (!recorder)
        return;
    for (unsigned i = 0; recorder->logs && i < recorder->threads; i++)
        free(recorder->logs[i].first);
    free(recorder->logs);
    free(recorder);
}

/* A recorder of `threads` threads, each with at most `most` operations, which are those of `names`
 * (at most 256; not copied). Null when memory is short, errno as malloc leaves it. The logs are
 * written to once, so that no page is missing later. */
static inline lp_recorder *lp_recorder_create(unsigned threads, size_t most,
                                              const char *const *names, unsigned name_count)
{
    lp_recorder *recorder = (lp_recorder *)calloc(1, sizeof *recorder);
    if (!recorder)
        return NULL;
    recorder->threads = threads;
    recorder->most = most;
    recorder->names = names;
    recorder->name_count = name_count;
    recorder->widening = 1000;
    recorder->done = "null";
    recorder->use_clock = !lp_counter_is_even();
    recorder->ticks_per_ns = recorder->use_clock ? 1.0 : lp_counter_rate();
    recorder->begin = recorder->use_clock ? lp_clock_monotonic() : lp_counter();
    recorder->logs = (lp_log *)calloc(threads ? threads : 1, sizeof *recorder->logs);
    for (unsigned i = 0; recorder->logs && i < threads; i++) {
        lp_log *log = &recorder->logs[i];
        log->first = (lp_record *)malloc((most + 1) * sizeof *log->first);
        if (!log->first)
            break;
        memset(log->first, 0, (most + 1) * sizeof *log->first);
        log->next = log->first;
        log->last = log->first + most;
        log->begin = recorder->begin - 1; /* so that no time is 0 */
        log->use_clock = recorder->use_clock;
        log->recorder = recorder;
        if (i + 1 == threads)
            return recorder;
    }
    lp_recorder_destroy(recorder);
    errno = ENOMEM;
    return NULL;
}

/* Before any thread starts: how returns are stamped, and by how many nanoseconds operations are
 * widened at both ends (LP_RECORD_WIDENED only). */
static inline void lp_recorder_set_ends(lp_recorder *recorder, enum lp_record_ends ends,
                                        uint64_t widening)
{
    recorder->ends = ends;
    recorder->widening = widening;
    for (unsigned i = 0; i < recorder->threads; i++)
        recorder->logs[i].ends = ends;
}

/* The log of a thread, from 0. */
static inline lp_log *lp_recorder_log(lp_recorder *recorder, unsigned thread)
{
    return &recorder->logs[thread];
}

static inline uint64_t lp_log_now(const lp_log *log)
{
    return log->use_clock ? lp_clock_monotonic() : lp_counter();
}

/* By how many nanoseconds the thread starts behind the others: set it differently in every round,
 * so that not always the same accesses meet. */
static inline void lp_log_set_skew(lp_log *log, uint64_t nanoseconds)
{
    log->skew = (uint64_t)((double)nanoseconds * log->recorder->ticks_per_ns);
}

/* Binds the calling thread to a processor; false when the system refuses. */
static inline bool lp_log_pin(unsigned processor)
{
#if defined __linux__ && defined CPU_SET
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
#else
    (void)processor;
    return false;
#endif
}

/* Waits until every thread of the recorder has come here, then until a moment that is the same for
 * all, by the clock and not by a store that each sees at another time. */
static inline void lp_log_start(lp_log *log)
{
    lp_recorder *recorder = log->recorder;
    if (__atomic_add_fetch(&recorder->arrived, 1, __ATOMIC_ACQ_REL) == recorder->threads)
        __atomic_store_n(&recorder->started,
                         lp_log_now(log) + (uint64_t)(20000 * recorder->ticks_per_ns),
                         __ATOMIC_RELEASE);
    uint64_t started;
    while (!(started = __atomic_load_n(&recorder->started, __ATOMIC_ACQUIRE)))
#if defined __linux__
        sched_yield();
#else
        ;
#endif
    while (lp_log_now(log) < started + log->skew)
        ;
}

/* ---- operations ---- */

/* An operation, by its place in the names, is called with `argument`, or LP_NOTHING. */
static inline __attribute__((always_inline)) void lp_call(lp_log *log, unsigned operation,
                                                          intptr_t argument)
{
    lp_record *record = log->next;
    uint64_t now;
    record->argument = argument;
    record->returned = 0;
    if (__builtin_expect(log->use_clock, 0))
        now = lp_clock_monotonic();
    else if (log->ends == LP_RECORD_FENCED)
        now = lp_counter_before();
    else
        now = lp_counter();
    record->called = (now - log->begin) << LP_RECORD_OPERATION_BITS | operation;
    __asm__ volatile("" ::: "memory");
}

/* Says, before threads begin, that an operation takes two arguments: it is called by lp_call2. */
static inline void lp_recorder_takes_two(lp_recorder *recorder, unsigned operation)
{
    recorder->takes_two[operation / 64 % 4] |= UINT64_C(1) << operation % 64;
}

/* The same of such an operation; its arguments are recorded in 32 bits each. */
static inline __attribute__((always_inline)) void lp_call2(lp_log *log, unsigned operation,
                                                           int32_t first, int32_t second)
{
    lp_call(log, operation, (intptr_t)((uint64_t)(uint32_t)first << 32 | (uint32_t)second));
}

/* Says, before threads begin, that an operation takes three arguments: it is called by lp_call3. */
static inline void lp_recorder_takes_three(lp_recorder *recorder, unsigned operation)
{
    recorder->takes_three[operation / 64 % 4] |= UINT64_C(1) << operation % 64;
}

#define LP_RECORD_THIRD_BITS 21 /* of each of three arguments */
#define LP_RECORD_THIRD_MOST ((1 << (LP_RECORD_THIRD_BITS - 1)) - 1)

/* The same of such an operation, with numbers from -LP_RECORD_THIRD_MOST - 1 to
 * LP_RECORD_THIRD_MOST; of others only the lowest bits are recorded. */
static inline __attribute__((always_inline)) void
lp_call3(lp_log *log, unsigned operation, int32_t first, int32_t second, int32_t third)
{
    const uint64_t mask = (UINT64_C(1) << LP_RECORD_THIRD_BITS) - 1;
    lp_call(log, operation,
            (intptr_t)(((uint64_t)first & mask) << 2 * LP_RECORD_THIRD_BITS |
                       ((uint64_t)second & mask) << LP_RECORD_THIRD_BITS |
                       ((uint64_t)third & mask)));
}

/* The operation that was called last returns: with a number, or LP_EMPTY, LP_DONE, LP_NO, LP_YES.
 */
static inline __attribute__((always_inline)) void lp_return(lp_log *log, intptr_t result)
{
    lp_record *record = log->next;
    uint64_t now;
    __asm__ volatile("" ::: "memory");
    if (__builtin_expect(log->use_clock, 0)) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        now = lp_clock_monotonic();
    } else if (log->ends == LP_RECORD_FENCED) {
        now = lp_counter_after();
    } else {
        now = lp_counter();
    }
    record->result = result;
    record->returned = now - log->begin;
    if (__builtin_expect(record != log->last, 1))
        log->next = record + 1;
    else
        log->refused++;
}

/* Whether there is room for another operation: what does not fit makes the dump fail. */
static inline bool lp_log_has_room(const lp_log *log)
{
    return log->next != log->last;
}

/* Before the same threads record again: forgets what they have recorded. */
static inline void lp_recorder_clear(lp_recorder *recorder)
{
    recorder->arrived = 0;
    recorder->started = 0;
    for (unsigned i = 0; i < recorder->threads; i++) {
        lp_log *log = &recorder->logs[i];
        size_t used = (size_t)(log->next - log->first) + 1;
        memset(log->first, 0, used * sizeof *log->first);
        log->next = log->first;
        log->refused = 0;
    }
}

/* ---- the dump ---- */

/* An end of an operation, on the way to a file. */
typedef struct lp_record_end {
    uint64_t time; /* ticks */
    const lp_record *record;
    uint32_t process;
    bool returns; /* calls before returns at the same time: what touches overlaps */
} lp_record_end;

static inline int lp_record_compare(const void *a, const void *b)
{
    const lp_record_end *one = (const lp_record_end *)a, *other = (const lp_record_end *)b;
    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return (int)one->returns - (int)other->returns;
}

static inline void lp_record_print_value(FILE *file, intptr_t value)
{
    if (value == LP_YES || value == LP_NO)
        fprintf(file, "%s", value == LP_YES ? "true" : "false");
    else if (value == LP_EMPTY || value == LP_DONE)
        fprintf(file, "null");
    else
        fprintf(file, "%" PRIdPTR, value);
}

/* The ends of an operation, widened; one that has not returned has one only. Returns how many. */
static inline unsigned lp_record_find_ends(const lp_recorder *recorder, const lp_record *record,
                                           lp_record_end ends[2])
{
    uint64_t wide = recorder->ends == LP_RECORD_WIDENED
                        ? (uint64_t)((double)recorder->widening * recorder->ticks_per_ns)
                        : 0;
    uint64_t called = record->called >> LP_RECORD_OPERATION_BITS;
    memset(ends, 0, 2 * sizeof *ends);
    ends[0].time = called > wide ? called - wide : 0;
    ends[1].time = record->returned + wide;
    ends[1].returns = true;
    ends[0].record = ends[1].record = record;
    return record->returned ? 2 : 1;
}

/* The ends of a log's operations. Those of thread t of n are of the processes t, t + n, t + 2n,
 * ..., of which no one has two operations that overlap. `free_at` has from when on each process is
 * free. Returns how many ends. */
static inline size_t lp_log_find_ends(const lp_log *log, lp_record_end *ends, uint64_t *free_at)
{
    size_t used = 0;
    uint32_t threads = log->recorder->threads, own = (uint32_t)(log - log->recorder->logs);
    for (const lp_record *record = log->first; record < log->last && record->called; record++) {
        unsigned made = lp_record_find_ends(log->recorder, record, &ends[used]);
        uint32_t process = own;
        while (free_at[process] > ends[used].time)
            process += threads;
        free_at[process] = ends[used + made - 1].time + 1;
        ends[used].process = ends[used + 1].process = process;
        used += made;
    }
    return used;
}

/* All ends, sorted. Null when memory is short. */
static inline lp_record_end *lp_recorder_sort(const lp_recorder *recorder, size_t *count)
{
    size_t most = 2, longest = 1;
    for (unsigned i = 0; i < recorder->threads; i++) {
        size_t used = (size_t)(recorder->logs[i].next - recorder->logs[i].first) + 1;
        most += 2 * used;
        longest = used > longest ? used : longest;
    }
    lp_record_end *ends = (lp_record_end *)malloc(most * sizeof *ends);
    uint64_t *free_at = (uint64_t *)calloc(longest * recorder->threads, sizeof *free_at);
    *count = 0;
    for (unsigned i = 0; ends && free_at && i < recorder->threads; i++)
        *count += lp_log_find_ends(&recorder->logs[i], ends + *count, free_at);
    if (!ends || !free_at) {
        free(ends);
        ends = NULL;
    }
    free(free_at);
    if (ends)
        qsort(ends, *count, sizeof *ends, lp_record_compare);
    return ends;
}

/* One of three arguments, from the last on. */
static inline int64_t lp_record_third_of(uint64_t all, unsigned number)
{
    const uint64_t sign = UINT64_C(1) << (LP_RECORD_THIRD_BITS - 1);
    uint64_t bits = all >> number * LP_RECORD_THIRD_BITS & (2 * sign - 1);
    return (int64_t)(bits ^ sign) - (int64_t)sign;
}

static inline void lp_record_print_argument(FILE *file, const lp_recorder *recorder,
                                            const lp_record *record)
{
    unsigned operation = record->called & ((1u << LP_RECORD_OPERATION_BITS) - 1);
    uint64_t both = (uint64_t)record->argument;
    if (recorder->takes_three[operation / 64] >> operation % 64 & 1)
        fprintf(file, "[%" PRId64 ", %" PRId64 ", %" PRId64 "]", lp_record_third_of(both, 2),
                lp_record_third_of(both, 1), lp_record_third_of(both, 0));
    else if (recorder->takes_two[operation / 64] >> operation % 64 & 1)
        fprintf(file, "[%" PRId32 ", %" PRId32 "]", (int32_t)(both >> 32), (int32_t)both);
    else
        lp_record_print_value(file, record->argument);
}

/* Writes the history, as JSON lines, in the order of time; all threads have ended. 0: written; -1:
 * not, and `reason`, unless null, says why: memory, the file (errno), or a log that was too small.
 * An operation that has not returned is written as one that may or may not have happened. */
static inline int lp_recorder_dump(const lp_recorder *recorder, FILE *file, const char **reason)
{
    const char *unused;
    size_t count = 0;
    reason = reason ? reason : &unused;
    for (unsigned i = 0; i < recorder->threads; i++)
        if (recorder->logs[i].refused) {
            *reason = "a log was too small: operations are missing";
            return -1;
        }
    lp_record_end *ends = lp_recorder_sort(recorder, &count);
    if (!ends) {
        *reason = "no memory";
        return -1;
    }
    if (recorder->ends == LP_RECORD_WIDENED) /* an annotation: the process is no client */
        fprintf(file,
                "{\"process\": \"recorder\", \"type\": \"info\", \"f\": \"widened-by-ns\", "
                "\"value\": %" PRIu64 "}\n",
                recorder->widening);
    for (size_t i = 0; i < count; i++) {
        const lp_record *record = ends[i].record;
        bool returns = ends[i].returns;
        unsigned operation = record->called & ((1u << LP_RECORD_OPERATION_BITS) - 1);
        fprintf(file, "{\"process\": %" PRIu32 ", \"type\": \"%s\", \"f\": \"%s\", \"value\": ",
                ends[i].process,
                !returns                      ? "invoke"
                : record->result == LP_FAILED ? "fail"
                                              : "ok",
                recorder->names[operation]);
        if (returns && record->result == LP_DONE)
            fprintf(file, "%s", recorder->done);
        else if (returns && record->result != LP_FAILED)
            lp_record_print_value(file, record->result);
        else
            lp_record_print_argument(file, recorder, record);
        fprintf(file, ", \"time\": %" PRIu64 "}\n",
                (uint64_t)((double)ends[i].time / recorder->ticks_per_ns));
    }
    free(ends);
    *reason = "the file could not be written";
    return fflush(file) == 0 && !ferror(file) ? 0 : -1;
}

#ifdef __cplusplus
}
#endif

#endif
