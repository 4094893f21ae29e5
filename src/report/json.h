/* Writing JSON: one object on one line for each result. The fields are described in
 * docs/manual/commands.md. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <stdio.h>

#include <yajl/yajl_gen.h>

#include <linchpin/linchpin.h>

#include "base/text.h"

/* A generator that writes one object to `out`, open for fields; json_end closes it and its line. */
yajl_gen json_begin(FILE *out);
void json_end(yajl_gen json, FILE *out);

/* The same at the end of a text; json_end_text closes the object and ends no line. */
yajl_gen json_begin_text(struct text *text);
void json_end_text(yajl_gen json);

/* A key, and a key with its value; a null key is none, of items of an array. Whatever is not UTF-8
 * is replaced. A null text is null. */
void json_add_key(yajl_gen json, const char *key);
void json_add_text(yajl_gen json, const char *key, const char *text);
void json_add_number(yajl_gen json, const char *key, uint64_t number);
void json_add_integer(yajl_gen json, const char *key, int64_t integer);
void json_add_boolean(yajl_gen json, const char *key, bool boolean);
void json_add_seconds(yajl_gen json, double seconds);

/* An array or object of that key, open for items or fields. */
void json_open_list(yajl_gen json, const char *key);
void json_open_object(yajl_gen json, const char *key);

/* A text as an item of an array that is open. */
void json_add_item(yajl_gen json, const char *text);

/* What is JSON already, as an item of an array that is open. */
void json_add_raw(yajl_gen json, const char *value);

/* Texts as an array, and indices. */
void json_add_texts(yajl_gen json, const char *key, const char *const *texts, size_t count);
void json_add_indices(yajl_gen json, const char *key, const uint32_t *indices, size_t length);

/* What every trace that is kept begins with: command, version, hash. */
void json_add_trace_head(yajl_gen json, const char *command, uint64_t hash);

#endif
