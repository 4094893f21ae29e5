/* Plain and volatile accesses, as gcc 12 and clang 14 announce them: the access itself stays in the
 * code, behind the callback. */
#include "runtime/callbacks.h"
#include "runtime/execution.h"

#define DECLARED(NAME, ...)                                                                        \
    void NAME(__VA_ARGS__);                                                                        \
    void NAME(__VA_ARGS__)

/* That memory was never written is no fault of a plain read: compilers copy what structures hold
 * one by one, the value of an empty optional included. */
#define PLAIN(PREFIX, SIZE)                                                                        \
    DECLARED(__tsan_##PREFIX##read##SIZE, void *at)                                                \
    {                                                                                              \
        execution_plain(at, SIZE, false, CALLER);                                                  \
    }                                                                                              \
    DECLARED(__tsan_##PREFIX##write##SIZE, void *at)                                               \
    {                                                                                              \
        execution_plain(at, SIZE, true, CALLER);                                                   \
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
        execution_plain(at, sizeof *at, true, CALLER);
}

DECLARED(__tsan_vptr_read, void **at)
{
    execution_plain(at, sizeof *at, false, CALLER);
}

DECLARED(__tsan_init, void) {}

DECLARED(__tsan_func_entry, void *caller)
{
    (void)caller;
}

DECLARED(__tsan_func_exit, void) {}

DECLARED(__tsan_ignore_thread_begin, void) {}

DECLARED(__tsan_ignore_thread_end, void) {}
