#include "space/found_states.h"

#include <assert.h>

void found_states_init(struct found_states *found, struct budget *budget)
{
    vector_init(&found->words, budget);
    found_states_clear(found);
}

void found_states_release(struct found_states *found)
{
    vector_release(&found->words);
    found_states_clear(found);
}
