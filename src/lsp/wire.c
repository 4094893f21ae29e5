/* Headers are lines, of which only the length counts; contents are written at once, so that
 * messages of several threads do not mix. */
#include "lsp/wire.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/json.h"
#include "report/tree.h"

#define LONGEST_HEADER 4096
#define DEEPEST        200 /* arrays and objects in one another: yajl recurs */

/* ---- reading ---- */

/* One line of a header, without its end; false at the end of the stream, or if it is too long. */
static bool read_line(FILE *in, char *line, size_t room)
{
    if (!fgets(line, (int)room, in))
        return false;
    size_t length = strlen(line);
    if (length == 0 || line[length - 1] != '\n')
        return false;
    line[--length] = 0;
    if (length && line[length - 1] == '\r')
        line[length - 1] = 0;
    return true;
}

static bool take_length(const char *line, size_t *length)
{
    static const char name[] = "content-length:";
    if (strncasecmp(line, name, sizeof name - 1) != 0)
        return false;
    char *end;
    const char *digits = line + sizeof name - 1;
    digits += strspn(digits, " \t");
    if (*digits < '0' || *digits > '9')
        return false;
    *length = strtoul(digits, &end, 10);
    return end[strspn(end, " \t")] == 0;
}

enum wire_read wire_read(FILE *in, char **content, size_t *length)
{
    char line[LONGEST_HEADER];
    bool has_length = false;
    int first = getc(in);
    *content = NULL;
    if (first == EOF)
        return WIRE_END;
    ungetc(first, in);
    while (true) {
        if (!read_line(in, line, sizeof line))
            return WIRE_BROKEN;
        if (*line == 0)
            break;
        has_length |= take_length(line, length);
    }
    if (!has_length || *length > WIRE_LONGEST)
        return WIRE_BROKEN;
    *content = malloc(*length + 1);
    if (!*content)
        return WIRE_BROKEN;
    if (fread(*content, 1, *length, in) != *length) {
        free(*content);
        *content = NULL;
        return WIRE_BROKEN;
    }
    (*content)[*length] = 0;
    return WIRE_MESSAGE;
}

/* The unit of UTF-16 that an escape at the backslash writes; UINT32_MAX: it is none of that kind.
 */
static uint32_t escaped_unit(const char *at)
{
    uint32_t unit = 0;
    if (at[0] != '\\' || at[1] != 'u')
        return UINT32_MAX;
    for (int i = 2; i < 6; i++) {
        if (!isxdigit((unsigned char)at[i]))
            return UINT32_MAX;
        int digit = at[i] <= '9' ? at[i] - '0' : (at[i] | 32) - 'a' + 10;
        unit = unit * 16 + (uint32_t)digit;
    }
    return unit;
}

/* Makes a 0 byte, and half of a pair alone, other characters of one unit; how many bytes behind the
 * backslash are looked at then. */
static size_t prepare_escape(char *at)
{
    uint32_t unit = escaped_unit(at);
    if (unit == 0)
        at[5] = '1';
    if (unit < 0xd800 || unit > 0xdfff)
        return 1;
    uint32_t second = unit < 0xdc00 ? escaped_unit(at + 6) : UINT32_MAX;
    if (second >= 0xdc00 && second <= 0xdfff)
        return 11;
    memcpy(at + 2, "fffd", 4);
    return 5;
}

/* Whether nothing is nested too deep; what C cannot hold is replaced on the way. */
static bool prepare(char *content, size_t length)
{
    unsigned depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < length; i++) {
        char c = content[i];
        if (in_string && c == '\\') {
            i += prepare_escape(content + i);
        } else if (c == '"') {
            in_string = !in_string;
        } else if (!in_string && (c == '[' || c == '{')) {
            if (++depth > DEEPEST)
                return false;
        } else if (!in_string && (c == ']' || c == '}') && depth) {
            depth--;
        }
    }
    return true;
}

yajl_val wire_parse(char *content, size_t length)
{
    char error[256];
    if (strlen(content) != length || !prepare(content, length))
        return NULL;
    return yajl_tree_parse(content, error, sizeof error);
}

bool wire_same_id(yajl_val one, yajl_val other)
{
    if (!one || !other || one->type != other->type)
        return false;
    if (YAJL_IS_NUMBER(one))
        return strcmp(YAJL_GET_NUMBER(one), YAJL_GET_NUMBER(other)) == 0;
    return one->type == yajl_t_string && strcmp(one->u.string, other->u.string) == 0;
}

const char *wire_text(yajl_val object, const char *key)
{
    yajl_val found = tree_find(object, key, yajl_t_string);
    return found ? found->u.string : NULL;
}

/* ---- writing ---- */

static void begin(struct wire_message *message)
{
    message->text = TEXT_EMPTY;
    message->json = json_begin_text(&message->text);
    json_add_text(message->json, "jsonrpc", "2.0");
}

void wire_begin_notification(struct wire_message *message, const char *method)
{
    begin(message);
    json_add_text(message->json, "method", method);
}

void wire_begin_request(struct wire_message *message, const char *method, const char *id)
{
    begin(message);
    json_add_text(message->json, "id", id);
    json_add_text(message->json, "method", method);
}

static void add_id(struct wire_message *message, yajl_val id)
{
    json_add_key(message->json, "id");
    if (id && YAJL_IS_NUMBER(id))
        json_add_raw(message->json, YAJL_GET_NUMBER(id));
    else if (id && YAJL_IS_STRING(id))
        json_add_item(message->json, YAJL_GET_STRING(id));
    else
        json_add_raw(message->json, "null");
}

void wire_begin_answer(struct wire_message *message, yajl_val id)
{
    begin(message);
    add_id(message, id);
    json_add_key(message->json, "result");
}

void wire_send(struct wire *wire, struct wire_message *message)
{
    json_end_text(message->json);
    text_append(&message->text, "\n");
    pthread_mutex_lock(&wire->lock);
    fprintf(wire->out, "Content-Length: %zu\r\n\r\n", message->text.length);
    fwrite(text_string(&message->text), 1, message->text.length, wire->out);
    fflush(wire->out);
    pthread_mutex_unlock(&wire->lock);
    text_release(&message->text);
}

void wire_answer_null(struct wire *wire, yajl_val id)
{
    struct wire_message message;
    wire_begin_answer(&message, id);
    json_add_raw(message.json, "null");
    wire_send(wire, &message);
}

void wire_answer_error(struct wire *wire, yajl_val id, enum wire_error code, const char *format,
                       ...)
{
    struct wire_message message;
    struct text text = TEXT_EMPTY;
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&text, format, arguments);
    va_end(arguments);
    begin(&message);
    add_id(&message, id);
    json_open_object(message.json, "error");
    json_add_integer(message.json, "code", code);
    json_add_text(message.json, "message", text_string(&text));
    yajl_gen_map_close(message.json);
    wire_send(wire, &message);
    text_release(&text);
}
