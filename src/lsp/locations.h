/* Places in files, as the protocol has them: of those that are open in the editor's words, of
 * others as they are on the disk. */
#ifndef LSP_LOCATIONS_H
#define LSP_LOCATIONS_H

#include "lsp/state.h"

/* The file that was asked for last is kept. */
struct locations {
    const struct server *server;
    const struct document *document; /* which is analysed */
    char *file, *uri;
    struct text text;
    struct lines lines;
};

void locations_init(struct locations *locations, const struct server *server,
                    const struct document *document);
void locations_release(struct locations *locations);

/* Writes the URI and the range of `length` bytes at a line and column as linchpin's messages have
 * them (0: the line's first letter). The file is null where it is the document's own. */
void locations_add(struct locations *locations, yajl_gen json, const char *file, uint32_t line,
                   uint32_t column, size_t length);

/* Where a document includes a file, be it by way of another one: between the quotes. The first
 * letter of the document if nothing is included. */
size_t locations_include(const struct document *document, const char *file);

#endif
