/* The one list of instructions, for all that is compiled: expressions and programs of CSP# models,
 * specifications and implementations in `.lin`.
 *
 * A stack machine: most instructions pop their operands and push what they find. Each row says how
 * many words it pops and pushes, in terms of the instruction's own fields, and what it does. The
 * interpreter (code/interpreter.h) executes the first groups itself; the last three belong to one
 * world each, and so do operands that are no integers of 32 bits: these it leaves to a host. */
#ifndef CODE_INSTRUCTION_H
#define CODE_INSTRUCTION_H

#include "code/word.h"
#include "lang/script.h"

struct instruction {
    uint8_t op; /* enum opcode */
    uint8_t small;
    uint16_t range; /* of stores: number of a range, 0: none */
    uint32_t wide;
    int32_t operand;
};

/* ROW(name, words popped, words pushed): `i` is the instruction. Where a store has `small` 1, it
 * leaves the word on the stack. Instructions called ..._AT pop an index, which must be below
 * `wide`, and go to `operand` + index; a store pops the word, then the index. */

/* Constants and the stack. */
#define OPCODES_STACK(ROW)                                                                         \
    ROW(PUSH, 0, 1)          /* operand: the word's upper bits; small: its lowest three */         \
    ROW(PUSH_CONSTANT, 0, 1) /* operand: number of a constant */                                   \
    ROW(POP, (uint32_t)i->operand, 0) /* operand: how many words */                                \
    ROW(THREAD, 0, 1)                 /* the number of the thread that runs */

/* Words in memory: locals of the running function, variables of a specification's state, slots of
 * a model's state, slots that never change (operand: which one). */
#define OPCODES_MEMORY(ROW)                                                                        \
    ROW(LOAD_LOCAL, 0, 1)                                                                          \
    ROW(LOAD_LOCAL_AT, 1, 1)                                                                       \
    ROW(STORE_LOCAL, 1, i->small)                                                                  \
    ROW(STORE_LOCAL_AT, 2, i->small)                                                               \
    ROW(LOAD_VARIABLE, 0, 1)                                                                       \
    ROW(LOAD_VARIABLE_AT, 1, 1)                                                                    \
    ROW(STORE_VARIABLE, 1, i->small)                                                               \
    ROW(STORE_VARIABLE_AT, 2, i->small)                                                            \
    ROW(LOAD_SLOT, 0, 1)                                                                           \
    ROW(LOAD_SLOT_AT, 1, 1)                                                                        \
    ROW(STORE_SLOT, 1, i->small)                                                                   \
    ROW(STORE_SLOT_AT, 2, i->small)                                                                \
    ROW(LOAD_FIXED, 0, 1)                                                                          \
    ROW(LOAD_FIXED_AT, 1, 1)                                                                       \
    ROW(LOAD_OBJECT, 0, 1) /* a slot that holds an object */                                       \
    ROW(STORE_OBJECT, 1, i->small)

/* Operators. */
#define OPCODES_OPERATORS(ROW)                                                                     \
    ROW(NEGATE, 1, 1)                                                                              \
    ROW(NOT, 1, 1)                                                                                 \
    ROW(ADD, 2, 1)                                                                                 \
    ROW(SUBTRACT, 2, 1)                                                                            \
    ROW(MULTIPLY, 2, 1)                                                                            \
    ROW(DIVIDE, 2, 1)    /* towards 0 */                                                           \
    ROW(REMAINDER, 2, 1) /* with the sign of the dividend */                                       \
    ROW(MODULO, 2, 1)    /* never negative for a positive divisor */                               \
    ROW(BIT_AND, 2, 1)                                                                             \
    ROW(BIT_OR, 2, 1)                                                                              \
    ROW(BIT_XOR, 2, 1)                                                                             \
    ROW(LESS, 2, 1)                                                                                \
    ROW(LESS_EQUAL, 2, 1)                                                                          \
    ROW(GREATER, 2, 1)                                                                             \
    ROW(GREATER_EQUAL, 2, 1)                                                                       \
    ROW(EQUAL, 2, 1) /* of any kind */                                                             \
    ROW(NOT_EQUAL, 2, 1)                                                                           \
    ROW(XOR, 2, 1) /* of two booleans */

/* Control, checks and choices. */
#define OPCODES_CONTROL(ROW)                                                                       \
    ROW(JUMP, 0, 0) /* operand: target */                                                          \
    ROW(JUMP_IF_FALSE, 1, 0)                                                                       \
    ROW(JUMP_IF_TRUE, 1, 0)                                                                        \
    ROW(CALL, 0, 1)   /* operand: function, whose arguments are on top; small: how many of its     \
                         calls may be running, else it is the host's; 0: any number */             \
    ROW(RETURN, 1, 0) /* the function's result */                                                  \
    ROW(CHECK, 1, 1)  /* small: enum value_kind that the top must be of */                         \
    ROW(CHECK_RANGE, 1, 1) /* operand: number of a range that the top must lie in */               \
    ROW(ASSUME, 1, 0)      /* false: blocked */                                                    \
    ROW(CHOOSE, 2, 1)      /* pops high, low; pushes one between them */

/* Claims, which hosts judge. */
#define OPCODES_CLAIMS(ROW) ROW(ASSERT, 1, 0) /* false: a fault */

/* Objects and channels of CSP# (csp/machine.h). */
#define OPCODES_OBJECTS(ROW)                                                                       \
    ROW(NOTE_CROSSING, 1, 1) /* operand: size of a dimension; the top is a subscript of it */      \
    ROW(METHOD, i->wide, 1)  /* operand: slot; small: method; wide: arguments */                   \
    ROW(ARRAY, 0, 1)         /* the array of `wide` slots from `operand` on; ARRAY_FIXED: those    \
                                that never change; ARRAY_LARGE: the one in slot `operand` */       \
    ROW(LOAD_LARGE_AT, 1, 1) /* large arrays (code/large_array.h) of `wide` elements, in slot      \
                                `operand`; stores as those to slots */                             \
    ROW(STORE_LARGE_AT, 2, i->small)                                                               \
    ROW(FILL_LARGE, 3, 0) /* pops the word, how many elements, and the first of them */            \
    ROW(LOAD_LARGE, 0, 1) /* all of it */                                                          \
    ROW(STORE_LARGE, 1, 0)                                                                         \
    ROW(PACK, i->wide, 1)        /* the array of the words on top */                               \
    ROW(ITEM, 1, 1)              /* pops an index into the array of `wide` elements that is object \
                                    `operand` */                                                   \
    ROW(FUNCTION, i->wide, 1)    /* small: number of a function (csp/functions.h) */               \
    ROW(CHANNEL, i->wide > 0, 1) /* operand: slot of the first channel; small: query; wide: length \
                                    of the array that an index is popped of, 0: none */

/* Collections of specifications (lin/machine.h). */
#define OPCODES_COLLECTIONS(ROW)                                                                   \
    ROW(INDEX, 2, 1)                   /* pops index, collection */                                \
    ROW(WITH_ITEM, 3, 1)               /* pops item, index, collection; pushes the changed one */  \
    ROW(LIST, (uint32_t)i->operand, 1) /* of so many items */                                      \
    ROW(SET, (uint32_t)i->operand, 1)                                                              \
    ROW(MAP, (uint32_t)i->operand, 1) /* of so many keys and values */                             \
    ROW(BUILTIN, 1, 1)                /* small: enum lin_builtin */                                \
    ROW(CHOOSE_ITEM, 1, 1)            /* of a list or set */                                       \
    ROW(IN, 2, 1)                                                                                  \
    ROW(SAME_LETTERS, 2, 1) /* of two texts of whatever kinds; small: 1 to negate */

/* What implementations share (implementation/step_machine.h): the slots of a state, by address;
 * `wide`: how many words of 32 bits. A step of a thread begins at a STEP and ends before the next
 * one or at an ANSWER. */
#define OPCODES_SHARED_MEMORY(ROW)                                                                 \
    ROW(LOAD_SHARED, 0, i->wide) /* operand: slot */                                               \
    ROW(STORE_SHARED, i->wide, 0)                                                                  \
    ROW(LOAD_OWN, 0, i->wide) /* operand: local of the thread */                                   \
    ROW(STORE_OWN, i->wide, 0)                                                                     \
    ROW(ADDRESS, 0, 1)         /* operand: slot; small: 2 as of DEREFERENCE */                     \
    ROW(ADDRESS_OWN, 0, 1)     /* operand: local; wide: words of the variable */                   \
    ROW(AT, 2, 1)              /* pops index, address; operand: length; wide: words of an item */  \
    ROW(DEREFERENCE, 1, 1)     /* pops a reference; operand: pool; wide: offset of the field;      \
                                  small: 1 if it only reads a write-once field,                    \
                                  2 if who has access by it tells what is touched */               \
    ROW(OFFSET, 1, 1)          /* adds the operand to an address */                                \
    ROW(LOAD, 1, i->wide)      /* pops an address; small, of it, STORE and CAS: 1 if it tells what \
                                  is touched (implementation/run_accesses.h) */                    \
    ROW(STORE, i->wide + 1, 0) /* pops the words, an address */                                    \
    ROW(PICK, i->small, i->wide)           /* of the words on top keeps those from `operand` on */ \
    ROW(SAME, 2 * i->wide, 1)              /* small: 1 to negate */                                \
    ROW(CAS, 2 * i->wide + 1, 1)           /* pops new, old, address */                            \
    ROW(SWAP, i->wide + 1, i->wide)        /* pops new, address; pushes the old words */           \
    ROW(FETCH_ADD, 2, 1)                   /* pops an integer, address; operand: range or -1 */    \
    ROW(LOAD_LINKED, 1, i->wide)           /* pops an address */                                   \
    ROW(STORE_CONDITIONAL, i->wide + 1, 1) /* pops the words, an address */                        \
    ROW(LOCK, 1, 0)                        /* pops an address */                                   \
    ROW(UNLOCK, 1, 0)                                                                              \
    ROW(NEW, 0, 1)     /* operand: pool; pushes a reference */                                     \
    ROW(FREE, 1, 0)    /* pops a reference; operand: pool */                                       \
    ROW(AWAIT, 1, 0)   /* false: the step is not enabled */                                        \
    ROW(RUNNING, 1, 1) /* whether a thread runs operation wide - 1; wide 0: any */                 \
    ROW(STEP, 0, 0)                                                                                \
    ROW(ANSWER, 0, 0)           /* wide: operation; small: enum lin_type_kind; operand: symbol */  \
    ROW(LINEARIZE, i->range, 0) /* the same, with the answer popped where `range` is 1; operand of \
                                   a symbol -1: open */                                            \
    ROW(LINEARIZE_OF, i->range + 1, 0) /* the same for another thread, whose number lies below */  \
    ROW(END, 0, 0)                     /* of `init` and conditions */                              \
    ROW(AS_INT, 1, 1)                  /* of a program: the answer on top must be an integer, */   \
    ROW(AS_BOOL, 1, 1)                 /* true or false, */                                        \
    ROW(AS_VALUE, 1, 1)                /* what can be passed as a `value`; */                      \
    ROW(AS_ANSWER, 1, 1)               /* a `value` becomes what a program sees: 0 is null */      \
    ROW(PRINT, 1, 0)                                                                               \
    ROW(INVOKE, i->wide, 1) /* operand: operation of the specification */

#define OPCODES(ROW)                                                                               \
    OPCODES_STACK(ROW)                                                                             \
    OPCODES_MEMORY(ROW)                                                                            \
    OPCODES_OPERATORS(ROW)                                                                         \
    OPCODES_CONTROL(ROW)                                                                           \
    OPCODES_CLAIMS(ROW)                                                                            \
    OPCODES_OBJECTS(ROW)                                                                           \
    OPCODES_COLLECTIONS(ROW)                                                                       \
    OPCODES_SHARED_MEMORY(ROW)

enum opcode {
#define OPCODE_ENUM(name, pops, pushes) OP_##name,
    OPCODES(OPCODE_ENUM)
#undef OPCODE_ENUM
    OP_COUNT,
};

/* `small` of ARRAY. */
#define ARRAY_FIXED 1
#define ARRAY_LARGE 2

/* How many words an instruction takes from the stack, and how many it leaves there. CALL takes its
 * arguments besides, and the words of its function's frame come and go with it. */
struct stack_effect {
    uint32_t pops, pushes;
};

struct stack_effect instruction_effect(const struct instruction *i);

/* Whether it puts the top, or a word below an index, into memory. */
static inline bool opcode_stores(enum opcode op)
{
    return op == OP_STORE_LOCAL || op == OP_STORE_LOCAL_AT || op == OP_STORE_VARIABLE ||
           op == OP_STORE_VARIABLE_AT || op == OP_STORE_SLOT || op == OP_STORE_SLOT_AT ||
           op == OP_STORE_OBJECT || op == OP_STORE_LARGE_AT || op == OP_FILL_LARGE ||
           op == OP_STORE_LARGE;
}

static inline bool instruction_is_jump(const struct instruction *i)
{
    return i->op >= OP_JUMP && i->op <= OP_JUMP_IF_TRUE;
}

/* Whether the next instruction may run behind it. */
static inline bool instruction_goes_on(const struct instruction *i)
{
    return i->op != OP_JUMP && i->op != OP_RETURN && i->op != OP_ANSWER && i->op != OP_END;
}

/* Whether a word can stand in a PUSH, and that instruction. */
static inline bool datum_is_immediate(datum d)
{
    return (int64_t)d >> 3 == (int32_t)((int64_t)d >> 3);
}

static inline struct instruction instruction_push(datum d)
{
    assert(datum_is_immediate(d));
    return (struct instruction){
        .op = OP_PUSH, .small = d & DATUM_TAG_BITS, .operand = (int32_t)((int64_t)d >> 3)};
}

/* What a PUSH pushes. */
static inline datum instruction_word(const struct instruction *i)
{
    return (uint64_t)(int64_t)i->operand << 3 | i->small;
}

/* What an instruction does with slots of a model's state. */
struct slot_access {
    uint32_t first, count; /* one of these; count 0: nothing */
    bool reads, writes;
};

struct slot_access instruction_slots(const struct instruction *i);

/* Whether it names a slot that threads share. */
static inline bool instruction_names_shared(const struct instruction *i)
{
    return i->op == OP_ADDRESS || i->op == OP_LOAD_SHARED || i->op == OP_STORE_SHARED;
}

/* ---- code ---- */

/* Numbers that something must lie between. */
struct range_limit {
    int64_t low, high;
    const char *name; /* of the variable, for messages; may be null */
};

struct code {
    const struct instruction *instructions;
    const place *places; /* of the source, one an instruction */
    uint32_t length;
    uint32_t parameters, locals; /* words of a frame; `locals` includes the parameters */
};

/* What code finds at a slot that it names: of an array with an item for each thread, only that of
 * the thread which runs, `a[thread]`; or that of its peer where there are two, `a[1 - thread]`. */
enum item_use {
    ITEM_OTHER,
    ITEM_OWN,
    ITEM_OF_PEER,
};

/* What it finds at instruction `at`. An item that is linked to (LOAD_LINKED) is ITEM_OTHER: links
 * do not go with their threads. */
enum item_use code_item_use(const struct code *code, uint32_t at);

#endif
