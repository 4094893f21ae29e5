/* The words that code computes with, and the slots of 32 bits that states keep them in.
 *
 * A datum is a value (value/value.h), whose lowest three bits say what it is. Two kinds of words
 * live only while code runs, and no value has their bits:
 *
 *     ...011  the address of a collection in scratch memory (lin/collections.h)
 *     ...100  the identity of an object (code/objects.h), in the upper bits
 *
 * So integers, booleans and null are the same words whichever language the code was compiled from.
 * A slot is an integer or a boolean in 32 bits. Booleans take the two lowest codes, so an integer
 * that small is a run-time error rather than a wrong state. Objects have slots of their own (the
 * variable's declaration says so) that hold the object's identity.
 *
 * An array that CSP# passes on as a whole is an object that is marked so while it is a datum; in a
 * message it is its elements' slots between SLOT_OPEN and SLOT_CLOSE. */
#ifndef CODE_WORD_H
#define CODE_WORD_H

#include <assert.h>

#include "value/value.h"

typedef value datum;

#define DATUM_TAG_BITS    7
#define DATUM_OBJECT_TAG  4
#define DATUM_SCRATCH_TAG 3

enum datum_tag {
    DATUM_INTEGER,
    DATUM_BOOLEAN,
    DATUM_OBJECT,
};

static inline datum datum_integer(int32_t integer)
{
    return value_small(integer);
}

static inline datum datum_boolean(bool boolean)
{
    return value_boolean(boolean);
}

static inline datum datum_object(uint32_t identity)
{
    return (uint64_t)identity << 3 | DATUM_OBJECT_TAG;
}

#define ARRAY_BIT UINT32_C(0x40000000)

static inline datum datum_array(uint32_t identity)
{
    assert(identity < ARRAY_BIT);
    return datum_object(identity | ARRAY_BIT);
}

/* Of a word that is one of the three. */
static inline enum datum_tag datum_tag_of(datum d)
{
    return value_is_small(d)                          ? DATUM_INTEGER
           : (d & DATUM_TAG_BITS) == DATUM_OBJECT_TAG ? DATUM_OBJECT
                                                      : DATUM_BOOLEAN;
}

static inline bool datum_is_boolean(datum d)
{
    return d == VALUE_FALSE || d == VALUE_TRUE;
}

/* Whether it is an integer of 32 bits, the only ones that code calculates with. */
static inline bool datum_is_integer(datum d)
{
    return value_is_small(d) && value_small_get(d) == (int32_t)value_small_get(d);
}

/* The number of an integer, 0 or 1 of a boolean, an object's identity. */
static inline int32_t datum_bits(datum d)
{
    _Static_assert(VALUE_FALSE >> 4 == 0 && VALUE_TRUE >> 4 == 1, "booleans are 0 and 1 there");
    return (int32_t)(uint32_t)(datum_is_boolean(d) ? d >> 4 : d >> 3);
}

/* Whether it is an array, and the identity of the object that has its elements. */
static inline bool datum_is_array(datum d)
{
    return datum_tag_of(d) == DATUM_OBJECT && ((uint32_t)datum_bits(d) & ARRAY_BIT);
}

static inline uint32_t datum_elements(datum d)
{
    return (uint32_t)datum_bits(d) & ~ARRAY_BIT;
}

#define SLOT_FALSE       ((uint32_t)INT32_MIN)
#define SLOT_TRUE        ((uint32_t)INT32_MIN + 1)
#define SLOT_OPEN        ((uint32_t)INT32_MIN + 2) /* in messages only */
#define SLOT_CLOSE       ((uint32_t)INT32_MIN + 3)
#define INTEGER_SMALLEST (INT32_MIN + 4)

/* An integer or boolean slot as a datum, and back; the integer must be >= INTEGER_SMALLEST. */
static inline datum datum_from_slot(uint32_t slot)
{
    if (UNLIKELY((int32_t)slot < INTEGER_SMALLEST))
        return datum_boolean(slot == SLOT_TRUE);
    return datum_integer((int32_t)slot);
}

static inline uint32_t datum_to_slot(datum d)
{
    if (datum_is_boolean(d))
        return d == VALUE_TRUE ? SLOT_TRUE : SLOT_FALSE;
    return (uint32_t)datum_bits(d);
}

#endif
