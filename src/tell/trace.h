/* An execution in words: what each step is called, which process took it, what it changed. Written
 * by trace_writer.h, step by step. */
#ifndef TELL_TRACE_H
#define TELL_TRACE_H

#include "base/arena.h"
#include "base/vector.h"
#include "model/model.h"

struct trace_step {
    const char *event;   /* "enq.0.1", "τ", "[if]", "[e.1]" */
    struct action said;  /* the event; of an invisible step, how it is shown */
    const char *changes; /* "H = 1, HL = [1, 0]", "" where nothing changed */
    uint32_t process;    /* component of the outermost composition, from 0 */
    bool visible;
};

/* All texts live in the trace's arena. */
struct trace {
    struct arena arena;
    const char *start; /* the initial state */
    VECTOR(struct trace_step) steps;
    bool is_lasso;
    uint32_t loop_start; /* index of the step that the loop begins with */
};

void trace_init(struct trace *trace, struct budget *budget);
void trace_release(struct trace *trace);

/* Writes the state that the execution starts in; false when refused. */
bool trace_start(struct trace *trace, const struct model *model, const uint32_t *state) MUST_CHECK;

/* Appends a step that leads from one state to another; it is called `before` and the label. False
 * when refused. */
bool trace_add(struct trace *trace, const struct model *model, const char *before, label shown,
               uint32_t process, bool visible, const uint32_t *from, const uint32_t *to) MUST_CHECK;

/* How many processes, of the first 64, take a step; 1 if none does, for a model has one at least.
 */
uint32_t trace_threads(const struct trace *trace);

#endif
