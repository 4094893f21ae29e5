#include "report/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static void print_to_stream(void *out, const char *bytes, size_t length)
{
    fwrite(bytes, 1, length, out);
}

static void print_to_text(void *out, const char *bytes, size_t length)
{
    text_append_bytes(out, bytes, length);
}

static yajl_gen begin(yajl_print_t print, void *out)
{
    yajl_gen json = yajl_gen_alloc(NULL);
    if (!json)
        abort();
    yajl_gen_config(json, yajl_gen_print_callback, print, out);
    yajl_gen_map_open(json);
    return json;
}

yajl_gen json_begin(FILE *out)
{
    return begin(print_to_stream, out);
}

void json_end(yajl_gen json, FILE *out)
{
    yajl_gen_map_close(json);
    yajl_gen_free(json);
    fputc('\n', out);
}

yajl_gen json_begin_text(struct text *text)
{
    return begin(print_to_text, text);
}

void json_end_text(yajl_gen json)
{
    yajl_gen_map_close(json);
    yajl_gen_free(json);
}

void json_add_item(yajl_gen json, const char *string)
{
    struct text valid = TEXT_EMPTY;
    utf8_append_valid(&valid, string, strlen(string));
    yajl_gen_string(json, (const unsigned char *)text_string(&valid), valid.length);
    text_release(&valid);
}

/* Whatever is a JSON value already: yajl writes numbers as they are given. */
void json_add_raw(yajl_gen json, const char *value)
{
    yajl_gen_number(json, value, strlen(value));
}

void json_add_key(yajl_gen json, const char *key)
{
    if (key)
        json_add_item(json, key);
}

void json_open_list(yajl_gen json, const char *key)
{
    json_add_key(json, key);
    yajl_gen_array_open(json);
}

void json_open_object(yajl_gen json, const char *key)
{
    json_add_key(json, key);
    yajl_gen_map_open(json);
}

void json_add_text(yajl_gen json, const char *key, const char *text)
{
    json_add_key(json, key);
    if (text)
        json_add_item(json, text);
    else
        yajl_gen_null(json);
}

void json_add_number(yajl_gen json, const char *key, uint64_t number)
{
    char digits[24];
    json_add_key(json, key);
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    json_add_raw(json, digits);
}

void json_add_integer(yajl_gen json, const char *key, int64_t integer)
{
    char digits[24];
    json_add_key(json, key);
    snprintf(digits, sizeof digits, "%" PRId64, integer);
    json_add_raw(json, digits);
}

void json_add_boolean(yajl_gen json, const char *key, bool boolean)
{
    json_add_key(json, key);
    yajl_gen_bool(json, boolean);
}

void json_add_seconds(yajl_gen json, double seconds)
{
    char digits[40];
    json_add_key(json, "seconds");
    snprintf(digits, sizeof digits, "%.6f", seconds);
    json_add_raw(json, digits);
}

void json_add_texts(yajl_gen json, const char *key, const char *const *texts, size_t count)
{
    json_open_list(json, key);
    for (size_t i = 0; i < count; i++)
        json_add_item(json, texts[i]);
    yajl_gen_array_close(json);
}

void json_add_indices(yajl_gen json, const char *key, const uint32_t *indices, size_t length)
{
    json_open_list(json, key);
    for (size_t i = 0; i < length; i++)
        yajl_gen_integer(json, indices[i]);
    yajl_gen_array_close(json);
}

void json_add_trace_head(yajl_gen json, const char *command, uint64_t hash)
{
    char digits[40];
    snprintf(digits, sizeof digits, "xxh3:%016" PRIx64, hash);
    json_add_text(json, "command", command);
    json_add_text(json, "version", lp_version());
    json_add_text(json, "hash", digits);
}
