/* Unpacking gzip and zstd: below base/source.h. */
#ifndef BASE_CODEC_H
#define BASE_CODEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/limits.h"
#include "base/status.h"

enum codec_kind {
    CODEC_NONE,
    CODEC_GZIP,
    CODEC_ZSTD,
};

struct codec;

/* A codec of that kind, not CODEC_NONE, for data of that name, which must outlive it. STATUS_LIMIT;
 * STATUS_INPUT where the program has none. */
enum status codec_open(enum codec_kind kind, const char *name, struct budget *budget,
                       struct codec **codec, struct error *error) MUST_CHECK;

/* Unpacks some of `length` bytes into `buffer`: *taken of them, *got bytes of `size`. STATUS_INPUT
 * for damaged data, STATUS_LIMIT. */
enum status codec_step(struct codec *codec, const unsigned char *bytes, size_t length,
                       size_t *taken, unsigned char *buffer, size_t size, size_t *got,
                       struct error *error) MUST_CHECK;

/* Whether it is in the middle of a member or frame. */
bool codec_is_inside(const struct codec *codec);

/* STATUS_INPUT, "the gzip data is damaged". */
enum status codec_damaged(const struct codec *codec, const char *how,
                          struct error *error) MUST_CHECK;

/* Null is none. */
void codec_close(struct codec *codec);

#endif
