/* Which monitor decides what. */
#include "stream/online.h"

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

struct online *online_create(const struct spec *spec, value key, bool has_key,
                             struct limits *limits, enum online_drops drops)
{
    const struct spec_class *class = spec->class;
    struct online *online = NULL;
    if (class == &queue_class && !spec->has_initial)
        online = online_queue_create(spec, limits->budget);
    else if (class == &priority_queue_class && !spec->has_initial)
        online = online_priority_create(spec, limits);
    else if (class == &stack_class && !spec->has_initial)
        online = online_stack_create(spec, limits);
    else if (class == &register_class || class == &cas_register_class ||
             (class == &map_class && has_key))
        online = online_register_create(spec, key, has_key, limits);
    else if (class == &counter_class || (class == &set_class && has_key) ||
             (class == &mutex_class && !spec->owned) || class == &semaphore_class)
        online = online_counting_create(spec, key, limits);
    if (online)
        online->drops = drops;
    return online;
}

void online_destroy(struct online *online)
{
    if (online)
        online->class->destroy(online);
}
