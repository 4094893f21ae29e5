/* The values that operations carry: nil, booleans, 64-bit integers, reals, texts, collections.
 *
 * An lp_value is a handle, cheap to copy. Two values of one context are equal exactly when their
 * handles are. Values live as long as their context. */
#ifndef LINCHPIN_VALUE_H
#define LINCHPIN_VALUE_H

#include <linchpin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t lp_value;

typedef enum lp_kind {
    LP_NIL,
    LP_BOOLEAN,
    LP_INTEGER,
    LP_REAL,
    LP_STRING,
    LP_KEYWORD, /* :x in EDN */
    LP_SYMBOL,  /* x in EDN */
    LP_LIST,
    LP_SET,
    LP_MAP,
} lp_kind;

/* nil: what a read of nothing answers; the handle 0. */
#define LP_VALUE_NIL UINT64_C(0)

/* Not a value: what a constructor returns when the context's memory limit refuses. Constructors
 * pass it on, and functions that take values answer LP_LIMIT for it. */
#define LP_VALUE_REFUSED UINT64_MAX

LP_API lp_value lp_value_boolean(bool boolean);
LP_API lp_value lp_value_integer(lp_context *context, int64_t integer);
LP_API lp_value lp_value_real(lp_context *context, double real);
LP_API lp_value lp_value_string(lp_context *context, const char *text);
LP_API lp_value lp_value_keyword(lp_context *context, const char *text);
LP_API lp_value lp_value_symbol(lp_context *context, const char *text); /* shown as it is */
LP_API lp_value lp_value_list(lp_context *context, const lp_value *items, size_t length);

/* A text of that kind (LP_STRING, LP_KEYWORD, LP_SYMBOL), which need not be null-terminated. */
LP_API lp_value lp_value_text(lp_context *context, lp_kind kind, const char *text, size_t length);

/* The items of a set in any order; of a map `length` keys and values in turn, of equal keys the
 * last counts. */
LP_API lp_value lp_value_set(lp_context *context, const lp_value *items, size_t length);
LP_API lp_value lp_value_map(lp_context *context, const lp_value *items, size_t length);

/* Many integers at once; `values` may be the same memory as `integers`. False when the context's
 * memory limit refuses. */
LP_API bool lp_value_integers(lp_context *context, const int64_t *integers, size_t count,
                              lp_value *values);

/* Reads one value in EDN (`[1 nil :a "b" {x 0}]`), all of `text`. LP_INPUT, LP_LIMIT. */
LP_API lp_status lp_value_parse(lp_context *context, const char *text, lp_value *result,
                                lp_error *error);

LP_API lp_kind lp_value_kind(lp_value value);

/* The number, letters or items; false, leaving the outputs alone, if the value is of another kind.
 * Texts are strings, keywords and symbols. A map's items are key, value, key, value, ... */
LP_API bool lp_value_get_boolean(lp_value value, bool *boolean);
LP_API bool lp_value_get_integer(lp_value value, int64_t *integer);
LP_API bool lp_value_get_real(lp_value value, double *real);
LP_API bool lp_value_get_text(lp_value value, const char **text, size_t *length);
LP_API bool lp_value_get_items(lp_value value, const lp_value **items, size_t *length);

/* The value as EDN or as JSON; release with free(). */
LP_API char *lp_value_to_edn(lp_value value);
LP_API char *lp_value_to_json(lp_value value);

/* The value for people, released with free(); null when the system refuses. As EDN, but that a
 * symbol is shown as it is, also one that EDN cannot spell. */
LP_API char *lp_value_to_text(lp_value value);

#ifdef __cplusplus
}
#endif

#endif
