/* Locals are found from the innermost block outwards, then what the object declares. For a name
 * that is none the nearest known one is suggested, or what C and papers call so. */
#include "lin/check_scope.h"

#include <string.h>

#include "base/hash.h"
#include "base/suggestion.h"
#include "lang/faults.h"
#include "lang/references.h"

struct lin_variable *checker_find_variable(struct lin_variable *const *variables, uint32_t count,
                                           const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (variables[i]->name == name)
            return variables[i];
    return NULL;
}

const struct lin_struct *checker_find_struct(const struct lin_object *object, const char *name)
{
    for (uint32_t i = 0; i < object->struct_count; i++)
        if (object->structs[i]->name == name)
            return object->structs[i];
    return NULL;
}

const struct lin_operation *checker_find_function(const struct lin_object *object, const char *name)
{
    for (uint32_t i = 0; i < object->function_count; i++)
        if (object->functions[i]->name == name)
            return object->functions[i];
    return NULL;
}

int checker_find_parameter(const struct lin_object *object, const char *name)
{
    for (uint32_t i = 0; i < object->parameter_count; i++)
        if (object->parameters[i].name == name)
            return (int)i;
    return -1;
}

bool checker_is_symbol(const struct checker *checker, const char *name)
{
    if (strcmp(name, "ok") == 0 || strcmp(name, "empty") == 0 || strcmp(name, "full") == 0)
        return true;
    for (size_t i = 0; i < checker->symbols.length; i++)
        if (checker->symbols.items[i] == name)
            return true;
    return false;
}

/* What C and papers call things that have another name here. */
static const struct {
    const char *theirs, *ours;
} synonyms[] = {
    {"NULL", "null"},     {"nullptr", "null"},
    {"TRUE", "true"},     {"FALSE", "false"},
    {"CAS", "cas"},       {"compare_and_swap", "cas"},
    {"FAA", "fetch_add"}, {"fetch_and_add", "fetch_add"},
    {"SWAP", "swap"},     {"exchange", "swap"},
    {"LL", "ll"},         {"SC", "sc"},
    {"malloc", "new"},    {"sizeof", "new"},
    {"nil", "null"},      {"compare_exchange", "cas"},
};

static const char *const integers[] = {"long",    "short",    "unsigned", "char",     "size_t",
                                       "int32_t", "uint32_t", "int64_t",  "uint64_t", "uintptr_t"};

enum status checker_undeclared_type(const struct checker *checker, place at, const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(integers); i++)
        if (strcmp(integers[i], name) == 0)
            return complain(checker, at,
                            "expected a type, found `%s`, which is `int` here, of 32 bits, or "
                            "`int(0..3)`, of a range",
                            name);
    return complain(checker, at, "expected a type, found `%s`, which is not declared", name);
}

/* A name that is none, with what was perhaps meant. */
enum status checker_undeclared(const struct checker *checker, place at, const char *expected,
                               const char *name, const char *const *known, size_t count)
{
    if (checker_find_struct(checker->object, name))
        return complain(checker, at,
                        "expected %s, found `%s`, which is a type (a variable is declared `%s x`)",
                        expected, name, name);
    for (size_t i = 0; i < ARRAY_LENGTH(synonyms); i++)
        if (strcmp(synonyms[i].theirs, name) == 0)
            return complain(checker, at, "expected %s, found `%s`, which is `%s` here", expected,
                            name, synonyms[i].ours);
    size_t length = strlen(name), nearest = count;
    if (length > 2) /* a letter less, and everything is near */
        nearest = suggestion_find(name, length, known, count);
    if (nearest < count)
        return complain(checker, at,
                        "expected %s, found `%s`, which is not declared; did you mean `%s`?",
                        expected, name, known[nearest]);
    return complain(checker, at, "expected %s, found `%s`, which is not declared", expected, name);
}

enum status checker_undeclared_name(const struct checker *checker, place at, const char *name)
{
    const char *known[MOST_KNOWN];
    const struct lin_object *object = checker->object;
    size_t count = 0;
    for (size_t i = checker->scope.length; i-- > 0 && count < MOST_KNOWN;)
        known[count++] = checker->scope.items[i].variable->name;
    for (uint32_t i = 0; i < object->variable_count && count < MOST_KNOWN; i++)
        known[count++] = object->variables[i]->name;
    for (uint32_t i = 0; i < object->parameter_count && count < MOST_KNOWN; i++)
        known[count++] = object->parameters[i].name;
    return checker_undeclared(checker, at, "a declared name", name, known, count);
}

/* The number of the operation that a condition names. */
enum status checker_find_operation(struct checker *checker, const char *name, place at,
                                   uint32_t *number)
{
    const struct lin_object *object = checker->object;
    for (uint32_t i = 0; i < object->operation_count; i++) {
        if (object->operations[i]->name == name) {
            *number = i;
            references_add_shared(checker->module->script, at, name, REFERENCE_OPERATION);
            return STATUS_OK;
        }
    }
    return complain(checker, at, "expected an operation of `%s`", object->name);
}

/* ---- names that are declared once ---- */

void declared_names_init(struct declared_names *names, struct budget *budget)
{
    vector_init(&names->items, budget);
    table_init(&names->numbers, budget);
}

void declared_names_release(struct declared_names *names)
{
    vector_release(&names->items);
    table_release(&names->numbers);
}

enum status checker_declare(const struct checker *checker, struct declared_names *names, place at,
                            const char *name)
{
    const uint64_t hash = hash_word((uintptr_t)name);
    struct table_search search = table_search(&names->numbers, hash);
    while (table_next(&search))
        if (names->items.items[search.number] == name)
            return complain(checker, at, "expected a new name, found `%s` again", name);
    const uint32_t number = (uint32_t)names->items.length;
    return vector_push(&names->items, name) && table_add(&names->numbers, hash, number)
               ? STATUS_OK
               : STATUS_LIMIT;
}

/* Variables and parameters, structs, and functions, which structs make nodes as, in this order;
 * then operations. */
static enum status declare_all(const struct checker *checker, const struct lin_object *object,
                               struct declared_names sets[static 3])
{
    for (uint32_t i = 0; i < object->variable_count; i++) {
        const struct lin_variable *variable = object->variables[i];
        if (checker_find_parameter(object, variable->name) >= 0)
            return complain(checker, variable->at, "expected a new name, found `%s` again",
                            variable->name);
        TRY(checker_declare(checker, &sets[0], variable->at, variable->name));
    }
    for (uint32_t i = 0; i < object->struct_count; i++)
        TRY(checker_declare(checker, &sets[1], object->structs[i]->at, object->structs[i]->name));
    for (uint32_t i = 0; i < object->function_count; i++)
        TRY(checker_declare(checker, &sets[1], object->functions[i]->at,
                            object->functions[i]->name));
    for (uint32_t i = 0; i < object->operation_count; i++)
        TRY(checker_declare(checker, &sets[2], object->operations[i]->at,
                            object->operations[i]->name));
    return STATUS_OK;
}

/* Every name that an object declares is declared once. */
enum status checker_check_names(const struct checker *checker, const struct lin_object *object)
{
    struct declared_names sets[3];
    for (size_t i = 0; i < ARRAY_LENGTH(sets); i++)
        declared_names_init(&sets[i], checker->module->arena->budget);
    enum status status = declare_all(checker, object, sets);
    for (size_t i = 0; i < ARRAY_LENGTH(sets); i++)
        declared_names_release(&sets[i]);
    return status;
}

enum status checker_keep(const struct checker *checker, enum status status)
{
    return faults_keep(checker->module->script, status, checker->error);
}
