/* Plain and volatile accesses, as gcc 12 and clang 14 announce them: the access itself stays in the
 * code, behind the callback. */
#include "runtime/callbacks.h"
#include "runtime/execution.h"
#include "runtime/relaxed.h"

#define DECLARED(NAME, ...)                                                                        \
    void NAME(__VA_ARGS__);                                                                        \
    void NAME(__VA_ARGS__)

static bool is_relaxed(const void *address, size_t size, const void *at)
{
    return execution_phase() == PHASE_THREADS && relaxed_has(at, address, size);
}

/* On their own, for they look at registers that the callbacks need not save. */
static void __attribute__((noinline)) relaxed_read(void *address, size_t size, const void *at)
{
    execution_relaxed_read(address, size, LOCAL_STATE, at);
}

static void read_plainly(void *address, size_t size, const void *at)
{
    if (is_relaxed(address, size, at))
        relaxed_read(address, size, at);
    else
        execution_plain(address, size, false, at);
}

static void write_plainly(void *address, size_t size, const void *at)
{
    if (is_relaxed(address, size, at))
        execution_volatile_write(address, size, at);
    else
        execution_plain(address, size, true, at);
}

/* That memory was never written is no fault of a plain read: compilers copy what structures hold
 * one by one, the value of an empty optional included. */
#define PLAIN(PREFIX, SIZE)                                                                        \
    DECLARED(__tsan_##PREFIX##read##SIZE, void *at)                                                \
    {                                                                                              \
        read_plainly(at, SIZE, CALLER);                                                            \
    }                                                                                              \
    DECLARED(__tsan_##PREFIX##write##SIZE, void *at)                                               \
    {                                                                                              \
        write_plainly(at, SIZE, CALLER);                                                           \
    }                                                                                              \
    DECLARED(__tsan_##PREFIX##read_write##SIZE, void *at)                                          \
    {                                                                                              \
        execution_plain(at, SIZE, false, CALLER);                                                  \
        execution_plain(at, SIZE, true, CALLER);                                                   \
    }

#define VOLATILE(PREFIX, SIZE)                                                                     \
    DECLARED(__tsan_##PREFIX##volatile_read##SIZE, void *at)                                       \
    {                                                                                              \
        execution_volatile_read(at, SIZE, LOCAL_STATE, CALLER);                                    \
    }                                                                                              \
    DECLARED(__tsan_##PREFIX##volatile_write##SIZE, void *at)                                      \
    {                                                                                              \
        execution_volatile_write(at, SIZE, CALLER);                                                \
    }

PLAIN(, 1)
PLAIN(, 2)
PLAIN(, 4)
PLAIN(, 8)
PLAIN(, 16)
PLAIN(unaligned_, 2)
PLAIN(unaligned_, 4)
PLAIN(unaligned_, 8)
PLAIN(unaligned_, 16)
VOLATILE(, 1)
VOLATILE(, 2)
VOLATILE(, 4)
VOLATILE(, 8)

DECLARED(__tsan_read_range, void *at, unsigned long size)
{
    execution_plain(at, size, false, CALLER);
}

DECLARED(__tsan_write_range, void *at, unsigned long size)
{
    execution_plain(at, size, true, CALLER);
}

DECLARED(__tsan_vptr_update, void **at, void *value)
{
    if (*at != value) /* a constructor of a derived class stores it again */
        write_plainly(at, sizeof *at, CALLER);
}

DECLARED(__tsan_vptr_read, void **at)
{
    read_plainly(at, sizeof *at, CALLER);
}

DECLARED(__tsan_init, void) {}

DECLARED(__tsan_func_entry, void *caller)
{
    (void)caller;
}

DECLARED(__tsan_func_exit, void) {}

DECLARED(__tsan_ignore_thread_begin, void) {}

DECLARED(__tsan_ignore_thread_end, void) {}
