/* The names of a document that is analysed. */
#ifndef LSP_RESOLVED_H
#define LSP_RESOLVED_H

#include "lsp/document.h"

/* The byte where it stands; false: in another file. */
bool resolved_start(const struct document *document, const lp_name *name, size_t *start);

/* The name at or right before a byte. */
bool resolved_find(const struct document *document, size_t offset, lp_name *name);

/* Whether two mean the same. */
bool resolved_same(const lp_name *one, const lp_name *other);

/* Whether it stands where it is declared. */
bool resolved_declares(const lp_name *name);

#endif
