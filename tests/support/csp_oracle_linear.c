#include "support/csp_oracle_linear.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csp/parser.h"

static const struct {
    const char *object, *variables, *operations;
} objects[] = {
    {"register", "var x;",
     "inv.read.t -> tau{r[t] = x;} -> res.read.t.r[t] -> T(t, n - 1)"
     " [] ([] w:{1..2}@ inv.write.t.w -> tau{x = w;} -> res.write.t -> T(t, n - 1))"},
    {"queue", "var a[6]; var head; var tail;",
     "inv.dequeue.t -> ifa (head == tail) { tau -> res.dequeue.t -> T(t, n - 1) }"
     " else { tau{r[t] = a[head]; head++;} -> res.dequeue.t.r[t] -> T(t, n - 1) }"
     " [] ([] w:{1..2}@ inv.enqueue.t.w -> tau{a[tail] = w; tail++;} -> res.enqueue.t -> "
     "T(t, n - 1))"},
    {"stack", "var a[6]; var top;",
     "inv.pop.t -> ifa (top == 0) { tau -> res.pop.t -> T(t, n - 1) }"
     " else { tau{top--; r[t] = a[top];} -> res.pop.t.r[t] -> T(t, n - 1) }"
     " [] ([] w:{1..2}@ inv.push.t.w -> tau{a[top] = w; top++;} -> res.push.t -> T(t, n - 1))"},
    {"counter", "var x;",
     "inv.read.t -> tau{r[t] = x;} -> res.read.t.r[t] -> T(t, n - 1)"
     " [] inv.inc.t -> tau{x++;} -> res.inc.t -> T(t, n - 1)"
     " [] ([] w:{1..2}@ inv.add.t.w -> tau{x = x + w;} -> res.add.t -> T(t, n - 1))"},
};

const struct csp_process *oracle_linear_open(struct oracle_linear_module *linear,
                                             const char *object, unsigned threads,
                                             unsigned operations)
{
    char text[1000];
    size_t i = 0;
    struct error error;
    while (strcmp(objects[i].object, object) != 0)
        i++;
    snprintf(text, sizeof text,
             "%s var r[3]; T(t, n) = [n > 0] (%s); Abstract = ||| t:{0..%u}@ T(t, %u);"
             "#assert Abstract deadlockfree;",
             objects[i].variables, objects[i].operations, threads - 1, operations);
    *linear = (struct oracle_linear_module){0};
    budget_init(&linear->budget, NULL, 0);
    arena_init(&linear->arena, &linear->budget);
    enum status status = script_from_text("abstract.csp", text, strlen(text), &linear->arena,
                                          &linear->script, &error);
    if (status == STATUS_OK)
        status = csp_parse(&linear->script, &linear->arena, &linear->module, &error);
    if (status != STATUS_OK) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
    return linear->module.assertions.items[0].process;
}

void oracle_linear_close(struct oracle_linear_module *linear)
{
    csp_module_release(&linear->module);
    arena_release(&linear->arena);
}
