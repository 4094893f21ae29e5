/* One status for every function that can fail, and the message that goes with it.
 *
 * A function that can fail returns `enum status` and takes a `struct error *`. Whoever finds the
 * fault writes the message, once, with error_set; everyone above forwards the status with TRY. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

enum status {
    STATUS_OK,
    STATUS_INPUT,    /* the input is wrong; the message has file, line, expectation and finding */
    STATUS_USAGE,    /* the request is wrong: an option, a name, a combination */
    STATUS_LIMIT,    /* time, memory or an interrupt stopped the work; see limits.h for which */
    STATUS_INTERNAL, /* our own fault */
};

#define ERROR_FILE_SIZE    512
#define ERROR_MESSAGE_SIZE 1024

/* The message of a failure. Owned by the caller of the outermost function. */
struct error {
    char file[ERROR_FILE_SIZE]; /* empty: it is in no file */
    uint32_t line;              /* 1-based; 0: no line */
    char message[ERROR_MESSAGE_SIZE];
    uint32_t column; /* 1-based, in bytes; 0: not known */
};

/* Writes the message (truncated to fit, as is `file`, of which null is none) and returns `status`,
 * so that a function can end with `return error_set(...)`. A null `error` is allowed. */
enum status error_set(struct error *error, enum status status, const char *file, uint32_t line,
                      const char *format, ...) PRINTF_LIKE(5, 6);

/* Says that it is in another file. */
void error_set_file(struct error *error, const char *file);

/* Forwards a status that is not OK. */
#define TRY(expression)                                                                            \
    do {                                                                                           \
        enum status try_status_ = (expression);                                                    \
        if (UNLIKELY(try_status_ != STATUS_OK))                                                    \
            return try_status_;                                                                    \
    } while (0)

/* STATUS_LIMIT unless memory, or whatever was asked for, was granted. TRY_MEMORY hands that on. */
static inline MUST_CHECK enum status granted(bool is)
{
    return LIKELY(is) ? STATUS_OK : STATUS_LIMIT;
}

#define TRY_MEMORY(is)                                                                             \
    do {                                                                                           \
        if (UNLIKELY(!(is)))                                                                       \
            return STATUS_LIMIT;                                                                   \
    } while (0)

#endif
