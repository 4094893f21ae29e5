/* Specifications made of a user's callbacks.
 *
 * The engines know states as arrays of words that are equal exactly when the states are. Here a
 * state is one word, the address of the user's: states are interned through the user's `hash` and
 * `equal`, so that equal ones get one address. The table is shared by all threads that use the
 * specification, and grows until it is destroyed. A replay needs no such identity: it keeps the one
 * state that it is in.
 *
 * States that are handles are their own identity, and need no table. The table is then one of
 * steps: what `step` gave for a handle, an operation and an argument. */
#include <linchpin/spec.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/require.h"
#include "base/table.h"
#include "base/vector.h"
#include "value/agree.h"

struct entry {
    uint64_t hash;
    void *state;
};

/* What a step gave; of handles. */
struct step {
    const void *state;
    size_t operation;
    value argument;
    void *next; /* null: it cannot happen */
    value result;
};

struct custom_spec {
    struct spec_class class;
    struct spec_operation *operations;
    char *names; /* of the class and its operations */
    size_t names_size;
    lp_spec_callbacks callbacks;
    void *user;
    struct budget *budget;
    atomic_bool faulty;           /* LP_STATE_FAULT was returned, in no trial */
    pthread_mutex_t lock;         /* of what follows */
    VECTOR(struct entry) entries; /* empty where states are handles */
    VECTOR(struct step) steps;    /* empty where they are not */
    struct table numbers;         /* of the entries or of the steps */
};

static struct custom_spec *custom_of(const struct spec *spec)
{
    return spec->data;
}

static bool is_state(const void *next)
{
    return next != LP_STATE_REFUSED && next != LP_STATE_FAULT;
}

static bool states_are_handles(const struct custom_spec *custom)
{
    return !custom->callbacks.release;
}

static void give_up_state(const struct custom_spec *custom, void *state)
{
    if (!states_are_handles(custom))
        custom->callbacks.release(custom->user, state);
}

/* ---- states ---- */

static void *find_state(const struct custom_spec *custom, uint64_t hash, const void *state)
{
    struct table_search search = table_search(&custom->numbers, hash_word(hash));
    while (table_next(&search)) {
        const struct entry *entry = &custom->entries.items[search.number];
        if (entry->hash == hash &&
            (entry->state == state || custom->callbacks.equal(custom->user, entry->state, state)))
            return entry->state;
    }
    return NULL;
}

static bool keep_state(struct custom_spec *custom, uint64_t hash, void *state)
{
    uint32_t number = (uint32_t)custom->entries.length;
    if (!vector_push(&custom->entries, ((struct entry){.hash = hash, .state = state})))
        return false;
    if (table_add(&custom->numbers, hash_word(hash), number))
        return true;
    custom->entries.length--;
    return false;
}

/* The state that stands for all that equal `state`, which is given up. Null when refused. */
static void *intern(struct custom_spec *custom, void *state)
{
    if (states_are_handles(custom))
        return state;
    uint64_t hash = custom->callbacks.hash(custom->user, state);
    pthread_mutex_lock(&custom->lock);
    void *kept = find_state(custom, hash, state);
    if (!kept && keep_state(custom, hash, state))
        kept = state;
    pthread_mutex_unlock(&custom->lock);
    if (kept != state)
        custom->callbacks.release(custom->user, state);
    return kept;
}

/* ---- steps of handles ---- */

static uint64_t step_hash(const struct step *step)
{
    return hash_pair(hash_pair((uintptr_t)step->state, step->operation), step->argument);
}

/* Finds what the step gave; the lock is held. */
static bool find_step(const struct custom_spec *custom, uint64_t hash, struct step *wanted)
{
    struct table_search search = table_search(&custom->numbers, hash);
    while (table_next(&search)) {
        const struct step *step = &custom->steps.items[search.number];
        if (step->state == wanted->state && step->operation == wanted->operation &&
            step->argument == wanted->argument) {
            *wanted = *step;
            return true;
        }
    }
    return false;
}

static bool keep_step(struct custom_spec *custom, uint64_t hash, const struct step *step)
{
    uint32_t number = (uint32_t)custom->steps.length;
    if (!vector_push(&custom->steps, *step))
        return false;
    if (table_add(&custom->numbers, hash, number))
        return true;
    custom->steps.length--;
    return false;
}

/* The user's step, or what it once gave. Another thread may ask for the same one meanwhile: then it
 * is kept twice, which does no harm. */
static void *take_step(struct custom_spec *custom, const void *state, const struct call *call,
                       value *result)
{
    struct step step = {.state = state, .operation = call->operation, .argument = call->argument};
    if (!states_are_handles(custom))
        return custom->callbacks.step(custom->user, state, call->operation, call->argument, result);
    uint64_t hash = step_hash(&step);
    pthread_mutex_lock(&custom->lock);
    bool known = find_step(custom, hash, &step);
    pthread_mutex_unlock(&custom->lock);
    if (!known) {
        step.result = VALUE_NIL;
        step.next = custom->callbacks.step(custom->user, state, call->operation, call->argument,
                                           &step.result);
        if (step.next == LP_STATE_FAULT)
            return LP_STATE_FAULT;
        if (step.next == LP_STATE_REFUSED || step.result == VALUE_REFUSED)
            return LP_STATE_REFUSED;
        pthread_mutex_lock(&custom->lock);
        bool kept = keep_step(custom, hash, &step);
        pthread_mutex_unlock(&custom->lock);
        if (!kept)
            return LP_STATE_REFUSED;
    }
    *result = step.result;
    return step.next;
}

/* ---- what the engines ask for ---- */

static bool custom_init(const struct spec *spec, value key, struct outcomes *state)
{
    (void)key;
    struct custom_spec *custom = custom_of(spec);
    void *initial = custom->callbacks.init(custom->user);
    if (initial)
        initial = intern(custom, initial);
    uint64_t word = (uintptr_t)initial;
    return initial && outcomes_add(state, &word, 1, VALUE_NIL);
}

static bool agrees(const struct custom_spec *custom, const struct call *call, value given,
                   bool *refused)
{
    if (!call->result_known || given == LP_RESULT_ANY)
        return true;
    if (custom->callbacks.agrees)
        return custom->callbacks.agrees(custom->user, call->operation, call->result, given);
    return value_agrees(call->result, given, custom->budget, refused);
}

/* As call_step, where the specification is told what was answered. */
static void *call_follow(const struct custom_spec *custom, const void *state,
                         const struct call *call, value *result, enum applied *applied,
                         bool *faulty)
{
    *result = call->result_known ? call->result : VALUE_NIL;
    void *next = custom->callbacks.follow(custom->user, state, call->operation, call->argument,
                                          call->result_known ? &call->result : NULL);
    *faulty = next == LP_STATE_FAULT;
    *applied = !next ? APPLIED_ILLEGAL : is_state(next) ? APPLIED_LEGAL : APPLIED_REFUSED;
    return *applied == APPLIED_LEGAL ? next : NULL;
}

/* What the call makes of `state`: a new state, which the caller owns, or `state` itself. Sets
 * `*applied`, and `*result` if legal. Refused and `*faulty`: LP_STATE_FAULT. */
static void *call_step(struct custom_spec *custom, const void *state, const struct call *call,
                       value *result, enum applied *applied, bool *faulty)
{
    *faulty = false;
    if (custom->callbacks.follow)
        return call_follow(custom, state, call, result, applied, faulty);
    *result = VALUE_NIL;
    bool refused = false;
    void *next = take_step(custom, state, call, result);
    *faulty = next == LP_STATE_FAULT;
    if (!next)
        *applied = APPLIED_ILLEGAL;
    else if (!is_state(next))
        *applied = APPLIED_REFUSED;
    else if (*result == VALUE_REFUSED)
        *applied = APPLIED_REFUSED;
    else if (agrees(custom, call, *result, &refused))
        *applied = APPLIED_LEGAL;
    else
        *applied = refused ? APPLIED_REFUSED : APPLIED_ILLEGAL;
    if (*applied == APPLIED_LEGAL) {
        if (*result == LP_RESULT_ANY)
            *result = call->result_known ? call->result : VALUE_NIL;
        return next;
    }
    if (next && is_state(next) && next != state)
        give_up_state(custom, next);
    return NULL;
}

static bool custom_step(const struct spec *spec, const uint64_t *words, size_t length,
                        const struct call *call, struct outcomes *outcomes)
{
    (void)length;
    struct custom_spec *custom = custom_of(spec);
    void *state = (void *)(uintptr_t)words[0];
    value result;
    enum applied applied;
    bool faulty;
    void *next = call_step(custom, state, call, &result, &applied, &faulty);
    if (faulty && !limits_note_fault(outcomes->limits))
        atomic_store(&custom->faulty, true);
    if (applied != APPLIED_LEGAL)
        return applied == APPLIED_ILLEGAL;
    if (next != state)
        next = intern(custom, next);
    uint64_t word = (uintptr_t)next;
    return next && outcomes_add(outcomes, &word, 1, result);
}

static enum status custom_fault(const struct spec *spec, struct error *error)
{
    const struct custom_spec *custom = custom_of(spec);
    if (!atomic_load(&custom->faulty))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, NULL, 0,
                     "the specification %s is at fault in an order that the history allows",
                     custom->class.name);
}

static void custom_print(const struct spec *spec, const uint64_t *words, size_t length,
                         struct text *text)
{
    (void)length;
    struct custom_spec *custom = custom_of(spec);
    void *state = (void *)(uintptr_t)words[0];
    char *shown = custom->callbacks.print ? custom->callbacks.print(custom->user, state) : NULL;
    text_append(text, shown ? shown : "?");
    free(shown);
}

/* ---- replay ---- */

struct spec_object {
    struct custom_spec *custom;
    struct budget *budget;
    void *state;
};

static struct spec_object *custom_open(const struct spec *spec, value key, struct budget *budget)
{
    (void)key;
    struct spec_object *object = memory_allocate(budget, sizeof *object);
    if (!object)
        return NULL;
    struct custom_spec *custom = custom_of(spec);
    *object = (struct spec_object){
        .custom = custom, .budget = budget, .state = custom->callbacks.init(custom->user)};
    if (object->state)
        return object;
    atomic_store(&budget->refused, true); /* so that it is known for a limit */
    memory_release(budget, object, sizeof *object);
    return NULL;
}

static enum applied custom_apply(struct spec_object *object, const struct call *call, value *answer)
{
    value result;
    enum applied applied;
    bool faulty;
    void *next = call_step(object->custom, object->state, call, &result, &applied, &faulty);
    if (applied == APPLIED_REFUSED)
        atomic_store(&object->budget->refused, true);
    if (applied != APPLIED_LEGAL)
        return applied;
    if (next != object->state) {
        give_up_state(object->custom, object->state);
        object->state = next;
    }
    if (answer)
        *answer = result;
    return APPLIED_LEGAL;
}

static void custom_close(struct spec_object *object)
{
    give_up_state(object->custom, object->state);
    memory_release(object->budget, object, sizeof *object);
}

/* ---- creation ---- */

void custom_spec_release(struct custom_spec *custom)
{
    if (!custom)
        return;
    for (size_t i = 0; i < custom->entries.length; i++)
        custom->callbacks.release(custom->user, custom->entries.items[i].state);
    vectors_release(&custom->entries, &custom->steps);
    table_release(&custom->numbers);
    memory_release(custom->budget, custom->operations,
                   custom->class.operation_count * sizeof *custom->operations);
    memory_release(custom->budget, custom->names, custom->names_size);
    pthread_mutex_destroy(&custom->lock);
    memory_release(custom->budget, custom, sizeof *custom);
}

/* Copies the names of the class and its operations; false when refused. */
static bool copy_names(struct custom_spec *custom, const lp_spec_callbacks *callbacks)
{
    size_t count = custom->class.operation_count, size = strlen(callbacks->name) + 1;
    for (size_t i = 0; i < count; i++)
        size += strlen(callbacks->operations[i]) + 1;
    custom->names_size = size;
    custom->names = memory_allocate(custom->budget, size);
    custom->operations = memory_zeroed(custom->budget, count * sizeof *custom->operations);
    if (!custom->names || !custom->operations)
        return false;
    char *at = custom->names;
    custom->class.name = at;
    at = stpcpy(at, callbacks->name) + 1;
    for (size_t i = 0; i < count; i++) {
        custom->operations[i] = (struct spec_operation){.name = at, .argument = "v", .result = "v"};
        at = stpcpy(at, callbacks->operations[i]) + 1;
        for (char *letter = (char *)custom->operations[i].name; *letter; letter++)
            if (*letter == '_') /* the table's spelling; both are accepted */
                *letter = '-';
    }
    custom->class.operations = custom->operations;
    return true;
}

static struct custom_spec *custom_spec_create(lp_context *context,
                                              const lp_spec_callbacks *callbacks, void *user)
{
    struct custom_spec *custom = memory_zeroed(&context->budget, sizeof *custom);
    if (!custom)
        return NULL;
    custom->budget = &context->budget;
    custom->callbacks = *callbacks;
    custom->callbacks.name = NULL; /* the copies are what is used */
    custom->callbacks.operations = NULL;
    custom->user = user;
    vectors_init(custom->budget, &custom->entries, &custom->steps);
    table_init(&custom->numbers, custom->budget);
    pthread_mutex_init(&custom->lock, NULL);
    custom->class = (struct spec_class){.summary = "a specification of the library's user",
                                        .init = custom_init,
                                        .step = custom_step,
                                        .print_state = custom_print,
                                        .fault = custom_fault,
                                        .open = custom_open,
                                        .apply = custom_apply,
                                        .close = custom_close};
    while (callbacks->operations[custom->class.operation_count])
        custom->class.operation_count++;
    if (copy_names(custom, callbacks))
        return custom;
    custom_spec_release(custom);
    return NULL;
}

lp_status lp_spec_create_custom(lp_context *context, const lp_spec_callbacks *callbacks, void *user,
                                lp_spec **spec, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    lp_spec_callbacks own;
    REQUIRE_NOT_NULL(callbacks);
    REQUIRE_SIZED(&own, callbacks, follow);
    callbacks = &own;
    REQUIRE_NOT_NULL(spec);
    REQUIRE(callbacks->name && callbacks->operations, "name or operations is null");
    REQUIRE(callbacks->init && (callbacks->step || callbacks->follow),
            "init is null, or step and follow are");
    bool handles = !callbacks->release;
    REQUIRE(!callbacks->equal == handles && !callbacks->hash == handles,
            "of equal, hash and release some are null, and some are not");
    struct error fault;
    struct spec *inner;
    struct custom_spec *custom = custom_spec_create(context, callbacks, user);
    enum status status =
        custom ? STATUS_OK
               : error_set(&fault, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
    if (status == STATUS_OK) {
        struct spec_request request = {.name = ""};
        status = spec_create_class(&custom->class, &request, custom, context->pool,
                                   &context->budget, &inner, &fault);
    }
    if (status == STATUS_OK)
        status = spec_wrap(context, inner, NULL, custom, spec, &fault);
    if (status != STATUS_OK)
        custom_spec_release(custom);
    return report_status(status, &fault, error);
}
