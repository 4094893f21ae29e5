#include "support/thread_fixture.h"
#include "implementation/step_compile.h"

#include <assert.h>
#include <string.h>

#include "lin/arguments.h"
#include "lin/parser.h"

/* The implementation with its parameters. */
static bool compile(struct thread_fixture *fixture, const char *implementation, int32_t nodes,
                    const char *object)
{
    static const char *const order[] = {"acquire", "release"};
    struct lin_fixture *lin = &fixture->lin;
    struct lin_reference reference;
    value *values;
    int32_t parameters[8];
    if (lin_parse_reference(implementation, &lin->arena, &reference, &lin->error) != STATUS_OK)
        return false;
    const struct lin_object *found = lin_find_object(&lin->module, reference.name, false);
    if (!found || lin_arguments(&lin->module, found, &reference, NULL, lin->pool, &values,
                                &lin->error) != STATUS_OK)
        return false;
    for (uint32_t i = 0; i < found->parameter_count; i++) {
        int64_t integer = 0;
        (void)value_get_integer(values[i], &integer);
        parameters[i] = (int32_t)integer;
    }
    struct lin_setting *setting = &fixture->setting;
    *setting = (struct lin_setting){
        .threads = 1, .operations = -1, .values = 3, .nodes = nodes, .keeps = true};
    if (rule_object_find(object)->values_are_processes) {
        setting->client = order;
        setting->client_count = 2;
    }
    return lin_steps_compile(&lin->module, found, parameters, setting, &lin->arena, &fixture->steps,
                             &lin->error) == STATUS_OK;
}

bool thread_fixture_open(struct thread_fixture *fixture, const char *text,
                         const char *implementation, const char *object, int32_t nodes)
{
    *fixture = (struct thread_fixture){0};
    struct lin_fixture *lin = &fixture->lin;
    if (!lin_fixture_open(lin, text))
        return false;
    fixture->labels = labels_create(&lin->budget);
    return compile(fixture, implementation, nodes, object) &&
           thread_system_create(&fixture->system, &fixture->steps, fixture->labels, &lin->limits,
                                &lin->error) == STATUS_OK &&
           questions_init(&fixture->questions, &fixture->system, rule_object_find(object),
                          &lin->budget, &lin->error) == STATUS_OK &&
           violation_automata_of(object, &lin->arena, &fixture->automata, &lin->error) == STATUS_OK;
}

void thread_fixture_close(struct thread_fixture *fixture)
{
    questions_release(&fixture->questions);
    thread_system_release(&fixture->system);
    lin_steps_release(&fixture->steps);
    labels_destroy(fixture->labels);
    lin_fixture_close(&fixture->lin);
}

const struct violation_automaton *thread_fixture_automaton(const struct thread_fixture *fixture,
                                                           const char *name)
{
    size_t i = 0;
    while (i < fixture->automata.count && strcmp(fixture->automata.items[i].name, name) != 0)
        i++;
    assert(i < fixture->automata.count);
    return &fixture->automata.items[i];
}
