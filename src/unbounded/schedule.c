/* Turns a run of a thread net into moves of numbered threads, by giving each token to a thread. A
 * transition is the move of some thread that stands where it takes from; which one does not matter,
 * for tokens in one place are alike. An idle thread is taken before a new one is made, so that few
 * threads are needed. */
#include "unbounded/thread_net.h"

#include <assert.h>

struct telling {
    const struct thread_net *net;
    struct schedule *schedule;
    VECTOR(uint32_t) at; /* by thread: local state of the net; NET_NONE: there is none yet */
};

void schedule_init(struct schedule *schedule, struct budget *budget)
{
    *schedule = (struct schedule){0};
    vector_init(&schedule->steps, budget);
}

void schedule_release(struct schedule *schedule)
{
    vector_release(&schedule->steps);
}

static bool is_number_of_one(const struct thread_system *system, uint32_t thread)
{
    for (size_t i = 0; i < system->kinds.length; i++)
        if (system->kinds.items[i].only == (int32_t)thread)
            return true;
    return false;
}

/* The threads of which there is one begin idle, each in its own local state. */
static bool begin(struct telling *telling)
{
    const struct thread_system *system = telling->net->design.system;
    for (size_t i = 1; i < system->kinds.length; i++) {
        uint32_t thread = (uint32_t)system->kinds.items[i].only;
        while (telling->at.length <= thread)
            if (!vector_push(&telling->at, NET_NONE))
                return false;
        telling->at.items[thread] = (uint32_t)i;
    }
    return true;
}

/* A thread that stands there; NET_NONE when refused. */
static uint32_t find_thread(struct telling *telling, uint32_t local)
{
    const struct thread_system *system = telling->net->design.system;
    uint32_t thread = 0;
    while (thread < telling->at.length && telling->at.items[thread] != local)
        thread++;
    if (thread < telling->at.length)
        return thread;
    for (thread = 0; thread < telling->at.length; thread++)
        if (telling->at.items[thread] == NET_NONE && !is_number_of_one(system, thread))
            return thread;
    return vector_push(&telling->at, local) ? thread : NET_NONE;
}

static bool tell(struct telling *telling, const struct run *run)
{
    const struct thread_net *net = telling->net;
    struct schedule *schedule = telling->schedule;
    schedule->shared = net->design.system->initial.items[0];
    for (size_t i = 0; i < run->transitions.length; i++) {
        const struct thread_net_step *step = &net->steps.items[run->transitions.items[i]];
        if (step->from == NET_NONE)
            schedule->shared = thread_net_shared(net, step->control);
        if (!step->move)
            continue;
        uint32_t thread = find_thread(telling, step->from);
        if (thread == NET_NONE ||
            !vector_push(&schedule->steps, ((struct schedule_step){thread, step->move})))
            return false;
        assert(telling->at.items[thread] == step->from || telling->at.items[thread] == NET_NONE);
        telling->at.items[thread] = step->to;
    }
    schedule->threads = (uint32_t)telling->at.length;
    return true;
}

bool thread_net_schedule(const struct thread_net *net, const struct run *run,
                         struct schedule *schedule)
{
    struct telling telling = {.net = net, .schedule = schedule};
    vector_init(&telling.at, net->budget);
    bool good = begin(&telling) && tell(&telling, run);
    vector_release(&telling.at);
    return good;
}
