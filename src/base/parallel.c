#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"

struct crew {
    void (*work)(void *context, size_t i, unsigned worker);
    void *context;
    size_t count;
    atomic_size_t next;
};

struct member {
    struct crew *crew;
    unsigned worker;
    pthread_t thread;
};

static void *member_run(void *argument)
{
    struct member *member = argument;
    struct crew *crew = member->crew;
    for (;;) {
        size_t i = atomic_fetch_add(&crew->next, 1);
        if (i >= crew->count)
            return NULL;
        crew->work(crew->context, i, member->worker);
    }
}

void parallel_for(unsigned threads, size_t count,
                  void (*work)(void *context, size_t i, unsigned worker), void *context)
{
    if (threads > count)
        threads = (unsigned)count;
    if (threads == 0)
        threads = 1;
    struct crew crew = {.work = work, .context = context, .count = count};
    struct member *members = memory_small(threads * sizeof *members);
    unsigned started = 1;
    members[0] = (struct member){.crew = &crew};
    while (started < threads) {
        members[started] = (struct member){.crew = &crew, .worker = started};
        if (pthread_create(&members[started].thread, NULL, member_run, &members[started]))
            break;
        started++;
    }
    member_run(&members[0]);
    while (started-- > 1)
        pthread_join(members[started].thread, NULL);
    free(members);
}

unsigned parallel_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    int cores = CPU_COUNT(&set);
    return cores < 1 ? 1 : (unsigned)cores;
}

#define LOOKS_BEFORE_SLEEP 200
#define PAUSES_A_LOOK      16

static void pause_briefly(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

void lock_briefly(pthread_mutex_t *mutex)
{
    for (unsigned i = 0; i < LOOKS_BEFORE_SLEEP; i++) {
        if (pthread_mutex_trylock(mutex) == 0)
            return;
        for (unsigned j = 0; j < PAUSES_A_LOOK; j++)
            pause_briefly();
    }
    pthread_mutex_lock(mutex);
}
