#include "support/product_kinds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/vector.h"
#include "spec/cas_register.h"
#include "spec/counter.h"
#include "spec/map.h"
#include "spec/mutex.h"
#include "spec/priority_queue.h"
#include "spec/queue.h"
#include "spec/register.h"
#include "spec/semaphore.h"
#include "spec/set.h"
#include "spec/stack.h"

static const struct product_kind kinds[] = {
    {.name = "register",
     .object = OBJECT_REGISTER,
     .count = 2,
     .calls = {{OBJECT_READ, true, REGISTER_READ, false},
               {OBJECT_WRITE, false, REGISTER_WRITE, false}}},
    {.name = "cas-register",
     .object = OBJECT_REGISTER,
     .with_cas = true,
     .count = 3,
     .calls = {{OBJECT_READ, true, CAS_REGISTER_READ, false},
               {OBJECT_WRITE, false, CAS_REGISTER_WRITE, false},
               {OBJECT_CAS, true, CAS_REGISTER_CAS, false}}},
    {.name = "map of one key",
     .object = OBJECT_REGISTER,
     .deletes = true,
     .count = 3,
     .calls = {{OBJECT_READ, true, MAP_GET, false},
               {OBJECT_WRITE, false, MAP_PUT, false},
               {OBJECT_WRITE, false, MAP_DELETE, true}}},
    {.name = "queue",
     .object = OBJECT_QUEUE,
     .count = 2,
     .calls = {{OBJECT_ADD, false, QUEUE_ENQUEUE, false},
               {OBJECT_TAKE, true, QUEUE_DEQUEUE, false}}},
    {.name = "stack",
     .object = OBJECT_STACK,
     .count = 2,
     .calls = {{OBJECT_ADD, false, STACK_PUSH, false}, {OBJECT_TAKE, true, STACK_POP, false}}},
    {.name = "priority-queue",
     .object = OBJECT_PRIORITY,
     .count = 2,
     .calls = {{OBJECT_ADD, false, PRIORITY_QUEUE_INSERT, false},
               {OBJECT_TAKE, true, PRIORITY_QUEUE_DELETE_MIN, false}}},
    {.name = "set of one key",
     .object = OBJECT_BIT,
     .count = 3,
     .calls = {{OBJECT_ADD, true, SET_ADD, false},
               {OBJECT_TAKE, true, SET_REMOVE, false},
               {OBJECT_READ, true, SET_CONTAINS, false}}},
    {.name = "mutex with try-acquire",
     .object = OBJECT_PERMITS,
     .permits = 1,
     .count = 3,
     .calls = {{OBJECT_ADD, false, MUTEX_ACQUIRE, false},
               {OBJECT_TAKE, false, MUTEX_RELEASE, false},
               {OBJECT_TRY, true, MUTEX_TRY_ACQUIRE, false}}},
    {.name = "semaphore",
     .object = OBJECT_PERMITS,
     .permits = 2,
     .count = 2,
     .calls = {{OBJECT_ADD, false, SEMAPHORE_ACQUIRE, false},
               {OBJECT_TAKE, false, SEMAPHORE_RELEASE, false}}},
    {.name = "counter",
     .object = OBJECT_COUNTER,
     .count = 2,
     .calls = {{OBJECT_ADD, false, COUNTER_INC, false}, {OBJECT_READ, true, COUNTER_READ, false}}},
};

const struct product_kind *product_kind_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    fail_msg("there is no %s", name);
    return NULL;
}
