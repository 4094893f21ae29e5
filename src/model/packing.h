/* States as bits, where each slot is a byte: eight slots at a time, of which a processor gathers
 * the bits that a layout of states has room for (space/state_groups.h). It is said once: the
 * program reads it, and so does, as text, what is compiled while it runs (implementation/native.h).
 *
 *     slots 0 to 7, a byte each  ->  differences from their bases  ->  their bits, in a row
 *
 * The last group has the last eight slots; of those before it has no bits. */
#ifndef MODEL_PACKING_H
#define MODEL_PACKING_H

#include <stdbool.h>
#include <stdint.h>

#define PACKING_GROUP 8 /* slots */

#define PACKING_TYPES(FORM)                                                                        \
    FORM(                                                                                          \
        struct packed_group {                                                                      \
            uint64_t mask;   /* the bits of differences */                                         \
            uint64_t bases;  /* a byte each */                                                     \
            uint64_t beyond; /* bits of differences that must be 0: other groups' slots have none  \
                              */                                                                   \
            uint32_t word;   /* where its bits begin, */                                           \
            uint8_t shift;   /* at which bit; */                                                   \
            uint8_t fills;   /* whether the word is full with them, */                             \
            uint8_t crosses; /* and whether some are in the next */                                \
        }; /* The hash of slots that are bytes: of the bytes of each group in turn. */             \
        static inline uint64_t packing_hash_begin(uint32_t slots) {                                \
            return slots * UINT64_C(0x9e3779b97f4a7c15);                                           \
        } __extension__ typedef unsigned __int128 packing_product;                                 \
        static inline uint64_t packing_hash_add(uint64_t hash, uint64_t bytes) {                   \
            const packing_product product =                                                        \
                (packing_product)(hash ^ bytes) * UINT64_C(0x9fb21c651e98df25);                    \
            return (uint64_t)product ^ (uint64_t)(product >> 64);                                  \
        } static inline uint64_t packing_hash_end(uint64_t hash) {                                 \
            return packing_hash_add(hash, UINT64_C(0x2545f4914f6cdd1d));                           \
        })

#define PACKING_DECLARE(...) __VA_ARGS__
#define PACKING_TEXT(...)    #__VA_ARGS__

PACKING_TYPES(PACKING_DECLARE)

/* Of states of so many slots. */
struct packing {
    uint32_t slots, words, count; /* of groups */
    const struct packed_group *groups;
};

#endif
