/* What the program and a compiled implementation (implementation/native.h) know of one another. It
 * is said once: the compiler of the program reads it, and so does, as text, that of the steps. */
#ifndef IMPLEMENTATION_NATIVE_ABI_H
#define IMPLEMENTATION_NATIVE_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "model/packing.h"

/* How a run of compiled code ends, besides numbers of enum ran. */
#define LIN_NATIVE_ASKS 0 /* the interpreter is to run it, from where it began */

/* Keys of what steps are labelled by: 0 within an operation; then calls, by call in the order of
 * all, and thread; then answers, by ANSWER in the order of the code, thread, and word. */
#define LIN_KEY_STEP   0
#define LIN_KEY_CALLS  1
#define LIN_KEY_ANSWER 256 /* words of one, if there are any */
/* Beside them: there is no step; it was left out before its call and answer were put together. */
#define LIN_KEY_NO_STEP  (UINT32_C(1) << 31)
#define LIN_KEY_IN_PARTS (UINT32_C(1) << 30)

/* Nodes are numbered in one row, pool by pool; a set of them has a bit for each. */
#define LIN_NATIVE_MOST_NODES 64

#define LIN_NATIVE_TYPES(FORM)                                                                     \
    FORM(                                                                                          \
        struct lin_native_run {                                                                    \
            uint32_t *slots;         /* of the state, which is changed */                          \
            uint32_t thread;         /* that runs */                                               \
            uint32_t at;             /* the first instruction; then the one that ended it */       \
            uint64_t touched;        /* nodes that references were followed to, as lin_worker's */ \
            uint32_t touches_shared; /* likewise */                                                \
            uint32_t reads_write_once; /* likewise */                                              \
            uint32_t exhausted;        /* likewise */                                              \
            uint64_t wrong;            /* likewise; added to */                                    \
            int32_t value;             /* of a condition, which begins there */                    \
            void *host;                                                                            \
            uint32_t (*choose)(void *host, uint32_t count, uint32_t is_counted);                   \
            /* Has the interpreter's host execute the instruction `at`, which pops the words and   \
               leaves its own there. 0: the run cannot go on. */                                   \
            int32_t (*execute)(void *host, uint32_t at, int32_t *words);                           \
        }; /* Everything that is one step: several runs. */                                        \
        struct lin_native_joined {                                                                 \
            struct lin_native_run run;                                                             \
            const uint32_t *before; /* as the slots are to be at first */                          \
            const uint32_t *stood;  /* as lin_worker's, while it runs */                           \
            uint32_t stood_at;                                                                     \
            uint32_t is_call;      /* it begins with a call */                                     \
            uint32_t is_pure;      /* as lin_worker's, after it */                                 \
            uint32_t is_unnoticed; /* likewise */                                                  \
            size_t *made, *chosen; /* choices: by the run, and kept for the next */                \
        }; /* What a step is labelled by where steps are joined, and states arranged. */           \
        struct lin_native_event {                                                                  \
            uint64_t keys; /* of the call, or LIN_KEY_STEP, with what may be said besides; in the  \
                              upper half of the answer, or LIN_KEY_STEP */                         \
            uint64_t by;   /* permutations of threads and, in the upper half, of values */         \
        };                 /* All steps of a state whose slots are bytes (model/packing.h). */     \
        struct lin_native_expansion {                                                              \
            const uint64_t *state;                                                                 \
            const struct packed_group *from, *to;                                                  \
            uint64_t *words;                 /* of the states that they lead to, */                \
            uint32_t most;                   /* so many of each */                                 \
            uint64_t *hashes;                /* or null: they are not asked for */                 \
            uint32_t *keys;                  /* where steps are as the code has them; else */      \
            struct lin_native_event *events; /* these */                                           \
            uint32_t count, asked;           /* states, keys or events */                          \
            uint32_t renumbered, pure, stale, decided; /* as of struct successors */               \
            uint32_t exhausted;                        /* as lin_worker's */                       \
            uint32_t condition; /* the instruction at which it begins; UINT32_MAX: none */         \
            int32_t holds;      /* it does, in the state itself */                                 \
        };                                                                                         \
        struct lin_native_functions {                                                              \
            uint32_t slots; /* of a state, to be sure */                                           \
            int32_t (*run)(struct lin_native_run * run);                                           \
            int32_t (*joined)(struct lin_native_joined * joined); /* or null */                    \
            void (*forget)(uint32_t * own);                                                        \
            int32_t (*is_local)(const uint32_t *slots, uint32_t thread, uint64_t touched);         \
            void (*number)(uint32_t * slots);                                                      \
            void (*arrange)(uint32_t * slots, uint32_t * by);                                      \
            void (*forget_fields)(uint32_t * slots);                                               \
            int32_t (*is_stale)(const uint32_t *slots);                                            \
            int32_t (*is_decided)(const uint32_t *slots, uint32_t thread);                         \
            int32_t (*expand)(struct lin_native_expansion * x); /* or null; 0: it asks */          \
        };)

#define LIN_NATIVE_DECLARE(...) __VA_ARGS__
#define LIN_NATIVE_TEXT(...)    #__VA_ARGS__

LIN_NATIVE_TYPES(LIN_NATIVE_DECLARE)

#endif
