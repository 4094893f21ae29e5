/* The names of a document that is analysed. */
#ifndef LSP_RESOLVED_H
#define LSP_RESOLVED_H

#include "lsp/document.h"

/* Name `index` of the text itself and the byte where it stands; false: there are no more, but for
 * those of included files. */
bool resolved_at(const struct document *document, size_t index, lp_name *name, size_t *start);

/* The name at or right before a byte, and where it begins. */
bool resolved_find(const struct document *document, size_t offset, lp_name *name, size_t *start);

/* Whether two mean the same. */
bool resolved_same(const lp_name *one, const lp_name *other);

/* Whether nothing in a file declares it. */
bool resolved_is_builtin(const lp_name *name);

/* Whether it stands where it is declared. */
bool resolved_declares(const lp_name *name);

#endif
