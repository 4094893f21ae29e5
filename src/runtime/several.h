/* std::lock and std::scoped_lock of several mutexes (runtime/instrumented.h has what calls these).
 *
 * The library takes one of them, tries the others, and begins anew where a try fails. A failed try
 * is only waiting, which nobody notices: so a thread takes them all at a time at which all are
 * free. It looks at all but the first whether they are (and waits at one that is not, holding none
 * of them), and then takes them in the order in which they are given. An execution in which another
 * thread had one of them in between is none: there the thread stops, as if the program said
 * `assume`. docs/internals/execution_graphs.md has the argument.
 *
 * Somebody notices who tries one of these mutexes without waiting for it: then the exploration
 * begins anew, with what the library does (sections_are_unsound). */
#ifndef RUNTIME_SEVERAL_H
#define RUNTIME_SEVERAL_H

#include "runtime/threads.h"

/* Whether mutexes are taken so, from now on. */
void several_enable(bool enabled);

/* Whether the current thread, which has just made a read of a lock, is one that goes on. */
bool several_goes_on(const struct thread *thread, const struct execution_event *read,
                     const void *lock);

#endif
