/* Local variables that no instruction needs at the same time stand in the same words: a thread's
 * part of the state is as large as what it needs at most at once, not as all that its operations
 * declare, the functions put into them included. */
#ifndef IMPLEMENTATION_STEP_SHARE_H
#define IMPLEMENTATION_STEP_SHARE_H

#include "implementation/step_compiler.h"

/* Once the code of all operations is there, and before anything is found out about it. Gives the
 * locals of each operation their places anew, in the code and in steps->entries; sets
 * steps->locals, of which there are at least `least`; and keeps in steps->named_live what was live
 * before. STATUS_LIMIT. */
enum status lin_step_share_locals(struct lin_step_compiler *compiler, uint32_t least) MUST_CHECK;

#endif
