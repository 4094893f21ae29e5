#include "base/codec.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"

#define ZLIB_SIZE ((size_t)48 << 10)  /* what inflate takes: 32 KiB of window and some tables */
#define MOST      ((size_t)128 << 10) /* bytes of a step of inflate, which counts in uInt */

struct codec {
    enum codec_kind kind;
    const char *name;
    struct budget *budget;
    bool inside;
    z_stream zlib;
    ZSTD_DCtx *zstd;
    size_t charged; /* for what the libraries allocate */
};

static enum status refused(const char *name, struct error *error)
{
    return error_set(error, STATUS_LIMIT, name, 0, "the memory limit is reached");
}

enum status codec_open(enum codec_kind kind, const char *name, struct budget *budget,
                       struct codec **codec, struct error *error)
{
    struct codec *opened = memory_zeroed(budget, sizeof *opened);
    *codec = NULL;
    if (!opened)
        return refused(name, error);
    *opened = (struct codec){.kind = kind, .name = name, .budget = budget};
    bool ready = true;
    if (kind == CODEC_GZIP && (ready = budget_charge(budget, ZLIB_SIZE))) {
        opened->charged = ZLIB_SIZE;
        ready = inflateInit2(&opened->zlib, 15 + 16) == Z_OK;
    } else if (kind == CODEC_ZSTD) {
        opened->zstd = ZSTD_createDCtx();
        ready = opened->zstd;
    }
    if (!ready) {
        codec_close(opened);
        return refused(name, error);
    }
    *codec = opened;
    return STATUS_OK;
}

enum status codec_damaged(const struct codec *codec, const char *how, struct error *error)
{
    return error_set(error, STATUS_INPUT, codec->name, 0, "the %s data %s",
                     codec->kind == CODEC_GZIP ? "gzip" : "zstd", how);
}

bool codec_is_inside(const struct codec *codec)
{
    return codec->inside;
}

static enum status gzip_step(struct codec *codec, const unsigned char *bytes, size_t length,
                             size_t *taken, unsigned char *buffer, size_t size, size_t *got,
                             struct error *error)
{
    z_stream *zlib = &codec->zlib;
    if (!codec->inside)
        inflateReset(zlib);
    codec->inside = true;
    zlib->next_in = (unsigned char *)bytes;
    zlib->avail_in = (uInt)(length < MOST ? length : MOST);
    zlib->next_out = buffer;
    zlib->avail_out = (uInt)(size < MOST ? size : MOST);
    uInt all = zlib->avail_in, room = zlib->avail_out;
    int result = inflate(zlib, Z_NO_FLUSH);
    *taken = all - zlib->avail_in;
    *got = room - zlib->avail_out;
    if (result == Z_STREAM_END)
        codec->inside = false;
    else if (result == Z_MEM_ERROR)
        return refused(codec->name, error);
    else if (result != Z_OK && result != Z_BUF_ERROR)
        return codec_damaged(codec, "is damaged", error);
    return STATUS_OK;
}

/* Its memory depends on the frame's window, which is known only now. */
static enum status zstd_step(struct codec *codec, const unsigned char *bytes, size_t length,
                             size_t *taken, unsigned char *buffer, size_t size, size_t *got,
                             struct error *error)
{
    ZSTD_inBuffer in = {bytes, length, 0};
    ZSTD_outBuffer out = {buffer, size, 0};
    size_t hint = ZSTD_decompressStream(codec->zstd, &out, &in);
    *taken = in.pos;
    *got = out.pos;
    if (ZSTD_isError(hint))
        return codec_damaged(codec,
                             ZSTD_getErrorCode(hint) == ZSTD_error_frameParameter_windowTooLarge
                                 ? "needs more memory than zstd allows by default"
                                 : "is damaged",
                             error);
    codec->inside = hint != 0;
    size_t needed = ZSTD_sizeof_DCtx(codec->zstd);
    if (needed > codec->charged) {
        if (!budget_charge(codec->budget, needed - codec->charged))
            return refused(codec->name, error);
        codec->charged = needed;
    }
    return STATUS_OK;
}

enum status codec_step(struct codec *codec, const unsigned char *bytes, size_t length,
                       size_t *taken, unsigned char *buffer, size_t size, size_t *got,
                       struct error *error)
{
    return codec->kind == CODEC_GZIP
               ? gzip_step(codec, bytes, length, taken, buffer, size, got, error)
               : zstd_step(codec, bytes, length, taken, buffer, size, got, error);
}

void codec_close(struct codec *codec)
{
    if (!codec)
        return;
    if (codec->kind == CODEC_GZIP)
        inflateEnd(&codec->zlib);
    ZSTD_freeDCtx(codec->zstd);
    budget_refund(codec->budget, codec->charged);
    memory_release(codec->budget, codec, sizeof *codec);
}
