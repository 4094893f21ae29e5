/* Reports of etcd's robustness tests. */
#ifndef HISTORY_ETCD_H
#define HISTORY_ETCD_H

#include "history/json_tree.h"

/* Reads the operations of several clients, one file each, into one history called `name`.
 * `context->source` is not used. On failure error->file is one of `files`, or empty. */
enum status etcd_read_files(struct read_context *context, const char *name,
                            const char *const *files, size_t count, unsigned long long *hash,
                            struct error *error) MUST_CHECK;

/* struct format's write. */
enum status etcd_write(const struct history *history, FILE *out, struct error *error);

/* etcd's tests record a longer text only by its hash. */
#define ETCD_LONGEST_TEXT 19

#define ETCD_VALUE "a Value {\"Value\": ...} or {\"Hash\": ...}"

enum etcd_request_kind {
    ETCD_GET,
    ETCD_PUT,
    ETCD_DELETE,
    ETCD_PUT_IF_REVISION
};

/* What the map calls them. */
extern const char *const etcd_functions[];

/* What a request asks for. Places in the tree; 0: none. */
struct etcd_request {
    enum etcd_request_kind kind;
    bool transaction;   /* so its answer is Txn, not Range */
    bool otherwise_get; /* a put that is not done answers with what it found */
    uint32_t key, value;
    int64_t revision;
};

/* Takes an EtcdRequest. STATUS_INPUT, naming it, for one that is no operation of `map`. */
enum status etcd_request(const struct json_tree *tree, uint32_t input, struct etcd_request *request,
                         struct error *error) MUST_CHECK;

/* The argument of its operation of `map`, perhaps VALUE_REFUSED. */
enum status etcd_argument(const struct json_tree *tree, const struct etcd_request *request,
                          struct value_pool *pool, value *argument, struct error *error) MUST_CHECK;

/* A ValueOrHash as a value, perhaps VALUE_REFUSED. */
enum status etcd_value(const struct json_tree *tree, uint32_t node, struct value_pool *pool,
                       value *taken, struct error *error) MUST_CHECK;

/* Members of one type: an integer, 0 where there is none; a boolean, false where there is none;
 * whether a text says something, as errors do. STATUS_INPUT for another type. */
enum status etcd_number(const struct json_tree *tree, uint32_t node, const char *name,
                        int64_t *number, struct error *error) MUST_CHECK;
enum status etcd_flag(const struct json_tree *tree, uint32_t node, const char *name, bool *flag,
                      struct error *error) MUST_CHECK;
enum status etcd_notice(const struct json_tree *tree, uint32_t node, const char *name, bool *notice,
                        struct error *error) MUST_CHECK;

/* The member of that name if it is an array, 0 where there is none; `*count` of its items.
 * STATUS_INPUT for another type. */
enum status etcd_list(const struct json_tree *tree, uint32_t node, const char *name, uint32_t *list,
                      uint32_t *count, struct error *error) MUST_CHECK;

/* Whether two nodes are texts of the same letters. */
bool etcd_same_text(const struct json_tree *tree, uint32_t a, uint32_t b);

#endif
