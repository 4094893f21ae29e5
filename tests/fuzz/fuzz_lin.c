/* Any bytes, read as the specification in a `.lin` file.
 *
 * Whatever the text is, reading it must end with a specification or a message; and applying its
 * operations to a few values must end with a result, without one, or with a fault that has a place.
 * Laying it out must keep its tokens, and change nothing the second time. The violation automata in
 * it must be whole.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lin/check.h"
#include "lin/format.h"
#include "lin/parser.h"
#include "lin/spec.h"
#include "rules/lin_automata.h"
#include "spec/replay.h"

#define MEMORY  ((size_t)64 << 20)
#define LONGEST 20000
#define ROUNDS  3 /* in which every operation is called with every argument */

static void must(bool condition, const char *what, const char *detail)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_lin: %s: %s\n", what, detail);
    abort();
}

/* False when the object is of no further use. */
static bool call(const struct spec *spec, struct spec_object *object, uint16_t operation,
                 value argument)
{
    struct text complaint = TEXT_EMPTY;
    const struct recorded recorded = {.argument = argument};
    struct call bound;
    enum applied applied = APPLIED_ILLEGAL;
    enum status status = spec_bind(spec, operation, &recorded, &bound, &complaint);
    must(status != STATUS_INPUT || complaint.length > 0, "refused", "without a complaint");
    if (status == STATUS_OK)
        applied = spec_apply(spec, object, &bound, NULL);
    text_release(&complaint);
    return applied != APPLIED_REFUSED;
}

static void use(const struct spec *spec, struct budget *budget)
{
    const value arguments[] = {VALUE_NIL, value_integer(spec->pool, 1),
                               value_integer(spec->pool, -7)};
    struct spec_object *object = spec_open(spec, VALUE_NIL, budget);
    bool going = object != NULL;
    for (unsigned round = 0; going && round < ROUNDS; round++)
        for (uint16_t i = 0; going && i < spec->class->operation_count; i++)
            for (size_t j = 0; going && j < sizeof arguments / sizeof *arguments; j++)
                going = call(spec, object, i, arguments[j]);
    if (object)
        spec_close(spec, object);
    struct error error = {0};
    if (spec->class->fault && spec->class->fault(spec, &error) == STATUS_INPUT)
        must(error.line > 0 && error.message[0], "a fault", "without a message that has a place");
}

/* What the automata of a module that has been checked are made into is in range. */
static void make_automata(const struct lin_module *module, struct arena *arena)
{
    struct violation_automaton made;
    for (size_t i = 0; i < module->automata.length; i++) {
        const struct lin_automaton *automaton = module->automata.items[i];
        if (!lin_automaton_make(automaton, arena, &made))
            return;
        must(made.initial < made.state_count && made.method_count <= VIOLATION_MOST_METHODS,
             "automaton", made.name);
        size_t letters = (size_t)made.state_count * 2 * made.method_count * VIOLATION_COLOURS;
        for (size_t letter = 0; letter < letters; letter++)
            must(made.next[letter] == VIOLATION_DEAD || made.next[letter] < made.state_count,
                 "transition", made.name);
    }
}

static void read_automata(const char *text, struct budget *budget)
{
    struct arena arena;
    struct script script;
    struct lin_module module;
    struct error error = {0};
    arena_init(&arena, budget);
    if (script_from_text("fuzz.lin", text, strlen(text), &arena, &script, &error) == STATUS_OK) {
        enum status status = lin_parse(&script, &arena, &module, &error);
        if (status == STATUS_OK)
            status = lin_check(&module, &error);
        must(status != STATUS_INPUT || error.line > 0, "refused without a place", error.message);
        if (status == STATUS_OK)
            make_automata(&module, &arena);
        lin_module_release(&module);
    }
    arena_release(&arena);
}

/* What is laid out stays so. */
static void lay_out(const char *text, struct budget *budget)
{
    struct arena arena;
    struct script script;
    struct text once = TEXT_EMPTY, twice = TEXT_EMPTY;
    struct error error = {0};
    arena_init(&arena, budget);
    enum status status = script_from_text("fuzz.lin", text, strlen(text), &arena, &script, &error);
    if (status == STATUS_OK)
        status = lin_format(&script, &arena, &once, &error);
    must(status != STATUS_INTERNAL, "laying out", error.message);
    if (status == STATUS_OK)
        status =
            script_from_text("again.lin", text_string(&once), once.length, &arena, &script, &error);
    else
        status = STATUS_LIMIT;
    if (status == STATUS_OK)
        status = lin_format(&script, &arena, &twice, &error);
    must(status == STATUS_LIMIT || (status == STATUS_OK && once.length == twice.length &&
                                    strcmp(text_string(&once), text_string(&twice)) == 0),
         "laid out twice", text_string(&once));
    text_release(&once);
    text_release(&twice);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > LONGEST)
        return 0;
    struct budget budget;
    budget_init(&budget, NULL, MEMORY);
    struct value_pool *pool = value_pool_create(&budget);
    char *text = malloc(size + 1);
    if (!pool || !text)
        abort();
    memcpy(text, data, size);
    text[size] = 0;
    const struct spec_request request = {0};
    struct spec *spec = NULL;
    struct error error = {0};
    enum status status =
        lin_spec_from_text("fuzz.lin", text, NULL, &request, pool, &budget, &spec, &error);
    if (status == STATUS_OK) {
        use(spec, &budget);
        spec_destroy(spec);
    } else {
        must(error.message[0] || status == STATUS_LIMIT, "refused", "without a message");
        must(status != STATUS_INPUT || error.line > 0, "refused without a place", error.message);
    }
    read_automata(text, &budget);
    lay_out(text, &budget);
    free(text);
    value_pool_destroy(pool);
    must(budget.used == 0, "memory", "is left");
    return 0;
}
