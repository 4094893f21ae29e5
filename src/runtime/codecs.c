/* In place of base/codec.c, which needs libraries that a program under test must not be given: the
 * specifications that a test program reads are not packed. */
#include "base/codec.h"

enum status codec_open(enum codec_kind kind, const char *name, struct budget *budget,
                       struct codec **codec, struct error *error)
{
    (void)kind;
    (void)budget;
    *codec = NULL;
    return error_set(error, STATUS_INPUT, name, 0,
                     "expected a specification as it is, found a packed one");
}

/* There is no codec: the rest is never called. */

enum status codec_step(struct codec *codec, const unsigned char *bytes, size_t length,
                       size_t *taken, unsigned char *buffer, size_t size, size_t *got,
                       struct error *error)
{
    (void)bytes;
    (void)length;
    (void)buffer;
    (void)size;
    *taken = *got = 0;
    return codec_damaged(codec, "cannot be unpacked", error);
}

bool codec_is_inside(const struct codec *codec)
{
    (void)codec;
    return false;
}

enum status codec_damaged(const struct codec *codec, const char *how, struct error *error)
{
    (void)codec;
    return error_set(error, STATUS_INPUT, NULL, 0, "the data %s", how);
}

void codec_close(struct codec *codec)
{
    (void)codec;
}
