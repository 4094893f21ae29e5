/* What a check of a `.lin` module knows while it goes through one, and what names mean there.
 * Shared by the files of the checker: types, built-in functions, expressions, statements and
 * declarations, each of which includes only those before it. lin/check.h has lin_check. */
#ifndef LIN_CHECK_SCOPE_H
#define LIN_CHECK_SCOPE_H

#include "base/table.h"
#include "lin/ast.h"

struct scope_name {
    struct lin_variable *variable;
    unsigned depth; /* of the block that declares it */
};

/* Names that must not be declared again; interned. */
struct declared_names {
    VECTOR(const char *) items;
    struct table numbers;
};

void declared_names_init(struct declared_names *names, struct budget *budget);
void declared_names_release(struct declared_names *names);

struct checker {
    struct lin_module *module;
    const struct lin_object *object;
    struct lin_operation *operation;
    VECTOR(struct scope_name) scope;
    VECTOR(const char *) symbols;        /* bare names that some operation returns */
    const struct lin_together *together; /* whose body this is; null: of an operation */
    uint32_t steps;                      /* since the limits of the script were looked at */
    unsigned depth, loops;
    unsigned breakable; /* loops and switches around */
    bool in_condition;  /* of an assertion: nothing changes, no thread is the caller */
    bool in_point;      /* of `linearize`: nothing changes */
    bool wants_address; /* of the next expression: it is a parameter's, or behind `*` */
    bool gives_up;      /* a declaration is wrong, and was told: what uses it is not looked at */
    struct error *error;
};

/* A fault at a place. */
#define complain(checker, at, ...)                                                                 \
    script_error((checker)->module->script, (at), (checker)->error, __VA_ARGS__)

/* Names that are compared with one that is not declared. */
#define MOST_KNOWN 64

/* What is declared under a name; null, or -1: nothing is. */
struct lin_variable *checker_find_variable(struct lin_variable *const *variables, uint32_t count,
                                           const char *name);
const struct lin_struct *checker_find_struct(const struct lin_object *object, const char *name);
const struct lin_operation *checker_find_function(const struct lin_object *object,
                                                  const char *name);
int checker_find_parameter(const struct lin_object *object, const char *name);

/* The number of the operation that a condition names, or a complaint. */
enum status checker_find_operation(struct checker *checker, const char *name, place at,
                                   uint32_t *number) MUST_CHECK;

/* Whether some operation answers with this bare name, or all may. */
bool checker_is_symbol(const struct checker *checker, const char *name);

/* Complains about a name that is none, with what was perhaps meant: one of `known`, or what is
 * called so elsewhere. */
enum status checker_undeclared(const struct checker *checker, place at, const char *expected,
                               const char *name, const char *const *known, size_t count);
/* A type that is none. */
enum status checker_undeclared_type(const struct checker *checker, place at, const char *name);

enum status checker_undeclared_name(const struct checker *checker, place at, const char *name);

/* Adds a name, or complains that it is there. */
enum status checker_declare(const struct checker *checker, struct declared_names *names, place at,
                            const char *name) MUST_CHECK;

/* Complains if a name is declared twice in an object. */
enum status checker_check_names(const struct checker *checker,
                                const struct lin_object *object) MUST_CHECK;

/* Keeps a fault, so that what does not depend on it is looked at: faults_keep. */
enum status checker_keep(const struct checker *checker, enum status status) MUST_CHECK;

#endif
