/* A sequence of calls is made in a process of its own, forked from this one, in which nothing has
 * run yet: objects in variables are as at first, and what a call breaks is broken there. That
 * process stands behind the last call until the next question: if that goes on from there, it makes
 * the further calls, else it is ended and another one makes all of them. */
#include "stress/alone.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scenario/exchange.h"
#include "stress/blocked.h"
#include "stress/channel.h"

enum {
    MOST_THREADS = SCENARIO_CALLS, /* that make calls */
    LOOK_MILLISECONDS = 1,
    ENDING_LOOKS = 50, /* for threads that are just ending */
    NO_MEMORY = 70
};

/* An operation that is not blocked for ever does not return either once it has run for so long, or
 * once so much time has passed. */
static const double BUSY_SECONDS = 0.5, MOST_SECONDS = 5;

/* ---- the process that makes calls ---- */

struct made {
    uint32_t end; /* enum alone_end */
    int64_t result;
};

struct stage {
    const lp_test *test;
    unsigned threads; /* that have been begun: those that made calls */
    bool is_begun[MOST_THREADS];
    void *object;
    struct exchange_alone_call call;
    int64_t result;
    sem_t begin[MOST_THREADS], done;
};

static struct stage stage;

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        continue;
}

static lp_int make_call(const struct exchange_alone_call *call)
{
    const lp_op *operation = &stage.test->ops[call->operation];
    if (operation->run3)
        return operation->run3(stage.object, (lp_int)call->argument, (lp_int)call->second,
                               (lp_int)call->third);
    if (operation->run2)
        return operation->run2(stage.object, (lp_int)call->argument, (lp_int)call->second);
    return operation->run(stage.object, (lp_int)call->argument);
}

static void *perform(void *begin)
{
    for (;;) {
        wait_for(begin);
        stage.result = make_call(&stage.call);
        sem_post(&stage.done);
    }
    return NULL;
}

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Waits for the call under way; false if it does not return. Who has returned posts first and
 * sleeps then. */
static bool returns(void)
{
    const double began = now(CLOCK_MONOTONIC), ran = now(CLOCK_PROCESS_CPUTIME_ID);
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_MILLISECONDS * 1000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        if (sem_timedwait(&stage.done, &until) == 0)
            return true;
        if (blocked_for_ever() || now(CLOCK_PROCESS_CPUTIME_ID) - ran > BUSY_SECONDS ||
            now(CLOCK_MONOTONIC) - began > MOST_SECONDS)
            return sem_trywait(&stage.done) == 0;
    }
}

/* Whether an operation, or setup, has left threads behind. One that has been joined is seen for a
 * moment still. */
static bool has_more_threads(void)
{
    for (unsigned look = 0; look < ENDING_LOOKS; look++) {
        if (blocked_threads() <= stage.threads + 1)
            return false;
        usleep(1000);
    }
    return true;
}

static void begin_thread(unsigned number)
{
    pthread_t thread;
    if (stage.is_begun[number])
        return;
    sem_init(&stage.begin[number], 0, 0);
    if (pthread_create(&thread, NULL, perform, &stage.begin[number]) != 0)
        _exit(NO_MEMORY);
    stage.is_begun[number] = true;
    stage.threads++;
}

static struct made make(const struct exchange_alone_call *call)
{
    stage.call = *call;
    begin_thread(call->thread);
    sem_post(&stage.begin[call->thread]);
    if (!returns())
        return (struct made){.end = ALONE_WAITS};
    return (struct made){.end = has_more_threads() ? ALONE_THREADS : ALONE_ANSWERED,
                         .result = stage.result};
}

static void make_calls(const lp_test *test, int server)
{
    struct exchange_alone_call call;
    struct made made;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    stage.test = test;
    sem_init(&stage.done, 0, 0);
    stage.object = test->setup ? test->setup() : NULL;
    while (channel_read(server, &call, sizeof call)) {
        made = make(&call);
        if (!channel_write(server, &made, sizeof made))
            break;
    }
    _exit(0);
}

/* ---- the one that answers ---- */

struct standing {
    pid_t child; /* 0: none */
    int channel;
    struct exchange_alone head; /* what it has done: all calls have answered */
    struct exchange_alone_call calls[SCENARIO_CALLS];
    int64_t results[SCENARIO_CALLS];
};

static int leave(struct standing *standing)
{
    int status = 0;
    if (!standing->child)
        return 0;
    kill(standing->child, SIGKILL);
    while (waitpid(standing->child, &status, 0) < 0 && errno == EINTR)
        continue;
    close(standing->channel);
    standing->child = 0;
    standing->head.count = 0;
    return status;
}

static bool begin(struct standing *standing, const lp_test *test, unsigned threads)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return false;
    *standing = (struct standing){.child = fork(), .head.threads = threads};
    if (standing->child == 0) {
        close(ends[0]);
        close(EXCHANGE_REQUESTS);
        close(EXCHANGE_ANSWERS);
        make_calls(test, ends[1]);
    }
    close(ends[1]);
    standing->channel = ends[0];
    if (standing->child > 0)
        return true;
    close(ends[0]);
    standing->child = 0;
    return false;
}

static bool goes_on(const struct standing *standing, const struct exchange_alone *head,
                    const struct exchange_alone_call *calls)
{
    return standing->child && !head->anew && standing->head.threads == head->threads &&
           standing->head.count <= head->count &&
           memcmp(standing->calls, calls, standing->head.count * sizeof *calls) == 0;
}

/* Waits for a process that has closed its channel: how it ended. */
static int wait_for_end(struct standing *standing)
{
    int status = 0;
    while (waitpid(standing->child, &status, 0) < 0 && errno == EINTR)
        continue;
    close(standing->channel);
    standing->child = 0;
    standing->head.count = 0;
    return status;
}

/* Has the process make the calls that it has not made yet. */
static void make_rest(struct standing *standing, const struct exchange_alone *head,
                      const struct exchange_alone_call *calls, struct exchange_alone_answer *answer)
{
    answer->answered = standing->head.count;
    for (uint32_t i = standing->head.count; i < head->count; i++) {
        struct made made;
        if (!channel_write(standing->channel, &calls[i], sizeof *calls) ||
            !channel_read(standing->channel, &made, sizeof made)) {
            answer->end = ALONE_CRASHED;
            answer->status = wait_for_end(standing);
            return;
        }
        answer->end = made.end;
        if (made.end == ALONE_WAITS) {
            (void)leave(standing);
            return;
        }
        standing->calls[i] = calls[i];
        standing->results[i] = made.result;
        standing->head.count = answer->answered = i + 1;
        if (made.end == ALONE_THREADS)
            return;
    }
}

static bool is_right(const lp_test *test, const struct exchange_alone *head,
                     const struct exchange_alone_call *calls)
{
    for (uint32_t i = 0; i < head->count; i++)
        for (uint32_t k = 0; k <= calls[i].operation; k++)
            if (calls[i].thread >= head->threads || k >= SCENARIO_OPERATIONS || !test->ops[k].name)
                return false;
    return head->threads >= 1 && head->threads <= MOST_THREADS;
}

int alone_answer(const lp_test *test)
{
    struct standing standing = {0};
    struct exchange_alone head;
    struct exchange_alone_call calls[SCENARIO_CALLS];
    while (channel_read(EXCHANGE_REQUESTS, &head, sizeof head) && head.count <= SCENARIO_CALLS &&
           channel_read(EXCHANGE_REQUESTS, calls, head.count * sizeof *calls)) {
        struct exchange_alone_answer answer = {.end = ALONE_ANSWERED};
        int64_t results[SCENARIO_CALLS];
        if (!is_right(test, &head, calls))
            break;
        if (!goes_on(&standing, &head, calls)) {
            (void)leave(&standing);
            if (!begin(&standing, test, head.threads))
                return NO_MEMORY;
        }
        make_rest(&standing, &head, calls, &answer);
        memcpy(results, standing.results, answer.answered * sizeof *results);
        channel_answer(&answer, sizeof answer);
        channel_answer(results, answer.answered * sizeof *results);
    }
    (void)leave(&standing);
    return 0;
}
