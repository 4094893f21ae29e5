#include "support/lin_fixture.h"

#include <string.h>

#include "lin/parser.h"

bool lin_fixture_open(struct lin_fixture *fixture, const char *text)
{
    *fixture = (struct lin_fixture){0};
    budget_init(&fixture->budget, NULL, (size_t)1 << 30);
    limits_init(&fixture->limits, &fixture->budget);
    fixture->pool = value_pool_create(&fixture->budget);
    arena_init(&fixture->arena, &fixture->budget);
    return script_from_text("random.lin", text, strlen(text), &fixture->arena, &fixture->script,
                            &fixture->error) == STATUS_OK &&
           lin_parse(&fixture->script, &fixture->arena, &fixture->module, &fixture->error) ==
               STATUS_OK &&
           lin_check(&fixture->module, &fixture->error) == STATUS_OK;
}

void lin_fixture_close(struct lin_fixture *fixture)
{
    lin_module_release(&fixture->module);
    arena_release(&fixture->arena);
    value_pool_destroy(fixture->pool);
}
