#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>

#include "base/faults.h"
#include "base/team.h"

void parallel_for(unsigned threads, size_t count,
                  void (*work)(void *context, size_t i, unsigned worker), void *context)
{
    struct team *team = team_create(threads < count ? threads : (unsigned)count);
    team_for(team, count, work, context);
    team_destroy(team);
}

unsigned parallel_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    int cores = CPU_COUNT(&set);
    return cores < 1 ? 1 : (unsigned)cores;
}

#define LOOKS_BEFORE_SLEEP SIZE_OR_SMALL(200, 1)
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
