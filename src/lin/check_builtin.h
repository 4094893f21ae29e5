/* Functions that every operation can call. */
#ifndef LIN_CHECK_BUILTIN_H
#define LIN_CHECK_BUILTIN_H

#include "lin/check_scope.h"

struct builtin {
    const char *name;
    enum lin_builtin builtin;
    uint8_t count;
    bool in_spec, in_impl;
    enum lin_type_kind result; /* VALUE: of the first argument's type in implementations */
};

/* Null: there is none of that name. */
const struct builtin *lin_find_builtin(const char *name);

/* A call whose arguments have been checked. */
enum status checker_check_builtin(struct checker *checker, struct lin_expression *expression,
                                  const struct builtin *builtin) MUST_CHECK;

/* Complains about a call of no function. */
enum status checker_undeclared_function(const struct checker *checker,
                                        const struct lin_expression *call);

#endif
