/* Dumps of porcupine.Operation, as Go's encoding/json writes that structure:
 *
 *     {"ClientId": 0, "Input": ..., "Call": 10, "Output": ..., "Return": 25, "Metadata": ...}
 *
 * Input and Output are the user's; the rest is the same for all. Shared by the formats
 * porcupine-operations and etcd. */
#ifndef HISTORY_OPERATIONS_H
#define HISTORY_OPERATIONS_H

#include "base/text.h"
#include "history/json_tree.h"

/* One operation of a dump. */
struct dumped {
    int64_t client; /* 0 where there is none */
    int64_t call, returned;
    uint32_t input, output; /* nodes; `output` is 0 where there is none */
    uint32_t line;
    bool pending; /* it never returned: no Return, null, the largest 64-bit integer, or one of at
                     most 0 that lies before the call (0 is Go's "never set") */
};

/* STATUS_INPUT when the tree is no such operation. */
enum status operations_parse(const struct json_tree *tree, struct dumped *dumped,
                             struct error *error) MUST_CHECK;

/* How surely a file that begins so is such a dump (as struct format's recognise says it), and
 * whether its Inputs are etcd's requests. */
int operations_recognise(const char *head, size_t length, bool *etcd);

/* An operation's Input and Output as JSON (`output` empty: none is written). Null, or what of it
 * the format cannot say. */
typedef const char *operation_sayer(const struct history *history,
                                    const struct operation *operation, struct text *input,
                                    struct text *output);

/* Writes one operation a line, in the order of the records. Times are those recorded if they order
 * the events as the history does, else positions. STATUS_INPUT, naming the operation, with nothing
 * written, when one cannot be said; STATUS_LIMIT. */
enum status operations_write(const struct history *history, const char *format,
                             operation_sayer *say, FILE *out, struct error *error) MUST_CHECK;

#endif
