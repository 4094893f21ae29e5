/* Messages of the protocol on a pair of streams, each behind a header:
 *
 *     Content-Length: 52\r\n\r\n{"jsonrpc": "2.0", ...}
 */
#ifndef LSP_WIRE_H
#define LSP_WIRE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include <yajl/yajl_gen.h>
#include <yajl/yajl_tree.h>

#include "base/attributes.h"
#include "base/text.h"

/* A longer message is refused, and with it the rest of the stream. */
#define WIRE_LONGEST ((size_t)256 << 20)

/* The codes of JSON-RPC and of the protocol. */
enum wire_error {
    WIRE_PARSE_ERROR = -32700,
    WIRE_INVALID_REQUEST = -32600,
    WIRE_METHOD_NOT_FOUND = -32601,
    WIRE_INVALID_PARAMS = -32602,
    WIRE_NOT_INITIALIZED = -32002,
    WIRE_REQUEST_FAILED = -32803,
    WIRE_CONTENT_MODIFIED = -32801,
    WIRE_REQUEST_CANCELLED = -32800,
};

enum wire_read {
    WIRE_MESSAGE,
    WIRE_END,    /* of the stream, between two messages */
    WIRE_BROKEN, /* no header, or not as many bytes as it says */
};

/* Where several threads write. */
struct wire {
    FILE *out;
    pthread_mutex_t lock;
};

/* Reads the next message's content, 0-terminated, released with free(). */
enum wire_read wire_read(FILE *in, char **content, size_t *length) MUST_CHECK;

/* The content as a tree, released with yajl_tree_free; null if it is no JSON or nested too deep.
 * A 0 byte, which only an escape can write, becomes another control character: texts of C end
 * there. */
yajl_val wire_parse(char *content, size_t length);

/* The text of that key, of the tree; null if there is none. */
const char *wire_text(yajl_val object, const char *key);

/* A message under construction: an object that is open, with its version. */
struct wire_message {
    yajl_gen json; /* writes to `text`: the message stays where it is */
    struct text text;
};

/* What the client is told; `params` follow: json_open_object(message.json, "params") ... */
void wire_begin_notification(struct wire_message *message, const char *method);

/* What it is asked; its answers are not waited for. */
void wire_begin_request(struct wire_message *message, const char *method, const char *id);

/* What it is answered: the value of "result" is to follow. `id` is that of the request, a text or
 * number; null: JSON's null. */
void wire_begin_answer(struct wire_message *message, yajl_val id);

/* Sends the message, which is released. */
void wire_send(struct wire *wire, struct wire_message *message);

/* Answers that there is nothing, or that something is wrong. */
void wire_answer_null(struct wire *wire, yajl_val id);
void wire_answer_error(struct wire *wire, yajl_val id, enum wire_error code, const char *format,
                       ...) PRINTF_LIKE(4, 5);

/* Whether two ids are the same text or number. */
bool wire_same_id(yajl_val one, yajl_val other);

#endif
