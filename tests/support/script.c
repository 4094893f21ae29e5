#include "support/script.h"
#include "spec/builtin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/generate.h"
#include "value/print.h"

enum status made_open(struct made *made, const char *text, bool owned, bool nil_reads,
                      struct error *error)
{
    *made = (struct made){0};
    budget_init(&made->budget, NULL, 0);
    made->pool = value_pool_create(&made->budget);
    char name[64] = {0};
    const char *initial = strstr(text, " = ");
    strncpy(name, text, initial ? (size_t)(initial - text) : sizeof name - 1);
    struct spec_request request = {.name = name, .owned = owned, .nil_reads = nil_reads};
    if (initial) {
        request.initial = test_value(made->pool, initial + 3);
        request.has_initial = true;
    }
    return spec_create(&request, made->pool, &made->budget, &made->spec, error);
}

void made_close(struct made *made)
{
    spec_destroy(made->spec);
    value_pool_destroy(made->pool);
    assert_int_equal(made->budget.used, 0);
}

/* Reads the next EDN value; false at the end of the call. */
static bool read_value(struct made *made, const char **at, value *v)
{
    *at += strspn(*at, " ");
    if (!**at || **at == ';' || **at == '@' || strncmp(*at, "->", 2) == 0)
        return false;
    size_t used;
    struct error error;
    assert_int_equal(value_parse_edn(made->pool, *at, strlen(*at), &used, "script", 1, v, &error),
                     STATUS_OK);
    *at += used;
    return true;
}

struct call script_call(struct made *made, const char **at, bool *legal)
{
    *at += strspn(*at, " ");
    *legal = **at != '!';
    *at += !*legal;
    size_t length = strcspn(*at, " ;");
    int operation = spec_operation_find(made->spec->class, *at, length);
    assert_true(operation >= 0);
    *at += length;
    struct recorded recorded = {.completed = true};
    read_value(made, at, &recorded.argument);
    *at += strspn(*at, " ");
    if (strncmp(*at, "->", 2) == 0) {
        *at += 2;
        assert_true(read_value(made, at, &recorded.result));
        recorded.completed = recorded.result_recorded = !value_text_is(recorded.result, "?");
        *at += strspn(*at, " ");
    }
    if (**at == '@')
        recorded.process = (uint32_t)strtoul(*at + 1, (char **)at, 10);
    assert_true(!**at || **at == ';');
    *at += **at == ';';
    struct call call;
    struct text complaint = TEXT_EMPTY;
    if (spec_bind(made->spec, (uint16_t)operation, &recorded, &call, &complaint) != STATUS_OK)
        fail_msg("%s", text_string(&complaint));
    return call;
}

void states_open(struct states *states, const struct spec *spec, value key, struct budget *budget)
{
    states->spec = spec;
    outcomes_init(&states->now, budget);
    outcomes_init(&states->next, budget);
    assert_true(spec->class->init(spec, key, &states->now));
    assert_int_equal(states->now.items.length, 1);
}

void states_close(struct states *states)
{
    outcomes_release(&states->now);
    outcomes_release(&states->next);
}

bool states_try(struct states *states, const struct call *call)
{
    outcomes_clear(&states->next);
    for (size_t i = 0; i < states->now.items.length; i++) {
        const struct outcome *item = &states->now.items.items[i];
        const uint64_t *words = states->now.words.items + item->start;
        size_t before = states->next.items.length;
        assert_true(
            states->spec->class->step(states->spec, words, item->length, call, &states->next));
        for (size_t j = before; j < states->next.items.length; j++) {
            const struct outcome *after = &states->next.items.items[j];
            assert_true(!call->result_known || after->result == call->result ||
                        !states->spec->class->operations[call->operation].result[0]);
            if (call->read_only) {
                assert_int_equal(after->length, item->length);
                assert_memory_equal(states->next.words.items + after->start, words,
                                    item->length * sizeof *words);
            }
        }
    }
    return states->next.items.length > 0;
}

void states_advance(struct states *states)
{
    struct outcomes swap = states->now;
    states->now = states->next;
    states->next = swap;
}

void states_print(const struct states *states, struct text *text)
{
    for (size_t i = 0; i < states->now.items.length; i++) {
        const struct outcome *item = &states->now.items.items[i];
        text_append(text, i > 0 ? " or " : "");
        states->spec->class->print_state(states->spec, states->now.words.items + item->start,
                                         item->length, text);
    }
}
