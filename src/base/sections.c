#include "base/sections.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"

#define KEY SECTION_TAG('k', 'e', 'y', ' ')

static const char magic[8] = {'l', 'i', 'n', 'c', 'h', 'p', 'i', 'n'};

struct head {
    char magic[8];
    uint32_t kind, version;
};

struct block_head {
    uint32_t tag, length;
    uint64_t hash;
};

_Static_assert(sizeof(struct head) == 16 && sizeof(struct block_head) == 16, "no gaps");

static uint64_t block_hash(uint64_t before, uint32_t tag, uint32_t length, const void *bytes)
{
    return hash_pair(hash_bytes(bytes, length, before), (uint64_t)tag << 32 | length);
}

/* ---- writing ---- */

static void put_out(struct sections_out *out, const void *bytes, size_t length)
{
    if (length && fwrite(bytes, 1, length, output_stream(out->output)) != length)
        out->failed = true;
    out->written += length;
}

enum status sections_create(const char *path, uint32_t kind, uint32_t version,
                            struct sections_out **out, struct error *error)
{
    struct output *output;
    *out = NULL;
    TRY(output_open(path, &output, error));
    struct sections_out *made = memory_small(sizeof *made);
    made->output = output;
    made->path = text_copy(path);
    made->written = made->tag = made->length = 0;
    made->failed = false;
    struct head head = {.kind = kind, .version = version};
    memcpy(head.magic, magic, sizeof magic);
    made->hash = hash_bytes(&head, sizeof head, 0);
    put_out(made, &head, sizeof head);
    *out = made;
    return STATUS_OK;
}

static void put_block(struct sections_out *out)
{
    out->hash = block_hash(out->hash, out->tag, out->length, out->block);
    const struct block_head head = {out->tag, out->length, out->hash};
    put_out(out, &head, sizeof head);
    put_out(out, out->block, out->length);
    out->length = 0;
}

void sections_flush(struct sections_out *out)
{
    if (out->length)
        put_block(out);
}

void sections_begin(struct sections_out *out, uint32_t tag)
{
    sections_flush(out);
    out->tag = tag;
}

void sections_put_bytes(struct sections_out *out, const void *bytes, size_t length)
{
    for (const unsigned char *from = bytes; length > 0;) {
        size_t part = SECTION_BLOCK - out->length;
        part = part < length ? part : length;
        memcpy(out->block + out->length, from, part);
        out->length += (uint32_t)part;
        from += part;
        length -= part;
        if (out->length == SECTION_BLOCK)
            sections_flush(out);
    }
}

void sections_put_text(struct sections_out *out, const char *text)
{
    sections_put(out, text ? strlen(text) + 1 : 0);
    if (text)
        sections_put_bytes(out, text, strlen(text));
}

void sections_put_key(struct sections_out *out, const char *key)
{
    sections_begin(out, KEY);
    sections_put_text(out, key);
}

static void out_free(struct sections_out *out)
{
    free(out->path);
    free(out);
}

enum status sections_commit(struct sections_out *out, struct error *error)
{
    sections_begin(out, 0);
    put_block(out);
    FILE *stream = output_stream(out->output);
    errno = 0;
    const bool written = fflush(stream) == 0 && !out->failed;
    if (!written) {
        enum status status = error_set(error, STATUS_USAGE, NULL, 0, "cannot write '%s': %s",
                                       out->path, strerror(errno ? errno : ENOSPC));
        sections_abandon(out);
        return status;
    }
    enum status status = output_commit(out->output, error);
    out_free(out);
    return status;
}

void sections_abandon(struct sections_out *out)
{
    if (!out)
        return;
    output_abandon(out->output);
    out_free(out);
}

/* ---- reading ---- */

struct sections_in {
    FILE *stream;
    char *path;
    uint64_t hash;
    uint32_t tag, length, at; /* of the block at hand */
    bool has_block;           /* one was read whose tag nobody has asked for */
    unsigned char block[SECTION_BLOCK];
};

enum status sections_damaged(const struct sections_in *in, const char *how, struct error *error)
{
    return error_set(error, STATUS_INPUT, in->path, 0, "the checkpoint is damaged: %s", how);
}

static enum status read_head(struct sections_in *in, uint32_t kind, uint32_t version,
                             struct error *error)
{
    struct head head;
    if (fread(&head, 1, sizeof head, in->stream) != sizeof head)
        return sections_damaged(in, "it is shorter than any", error);
    if (memcmp(head.magic, magic, sizeof magic) != 0 || head.kind != kind)
        return error_set(error, STATUS_INPUT, in->path, 0,
                         "expected a checkpoint of linchpin, found another file");
    if (head.version != version)
        return error_set(error, STATUS_INPUT, in->path, 0,
                         "expected a checkpoint of format %u, found one of format %u", version,
                         head.version);
    in->hash = hash_bytes(&head, sizeof head, 0);
    return STATUS_OK;
}

enum status sections_open(const char *path, uint32_t kind, uint32_t version,
                          struct sections_in **in, struct error *error)
{
    *in = NULL;
    FILE *stream = fopen(path, "rb");
    if (!stream && errno == ENOENT)
        return STATUS_OK;
    if (!stream)
        return error_set(error, STATUS_USAGE, NULL, 0, "cannot read '%s': %s", path,
                         strerror(errno));
    struct sections_in *opened = memory_small(sizeof *opened);
    opened->stream = stream;
    opened->path = text_copy(path);
    opened->tag = opened->length = opened->at = 0;
    opened->has_block = false;
    enum status status = read_head(opened, kind, version, error);
    if (status != STATUS_OK) {
        sections_close(opened);
        opened = NULL;
    }
    *in = opened;
    return status;
}

void sections_close(struct sections_in *in)
{
    if (!in)
        return;
    fclose(in->stream);
    free(in->path);
    free(in);
}

static enum status read_block(struct sections_in *in, struct error *error)
{
    struct block_head head;
    if (fread(&head, 1, sizeof head, in->stream) != sizeof head)
        return sections_damaged(in, "its end is missing", error);
    if (head.length > SECTION_BLOCK)
        return sections_damaged(in, "a block is longer than any", error);
    if (fread(in->block, 1, head.length, in->stream) != head.length)
        return sections_damaged(in, "its end is missing", error);
    in->hash = block_hash(in->hash, head.tag, head.length, in->block);
    if (in->hash != head.hash)
        return sections_damaged(in, "a block is not what was written", error);
    in->tag = head.tag;
    in->length = head.length;
    in->at = 0;
    return STATUS_OK;
}

/* Sections that nothing was put into have no block, but for the last. */
enum status sections_enter(struct sections_in *in, uint32_t tag, struct error *error)
{
    if (in->at < in->length && !in->has_block)
        return sections_damaged(in, "a section is longer than expected", error);
    if (!in->has_block)
        TRY(read_block(in, error));
    in->has_block = in->tag != tag;
    if (tag == 0 && (in->has_block || in->length > 0 || getc(in->stream) != EOF))
        return sections_damaged(in, "it goes on behind its end", error);
    return STATUS_OK;
}

/* Has at least a byte in the block. */
static enum status go_on(struct sections_in *in, struct error *error)
{
    const uint32_t tag = in->tag;
    if (in->has_block)
        return sections_damaged(in, "a section is missing", error);
    if (in->at < in->length)
        return STATUS_OK;
    TRY(read_block(in, error));
    if (in->tag == tag && in->length > 0)
        return STATUS_OK;
    return sections_damaged(in, "a section is shorter than expected", error);
}

enum status sections_take(struct sections_in *in, uint64_t *number, struct error *error)
{
    *number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        TRY(go_on(in, error));
        const unsigned char byte = in->block[in->at++];
        *number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return STATUS_OK;
    }
    return sections_damaged(in, "a number is too long", error);
}

enum status sections_take_below(struct sections_in *in, uint64_t below, uint64_t *number,
                                struct error *error)
{
    TRY(sections_take(in, number, error));
    return *number < below ? STATUS_OK
                           : sections_damaged(in, "a number is greater than it can be", error);
}

enum status sections_take_bytes(struct sections_in *in, void *bytes, size_t length,
                                struct error *error)
{
    for (unsigned char *to = bytes; length > 0;) {
        TRY(go_on(in, error));
        size_t part = in->length - in->at;
        part = part < length ? part : length;
        memcpy(to, in->block + in->at, part);
        in->at += (uint32_t)part;
        to += part;
        length -= part;
    }
    return STATUS_OK;
}

enum status sections_take_text(struct sections_in *in, char **text, struct error *error)
{
    uint64_t length;
    char byte[64];
    struct text taken = TEXT_EMPTY;
    enum status status = STATUS_OK;
    *text = NULL;
    TRY(sections_take(in, &length, error));
    if (length == 0)
        return STATUS_OK;
    for (uint64_t left = length - 1; left > 0 && status == STATUS_OK;) {
        const size_t part = left < sizeof byte ? (size_t)left : sizeof byte;
        status = sections_take_bytes(in, byte, part, error);
        if (status == STATUS_OK)
            text_append_bytes(&taken, byte, part);
        left -= part;
    }
    if (status == STATUS_OK)
        *text = text_take(&taken);
    text_release(&taken);
    return status;
}

/* ---- the key ---- */

/* Where the line at `at` begins. */
static size_t line_at(const char *key, size_t at)
{
    while (at > 0 && key[at - 1] != '\n')
        at--;
    return at;
}

static enum status complain_of_key(const char *path, const char *found, const char *key,
                                   struct error *error)
{
    size_t same = 0;
    while (found[same] && found[same] == key[same])
        same++;
    const char *expected = key + line_at(key, same), *other = found + line_at(found, same);
    return error_set(error, STATUS_INPUT, path, 0,
                     "expected a checkpoint of `%.*s`, found one of `%.*s`",
                     (int)strcspn(expected, "\n"), expected, (int)strcspn(other, "\n"), other);
}

enum status sections_take_key(struct sections_in *in, const char *key, bool behind,
                              struct error *error)
{
    char *found = NULL;
    TRY(sections_enter(in, KEY, error));
    TRY(sections_take_text(in, &found, error));
    const char *first = found && behind ? strchr(found, '\n') : NULL;
    const char *compared = first ? first + 1 : found ? found : "";
    enum status status =
        strcmp(compared, key) == 0 ? STATUS_OK : complain_of_key(in->path, compared, key, error);
    free(found);
    return status;
}
