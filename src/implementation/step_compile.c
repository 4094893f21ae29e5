#include "implementation/step_compile.h"

#include <string.h>

#include "base/memory.h"
#include "implementation/step_accesses.h"
#include "implementation/step_answers.h"
#include "implementation/step_calls.h"
#include "implementation/step_decided.h"
#include "implementation/step_expressions.h"
#include "implementation/step_fields.h"
#include "implementation/step_layout.h"
#include "implementation/step_liveness.h"
#include "implementation/step_places.h"
#include "implementation/step_pure.h"
#include "implementation/step_retries.h"
#include "implementation/step_share.h"
#include "implementation/step_stale.h"
#include "implementation/step_statements.h"
#include "implementation/step_write_once.h"
#include "lin/check.h"

static enum status compile_initially(struct lin_step_compiler *compiler)
{
    struct lin_steps *steps = compiler->steps;
    const struct lin_object *object = steps->object;
    static const struct lin_operation nothing;
    const struct lin_operation *initially = object->initially ? object->initially : &nothing;
    struct lin_step_body body;
    compiler->entry = UINT32_MAX;
    compiler->locals = 0;
    steps->initially = lin_step_here(compiler);
    enum status status = lin_step_open_body(compiler, initially, &body);
    for (uint32_t i = 0; status == STATUS_OK && i < object->variable_count; i++) {
        const struct lin_layout_of_shared *layout = &steps->shared[i];
        struct lin_step_place room = lin_step_place_of(layout);
        status = lin_step_compile_initial(compiler, &room, true);
    }
    if (status == STATUS_OK && initially->body)
        status = lin_step_compile_statement(compiler, initially->body);
    if (status == STATUS_OK)
        status = lin_step_emit(compiler, object->at, OP_END, 0, 0, 0);
    lin_step_close_body(compiler, &body);
    return status;
}

/* What arguments clients pass. */
static enum status describe_parameters(struct lin_step_compiler *compiler, struct lin_entry *entry)
{
    const struct lin_operation *operation = entry->operation;
    entry->parameters = arena_allocate(compiler->steps->arena,
                                       operation->parameter_count * sizeof *entry->parameters);
    TRY_MEMORY(entry->parameters);
    for (uint32_t i = 0; i < operation->parameter_count; i++) {
        const struct lin_variable *parameter = operation->parameters[i];
        struct lin_step_range *range = &entry->parameters[i];
        if (parameter->type.kind == LIN_TYPE_BOOL)
            *range = (struct lin_step_range){0, 1};
        else if (parameter->type.kind == LIN_TYPE_VALUE)
            *range = (struct lin_step_range){1, (int32_t)compiler->steps->setting.values};
        else if (parameter->type.kind == LIN_TYPE_INT && parameter->type.low)
            TRY(lin_step_range_of(compiler, &parameter->type, range));
        else
            return lin_step_complain(compiler, parameter->at,
                                     "expected an argument that clients can choose (value, bool or "
                                     "int(low..high)), found %s",
                                     lin_type_name(&parameter->type));
    }
    return STATUS_OK;
}

enum reached {
    REACHED_NOT,
    REACHED,
    REACHED_AND_LEFT,
};

static void reach(uint8_t *reached, uint32_t at)
{
    if (reached[at] == REACHED_NOT)
        reached[at] = REACHED;
}

/* Whether a point is reached from an instruction on before a step begins. */
static bool reaches_point(const struct lin_steps *steps, uint32_t start, uint8_t *reached)
{
    uint32_t end = listing_here(&steps->listing);
    reached[start] = REACHED;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t at = start; at < end; at++) {
            const struct instruction *instruction = &steps->listing.code.items[at];
            enum opcode op = (enum opcode)instruction->op;
            if (reached[at] != REACHED)
                continue;
            changed = true;
            reached[at] = REACHED_AND_LEFT;
            if (op == OP_LINEARIZE || op == OP_LINEARIZE_OF)
                return true;
            if (instruction_is_jump(instruction))
                reach(reached, (uint32_t)instruction->operand);
            if (instruction_goes_on(instruction) && op != OP_STEP)
                reach(reached, at + 1);
        }
    }
    return false;
}

/* Room for what is kept until the point. */
static enum status take_point_locals(struct lin_step_compiler *compiler, struct lin_entry *entry)
{
    const struct lin_operation *operation = entry->operation;
    uint32_t words = 1 + operation->parameter_count;
    TRY(lin_step_take_locals(compiler, operation->at, words, &entry->pointed));
    for (uint32_t i = 0; i < operation->parameter_count; i++)
        if (operation->parameters[i]->type.kind == LIN_TYPE_VALUE &&
            !vector_push(&compiler->values, entry->pointed + 1 + i))
            return STATUS_LIMIT;
    return STATUS_OK;
}

/* Room for a step before the operation's first statement, too. */
static enum status open_point(struct lin_step_compiler *compiler, struct lin_entry *entry)
{
    const struct lin_operation *operation = entry->operation;
    if (compiler->steps->setting.points)
        TRY(take_point_locals(compiler, entry));
    return lin_step_emit(compiler, operation->body->at, OP_JUMP, 0, 0, entry->start + 1);
}

/* A call is no point: where one comes before the operation's first step, a step begins. */
static enum status part_point_from_call(struct lin_step_compiler *compiler, uint32_t start)
{
    struct lin_steps *steps = compiler->steps;
    uint8_t *reached = memory_zeroed(steps->arena->budget, lin_step_here(compiler));
    TRY_MEMORY(reached);
    if (reaches_point(steps, start, reached))
        steps->listing.code.items[start].op = OP_STEP;
    memory_release(steps->arena->budget, reached, lin_step_here(compiler));
    return STATUS_OK;
}

static enum status compile_entry(struct lin_step_compiler *compiler, uint32_t number)
{
    struct lin_steps *steps = compiler->steps;
    struct lin_entry *entry = &steps->entries[number];
    const struct lin_operation *operation = steps->object->operations[number];
    struct lin_step_body body;
    int64_t only = -1;
    *entry = (struct lin_entry){.operation = operation,
                                .start = lin_step_here(compiler),
                                .answers_values = entry->answers_values,
                                .answers_numbers = entry->answers_numbers};
    if (operation->only_thread)
        TRY(lin_step_constant(compiler, operation->only_thread, "a thread's number", &only));
    if (operation->only_thread && only < 0)
        return lin_step_complain(compiler, operation->only_thread->at,
                                 "expected a thread's number, from 0, found %lld", (long long)only);
    entry->only = steps->setting.words ? (int32_t)number : (int32_t)only;
    TRY(describe_parameters(compiler, entry));
    compiler->entry = number;
    compiler->locals = steps->result_words;
    compiler->references.length = 0;
    compiler->values.length = 0;
    compiler->declared.length = 0;
    enum status status = lin_step_open_body(compiler, operation, &body);
    for (uint32_t i = 0; status == STATUS_OK && i < operation->parameter_count; i++)
        status = lin_step_declare(compiler, operation->parameters[i]);
    const bool has_points = steps->setting.points || steps->setting.notes_points;
    if (status == STATUS_OK && has_points)
        status = open_point(compiler, entry);
    if (status == STATUS_OK)
        status = lin_step_compile_statement(compiler, operation->body);
    if (status == STATUS_OK)
        status = lin_step_compile_answer(compiler, NULL, operation->at);
    if (status == STATUS_OK && has_points)
        status = part_point_from_call(compiler, entry->start);
    lin_step_close_body(compiler, &body);
    TRY(status);
    entry->reference_count = (uint32_t)compiler->references.length;
    entry->references = arena_allocate(steps->arena, compiler->references.length *
                                                         sizeof *compiler->references.items);
    entry->local_count = (uint32_t)compiler->declared.length;
    entry->locals = arena_allocate(steps->arena, entry->local_count * sizeof *entry->locals);
    TRY_MEMORY(entry->references && entry->locals);
    if (entry->local_count)
        memcpy(entry->locals, compiler->declared.items, entry->local_count * sizeof *entry->locals);
    if (entry->reference_count)
        memcpy(entry->references, compiler->references.items,
               compiler->references.length * sizeof *compiler->references.items);
    return lin_step_take_values(compiler, &entry->values);
}

static enum status find_what_settles(struct lin_steps *steps)
{
    struct lin_settled settled;
    enum status status = lin_settled_find(&settled, steps);
    if (status == STATUS_OK)
        status = lin_step_find_stale(steps, &settled);
    if (status == STATUS_OK)
        status = lin_step_find_decided(steps, &settled);
    lin_settled_release(&settled);
    return status;
}

static enum status compile_all(struct lin_step_compiler *compiler)
{
    struct lin_steps *steps = compiler->steps;
    const struct lin_object *object = steps->object;
    steps->shared = arena_allocate(steps->arena, object->variable_count * sizeof *steps->shared);
    steps->pools = arena_allocate(steps->arena, object->struct_count * sizeof *steps->pools);
    steps->entries = arena_allocate(steps->arena, object->operation_count * sizeof *steps->entries);
    TRY_MEMORY(steps->shared && steps->pools && steps->entries);
    memset(steps->entries, 0, object->operation_count * sizeof *steps->entries);
    for (uint32_t i = 0; i < object->struct_count; i++)
        if (!object->structs[i]->is_record)
            steps->pools[steps->pool_count++] = (struct lin_pool){.of = object->structs[i]};
    TRY(lin_step_lay_out(compiler));
    TRY(lin_step_size_answers(compiler));
    TRY(compile_initially(compiler));
    const uint32_t initial = steps->locals;
    for (uint32_t i = 0; i < object->operation_count; i++)
        TRY(compile_entry(compiler, i));
    if (steps->setting.shares)
        TRY(lin_step_share_locals(compiler, initial));
    TRY(lin_step_size_state(compiler));
    TRY(lin_step_find_live(steps));
    TRY(lin_step_find_write_once(steps));
    TRY(lin_step_find_accesses(steps));
    TRY(lin_step_find_pure(steps));
    TRY(find_what_settles(steps));
    TRY(lin_step_find_retries(steps));
    return lin_step_find_fields(steps);
}

static void begin(struct lin_step_compiler *compiler, struct lin_steps *steps, struct error *error)
{
    *compiler = (struct lin_step_compiler){
        .steps = steps,
        .flow = {.class = &lin_step_flow_class, .compiler = compiler, .listing = &steps->listing},
        .call = lin_step_compile_call,
        .error = error};
    vectors_init(steps->arena->budget, &compiler->references, &compiler->values,
                 &compiler->declared, &compiler->taken);
}

static void end(struct lin_step_compiler *compiler)
{
    vectors_release(&compiler->references, &compiler->values, &compiler->declared,
                    &compiler->taken);
}

enum status lin_steps_compile(const struct lin_module *module, const struct lin_object *object,
                              const int32_t *parameters, const struct lin_setting *setting,
                              struct arena *arena, struct lin_steps *steps, struct error *error)
{
    lin_steps_init(steps, arena->budget);
    steps->module = module;
    steps->object = object;
    steps->arena = arena;
    steps->setting = *setting;
    steps->parameters = parameters;
    struct lin_step_compiler compiler;
    begin(&compiler, steps, error);
    enum status status = compile_all(&compiler);
    end(&compiler);
    return status;
}

enum status lin_steps_condition(struct lin_steps *steps, const struct lin_expression *condition,
                                uint32_t *start, struct error *error)
{
    struct lin_step_compiler compiler;
    begin(&compiler, steps, error);
    compiler.entry = UINT32_MAX;
    *start = lin_step_here(&compiler);
    enum status status = lin_step_compile_value(&compiler, condition);
    end(&compiler);
    if (status == STATUS_OK)
        status = lin_step_emit(&compiler, condition->at, OP_END, 0, 0, 0);
    TRY(status);
    TRY_MEMORY(vector_push(&steps->conditions, *start));
    return lin_step_size_state(&compiler);
}
