#include "support/lin_compiled.h"
#include "implementation/step_compile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static enum status compile(struct lin_compiled *compiled, uint32_t number,
                           struct lin_setting setting, const int32_t *parameters,
                           struct lin_steps *steps)
{
    struct lin_fixture *fixture = &compiled->fixture;
    const struct lin_object *object = fixture->module.objects.items[number];
    setting.operations = -1;
    setting.keeps = true;
    return lin_steps_compile(&fixture->module, object, parameters, &setting, &fixture->arena, steps,
                             &fixture->error);
}

bool lin_compiled_open(struct lin_compiled *compiled, const char *text, uint32_t number,
                       struct lin_setting setting, const int32_t *parameters)
{
    struct lin_fixture *fixture = &compiled->fixture;
    *compiled = (struct lin_compiled){0};
    if (!lin_fixture_open(fixture, text))
        return false;
    for (uint32_t i = 0; number == UINT32_MAX; i++)
        if (!fixture->module.objects.items[i]->is_spec)
            number = i;
    compiled->labels = labels_create(&fixture->budget);
    if (compile(compiled, number, setting, parameters, &compiled->steps) != STATUS_OK)
        return false;
    setting.threads = 1;
    return compile(compiled, number, setting, parameters, &compiled->alone) == STATUS_OK;
}

void lin_compiled_expect(struct lin_compiled *compiled, const char *text, uint32_t number,
                         struct lin_setting setting, const int32_t *parameters)
{
    const struct error *error = &compiled->fixture.error;
    if (!lin_compiled_open(compiled, text, number, setting, parameters))
        fail_msg("%u: %s\n%s", error->line, error->message, text);
}

void lin_compiled_close(struct lin_compiled *compiled)
{
    lin_steps_release(&compiled->steps);
    lin_steps_release(&compiled->alone);
    if (compiled->labels)
        labels_destroy(compiled->labels);
    lin_fixture_close(&compiled->fixture);
    assert_int_equal(compiled->fixture.budget.used, 0);
}
