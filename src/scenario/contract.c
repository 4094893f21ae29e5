/* Depth first over how far each thread has come and the state of the object, each pair once. */
#include "scenario/contract.h"

#include <string.h>

#include "base/hash.h"
#include "scenario/clients.h"

enum {
    BITS_A_THREAD = 4, /* of how far it has come */
};

_Static_assert(BITS_A_THREAD *SCENARIO_THREADS <= 32, "how far all have come is half a word");
_Static_assert(SCENARIO_CALLS < 1 << (BITS_A_THREAD + 1), "the last call of one thread is known");

bool contract_init(struct contract *contract, const struct spec *spec,
                   const struct exchange_test *test, struct limits *limits)
{
    *contract = (struct contract){.spec = spec};
    for (uint32_t i = 0; i < test->operation_count; i++) {
        const struct exchange_operation *operation = &test->operations[i];
        int found = spec_operation_find(spec->class, operation->name, strlen(operation->name));
        if (test->in_functions) /* by its place: names may be there twice */
            found = (int)i;
        if (found < 0)
            return false;
        contract->operations[i] = (uint16_t)found;
        contract->may_fail[i] = operation->flags & EXCHANGE_MAY_FAIL;
        contract->may_wait[i] = operation->flags & EXCHANGE_MAY_WAIT ||
                                spec_operation_may_wait(spec->class, (uint16_t)found);
    }
    vector_init(&contract->visited, limits->budget);
    table_init(&contract->numbers, limits->budget);
    if (sequential_search_init(&contract->search, spec, limits))
        return true;
    contract_release(contract);
    return false;
}

void contract_release(struct contract *contract)
{
    sequential_search_release(&contract->search);
    vector_release(&contract->visited);
    table_release(&contract->numbers);
}

bool contract_orders(const struct spec *spec, const struct exchange_test *test,
                     struct scenario_orders *orders)
{
    const struct spec_class *class = spec->class;
    *orders = (struct scenario_orders){
        .calls = class->client, .count = class->client_count, .ends = class->client_ends};
    for (uint32_t i = 0; i < test->operation_count; i++) {
        const char *name = test->operations[i].name;
        int found = spec_operation_find(class, name, strlen(name));
        if (found < 0)
            return false;
        orders->roles[i] = (uint16_t)found;
    }
    return orders->count > 0;
}

struct look {
    struct contract *contract;
    const struct scenario *scenario;
    unsigned starts[SCENARIO_THREADS];
    uint32_t class[SCENARIO_CALLS];
    bool refused;
};

static bool visit(struct look *look, uint32_t progress, uint32_t state)
{
    struct contract *contract = look->contract;
    uint64_t key = (uint64_t)progress << 32 | state, hash = hash_word(key);
    struct table_search search = table_search(&contract->numbers, hash);
    while (table_next(&search))
        if (contract->visited.items[search.number] == key)
            return false;
    uint32_t number = (uint32_t)contract->visited.length;
    look->refused |=
        !vector_push(&contract->visited, key) || !table_add(&contract->numbers, hash, number);
    return !look->refused;
}

/* Whether the calls that are left can be made, or may wait where they cannot. */
static bool goes_on(struct look *look, uint32_t progress, uint32_t state)
{
    struct contract *contract = look->contract;
    struct transitions *transitions = &contract->search.transitions;
    bool may_rest = true, is_legal = false;
    if (!visit(look, progress, state))
        return false;
    for (unsigned i = 0; i < look->scenario->thread_count && !look->refused; i++) {
        unsigned done = progress >> (BITS_A_THREAD * i) & ((1u << BITS_A_THREAD) - 1);
        if (done == look->scenario->lengths[i])
            continue;
        unsigned call = look->starts[i] + done, operation = look->scenario->calls[call].operation;
        uint32_t further = progress + (1u << (BITS_A_THREAD * i));
        transition to = transitions_step(transitions, state, look->class[call]);
        look->refused |= to == TRANSITION_REFUSED;
        for (uint32_t k = 0; k < transition_count(transitions, to); k++) {
            is_legal = true;
            if (goes_on(look, further, transition_state(transitions, to, k)))
                return true;
        }
        if (contract->may_fail[operation] && goes_on(look, further, state))
            return true;
        is_legal |= contract->may_fail[operation];
        may_rest &= contract->may_wait[operation];
    }
    return !look->refused && !is_legal && may_rest;
}

/* False: the specification does not take an argument. */
static bool bind_calls(struct look *look, const struct scenario_interface *interface)
{
    const struct scenario *scenario = look->scenario;
    unsigned number = 0;
    for (unsigned thread = 0; thread < scenario->thread_count; thread++) {
        look->starts[thread] = number;
        for (unsigned i = 0; i < scenario->lengths[thread]; i++, number++) {
            const struct scenario_call *call = &scenario->calls[number];
            const struct scenario_operation *operation = &interface->operations[call->operation];
            const struct executed_result given = {.argument = call->argument,
                                                  .second = call->second,
                                                  .third = call->third,
                                                  .has_third = operation->takes_three,
                                                  .has_argument =
                                                      scenario_operation_has_argument(operation),
                                                  .has_second = operation->takes_two};
            struct executed_operation executed = {.thread = (uint8_t)thread};
            struct text complaint = TEXT_EMPTY;
            enum status status = executed_operation_bind(
                look->contract->spec, look->contract->operations[call->operation], &given,
                &executed, &complaint);
            text_release(&complaint);
            if (status == STATUS_OK)
                look->class[number] = sequential_class(&look->contract->search, &executed.call);
            look->refused |= status == STATUS_LIMIT || look->class[number] == CLASS_REFUSED;
            if (status != STATUS_OK || look->refused)
                return false;
        }
    }
    return true;
}

enum contract_answer contract_look(struct contract *contract,
                                   const struct scenario_interface *interface,
                                   const struct scenario *scenario)
{
    struct look look = {.contract = contract, .scenario = scenario};
    contract->visited.length = 0;
    table_clear(&contract->numbers);
    for (unsigned i = 0; i < scenario->thread_count; i++)
        if (scenario->lengths[i] >= 1u << BITS_A_THREAD)
            return CONTRACT_KEPT; /* one thread makes all 16 calls that there may be */
    if (!bind_calls(&look, interface))
        return look.refused ? CONTRACT_LIMIT : CONTRACT_KEPT;
    if (goes_on(&look, 0, contract->search.initial))
        return CONTRACT_KEPT;
    return look.refused ? CONTRACT_LIMIT : CONTRACT_BROKEN;
}
