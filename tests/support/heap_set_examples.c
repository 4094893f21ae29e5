#include "support/heap_set_examples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "spec/builtin.h"

bool heap_set_example_open(struct heap_set_example *subject, const char *text, unsigned seconds)
{
    const struct lin_setting setting = {.threads = 1,
                                        .operations = -1,
                                        .values = 3,
                                        .nodes = HEAP_MOST_NODES,
                                        .unbounded = true,
                                        .keeps = true};
    memset(subject, 0, sizeof *subject);
    if (!lin_compiled_open(&subject->compiled, text, UINT32_MAX, setting, NULL))
        return false;
    budget_init(&subject->budget, NULL, (size_t)1 << 30);
    limits_init(&subject->limits, &subject->budget);
    if (seconds > 0)
        subject->limits.deadline = clock_nanoseconds() + seconds * UINT64_C(1000000000);
    arena_init(&subject->arena, &subject->budget);
    const enum status created =
        thread_system_create(&subject->system, &subject->compiled.alone, subject->compiled.labels,
                             &subject->compiled.fixture.limits, &subject->error);
    if (created == STATUS_INPUT) { /* its `init` goes wrong */
        thread_system_release(&subject->system);
        arena_release(&subject->arena);
        return false;
    }
    assert_int_equal(created, STATUS_OK);
    subject->pool = value_pool_create(&subject->budget);
    assert_non_null(subject->pool);
    assert_int_equal(spec_create(&(struct spec_request){.name = "set"}, subject->pool,
                                 &subject->budget, &subject->set, &subject->error),
                     STATUS_OK);
    lin_any_parts_init(&subject->parts, &subject->system, subject->set, &subject->budget,
                       &subject->error);
    const struct heap_points points = {.system = &subject->system,
                                       .specification = &subject->parts.specification,
                                       .budget = &subject->budget,
                                       .arena = &subject->arena,
                                       .limits = &subject->limits,
                                       .last_deadline = subject->limits.deadline,
                                       .error = &subject->error};
    const enum status status = heap_points_find(&points, &subject->answer);
    if (status == STATUS_LIMIT && seconds > 0)
        subject->answer.kind = HEAP_LIMIT;
    else
        assert_int_equal(status, STATUS_OK);
    subject->limits.deadline = 0;
    subject->runs = (struct heap_subject){&subject->system, &subject->answer.shape, true, 0, false};
    return true;
}

void heap_set_example_observe(struct heap_set_example *subject, uint32_t part,
                              struct heap_proof *proof)
{
    const struct heap_specification *specification = &subject->parts.specification;
    heap_proof_init(proof, &subject->system, &subject->answer.shape, NULL,
                    &subject->answer.placement, &subject->budget, &subject->limits,
                    &subject->error);
    proof->specification = specification;
    assert_true(specification->begin(specification->user, part, &proof->initial));
}

void heap_set_example_close(struct heap_set_example *subject, bool opened)
{
    if (opened) {
        lin_any_parts_release(&subject->parts);
        spec_destroy(subject->set);
        value_pool_destroy(subject->pool);
        thread_system_release(&subject->system);
        arena_release(&subject->arena);
    }
    lin_compiled_close(&subject->compiled);
}
