/* Reads PNML's elements with expat. A table (pnml_elements.h) says which one may stand in which,
 * and what is known to say nothing of a place/transition net is passed over. Whatever else there is
 * could change what the net does, and is refused with its place. */
#include <ctype.h>
#include <expat.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/faults.h"
#include "petri/pnml.h"
#include "petri/pnml_elements.h"

#define DEEPEST 1000
#define CHUNK   ((size_t)SIZE_OR_SMALL(1 << 16, 16))

struct reader {
    struct pnml *pnml;
    struct error *error;
    XML_Parser parser;
    enum pnml_element open[DEEPEST]; /* the elements that it is in */
    size_t depth;
    size_t skipping;   /* elements within one that is passed over, with it; 0: none */
    VECTOR(char) text; /* of the element that is open, where it is told */
    place text_at;
    bool has_net;
    enum status status;
};

/* ---- errors ---- */

static place here(const struct reader *reader)
{
    XML_Index index = XML_GetCurrentByteIndex(reader->parser);
    return index < 0 ? 0 : (place)index;
}

static void stop(struct reader *reader, enum status status)
{
    if (reader->status == STATUS_OK && status != STATUS_OK) {
        reader->status = status;
        XML_StopParser(reader->parser, XML_FALSE);
    }
}

static void refuse(struct reader *reader, place at, const char *expected, const char *found)
{
    if (reader->status == STATUS_OK)
        stop(reader, script_error(reader->pnml->script, at, reader->error,
                                  "expected %s, found '%.60s'", expected, found));
}

/* ---- attributes and text ---- */

static const char *attribute(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

/* Without what would move a terminal's cursor: bytes below 0x20, 0x7f, and 0xc2 0x80 to 0xc2 0x9f.
 */
static char *clean(char *name)
{
    for (char *at = name; at && *at; at++) {
        bool two = (unsigned char)*at == 0xc2 && (unsigned char)at[1] < 0xa0;
        if (two)
            at[1] = '_';
        if (two || (unsigned char)*at < 0x20 || *at == 0x7f)
            *at = '_';
    }
    return name;
}

/* A copy of an attribute that must be there; empty once the reader has stopped. */
static const char *needed(struct reader *reader, const char **attributes, const char *name)
{
    char expected[40];
    const char *value = attribute(attributes, name);
    if (!value || !*value) {
        snprintf(expected, sizeof expected, "the attribute '%s'", name);
        refuse(reader, here(reader), expected, value ? "an empty one" : "none");
        return "";
    }
    const char *copy = clean(arena_copy_text(&reader->pnml->arena, value, strlen(value)));
    if (!copy)
        stop(reader, STATUS_LIMIT);
    return copy ? copy : "";
}

static void begin_text(struct reader *reader)
{
    reader->text.length = 0;
    reader->text_at = here(reader);
}

/* The text without space around it, and single spaces within. */
static const char *end_text(struct reader *reader)
{
    char *items = reader->text.items;
    size_t length = 0;
    for (size_t i = 0; i < reader->text.length; i++) {
        bool space = isspace((unsigned char)items[i]);
        if (!space)
            items[length++] = items[i];
        else if (length && items[length - 1] != ' ')
            items[length++] = ' ';
    }
    while (length && items[length - 1] == ' ')
        length--;
    reader->text.length = length;
    if (!vector_push(&reader->text, 0)) {
        stop(reader, STATUS_LIMIT);
        return "";
    }
    return reader->text.items;
}

static uint32_t number(struct reader *reader, const char *text, const char *what, uint32_t least)
{
    uint64_t value = 0;
    char expected[80];
    bool good = *text != 0;
    for (const char *at = text; *at && good; at++) {
        value = value * 10 + (uint64_t)(*at - '0');
        good = isdigit((unsigned char)*at) && value <= NET_MOST_TOKENS;
    }
    if (good && value >= least)
        return (uint32_t)value;
    snprintf(expected, sizeof expected, "%s, from %" PRIu32 " to %" PRIu32, what, least,
             NET_MOST_TOKENS);
    refuse(reader, reader->text_at, expected, text);
    return 0;
}

/* ---- elements that begin ---- */

/* The grammar of 2009 ends in ptnet; older ones say ptNet, or "P/T net". */
static void begin_net(struct reader *reader, const char **attributes)
{
    const char *type = attribute(attributes, "type");
    if (reader->has_net)
        refuse(reader, here(reader), "one net", "a second one");
    reader->has_net = true;
    if (type && !strcasestr(type, "ptnet") && !strcasestr(type, "P/T net"))
        refuse(reader, here(reader), "a place/transition net, type '.../ptnet'", type);
}

static void begin_node(struct reader *reader, enum pnml_element element, const char **attributes)
{
    struct pnml_node node = {.at = here(reader),
                             .line = (uint32_t)XML_GetCurrentLineNumber(reader->parser),
                             .id = needed(reader, attributes, "id")};
    node.kind = element == PNML_NODE_PLACE             ? PNML_PLACE
                : element == PNML_NODE_TRANSITION      ? PNML_TRANSITION
                : element == PNML_NODE_REFERENCE_PLACE ? PNML_REFERENCE_PLACE
                                                       : PNML_REFERENCE_TRANSITION;
    if (node.kind == PNML_REFERENCE_PLACE || node.kind == PNML_REFERENCE_TRANSITION)
        node.reference = needed(reader, attributes, "ref");
    if (!vector_push(&reader->pnml->nodes, node))
        stop(reader, STATUS_LIMIT);
}

static void begin_arc(struct reader *reader, const char **attributes)
{
    struct pnml_arc arc = {.at = here(reader), .weight = 1};
    const char *type = attribute(attributes, "type");
    arc.source = needed(reader, attributes, "source");
    arc.target = needed(reader, attributes, "target");
    if (type && strcasecmp(type, "normal") != 0)
        refuse(reader, arc.at, "an ordinary arc", type);
    if (!vector_push(&reader->pnml->arcs, arc))
        stop(reader, STATUS_LIMIT);
}

static void begin_arc_type(struct reader *reader, const char **attributes)
{
    const char *type = attribute(attributes, "value");
    if (type && strcasecmp(type, "normal") != 0)
        refuse(reader, here(reader), "an ordinary arc", type);
}

static void begin_count(struct reader *reader, const char **attributes)
{
    struct pnml_count count = {.at = here(reader), .id = needed(reader, attributes, "place")};
    if (!vector_push(&reader->pnml->counts, count))
        stop(reader, STATUS_LIMIT);
    begin_text(reader);
}

static void begin_element(struct reader *reader, enum pnml_element element, const char **attributes)
{
    switch (element) {
    case PNML_NET:
        begin_net(reader, attributes);
        break;
    case PNML_NODE_PLACE:
    case PNML_NODE_TRANSITION:
    case PNML_NODE_REFERENCE_PLACE:
    case PNML_NODE_REFERENCE_TRANSITION:
        begin_node(reader, element, attributes);
        break;
    case PNML_ARC:
        begin_arc(reader, attributes);
        break;
    case PNML_ARC_TYPE:
        begin_arc_type(reader, attributes);
        break;
    case PNML_COUNT:
        begin_count(reader, attributes);
        break;
    case PNML_TEXT:
        begin_text(reader);
        break;
    default:
        break;
    }
}

/* ---- elements that end ---- */

static void end_arc_type(struct reader *reader, const char *text)
{
    if (strcasecmp(text, "normal") != 0)
        refuse(reader, reader->text_at, "an ordinary arc", text);
}

/* What is told apart by where it stands; the last node or arc is the one that is open. */
static void end_text_of(struct reader *reader, enum pnml_element parent)
{
    struct pnml *pnml = reader->pnml;
    const char *text = end_text(reader);
    struct pnml_node *node = pnml->nodes.length ? &pnml->nodes.items[pnml->nodes.length - 1] : NULL;
    struct pnml_arc *arc = pnml->arcs.length ? &pnml->arcs.items[pnml->arcs.length - 1] : NULL;
    if (parent == PNML_NAME && *text) {
        node->name = clean(arena_copy_text(&pnml->arena, text, strlen(text)));
        if (!node->name)
            stop(reader, STATUS_LIMIT);
    } else if (parent == PNML_MARKING)
        node->tokens = number(reader, text, "a number of tokens", 0);
    else if (parent == PNML_INSCRIPTION)
        arc->weight = number(reader, text, "a weight", 1);
    else if (parent == PNML_CAPACITY && strcmp(text, "0") != 0)
        refuse(reader, reader->text_at, "a place without a bound", text);
    else if (parent == PNML_ARC_TYPE)
        end_arc_type(reader, text);
}

static void end_counts(struct reader *reader, bool is_target)
{
    struct pnml_counts group = {is_target, reader->pnml->counts.length};
    if (!vector_push(&reader->pnml->groups, group))
        stop(reader, STATUS_LIMIT);
}

/* Only a place may be open. */
static void end_open(struct reader *reader)
{
    struct pnml *pnml = reader->pnml;
    if (reader->depth < 2 || reader->open[reader->depth - 2] != PNML_NODE_PLACE)
        refuse(reader, here(reader), "it within a place", "open");
    else
        pnml->nodes.items[pnml->nodes.length - 1].open = true;
}

static void end_element(struct reader *reader, enum pnml_element element)
{
    struct pnml *pnml = reader->pnml;
    enum pnml_element parent = reader->depth ? reader->open[reader->depth - 1] : PNML_DOCUMENT;
    if (element == PNML_TEXT)
        end_text_of(reader, parent);
    else if (element == PNML_TARGET || element == PNML_INVARIANT)
        end_counts(reader, element == PNML_TARGET);
    else if (element == PNML_COUNT) {
        const char *text = end_text(reader);
        pnml->counts.items[pnml->counts.length - 1].count =
            number(reader, text, "a number of tokens", 1);
    } else if (element == PNML_OPEN)
        end_open(reader);
}

/* ---- what expat calls ---- */

static bool is_ours(const char *name, const char **attributes)
{
    const char *tool = attribute(attributes, "tool");
    return strcmp(name, "toolspecific") == 0 && tool && strcmp(tool, "linchpin") == 0;
}

static void XMLCALL on_start(void *user, const char *name, const char **attributes)
{
    struct reader *reader = user;
    enum pnml_element parent = reader->depth ? reader->open[reader->depth - 1] : PNML_DOCUMENT;
    const char *colon = strchr(name, ':');
    if (reader->status != STATUS_OK)
        return;
    if (reader->skipping) {
        reader->skipping++;
        return;
    }
    name = colon ? colon + 1 : name;
    enum pnml_element element =
        is_ours(name, attributes) ? PNML_OURS : pnml_element_find(parent, name);
    if (element == PNML_SKIPPED)
        reader->skipping = 1;
    else if (element == PNML_UNKNOWN)
        refuse(reader, here(reader),
               parent == PNML_DOCUMENT ? "the element 'pnml'"
                                       : "what a place/transition net has here",
               name);
    else if (reader->depth == DEEPEST)
        refuse(reader, here(reader), "at most 1,000 elements within one another", name);
    else {
        reader->open[reader->depth++] = element;
        begin_element(reader, element, attributes);
    }
}

static void XMLCALL on_end(void *user, const char *name)
{
    struct reader *reader = user;
    (void)name;
    if (reader->status != STATUS_OK)
        return;
    if (reader->skipping)
        reader->skipping--;
    else {
        enum pnml_element element = reader->open[--reader->depth];
        end_element(reader, element);
    }
}

static void XMLCALL on_text(void *user, const char *text, int length)
{
    struct reader *reader = user;
    enum pnml_element element = reader->depth ? reader->open[reader->depth - 1] : PNML_DOCUMENT;
    if (reader->skipping || reader->status != STATUS_OK || length <= 0 ||
        (element != PNML_TEXT && element != PNML_COUNT))
        return;
    size_t before = reader->text.length;
    if (!vector_reserve(&reader->text, before + (size_t)length)) {
        stop(reader, STATUS_LIMIT);
        return;
    }
    memcpy(reader->text.items + before, text, (size_t)length);
    reader->text.length += (size_t)length;
}

/* Entities can make a text of gigabytes out of a few lines; no net needs one. */
static void XMLCALL on_entity(void *user, const char *name, int is_parameter, const char *value,
                              int length, const char *base, const char *system_id,
                              const char *public_id, const char *notation)
{
    struct reader *reader = user;
    (void)is_parameter, (void)value, (void)length, (void)base;
    (void)system_id, (void)public_id, (void)notation;
    refuse(reader, here(reader), "no entities to be declared", name);
}

/* ---- the whole ---- */

/* In pieces, so that expat need not keep a copy of it all. */
static void parse(struct reader *reader)
{
    const struct script *script = reader->pnml->script;
    size_t end = strlen(script->text); /* nothing is included */
    for (size_t at = 0; reader->status == STATUS_OK;) {
        size_t length = end - at < CHUNK ? end - at : CHUNK;
        bool last = at + length == end;
        if (XML_Parse(reader->parser, script->text + at, (int)length, last) != XML_STATUS_OK &&
            reader->status == STATUS_OK) {
            enum XML_Error code = XML_GetErrorCode(reader->parser);
            reader->status =
                code == XML_ERROR_NO_MEMORY
                    ? STATUS_LIMIT
                    : script_error(script, here(reader), reader->error,
                                   "expected well-formed XML, found: %s", XML_ErrorString(code));
        }
        const struct limits *limits = reader->pnml->limits;
        if (reader->status == STATUS_OK && limits && limits_reached(limits) != LIMIT_NONE)
            reader->status = STATUS_LIMIT;
        at += length;
        if (last)
            break;
    }
    if (reader->status == STATUS_OK && !reader->has_net)
        reader->status =
            script_error(script, (place)end, reader->error, "expected a net, found none");
}

enum status pnml_read(struct pnml *pnml, struct error *error)
{
    struct budget *budget = pnml->arena.budget;
    struct reader *reader = memory_zeroed(budget, sizeof *reader);
    TRY_MEMORY(reader);
    enum status status = STATUS_LIMIT;
    reader->pnml = pnml;
    reader->error = error;
    reader->parser = XML_ParserCreate(NULL);
    vector_init(&reader->text, budget);
    if (reader->parser) {
        XML_SetUserData(reader->parser, reader);
        XML_SetElementHandler(reader->parser, on_start, on_end);
        XML_SetCharacterDataHandler(reader->parser, on_text);
        XML_SetEntityDeclHandler(reader->parser, on_entity);
        parse(reader);
        status = reader->status;
        XML_ParserFree(reader->parser);
    }
    vector_release(&reader->text);
    memory_release(budget, reader, sizeof *reader);
    return status;
}
