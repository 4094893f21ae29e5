/* The functions of PAT.Math that make an integer of integers: `call(Max, x, 3)`. */
#ifndef CSP_FUNCTIONS_H
#define CSP_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* The number of the function of that name, the first letter large or small; -1 if there is none
 * with so many arguments. */
int csp_function_find(const char *name, uint32_t arguments);

/* How many arguments a function of that name takes; 0: there is none. */
uint32_t csp_function_arguments(const char *name);

/* Applies a function to its arguments. The result may lie outside of 32 bits. Null, or what is
 * wrong with the arguments. */
const char *csp_function_apply(int function, const int32_t *arguments, int64_t *result);

#endif
