/* Which monitor decides which specification. */
#include "monitor/monitors.h"
#include "spec/cas_register.h"
#include "spec/counter.h"
#include "spec/grow_set.h"
#include "spec/map.h"
#include "spec/mutex.h"
#include "spec/priority_queue.h"
#include "spec/queue.h"
#include "spec/register.h"
#include "spec/rule_set_spec.h"
#include "spec/semaphore.h"
#include "spec/set.h"
#include "spec/stack.h"
#include "spec/unordered_queue.h"

static const struct {
    const struct spec_class *class;
    const struct monitor *monitor;
} table[] = {
    {&register_class, &register_monitor},
    {&cas_register_class, &register_monitor},
    {&map_class, &register_monitor},
    {&queue_class, &queue_monitor},
    {&stack_class, &stack_monitor},
    {&set_class, &bit_monitor},
    {&mutex_class, &bit_monitor},
    {&semaphore_class, &bit_monitor},
    {&counter_class, &counter_monitor},
    {&grow_set_class, &grow_set_monitor},
    {&unordered_queue_class, &unordered_queue_monitor},
    {&priority_queue_class, &priority_queue_monitor},
};

const struct monitor *monitor_find(const struct spec_class *class)
{
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++)
        if (table[i].class == class)
            return table[i].monitor;
    return rule_set_is_class(class) ? &rules_monitor : NULL;
}
