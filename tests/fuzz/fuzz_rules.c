/* Any bytes, read as a violation automaton: that must end with an automaton whose states are all in
 * range, or with a message that has a place. What can be compared is: two ways of giving words to
 * it must agree as rules/check.h says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/check.h"
#include "spec/builtin.h"

#define MEMORY  ((size_t)16 << 20)
#define LONGEST 20000
#define BOUND   2

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void must(bool condition, const char *what, const char *detail)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_rules: %s: %s\n", what, detail);
    abort();
}

static void check_table(const struct violation_automaton *automaton)
{
    must(automaton->initial < automaton->state_count, "initial state", automaton->name);
    for (uint32_t m = 0; m < automaton->method_count; m++) {
        uint32_t original = automaton->unmarked[m];
        must(original < automaton->method_count && automaton->unmarked[original] == original,
             "marked copy", automaton->name);
    }
    for (uint32_t s = 0; s < automaton->state_count; s++)
        must(automaton->accepting[s] || !automaton->complete[s], "complete state", automaton->name);
    for (uint32_t s = 0; s < automaton->state_count; s++)
        for (unsigned e = VIOLATION_CALL; e <= VIOLATION_RETURN; e++)
            for (uint32_t m = 0; m < automaton->method_count; m++)
                for (unsigned c = 1; c <= VIOLATION_COLOURS; c++) {
                    uint32_t to = violation_automaton_next(automaton, s, e, m, c);
                    must(to == VIOLATION_DEAD || to < automaton->state_count, "transition",
                         automaton->name);
                }
}

static bool can_compare(const struct violation_automaton *automaton,
                        const struct rule_object *object)
{
    for (uint32_t m = 0; object && m < automaton->method_count; m++)
        if (rule_object_find_method(object, automaton->methods[automaton->unmarked[m]]) ==
            object->method_count)
            return false;
    return object != NULL;
}

static void compare(const struct violation_automaton *automaton, struct arena *arena)
{
    const struct rule_object *object = rule_object_find(automaton->object);
    struct rules_finding strict, closure;
    struct limits limits;
    struct error error = {0};
    struct spec *spec;
    if (!can_compare(automaton, object))
        return;
    struct value_pool *pool = value_pool_create(arena->budget);
    const struct spec_request named = {.name = automaton->object};
    must(spec_create(&named, pool, arena->budget, &spec, &error) == STATUS_OK, "specification",
         error.message);
    struct rules_request request = {.object = object,
                                    .automata = automaton,
                                    .automaton_count = 1,
                                    .spec = spec,
                                    .bound = BOUND,
                                    .words = RULES_STRICT,
                                    .threads = 1};
    limits_init(&limits, arena->budget);
    bool both = rules_check(&request, &limits, arena, &strict, &error) == STATUS_OK;
    request.words = RULES_CLOSURE;
    both = both && rules_check(&request, &limits, arena, &closure, &error) == STATUS_OK;
    if (both && strict.complete && closure.complete) {
        must(strict.by_size[1].linearizable == closure.by_size[1].linearizable, "linearizable",
             automaton->name);
        must(strict.by_size[1].false_alarms == closure.by_size[1].false_alarms, "false alarms",
             automaton->name);
        must(strict.by_size[1].missed == closure.by_size[1].missed, "missed", automaton->name);
    }
    spec_destroy(spec);
    value_pool_destroy(pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct budget budget;
    struct arena arena;
    struct script script;
    struct violation_automaton automaton;
    struct error error = {0};
    if (length > LONGEST)
        return 0;
    budget_init(&budget, NULL, MEMORY);
    arena_init(&arena, &budget);
    enum status status =
        script_from_text("fuzz", (const char *)bytes, length, &arena, &script, &error);
    if (status == STATUS_OK)
        status = violation_automaton_read(&script, &arena, &automaton, &error);
    must(status == STATUS_OK || status == STATUS_LIMIT ||
             (status == STATUS_INPUT && error.message[0] && error.line > 0),
         "refused without a place", error.message);
    if (status == STATUS_OK) {
        check_table(&automaton);
        compare(&automaton, &arena);
    }
    arena_release(&arena);
    must(budget.used == 0, "memory", "not given back");
    return 0;
}
