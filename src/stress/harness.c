/* The main of a program that `linchpin stress` makes: real threads call the operations of a test
 * (linchpin/test.h), round by round on a new object, and what they did is written as a history for
 * each round. The program decides nothing; who reads the histories does.
 *
 * Usage: PROGRAM TEST THREADS OPERATIONS SEED FIRST_ROUND ROUNDS GIVE_WAY_ONE_IN WIDENING PATIENCE
 * ORDERS
 * where TEST is a number, OPERATIONS those of each thread in a round, ROUNDS 0 stands for no end,
 * WIDENING is in nanoseconds (0: fenced stamps), PATIENCE in milliseconds, and
 * ORDERS are those in which threads call (scenario/orders.h), "0 1; 0 1": the roles of the
 * operations; the calls of each order. A thread whose calls end within an order goes on to its end.
 * PROGRAM with EXCHANGE_WORD answers a request (answers.h).
 *
 * For each round "round NUMBER BYTES" and a history of so many bytes are written to standard
 * output's copy at descriptor 4. A round in which nothing returns for PATIENCE is written as "hang
 * NUMBER BYTES", its operations still open, and ends the program; so is one in which every thread
 * waits for another, as "blocked NUMBER BYTES". Of a crash crash.h says where it was. */
#include <errno.h>
#include <linchpin/test.h>
/* behind it: */
#include <linchpin/record.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scenario/exchange.h"
#include "scenario/orders.h"
#include "stress/answers.h"
#include "stress/blocked.h"
#include "stress/callbacks.h"
#include "stress/channel.h"
#include "stress/crash.h"

enum {
    MOST_THREADS = 64,
    MOST_OPERATIONS = 16,
    MOST_ARGUMENTS = 3,
    NO_MEMORY = 70 /* or threads: an exit status */
};

/* Weak, for sources without a test must be told so by us, not by the linker. */
extern const lp_test __start_lp_tests[] __attribute__((weak));
extern const lp_test __stop_lp_tests[] __attribute__((weak));

struct stress {
    const lp_test *test;
    unsigned threads, operations, give_way, widening, patience;
    uint64_t seed, round;
    atomic_uint_fast64_t written; /* rounds */
    pthread_mutex_t writing;
    lp_recorder *recorder;
    const char *names[MOST_OPERATIONS];
    unsigned name_count;
    struct scenario_orders orders;
    uint16_t ordered[ORDERED_CALLS];
    uint32_t order_ends[ORDERED_CALLS + 1];
    void *object;
    atomic_bool ends;
    bool *hung; /* by the process of a round; null: there is one process */
    pthread_barrier_t begin, end;
};

struct thread {
    struct stress *stress;
    unsigned number;
    atomic_uint returned; /* operations of this round */
    char crash_stack[CRASH_STACK];
};

static struct stress stress = {.writing = PTHREAD_MUTEX_INITIALIZER};
static struct thread threads[MOST_THREADS];

static uint64_t mix(uint64_t number)
{
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 31;
}

/* ---- threads ---- */

/* Whether a thread may call an operation of LP_ONCE in this round: one of those that may do so at
 * all, by chance. */
static bool is_turn(const struct thread *thread, unsigned number)
{
    uint64_t chance = mix(stress.seed ^ mix(stress.round * MOST_OPERATIONS + number));
    return stress.test->ops[number].only_thread || chance % stress.threads == thread->number;
}

/* Which operation a thread calls, by chance; null if it may call none. `called`: what it has called
 * in this round, a bit each. */
static const lp_op *choose(const struct thread *thread, orders_standing now, uint32_t called,
                           uint64_t chance, unsigned *number)
{
    unsigned allowed[MOST_OPERATIONS], count = 0;
    for (unsigned i = 0; i < stress.name_count; i++) {
        const lp_op *operation = &stress.test->ops[i];
        int only = operation->only_thread;
        bool is_over = (operation->flags & LP_ONCE) && (called >> i & 1 || !is_turn(thread, i));
        if ((only == 0 || (unsigned)only == thread->number + 1) && !is_over &&
            orders_behind(&stress.orders, now, (uint16_t)i))
            allowed[count++] = i;
    }
    if (count == 0)
        return NULL;
    *number = allowed[chance % count];
    return &stress.test->ops[*number];
}

/* Of a thread in a round. */
static unsigned most_calls(void)
{
    return stress.operations + stress.orders.count;
}

/* A number of the range; of LP_FRESH one that no other call has, nor the other argument. */
static lp_int argument_of(const struct thread *thread, lp_int from, lp_int to, unsigned call,
                          uint64_t chance)
{
    if (from > to)
        return (lp_int)(thread->number * MOST_ARGUMENTS * most_calls() + call + 1);
    return from + (lp_int)(chance % ((uint64_t)to - (uint64_t)from + 1));
}

static void call_with_one(const struct thread *thread, lp_log *log, const lp_op *operation,
                          unsigned number, unsigned call, uint64_t chance)
{
    bool has_argument = operation->from || operation->to;
    lp_int argument =
        has_argument ? argument_of(thread, operation->from, operation->to, call, chance) : 0;
    lp_call(log, number, has_argument ? argument : LP_NOTHING);
    lp_return(log, operation->run(stress.object, argument));
}

static void call_with_two(const struct thread *thread, lp_log *log, const lp_op *operation,
                          unsigned number, unsigned call, uint64_t chance)
{
    lp_int both[] = {
        argument_of(thread, operation->from, operation->to, 2 * call, chance),
        argument_of(thread, operation->from2, operation->to2, 2 * call + 1, mix(chance))};
    lp_call2(log, number, (int32_t)both[0], (int32_t)both[1]);
    lp_return(log, operation->run2(stress.object, both[0], both[1]));
}

static void call_with_three(const struct thread *thread, lp_log *log, const lp_op *operation,
                            unsigned number, unsigned call, uint64_t chance)
{
    lp_int all[] = {
        argument_of(thread, operation->from, operation->to, 3 * call, chance),
        argument_of(thread, operation->from2, operation->to2, 3 * call + 1, mix(chance)),
        argument_of(thread, operation->from3, operation->to3, 3 * call + 2, mix(mix(chance)))};
    lp_call3(log, number, (int32_t)all[0], (int32_t)all[1], (int32_t)all[2]);
    lp_return(log, operation->run3(stress.object, all[0], all[1], all[2]));
}

static void run_round(struct thread *thread)
{
    lp_log *log = lp_recorder_log(stress.recorder, thread->number);
    uint64_t chance = mix(stress.seed ^ mix(stress.round * MOST_THREADS + thread->number));
    stress_seed(chance);
    lp_log_set_skew(log, mix(chance) % 2000);
    lp_log_start(log);
    orders_standing now = ORDERS_BETWEEN;
    uint32_t called = 0;
    for (unsigned call = 0; call < stress.operations || !(now & ORDERS_BETWEEN); call++) {
        unsigned number;
        chance = mix(chance + 1);
        const lp_op *operation = choose(thread, now, called, chance, &number);
        if (!operation)
            break;
        called |= UINT32_C(1) << number;
        now = orders_behind(&stress.orders, now, (uint16_t)number);
        if (operation->run3)
            call_with_three(thread, log, operation, number, call, mix(chance));
        else if (operation->run2)
            call_with_two(thread, log, operation, number, call, mix(chance));
        else
            call_with_one(thread, log, operation, number, call, mix(chance));
        atomic_store_explicit(&thread->returned, call + 1, memory_order_relaxed);
    }
    stress_seed(0);
}

static void *run_thread(void *argument)
{
    struct thread *thread = argument;
    crash_use_stack(thread->crash_stack);
    for (;;) {
        pthread_barrier_wait(&stress.begin);
        if (stress.ends)
            return NULL;
        run_round(thread);
        pthread_barrier_wait(&stress.end);
    }
}

/* ---- what is written ---- */

static bool overlaps(const lp_record *one, const lp_record *other, uint64_t wide)
{
    uint64_t called = one->called >> LP_RECORD_OPERATION_BITS;
    uint64_t other_called = other->called >> LP_RECORD_OPERATION_BITS;
    return other_called <= one->returned + 2 * wide &&
           (!other->returned || called <= other->returned + 2 * wide);
}

static bool has_overlap(const lp_record *record)
{
    uint64_t wide = (uint64_t)(stress.widening * stress.recorder->ticks_per_ns);
    for (unsigned i = 0; i < stress.threads; i++) {
        const lp_log *log = lp_recorder_log(stress.recorder, i);
        for (const lp_record *other = log->first; other < log->last && other->called; other++)
            if (other != record && overlaps(record, other, wide))
                return true;
    }
    return false;
}

/* An operation that may fail, and did while another was under way, is one that did not happen. */
static void excuse_failures(void)
{
    for (unsigned i = 0; i < stress.threads; i++) {
        const lp_log *log = lp_recorder_log(stress.recorder, i);
        for (lp_record *record = log->first; record < log->last && record->called; record++) {
            unsigned number = record->called & ((1u << LP_RECORD_OPERATION_BITS) - 1);
            bool failed =
                record->returned && (record->result == LP_EMPTY || record->result == LP_NO);
            if (failed && (stress.test->ops[number].flags & LP_MAY_FAIL) && has_overlap(record))
                record->result = LP_FAILED;
        }
    }
}

static void write_round(const char *word)
{
    char *history = NULL, head[64];
    size_t size = 0;
    FILE *file = open_memstream(&history, &size);
    const char *reason = "no memory";
    excuse_failures();
    if (!file || lp_recorder_dump(stress.recorder, file, &reason) != 0) {
        fprintf(stderr, "round %" PRIu64 ": %s\n", stress.round, reason);
        _exit(NO_MEMORY);
    }
    fclose(file);
    int length = snprintf(head, sizeof head, "%s %" PRIu64 " %zu\n", word, stress.round, size);
    channel_answer(head, (size_t)length);
    channel_answer(history, size);
    free(history);
}

/* Changes whenever an operation has returned, or a round has been written. */
static uint64_t find_progress(void)
{
    uint64_t now = mix(stress.round ^ mix(stress.written));
    for (unsigned i = 0; i < stress.threads; i++)
        now = mix(now ^ atomic_load_explicit(&threads[i].returned, memory_order_relaxed));
    return now;
}

/* Ends the program if for some time no operation has returned, or at once if none ever will. What
 * is still being written to the logs meanwhile is at most an operation that returns after all.
 * While a round is written nothing returns: who reads it may take its time. */
static void *watch(void *unused)
{
    uint64_t seen = 0, still = 0;
    (void)unused;
    while (!stress.ends) {
        uint64_t now = find_progress();
        still = now == seen ? still + 10 : 0;
        seen = now;
        bool blocked = still > 0 && blocked_for_ever();
        bool over = blocked || still >= stress.patience;
        if (over && pthread_mutex_trylock(&stress.writing) == 0) {
            if (find_progress() == seen) {
                write_round(blocked ? "blocked" : "hang");
                if (stress.hung)
                    *stress.hung = true;
                _exit(0);
            }
            pthread_mutex_unlock(&stress.writing);
        } else if (over)
            still = 0;
        usleep(10000);
    }
    return NULL;
}

/* ---- rounds ---- */

static void run_rounds(uint64_t first, uint64_t count)
{
    for (stress.round = first; count == 0 || stress.round < first + count; stress.round++) {
        for (unsigned i = 0; i < stress.threads; i++)
            threads[i].returned = 0;
        lp_recorder_clear(stress.recorder);
        stress.object = stress.test->setup ? stress.test->setup() : NULL;
        pthread_barrier_wait(&stress.begin);
        pthread_barrier_wait(&stress.end);
        if (stress.test->teardown)
            stress.test->teardown(stress.object);
        pthread_mutex_lock(&stress.writing);
        write_round("round");
        stress.written++;
        pthread_mutex_unlock(&stress.writing);
    }
}

static int run_with_threads(uint64_t first, uint64_t count)
{
    pthread_t ids[MOST_THREADS], watcher;
    pthread_barrier_init(&stress.begin, NULL, stress.threads + 1);
    pthread_barrier_init(&stress.end, NULL, stress.threads + 1);
    for (unsigned i = 0; i < stress.threads; i++) {
        threads[i].stress = &stress;
        threads[i].number = i;
        if (pthread_create(&ids[i], NULL, run_thread, &threads[i]) != 0)
            return NO_MEMORY;
    }
    if (pthread_create(&watcher, NULL, watch, NULL) != 0)
        return NO_MEMORY;
    run_rounds(first, count);
    if (stress.hung) /* the process is over, and with it its threads */
        return 0;
    stress.ends = true;
    pthread_barrier_wait(&stress.begin);
    for (unsigned i = 0; i < stress.threads; i++)
        pthread_join(ids[i], NULL);
    pthread_join(watcher, NULL);
    return 0;
}

/* Ends this process as the one of a round did. */
static void end_likewise(int status)
{
    if (WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    setrlimit(RLIMIT_CORE, &(struct rlimit){0}); /* there is one already */
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    _exit(NO_MEMORY);
}

/* The specification is what the code does with one operation after the other in a new process. */
static bool is_auto(void)
{
    return stress.test->spec && strcmp(stress.test->spec, "auto") == 0;
}

/* A test without setup has its object in variables of the program, which are as they were at first
 * only in a new process: one for each round. */
static int run_in_processes(uint64_t first, uint64_t count)
{
    stress.hung =
        mmap(NULL, sizeof *stress.hung, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (stress.hung == MAP_FAILED)
        return NO_MEMORY;
    for (uint64_t round = first; count == 0 || round < first + count; round++) {
        int status = 0;
        pid_t child = fork();
        if (child < 0)
            return NO_MEMORY;
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            _exit(run_with_threads(round, 1));
        }
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
        if (*stress.hung)
            return 0;
        if (status != 0)
            end_likewise(status);
    }
    return 0;
}

static int run(uint64_t first, uint64_t count)
{
    stress.recorder =
        lp_recorder_create(stress.threads, most_calls(), stress.names, stress.name_count);
    if (!stress.recorder)
        return NO_MEMORY;
    for (unsigned i = 0; i < stress.name_count; i++) {
        if (stress.test->ops[i].run2)
            lp_recorder_takes_two(stress.recorder, i);
        if (stress.test->ops[i].run3)
            lp_recorder_takes_three(stress.recorder, i);
    }
    if (stress.test->sequential || is_auto())
        stress.recorder->done = EXCHANGE_DONE;
    if (stress.widening)
        lp_recorder_set_ends(stress.recorder, LP_RECORD_WIDENED, stress.widening);
    stress_give_way(stress.give_way);
    crash_tell();
    int status = stress.test->setup && !is_auto() ? run_with_threads(first, count)
                                                  : run_in_processes(first, count);
    lp_recorder_destroy(stress.recorder);
    return status;
}

/* "0 1; 0 1; 2": roles, then the orders. */
static void read_orders(const char *text)
{
    struct scenario_orders *orders = &stress.orders;
    unsigned roles = 0, ends = 0;
    char *end;
    for (; *text && *text != ';' && roles < SCENARIO_OPERATIONS; text = end)
        orders->roles[roles++] = (uint16_t)strtoul(text, &end, 10);
    while (*text == ';' && orders->count < ORDERED_CALLS) {
        for (text++; *text && *text != ';' && orders->count < ORDERED_CALLS; text = end)
            stress.ordered[orders->count++] = (uint16_t)strtoul(text, &end, 10);
        stress.order_ends[ends++] = orders->count;
    }
    orders->calls = stress.ordered;
    orders->ends = stress.order_ends;
}

int main(int count, char **arguments)
{
    uint64_t numbers[9];
    if (count == 2 && strcmp(arguments[1], EXCHANGE_WORD) == 0)
        return answer_request(__start_lp_tests,
                              __start_lp_tests ? (size_t)(__stop_lp_tests - __start_lp_tests) : 0);
    if (count != 11)
        return 2;
    for (unsigned i = 0; i < 9; i++)
        numbers[i] = strtoull(arguments[i + 1], NULL, 10);
    stress.test = __start_lp_tests + numbers[0];
    stress.threads = (unsigned)numbers[1];
    stress.operations = (unsigned)numbers[2];
    stress.seed = numbers[3];
    stress.give_way = (unsigned)numbers[6];
    stress.widening = (unsigned)numbers[7];
    stress.patience = (unsigned)numbers[8];
    read_orders(arguments[10]);
    if (stress.test >= __stop_lp_tests || stress.threads < 1 || stress.threads > MOST_THREADS)
        return 2;
    while (stress.name_count < MOST_OPERATIONS && stress.test->ops[stress.name_count].name) {
        stress.names[stress.name_count] = stress.test->ops[stress.name_count].name;
        stress.name_count++;
    }
    return run(numbers[4], numbers[5]);
}
