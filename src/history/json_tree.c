/* The parsing itself is yajl's: it calls back for every token, and we hang nodes into the tree.
 *
 * `open` holds the way from the root to the collection being read; its depth is bounded, so the
 * recursion of json_value is. Lines are counted up to where yajl has read, from callback to
 * callback, so that every byte is looked at once. */
#include "history/json_tree.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <yajl/yajl_parse.h>

#include "value/edn.h"
#include "value/number.h"

#define BLOCK          ((size_t)64 << 10)
#define RECORDS_A_LOOK 1024 /* values between two looks at the limits */

struct parser {
    struct read_context *context;
    struct json_tree tree;
    json_visitor *visit;
    void *visitor;
    struct error *error;
    enum status status; /* why a callback cancelled */
    yajl_handle yajl;
    const unsigned char *block; /* being parsed */
    size_t counted;             /* bytes of it whose line ends are in `line` */
    uint32_t line;
    uint32_t open[VALUE_MAX_DEPTH];
    unsigned depth;             /* of `open` in use */
    bool in_array;              /* inside an array around all values */
    uint32_t name, name_length; /* of the member whose value comes next */
    size_t held;                /* bytes charged for what yajl keeps of an unfinished token */
    uint64_t visited;
};

/* yajl cannot bear a refused allocation, so it allocates by itself; what it keeps from block to
 * block, an unfinished token, is charged here instead (twice: it doubles its buffer). */
static bool hold(struct parser *parser, size_t unfinished)
{
    size_t wanted = 2 * unfinished;
    if (wanted > parser->held && !budget_charge(parser->context->budget, wanted - parser->held))
        return false;
    if (wanted < parser->held)
        budget_refund(parser->context->budget, parser->held - wanted);
    parser->held = wanted;
    return true;
}

static void count_lines(struct parser *parser)
{
    size_t end = yajl_get_bytes_consumed(parser->yajl);
    while (parser->counted < end) {
        const unsigned char *from = parser->block + parser->counted;
        const unsigned char *newline = memchr(from, '\n', end - parser->counted);
        parser->counted = newline ? (size_t)(newline - parser->block) + 1 : end;
        parser->line += newline != NULL;
    }
}

static int refused(struct parser *parser)
{
    parser->status = reading_stopped(parser->context, parser->error);
    return 0;
}

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
    if (++parser->visited % RECORDS_A_LOOK == 0 &&
        limits_reached(parser->context->options->limits) != LIMIT_NONE)
        return refused(parser);
    bool nothing = parser->tree.nodes.items[0].kind == JSON_NULL && !parser->in_array;
    if (!nothing)
        parser->status = parser->visit(parser->visitor, &parser->tree, parser->error);
    parser->tree.nodes.length = 0;
    parser->tree.bytes.length = 0;
    return parser->status == STATUS_OK;
}

static int add_node(struct parser *parser, enum json_kind kind, uint32_t text, size_t length)
{
    count_lines(parser);
    uint32_t place = (uint32_t)parser->tree.nodes.length;
    struct json_node node = {
        .kind = kind, .line = parser->line, .text = text, .text_length = (uint32_t)length};
    if (parser->depth > 0) {
        uint32_t parent = parser->open[parser->depth - 1];
        if (parser->tree.nodes.items[parent].kind == JSON_OBJECT) {
            node.name = parser->name;
            node.name_length = parser->name_length;
        }
        if (!vector_push(&parser->tree.nodes, node))
            return refused(parser);
        hang(&parser->tree, parent, place);
    } else if (!vector_push(&parser->tree.nodes, node)) {
        return refused(parser);
    }
    if (kind != JSON_ARRAY && kind != JSON_OBJECT)
        return parser->depth > 0 || deliver(parser);
    if (parser->depth == VALUE_MAX_DEPTH) {
        parser->status = error_set(parser->error, STATUS_INPUT, parser->tree.file, parser->line,
                                   "expected at most %d collections within one another, found more",
                                   VALUE_MAX_DEPTH);
        return 0;
    }
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
    return text == UINT32_MAX ? refused(parser) : add_node(parser, kind, text, length);
}

static int on_number(void *parser, const char *letters, size_t length)
{
    return add_letters(parser, JSON_NUMBER, letters, length);
}

static int on_string(void *parser, const unsigned char *letters, size_t length)
{
    return add_letters(parser, JSON_STRING, letters, length);
}

static int on_key(void *context, const unsigned char *letters, size_t length)
{
    struct parser *parser = context;
    parser->name = keep(parser, letters, length);
    parser->name_length = (uint32_t)length;
    return parser->name == UINT32_MAX ? refused(parser) : 1;
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

static bool is_shown(const struct parser *parser, size_t at, size_t length)
{
    return at < length && parser->block[at] >= ' ' && parser->block[at] < 0x7f;
}

/* What yajl says is "lexical error: invalid char in json text.\n"; we show the place too. */
static enum status not_json(struct parser *parser, size_t length)
{
    count_lines(parser);
    size_t at = yajl_get_bytes_consumed(parser->yajl), start = at, end = at;
    unsigned char *said = yajl_get_error(parser->yajl, 0, NULL, 0);
    int said_length = said ? (int)strcspn((char *)said, ".\n") : 0;
    while (start > 0 && at - start < 20 && is_shown(parser, start - 1, length))
        start--;
    while (end - at < 5 && is_shown(parser, end, length))
        end++;
    error_set(parser->error, STATUS_INPUT, parser->tree.file, parser->line,
              end > start ? "expected JSON, found %.*s near `%.*s`" : "expected JSON, found %.*s",
              said_length, said ? (char *)said : "", (int)(end - start), parser->block + start);
    if (said)
        yajl_free_error(parser->yajl, said);
    return STATUS_INPUT;
}

/* Where the tree stands: it moves whenever yajl has finished a token. */
static uint64_t progress(const struct parser *parser)
{
    return parser->visited + parser->tree.nodes.length + parser->tree.bytes.length;
}

static bool is_blank(const unsigned char *block, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!memchr(" \t\r\n", block[i], 4))
            return false;
    return true;
}

static enum status parse_blocks(struct parser *parser, unsigned char *block)
{
    static const unsigned char space[] = " "; /* what yajl_complete_parse reads */
    size_t unfinished = 0, got = 0;
    bool blank = true; /* so far; to yajl no value at all is an error, to us there are just none */
    do {
        TRY(source_read(parser->context->source, block, BLOCK, &got, parser->error));
        blank = blank && is_blank(block, got);
        if (blank && got == 0)
            break;
        if (!hold(parser, unfinished + got))
            return reading_stopped(parser->context, parser->error);
        parser->block = got ? block : space;
        parser->counted = 0;
        uint64_t before = progress(parser);
        yajl_status status =
            got ? yajl_parse(parser->yajl, block, got) : yajl_complete_parse(parser->yajl);
        if (status == yajl_status_client_canceled)
            return parser->status;
        if (status == yajl_status_error)
            return not_json(parser, got);
        unfinished = progress(parser) == before ? unfinished + got : got;
        count_lines(parser);
    } while (got > 0);
    return STATUS_OK;
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
    struct parser parser = {.context = context,
                            .tree = {.file = source_name(context->source)},
                            .visit = visit,
                            .visitor = visitor,
                            .error = error,
                            .line = 1};
    vector_init(&parser.tree.nodes, context->budget);
    vector_init(&parser.tree.bytes, context->budget);
    parser.yajl = yajl_alloc(&callbacks, NULL, &parser);
    unsigned char *block = memory_allocate(context->budget, BLOCK);
    enum status status;
    if (parser.yajl && block) {
        yajl_config(parser.yajl, yajl_allow_multiple_values, 1);
        status = parse_blocks(&parser, block);
    } else {
        status = reading_stopped(context, error);
    }
    budget_refund(context->budget, parser.held);
    memory_release(context->budget, block, BLOCK);
    if (parser.yajl)
        yajl_free(parser.yajl);
    vector_release(&parser.tree.bytes);
    vector_release(&parser.tree.nodes);
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
    value v = map ? value_map(pool, items, length) : value_list(pool, items, length);
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
