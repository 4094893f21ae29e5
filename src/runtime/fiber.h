/* Threads of the program under test as fibers of one thread of the system: a stack each, and one
 * switch between them. Each has the thread-local storage of a parked thread, which exists for that
 * alone, if the program has any. */
#ifndef RUNTIME_FIBER_H
#define RUNTIME_FIBER_H

#include "runtime/region.h"

struct fiber {
    void *stack_pointer;
    char *lowest;         /* that its stack pointer has been at a switch */
    void *thread_pointer; /* where its thread-local storage is */
};

/* Finds the thread-local storage of the fibers 0 to `count` - 1. False when the system refuses. The
 * last of the region has that of the caller. */
bool fibers_open(struct fiber *fibers, unsigned count);

/* Makes the fiber begin with `entry`, which never returns, on a stack of zeros, and with its
 * thread-local variables as they are at first. */
void fiber_prepare(struct fiber *fiber, unsigned thread, void (*entry)(void));

/* Its thread-local variables. */
const char *fiber_storage(const struct fiber *fiber, size_t *size);

/* Where there is thread-local storage: from now on it is that of the fiber. */
void fiber_use_storage(const struct fiber *fiber);

/* Goes on with `to`; returns when somebody goes on with `from`. It is compiled where it is called,
 * and jumps: processors predict where functions return to from the calls that they have seen, and
 * so are wrong about each return behind a switch that returns itself. All registers are lost, so
 * that the compiler keeps what it needs on the stack. (Nothing below the stack pointer is used
 * there: the runtime is compiled with -mno-red-zone.) */
static inline __attribute__((always_inline)) void fiber_switch(struct fiber *from,
                                                               const struct fiber *to)
{
    void **save = &from->stack_pointer, *pointer = to->stack_pointer;
    char *here = __builtin_frame_address(0);
    if (from->thread_pointer != to->thread_pointer)
        fiber_use_storage(to);
    if (here < from->lowest)
        from->lowest = here;
    __asm__ volatile("push %%rbp\n\t"
                     "lea 1f(%%rip), %%rcx\n\t"
                     "push %%rcx\n\t"
                     "mov %%rsp, (%%rdi)\n\t"
                     "mov %%rsi, %%rsp\n\t"
                     "pop %%rcx\n\t"
                     "jmp *%%rcx\n"
                     "1:\tpop %%rbp"
                     : "+D"(save), "+S"(pointer)
                     :
                     : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
                       "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
                       "memory", "cc");
}

#endif
