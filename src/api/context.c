/* Contexts: the budget, the interrupt, the log and the values of all that is made in one. */
#include <linchpin/base.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/require.h"
#include "value/value.h"

_Static_assert((int)LP_INTERNAL == (int)STATUS_INTERNAL, "lp_status is enum status");
_Static_assert((int)LP_LOG_STEPS == (int)LOG_STEPS, "lp_log_level is enum log_level");
_Static_assert((int)LP_LIMIT_DEPTH == (int)LIMIT_DEPTH, "lp_limit is enum limit");

lp_status report_status(enum status status, const struct error *from, lp_error *to)
{
    if (status == STATUS_OK || !to)
        return (lp_status)status;
    *to = (lp_error){.line = from->line, .column = from->column};
    snprintf(to->file, sizeof to->file, "%s", from->file);
    snprintf(to->message, sizeof to->message, "%s", from->message);
    return (lp_status)status;
}

lp_context *lp_context_create(size_t memory_limit)
{
    lp_context *context = calloc(1, sizeof *context);
    if (!context)
        return NULL;
    budget_init(&context->budget, NULL, 0);
    atomic_init(&context->interrupt, false);
    context->pool = value_pool_create(&context->budget);
    if (!context->pool) {
        free(context);
        return NULL;
    }
    /* Only now: a limit smaller than the empty pool makes a context in which little succeeds. */
    context->budget.limit = memory_limit;
    context->magic = CONTEXT_MAGIC;
    return context;
}

void lp_context_destroy(lp_context *context)
{
    if (!context)
        return;
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    context->magic = 0;
    value_pool_destroy(context->pool);
    free(context);
}

void lp_context_interrupt(lp_context *context)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    atomic_store(&context->interrupt, true);
}

void lp_context_resume(lp_context *context)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    atomic_store(&context->interrupt, false);
}

void lp_context_log(lp_context *context, lp_log_level level,
                    void (*line)(void *user, const char *line), void *user)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE(level >= LP_LOG_NOTHING && level <= LP_LOG_STEPS, "no such level");
    REQUIRE(line || level == LP_LOG_NOTHING, "line is null");
    context->log = (struct log){.level = (enum log_level)level, .line = line, .user = user};
}

size_t lp_context_memory(const lp_context *context)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    return atomic_load(&context->budget.used);
}

size_t lp_context_memory_peak(const lp_context *context)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    return atomic_load(&context->budget.peak);
}

const char *lp_version(void)
{
    return LP_VERSION;
}

void limits_for(struct limits *limits, lp_context *context, struct budget *budget, double timeout)
{
    limits_init(limits, budget);
    limits->interrupt = &context->interrupt;
    limits->log = context->log.level != LOG_NOTHING ? &context->log : NULL;
    double nanoseconds = timeout * 1e9;
    if (timeout > 0 && nanoseconds < 9e18) /* longer ones (292 years) are none */
        limits->deadline = clock_nanoseconds() + (uint64_t)nanoseconds;
}

unsigned threads_for(unsigned jobs)
{
    return jobs > 0 ? jobs : parallel_cores();
}
