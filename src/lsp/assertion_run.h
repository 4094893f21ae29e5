/* Assertions that are being decided, each in a thread of its own with a context of its own, on the
 * text as it was when the run began. What a thread has found is handed back by `finished`, which it
 * calls last. */
#ifndef LSP_ASSERTION_RUN_H
#define LSP_ASSERTION_RUN_H

#include <pthread.h>
#include <stdatomic.h>

#include "lsp/document.h"
#include "lsp/wire.h"

/* At most so many at once; the others wait. */
#define RUN_MOST 4

struct run_settings {
    size_t memory;  /* bytes, of each run; 0: no limit */
    double timeout; /* seconds, of each run; 0: none */
};

struct assertion_run {
    const struct run_settings *settings;
    struct wire *wire;
    void (*finished)(struct assertion_run *run);
    void *user;

    yajl_val request; /* the message that asks for it, owned; its id is that of the answer */
    char *uri, *path;
    lp_file_text *files; /* what is open, the model first; owned, with their texts */
    size_t file_count;
    size_t index;    /* of the assertion in the model */
    char *assertion; /* its key */
    char *token;     /* of the progress, as JSON; null: nobody wants to know */

    pthread_t thread;
    bool started;
    lp_context *context;
    atomic_bool cancelled;

    /* What is found. */
    lp_status status;
    lp_error error;
    bool has_answer; /* of LP_OK and of faults at run time */
    lp_answer answer, expected;
    bool is_expected; /* what it is to be, an `expect:` says */
    uint64_t states, transitions;
    double seconds;
    lp_limit limit;
    struct verdict *verdict; /* taken by who keeps it; null: cancelled */
    struct assertion_run *next;
};

/* Begins its thread; false: the system gives none. */
bool assertion_run_start(struct assertion_run *run) MUST_CHECK;

/* Stops it soon. */
void assertion_run_cancel(struct assertion_run *run);

/* Waits for its end, and releases all. */
void assertion_run_release(struct assertion_run *run);

/* Answers the request that asked for it. */
void assertion_run_answer(struct assertion_run *run);

/* "holds", "violated", "unknown". */
const char *assertion_run_answer_word(lp_answer answer);

#endif
