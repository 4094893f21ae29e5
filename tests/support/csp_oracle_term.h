/* Inside the oracle: values, terms, and what a term can do. See csp_oracle.h. */
#ifndef TESTS_SUPPORT_CSP_ORACLE_TERM_H
#define TESTS_SUPPORT_CSP_ORACLE_TERM_H

#include <setjmp.h>
#include <stdarg.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "csp/ast.h"
#include "support/csp_oracle.h"

/* ---- values, valuations ---- */

/* `number` of a boolean is 0 or 1; of an array that is passed on (`is_boolean` is set, too) it is
 * 2 plus the array's place among those of the oracle. */
struct oracle_value {
    bool is_boolean;
    int32_t number;
};

/* The elements of an array that is passed on as a whole. */
struct oracle_array {
    int32_t length;
    struct oracle_value *items;
};

struct oracle_tuple {
    unsigned count;
    struct oracle_value values[8];
};

struct oracle_queue {
    unsigned count;
    struct oracle_tuple *tuples;
};

/* Every variable's elements, and every channel's contents. */
struct oracle_valuation {
    struct oracle_value **variables;
    struct oracle_queue **channels;
};

/* What names mean, innermost first. */
struct oracle_environment {
    const struct oracle_environment *outer;
    const char *name;
    enum {
        ORACLE_CONSTANT,
        ORACLE_UNKNOWN,  /* what an input will receive */
        ORACLE_ARGUMENT, /* of a macro */
        ORACLE_LOCAL,
    } kind;
    struct oracle_value value;
    const struct csp_expression *argument;
    const struct oracle_environment *argument_environment;
    struct oracle_value *local;
    int32_t length; /* of a local array; -1: no array */
};

struct oracle {
    const struct csp_module *module;
    size_t most_states;
    bool apart; /* components of ||| keep their places when some have ended or are compositions */
    struct budget budget;
    struct arena arena;
    jmp_buf *escape; /* where what is wrong goes */
    const char *message;
    int32_t **sizes;         /* of each variable, one a dimension, then 0 */
    int32_t *lengths;        /* of each variable, all elements */
    int32_t *channel_counts; /* of each channel array, 1 without */
    int32_t *capacities;
    struct oracle_valuation *initial;
    unsigned unfoldings, counted;
    const struct oracle_term *control; /* of the state at hand, whose processes are at work */
    struct oracle_valuation *now;      /* and its valuation */
    struct oracle_graph *graphs;       /* those that were built */
    struct oracle_array *arrays;       /* different ones */
    int32_t array_count;
};

/* Memory that lives as long as the oracle. */
void *oracle_allocate(struct oracle *oracle, size_t size);

const char *oracle_format(struct oracle *oracle, const char *format, va_list arguments);

/* A text under construction, in the oracle's memory: nothing is lost when construction fails. */
struct writer {
    struct oracle *oracle;
    char *bytes;
    size_t length, capacity;
};

void writer_append(struct writer *writer, const char *string);
void writer_char(struct writer *writer, char character);
void writer_format(struct writer *writer, const char *format, ...) PRINTF_LIKE(2, 3);
const char *writer_text(const struct writer *writer);

/* Something is wrong with the model: goes to oracle->escape. */
_Noreturn void oracle_fail(struct oracle *oracle, const char *format, ...) PRINTF_LIKE(2, 3);

/* ---- expressions and programs: csp_oracle_value.c ---- */

/* An expression with the environment put in: its value if it has one in every state, and a text. */
struct oracle_folded {
    bool constant;
    struct oracle_value value;
    const char *text;
};

struct oracle_folded oracle_fold(struct oracle *oracle, const struct csp_expression *expression,
                                 const struct oracle_environment *environment);
const char *oracle_fold_program(struct oracle *oracle, const struct csp_statement *program,
                                const struct oracle_environment *environment);

struct oracle_value oracle_evaluate(struct oracle *oracle, const struct csp_expression *expression,
                                    const struct oracle_environment *environment,
                                    struct oracle_valuation *valuation);
/* The same of what is sent or passed on, which may be a whole array. */
struct oracle_value oracle_whole(struct oracle *oracle, const struct csp_expression *expression,
                                 const struct oracle_environment *environment,
                                 struct oracle_valuation *valuation);

/* The value that such an array is: csp_oracle_array.c. Null: the value is no array. */
struct oracle_value oracle_array_value(struct oracle *oracle, const struct oracle_value *items,
                                       int32_t length);
const struct oracle_array *oracle_array_of(const struct oracle *oracle, struct oracle_value value);
bool oracle_test(struct oracle *oracle, const struct csp_expression *expression,
                 const struct oracle_environment *environment, struct oracle_valuation *valuation);
/* The same of a condition, that nobody can change anything by asking for. */
bool oracle_holds(struct oracle *oracle, const struct csp_expression *expression,
                  const struct oracle_environment *environment,
                  const struct oracle_valuation *valuation);
void oracle_run(struct oracle *oracle, const struct csp_statement *program,
                const struct oracle_environment *environment, struct oracle_valuation *valuation);

/* `call(...)` of what is no macro: csp_oracle_call.c. Of a function: what is wrong, or null. */
struct oracle_value oracle_call(struct oracle *oracle, const struct csp_expression *expression,
                                const struct oracle_environment *environment,
                                struct oracle_valuation *valuation);
bool oracle_is_function(const char *name);
const char *oracle_function(const char *name, const struct oracle_value *arguments, unsigned count,
                            struct oracle_value *result);

/* A constant integer. */
int32_t oracle_constant(struct oracle *oracle, const struct csp_expression *expression,
                        const struct oracle_environment *environment);

struct oracle_valuation *oracle_copy(struct oracle *oracle,
                                     const struct oracle_valuation *valuation);
void oracle_print_value(struct oracle_value value, struct writer *text);

/* Sizes and the initial valuation, wild variables at their least. */
void oracle_declare(struct oracle *oracle);

/* Index into the module's list, or -1. */
int oracle_variable(const struct oracle *oracle, const char *name);
int oracle_channel(const struct oracle *oracle, const char *name);
int oracle_macro(const struct oracle *oracle, const char *name);
int oracle_definition(const struct oracle *oracle, const char *name);

/* Fails unless the variable may hold the value; null: any may. */
void oracle_check_range(struct oracle *oracle, const struct csp_variable *declared,
                        struct oracle_value v);

/* `a = b` of arrays as a whole; false: it is none. */
bool oracle_copy_array(struct oracle *oracle, const struct csp_expression *target,
                       const struct csp_expression *source,
                       const struct oracle_environment *environment,
                       struct oracle_valuation *valuation);

/* How many components of a term, of the state at hand, are the process that `#R(...)` names. */
int32_t oracle_at_work(struct oracle *oracle, const struct csp_expression *e,
                       const struct oracle_term *term);

/* Calls `visit` for each combination of the ranges' values. */
typedef void oracle_visit(struct oracle *oracle, void *context,
                          const struct oracle_environment *environment);
void oracle_ranges(struct oracle *oracle, const struct csp_range *ranges, unsigned count,
                   const struct oracle_environment *environment, oracle_visit *visit,
                   void *context);

/* ---- terms: csp_oracle_term.c ---- */

/* A set of event names. */
struct oracle_set {
    unsigned count;
    const char **names;
};

/* A process. `node` has what belongs to this kind alone (event, program, condition ...), read in
 * `environment`. COPIES has a child for each copy. */
struct oracle_term {
    enum csp_process_kind kind;
    const struct csp_process *node;
    const struct oracle_environment *environment;
    unsigned count;
    const struct oracle_term **children;
    bool placed;                        /* a composition at work: its components have places */
    const struct oracle_term *together; /* what it is where no places are kept */
    const struct oracle_set *sets;      /* HIDE: one; PARALLEL: the children's alphabets */
    const char *text;
};

const struct oracle_term *oracle_instantiate(struct oracle *oracle,
                                             const struct csp_process *process,
                                             const struct oracle_environment *environment);
const struct oracle_term *oracle_stop(struct oracle *oracle);

/* A term with its children replaced, in plain form. */
const struct oracle_term *oracle_rebuild(struct oracle *oracle, const struct oracle_term *term,
                                         const struct oracle_term *const *children);

/* The environment of a definition's body for the reference's arguments, evaluated now. */
const struct oracle_environment *oracle_bind_arguments(struct oracle *oracle,
                                                       const struct csp_process *reference,
                                                       const struct oracle_environment *environment,
                                                       struct oracle_valuation *valuation);

/* "e.1.2"; a component that is no constant is wrong. */
const char *oracle_event_name(struct oracle *oracle, const struct csp_event *event,
                              const struct oracle_environment *environment,
                              struct oracle_valuation *valuation);
bool oracle_set_has(const struct oracle_set *set, const char *name);

/* Whether an argument of an input only receives. */
bool oracle_receives(const struct oracle *oracle, const struct csp_expression *argument,
                     const struct oracle_environment *environment);

/* ---- steps: csp_oracle_step.c ---- */

struct oracle_move {
    enum {
        ORACLE_STEP,
        ORACLE_OFFER,  /* an output that looks for its input */
        ORACLE_ACCEPT, /* the input that was asked for */
    } kind;
    const char *label;  /* null: invisible */
    const char *shown;  /* of what is invisible: "[if]", "[e.1]"; null: τ */
    uint64_t processes; /* of the outermost composition that take part; 0: there is none */
    const struct oracle_term *target;
    bool atomic, data;
    enum {
        ORACLE_NOTHING,
        ORACLE_PUT,
        ORACLE_TAKE,
    } action;
    int channel;
    int32_t element;
    struct oracle_tuple message;
    const struct csp_statement *programs[2];
    const struct oracle_environment *environments[2];
};

struct oracle_moves {
    unsigned count, capacity;
    struct oracle_move *items;
};

/* What the term can do as a whole system: whole steps, atomic ones first. */
struct oracle_moves oracle_moves(struct oracle *oracle, const struct oracle_term *term,
                                 struct oracle_valuation *valuation);

/* The valuation after a step. */
struct oracle_valuation *oracle_take(struct oracle *oracle, const struct oracle_move *move,
                                     const struct oracle_valuation *valuation);

#endif
