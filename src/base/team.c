/* The caller begins at once, and is not held up by who wakes late: the work is closed when nothing
 * of it is left to begin, and only those who are in it then are waited for. */
#include "base/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

struct team_member {
    struct team *team;
    pthread_t thread;
    unsigned worker;
};

struct team {
    void (*work)(void *context, size_t i, unsigned worker);
    void *context;
    size_t count;
    atomic_size_t next;
    unsigned long round; /* of work */
    bool open;           /* there is some to begin */
    bool ending;
    unsigned inside; /* members that are in it */
    pthread_mutex_t lock;
    pthread_cond_t opened, left;
    unsigned members; /* beside the caller */
    struct team_member member[];
};

static void work_on(struct team *team, unsigned worker)
{
    for (;;) {
        size_t i = atomic_fetch_add(&team->next, 1);
        if (i >= team->count)
            return;
        team->work(team->context, i, worker);
    }
}

static void *member_run(void *argument)
{
    const struct team_member *member = argument;
    struct team *team = member->team;
    unsigned long seen = 0;
    pthread_mutex_lock(&team->lock);
    for (;;) {
        while (!team->ending && (!team->open || team->round == seen))
            pthread_cond_wait(&team->opened, &team->lock);
        if (team->ending)
            break;
        seen = team->round;
        team->inside++;
        pthread_mutex_unlock(&team->lock);
        work_on(team, member->worker);
        pthread_mutex_lock(&team->lock);
        if (--team->inside == 0)
            pthread_cond_signal(&team->left);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

struct team *team_create(unsigned threads)
{
    unsigned most = threads > 1 ? threads - 1 : 0;
    struct team *team = memory_small(sizeof *team + most * sizeof *team->member);
    *team = (struct team){0};
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->opened, NULL);
    pthread_cond_init(&team->left, NULL);
    while (team->members < most) {
        struct team_member *member = &team->member[team->members];
        *member = (struct team_member){.team = team, .worker = team->members + 1};
        if (pthread_create(&member->thread, NULL, member_run, member))
            break;
        team->members++;
    }
    return team;
}

void team_destroy(struct team *team)
{
    if (!team)
        return;
    pthread_mutex_lock(&team->lock);
    team->ending = true;
    pthread_cond_broadcast(&team->opened);
    pthread_mutex_unlock(&team->lock);
    while (team->members > 0)
        pthread_join(team->member[--team->members].thread, NULL);
    pthread_cond_destroy(&team->left);
    pthread_cond_destroy(&team->opened);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

void team_for(struct team *team, size_t count,
              void (*work)(void *context, size_t i, unsigned worker), void *context)
{
    if (!team) {
        for (size_t i = 0; i < count; i++)
            work(context, i, 0);
        return;
    }
    pthread_mutex_lock(&team->lock);
    team->work = work;
    team->context = context;
    team->count = count;
    atomic_store(&team->next, 0);
    team->round++;
    team->open = true;
    pthread_cond_broadcast(&team->opened);
    pthread_mutex_unlock(&team->lock);
    work_on(team, 0);
    pthread_mutex_lock(&team->lock);
    team->open = false;
    while (team->inside > 0)
        pthread_cond_wait(&team->left, &team->lock);
    pthread_mutex_unlock(&team->lock);
}
