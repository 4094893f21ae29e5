#include "api/testing.h"

#include <string.h>

const char *testing_keep(struct testing *testing, struct text *text)
{
    const char *kept = arena_copy_text(&testing->arena, text_string(text), text->length);
    text_release(text);
    return kept;
}

const char *testing_model_name(lp_memory_model model)
{
    static const char *const names[] = {
        [LP_MEMORY_SC] = "sc", [LP_MEMORY_TSO] = "tso", [LP_MEMORY_RC11] = "rc11"};
    return names[model];
}

bool testing_is_auto(const struct testing *testing)
{
    return strcmp(testing->test->spec, "auto") == 0;
}

/* Whether there is none that is known here is for the test program to tell. */
void testing_find_contract(struct testing *testing)
{
    struct test_interface *interface = &testing->interface;
    lp_error unused;
    if (!testing->test->spec[0] || testing->test->in_functions || testing_is_auto(testing) ||
        lp_spec_create(testing->program->context, testing->test->spec, NULL, &testing->spec,
                       &unused) != LP_OK)
        return;
    const struct spec *spec = testing->spec->spec;
    testing->has_contract =
        contract_init(&testing->contract, spec, testing->test, &testing->limits);
    if (testing->has_contract && contract_orders(spec, testing->test, &interface->orders))
        interface->interface.orders = &interface->orders;
}

void testing_drop_contract(struct testing *testing)
{
    if (testing->has_contract)
        contract_release(&testing->contract);
    testing->has_contract = false;
    lp_spec_destroy(testing->spec);
    testing->spec = NULL;
}

bool testing_breaks_contract(struct testing *testing, const struct scenario *scenario)
{
    return testing->has_contract && contract_look(&testing->contract, &testing->interface.interface,
                                                  scenario) == CONTRACT_BROKEN;
}

static bool has_relaxed(const struct testing *testing, const void *place)
{
    for (uint32_t i = 0; i < testing->relaxed.count; i++)
        if (testing->relaxed.places[i] == place)
            return true;
    return false;
}

void testing_merge_relaxed(struct testing *testing, const struct exchange_result *result)
{
    struct exchange_relaxed *relaxed = &testing->relaxed;
    for (uint32_t i = 0; i < result->relaxed.count && relaxed->count < EXCHANGE_RELAXED; i++)
        if (!has_relaxed(testing, result->relaxed.places[i]))
            relaxed->places[relaxed->count++] = result->relaxed.places[i];
}
