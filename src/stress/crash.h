/* Where the code under test was when a signal ended its process. */
#ifndef STRESS_CRASH_H
#define STRESS_CRASH_H

/* From here on a process that a crash ends writes before, to EXCHANGE_ANSWERS, "crash 0 BYTES" and
 * so many bytes: a line for each frame of the thread, innermost first, the address behind the
 * instruction that it was at. It then ends as it would have. Signals that somebody handles already
 * (a sanitizer) are left to them. */
void crash_tell(void);

/* Gives the calling thread a stack for that, where its own is at its end: of CRASH_STACK bytes,
 * which live as long as the thread. */
void crash_use_stack(char *stack);

enum {
    CRASH_STACK = 1 << 16
};

#endif
