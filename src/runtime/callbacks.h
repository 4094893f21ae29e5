/* What a callback knows of who called it. */
#ifndef RUNTIME_CALLBACKS_H
#define RUNTIME_CALLBACKS_H

#include <stdint.h>

/* Where the program goes on. */
#define CALLER __builtin_return_address(0)

/* The five callee-saved registers that a function which calls __builtin_unwind_init saves right
 * below its frame pointer; above them lie the caller's, the return address, and the whole stack of
 * the thread. To be used in the callback itself. */
enum {
    SAVED_WORDS = 5
};

#define LOCAL_STATE                                                                                \
    (__builtin_unwind_init(),                                                                      \
     (const char *)__builtin_frame_address(0) - SAVED_WORDS * sizeof(uint64_t))

#endif
