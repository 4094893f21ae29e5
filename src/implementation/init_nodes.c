/* `init` is run with room for one node, two, four, ... until it has enough. */
#include "implementation/init_nodes.h"

#include "implementation/initial.h"
#include "implementation/model.h"
#include "implementation/step_compile.h"

static enum status run(struct lin_steps *steps, struct labels *labels, const struct limits *limits,
                       uint32_t *made, bool *enough, struct error *error)
{
    static const struct lin_options named = {.names = true};
    struct lin_model model;
    enum status status =
        lin_model_create(steps, &named, labels, steps->arena->budget, &model, error);
    struct lin_worker *worker = status == STATUS_OK ? lin_worker_create(&model) : NULL;
    if (status == STATUS_OK)
        status = worker ? lin_initial_nodes(worker, limits, made, enough, error) : STATUS_LIMIT;
    lin_worker_destroy(worker);
    lin_model_release(&model);
    return status;
}

static bool has_nodes(const struct lin_object *object)
{
    bool has = false;
    for (uint32_t i = 0; i < object->struct_count; i++)
        has |= !object->structs[i]->is_record;
    return has;
}

enum status lin_init_nodes(const struct lin_module *module, const struct lin_object *object,
                           const int32_t *parameters, const struct lin_setting *setting,
                           struct labels *labels, const struct limits *limits, struct arena *arena,
                           const uint32_t **made, struct error *error)
{
    *made = NULL;
    if (!has_nodes(object))
        return STATUS_OK;
    uint32_t *room = arena_allocate(arena, object->struct_count * sizeof *room);
    uint32_t *found = arena_allocate(arena, object->struct_count * sizeof *found);
    struct lin_setting alone = *setting;
    alone.threads = setting->threads ? setting->threads : 1;
    alone.nodes = -1;
    alone.keeps = true;
    alone.made = room;
    *made = found;
    TRY_MEMORY(room && found);
    bool enough = false;
    for (uint32_t most = 1; !enough; most *= 2) {
        struct lin_steps steps;
        for (uint32_t i = 0; i < object->struct_count; i++)
            room[i] = most;
        enum status status =
            lin_steps_compile(module, object, parameters, &alone, arena, &steps, error);
        if (status == STATUS_INPUT && most > 1)
            status = script_error(module->script, object->at, error,
                                  "expected an `init` that makes at most %u nodes, found one that "
                                  "makes more",
                                  most / 2);
        if (status == STATUS_OK)
            status = run(&steps, labels, limits, found, &enough, error);
        lin_steps_release(&steps);
        TRY(status);
    }
    return STATUS_OK;
}
