/* Operations of etcd's robustness tests, as operations of a map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "support/telling.h"

#define OPERATION(input, output)                                                                   \
    "{\"ClientId\":3,\"Input\":" input ",\n\"Call\":10,\"Output\":" output ",\"Return\":20}\n"
#define RANGE(members) "{\"Type\":\"range\",\"Range\":{" members "}}"
#define TXN(members)   "{\"Type\":\"txn\",\"Txn\":{" members "}}"
#define PUT(key, value)                                                                            \
    "{\"Type\":\"put-operation\",\"Put\":{\"Key\":\"" key "\",\"Value\":{\"Value\":\"" value       \
    "\"},\"LeaseID\":0}}"
#define DELETE(key) "{\"Type\":\"delete-operation\",\"Delete\":{\"Key\":\"" key "\"}}"
#define GET(key)    "{\"Type\":\"range-operation\",\"Range\":{\"Start\":\"" key "\"}}"
#define DO(operations)                                                                             \
    "\"Conditions\":null,\"OperationsOnSuccess\":[" operations "],\"OperationsOnFailure\":null"
#define IF(key, revision, version)                                                                 \
    "\"Conditions\":[{\"Key\":\"" key "\",\"ExpectedRevision\":" revision                          \
    ",\"ExpectedVersion\":" version "}]"
#define KV(key, value, revision)                                                                   \
    "{\"Key\":\"" key "\",\"Value\":{\"Value\":\"" value "\"},\"ModRevision\":" revision           \
    ",\"Version\":1}"
#define DONE "{\"Txn\":{\"Failure\":false,\"Results\":[{}]},\"Revision\":7}"

static void requests_on_one_key_are_operations_of_a_map(void **unused)
{
    (void)unused;
    static const struct {
        const char *input, *told;
    } cases[] = {
        {OPERATION(RANGE("\"Start\":\"k\",\"End\":\"\",\"Limit\":0,\"Revision\":0"),
                   "{\"Range\":{\"KVs\":[" KV("k", "v", "5") "],\"Count\":1},\"Revision\":9}"),
         "3 invoke get \"k\"\n3 ok {\"revision\" 5, \"value\" \"v\"}\n"},
        {OPERATION(RANGE("\"Start\":\"k\""), "{\"Range\":{\"KVs\":[],\"Count\":0},\"Revision\":9}"),
         "3 invoke get \"k\"\n3 ok {\"revision\" 9, \"value\" nil}\n"},
        {OPERATION(RANGE("\"Start\":\"k\""), "{\"Range\":{\"KVs\":null}}"),
         "3 invoke get \"k\"\n3 ok nil\n"},
        {OPERATION(RANGE("\"Start\":\"k\""),
                   "{\"Range\":{\"KVs\":[{\"Key\":\"k\",\"Value\":{}}]}}"),
         "3 invoke get \"k\"\n3 ok \"\"\n"},
        {OPERATION(TXN(DO(PUT("k", "v"))), DONE),
         "3 invoke put [\"k\" \"v\"]\n3 ok {\"revision\" 7}\n"},
        {OPERATION(TXN(DO(DELETE("k"))), DONE), "3 invoke delete \"k\"\n3 ok {\"revision\" 7}\n"},
        {OPERATION(TXN(DO(GET("k"))),
                   "{\"Txn\":{\"Results\":[{\"KVs\":[" KV("k", "v", "5") "]}]},\"Revision\":9}"),
         "3 invoke get \"k\"\n3 ok {\"revision\" 5, \"value\" \"v\"}\n"},
        {OPERATION(TXN(IF("k", "4", "0") ",\"OperationsOnSuccess\":[" PUT("k", "v") "]"), DONE),
         "3 invoke put-if-revision [\"k\" 4 \"v\"]\n3 ok {\"ok\" true, \"revision\" 7}\n"},
        {OPERATION(TXN(IF("k", "4", "0") ",\"OperationsOnSuccess\":[" PUT("k", "v") "]"),
                   "{\"Txn\":{\"Failure\":true,\"Results\":[]},\"Revision\":9}"),
         "3 invoke put-if-revision [\"k\" 4 \"v\"]\n3 ok {\"ok\" false, \"revision\" 9}\n"},
        {OPERATION(TXN(IF("k", "4", "0") ",\"OperationsOnSuccess\":[" PUT(
                       "k", "v") "],\"OperationsOnFailure\":[" GET("k") "]"),
                   "{\"Txn\":{\"Failure\":true,\"Results\":[{\"KVs\":[" KV("k", "w",
                                                                           "5") "]}]},"
                                                                                "\"Revision\":9}"),
         "3 invoke put-if-revision [\"k\" 4 \"v\"]\n"
         "3 ok {\"ok\" false, \"revision\" 5, \"value\" \"w\"}\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_reads(NULL, cases[i].input, cases[i].told);
        assert_round_trip(NULL, cases[i].input, "etcd");
    }
    struct library library;
    library_open(&library, 0);
    struct history *history =
        library_read_one(&library, cases[0].input, strlen(cases[0].input), NULL);
    assert_string_equal(history->specification, "map");
    assert_string_equal(history->format, "etcd");
    assert_false(history->initial_known);
    history_destroy(history);
    library_close(&library);
}

static void long_texts_are_hashed_where_they_are_not_yet(void **unused)
{
    (void)unused;
    /* 32-bit FNV-1a of twenty `a` is 932493001. */
    assert_reads(
        NULL,
        OPERATION(
            TXN(DO(PUT("k", "aaaaaaaaaaaaaaaaaaaa"))),
            DONE) "{\"ClientId\":4,\"Input\":" RANGE("\"Start\":\"k\"") ",\"Call\":30,\"Return\":"
                                                                        "31,"
                                                                        "\"Output\":{\"Range\":{"
                                                                        "\"KVs\":[{\"Key\":\"k\","
                                                                        "\"Value\":{\"Hash\":"
                                                                        "932493001}}]}"
                                                                        "}}",
        "3 invoke put [\"k\" {\"hash\" 932493001}]\n3 ok {\"revision\" 7}\n"
        "4 invoke get \"k\"\n4 ok {\"hash\" 932493001}\n");
}

static void failed_requests_may_have_happened(void **unused)
{
    (void)unused;
    static const char *const outputs[] = {"{\"Error\":\"timeout\",\"Revision\":0}",
                                          "{\"Error\":\"timeout\",\"Persisted\":true}"};
    for (size_t i = 0; i < 2; i++) {
        struct text text = TEXT_EMPTY;
        text_format(&text,
                    "{\"ClientId\":3,\"Input\":%s,\"Call\":10,\"Output\":%s,\"Return\":20}"
                    "{\"ClientId\":3,\"Input\":%s,\"Call\":15,\"Output\":" DONE ",\"Return\":19}",
                    TXN(DO(PUT("k", "v"))), outputs[i], TXN(DO(DELETE("k"))));
        assert_reads(NULL, text_string(&text),
                     "3 invoke put [\"k\" \"v\"]\n3 info\n"
                     "3 invoke delete \"k\"\n3 ok {\"revision\" 7}\n");
        text_release(&text);
    }
    /* Known to have happened, though nobody saw the answer. */
    assert_reads(NULL, OPERATION(TXN(DO(PUT("k", "v"))), "{\"Persisted\":true}"),
                 "3 invoke put [\"k\" \"v\"]\n3 ok\n");
    assert_reads(NULL,
                 OPERATION(TXN(DO(PUT("k", "v"))), "{\"Persisted\":true,\"PersistedRevision\":5}"),
                 "3 invoke put [\"k\" \"v\"]\n3 ok {\"revision\" 5}\n");
    /* Known not to have happened. */
    assert_reads(NULL, OPERATION(TXN(DO(PUT("k", "v"))), "{\"ClientError\":\"refused\"}"),
                 "3 invoke put [\"k\" \"v\"]\n3 fail\n");
}

static void other_requests_are_refused_by_name(void **unused)
{
    (void)unused;
    static const struct {
        const char *input, *found;
    } cases[] = {
        {OPERATION("{\"Type\":\"leaseGrant\",\"LeaseGrant\":{\"LeaseID\":1}}", "null"),
         "leaseGrant"},
        {OPERATION("{\"Type\":\"leaseRevoke\",\"LeaseRevoke\":{\"LeaseID\":1}}", "null"),
         "leaseRevoke"},
        {OPERATION("{\"Type\":\"defragment\",\"Defragment\":{}}", "null"), "defragment"},
        {OPERATION("{\"Type\":\"compact\",\"Compact\":{\"Revision\":1}}", "null"), "compact"},
        {OPERATION(RANGE("\"Start\":\"a\",\"End\":\"b\""), "null"),
         "a range over the keys from `a` to `b`"},
        {OPERATION(RANGE("\"Start\":\"a\",\"Revision\":6"), "null"),
         "a range at the past revision 6"},
        {OPERATION(RANGE("\"Start\":\"a\",\"KeysOnly\":true"), "null"), "a range for keys only"},
        {OPERATION(TXN("\"OperationsOnSuccess\":null"), "null"), "a transaction of 0 operations"},
        {OPERATION(TXN(DO(PUT("k", "v") "," GET("l"))), "null"), "a transaction of 2 operations"},
        {OPERATION(TXN(DO("{\"Type\":\"put-operation\",\"Put\":{\"Key\":\"k\",\"Value\":{"
                          "\"Value\":\"v\"},\"LeaseID\":12}}")),
                   "null"),
         "a put with the lease 12"},
        {OPERATION(TXN(IF("k", "4", "0") ",\"OperationsOnSuccess\":[" DELETE("k") "]"), "null"),
         "a delete on condition of a revision"},
        {OPERATION(TXN(IF("k", "4", "0") ",\"OperationsOnSuccess\":[" GET("k") "]"), "null"),
         "a get on condition of a revision"},
        {OPERATION(TXN(IF("l", "4", "0") ",\"OperationsOnSuccess\":[" PUT("k", "v") "]"), "null"),
         "a put on condition of another key"},
        {OPERATION(TXN(IF("k", "0", "4") ",\"OperationsOnSuccess\":[" PUT("k", "v") "]"), "null"),
         "a transaction on condition of a version"},
        {OPERATION(TXN("\"Conditions\":[{},{}],\"OperationsOnSuccess\":[" PUT("k", "v") "]"),
                   "null"),
         "a transaction on 2 conditions"},
        {OPERATION(TXN(IF("k", "4", "0") ",\"OperationsOnSuccess\":[" PUT(
                       "k", "v") "],\"OperationsOnFailure\":[" PUT("k", "w") "]"),
                   "null"),
         "a put on failure"},
        {OPERATION(TXN(IF("k", "4", "0") ",\"OperationsOnSuccess\":[" PUT(
                       "k", "v") "],\"OperationsOnFailure\":[" GET("l") "]"),
                   "null"),
         "a range over another key on failure"},
        {OPERATION(TXN(IF("k", "4", "0") ",\"OperationsOnSuccess\":[" PUT(
                       "k", "v") "],\"OperationsOnFailure\":[" GET("k") "," GET("k") "]"),
                   "null"),
         "a transaction with 2 operations on failure"},
    };
    struct text text = TEXT_EMPTY;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_clear(&text);
        text_format(&text,
                    "expected a request on the value of one key (a range over one key, a put or "
                    "delete without conditions, a put on condition of the key's revision), found "
                    "%s",
                    cases[i].found);
        assert_refuses("etcd", cases[i].input, 1, text_string(&text));
    }
    text_release(&text);
}

static void ill_formed_requests_and_answers_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *input;
        uint32_t line;
        const char *message;
    } cases[] = {
        {OPERATION("{\"Range\":{}}", "{}"), 1,
         "expected an Input {\"Type\": \"range\" or \"txn\", ...}, found an object"},
        {OPERATION(RANGE("\"Start\":7"), "{}"), 1,
         "expected a key that is a text, found the number 7"},
        {OPERATION(RANGE("\"Start\":\"k\",\"End\":7"), "{}"), 1,
         "expected a text, found the number 7"},
        {OPERATION(RANGE("\"Start\":\"k\",\"Revision\":\"7\""), "{}"), 1,
         "expected an integer, found the text 7"},
        {OPERATION(RANGE("\"Start\":\"k\",\"KeysOnly\":1"), "{}"), 1,
         "expected true or false, found the number 1"},
        {OPERATION(RANGE("\"Start\":\"k\""), "[]"), 2,
         "expected an Output {\"Revision\":..., \"Error\":...}, found an array"},
        {OPERATION(RANGE("\"Start\":\"k\""), "{}"), 2,
         "expected a response with Range, found an object"},
        {OPERATION(RANGE("\"Start\":\"k\""), "{\"Range\":{\"KVs\":7}}"), 2,
         "expected an array, found the number 7"},
        {OPERATION(RANGE("\"Start\":\"k\""),
                   "{\"Range\":{\"KVs\":[" KV("k", "v", "1") "," KV("l", "v", "1") "]}}"),
         2, "expected a response with the KVs of at most one key, found an array"},
        {OPERATION(RANGE("\"Start\":\"k\""), "{\"Range\":{\"KVs\":[" KV("l", "v", "1") "]}}"), 2,
         "expected the key that was asked for, found the text l"},
        {OPERATION(RANGE("\"Start\":\"k\""), "{\"Range\":{\"KVs\":[{\"Key\":\"k\"}]}}"), 2,
         "expected a Value {\"Value\": ...} or {\"Hash\": ...}, found an object"},
        {OPERATION(TXN("\"OperationsOnSuccess\":{}"), "{}"), 1,
         "expected an array, found an object"},
        {OPERATION(TXN(DO("{\"Type\":\"move-operation\"}")), "{}"), 1,
         "expected an operation of Type range-operation, put-operation or delete-operation, found "
         "the text move-operation"},
        {OPERATION(TXN(DO("{\"Type\":\"put-operation\",\"Put\":{\"Key\":\"k\",\"Value\":\"v\"}}")),
                   "{}"),
         1, "expected a Value {\"Value\": ...} or {\"Hash\": ...}, found the text v"},
        {OPERATION(TXN(DO(PUT("k", "v"))), "{\"Revision\":7}"), 2,
         "expected a response with Txn, found an object"},
        {OPERATION(TXN(DO(PUT("k", "v"))), "{\"Txn\":{\"Failure\":true}}"), 2,
         "expected a transaction without conditions to succeed, found an object"},
        {OPERATION(TXN(DO(PUT("k", "v"))), "{\"Txn\":{\"Failure\":0}}"), 2,
         "expected true or false, found the number 0"},
        {OPERATION(TXN(DO(PUT("k", "v"))), "{\"Error\":7}"), 2,
         "expected a text, found the number 7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refuses("etcd", cases[i].input, cases[i].line, cases[i].message);
}

#define DUMPED(input) "{\"ClientId\":1,\"Input\":" input ",\"Call\":1}"
#define ANSWERED(input, result)                                                                    \
    "{\"ClientId\":1,\"Input\":" input ",\"Call\":1,\"Return\":2,\"Output\":{\"value\":" result "}}"
#define NO_REVISION "a revision of 0 (which says none there)"

static void what_etcd_does_not_have_is_not_written(void **unused)
{
    (void)unused;
    static const struct {
        const char *input, *refused;
    } cases[] = {
        {DUMPED("{\"f\":\"put\",\"key\":7,\"value\":\"v\"}"), "a key that is no text"},
        {DUMPED("{\"f\":\"put\",\"key\":\"k\",\"value\":7}"), "a value that is no text"},
        {DUMPED("{\"f\":\"put\",\"key\":\"k\",\"value\":\"aaaaaaaaaaaaaaaaaaaa\"}"),
         "a value of 20 bytes or more (only its hash)"},
        {DUMPED("{\"f\":\"put\",\"value\":\"k\"}"), "arguments that its function does not have"},
        {DUMPED("{\"f\":\"get\",\"key\":\"k\",\"value\":\"v\"}"),
         "arguments that its function does not have"},
        {DUMPED("{\"f\":\"append\",\"key\":\"k\",\"value\":\"v\"}"),
         "an operation other than get, put, delete and put-if-revision"},
        {DUMPED("{\"f\":\"get\",\"key\":\"k\",\"object\":\"m\"}"), "an object"},
        {"{\"Input\":{\"f\":\"get\",\"key\":\"k\"},\"Call\":1,\"Output\":{\"fail\":true}}",
         "an operation that did not happen"},
        {ANSWERED("{\"f\":\"put\",\"key\":\"k\",\"value\":\"v\"}", "{\"revision\":0}"),
         NO_REVISION},
        {ANSWERED("{\"f\":\"delete\",\"key\":\"k\"}", "{\"revision\":0}"), NO_REVISION},
        {ANSWERED("{\"f\":\"get\",\"key\":\"k\"}", "{\"value\":\"v\",\"revision\":0}"),
         NO_REVISION},
        {ANSWERED("{\"f\":\"put-if-revision\",\"value\":[\"k\",1,\"v\"]}",
                  "{\"ok\":false,\"value\":\"w\",\"revision\":0}"),
         NO_REVISION},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_cannot_write("porcupine-operations", cases[i].input, "etcd", cases[i].refused);
}

static void operations_of_other_formats_become_requests(void **unused)
{
    (void)unused;
    static const char input[] =
        "{\"ClientId\":1,\"Input\":{\"f\":\"put\",\"key\":\"k\",\"value\":\"v\"},\"Call\":1,"
        "\"Return\":2}"
        "{\"ClientId\":1,\"Input\":{\"f\":\"put_if_revision\",\"value\":[\"k\",1,\"v\"]},"
        "\"Call\":3,\"Output\":{\"ok\":false},\"Return\":4}"
        "{\"ClientId\":1,\"Input\":{\"f\":\"get\",\"value\":\"k\"},\"Call\":5,\"Output\":\"v\","
        "\"Return\":6}";
    struct library library;
    library_open(&library, 0);
    struct history *history =
        library_read_one(&library, input, strlen(input), "porcupine-operations");
    size_t length;
    char *written = library_write(history, "etcd", &length);
    assert_reads(NULL, written,
                 "1 invoke put [\"k\" \"v\"]\n1 ok\n"
                 "1 invoke put-if-revision [\"k\" 1 \"v\"]\n1 ok {\"ok\" false}\n"
                 "1 invoke get \"k\"\n1 ok \"v\"\n");
    free(written);
    history_destroy(history);
    library_close(&library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_on_one_key_are_operations_of_a_map),
        cmocka_unit_test(long_texts_are_hashed_where_they_are_not_yet),
        cmocka_unit_test(failed_requests_may_have_happened),
        cmocka_unit_test(other_requests_are_refused_by_name),
        cmocka_unit_test(ill_formed_requests_and_answers_are_refused),
        cmocka_unit_test(what_etcd_does_not_have_is_not_written),
        cmocka_unit_test(operations_of_other_formats_become_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
