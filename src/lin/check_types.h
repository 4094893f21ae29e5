/* Types of `.lin`, which of them fit where, and built-in functions, whose types follow from what
 * they are given. */
#ifndef LIN_CHECK_TYPES_H
#define LIN_CHECK_TYPES_H

#include "lin/check_scope.h"

struct lin_type lin_type_of(enum lin_type_kind kind);
bool lin_is_kind(const struct lin_expression *expression, enum lin_type_kind kind);

/* Whether it is of a kind that is only known when the specification runs. */
bool checker_is_dynamic(const struct checker *checker, const struct lin_expression *expression);
bool checker_may_be_collection(const struct checker *checker,
                               const struct lin_expression *expression);

/* Whether an implementation's operation answers several words with it: a list, a record, a local
 * array. */
bool lin_is_tuple(const struct lin_expression *answer);

/* Whether `source` may become something of the type. */
bool checker_fits(const struct checker *checker, const struct lin_type *target,
                  const struct lin_expression *source);

/* Two types that differ, in words that do: "a reference to a `node`", "a reference to a `cell`". */
struct type_words {
    char room[2][200];
    const char *one, *other;
};

void lin_tell_types(const struct lin_type *one, const struct lin_type *other,
                    struct type_words *words);

/* Each complains unless it is as expected. */
enum status checker_expect_fit(const struct checker *checker, const struct lin_type *target,
                               const struct lin_expression *source) MUST_CHECK;
/* Whether `one` is a value of an implementation and `other` a number made of constants: to compare
 * these tells one value from all others. */
bool lin_names_a_value(const struct lin_expression *one, const struct lin_expression *other);

/* Of two that are compared. */
enum status checker_expect_comparable(const struct checker *checker, place at,
                                      const struct lin_expression *left,
                                      const struct lin_expression *right) MUST_CHECK;
enum status checker_expect_kind(const struct checker *checker, enum lin_type_kind kind,
                                const struct lin_expression *source) MUST_CHECK;
enum status checker_expect_collection(const struct checker *checker,
                                      const struct lin_expression *expression,
                                      bool list_only) MUST_CHECK;
enum status checker_expect_location(const struct checker *checker,
                                    const struct lin_expression *expression) MUST_CHECK;
enum status checker_expect_count(const struct checker *checker,
                                 const struct lin_expression *expression,
                                 uint32_t count) MUST_CHECK;

/* ---- functions that every operation can call ---- */

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
