/* An implementation of a `.lin` file and what is asserted of it, read anew. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "recheck.h"

/* What a location holds: a number, of a node its number among those there are, or one of these. */
typedef int64_t word;
#define WORD_NULL    INT64_MIN
#define WORD_FALSE   (INT64_MIN + 1)
#define WORD_TRUE    (INT64_MIN + 2)
#define WORD_OK      (INT64_MIN + 3) /* an answer that says nothing */
#define FIRST_SYMBOL (INT64_MIN + 16)
#define FIRST_NODE   ((word)1 << 40)

struct type {
    enum {
        A_NUMBER,
        A_BOOLEAN,
        A_VALUE,
        A_NODE
    } kind;
    word low, high;   /* of a number */
    size_t structure; /* of a node */
};

enum expression_kind {
    CONSTANT,
    LOCAL,
    SHARED, /* an item of an array has its index for an operand */
    FIELD,
    THREAD,
    UNARY,
    BINARY,
    CONDITIONAL,
    CAS,
    SWAP,
    FETCH_ADD,
    NEW
};

struct expression {
    enum expression_kind kind;
    bool shares; /* it makes a step */
    char operator[3];
    word value;
    size_t number, length; /* of a local or shared variable, a field, a structure; of an array */
    struct type type;      /* of a location */
    const struct expression *operands[3];
};
typedef const struct expression *expression;

struct instruction {
    enum {
        STORE,
        EVALUATE,
        BRANCH, /* unless the value is true */
        JUMP,
        RETURN,
        WAIT,
        LOCK,
        UNLOCK,
        CLAIM,
        ATOMIC,
        ATOMIC_END
    } what;
    bool steps; /* a step begins here */
    size_t line, target;
    expression place, value;
};

struct variable {
    const char *name;
    size_t name_length, number, length; /* of an array; 0: it is none */
    struct type type;
    word first; /* what it holds at first */
};

struct operation_code {
    const char *name;
    size_t name_length, parameters;
    struct type parameter; /* there is at most one */
    word only;             /* the thread; -1: all */
    struct instruction *code;
    size_t length;
};

struct structure {
    const char *name;
    size_t name_length, count;
    struct variable *fields;
};

enum {
    MOST_THREADS = 16
};

struct program {
    const struct file *file;
    struct variable *shared, *symbols;
    struct structure *structures;
    struct operation_code *operations, start; /* `init` */
    size_t shared_count, symbol_count, words, structure_count, operation_count;
    size_t locals, most_fields;
    word threads, calls, values; /* calls of each; -1: any number */
    const char *assertion;       /* its text, `assertion_length` long */
    const char *specification;
    size_t specification_length, assertion_length;
    word specification_argument; /* WORD_NULL: none */
};

/* What the assertion of that line is about; refuses what it does not know. */
void read_program(const struct file *file, size_t line, struct program *program);

#endif
