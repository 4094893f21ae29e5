#include "support/csp_random_tree.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#define HOLE "@@"

struct random_node *random_node_list(struct arena *arena, enum random_sort sort, const char *format,
                                     struct random_node *const *children, unsigned count)
{
    struct random_node *node = arena_allocate(arena, sizeof *node);
    assert(node);
    *node = (struct random_node){sort, count, arena_copy_text(arena, format, strlen(format)),
                                 arena_allocate(arena, (count + 1) * sizeof(struct random_node *))};
    assert(node->format && node->children);
    if (count)
        memcpy(node->children, children, count * sizeof(struct random_node *));
    return node;
}

struct random_node *random_node_make(struct arena *arena, enum random_sort sort, const char *format,
                                     ...)
{
    struct random_node *children[20];
    unsigned count = 0;
    va_list arguments;
    va_start(arguments, format);
    for (struct random_node *child; (child = va_arg(arguments, struct random_node *)) != NULL;)
        children[count++] = child;
    va_end(arguments);
    return random_node_list(arena, sort, format, children, count);
}

struct random_node *random_node_copy(struct arena *arena, const struct random_node *node)
{
    struct random_node *copy =
        random_node_list(arena, node->sort, node->format, node->children, node->count);
    for (unsigned i = 0; i < copy->count; i++)
        copy->children[i] = random_node_copy(arena, node->children[i]);
    return copy;
}

void random_node_print(const struct random_node *node, struct text *text)
{
    const char *at = node->format;
    for (unsigned i = 0; i < node->count; i++) {
        const char *hole = strstr(at, HOLE);
        if (hole) {
            text_append_bytes(text, at, (size_t)(hole - at));
            at = hole + strlen(HOLE);
        }
        random_node_print(node->children[i], text); /* a list's children need no holes */
    }
    text_append(text, at);
}

bool random_node_walk(struct random_node **root, random_place_visit *visit, void *context)
{
    if (!visit(context, root))
        return false;
    struct random_node *node = *root;
    for (unsigned i = 0; i < node->count; i++)
        if (!random_node_walk(&node->children[i], visit, context))
            return false;
    return true;
}

/* The `*number`th proper part of that sort; counts down. */
static struct random_node *find_part(const struct random_node *node, enum random_sort sort,
                                     unsigned *number)
{
    for (unsigned i = 0; i < node->count; i++)
        if (node->children[i]->sort == sort && (*number)-- == 0)
            return node->children[i];
    for (unsigned i = 0; i < node->count; i++)
        if (node->children[i]->sort != sort) {
            struct random_node *found = find_part(node->children[i], sort, number);
            if (found)
                return found;
        }
    return NULL;
}

struct random_node *random_node_smaller(struct arena *arena, const struct random_node *node,
                                        unsigned number)
{
    static const char *const least[][2] = {
        [RANDOM_MODEL] = {NULL, NULL},       [RANDOM_DECLARATION] = {"", NULL},
        [RANDOM_PROCESS] = {"Stop", "Skip"}, [RANDOM_NUMBER] = {"0", "1"},
        [RANDOM_CONDITION] = {"true", NULL}, [RANDOM_STATEMENT] = {"", NULL},
        [RANDOM_PROGRAM] = {"", NULL},
    };
    for (unsigned i = 0; i < 2 && least[node->sort][i]; i++)
        if (number-- == 0)
            return random_node_make(arena, node->sort, least[node->sort][i], NULL);
    return node->sort == RANDOM_MODEL ? NULL : find_part(node, node->sort, &number);
}

const char *random_word(struct random *random, const char *const *words)
{
    unsigned count = 0;
    while (words[count])
        count++;
    return words[random_below(random, count)];
}

const char *random_formatted(struct arena *arena, const char *format, ...)
{
    struct text text = TEXT_EMPTY;
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&text, format, arguments);
    va_end(arguments);
    const char *copy = arena_copy_text(arena, text_string(&text), text.length);
    text_release(&text);
    assert(copy);
    return copy;
}
