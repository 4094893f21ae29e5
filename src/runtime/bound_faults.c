/* Failed assertions, ends of the program, jumps out of functions. */
#include <setjmp.h>
#include <string.h>

#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/execution.h"
#include "runtime/region.h"
#include "runtime/threads.h"

static void copy_text(char *to, const char *from)
{
    strncpy(to, from ? from : "", EXCHANGE_SENTENCE - 1);
}

static void find(enum finding_kind kind, const char *sentence, const char *file, unsigned line,
                 const void *at) __attribute__((noreturn));
static void find(enum finding_kind kind, const char *sentence, const char *file, unsigned line,
                 const void *at)
{
    struct finding finding = {
        .kind = kind, .line = line, .here = {.thread = (uint8_t)execution_thread(), .at = at}};
    copy_text(finding.sentence, sentence);
    copy_text(finding.file, file);
    execution_find(&finding);
}

BOUND_FUNCTION(void, __assert_fail, const char *assertion, const char *file, unsigned line,
               const char *function)
{
    (void)function;
    find(FINDING_ASSERTION, assertion, file, line, CALLER);
}

BOUND_FUNCTION(void, abort, void)
{
    find(FINDING_ABORT, "abort", NULL, 0, CALLER);
}

/* Where a buffer says that its stack is: glibc keeps it turned around and mixed with a number of
 * the process. */
static const char *stack_of(const struct __jmp_buf_tag *buffer)
{
    enum {
        STACK_POINTER = 6,
        TURNED = 17
    };
    uintptr_t kept = (uintptr_t)buffer->__jmpbuf[STACK_POINTER], guard;
    __asm__("movq %%fs:0x30, %0" : "=r"(guard));
    return (const char *)((kept >> TURNED | kept << (64 - TURNED)) ^ guard);
}

/* A jump is to a function that called this one, of the same thread. */
static void look_at_jump(const struct __jmp_buf_tag *buffer, const char *frame, const void *at)
{
    const char *stack = stack_of(buffer);
    if (!region_is_own_stack(execution.current, frame))
        return;
    if (!region_is_own_stack(execution.current, stack))
        execution_misuse("jumps (longjmp) to where another thread, or nobody, has called setjmp,",
                         buffer, at);
    else if (stack <= frame)
        execution_misuse("jumps (longjmp) into a function that has returned", buffer, at);
}

#define JUMP(NAME)                                                                                 \
    __attribute__((noreturn)) BOUND_FUNCTION(void, NAME, struct __jmp_buf_tag *buffer, int value)  \
    {                                                                                              \
        execution_plain(buffer, sizeof buffer->__jmpbuf, false, CALLER);                           \
        look_at_jump(buffer, __builtin_frame_address(0), CALLER);                                  \
        longjmp(buffer, value);                                                                    \
    }
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)

BOUND_FUNCTION(void, exit, int status)
{
    (void)status;
    find(FINDING_ABORT, "exit", NULL, 0, CALLER);
}

BOUND_FUNCTION(void, _exit, int status)
{
    (void)status;
    find(FINDING_ABORT, "_exit", NULL, 0, CALLER);
}

BOUND_FUNCTION(void, _ZSt9terminatev, void)
{
    find(FINDING_ABORT, "std::terminate", NULL, 0, CALLER);
}
