/* The compiler of what stands on arrays of a CSP# model: elements, lists, arrays as a whole. */
#ifndef CSP_COMPILE_ARRAY_H
#define CSP_COMPILE_ARRAY_H

#include "csp/emit.h"

/* What an indexed expression stands on. */
struct csp_array {
    bool local, constant;
    bool object;  /* an array that was passed on: `first` is the object with its elements */
    bool unknown; /* what an input will receive: its code is never run */
    bool large;
    uint32_t first, length;
    uint16_t range;
};

/* An element as a value. */
enum status csp_compile_element(struct csp_compiler *compiler, const struct csp_expression *node,
                                const struct scope *scope) MUST_CHECK;

/* `a[i] = source`: leaves its value. */
enum status csp_compile_store_element(struct csp_compiler *compiler,
                                      const struct csp_expression *target,
                                      const struct csp_expression *source,
                                      const struct scope *scope) MUST_CHECK;

/* `a = [...]`: leaves 0. */
enum status csp_compile_store_list(struct csp_compiler *compiler, const struct csp_expression *list,
                                   const struct csp_array *array,
                                   const struct scope *scope) MUST_CHECK;

/* `a = source` where `to` is a whole array of the model: leaves 0. */
enum status csp_compile_copy_array(struct csp_compiler *compiler, const struct csp_expression *node,
                                   const struct variable_info *to,
                                   const struct scope *scope) MUST_CHECK;

/* Sets every element to 0; leaves nothing. */
enum status csp_compile_clear(struct csp_compiler *compiler, place at,
                              const struct csp_array *array) MUST_CHECK;

#endif
