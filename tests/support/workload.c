/* What is called on each built-in object, and specifications made ready for it. */
#include "spec/builtin.h"
#include "support/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value/print.h"

/* ---- Workloads ---- */

static const struct workload all_workloads[] = {
    {.name = "register",
     .spec = "register",
     .calls = {{"write", "#", NULL}, {"read", NULL, "nil #"}}},
    {.name = "cas-register",
     .spec = "cas-register",
     .calls = {{"read", NULL, "nil #"}, {"write", "#", NULL}, {"cas", "[# #]", NULL}}},
    {.name = "mutex", .spec = "mutex", .calls = {{"acquire", NULL, NULL}, {"release", NULL, NULL}}},
    {.name = "owned mutex",
     .spec = "mutex",
     .owned = true,
     .calls = {{"acquire", NULL, NULL}, {"release", NULL, NULL}}},
    {.name = "mutex with try-acquire",
     .spec = "mutex",
     .calls = {{"acquire", NULL, NULL},
               {"release", NULL, NULL},
               {"try-acquire", NULL, "true false"}}},
    {.name = "owned mutex with try-acquire",
     .spec = "mutex",
     .owned = true,
     .calls = {{"acquire", NULL, NULL},
               {"release", NULL, NULL},
               {"try-acquire", NULL, "true false"}}},
    {.name = "semaphore",
     .spec = "semaphore(2)",
     .calls = {{"acquire", NULL, NULL}, {"release", NULL, NULL}}},
    {.name = "queue",
     .spec = "queue",
     .calls = {{"enqueue", "#", NULL}, {"dequeue", NULL, "nil #"}}},
    {.name = "bounded queue",
     .spec = "queue(2)",
     .calls = {{"enqueue", "#", "true false"}, {"dequeue", NULL, "nil #"}}},
    {.name = "stack", .spec = "stack", .calls = {{"push", "#", NULL}, {"pop", NULL, "nil #"}}},
    {.name = "bounded stack",
     .spec = "stack(1)",
     .calls = {{"push", "#", "true false"}, {"pop", NULL, "nil #"}}},
    {.name = "set",
     .spec = "set",
     .calls = {{"add", "#", "true false"},
               {"remove", "#", "true false"},
               {"contains", "#", "true false"}}},
    {.name = "set of one key",
     .spec = "set",
     .key = "1",
     .calls = {{"add", "1", "true false"},
               {"remove", "1", "true false"},
               {"contains", "1", "true false"}}},
    {.name = "unordered-queue",
     .spec = "unordered-queue",
     .calls = {{"enqueue", "#", NULL},
               {"enqueue", "#", NULL},
               {"dequeue", NULL, "nil #"},
               {"drain", NULL, "[]"},
               {"drain", NULL, "[#]"},
               {"drain", NULL, "[# #]"}}},
    {.name = "unordered-queue without drain",
     .spec = "unordered-queue",
     .calls = {{"enqueue", "#", NULL}, {"dequeue", NULL, "nil #"}}},
    {.name = "grow-set",
     .spec = "grow-set",
     .calls = {{"add", "#", NULL},
               {"read", NULL, "[]"},
               {"read", NULL, "[#]"},
               {"read", NULL, "[# #]"}}},
    {.name = "counter",
     .spec = "counter",
     .calls = {{"add", "#", NULL}, {"inc", NULL, NULL}, {"read", NULL, "0 1 2 3"}}},
    {.name = "priority-queue",
     .spec = "priority-queue",
     .calls = {{"insert", "#", NULL}, {"delete-min", NULL, "nil #"}}},
    {.name = "deque",
     .spec = "deque",
     .calls = {{"push-front", "#", NULL},
               {"push-back", "#", NULL},
               {"pop-front", NULL, "nil #"},
               {"pop-back", NULL, "nil #"}}},
    {.name = "bounded deque",
     .spec = "deque(2)",
     .calls = {{"push-front", "#", "true false"},
               {"push-back", "#", "true false"},
               {"pop-front", NULL, "nil #"},
               {"pop-back", NULL, "nil #"}}},
    {.name = "multi-register",
     .spec = "multi-register",
     .calls = {{"txn", "[[:write :x #]]", "[[:write :x #]]"},
               {"txn", "[[:read :x nil] [:write :y #]]", "[[:read :x #] [:write :y #]]"},
               {"txn", "[[:read :x nil] [:read :y nil]]", "[[:read :x #] [:read :y #]]"},
               {"txn", "[[:read :y nil] [:write :x #]]", "[[:read :y #] [:write :x #]]"}}},
    {.name = "map",
     .spec = "map",
     .calls = {{"put", "[:a #]", NULL},
               {"put", "[:b #]", NULL},
               {"get", ":a", "nil #"},
               {"get", ":b", "nil #"},
               {"delete", ":a", NULL},
               {"cas", "[:b # #]", NULL}}},
    {.name = "map of one key",
     .spec = "map",
     .key = ":a",
     .calls = {{"put", "[:a #]", NULL},
               {"get", ":a", "nil #"},
               {"cas", "[:a # #]", NULL},
               {"delete", ":a", NULL}}},
    {.name = "map with append",
     .spec = "map",
     .initial = "\"\"",
     .key = ":a",
     .calls = {{"append", "[:a \"#\"]", NULL},
               {"get", ":a", "\"\" \"#\" \"##\""},
               {"put", "[:a \"#\"]", NULL}}},
    {.name = "map with lists",
     .spec = "map",
     .key = ":a",
     .calls = {{"append", "[:a #]", NULL},
               {"get", ":a", "[#]"},
               {"get", ":a", "[# #]"},
               {"get", ":a", "nil #"},
               {"put", "[:a #]", NULL},
               {"put", "[:a [#]]", NULL},
               {"delete", ":a", NULL}}},
};

const struct workload *workloads(size_t *count)
{
    *count = ARRAY_LENGTH(all_workloads);
    return all_workloads;
}

const struct workload *workload_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(all_workloads); i++)
        if (strcmp(all_workloads[i].name, name) == 0)
            return &all_workloads[i];
    fprintf(stderr, "no workload is called %s\n", name);
    abort();
}

value test_value(struct value_pool *pool, const char *text)
{
    value v = VALUE_NIL;
    size_t used = 0;
    struct error error = {0};
    if (value_parse_edn(pool, text, strlen(text), &used, "test", 1, &v, &error) != STATUS_OK) {
        fprintf(stderr, "%s: %s\n", text, error.message);
        abort();
    }
    return v;
}

static void subject_prepare(struct subject *subject, const struct workload *workload,
                            struct spec_request *request)
{
    *subject = (struct subject){.workload = workload};
    budget_init(&subject->budget, NULL, 0);
    subject->pool = value_pool_create(&subject->budget);
    if (workload->key) {
        subject->key = test_value(subject->pool, workload->key);
        subject->has_key = true;
    }
    *request = (struct spec_request){.name = workload->spec, .owned = workload->owned};
    if (workload->initial) {
        request->initial = test_value(subject->pool, workload->initial);
        request->has_initial = true;
    }
}

static void subject_check(enum status status, const struct workload *workload,
                          const struct error *error)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "%s: %s\n", workload->name, error->message);
    abort();
}

void subject_open(struct subject *subject, const struct workload *workload)
{
    struct spec_request request;
    struct error error = {0};
    subject_prepare(subject, workload, &request);
    subject_check(spec_create(&request, subject->pool, &subject->budget, &subject->spec, &error),
                  workload, &error);
}

void subject_open_class(struct subject *subject, const struct workload *workload,
                        const struct spec_class *class)
{
    struct spec_request request;
    struct error error = {0};
    subject_prepare(subject, workload, &request);
    subject_check(spec_create_class(class, &request, NULL, subject->pool, &subject->budget,
                                    &subject->spec, &error),
                  workload, &error);
}

void subject_close(struct subject *subject)
{
    spec_destroy(subject->spec);
    value_pool_destroy(subject->pool);
    if (subject->budget.used != 0) {
        fprintf(stderr, "%s: %zu bytes were not given back\n", subject->workload->name,
                (size_t)subject->budget.used);
        abort();
    }
}

struct call subject_call(const struct subject *subject, const char *operation,
                         const struct recorded *recorded)
{
    const struct spec_class *class = subject->spec->class;
    int index = spec_operation_find(class, operation, strlen(operation));
    if (index < 0) {
        fprintf(stderr, "%s has no operation %s\n", class->name, operation);
        abort();
    }
    struct call call;
    struct text complaint = TEXT_EMPTY;
    if (spec_bind(subject->spec, (uint16_t)index, recorded, &call, &complaint) != STATUS_OK) {
        fprintf(stderr, "%s: %s\n", class->name, text_string(&complaint));
        abort();
    }
    text_release(&complaint);
    return call;
}

uint32_t template_slots(const char *text)
{
    uint32_t slots = 0;
    for (; text && *text; text++)
        slots += *text == '#';
    return slots;
}

value template_value(const struct subject *subject, const char *text, const int64_t *values)
{
    if (!text)
        return VALUE_NIL;
    struct text filled = TEXT_EMPTY;
    for (; *text; text++)
        if (*text == '#')
            text_format(&filled, "%" PRId64, *values++);
        else
            text_append_char(&filled, *text);
    value v = test_value(subject->pool, text_string(&filled));
    text_release(&filled);
    return v;
}
