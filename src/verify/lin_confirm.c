#include "verify/lin_confirm.h"

#include <string.h>

#include "verify/lin_fixed.h"
#include "verify/lin_instance.h"
#include "verify/lin_scheduled.h"

/* The steps of a run, and the colours of the values that its calls bring in, by value; without
 * these the values are those of the run. */
static uint32_t write_steps(const struct schedule *run, struct lin_scheduled_step *steps,
                            uint8_t *colours)
{
    uint32_t values = 0;
    if (colours)
        colours[0] = 0;
    for (size_t i = 0; i < run->steps.length; i++) {
        const struct schedule_step *step = &run->steps.items[i];
        bool brings = step->move->argument != 0;
        if (brings && colours)
            colours[++values] = step->move->argument;
        steps[i] = (struct lin_scheduled_step){
            .thread = step->thread, .value = brings ? values : 0, .move = step->move};
    }
    return values;
}

enum status lin_confirm(const struct lin_module *module, const struct lin_assertion *assertion,
                        struct value_pool *pool, const struct assertion_options *options,
                        struct thread_system *system, const struct schedule *run,
                        struct assertion_result *result, struct error *error)
{
    struct arena arena;
    const size_t length = run->steps.length;
    arena_init(&arena, options->limits->budget);
    struct lin_scheduled_step *steps = arena_allocate(&arena, length * sizeof *steps);
    uint8_t *colours = arena_allocate(&arena, length + 1);
    enum status status = STATUS_LIMIT;
    if (steps && colours) {
        const bool renames = assertion->property == LIN_LINEARIZES;
        const uint32_t brought = write_steps(run, steps, renames ? colours : NULL);
        const uint32_t values = renames ? brought : system->steps->setting.values;
        const struct lin_schedule schedule = {.system = system,
                                              .shared = run->shared,
                                              .steps = steps,
                                              .count = length,
                                              .colours = renames ? colours : NULL};
        const struct lin_bounds bounds = {.threads = run->threads ? run->threads : 1,
                                          .operations = -1,
                                          .values = values ? values : 1,
                                          .schedule = &schedule};
        struct assertion_options scheduled = *options;
        scheduled.bounds = &bounds;
        status = STATUS_OK;
        if (bounds.threads <= LIN_MOST_THREADS && bounds.values <= LIN_MOST_VALUES)
            status = lin_decide_fixed(module, assertion, pool, &scheduled, result, error);
    }
    arena_release(&arena);
    return status;
}
