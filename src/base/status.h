/* One status for every function that can fail, and the message that goes with it.
 *
 * A function that can fail returns `enum status` and takes a `struct error *`. Whoever finds the
 * fault writes the message, once, with error_set; everyone above forwards the status with TRY. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <stdint.h>

#include "base/attributes.h"

enum status {
    STATUS_OK,
    STATUS_INPUT,    /* the input is wrong; the message has file, line, expectation and finding */
    STATUS_USAGE,    /* the request is wrong: an option, a name, a combination */
    STATUS_LIMIT,    /* time, memory or an interrupt stopped the work; see limits.h for which */
    STATUS_INTERNAL, /* our own fault */
};

#define ERROR_MESSAGE_SIZE 1024

/* The message of a failure. `file` and `line` are 0 where the input has none. Owned by the caller
 * of the outermost function; `file` is not owned and must outlive the error. */
struct error {
    const char *file;
    uint32_t line; /* 1-based; 0: no line */
    char message[ERROR_MESSAGE_SIZE];
};

/* Writes the message (truncated to fit) and returns `status`, so that a function can end with
 * `return error_set(...)`. A null `error` is allowed. */
enum status error_set(struct error *error, enum status status, const char *file, uint32_t line,
                      const char *format, ...) PRINTF_LIKE(5, 6);

/* Forwards a status that is not OK. */
#define TRY(expression)                                                                            \
    do {                                                                                           \
        enum status try_status_ = (expression);                                                    \
        if (UNLIKELY(try_status_ != STATUS_OK))                                                    \
            return try_status_;                                                                    \
    } while (0)

#endif
