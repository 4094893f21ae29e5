/* The syntax tree of a `.lin` file. The parser makes it; the checker (lin/check.h) adds what names
 * and expressions mean, in the fields marked so. All nodes, arrays and names live in the module's
 * arena; names are interned, so equal names have one address. */
#ifndef LIN_AST_H
#define LIN_AST_H

#include "base/arena.h"
#include "base/vector.h"
#include "lang/formula.h"
#include "lang/script.h"

struct lin_struct;
struct lin_enum;
struct lin_variable;
struct lin_operation;
struct rule_set;
struct rule_object;

/* ---- types ---- */

enum lin_type_kind {
    LIN_TYPE_VOID,
    LIN_TYPE_INT,
    LIN_TYPE_BOOL,
    LIN_TYPE_VALUE, /* opaque; as the type of an expression: not known before it runs */
    LIN_TYPE_SYMBOL,
    LIN_TYPE_NULL, /* of `null` alone */
    LIN_TYPE_LIST,
    LIN_TYPE_SET,
    LIN_TYPE_MAP,
    LIN_TYPE_STRUCT, /* a reference to a node */
    LIN_TYPE_RECORD, /* a record itself */
    LIN_TYPE_ANSWER, /* checker: `value` in a program: whatever an operation answers */
};

struct lin_type {
    uint8_t kind;       /* enum lin_type_kind; checker: of a named type */
    uint8_t dimensions; /* checker: of an array, indices still to come; the kind is its items' */
    place at, name_at;
    const char *name;                  /* as written */
    struct lin_expression *low, *high; /* int(low..high); null: 32 bits */
    const struct lin_struct *of;       /* checker: STRUCT, RECORD */
    bool says_enum;                    /* `enum color` */
    bool is_address;                   /* of a function's parameter: of a location of this type */
};

/* ---- expressions ---- */

enum lin_expression_kind {
    LIN_EXPRESSION_INTEGER,
    LIN_EXPRESSION_BOOLEAN,
    LIN_EXPRESSION_NULL,
    LIN_EXPRESSION_STRING, /* in `print` only */
    LIN_EXPRESSION_NAME,
    LIN_EXPRESSION_CALL,        /* name(items...) */
    LIN_EXPRESSION_INDEX,       /* items[0] [items[1]] */
    LIN_EXPRESSION_FIELD,       /* items[0].name */
    LIN_EXPRESSION_UNARY,       /* `sign`: LIN_MINUS, LIN_BANG; LIN_AND, the address of a location;
                                   LIN_STAR, the location that a parameter has the address of */
    LIN_EXPRESSION_BINARY,      /* `sign`: the token between the two, LIN_IN included */
    LIN_EXPRESSION_CONDITIONAL, /* items[0] ? items[1] : items[2] */
    LIN_EXPRESSION_ASSIGN,      /* items[0] = items[1]; `sign`: LIN_ASSIGN, LIN_PLUS for += ... */
    LIN_EXPRESSION_STEP,        /* items[0]++ or --: `sign` LIN_PLUS or LIN_MINUS */
    LIN_EXPRESSION_NEW,         /* new name */
    LIN_EXPRESSION_LIST,        /* [items...] */
    LIN_EXPRESSION_SET,         /* {items...}; {} is an empty set or map */
    LIN_EXPRESSION_MAP,         /* {items[0]: items[1], ...} */
    LIN_EXPRESSION_CHOOSE,      /* choose(items[0]..items[1]), or one item: a list or set */
};

/* What a name or call means; set by the checker. */
enum lin_meaning {
    LIN_MEANS_NOTHING,
    LIN_MEANS_PARAMETER, /* of the spec or impl; `number` of it */
    LIN_MEANS_SHARED,    /* a spec's state or an impl's shared variable */
    LIN_MEANS_LOCAL,
    LIN_MEANS_SLOT, /* compiler of implementations: `number` of a local without a name */
    LIN_MEANS_SYMBOL,
    LIN_MEANS_THREAD,   /* the caller's number */
    LIN_MEANS_THREADS,  /* how many there are; in implementations */
    LIN_MEANS_FUNCTION, /* CALL: a function of the same object */
    LIN_MEANS_RECORD,   /* CALL: makes a record */
    LIN_MEANS_BUILTIN,  /* CALL: `number` is an enum lin_builtin */
    LIN_MEANS_CALL,     /* CALL in a program: of the object's operation of that name */
};

/* Functions that every operation can call. */
enum lin_builtin {
    LIN_BUILTIN_LEN,
    LIN_BUILTIN_FIRST,
    LIN_BUILTIN_LAST,
    LIN_BUILTIN_BUT_FIRST,
    LIN_BUILTIN_BUT_LAST,
    LIN_BUILTIN_MIN, /* of a list or set of integers */
    LIN_BUILTIN_MAX,
    LIN_BUILTIN_CAS,
    LIN_BUILTIN_SWAP,
    LIN_BUILTIN_FETCH_ADD,
    LIN_BUILTIN_LL,
    LIN_BUILTIN_SC,
    LIN_BUILTIN_LOCK,
    LIN_BUILTIN_UNLOCK,
    LIN_BUILTIN_FREE,
    LIN_BUILTIN_RUNNING, /* in conditions: items[0] a thread, items[1] (if any) an operation's name,
                            `number` of it */
};

struct lin_expression {
    uint8_t kind;    /* enum lin_expression_kind */
    uint8_t sign;    /* enum lin_token_kind */
    uint8_t meaning; /* checker */
    uint16_t height; /* of the tree: 0 without items */
    place at;
    place name_at;   /* FIELD, NEW: of the name */
    int32_t integer; /* INTEGER, BOOLEAN */
    uint32_t count;
    uint32_t number; /* checker: of a parameter, field or builtin */
    const char *name;
    struct lin_expression **items;
    struct lin_type type;                  /* checker */
    const struct lin_variable *variable;   /* checker: SHARED, LOCAL */
    const struct lin_operation *operation; /* checker: FUNCTION */
};

/* ---- statements ---- */

enum lin_statement_kind {
    LIN_STATEMENT_BLOCK, /* items */
    LIN_STATEMENT_DECLARE,
    LIN_STATEMENT_EXPRESSION,
    LIN_STATEMENT_IF,     /* expression, items[0], items[1] if there is an else */
    LIN_STATEMENT_WHILE,  /* expression, items[0] */
    LIN_STATEMENT_DO,     /* items[0], expression */
    LIN_STATEMENT_FOR,    /* items[0] (may be null); expression (may be null); step (may be null);
                             items[1] the body */
    LIN_STATEMENT_RETURN, /* expression may be null */
    LIN_STATEMENT_BREAK,
    LIN_STATEMENT_CONTINUE,
    LIN_STATEMENT_ATOMIC, /* items[0] */
    LIN_STATEMENT_AWAIT,
    LIN_STATEMENT_ASSUME,
    LIN_STATEMENT_ASSERT,
    LIN_STATEMENT_LINEARIZE, /* expression may be null: the answer is left open; step: the thread
                                whose operation it is; null: the one that gets there */
    LIN_STATEMENT_PRINT,
    LIN_STATEMENT_EITHER, /* items: the branches */
    LIN_STATEMENT_SWITCH, /* expression, items: CASE each */
    LIN_STATEMENT_CASE,   /* expression: the label, null of `default`; items: the statements up to
                             the next label, into which they run on */
};

struct lin_variable {
    const char *name;
    place at;
    struct lin_type type;
    struct lin_expression **lengths; /* of an array: one a dimension */
    uint32_t length_count;
    uint32_t
        number; /* among the object's variables, the struct's fields or the operation's locals */
    uint32_t items; /* checker: of a record's field, how many it holds; 1 if it is no array */
    bool shared;
    struct lin_expression *initial; /* null: the type's default */
};

struct lin_statement {
    uint8_t kind; /* enum lin_statement_kind */
    place at;
    uint32_t count;
    struct lin_expression *expression, *step;
    struct lin_statement **items;
    struct lin_variable *variable; /* DECLARE */
};

/* ---- formulas (formula.h) ---- */

enum lin_atom_kind {
    LIN_ATOM_CALL,      /* call.name, by the thread `expression` if there is one */
    LIN_ATOM_RETURN,    /* return.name, likewise */
    LIN_ATOM_CONDITION, /* `expression` is true */
};

/* What an atom of a formula is. */
struct lin_atom {
    uint8_t kind; /* enum lin_atom_kind */
    const char *name;
    struct lin_expression *expression;
};

/* ---- declarations ---- */

struct lin_struct {
    const char *name;
    place at;
    bool is_record;
    struct lin_variable **fields;
    uint32_t field_count;
    uint32_t number; /* among the object's structs */
    uint32_t words;  /* checker: of a record, what it takes */
};

/* An operation, or a local function. */
struct lin_operation {
    const char *name;
    place at;
    bool is_function;
    struct lin_type type; /* of a function's result; checker: what all returns of an operation have
                             in common, VALUE if they differ */
    struct lin_variable **parameters;
    uint32_t parameter_count;
    struct lin_expression *only_thread; /* null: any may call it */
    struct lin_expression *depth; /* of a function that calls itself: how many of its calls may be
                                     running; checker: a number. Null: it does not */
    struct lin_statement *body;
    uint32_t local_count; /* checker: parameters and locals together */
};

/* `const int N = 3;`, or a name that an `enum` gives a number to: known before anything runs. What
 * they mean the checker puts where they are named. */
struct lin_named_constant {
    const char *name;
    place at;
    struct lin_type type;              /* int, bool */
    struct lin_expression *expression; /* null: one more than the constant before */
    const struct lin_enum *of;         /* null: of none */
    int32_t integer;                   /* checker */
};

/* A type: the integers from the least to the greatest that it names. */
struct lin_enum {
    const char *name; /* null: none */
    place at;
    uint32_t first, count;             /* of the module's constants */
    struct lin_expression *low, *high; /* checker */
};

#define LIN_MOST_TOGETHER 4 /* operations */

/* The symbol that `return open;` answers for an operation that stays open: no text has it. */
#define LIN_STAYS_OPEN "(open)"

/* `together put(value v), take() { ... return ok, v; }` in a specification: operations that take
 * effect as one, each called by another client. `op open put(value v) { ... }`: what one that has
 * begun and stayed open does by itself, a set of one. */
struct lin_together {
    place at;
    const char **names; /* of the operations, one may come several times */
    bool *open;         /* of each: `open put(value v)`, it has begun before */
    uint32_t count, open_count;
    uint32_t *firsts;          /* of each: its first parameter among those of the body */
    uint32_t *numbers;         /* checker: of each among the object's operations */
    struct lin_operation body; /* its answer: a list, with one of each; of a set of one that one */
};

struct lin_parameter {
    const char *name;
    place at;
    struct lin_expression *initial; /* null: must be given */
};

struct lin_object {
    const char *name;
    place at;
    bool is_spec;    /* neither: an implementation */
    bool is_program; /* its threads are its operations */
    struct lin_parameter *parameters;
    uint32_t parameter_count;
    struct lin_variable **variables;
    uint32_t variable_count;
    struct lin_struct **structs;
    uint32_t struct_count;
    struct lin_operation **operations; /* those clients call */
    uint32_t operation_count;
    struct lin_together **togethers;
    uint32_t together_count;
    struct lin_operation **functions;
    uint32_t function_count;
    struct lin_operation *initially; /* `init { }` as an operation without a name; null: none */
    const char **client;             /* `client acquire, release;`, orders one after the other */
    uint32_t client_count;
    uint32_t *client_ends; /* of each order: where it ends among these */
    uint32_t order_count;
};

/* `stack`, `register(initial = 3)` */
struct lin_argument {
    const char *name; /* null: by position */
    place at;         /* of the name */
    struct lin_expression *expression;
};

struct lin_reference {
    const char *name;
    place at, end; /* from its name to behind its arguments */
    struct lin_argument *arguments;
    uint32_t argument_count;
};

enum lin_property {
    LIN_LINEARIZES,
    LIN_LOCK_FREE,
    LIN_WAIT_FREE,
    LIN_OBSTRUCTION_FREE,
    LIN_DEADLOCK_FREE,
    LIN_STARVATION_FREE,
    LIN_NEVER,
    LIN_SATISFIES,
    LIN_REFINES,
};

struct lin_option {
    const char *name; /* "threads" */
    place at;
    const char *word; /* the value if it is a word: "any", "complete"; null: `expression` */
    place word_at;
    struct lin_expression *expression; /* null: no value, as in `with points` */
};

struct lin_assertion {
    place at, end; /* from `assert` to before the semicolon */
    struct lin_reference implementation;
    uint8_t property;                                    /* enum lin_property */
    struct lin_reference specification;                  /* LINEARIZES, REFINES */
    struct lin_reference program, specification_program; /* REFINES: what uses them */
    struct lin_expression *condition;                    /* NEVER */
    struct formula *formula;                             /* SATISFIES */
    struct lin_option *options;
    uint32_t option_count;
};

/* ---- methods ---- */

enum lin_method_answer {
    LIN_METHOD_ANSWERS_ANYTHING, /* that no other method of the operation says it answers */
    LIN_METHOD_ANSWERS_VALUE,
    LIN_METHOD_ANSWERS_SYMBOL, /* `name`; `empty` is null */
    LIN_METHOD_ANSWERS_TRUE,
    LIN_METHOD_ANSWERS_FALSE,
};

/* An operation with one kind of answer, for rules and automata: `input Enq = enqueue(value);`,
 * `method Deq = dequeue() -> value;` */
struct lin_method {
    const char *name, *operation, *symbol;
    place at, operation_at;
    bool is_input, takes_value;
    uint8_t answer; /* enum lin_method_answer */
};

/* ---- inductive rules ---- */

/* A name in a rule: of a variable, or of a method and what goes with it. */
struct lin_rule_word {
    const char *name;
    place at;
    bool closure;     /* `Read*` in an expression */
    uint8_t compared; /* `Del < value` in a condition: LIN_LESS, LIN_GREATER; else 0 */
};

/* `u, v in {Enq, Deq}*`, `matched(Enq, u)` */
struct lin_rule_condition {
    place at;
    bool matched;
    struct lin_rule_word **methods; /* one of `matched` */
    uint32_t method_count;
    struct lin_rule_word **variables; /* of `matched` one after the other */
    uint32_t variable_count;
};

/* `rule REnq: u where u in Enq* => u Enq;` */
struct lin_rule {
    const char *name;
    place at;
    struct lin_rule_word **variables;
    uint32_t variable_count;
    struct lin_rule_condition **conditions;
    uint32_t condition_count;
    struct lin_rule_word **items; /* of the expression; none: it is `empty` */
    uint32_t item_count;
};

/* What a rule set says of its values. */
enum lin_rule_values {
    LIN_VALUES_RENAMED,  /* nothing: they have no meaning */
    LIN_VALUES_DISTINCT, /* each is given to an input method once */
    LIN_VALUES_ORDERED,  /* likewise, and rules compare them */
};

struct lin_rules {
    const char *name;
    place at;
    bool has_subject;
    struct lin_reference subject; /* `of NAME(3)`: the specification that it is the rules of */
    uint8_t values;               /* enum lin_rule_values */
    place values_at;
    struct lin_method **methods;
    uint32_t method_count;
    struct lin_rule **rules;
    uint32_t rule_count;
    const struct rule_set *set; /* checker: what it means; names are those of the tree */
};

/* ---- violation automata ---- */

/* `call Enq(1, 2)`, `marked ret Read`, `others` */
struct lin_letter {
    place at;
    bool others; /* all that the state says nothing else of, marked or not as `marked` says */
    bool marked, calls, returns;
    const char *method;
    place method_at;
    unsigned colours; /* a bit for each: 1 << colour */
    uint32_t number;  /* checker: of the method among the object's */
};

/* `call Enq(1), ret Deq(3) -> accepted;` */
struct lin_transition {
    struct lin_letter **letters;
    uint32_t letter_count;
    const char *target; /* `dead`: nowhere */
    place target_at;
    uint32_t to; /* checker: the state's number; UINT32_MAX: nowhere */
};

struct lin_automaton_state {
    const char *name;
    place at;
    bool initial, accepting, complete;
    struct lin_transition **transitions;
    uint32_t transition_count;
};

struct lin_automaton {
    const char *name;
    place at;
    struct lin_reference subject; /* the specification whose violations it accepts */
    const char *rule;             /* what is wrong with them, for people; null: not said */
    const char *violates;         /* the inductive rule that it belongs to; null: not said */
    place violates_at;
    bool not_for_histories, not_for_prefixes;
    unsigned single; /* a bit for each colour that no two values share */
    struct lin_method **methods;
    uint32_t method_count;
    struct lin_automaton_state **states;
    uint32_t state_count;
    const char *specification;        /* checker: the subject without white space */
    const struct rule_object *object; /* checker: what its methods are */
    uint32_t initial;                 /* checker */
    uint32_t marked;                  /* checker: a bit for each method with marked copy */
};

struct lin_module {
    struct arena *arena;
    const struct script *script;
    VECTOR(struct lin_named_constant *) constants;
    VECTOR(struct lin_enum *) enums;
    VECTOR(struct lin_object *) objects;
    VECTOR(struct lin_object *) programs;
    VECTOR(struct lin_rules *) rules;
    VECTOR(struct lin_automaton *) automata;
    VECTOR(struct lin_assertion) assertions;
};

void lin_module_release(struct lin_module *module);

/* The object of that name and sort, or null. */
const struct lin_object *lin_find_object(const struct lin_module *module, const char *name,
                                         bool is_spec);

/* The program of that name, or null. */
const struct lin_object *lin_find_program(const struct lin_module *module, const char *name);

/* "an int", "a list": for messages. */
const char *lin_type_name(const struct lin_type *type);

#endif
