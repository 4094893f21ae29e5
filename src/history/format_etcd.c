/* Reports of etcd's robustness tests (etcd's tests/robustness): <report>/client-N/operations.json,
 * one porcupine.Operation after another, Input an EtcdRequest, Output a MaybeEtcdResponse. The
 * names of the fields are those of etcd's main branch, 2023 to 2026 (model/types.go).
 *
 * Read as operations of `map`, each on one key:
 *
 *     range over one key               get k -> {"value": v, "revision": r}
 *     unconditional put, delete        put [k v], delete k -> {"revision": r}
 *     put if the key is at a revision  put-if-revision [k r v] -> {"ok": true, "revision": r}
 *
 * where r is the revision of the key; of the whole store where there is no such key, and where a
 * conditional put was not done (if it then asked for the key, the answer has that too).
 *
 * Any other request touches more than a key's value and revision, so it is refused by name. A
 * failed request (Error) may have happened, at any later time; etcd's tests give a client that saw
 * one a new ClientId, and so do we not need to. Texts of 20 bytes and more are recorded as their
 * FNV-1a hash in some places and in full in others: we hash the latter, and such a value is
 * {"hash": h}. */
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "history/etcd.h"
#include "history/operations.h"

struct client {
    struct read_context *context;
    struct reading *reading;
    bool lines; /* the history is this file alone, so its lines mean something */
};

/* The parts of an answer; revision 0 stands for none. */
struct answer {
    bool has_ok, has_value, ok;
    value value;
    int64_t revision;
};

/* {"ok": true, "value": v, "revision": r}, of it what is known; a value alone stands bare. */
static value answer_value(struct value_pool *pool, struct answer answer)
{
    value items[6];
    size_t length = 0;
    if (answer.revision <= 0 && !answer.has_ok && answer.has_value)
        return answer.value;
    if (answer.has_ok) {
        items[length++] = value_text(pool, KIND_STRING, "ok", 2);
        items[length++] = value_boolean(answer.ok);
    }
    if (answer.has_value) {
        items[length++] = value_text(pool, KIND_STRING, "value", 5);
        items[length++] = answer.value;
    }
    if (answer.revision > 0) {
        items[length++] = value_text(pool, KIND_STRING, "revision", 8);
        items[length++] = value_integer(pool, answer.revision);
    }
    return value_map(pool, items, length);
}

/* What a range over the request's key found: its value and revision; where there is no such key,
 * nil and the revision of the whole store. */
static enum status parse_found(const struct json_tree *tree, uint32_t output, uint32_t found,
                               const struct etcd_request *request, struct value_pool *pool,
                               struct answer *answer, struct error *error)
{
    uint32_t kvs = 0, count = 0;
    if (found)
        TRY(etcd_list(tree, found, "KVs", &kvs, &count, error));
    if (!found || count > 1)
        return json_unexpected(tree, kvs ? kvs : output,
                               "a response with the KVs of at most one key", error);
    answer->has_value = true;
    answer->value = VALUE_NIL;
    if (count == 0)
        return STATUS_OK;
    uint32_t kv = tree->nodes.items[kvs].first, key = json_member(tree, kv, "Key");
    if (!key || !etcd_same_text(tree, key, request->key))
        return json_unexpected(tree, key ? key : kv, "the key that was asked for", error);
    uint32_t held = json_member(tree, kv, "Value");
    if (!held || tree->nodes.items[held].kind != JSON_OBJECT)
        return json_unexpected(tree, held ? held : kv, ETCD_VALUE, error);
    TRY(etcd_number(tree, kv, "ModRevision", &answer->revision, error));
    return etcd_value(tree, held, pool, &answer->value, error);
}

/* What the client saw, of which `answer` has the store's revision already. */
static enum status parse_answer(const struct json_tree *tree, uint32_t output,
                                const struct etcd_request *request, struct value_pool *pool,
                                struct answer *answer, struct error *error)
{
    uint32_t range = json_member(tree, output, "Range");
    uint32_t transaction = json_member(tree, output, "Txn");
    if (request->transaction ? !transaction : !range)
        return json_unexpected(
            tree, output, request->transaction ? "a response with Txn" : "a response with Range",
            error);
    if (!request->transaction)
        return parse_found(tree, output, range, request, pool, answer, error);
    bool failure, conditional = request->kind == ETCD_PUT_IF_REVISION;
    TRY(etcd_flag(tree, transaction, "Failure", &failure, error));
    uint32_t results, count;
    TRY(etcd_list(tree, transaction, "Results", &results, &count, error));
    uint32_t first = results ? tree->nodes.items[results].first : 0;
    if (failure && !conditional)
        return json_unexpected(tree, transaction, "a transaction without conditions to succeed",
                               error);
    answer->has_ok = conditional;
    answer->ok = !failure;
    if (request->kind == ETCD_GET || (failure && request->otherwise_get))
        return parse_found(tree, output, first, request, pool, answer, error);
    return STATUS_OK;
}

static enum status parse_response(const struct json_tree *tree, const struct dumped *dumped,
                                  const struct etcd_request *request, struct value_pool *pool,
                                  struct timed_operation *operation, struct error *error)
{
    uint32_t output = dumped->output;
    operation->outcome = OUTCOME_UNKNOWN;
    if (dumped->pending)
        return STATUS_OK;
    if (!output || tree->nodes.items[output].kind != JSON_OBJECT)
        return json_unexpected(tree, output, "an Output {\"Revision\":..., \"Error\":...}", error);
    bool unknown, refused, persisted;
    struct answer answer = {0};
    TRY(etcd_notice(tree, output, "Error", &unknown, error));
    TRY(etcd_notice(tree, output, "ClientError", &refused, error));
    TRY(etcd_flag(tree, output, "Persisted", &persisted, error));
    TRY(etcd_number(tree, output, persisted ? "PersistedRevision" : "Revision", &answer.revision,
                    error));
    if (unknown)
        return STATUS_OK;
    operation->outcome = refused ? OUTCOME_FAIL : OUTCOME_OK;
    /* Persisted: it happened, but nobody saw the answer. */
    if (operation->outcome == OUTCOME_OK && !persisted)
        TRY(parse_answer(tree, output, request, pool, &answer, error));
    bool write = request->kind == ETCD_PUT || request->kind == ETCD_DELETE;
    bool something = answer.has_ok || answer.has_value || (write && answer.revision > 0);
    operation->result_recorded = operation->outcome == OUTCOME_OK && something;
    if (operation->result_recorded)
        operation->result = answer_value(pool, answer);
    return STATUS_OK;
}

static enum status take(void *context, const struct json_tree *tree, struct error *error)
{
    struct client *client = context;
    struct value_pool *pool = client->context->pool;
    struct dumped dumped;
    struct etcd_request request;
    value argument;
    TRY(operations_parse(tree, &dumped, error));
    TRY(etcd_request(tree, dumped.input, &request, error));
    TRY(etcd_argument(tree, &request, pool, &argument, error));
    uint32_t line = client->lines ? dumped.line : 0;
    const char *name = etcd_functions[request.kind];
    struct timed_operation operation = {
        .event = {.type = EVENT_INVOKE,
                  .process = value_integer(pool, dumped.client),
                  .function = value_text(pool, KIND_STRING, name, strlen(name)),
                  .value = argument,
                  .has_value = true,
                  .time = dumped.call,
                  .line = line},
        .return_time = dumped.returned,
        .return_line = line};
    TRY(parse_response(tree, &dumped, &request, pool, &operation, error));
    if (operation.result == VALUE_REFUSED || operation.event.process == VALUE_REFUSED ||
        operation.event.function == VALUE_REFUSED || operation.event.value == VALUE_REFUSED)
        return reading_stopped(client->context, error);
    return reading_timed(client->reading, &operation, error);
}

static enum status etcd_read(struct read_context *context, struct error *error)
{
    struct reading reading;
    TRY(reading_open(context, source_name(context->source), "etcd", &reading, error));
    reading.history->specification = "map";
    struct client client = {.context = context, .reading = &reading, .lines = true};
    return reading_close(&reading, json_each(context, take, &client, error), error);
}

static enum status read_client(struct read_context *outer, struct reading *reading,
                               const char *file, bool lines, unsigned long long *hash,
                               struct error *error)
{
    struct read_context context = *outer;
    TRY(source_open(file, context.budget, &context.source, error));
    struct client client = {.context = &context, .reading = reading, .lines = lines};
    reading->context = &context;
    enum status status = json_each(&context, take, &client, error);
    *hash = source_hash(context.source);
    source_close(context.source);
    reading->context = outer;
    return status;
}

enum status etcd_read_files(struct read_context *context, const char *name,
                            const char *const *files, size_t count, unsigned long long *hash,
                            struct error *error)
{
    struct reading reading;
    struct read_context whole = *context;
    whole.source = NULL;
    TRY(reading_open(&whole, name, "etcd", &reading, error));
    reading.history->specification = "map";
    enum status status = STATUS_OK;
    *hash = 0;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        unsigned long long one = 0;
        status = read_client(&whole, &reading, files[i], count == 1, &one, error);
        *hash = count == 1 ? one : hash_pair(*hash, one);
    }
    return reading_close(&reading, status, error);
}

static int etcd_recognise(const char *head, size_t length, bool whole)
{
    (void)whole;
    bool etcd;
    int sure = operations_recognise(head, length, &etcd);
    return etcd ? sure : 0;
}

const struct format format_etcd = {
    .name = "etcd",
    .description = "operations.json of etcd's robustness tests, as operations of a map",
    .recognise = etcd_recognise,
    .read = etcd_read,
    .write = etcd_write,
};
