/* Trees are yajl's, which bounds neither their depth (it releases them recursively) nor says where
 * something is. So the text is read twice: first by callbacks that look at both. */
#include "report/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#include "base/memory.h"
#include "base/text.h"

/* What the first reading has seen. */
struct look {
    unsigned depth;
    bool too_deep;
    char number[64]; /* of more than 64 bits, or its beginning; empty: none */
};

static int on_open(void *context)
{
    struct look *look = context;
    look->too_deep = look->depth == TREE_MAX_DEPTH;
    look->depth++;
    return !look->too_deep;
}

static int on_close(void *context)
{
    struct look *look = context;
    look->depth--;
    return 1;
}

static int on_number(void *context, const char *digits, size_t length)
{
    struct look *look = context;
    char *end;
    snprintf(look->number, sizeof look->number, "%.*s", (int)length, digits);
    errno = 0;
    (void)strtoll(look->number, &end, 10);
    bool integer = strspn(look->number, "-0123456789") == strlen(look->number);
    if (integer && (errno || length >= sizeof look->number))
        return 0;
    look->number[0] = '\0';
    return 1;
}

static enum status complain(const char *path, uint32_t line, const struct look *look,
                            const char *said, struct error *error)
{
    if (look->too_deep)
        return error_set(error, STATUS_INPUT, path, line,
                         "expected at most %d collections within one another, found more",
                         TREE_MAX_DEPTH);
    if (look->number[0])
        return error_set(error, STATUS_INPUT, path, line,
                         "expected an integer of at most 64 bits, found %s", look->number);
    return error_set(error, STATUS_INPUT, path, line,
                     "expected a trace as --trace of `linchpin check`, `verify`, `cover` or `test` "
                     "writes it, found something that is not JSON (%.*s)",
                     (int)strcspn(said, ".\n"), said);
}

enum status tree_parse(const char *path, const struct text *bytes, yajl_val *root,
                       struct error *error)
{
    static const yajl_callbacks callbacks = {.yajl_start_map = on_open,
                                             .yajl_end_map = on_close,
                                             .yajl_start_array = on_open,
                                             .yajl_end_array = on_close,
                                             .yajl_number = on_number};
    struct look look = {0};
    const char *letters = text_string(bytes);
    yajl_handle reader = yajl_alloc(&callbacks, NULL, &look);
    if (!reader)
        abort();
    *root = NULL;
    yajl_status read = yajl_parse(reader, (const unsigned char *)letters, bytes->length);
    if (read == yajl_status_ok)
        read = yajl_complete_parse(reader);
    if (read == yajl_status_ok)
        *root = yajl_tree_parse(letters, NULL, 0); /* null as well behind a zero byte */
    if (!*root) {
        size_t at = yajl_get_bytes_consumed(reader);
        uint32_t line = 1;
        for (size_t i = 0; i < at && i < bytes->length; i++)
            line += letters[i] == '\n';
        unsigned char *said = yajl_get_error(reader, 0, NULL, 0);
        enum status status = complain(path, line, &look, said ? (char *)said : "", error);
        if (said)
            yajl_free_error(reader, said);
        yajl_free(reader);
        return status;
    }
    yajl_free(reader);
    return STATUS_OK;
}

yajl_val tree_find(yajl_val object, const char *key, yajl_type type)
{
    const char *path[] = {key, NULL};
    return object ? yajl_tree_get(object, path, type) : NULL;
}

char *tree_text(yajl_val object, const char *key)
{
    yajl_val found = tree_find(object, key, yajl_t_string);
    return found ? text_copy(YAJL_GET_STRING(found)) : NULL;
}

/* The list of that key, null if there is none; false if it is something else. */
static bool find_list(yajl_val object, const char *key, yajl_val *list, size_t *length)
{
    yajl_val found = tree_find(object, key, yajl_t_any);
    *list = found && YAJL_IS_ARRAY(found) ? found : NULL;
    *length = *list ? YAJL_GET_ARRAY(found)->len : 0;
    return *list || !found || YAJL_IS_NULL(found);
}

bool tree_texts(yajl_val object, const char *key, char ***texts, size_t *count)
{
    yajl_val found;
    size_t length;
    bool good = find_list(object, key, &found, &length);
    *texts = memory_small((length + 1) * sizeof **texts);
    for (*count = 0; *count < length; ++*count) {
        yajl_val item = YAJL_GET_ARRAY(found)->values[*count];
        if (!YAJL_IS_STRING(item))
            return false;
        (*texts)[*count] = text_copy(YAJL_GET_STRING(item));
    }
    return good;
}

bool tree_boolean(yajl_val object, const char *key)
{
    return tree_find(object, key, yajl_t_true) != NULL;
}

static bool is_index(yajl_val number)
{
    return YAJL_IS_INTEGER(number) && YAJL_GET_INTEGER(number) >= 0 &&
           YAJL_GET_INTEGER(number) < UINT32_MAX;
}

bool tree_number(yajl_val object, const char *key, uint32_t *number)
{
    yajl_val found = tree_find(object, key, yajl_t_number);
    if (!found || !is_index(found))
        return false;
    *number = (uint32_t)YAJL_GET_INTEGER(found);
    return true;
}

bool tree_indices(yajl_val object, const char *key, uint32_t **indices, size_t *length)
{
    yajl_val found;
    size_t count;
    bool good = find_list(object, key, &found, &count);
    *indices = memory_small(count * sizeof **indices);
    for (*length = 0; *length < count; ++*length) {
        yajl_val item = YAJL_GET_ARRAY(found)->values[*length];
        if (!is_index(item))
            return false;
        (*indices)[*length] = (uint32_t)YAJL_GET_INTEGER(item);
    }
    return good;
}

bool tree_hash(yajl_val object, const char *key, uint64_t *hash)
{
    char *text = tree_text(object, key);
    int used = 0;
    bool good = text && sscanf(text, "xxh3:%" SCNx64 "%n", hash, &used) == 1 && !text[used];
    free(text);
    return good;
}
