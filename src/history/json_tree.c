/* The parsing itself is yajl's: it calls back for every token, and we hang nodes into the tree.
 * `open` holds the way from the root to the collection being read; its depth is bounded, so the
 * recursion of json_value is. */
#include "history/json_tree.h"

#include <string.h>
#include <strings.h>

#include "history/json_feed.h"
#include "value/edn.h"
#include "value/json.h"

struct parser {
    struct json_feed feed;
    struct json_tree tree;
    json_visitor *visit;
    void *visitor;
    uint32_t open[VALUE_MAX_DEPTH];
    unsigned depth;             /* of `open` in use */
    bool in_array;              /* inside an array around all values */
    uint32_t name, name_length; /* of the member whose value comes next */
};

static uint32_t keep(struct parser *parser, const void *letters, size_t length)
{
    struct bytes *bytes = &parser->tree.bytes;
    size_t at = bytes->length;
    if (length > UINT32_MAX / 2 || at + length > UINT32_MAX / 2 ||
        !vector_reserve(bytes, at + length + 1))
        return UINT32_MAX;
    memcpy(bytes->items + at, letters, length);
    bytes->length += length;
    return (uint32_t)at;
}

static void hang(struct json_tree *tree, uint32_t parent, uint32_t child)
{
    struct json_node *node = &tree->nodes.items[parent];
    if (node->first)
        tree->nodes.items[node->last].next = child;
    else
        node->first = child;
    node->last = child;
}

/* A value outside every collection is complete: it is visited and the tree emptied. */
static int deliver(struct parser *parser)
{
    bool nothing = parser->tree.nodes.items[0].kind == JSON_NULL && !parser->in_array;
    enum status status = STATUS_OK;
    if (!nothing)
        status = parser->visit(parser->visitor, &parser->tree, parser->feed.error);
    parser->tree.nodes.length = 0;
    parser->tree.bytes.length = 0;
    return status == STATUS_OK ? 1 : json_feed_stop(&parser->feed, status);
}

static int add_node(struct parser *parser, enum json_kind kind, uint32_t text, size_t length)
{
    json_feed_called(&parser->feed);
    uint32_t place = (uint32_t)parser->tree.nodes.length;
    struct json_node node = {.kind = kind,
                             .line = json_feed_line(&parser->feed),
                             .text = text,
                             .text_length = (uint32_t)length};
    if (parser->depth > 0) {
        uint32_t parent = parser->open[parser->depth - 1];
        if (parser->tree.nodes.items[parent].kind == JSON_OBJECT) {
            node.name = parser->name;
            node.name_length = parser->name_length;
        }
        if (!vector_push(&parser->tree.nodes, node))
            return json_feed_refused(&parser->feed);
        hang(&parser->tree, parent, place);
    } else if (!vector_push(&parser->tree.nodes, node)) {
        return json_feed_refused(&parser->feed);
    }
    if (kind != JSON_ARRAY && kind != JSON_OBJECT)
        return parser->depth > 0 || deliver(parser);
    if (parser->depth == VALUE_MAX_DEPTH)
        return json_feed_unexpected(&parser->feed, json_feed_line(&parser->feed),
                                    "at most 200 collections within one another", "more");
    parser->open[parser->depth++] = place;
    return 1;
}

static int on_null(void *parser)
{
    return add_node(parser, JSON_NULL, 0, 0);
}

static int on_boolean(void *parser, int boolean)
{
    return add_node(parser, boolean ? JSON_TRUE : JSON_FALSE, 0, 0);
}

static int add_letters(struct parser *parser, enum json_kind kind, const void *letters,
                       size_t length)
{
    uint32_t text = keep(parser, letters, length);
    return text == UINT32_MAX ? json_feed_refused(&parser->feed)
                              : add_node(parser, kind, text, length);
}

static int on_number(void *context, const char *letters, size_t length)
{
    struct parser *parser = context;
    struct number number;
    return json_feed_number(&parser->feed, letters, length, &number) &&
           add_letters(parser, JSON_NUMBER, letters, length);
}

static int on_string(void *context, const unsigned char *letters, size_t length)
{
    struct parser *parser = context;
    return json_feed_text(&parser->feed, letters, length) &&
           add_letters(parser, JSON_STRING, letters, length);
}

static int on_key(void *context, const unsigned char *letters, size_t length)
{
    struct parser *parser = context;
    if (!json_feed_text(&parser->feed, letters, length))
        return 0;
    parser->name = keep(parser, letters, length);
    parser->name_length = (uint32_t)length;
    return parser->name == UINT32_MAX ? json_feed_refused(&parser->feed) : 1;
}

static int on_object(void *parser)
{
    return add_node(parser, JSON_OBJECT, 0, 0);
}

static int on_array(void *context)
{
    struct parser *parser = context;
    if (parser->depth > 0 || parser->in_array)
        return add_node(parser, JSON_ARRAY, 0, 0);
    parser->in_array = true;
    return 1;
}

static int on_end(void *context)
{
    struct parser *parser = context;
    if (parser->depth == 0) {
        parser->in_array = false;
        return 1;
    }
    return --parser->depth > 0 || deliver(parser);
}

enum status json_each(struct read_context *context, json_visitor *visit, void *visitor,
                      struct error *error)
{
    static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                             .yajl_boolean = on_boolean,
                                             .yajl_number = on_number,
                                             .yajl_string = on_string,
                                             .yajl_start_map = on_object,
                                             .yajl_map_key = on_key,
                                             .yajl_end_map = on_end,
                                             .yajl_start_array = on_array,
                                             .yajl_end_array = on_end};
    struct parser parser = {
        .tree = {.file = source_name(context->source)}, .visit = visit, .visitor = visitor};
    if (!json_feed_open(&parser.feed, context, &callbacks, &parser))
        return reading_stopped(context, error);
    vectors_init(context->budget, &parser.tree.nodes, &parser.tree.bytes);
    yajl_config(parser.feed.yajl, yajl_allow_multiple_values, 1);
    enum status status = json_feed_source(&parser.feed, error);
    json_feed_close(&parser.feed);
    vectors_release(&parser.tree.bytes, &parser.tree.nodes);
    return status;
}

uint32_t json_find(const struct json_tree *tree, uint32_t node, const char *name)
{
    const struct json_node *nodes = tree->nodes.items;
    size_t length = strlen(name);
    uint32_t found = 0;
    if (nodes[node].kind != JSON_OBJECT)
        return 0;
    for (uint32_t i = nodes[node].first; i; i = nodes[i].next)
        if (nodes[i].name_length == length &&
            !strncasecmp(tree->bytes.items + nodes[i].name, name, length))
            found = i;
    return found;
}

uint32_t json_member(const struct json_tree *tree, uint32_t node, const char *name)
{
    uint32_t found = json_find(tree, node, name);
    return found && tree->nodes.items[found].kind != JSON_NULL ? found : 0;
}

uint32_t json_count(const struct json_tree *tree, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t i = tree->nodes.items[node].first; i; i = tree->nodes.items[i].next)
        count++;
    return count;
}

const char *json_text(const struct json_tree *tree, uint32_t node, size_t *length)
{
    const struct json_node *at = &tree->nodes.items[node];
    *length = at->text_length;
    return at->kind == JSON_STRING || at->kind == JSON_NUMBER ? tree->bytes.items + at->text : NULL;
}

bool json_text_is(const struct json_tree *tree, uint32_t node, const char *text)
{
    size_t length;
    const char *letters = json_text(tree, node, &length);
    return letters && length == strlen(text) && !memcmp(letters, text, length);
}

bool json_integer(const struct json_tree *tree, uint32_t node, int64_t *integer)
{
    const struct json_node *at = &tree->nodes.items[node];
    if (at->kind != JSON_NUMBER)
        return false;
    struct number number;
    number_read(tree->bytes.items + at->text, at->text_length, &number);
    *integer = number.integer;
    return number.kind == NUMBER_INTEGER;
}

static value collection_value(const struct json_tree *tree, uint32_t node, struct value_pool *pool)
{
    const struct json_node *nodes = tree->nodes.items;
    bool map = nodes[node].kind == JSON_OBJECT;
    size_t length = (size_t)json_count(tree, node) * (map ? 2 : 1), at = 0;
    value *items = memory_allocate(value_pool_budget(pool), length * sizeof *items);
    if (!items)
        return VALUE_REFUSED;
    for (uint32_t i = nodes[node].first; i; i = nodes[i].next) {
        if (map)
            items[at++] = value_text(pool, KIND_STRING, tree->bytes.items + nodes[i].name,
                                     nodes[i].name_length);
        items[at++] = json_value(tree, i, pool);
    }
    value v = map ? value_json_object(pool, items, length) : value_list(pool, items, length);
    memory_release(value_pool_budget(pool), items, length * sizeof *items);
    return v;
}

value json_value(const struct json_tree *tree, uint32_t node, struct value_pool *pool)
{
    const struct json_node *at = &tree->nodes.items[node];
    struct number number;
    switch ((enum json_kind)at->kind) {
    case JSON_NULL:
        return VALUE_NIL;
    case JSON_FALSE:
    case JSON_TRUE:
        return value_boolean(at->kind == JSON_TRUE);
    case JSON_NUMBER:
        number_read(tree->bytes.items + at->text, at->text_length, &number);
        return number_value(&number, pool);
    case JSON_STRING:
        return value_text(pool, KIND_STRING, tree->bytes.items + at->text, at->text_length);
    default:
        return collection_value(tree, node, pool);
    }
}

enum status json_unexpected(const struct json_tree *tree, uint32_t node, const char *expected,
                            struct error *error)
{
    const struct json_node *at = &tree->nodes.items[node];
    static const char *const kinds[] = {"null",     "false",    "true",     "the number",
                                        "the text", "an array", "an object"};
    size_t length;
    const char *letters = json_text(tree, node, &length);
    if (!letters)
        return error_set(error, STATUS_INPUT, tree->file, at->line, "expected %s, found %s",
                         expected, kinds[at->kind]);
    return error_set(error, STATUS_INPUT, tree->file, at->line, "expected %s, found %s %.*s",
                     expected, kinds[at->kind], length > 60 ? 60 : (int)length, letters);
}
