/* Reading EDN piece by piece, for readers of histories; value/print.h has the simple call. */
#ifndef VALUE_EDN_H
#define VALUE_EDN_H

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"
#include "value/value.h"

/* Collections within collections. Deeper input is an error; deeper values (which no reader makes)
 * are printed with `...` inside. The bound keeps recursion within any thread's stack. */
#define VALUE_MAX_DEPTH 200

struct edn_cursor {
    const char *at, *end; /* what is still to be read */
    uint32_t line;        /* of `at`, 1-based */
    bool ended;           /* the last failure was that the text ended too early */
    unsigned ignoring;    /* > 0: what is read is not wanted, and makes no values */
    unsigned depth;
    const char *file; /* for messages */
    struct value_pool *pool;
    struct error *error;
    VECTOR(value) items; /* of the collections being read */
    struct text letters; /* of the string being read */
};

void edn_open(struct edn_cursor *cursor, struct value_pool *pool, const char *text, size_t length,
              const char *file, uint32_t line, struct error *error);
void edn_close(struct edn_cursor *cursor);

/* Passes white space, commas, comments and discarded forms. */
enum status edn_space(struct edn_cursor *cursor) MUST_CHECK;

/* Passes metadata (^{:doc "x"}, ^:key, ^Type, several) in front of a form, which must follow. */
enum status edn_metadata(struct edn_cursor *cursor) MUST_CHECK;

/* Reads one form (after white space). */
enum status edn_value(struct edn_cursor *cursor, value *result) MUST_CHECK;

/* Passes one form, making no value. */
enum status edn_skip(struct edn_cursor *cursor) MUST_CHECK;

/* STATUS_INPUT "expected ..., found ..." at the cursor. */
enum status edn_fault(struct edn_cursor *cursor, const char *expected);

/* Whether the letters read back as this kind of name: what is printed bare. */
bool edn_is_symbol(const char *letters, size_t length);
bool edn_is_keyword(const char *letters, size_t length);

/* Tags for names that EDN itself cannot write. */
#define EDN_SYMBOL_TAG  "linchpin/symbol"
#define EDN_KEYWORD_TAG "linchpin/keyword"

#endif
