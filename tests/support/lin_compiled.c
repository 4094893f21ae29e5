#include "support/lin_compiled.h"

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

void lin_compiled_open(struct lin_compiled *compiled, const char *text, uint32_t number,
                       struct lin_setting setting, const int32_t *parameters)
{
    struct lin_fixture *fixture = &compiled->fixture;
    enum status status = STATUS_INPUT;
    if (lin_fixture_open(fixture, text)) {
        compiled->labels = labels_create(&fixture->budget);
        status = compile(compiled, number, setting, parameters, &compiled->steps);
        setting.threads = 1;
        if (status == STATUS_OK)
            status = compile(compiled, number, setting, parameters, &compiled->alone);
    }
    if (status != STATUS_OK)
        fail_msg("%u: %s\n%s", fixture->error.line, fixture->error.message, text);
}

void lin_compiled_close(struct lin_compiled *compiled)
{
    lin_steps_release(&compiled->steps);
    lin_steps_release(&compiled->alone);
    labels_destroy(compiled->labels);
    lin_fixture_close(&compiled->fixture);
    assert_int_equal(compiled->fixture.budget.used, 0);
}
