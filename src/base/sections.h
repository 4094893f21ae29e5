/* A file of sections, for work that is to survive the end of the program: it stands there whole or
 * not at all, whenever the program is killed, and what was damaged since is noticed.
 *
 *     head    "linchpin", kind and version of what is in it
 *     block   tag of the section, bytes, hash; so many bytes
 *     ...     the last one is of the section 0 and has none
 *
 * A section is one or more blocks. The hash of a block is one of all that stands before it, too, so
 * that blocks are those that were written, in their order. Numbers are written seven bits a byte,
 * the least first. */
#ifndef BASE_SECTIONS_H
#define BASE_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/faults.h"
#include "base/status.h"

#define SECTION_BLOCK ((size_t)SIZE_OR_SMALL(1 << 16, 64)) /* bytes, at most */

/* A tag or a kind: four letters. */
#define SECTION_TAG(a, b, c, d)                                                                    \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

struct output;

struct sections_out {
    struct output *output;
    char *path;
    uint64_t written; /* bytes */
    uint64_t hash;    /* of the blocks so far */
    uint32_t tag;     /* of the section that is being written; 0: none is yet */
    uint32_t length;  /* of its last block */
    bool failed;      /* something could not be written: sections_commit says why */
    unsigned char block[SECTION_BLOCK];
};

/* Begins a file that will stand at `path` once it is committed; until then what is there stays. It
 * is released by sections_commit or sections_abandon. STATUS_USAGE with the system's reason. */
enum status sections_create(const char *path, uint32_t kind, uint32_t version,
                            struct sections_out **out, struct error *error) MUST_CHECK;

/* Begins a section. What cannot be written is told by sections_commit. */
void sections_begin(struct sections_out *out, uint32_t tag);

void sections_put_bytes(struct sections_out *out, const void *bytes, size_t length);
void sections_flush(struct sections_out *out);

static inline void sections_put(struct sections_out *out, uint64_t number)
{
    if (out->length + 10 > SECTION_BLOCK)
        sections_flush(out);
    unsigned char *at = out->block + out->length;
    for (; number >= 128; number >>= 7)
        *at++ = (unsigned char)(number | 128);
    *at++ = (unsigned char)number;
    out->length = (uint32_t)(at - out->block);
}

/* A text with its length; null is one of its own. */
void sections_put_text(struct sections_out *out, const char *text);

/* Begins a file with a text of lines, which say what it is about: "model: 12ab". */
void sections_put_key(struct sections_out *out, const char *key);

/* Puts the file in its place, on the disk, and releases it. STATUS_USAGE: something could not be
 * written (a full disk); what stood there before still stands. */
enum status sections_commit(struct sections_out *out, struct error *error) MUST_CHECK;
void sections_abandon(struct sections_out *out); /* null: nothing */

struct sections_in;

/* Opens a file of a kind. *in is null where there is none. STATUS_INPUT: it is none of these, or of
 * another version. */
enum status sections_open(const char *path, uint32_t kind, uint32_t version,
                          struct sections_in **in, struct error *error) MUST_CHECK;
void sections_close(struct sections_in *in); /* null: nothing */

/* What follows is to be this section, with all of the one before read; 0: the end of the file.
 * STATUS_INPUT: the file is damaged; so for those below. */
enum status sections_enter(struct sections_in *in, uint32_t tag, struct error *error) MUST_CHECK;
enum status sections_take(struct sections_in *in, uint64_t *number, struct error *error) MUST_CHECK;

/* A number that is less than `below`. */
enum status sections_take_below(struct sections_in *in, uint64_t below, uint64_t *number,
                                struct error *error) MUST_CHECK;
enum status sections_take_bytes(struct sections_in *in, void *bytes, size_t length,
                                struct error *error) MUST_CHECK;

/* Reads what a file begins with, which must be this (`behind`: its first line need not be, and is
 * not in `key`). STATUS_INPUT names the first line that differs. */
enum status sections_take_key(struct sections_in *in, const char *key, bool behind,
                              struct error *error) MUST_CHECK;

/* A text, or null, to be released with free(). */
enum status sections_take_text(struct sections_in *in, char **text, struct error *error) MUST_CHECK;

/* "the checkpoint is damaged: ..." */
enum status sections_damaged(const struct sections_in *in, const char *how,
                             struct error *error) MUST_CHECK;

#endif
