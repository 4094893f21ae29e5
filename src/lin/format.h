/* The layout of `.lin` files: indentation, spaces, empty lines, columns of comments. Where lines
 * end is the author's choice and stays. */
#ifndef LIN_FORMAT_H
#define LIN_FORMAT_H

#include "base/text.h"
#include "lang/script.h"

/* Appends the model's own file as it should be laid out; what it includes is not shown. The tokens
 * and comments are the same, in the same order, and laying out the result changes nothing.
 * STATUS_INPUT with a place where the script is no `.lin`; STATUS_LIMIT. */
enum status lin_format(const struct script *script, struct arena *arena, struct text *out,
                       struct error *error) MUST_CHECK;

#endif
