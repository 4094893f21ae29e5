#include "report/tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

yajl_val tree_find(yajl_val object, const char *key, yajl_type type)
{
    const char *path[] = {key, NULL};
    return object ? yajl_tree_get(object, path, type) : NULL;
}

static char *copy(const char *string)
{
    struct text text = TEXT_EMPTY;
    text_append(&text, string);
    return text_take(&text);
}

char *tree_text(yajl_val object, const char *key)
{
    yajl_val found = tree_find(object, key, yajl_t_string);
    return found ? copy(YAJL_GET_STRING(found)) : NULL;
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
        (*texts)[*count] = copy(YAJL_GET_STRING(item));
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
