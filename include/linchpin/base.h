/* linchpin: what every header shares. Errors, contexts, limits.
 *
 * Everything is created from a context, which owns the memory that values live in, counts what is
 * used against a limit, and can be interrupted. There is no global state: contexts are independent,
 * and one context may be used by several threads at once unless a function says otherwise.
 *
 * Passing a null pointer or a destroyed object where one is required aborts with a message that
 * names the function; wrong data never does. */
#ifndef LINCHPIN_BASE_H
#define LINCHPIN_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LP_API __attribute__((visibility("default")))

/* What a function that can fail returns. */
typedef enum lp_status {
    LP_OK,
    LP_INPUT,    /* the input is wrong: the error has file, line, what was expected and found */
    LP_USAGE,    /* the request is wrong: an unknown name, a combination that makes no sense */
    LP_LIMIT,    /* time, memory or an interrupt stopped the work */
    LP_INTERNAL, /* a fault of linchpin's own */
} lp_status;

/* The message of a failure. `file` is "" and `line` 0 where the fault has no place. */
typedef struct lp_error {
    char file[512];
    uint32_t line; /* 1-based */
    char message[1024];
    uint32_t column; /* in the line, 1-based, in bytes; 0: not known */
} lp_error;

/* Which limit stopped the work. */
typedef enum lp_limit {
    LP_LIMIT_NONE,
    LP_LIMIT_TIME,
    LP_LIMIT_MEMORY,
    LP_LIMIT_INTERRUPT,
    LP_LIMIT_DEPTH, /* processes of a model nest deeper than is followed */
} lp_limit;

typedef struct lp_context lp_context;

/* A context that may use `memory_limit` bytes (0: no limit) for all that is created from it.
 * Null only when the system has no memory left. Destroy it last. */
LP_API lp_context *lp_context_create(size_t memory_limit);
LP_API void lp_context_destroy(lp_context *context);

/* Stops all work in the context as soon as it looks (within milliseconds): checks answer `unknown`,
 * reads LP_LIMIT. Safe to call from a signal handler and from any thread. It stays interrupted. */
LP_API void lp_context_interrupt(lp_context *context);

/* Takes an interrupt back: what is begun from now on is not stopped by it. Not to be called while
 * work goes on. */
LP_API void lp_context_resume(lp_context *context);

/* How much a log is told. */
typedef enum lp_log_level {
    LP_LOG_NOTHING,
    LP_LOG_MOMENTS, /* what is begun, found and given up; progress when the work has doubled */
    LP_LOG_STEPS,   /* besides, each level, part and turn of a search */
} lp_log_level;

/* From now on work in the context tells what it does: calls line(user, text) with one line, which
 * has no newline, at a time. What lines say is for people, and may change. Called by any thread
 * that works in the context, also by several at once; it must not work in the context itself. Not
 * to be changed while work goes on. */
LP_API void lp_context_log(lp_context *context, lp_log_level level,
                           void (*line)(void *user, const char *line), void *user);

/* Bytes counted now, and the most there were. */
LP_API size_t lp_context_memory(const lp_context *context);
LP_API size_t lp_context_memory_peak(const lp_context *context);

/* "0.1.0" */
LP_API const char *lp_version(void);

#ifdef __cplusplus
}
#endif

#endif
