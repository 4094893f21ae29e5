/* Threads that stay, for work that comes again and again and is too short to start threads for. */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

#include <stddef.h>

struct team;

/* Of so many threads, the caller's among them; fewer where the system gives no more. */
struct team *team_create(unsigned threads);
void team_destroy(struct team *team); /* null: nothing */

/* Calls work(context, i, worker) once for every i in 0 .. count-1, as parallel_for does. One call
 * at a time. With null the caller does it all, in order. */
void team_for(struct team *team, size_t count,
              void (*work)(void *context, size_t i, unsigned worker), void *context);

#endif
