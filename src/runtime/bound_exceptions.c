/* The library of C++ is linked statically: what it keeps for each thread is among the thread-local
 * variables of the program, so each fiber has its own, and each execution begins anew. Memory for
 * exceptions comes from the heap of the thread. */
#include <stddef.h>
#include <string.h>

#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/exceptions.h"
#include "runtime/execution.h"
#include "runtime/retry.h"

/* Of the library, where a program has it. */
void __cxa_throw(void *object, void *type, void (*destroy)(void *)) __attribute__((weak, noreturn));
void __cxa_rethrow(void) __attribute__((weak, noreturn));
void (*_ZSt13set_terminatePFvvE(void (*handler)(void)))(void) __attribute__((weak));

/* ---- memory: in front of an exception the library keeps what it knows of it ---- */

enum {
    HEAD = 128,
    DEPENDENT = 112, /* an exception that stands for another one */
    ALIGN = 16
};

void *__cxa_allocate_exception(size_t size);
void *__cxa_allocate_exception(size_t size)
{
    char *block = execution_allocate(HEAD + size, ALIGN, HEAP_MALLOC, true, CALLER);
    return block + HEAD;
}

void __cxa_free_exception(void *object);
void __cxa_free_exception(void *object)
{
    execution_free((char *)object - HEAD, HEAP_MALLOC, CALLER);
}

void *__cxa_allocate_dependent_exception(void);
void *__cxa_allocate_dependent_exception(void)
{
    return execution_allocate(DEPENDENT, ALIGN, HEAP_MALLOC, true, CALLER);
}

void __cxa_free_dependent_exception(void *block);
void __cxa_free_dependent_exception(void *block)
{
    execution_free(block, HEAP_MALLOC, CALLER);
}

/* ---- std::packaged_task: what is compiled of it calls this, but only where ... ---- */

BOUND_FUNCTION(void, _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv, void *state)
{
    (void)state;
    execution_refuse("results that are set once the thread has ended (..._at_thread_exit)", CALLER);
}

/* ---- throwing ---- */

BOUND_FUNCTION(void, __cxa_throw, void *object, void *type, void (*destroy)(void *))
{
    retry_break();
    if (execution_phase() == PHASE_THREADS)
        execution_settle();
    thread_current()->throws_at = CALLER;
    __cxa_throw(object, type, destroy);
}

BOUND_FUNCTION(void, __cxa_rethrow, void)
{
    retry_break();
    thread_current()->throws_at = CALLER;
    __cxa_rethrow();
}

/* ---- that nobody catches ---- */

static const char *name_of_left(void)
{
    unsigned number = execution_thread();
    if (execution_phase() != PHASE_THREADS)
        return "setup or teardown";
    for (size_t i = 0; i < execution.operation_count && !thread_current()->created; i++) {
        const struct exchange_operation_run *run = &execution.operations[i];
        if (run->thread == number && run->called && !run->finished)
            return execution.test->ops[run->operation].name;
    }
    return "the function of a thread";
}

int runtime_personality(int version, int actions, uint64_t class, void *exception, void *context)
{
    enum {
        SEARCH = 1,
        CONTINUE = 8
    };
    (void)version;
    (void)class;
    (void)exception;
    (void)context;
    if (!(actions & SEARCH) || execution_phase() == PHASE_OUTSIDE)
        return CONTINUE;
    struct finding finding = {
        .kind = FINDING_EXCEPTION,
        .here = {.thread = (uint8_t)execution_thread(), .at = thread_current()->throws_at}};
    strncpy(finding.sentence, name_of_left(), sizeof finding.sentence - 1);
    execution_find(&finding);
}

static void terminate(void)
{
    struct finding finding = {
        .kind = FINDING_ABORT,
        .here = {.thread = (uint8_t)execution_thread(), .at = thread_current()->throws_at}};
    if (execution_phase() == PHASE_OUTSIDE)
        __builtin_trap();
    strcpy(finding.sentence, "std::terminate");
    execution_find(&finding);
}

void exceptions_open(void)
{
    if (_ZSt13set_terminatePFvvE)
        _ZSt13set_terminatePFvvE(terminate);
}

/* An index is out of range, an optional is empty: what the library looks at if it is told to. */
BOUND_FUNCTION(void, _ZSt21__glibcxx_assert_failPKciS0_S0_, const char *file, int line,
               const char *function, const char *condition)
{
    retry_break();
    struct finding finding = {.kind = FINDING_ASSERTION,
                              .line = (uint32_t)line,
                              .here = {.thread = (uint8_t)execution_thread(), .at = CALLER}};
    (void)function;
    strncpy(finding.sentence, condition ? condition : "", sizeof finding.sentence - 1);
    strncpy(finding.file, file ? file : "", sizeof finding.file - 1);
    execution_find(&finding);
}
