/* Failed assertions, and ends of the program. */
#include <string.h>

#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/execution.h"

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
