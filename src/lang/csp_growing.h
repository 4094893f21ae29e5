/* Arrays of a CSP# model that are read further and further on: `log[i][round[i] - 1]`, where
 * `round` is only ever increased. An element before the least place that may be read next is never
 * read again, whatever values it holds. */
#ifndef LANG_CSP_GROWING_H
#define LANG_CSP_GROWING_H

#include "lang/csp_program.h"

/* An array, one of its dimensions, and the variable whose elements (plus `offset`) are all the
 * subscripts that it is read with there. */
struct growing_read {
    uint32_t slot, length; /* of the array */
    uint32_t stride, size; /* of the dimension */
    uint32_t by, by_length;
    int32_t offset;
};

/* Appends what there is to program->growing; names are taken for globals wherever they stand, and
 * one that is bound anew anywhere does not count. STATUS_LIMIT. */
enum status csp_find_growing(struct csp_program *program) MUST_CHECK;

#endif
