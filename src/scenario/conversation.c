#include "scenario/conversation.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/faults.h"
#include "base/memory.h"

enum {
    WAIT_MILLISECONDS = 20,
    PIPE_ENDS = 2,
    GRACE_SECONDS = 2,   /* beyond its time limit, for a program to answer */
    ANSWER_SECONDS = 10, /* for one of many questions */
    MOST_SECONDS = 1000000000,
    MOST_ANSWERS = 256 /* of one process, that it may lose memory over */
};

struct conversation {
    pid_t child;
    int requests, answers; /* our ends */
    const struct limits *limits;
    uint64_t overdue; /* clock, nanoseconds; 0: never */
    unsigned answers_given;
};

/* ---- the process ---- */

/* In the child, whose memory is ours until it becomes the program: nothing but system calls. */
static void become(const char *program, int requests, int answers)
{
    int nowhere = open("/dev/null", O_RDWR);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    personality(ADDR_NO_RANDOMIZE);
    /* The ends may have the numbers that they are to get: out of the way first. */
    int from = fcntl(requests, F_DUPFD, EXCHANGE_ANSWERS + 1);
    int to = fcntl(answers, F_DUPFD, EXCHANGE_ANSWERS + 1);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    dup2(from, EXCHANGE_REQUESTS);
    dup2(to, EXCHANGE_ANSWERS);
    close(from);
    close(to);
    execl(program, program, EXCHANGE_WORD, (char *)NULL);
    _exit(127);
}

static enum status begin(const char *program, struct conversation *conversation,
                         struct error *error)
{
    int requests[PIPE_ENDS], answers[PIPE_ENDS];
    if (pipe2(requests, O_CLOEXEC) != 0)
        return error_set(error, STATUS_INTERNAL, NULL, 0, "no pipe: %s", strerror(errno));
    if (pipe2(answers, O_CLOEXEC) != 0) {
        close(requests[0]);
        close(requests[1]);
        return error_set(error, STATUS_INTERNAL, NULL, 0, "no pipe: %s", strerror(errno));
    }
    conversation->child = vfork(); /* fork would copy the tables of our memory, for each run */
    if (conversation->child == 0)
        become(program, requests[0], answers[1]);
    close(requests[0]);
    close(answers[1]);
    conversation->requests = requests[1];
    conversation->answers = answers[0];
    if (conversation->child > 0)
        return STATUS_OK;
    close(requests[1]);
    close(answers[0]);
    return error_set(error, STATUS_INTERNAL, NULL, 0, "no process: %s", strerror(errno));
}

/* Ends the process, if it has not ended; says how it did. */
static int end(struct conversation *conversation, bool kill_it)
{
    int status = 0;
    close(conversation->requests);
    close(conversation->answers);
    if (kill_it)
        kill(conversation->child, SIGKILL);
    while (waitpid(conversation->child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

/* ---- talking ---- */

/* A program that has ended reads no more: that is told by its end, not by a signal to us, which is
 * kept from this thread and taken away. */
static bool send(const struct conversation *conversation, const void *bytes, size_t size)
{
    sigset_t broken, old;
    bool sent = true;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &old);
    for (size_t done = 0; sent && done < size;) {
        ssize_t count =
            faults_write(conversation->requests, (const char *)bytes + done, size - done);
        sent = count > 0 || (count < 0 && errno == EINTR);
        done += count > 0 ? (size_t)count : 0;
    }
    if (!sent)
        sigtimedwait(&broken, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return sent;
}

/* Whether the program should have noticed a time limit of its own: it is in a loop that asks
 * nobody.
 */
static bool is_overdue(const struct conversation *conversation)
{
    return conversation->overdue && clock_nanoseconds() > conversation->overdue;
}

/* *got: all of it has come. STATUS_LIMIT when a limit was reached before. */
static enum status receive(const struct conversation *conversation, void *bytes, size_t size,
                           bool *got)
{
    struct pollfd end_of_ours = {.fd = conversation->answers, .events = POLLIN};
    size_t done = 0;
    *got = false;
    while (done < size) {
        int ready = poll(&end_of_ours, 1, WAIT_MILLISECONDS);
        if (ready < 0 && errno != EINTR)
            return STATUS_OK;
        if (conversation->limits && limits_reached(conversation->limits) != LIMIT_NONE)
            return STATUS_LIMIT;
        if (is_overdue(conversation))
            return STATUS_OK;
        if (ready <= 0)
            continue;
        ssize_t count = faults_read(conversation->answers, (char *)bytes + done, size - done);
        if (count == 0 || (count < 0 && errno != EINTR))
            return STATUS_OK;
        done += count > 0 ? (size_t)count : 0;
    }
    *got = true;
    return STATUS_OK;
}

static enum status complain(int status, struct error *error)
{
    if (WIFSIGNALED(status))
        return error_set(error, STATUS_INPUT, NULL, 0,
                         "the test program ended before it could answer: %s",
                         strsignal(WTERMSIG(status)));
    return error_set(error, STATUS_INPUT, NULL, 0,
                     "the test program ended before it could answer, with status %d",
                     WEXITSTATUS(status));
}

/* ---- what is asked ---- */

static enum status receive_tests(const struct conversation *conversation,
                                 struct listed_tests *tests, bool *got)
{
    struct exchange_list list;
    TRY(receive(conversation, &list, sizeof list, got));
    if (!*got || list.version != EXCHANGE_VERSION)
        *got = false;
    for (uint32_t i = 0; *got && i < list.count; i++) {
        struct exchange_test test;
        TRY(receive(conversation, &test, sizeof test, got));
        if (*got && !vector_push(&tests->items, test))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

enum status conversation_list(const char *program, struct listed_tests *tests, struct error *error)
{
    const struct exchange_request request = {.version = EXCHANGE_VERSION, .kind = REQUEST_LIST};
    struct conversation conversation = {0};
    bool got = false;
    TRY(begin(program, &conversation, error));
    enum status status = STATUS_OK;
    if (send(&conversation, &request, sizeof request))
        status = receive_tests(&conversation, tests, &got);
    int ended = end(&conversation, status != STATUS_OK);
    if (status == STATUS_OK && !got)
        return complain(ended, error);
    if (status == STATUS_OK && tests->items.length == 0)
        return error_set(error, STATUS_INPUT, NULL, 0,
                         "no source has a test: LP_TEST or LP_CLASS of linchpin/test.h");
    return status;
}

/* One request and its answer; one that comes too late is END_TIME. *got: there is one. */
static enum status ask(struct conversation *conversation, const struct exchange_request *request,
                       const struct execution_graph *along, struct exchange_result *result,
                       bool *got)
{
    enum status status = STATUS_OK;
    *got = false;
    conversation->overdue = 0;
    if (request->seconds > 0 && request->seconds < MOST_SECONDS)
        conversation->overdue =
            clock_nanoseconds() + (uint64_t)((request->seconds + GRACE_SECONDS) * 1e9);
    if (send(conversation, request, sizeof *request) &&
        (!along || send(conversation, along, sizeof *along)))
        status = receive(conversation, result, sizeof *result, got);
    *got = *got && result->version == EXCHANGE_VERSION;
    if (status == STATUS_OK && !*got && is_overdue(conversation)) {
        memset(result, 0, sizeof *result);
        result->version = EXCHANGE_VERSION;
        result->end = END_TIME;
        *got = true;
    }
    return status;
}

enum status conversation_run(const char *program, const struct exchange_request *request,
                             const struct execution_graph *along, const struct limits *limits,
                             struct exchange_result *result, struct error *error)
{
    struct conversation conversation = {.limits = limits};
    bool got;
    TRY(begin(program, &conversation, error));
    enum status status = ask(&conversation, request, along, result, &got);
    int ended = end(&conversation, status != STATUS_OK || got);
    return status == STATUS_OK && !got ? complain(ended, error) : status;
}

/* ---- questions one after the other ---- */

struct conversation *conversation_open(const char *program, const struct exchange_request *request,
                                       struct error *error)
{
    struct conversation *conversation = memory_small(sizeof *conversation);
    *conversation = (struct conversation){0};
    if (begin(program, conversation, error) != STATUS_OK) {
        free(conversation);
        return NULL;
    }
    (void)send(conversation, request, sizeof *request); /* what has ended does not answer */
    return conversation;
}

bool conversation_send(const struct conversation *conversation, const void *bytes, size_t size)
{
    return send(conversation, bytes, size);
}

bool conversation_receive(struct conversation *conversation, void *bytes, size_t size)
{
    bool got;
    conversation->overdue = clock_nanoseconds() + (uint64_t)ANSWER_SECONDS * 1000000000;
    return receive(conversation, bytes, size, &got) == STATUS_OK && got;
}

enum status conversation_explore(struct conversation **kept, const char *program,
                                 const struct exchange_request *request,
                                 const struct limits *limits, struct exchange_result *result,
                                 struct error *error)
{
    struct conversation *conversation = *kept;
    bool got;
    *kept = NULL;
    if (!conversation) {
        conversation = memory_small(sizeof *conversation);
        *conversation = (struct conversation){0};
        enum status begun = begin(program, conversation, error);
        if (begun != STATUS_OK) {
            free(conversation);
            return begun;
        }
    }
    conversation->limits = limits;
    enum status status = ask(conversation, request, NULL, result, &got);
    if (status == STATUS_OK && got && exchange_goes_on((enum exchange_end)result->end) &&
        ++conversation->answers_given < MOST_ANSWERS) {
        *kept = conversation;
        return STATUS_OK;
    }
    int ended = end(conversation, status != STATUS_OK || got);
    free(conversation);
    return status == STATUS_OK && !got ? complain(ended, error) : status;
}

const char *conversation_close(struct conversation *conversation)
{
    bool overdue = is_overdue(conversation);
    int status = end(conversation, true);
    free(conversation);
    if (overdue)
        return "does not return within 10 s";
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
        return strsignal(WTERMSIG(status));
    return WIFEXITED(status) ? "ended the process" : NULL;
}
