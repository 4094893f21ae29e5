/* The history formats that there are, and reading a file in whichever it is written. */
#ifndef HISTORY_FORMATS_H
#define HISTORY_FORMATS_H

#include "history/format.h"

const struct format *const *formats(size_t *count);
const struct format *format_find(const char *name);

/* The same; STATUS_USAGE, with the names there are, if there is none. */
enum status format_named(const char *name, const struct format **format,
                         struct error *error) MUST_CHECK;

/* The format of a file that begins so, and perhaps goes on; null: none is recognised. */
const struct format *format_recognise(const char *head, size_t length);

/* Reads every history of the file. The same file read with any number of threads gives the same
 * histories, and the same first error. An empty file is one empty history. STATUS_INPUT as
 * format->read and order_apply say, or when no format is recognised (the message lists them);
 * STATUS_LIMIT;
 * on any failure `histories` is left empty. */
enum status histories_read(struct source *source, struct value_pool *pool, struct budget *budget,
                           const struct read_options *options, struct histories *histories,
                           struct error *error) MUST_CHECK;
void histories_release(struct histories *histories); /* destroys those it still holds */

#endif
