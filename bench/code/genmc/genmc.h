/* What tests of GenMC ask of its interpreter, for bench/code/run. */
#ifndef BENCH_CODE_GENMC_H
#define BENCH_CODE_GENMC_H

#include <stdatomic.h>
#include <stdbool.h>

/* A thread that waits for ever if the condition does not hold. */
static inline void __VERIFIER_assume(int condition)
{
    static atomic_int never;
    while (!condition)
        (void)atomic_load_explicit(&never, memory_order_relaxed);
}

#define __VERIFIER_local_write(store)     store
#define __VERIFIER_final_write(store)     store
#define __VERIFIER_helped_CAS(update)     update
#define __VERIFIER_helping_CAS(update)    update
#define __VERIFIER_speculative_read(read) read
#define __VERIFIER_confirming_read(read)  read
#define __VERIFIER_confirming_CAS(update) update
#define __VERIFIER_loop_begin()           ((void)0)
#define __VERIFIER_spin_start()           ((void)0)
#define __VERIFIER_spin_end(condition)    __VERIFIER_assume(condition)

#endif
