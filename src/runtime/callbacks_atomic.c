/* Atomic accesses, as gcc 12 and clang 14 hand them over (ABI of -fsanitize=thread), and as they
 * call libatomic for those of 16 bytes. */
#include <string.h>

#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/execution.h"
#include "runtime/shadow.h"

#define WIDTHS(WIDTH)                                                                              \
    WIDTH(8, uint8_t)                                                                              \
    WIDTH(16, uint16_t)                                                                            \
    WIDTH(32, uint32_t)                                                                            \
    WIDTH(64, uint64_t)                                                                            \
    WIDTH(128, memory_value)

/* The compilers' own: what -fsanitize=thread calls has no header. */
#define ACCESS(OF, SIZE, OPERATION, ORDER, FAILURE, OPERAND, EXPECTED)                             \
    (&(struct exploration_access){.address = (const void *)(OF),                                   \
                                  .size = (SIZE),                                                  \
                                  .operation = (OPERATION),                                        \
                                  .order = (ORDER),                                                \
                                  .failure_order = (FAILURE),                                      \
                                  .operand = (OPERAND),                                            \
                                  .expected = (EXPECTED),                                          \
                                  .at = CALLER})

/* ---- orders ---- */

enum {
    BASE = 0x7fff /* of an order: without __sync's and what is said of hardware lock elision */
};

enum use {
    FOR_LOAD,
    FOR_STORE,
    FOR_FAILURE,
    FOR_UPDATE,
    FOR_FENCE
};

/* Orders that an access may not have by C (7.17.7) and C++ ([atomics.types.operations]): what it
 * does is undefined. gcc hands them over as they are. */
static enum memory_order_c11 check_order(int order, enum use use, const volatile void *of,
                                         const void *at)
{
#define UNDEFINED(WORDS) "does what C and C++ leave undefined, " WORDS
    static const char *const wrong[][ORDER_PLAIN] = {
        [FOR_LOAD] = {[ORDER_RELEASE] = UNDEFINED("a load with memory_order_release"),
                      [ORDER_ACQ_REL] = UNDEFINED("a load with memory_order_acq_rel")},
        [FOR_STORE] = {[ORDER_CONSUME] = UNDEFINED("a store with memory_order_consume"),
                       [ORDER_ACQUIRE] = UNDEFINED("a store with memory_order_acquire"),
                       [ORDER_ACQ_REL] = UNDEFINED("a store with memory_order_acq_rel")},
        [FOR_FAILURE] = {[ORDER_RELEASE] =
                             UNDEFINED("a compare-exchange that fails with memory_order_release"),
                         [ORDER_ACQ_REL] =
                             UNDEFINED("a compare-exchange that fails with memory_order_acq_rel")},
        [FOR_UPDATE] = {NULL},
        [FOR_FENCE] = {NULL},
    };
    unsigned base = (unsigned)order & BASE;
    const char *words = base < ORDER_PLAIN
                            ? wrong[use][base]
                            : UNDEFINED("an atomic access with an order that is none");
    if (words)
        execution_misuse(words, of, at);
    return base < ORDER_PLAIN ? (enum memory_order_c11)base : ORDER_SEQ_CST;
#undef UNDEFINED
}

#define ORDER_FOR(USE, ORDER, OF) check_order((ORDER), FOR_##USE, (OF), CALLER)

#define LOAD_STORE(BITS, TYPE)                                                                     \
    TYPE __tsan_atomic##BITS##_load(const volatile TYPE *at, int order);                           \
    TYPE __tsan_atomic##BITS##_load(const volatile TYPE *at, int order)                            \
    {                                                                                              \
        return (TYPE)execution_read(                                                               \
            ACCESS(at, sizeof(TYPE), OPERATION_LOAD, ORDER_FOR(LOAD, order, at), 0, 0, 0),         \
            LOCAL_STATE);                                                                          \
    }                                                                                              \
    void __tsan_atomic##BITS##_store(volatile TYPE *at, TYPE value, int order);                    \
    void __tsan_atomic##BITS##_store(volatile TYPE *at, TYPE value, int order)                     \
    {                                                                                              \
        execution_store(                                                                           \
            ACCESS(at, sizeof(TYPE), OPERATION_LOAD, ORDER_FOR(STORE, order, at), 0, value, 0),    \
            LOCAL_STATE);                                                                          \
    }

#define UPDATE(BITS, TYPE, NAME, OPERATION)                                                        \
    TYPE __tsan_atomic##BITS##_##NAME(volatile TYPE *at, TYPE value, int order);                   \
    TYPE __tsan_atomic##BITS##_##NAME(volatile TYPE *at, TYPE value, int order)                    \
    {                                                                                              \
        return (TYPE)execution_read(                                                               \
            ACCESS(at, sizeof(TYPE), OPERATION, ORDER_FOR(UPDATE, order, at), 0, value, 0),        \
            LOCAL_STATE);                                                                          \
    }

#define UPDATES(BITS, TYPE)                                                                        \
    UPDATE(BITS, TYPE, exchange, OPERATION_EXCHANGE)                                               \
    UPDATE(BITS, TYPE, fetch_add, OPERATION_ADD)                                                   \
    UPDATE(BITS, TYPE, fetch_sub, OPERATION_SUB)                                                   \
    UPDATE(BITS, TYPE, fetch_and, OPERATION_AND)                                                   \
    UPDATE(BITS, TYPE, fetch_or, OPERATION_OR)                                                     \
    UPDATE(BITS, TYPE, fetch_xor, OPERATION_XOR)                                                   \
    UPDATE(BITS, TYPE, fetch_nand, OPERATION_NAND)

/* What is expected may stand where others see it: there it is a plain variable. So it is on the
 * thread's own stack where it is accessed atomically, or as volatile, too. */
static bool is_seen(const char *expected, unsigned size)
{
    unsigned bytes;
    return !region_is_own_stack(execution_thread(), expected) ||
           shadow_atomic(expected, expected + size, &bytes);
}

static memory_value read_expected(const void *expected, unsigned size, const void *at)
{
    memory_value value = 0;
    if (is_seen(expected, size))
        execution_plain(expected, size, false, at);
    memcpy(&value, expected, size);
    return value;
}

static void write_expected(void *expected, unsigned size, memory_value value, const void *at)
{
    if (is_seen(expected, size))
        execution_plain(expected, size, true, at);
    memcpy(expected, &value, size);
}

/* Clang does not tell weak ones from strong ones: all that it makes are strong. */
#define COMPARE(BITS, TYPE, NAME, WEAK)                                                            \
    int __tsan_atomic##BITS##_##NAME(volatile TYPE *at, TYPE *expected, TYPE value, int order,     \
                                     int failure);                                                 \
    int __tsan_atomic##BITS##_##NAME(volatile TYPE *at, TYPE *expected, TYPE value, int order,     \
                                     int failure)                                                  \
    {                                                                                              \
        TYPE wanted = (TYPE)read_expected(expected, sizeof(TYPE), CALLER);                         \
        struct exploration_access access =                                                         \
            *ACCESS(at, sizeof(TYPE), OPERATION_COMPARE_EXCHANGE, ORDER_FOR(UPDATE, order, at),    \
                    ORDER_FOR(FAILURE, failure, at), value, wanted);                               \
        access.may_fail = WEAK;                                                                    \
        TYPE found = (TYPE)execution_read(&access, LOCAL_STATE);                                   \
        if (found != wanted)                                                                       \
            write_expected(expected, sizeof(TYPE), found, CALLER);                                 \
        return found == wanted && !(WEAK && execution_failed());                                   \
    }

#define COMPARE_VALUE(BITS, TYPE)                                                                  \
    TYPE __tsan_atomic##BITS##_compare_exchange_val(volatile TYPE *at, TYPE expected, TYPE value,  \
                                                    int order, int failure);                       \
    TYPE __tsan_atomic##BITS##_compare_exchange_val(volatile TYPE *at, TYPE expected, TYPE value,  \
                                                    int order, int failure)                        \
    {                                                                                              \
        return (TYPE)execution_read(ACCESS(at, sizeof(TYPE), OPERATION_COMPARE_EXCHANGE,           \
                                           ORDER_FOR(UPDATE, order, at),                           \
                                           ORDER_FOR(FAILURE, failure, at), value, expected),      \
                                    LOCAL_STATE);                                                  \
    }

#define WIDTH(BITS, TYPE)                                                                          \
    LOAD_STORE(BITS, TYPE)                                                                         \
    UPDATES(BITS, TYPE)                                                                            \
    COMPARE(BITS, TYPE, compare_exchange_strong, false)                                            \
    COMPARE(BITS, TYPE, compare_exchange_weak, true)                                               \
    COMPARE_VALUE(BITS, TYPE)

WIDTHS(WIDTH)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    execution_fence(ORDER_FOR(FENCE, order, NULL), LOCAL_STATE, CALLER);
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order; /* all that is code of one thread is in its order */
}

/* ---- libatomic ---- */

/* The library takes a lock for other sizes, and where the address is not aligned. */
static bool is_lock_free(size_t size, const volatile void *at)
{
    return size <= sizeof(memory_value) && (size & (size - 1)) == 0 && (uintptr_t)at % size == 0;
}

static void need_lock_free(size_t size, const volatile void *of, const void *at)
{
    if (!is_lock_free(size, of))
        execution_refuse("atomic accesses of other than 1, 2, 4, 8 or 16 bytes, or not aligned",
                         at);
}

BOUND_FUNCTION(bool, __atomic_is_lock_free, size_t size, const volatile void *at)
{
    return size < sizeof(memory_value) && is_lock_free(size, at);
}

BOUND_FUNCTION(void, __atomic_load, size_t size, const volatile void *at, void *to, int order)
{
    need_lock_free(size, at, CALLER);
    memory_value found = execution_read(
        ACCESS(at, (unsigned)size, OPERATION_LOAD, ORDER_FOR(LOAD, order, at), 0, 0, 0),
        LOCAL_STATE);
    write_expected(to, (unsigned)size, found, CALLER);
}

BOUND_FUNCTION(void, __atomic_store, size_t size, volatile void *at, const void *value, int order)
{
    need_lock_free(size, at, CALLER);
    memory_value stored = read_expected(value, (unsigned)size, CALLER);
    execution_store(
        ACCESS(at, (unsigned)size, OPERATION_LOAD, ORDER_FOR(STORE, order, at), 0, stored, 0),
        LOCAL_STATE);
}

BOUND_FUNCTION(void, __atomic_exchange, size_t size, volatile void *at, const void *value, void *to,
               int order)
{
    need_lock_free(size, at, CALLER);
    memory_value stored = read_expected(value, (unsigned)size, CALLER);
    memory_value found = execution_read(
        ACCESS(at, (unsigned)size, OPERATION_EXCHANGE, ORDER_FOR(UPDATE, order, at), 0, stored, 0),
        LOCAL_STATE);
    write_expected(to, (unsigned)size, found, CALLER);
}

BOUND_FUNCTION(bool, __atomic_compare_exchange, size_t size, volatile void *at, void *expected,
               const void *value, int order, int failure)
{
    need_lock_free(size, at, CALLER);
    memory_value wanted = read_expected(expected, (unsigned)size, CALLER);
    memory_value stored = read_expected(value, (unsigned)size, CALLER);
    memory_value found = execution_read(ACCESS(at, (unsigned)size, OPERATION_COMPARE_EXCHANGE,
                                               ORDER_FOR(UPDATE, order, at),
                                               ORDER_FOR(FAILURE, failure, at), stored, wanted),
                                        LOCAL_STATE);
    if (found != wanted)
        write_expected(expected, (unsigned)size, found, CALLER);
    return found == wanted;
}

BOUND_FUNCTION(memory_value, __atomic_load_16, const volatile memory_value *at, int order)
{
    return execution_read(
        ACCESS(at, sizeof *at, OPERATION_LOAD, ORDER_FOR(LOAD, order, at), 0, 0, 0), LOCAL_STATE);
}

BOUND_FUNCTION(void, __atomic_store_16, volatile memory_value *at, memory_value value, int order)
{
    execution_store(
        ACCESS(at, sizeof *at, OPERATION_LOAD, ORDER_FOR(STORE, order, at), 0, value, 0),
        LOCAL_STATE);
}

#define UPDATE_16(NAME, OPERATION)                                                                 \
    BOUND_FUNCTION(memory_value, __atomic_##NAME##_16, volatile memory_value *at,                  \
                   memory_value value, int order)                                                  \
    {                                                                                              \
        return execution_read(                                                                     \
            ACCESS(at, sizeof *at, OPERATION, ORDER_FOR(UPDATE, order, at), 0, value, 0),          \
            LOCAL_STATE);                                                                          \
    }

UPDATE_16(exchange, OPERATION_EXCHANGE)
UPDATE_16(fetch_add, OPERATION_ADD)
UPDATE_16(fetch_sub, OPERATION_SUB)
UPDATE_16(fetch_and, OPERATION_AND)
UPDATE_16(fetch_or, OPERATION_OR)
UPDATE_16(fetch_xor, OPERATION_XOR)
UPDATE_16(fetch_nand, OPERATION_NAND)

BOUND_FUNCTION(bool, __atomic_compare_exchange_16, volatile memory_value *at,
               memory_value *expected, memory_value value, int order, int failure)
{
    memory_value wanted = read_expected(expected, sizeof *at, CALLER);
    memory_value found = execution_read(ACCESS(at, sizeof *at, OPERATION_COMPARE_EXCHANGE,
                                               ORDER_FOR(UPDATE, order, at),
                                               ORDER_FOR(FAILURE, failure, at), value, wanted),
                                        LOCAL_STATE);
    if (found != wanted)
        write_expected(expected, sizeof *at, found, CALLER);
    return found == wanted;
}
