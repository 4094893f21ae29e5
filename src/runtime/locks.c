#include "runtime/locks.h"

#include "runtime/retry.h"
#include "runtime/sections.h"

bool lock_take(const volatile void *word, unsigned size, bool waits, const char *frame,
               const void *at)
{
    return execution_read(&(struct exploration_access){.address = (const void *)word,
                                                       .size = size,
                                                       .operation = OPERATION_COMPARE_EXCHANGE,
                                                       .order = ORDER_ACQUIRE,
                                                       .failure_order = ORDER_RELAXED,
                                                       .is_lock = waits,
                                                       .call = waits ? CALL_LOCK : CALL_TRY_LOCK,
                                                       .operand = execution_thread() + 1,
                                                       .at = at},
                          frame) == 0;
}

void lock_give_back(const volatile void *word, unsigned size, const void *at)
{
    execution_write(&(struct exploration_access){.address = (const void *)word,
                                                 .size = size,
                                                 .order = ORDER_RELEASE,
                                                 .call = CALL_UNLOCK,
                                                 .at = at});
}

void lock_come(const void *lock, unsigned count, const char *frame, const void *at)
{
    if (execution_phase() != PHASE_THREADS || execution.tries)
        return;
    execution_settle();
    sections_come(&(struct spin_call){.of = lock, .first = count}, frame, at);
}

uint64_t lock_update(const volatile void *word, enum memory_operation operation, uint64_t operand,
                     enum memory_order_c11 order, enum event_call call, const void *at)
{
    return (uint64_t)execution_read(&(struct exploration_access){.address = (const void *)word,
                                                                 .size = sizeof(unsigned),
                                                                 .operation = operation,
                                                                 .order = order,
                                                                 .call = call,
                                                                 .operand = operand,
                                                                 .at = at},
                                    NULL);
}

unsigned lock_add_unless(const volatile void *word, unsigned operand, unsigned unless,
                         enum memory_order_c11 order, bool waits, enum event_call call,
                         const void *at)
{
    return (unsigned)execution_read(&(struct exploration_access){.address = (const void *)word,
                                                                 .size = sizeof(unsigned),
                                                                 .operation = OPERATION_ADD_UNLESS,
                                                                 .order = order,
                                                                 .failure_order = ORDER_RELAXED,
                                                                 .is_lock = waits,
                                                                 .call = call,
                                                                 .operand = operand,
                                                                 .expected = unless,
                                                                 .at = at},
                                    NULL);
}

unsigned lock_await(const volatile void *word, unsigned least, enum memory_order_c11 order,
                    bool waits, enum event_call call, const void *at)
{
    return (unsigned)execution_read(&(struct exploration_access){.address = (const void *)word,
                                                                 .size = sizeof(unsigned),
                                                                 .operation = OPERATION_AWAIT,
                                                                 .order = order,
                                                                 .failure_order = ORDER_RELAXED,
                                                                 .is_lock = waits,
                                                                 .call = call,
                                                                 .expected = least,
                                                                 .at = at},
                                    NULL);
}
