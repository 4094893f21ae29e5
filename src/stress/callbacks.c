/* Atomic accesses of code that is compiled with -fsanitize=thread, done as the processor does them;
 * before some, by a seed, the thread gives way. Errors that need a thread to be held up between two
 * accesses then show in a fraction of a second. Plain accesses are left alone. */
#include "stress/callbacks.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static _Thread_local uint64_t numbers; /* 0: this thread never gives way */
static unsigned give_way_one_in;

void stress_give_way(unsigned one_in)
{
    give_way_one_in = one_in;
}

void stress_seed(uint64_t seed)
{
    numbers = seed * 2 + 1;
}

/* xorshift64*: Vigna, An experimental exploration of Marsaglia's xorshift generators (2016). */
static inline void maybe_give_way(void)
{
    if (!numbers || !give_way_one_in)
        return;
    numbers ^= numbers >> 12;
    numbers ^= numbers << 25;
    numbers ^= numbers >> 27;
    if ((numbers * UINT64_C(0x2545f4914f6cdd1d) >> 33) % give_way_one_in == 0)
        sched_yield();
}

/* Orders come as variables, and the compiler would make the strongest of them: a store that is not
 * seq_cst must stay a plain store of the processor. */
#define WIDTH(BITS, TYPE)                                                                          \
    TYPE __tsan_atomic##BITS##_load(const volatile TYPE *at, int order);                           \
    TYPE __tsan_atomic##BITS##_load(const volatile TYPE *at, int order)                            \
    {                                                                                              \
        maybe_give_way();                                                                          \
        if (order == __ATOMIC_RELAXED)                                                             \
            return __atomic_load_n(at, __ATOMIC_RELAXED);                                          \
        if (order == __ATOMIC_SEQ_CST)                                                             \
            return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                          \
        return __atomic_load_n(at, __ATOMIC_ACQUIRE);                                              \
    }                                                                                              \
    void __tsan_atomic##BITS##_store(volatile TYPE *at, TYPE value, int order);                    \
    void __tsan_atomic##BITS##_store(volatile TYPE *at, TYPE value, int order)                     \
    {                                                                                              \
        maybe_give_way();                                                                          \
        if (order == __ATOMIC_RELAXED)                                                             \
            __atomic_store_n(at, value, __ATOMIC_RELAXED);                                         \
        else if (order == __ATOMIC_SEQ_CST)                                                        \
            __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                         \
        else                                                                                       \
            __atomic_store_n(at, value, __ATOMIC_RELEASE);                                         \
    }                                                                                              \
    UPDATE(BITS, TYPE, exchange, __atomic_exchange_n)                                              \
    UPDATE(BITS, TYPE, fetch_add, __atomic_fetch_add)                                              \
    UPDATE(BITS, TYPE, fetch_sub, __atomic_fetch_sub)                                              \
    UPDATE(BITS, TYPE, fetch_and, __atomic_fetch_and)                                              \
    UPDATE(BITS, TYPE, fetch_or, __atomic_fetch_or)                                                \
    UPDATE(BITS, TYPE, fetch_xor, __atomic_fetch_xor)                                              \
    UPDATE(BITS, TYPE, fetch_nand, __atomic_fetch_nand)                                            \
    COMPARE(BITS, TYPE, compare_exchange_strong, false)                                            \
    COMPARE(BITS, TYPE, compare_exchange_weak, true)                                               \
    TYPE __tsan_atomic##BITS##_compare_exchange_val(volatile TYPE *at, TYPE expected, TYPE value,  \
                                                    int order, int failure);                       \
    TYPE __tsan_atomic##BITS##_compare_exchange_val(volatile TYPE *at, TYPE expected, TYPE value,  \
                                                    int order, int failure)                        \
    {                                                                                              \
        (void)__tsan_atomic##BITS##_compare_exchange_strong(at, &expected, value, order, failure); \
        return expected;                                                                           \
    }

#define UPDATE(BITS, TYPE, NAME, BUILTIN)                                                          \
    TYPE __tsan_atomic##BITS##_##NAME(volatile TYPE *at, TYPE value, int order);                   \
    TYPE __tsan_atomic##BITS##_##NAME(volatile TYPE *at, TYPE value, int order)                    \
    {                                                                                              \
        maybe_give_way();                                                                          \
        switch (order) {                                                                           \
        case __ATOMIC_RELAXED:                                                                     \
            return BUILTIN(at, value, __ATOMIC_RELAXED);                                           \
        case __ATOMIC_ACQUIRE:                                                                     \
        case __ATOMIC_CONSUME:                                                                     \
            return BUILTIN(at, value, __ATOMIC_ACQUIRE);                                           \
        case __ATOMIC_RELEASE:                                                                     \
            return BUILTIN(at, value, __ATOMIC_RELEASE);                                           \
        case __ATOMIC_ACQ_REL:                                                                     \
            return BUILTIN(at, value, __ATOMIC_ACQ_REL);                                           \
        default:                                                                                   \
            return BUILTIN(at, value, __ATOMIC_SEQ_CST);                                           \
        }                                                                                          \
    }

/* The order that has at least what either of the two has. */
static int order_of_both(int order, int failure)
{
    if (order == __ATOMIC_SEQ_CST || failure == __ATOMIC_SEQ_CST)
        return __ATOMIC_SEQ_CST;
    if (failure == __ATOMIC_RELAXED || order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL)
        return order;
    return order == __ATOMIC_RELEASE ? __ATOMIC_ACQ_REL : __ATOMIC_ACQUIRE;
}

#define COMPARE(BITS, TYPE, NAME, WEAK)                                                            \
    int __tsan_atomic##BITS##_##NAME(volatile TYPE *at, TYPE *expected, TYPE value, int order,     \
                                     int failure);                                                 \
    int __tsan_atomic##BITS##_##NAME(volatile TYPE *at, TYPE *expected, TYPE value, int order,     \
                                     int failure)                                                  \
    {                                                                                              \
        maybe_give_way();                                                                          \
        switch (order_of_both(order, failure)) {                                                   \
        case __ATOMIC_RELAXED:                                                                     \
            return __atomic_compare_exchange_n(at, expected, value, WEAK, __ATOMIC_RELAXED,        \
                                               __ATOMIC_RELAXED);                                  \
        case __ATOMIC_RELEASE:                                                                     \
            return __atomic_compare_exchange_n(at, expected, value, WEAK, __ATOMIC_RELEASE,        \
                                               __ATOMIC_RELAXED);                                  \
        case __ATOMIC_ACQUIRE:                                                                     \
        case __ATOMIC_CONSUME:                                                                     \
            return __atomic_compare_exchange_n(at, expected, value, WEAK, __ATOMIC_ACQUIRE,        \
                                               __ATOMIC_ACQUIRE);                                  \
        case __ATOMIC_ACQ_REL:                                                                     \
            return __atomic_compare_exchange_n(at, expected, value, WEAK, __ATOMIC_ACQ_REL,        \
                                               __ATOMIC_ACQUIRE);                                  \
        default:                                                                                   \
            return __atomic_compare_exchange_n(at, expected, value, WEAK, __ATOMIC_SEQ_CST,        \
                                               __ATOMIC_SEQ_CST);                                  \
        }                                                                                          \
    }

WIDTH(8, uint8_t)
WIDTH(16, uint16_t)
WIDTH(32, uint32_t)
WIDTH(64, uint64_t)

/* ---- of 16 bytes: one instruction does them all, with every order ---- */

__extension__ typedef unsigned __int128 wide;

__attribute__((target("cx16"))) static wide exchange_if(volatile wide *at, wide expected,
                                                        wide value)
{
    return __sync_val_compare_and_swap(at, expected, value);
}

/* What is stored if it is 0 is what is there. */
static wide load_wide(const volatile wide *at)
{
    return exchange_if((volatile wide *)at, 0, 0);
}

#define UPDATE_WIDE(NAME, STORED)                                                                  \
    wide __tsan_atomic128_##NAME(volatile wide *at, wide value, int order);                        \
    wide __tsan_atomic128_##NAME(volatile wide *at, wide value, int order)                         \
    {                                                                                              \
        (void)order;                                                                               \
        maybe_give_way();                                                                          \
        wide old = load_wide(at), found;                                                           \
        while ((found = exchange_if(at, old, STORED)) != old)                                      \
            old = found;                                                                           \
        return old;                                                                                \
    }

UPDATE_WIDE(exchange, value)
UPDATE_WIDE(fetch_add, old + value)
UPDATE_WIDE(fetch_sub, old - value)
UPDATE_WIDE(fetch_and, old &value)
UPDATE_WIDE(fetch_or, old | value)
UPDATE_WIDE(fetch_xor, old ^ value)
UPDATE_WIDE(fetch_nand, ~(old &value))

wide __tsan_atomic128_load(const volatile wide *at, int order);
wide __tsan_atomic128_load(const volatile wide *at, int order)
{
    (void)order;
    maybe_give_way();
    return load_wide(at);
}

void __tsan_atomic128_store(volatile wide *at, wide value, int order);
void __tsan_atomic128_store(volatile wide *at, wide value, int order)
{
    (void)__tsan_atomic128_exchange(at, value, order);
}

wide __tsan_atomic128_compare_exchange_val(volatile wide *at, wide expected, wide value, int order,
                                           int failure);
wide __tsan_atomic128_compare_exchange_val(volatile wide *at, wide expected, wide value, int order,
                                           int failure)
{
    (void)order;
    (void)failure;
    maybe_give_way();
    return exchange_if(at, expected, value);
}

#define COMPARE_WIDE(NAME)                                                                         \
    int __tsan_atomic128_##NAME(volatile wide *at, wide *expected, wide value, int order,          \
                                int failure);                                                      \
    int __tsan_atomic128_##NAME(volatile wide *at, wide *expected, wide value, int order,          \
                                int failure)                                                       \
    {                                                                                              \
        wide wanted = *expected;                                                                   \
        *expected = __tsan_atomic128_compare_exchange_val(at, wanted, value, order, failure);      \
        return *expected == wanted;                                                                \
    }

COMPARE_WIDE(compare_exchange_strong)
COMPARE_WIDE(compare_exchange_weak)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    maybe_give_way();
    if (order == __ATOMIC_SEQ_CST)
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    else
        __atomic_thread_fence(__ATOMIC_ACQ_REL);
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* ---- plain and volatile accesses: made by the code itself ---- */

#define NOTHING(NAME)                                                                              \
    void NAME(void *at);                                                                           \
    void NAME(void *at)                                                                            \
    {                                                                                              \
        (void)at;                                                                                  \
    }

#define PLAIN(SIZE)                                                                                \
    NOTHING(__tsan_read##SIZE)                                                                     \
    NOTHING(__tsan_write##SIZE)                                                                    \
    NOTHING(__tsan_unaligned_read##SIZE)                                                           \
    NOTHING(__tsan_unaligned_write##SIZE)                                                          \
    NOTHING(__tsan_read_write##SIZE)                                                               \
    NOTHING(__tsan_unaligned_read_write##SIZE)                                                     \
    NOTHING(__tsan_volatile_read##SIZE)                                                            \
    NOTHING(__tsan_volatile_write##SIZE)                                                           \
    NOTHING(__tsan_unaligned_volatile_read##SIZE)                                                  \
    NOTHING(__tsan_unaligned_volatile_write##SIZE)

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)
NOTHING(__tsan_func_entry)
NOTHING(__tsan_vptr_read)

void __tsan_init(void);
void __tsan_init(void) {}

void __tsan_func_exit(void);
void __tsan_func_exit(void) {}

void __tsan_vptr_update(void **at, void *value);
void __tsan_vptr_update(void **at, void *value)
{
    (void)at;
    (void)value;
}

void __tsan_read_range(void *at, size_t size);
void __tsan_read_range(void *at, size_t size)
{
    (void)at;
    (void)size;
}

void __tsan_write_range(void *at, size_t size);
void __tsan_write_range(void *at, size_t size)
{
    (void)at;
    (void)size;
}
