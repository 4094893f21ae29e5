/* The values that operations carry: arguments, results, keys.
 *
 * A value is one 64-bit word. Compound values are interned in a value_pool, so two values of the
 * same pool are equal exactly when their words are. The lowest three bits say what the word is:
 *
 *     ...000  a constant: nil (0), false, true
 *     ...001  an integer that fits 61 bits, in the upper 61
 *     ...010  the address of an interned, immutable object: a larger integer, a real number, a
 *             string, a keyword (:x), a symbol (x), a list, a set, a map
 *
 * A string, a keyword and a symbol of the same letters are three different values. JSON has only
 * strings; EDN has all three. An EDN vector and an EDN list are the same `list`. */
#ifndef VALUE_VALUE_H
#define VALUE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

typedef uint64_t value;

#define VALUE_NIL   ((value)0)
#define VALUE_FALSE ((value)8)
#define VALUE_TRUE  ((value)16)

enum value_kind {
    KIND_NIL,
    KIND_BOOLEAN,
    KIND_INTEGER,
    KIND_REAL,
    KIND_STRING,
    KIND_KEYWORD,
    KIND_SYMBOL,
    KIND_LIST,
    KIND_SET, /* items sorted by value_compare, no duplicates */
    KIND_MAP, /* key, value, key, value, ... sorted by key, keys distinct */
};

/* How long an object lives (forget.h). */
enum value_lives {
    LIVES_LONG,  /* as long as the pool, in an arena */
    LIVES_SHORT, /* until it is forgotten */
};

/* An interned object. `bytes` for text (0-terminated, the 0 not counted in `length`), `items` for
 * collections (for a map `length` counts keys and values: twice its entries). */
struct value_object {
    uint64_t hash;         /* of the content: the same in every run and pool */
    uint8_t kind;          /* enum value_kind */
    _Atomic uint8_t lives; /* enum value_lives */
    uint8_t round;         /* of forgetting, when it was last seen to be of use */
    bool own_memory;       /* it is in no arena */
    uint32_t length;
    union {
        int64_t integer;
        double real;
        char bytes[8];  /* in truth length + 1 */
        value items[1]; /* in truth length */
    } content;
};

struct budget;
struct value_pool;

/* A pool charged to `budget`; null when even the empty pool is refused. Thread-safe: several
 * threads may intern into one pool. The values live until value_pool_destroy, but for short-lived
 * ones (forget.h). */
struct value_pool *value_pool_create(struct budget *budget);
void value_pool_destroy(struct value_pool *pool);

/* The budget that the pool is charged to. */
struct budget *value_pool_budget(const struct value_pool *pool);

/* A value that could not be interned because the budget refused: never equal to a real value. */
#define VALUE_REFUSED (~(value)0)

/* Each returns VALUE_REFUSED when the budget refuses. Texts need not be 0-terminated. */
value value_integer(struct value_pool *pool, int64_t integer);
value value_real(struct value_pool *pool, double real);
value value_text(struct value_pool *pool, enum value_kind kind, const char *text, size_t length);
value value_list(struct value_pool *pool, const value *items, size_t length);
value value_set(struct value_pool *pool, const value *items, size_t length); /* any order */

/* `length` keys and values in turn, any order; of equal keys the last wins. */
value value_map(struct value_pool *pool, const value *items, size_t length);

static inline value value_boolean(bool boolean)
{
    return boolean ? VALUE_TRUE : VALUE_FALSE;
}

/* An integer known to fit 61 bits, without a pool. */
static inline value value_small(int64_t integer)
{
    return ((uint64_t)integer << 3) | 1;
}

static inline bool value_is_small(value v)
{
    return (v & 7) == 1;
}

static inline int64_t value_small_get(value v)
{
    return (int64_t)v >> 3;
}

static inline const struct value_object *value_object(value v)
{
    return (const struct value_object *)(uintptr_t)(v & ~(value)7);
}

enum value_kind value_kind_of(value v);

/* True, with the number in `*integer`, if v is an integer of either size. */
bool value_get_integer(value v, int64_t *integer);

/* The letters of a string, keyword (without its colon) or symbol, else null; `*length` may be
 * null. Owned by the pool. */
const char *value_get_text(value v, size_t *length);

/* The items of a list or set, or keys and values of a map; null and 0 for other kinds. */
const value *value_get_items(value v, size_t *length);

/* True if v is a text of exactly these letters, whichever of the three text kinds it is. */
bool value_text_is(value v, const char *text);

/* Of the content, so the same from run to run. */
uint64_t value_hash(value v);

/* A total order: by kind (integers and reals together, by number), then by content. */
int value_compare(value a, value b);

#endif
