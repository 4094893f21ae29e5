/* Bytes from a file, a pipe or memory, read in blocks; gzip and zstd are unpacked on the way. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/limits.h"
#include "base/status.h"

struct source;

/* Opens `path`, which must outlive the source and the errors that name it; "-" is standard input.
 * Nothing is read yet; compression is recognised from the first bytes when they are, whatever the
 * name. STATUS_INPUT, naming the file and the system's reason, when it cannot be opened or is a
 * folder; STATUS_LIMIT. */
enum status source_open(const char *path, struct budget *budget, struct source **source,
                        struct error *error) MUST_CHECK;

/* Reads from memory; `name` stands in messages. Both must outlive the source, `name` its errors. */
enum status source_open_memory(const char *name, const void *bytes, size_t length,
                               struct budget *budget, struct source **source,
                               struct error *error) MUST_CHECK;

/* From now on reading, also while it waits for a pipe or terminal, ends with STATUS_LIMIT soon
 * after the limits are reached. `limits` must outlive the source; null: none. */
void source_set_limits(struct source *source, const struct limits *limits);

/* Reads up to `size` bytes; *got = 0 only at the end. STATUS_INPUT for a read error or damaged
 * compressed data. */
enum status source_read(struct source *source, void *buffer, size_t size, size_t *got,
                        struct error *error) MUST_CHECK;

/* The first bytes without taking them, as many as there are up to `most` (at most 64 KiB): what
 * formats are recognised from. */
enum status source_peek(struct source *source, const char **bytes, size_t *length, size_t most,
                        struct error *error) MUST_CHECK;

/* Whether two paths lead to one file. One that does not exist is no other than itself. */
bool source_is_same(const char *one, const char *other);

/* For messages: the path, or "standard input". */
const char *source_name(const struct source *source);

/* xxh3 of all bytes delivered so far, after unpacking: identifies the input in traces. */
unsigned long long source_hash(const struct source *source);

/* Whether it is packed. Errors as source_read. */
enum status source_is_packed(struct source *source, bool *packed, struct error *error) MUST_CHECK;

void source_close(struct source *source);

#endif
