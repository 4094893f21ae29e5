/* Expressions and programs of a model, compiled: a stack machine over the slots of a valuation.
 *
 * A datum is an integer of 32 bits, a boolean, or an object of a built-in collection type; a slot
 * is a datum in 32 bits. Booleans take the two lowest codes, so an integer that small is a run-time
 * error rather than a wrong state. Objects have slots of their own (the variable's declaration
 * says so) that hold the object's identity in an object_pool.
 *
 * Code blocks are interned by content: equal code has equal identity, which is what makes terms
 * that contain code comparable by number. Threads share codes; what is there is found and read
 * without a lock. */
#ifndef CODE_BYTECODE_H
#define CODE_BYTECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "code/objects.h"
#include "lang/script.h"

/* ---- data ---- */

typedef int64_t datum;

enum datum_tag {
    DATUM_INTEGER,
    DATUM_BOOLEAN,
    DATUM_OBJECT,
};

static inline datum datum_make(enum datum_tag tag, int32_t bits)
{
    return (int64_t)((uint64_t)tag << 32 | (uint32_t)bits);
}

static inline datum datum_integer(int32_t integer)
{
    return datum_make(DATUM_INTEGER, integer);
}

static inline datum datum_boolean(bool boolean)
{
    return datum_make(DATUM_BOOLEAN, boolean);
}

static inline enum datum_tag datum_tag_of(datum d)
{
    return (enum datum_tag)((uint64_t)d >> 32);
}

static inline int32_t datum_bits(datum d)
{
    return (int32_t)(uint32_t)(uint64_t)d;
}

#define SLOT_FALSE       ((uint32_t)INT32_MIN)
#define SLOT_TRUE        ((uint32_t)INT32_MIN + 1)
#define INTEGER_SMALLEST (INT32_MIN + 2)

/* An integer or boolean slot as a datum, and back; the integer must be >= INTEGER_SMALLEST. */
static inline datum datum_from_slot(uint32_t slot)
{
    if (slot == SLOT_FALSE || slot == SLOT_TRUE)
        return datum_boolean(slot == SLOT_TRUE);
    return datum_integer((int32_t)slot);
}

static inline uint32_t datum_to_slot(datum d)
{
    if (datum_tag_of(d) == DATUM_BOOLEAN)
        return datum_bits(d) ? SLOT_TRUE : SLOT_FALSE;
    return (uint32_t)datum_bits(d);
}

/* ---- code ---- */

enum opcode {
    OP_PUSH,          /* operand: bits; small: tag */
    OP_LOAD,          /* operand: slot */
    OP_LOAD_OBJECT,   /* operand: slot */
    OP_LOAD_INDEXED,  /* operand: first slot; wide: length; pops the index */
    OP_LOAD_CONSTANT, /* operand: of the machine's constants */
    OP_LOAD_CONSTANT_INDEXED,
    OP_NOTE_CROSSING, /* operand: size of a dimension; the top is a subscript of it */
    OP_LOAD_LOCAL,    /* operand: local */
    OP_LOAD_LOCAL_INDEXED,
    OP_STORE, /* operand: slot; small: range; leaves the value */
    OP_STORE_OBJECT,
    OP_STORE_INDEXED, /* operand: first slot; wide: length; pops value, index; pushes the value */
    OP_STORE_LOCAL,
    OP_STORE_LOCAL_INDEXED,
    OP_POP,
    OP_NEGATE,
    OP_NOT,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_MODULO, /* never negative for a positive divisor */
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL, /* of any kind; a boolean never equals an integer */
    OP_NOT_EQUAL,
    OP_BIT_AND,
    OP_BIT_OR,
    OP_BIT_XOR,
    OP_XOR,
    OP_CHECK_BOOLEAN, /* the top must be a boolean */
    OP_JUMP,          /* operand: target */
    OP_JUMP_IF_FALSE, /* operand: target; pops */
    OP_JUMP_IF_TRUE,
    OP_METHOD,  /* operand: slot; small: method; wide: arguments; pops them, pushes result */
    OP_CHANNEL, /* operand: slot of the first channel; small: query; wide: array length, 0:
                   not an array; pops the index of an array */
};

struct instruction {
    uint8_t op; /* enum opcode */
    uint8_t small;
    uint16_t range; /* stores: index into the machine's ranges, 0: none */
    uint32_t wide;
    int32_t operand;
};

/* Identity of a code block; 0 is no code. */
typedef uint32_t code_id;

struct code {
    const struct instruction *instructions;
    const place *places; /* of the source, one an instruction */
    uint32_t length;
    uint32_t locals; /* slots of the frame */
};

struct codes;

struct codes *codes_create(struct budget *budget);
void codes_destroy(struct codes *codes);

/* Interns a block (copied); 0 when refused. Of equal blocks the first one's places are kept. */
code_id codes_intern(struct codes *codes, const struct code *code) MUST_CHECK;
const struct code *codes_get(const struct codes *codes, code_id id);

/* True, with the datum, if the code does nothing but push a constant. */
bool code_is_constant(const struct codes *codes, code_id id, datum *constant);

/* The code that pushes a constant; 0 when refused. */
code_id codes_constant(struct codes *codes, datum constant) MUST_CHECK;

/* Calls `visit` for every run of slots that the code may read (`write` false) or write. */
void code_accesses(const struct codes *codes, code_id id,
                   void (*visit)(void *context, uint32_t first, uint32_t count, bool write),
                   void *context);

/* ---- running ---- */

struct range_limit {
    int32_t low, high;
    const char *name; /* of the variable, for messages */
};

enum channel_query {
    CHANNEL_FULL,
    CHANNEL_EMPTY,
    CHANNEL_COUNT,
    CHANNEL_SIZE,
    CHANNEL_PEEK,
};

/* What code runs on. Owns nothing. */
struct machine {
    const struct codes *codes;
    struct object_pool *objects;
    const struct range_limit *ranges; /* index 0 unused */
    const uint32_t *constants;        /* variables that never change, as slots */
    bool *crossed;              /* set where a subscript leaves its dimension, if that is noted */
    const uint32_t *capacities; /* of the channel in slot i, indexed by slot */
};

/* A fault of the model at run time. */
struct fault {
    place at;
    char message[200];
};

enum ran {
    RAN_WELL,
    RAN_INTO_FAULT,
    RAN_OUT_OF_MEMORY,
};

/* Runs the code; it may change `slots`. `*result` is what it leaves (integer 0 if nothing); may be
 * null. Endless loops are a fault. */
enum ran machine_run(const struct machine *machine, code_id id, uint32_t *slots, datum *result,
                     struct fault *fault) MUST_CHECK;

/* Runs a condition: a fault unless the result is a boolean. */
enum ran machine_test(const struct machine *machine, code_id id, uint32_t *slots, bool *result,
                      struct fault *fault) MUST_CHECK;

#endif
