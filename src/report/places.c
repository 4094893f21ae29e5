#include "report/places.h"

#include <string.h>

static void visit_execution(const char *model, const lp_execution *execution,
                            void (*visit)(void *user, const struct placed_step *step), void *user)
{
    for (size_t i = 0; i < execution->length; i++) {
        const lp_step *step = &execution->steps[i];
        const struct placed_step placed = {.thread = step->process,
                                           .file = step->file ? step->file : model,
                                           .line = step->line,
                                           .step = step};
        if (placed.file && placed.line)
            visit(user, &placed);
    }
}

static void visit_trace(const struct node *trace,
                        void (*visit)(void *user, const struct placed_step *step), void *user)
{
    for (const struct node *row = trace->first; row; row = row->next) {
        const struct node *thread = node_find_cell(row, "thread");
        const struct node *file = node_find_cell(row, "file");
        const struct node *line = node_find_cell(row, "line");
        if (!thread || !file || !file->text || !line || line->number == 0)
            continue;
        const struct placed_step placed = {.thread = (uint32_t)thread->number,
                                           .file = file->text,
                                           .line = (uint32_t)line->number,
                                           .access = row};
        visit(user, &placed);
    }
}

void places_visit(const struct result *result,
                  void (*visit)(void *user, const struct placed_step *step), void *user)
{
    for (const struct node *node = result->root.first; node; node = node->next)
        if (node->kind == NODE_EXECUTION)
            visit_execution(result->input, node->found, visit, user);
        else if (node->kind == NODE_TABLE && node->key && strcmp(node->key, "trace") == 0)
            visit_trace(node, visit, user);
}
