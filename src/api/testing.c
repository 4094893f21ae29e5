#include "api/testing.h"

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
