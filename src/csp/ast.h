/* The syntax tree of a CSP# model, as written: names not yet resolved. All nodes, arrays and names
 * live in the module's arena; names are interned, so equal names have one address. */
#ifndef CSP_AST_H
#define CSP_AST_H

#include "base/arena.h"
#include "base/vector.h"
#include "lang/formula.h"
#include "lang/script.h"

/* ---- expressions ---- */

enum csp_expression_kind {
    EXPRESSION_INTEGER,
    EXPRESSION_BOOLEAN,
    EXPRESSION_NAME,    /* `list$Field` is one name */
    EXPRESSION_INDEX,   /* operands[0] [operands[1]] ...: one flat list of indices */
    EXPRESSION_UNARY,   /* `operator`: CSP_MINUS, CSP_BANG, CSP_PLUS */
    EXPRESSION_BINARY,  /* `operator`: the token between the two */
    EXPRESSION_ASSIGN,  /* operands[0] = operands[1] */
    EXPRESSION_STEP,    /* operands[0]++ or --: `operator` CSP_INCREMENT or CSP_DECREMENT */
    EXPRESSION_CALL,    /* call(name, operands...) */
    EXPRESSION_NEW,     /* new name(operands...) */
    EXPRESSION_METHOD,  /* operands[0].name(operands[1]...) */
    EXPRESSION_RECORD,  /* [elements]: operands are values, EXPRESSION_REPEAT or _RANGE */
    EXPRESSION_REPEAT,  /* operands[0] (operands[1]): that many copies; in records only */
    EXPRESSION_RANGE,   /* operands[0] .. operands[1]; in records only */
    EXPRESSION_INDEXED, /* op ranges @ operands[0]: `operator` CSP_BAR_BAR, CSP_AND_AND, CSP_XOR */
    EXPRESSION_WILD,    /* `*`: any initial value */
    EXPRESSION_AT_WORK, /* #name(operands...): how many such processes are at work */
};

struct csp_range {
    const char *name;               /* the index; null in a variable's range */
    struct csp_expression **values; /* several: {1, 5, 7}; one: {5}; two with `interval`: {1..5} */
    uint32_t value_count;
    bool interval; /* a bound may be null in the range of a variable or parameter */
    place at;
};

struct csp_expression {
    uint8_t kind;     /* enum csp_expression_kind */
    uint8_t operator; /* enum csp_token_kind */
    uint16_t height;  /* of the tree: 0 without operands */
    place at;
    place name_at;   /* CALL, METHOD, AT_WORK: of the name */
    int32_t integer; /* INTEGER, BOOLEAN (0 or 1) */
    uint32_t count;  /* of operands */
    uint32_t range_count;
    const char *name;
    struct csp_expression **operands;
    struct csp_range *ranges;
};

/* ---- statements ---- */

enum csp_statement_kind {
    STATEMENT_BLOCK,      /* children */
    STATEMENT_LOCAL,      /* var name[sizes...] = value; */
    STATEMENT_IF,         /* condition, children[0], children[1] if there is an else */
    STATEMENT_WHILE,      /* condition, children[0] */
    STATEMENT_EXPRESSION, /* condition holds the expression */
};

struct csp_statement {
    uint8_t kind;
    bool is_value; /* EXPRESSION: ends a block without a semicolon, and is no assignment */
    place at;
    uint32_t count;      /* of children */
    uint32_t size_count; /* of sizes */
    const char *name;
    struct csp_expression *condition; /* or the initial value of a local; may be null there */
    struct csp_expression **sizes;
    struct csp_statement **children;
};

/* ---- processes ---- */

struct csp_event {
    const char *name; /* null: tau */
    struct csp_expression **components;
    uint32_t component_count;
    /* Of what is hidden, where the name is a channel: */
    char direction;               /* '!' or '?'; 0: a communication without buffer */
    struct csp_expression *index; /* of an array of channels; else null */
    place at;
};

/* An event, or several: ranges @ event. */
struct csp_event_set {
    struct csp_event event;
    struct csp_range *ranges;
    uint32_t range_count;
};

enum csp_process_kind {
    PROCESS_STOP,
    PROCESS_SKIP,
    PROCESS_EVENT,       /* event, program (may be null) -> children[0] */
    PROCESS_OUTPUT,      /* channel ! arguments, program -> children[0] */
    PROCESS_INPUT,       /* channel ? [condition] arguments, program -> children[0] */
    PROCESS_REFERENCE,   /* name(arguments) */
    PROCESS_SEQUENCE,    /* children, in order */
    PROCESS_GUARD,       /* [condition] children[0] */
    PROCESS_IF,          /* if: children[0], children[1] (null: Skip) */
    PROCESS_IF_ATOMIC,   /* ifa */
    PROCESS_IF_BLOCKING, /* ifb: children[0] */
    PROCESS_CASE,     /* conditions[i]: children[i]; a default has a null condition, and is last */
    PROCESS_CHOICE,   /* [] */
    PROCESS_INTERNAL, /* <> */
    PROCESS_EXTERNAL, /* [*] */
    PROCESS_INTERLEAVE, /* ||| */
    PROCESS_PARALLEL,   /* || */
    PROCESS_INTERRUPT,  /* children, left to right */
    PROCESS_HIDE,       /* children[0] \ { hidden } */
    PROCESS_ATOMIC,     /* atomic { children[0] } */
    PROCESS_ASSERT,     /* assert(condition) */
    PROCESS_INDEXED,    /* operator ranges @ children[0]: `operator` one of the composition kinds */
    PROCESS_COPIES,     /* |||{condition} @ children[0]; a null condition: any number */
};

struct csp_process {
    uint8_t kind;     /* enum csp_process_kind */
    uint8_t operator; /* INDEXED: enum csp_process_kind */
    place at;
    uint32_t count; /* of children */
    uint32_t argument_count;
    uint32_t range_count;
    uint32_t hidden_count;
    const char *name;             /* REFERENCE; OUTPUT, INPUT: the channel */
    struct csp_expression *index; /* OUTPUT, INPUT on an array of channels; else null */
    struct csp_event event;
    struct csp_statement *program;
    struct csp_expression *condition;
    struct csp_expression **arguments;
    struct csp_expression **conditions;
    struct csp_process **children;
    struct csp_range *ranges;
    struct csp_event_set *hidden;
};

/* ---- formulas (formula.h) ---- */

/* What an atom of a formula is: an event, or a name without components that may stand for a
 * proposition. */
struct csp_atom {
    bool quoted; /* a string: the name alone */
    struct csp_event event;
};

/* ---- declarations ---- */

struct csp_macro { /* #define, enum members included */
    const char *name;
    const char **parameters;
    place *parameter_places;
    uint32_t parameter_count, place_count;
    bool has_parameters;               /* even if there are none: `f()` */
    struct csp_expression *expression; /* one of the two */
    struct csp_statement *block;
    place at;
};

struct csp_variable {
    const char *name;
    const char *type;  /* of a collection: List, Set ...; null for integers and booleans */
    const char *owner; /* of `list$Field`, which nothing declares: `list`; else null */
    struct csp_expression **sizes;
    uint32_t size_count;
    struct csp_expression *low, *high; /* null where unbounded */
    struct csp_expression *initial;    /* null: 0 */
    bool hidden;                       /* hvar */
    place at;
};

struct csp_channel {
    const char *name;
    struct csp_expression *array_size; /* null: one channel */
    struct csp_expression *buffer_size;
    place at;
};

struct csp_alphabet {
    const char *process;
    struct csp_event_set *events;
    uint32_t event_count;
    place at;
};

struct csp_parameter {
    const char *name;
    place at;
    struct csp_expression *low, *high; /* null where unbounded */
};

struct csp_definition {
    const char *name;
    struct csp_parameter *parameters;
    uint32_t parameter_count;
    struct csp_process *body;
    place at;
};

enum csp_assertion_kind {
    ASSERTION_DEADLOCK_FREE,
    ASSERTION_NONTERMINATING,
    ASSERTION_DIVERGENCE_FREE,
    ASSERTION_DETERMINISTIC,
    ASSERTION_REACHES,
    ASSERTION_REFINES,
    ASSERTION_REFINES_FAILURES,
    ASSERTION_REFINES_FAILURES_DIVERGENCES,
    ASSERTION_SATISFIES,
    ASSERTION_LINEARIZES,
};

enum csp_points {
    POINTS_NONE,
    POINTS_GIVEN,    /* with points */
    POINTS_COMPLETE, /* with points = complete */
};

struct csp_assertion {
    uint8_t kind;
    uint8_t points;                    /* LINEARIZES: enum csp_points */
    bool minimum, maximum;             /* REACHES with min(...) or max(...) */
    place at, end;                     /* its text: from the process's name to before the `;` */
    place process_end;                 /* behind the process's name and arguments */
    struct csp_process *process;       /* a REFERENCE */
    struct csp_process *specification; /* REFINES*: a REFERENCE */
    const char *goal;                  /* REACHES: a proposition; LINEARIZES: the specification */
    place goal_at;
    const char *goal_arguments;     /* LINEARIZES: what stands in its parentheses, or null */
    struct csp_expression *extreme; /* REACHES with min, max */
    struct formula *formula;
};

struct csp_library {
    const char *path;
    bool include; /* of a file with specifications in .lin; else #import of what is no file */
    place at;     /* of the name's first letter */
};

struct csp_module {
    struct arena *arena;
    const struct script *script;
    VECTOR(struct csp_macro) macros;
    VECTOR(struct csp_variable) variables;
    VECTOR(struct csp_channel) channels;
    VECTOR(struct csp_alphabet) alphabets;
    VECTOR(struct csp_definition) definitions;
    VECTOR(struct csp_assertion) assertions;
    VECTOR(struct csp_library) libraries;
};

#endif
