#include "spec/rule_object.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"

static const struct object_method queue[] = {
    {"Enq", "enqueue", METHOD_ADDS, 1, RESULT_ITS_OWN, NULL},
    {"Deq", "dequeue", METHOD_ANSWERS, METHOD_TAKES, RESULT_ITS_OWN, NULL},
    {"DeqEmpty", "dequeue", METHOD_EMPTY, 0, RESULT_ITS_OWN, NULL},
};

static const struct object_method stack[] = {
    {"Push", "push", METHOD_ADDS, 1, RESULT_ITS_OWN, NULL},
    {"Pop", "pop", METHOD_ANSWERS, METHOD_TAKES, RESULT_ITS_OWN, NULL},
    {"PopEmpty", "pop", METHOD_EMPTY, 0, RESULT_ITS_OWN, NULL},
};

static const struct object_method reg[] = {
    {"Write", "write", METHOD_ADDS, 1, RESULT_ITS_OWN, NULL},
    {"Read", "read", METHOD_ANSWERS, METHOD_LOOKS, RESULT_ITS_OWN, NULL},
    {"ReadInit", "read", METHOD_EMPTY, 0, RESULT_ITS_OWN, NULL},
};

static const struct object_method mutex[] = {
    {"Lock", "acquire", METHOD_ADDS, 1, RESULT_ITS_OWN, NULL},
    {"Unlock", "release", METHOD_ANSWERS, METHOD_TAKES, RESULT_ITS_OWN, NULL},
};

static const struct object_method semaphore[] = {
    {"Acquire", "acquire", METHOD_ADDS, 1, RESULT_ITS_OWN, NULL},
    {"Release", "release", METHOD_ANSWERS, METHOD_TAKES, RESULT_ITS_OWN, NULL},
};

static const struct object_method set[] = {
    {"Add", "add", METHOD_ADDS, 1, RESULT_TRUE, NULL},
    {"Remove", "remove", METHOD_ASKS, METHOD_TAKES, RESULT_TRUE, NULL},
    {"Contains", "contains", METHOD_ASKS, METHOD_LOOKS, RESULT_TRUE, NULL},
    {"AddFail", "add", METHOD_ASKS, METHOD_LOOKS, RESULT_FALSE, NULL},
    {"RemoveFail", "remove", METHOD_ASKS, METHOD_LOOKS, RESULT_FALSE, NULL},
    {"ContainsFalse", "contains", METHOD_ASKS, METHOD_LOOKS, RESULT_FALSE, NULL},
};

/* Of a semaphore with more permits the automata would be large, and nobody asks. */
#define MOST_PERMITS 100

static const struct rule_object objects[] = {
    {"queue", false, 0, queue, ARRAY_LENGTH(queue)},
    {"stack", false, 0, stack, ARRAY_LENGTH(stack)},
    {"register", false, 0, reg, ARRAY_LENGTH(reg)},
    {"mutex", true, 0, mutex, ARRAY_LENGTH(mutex)},
    {"semaphore", true, MOST_PERMITS, semaphore, ARRAY_LENGTH(semaphore)},
    {"set", false, 0, set, ARRAY_LENGTH(set)},
};

/* Whether `parameters` is "(3)", or "" where there is none. */
static bool has_parameters(const struct rule_object *object, const char *parameters)
{
    char *end;
    if (!object->most_number)
        return !parameters[0];
    if (parameters[0] != '(' || !isdigit((unsigned char)parameters[1]))
        return false;
    unsigned long number = strtoul(parameters + 1, &end, 10);
    return number >= 1 && number <= object->most_number && strcmp(end, ")") == 0;
}

const struct rule_object *rule_object_find(const char *specification)
{
    for (size_t i = 0; i < ARRAY_LENGTH(objects); i++) {
        size_t length = strlen(objects[i].name);
        if (strncmp(objects[i].name, specification, length) == 0 &&
            has_parameters(&objects[i], specification + length))
            return &objects[i];
    }
    return NULL;
}

const char *rule_object_names(void)
{
    return "queue, stack, register, mutex, semaphore(N) or set";
}

uint32_t rule_object_find_method(const struct rule_object *object, const char *name)
{
    uint32_t method = 0;
    while (method < object->method_count && strcmp(object->methods[method].name, name) != 0)
        method++;
    return method;
}

void rule_object_append_methods(const struct rule_object *object, struct text *text)
{
    for (uint32_t m = 0; m < object->method_count; m++)
        text_format(text, "%s%s", m ? ", " : "", object->methods[m].name);
}
