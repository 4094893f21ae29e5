/* Threads call what they call, or are all alike. Each operation has ways of doing it: the first is
 * right, of the others some are. `t` is the thread, `w` what is written or inserted, `r` has a
 * place for each thread. */
#include "support/csp_random_object.h"

#include <assert.h>
#include <string.h>

#define MAX_WAYS 5

struct way_of {
    const char *operation;
    bool takes; /* a number */
    const char *ways[MAX_WAYS + 1];
};

struct object {
    const char *name;
    const char *variables;
    struct way_of operations[3];
};

static const struct object objects[] = {
    {"register(initial = 0)",
     "var x;",
     {{"write",
       true,
       {"inv.write.t.w -> tau{x = w} -> res.write.t -> Skip",
        "inv.write.t.w -> tau{r[t] = w} -> tau{x = r[t]} -> res.write.t -> Skip",
        "inv.write.t.w -> res.write.t -> tau{x = w} -> Skip",
        "inv.write.t.w -> tau{x = 3 - w} -> tau{x = w} -> res.write.t -> Skip",
        "inv.write.t.w -> ifa (x == 0) { tau{x = w} -> res.write.t -> Skip } else { res.write.t -> "
        "Skip }"}},
      {"read",
       false,
       {"inv.read.t -> tau{r[t] = x} -> res.read.t.r[t] -> Skip",
        "inv.read.t -> res.read.t.x -> Skip",
        "tau{r[t] = x} -> inv.read.t -> res.read.t.r[t] -> Skip",
        "inv.read.t -> if (x == 0) { res.read.t.0 -> Skip } else { res.read.t.x -> Skip }"}}}},
    {"queue",
     "var item[8]; var head; var tail;",
     {{"enqueue",
       true,
       {"inv.enqueue.t.w -> tau{item[tail] = w; tail = tail + 1} -> res.enqueue.t -> Skip",
        "inv.enqueue.t.w -> tau{r[t] = tail} -> tau{item[r[t]] = w; tail = r[t] + 1} -> "
        "res.enqueue.t -> Skip",
        "inv.enqueue.t.w -> tau{r[t] = tail; tail = tail + 1} -> tau{item[r[t]] = w} -> "
        "res.enqueue.t -> Skip",
        "inv.enqueue.t.w -> atomic { tau{r[t] = tail} -> tau{item[r[t]] = w} -> tau{tail = r[t] + "
        "1} -> Skip }; res.enqueue.t -> Skip"}},
      {"dequeue",
       false,
       {"inv.dequeue.t -> ifa (head == tail) { tau -> res.dequeue.t -> Skip } else { tau{r[t] = "
        "item[head]; head = head + 1} -> res.dequeue.t.r[t] -> Skip }",
        "inv.dequeue.t -> if (head == tail) { res.dequeue.t -> Skip } else { tau{r[t] = "
        "item[head]; "
        "head = head + 1} -> res.dequeue.t.r[t] -> Skip }",
        "inv.dequeue.t -> ifa (head == tail) { tau -> res.dequeue.t -> Skip } else { tau{tail = "
        "tail "
        "- 1; r[t] = item[tail]} -> res.dequeue.t.r[t] -> Skip }",
        "inv.dequeue.t -> ([head < tail] tau{r[t] = item[head]; head = head + 1} -> "
        "res.dequeue.t.r[t] -> Skip)"}}}},
    {"stack",
     "var item[8]; var top;",
     {{"push",
       true,
       {"inv.push.t.w -> tau{item[top] = w; top = top + 1} -> res.push.t -> Skip",
        "inv.push.t.w -> tau{r[t] = top} -> ifa (r[t] == top) { tau{item[top] = w; top = top + 1} "
        "-> "
        "res.push.t -> Skip } else { tau{item[top] = w; top = top + 1} -> res.push.t -> Skip }",
        "inv.push.t.w -> tau{top = top + 1} -> tau{item[top - 1] = w} -> res.push.t -> Skip"}},
      {"pop",
       false,
       {"inv.pop.t -> ifa (top == 0) { res.pop.t -> Skip } else { tau{top = top - 1; r[t] = "
        "item[top]} -> res.pop.t.r[t] -> Skip }",
        "inv.pop.t -> case { top == 0: res.pop.t -> Skip default: [top > 0] tau{top = top - 1; "
        "r[t] "
        "= item[top]} -> res.pop.t.r[t] -> Skip }",
        "inv.pop.t -> ifa (top == 0) { tau -> res.pop.t -> Skip } else { tau{r[t] = item[0]; "
        "top = top - 1} -> res.pop.t.r[t] -> Skip }"}}}},
    {"counter",
     "var x;",
     {{"add",
       true,
       {"inv.add.t.w -> tau{x = x + w} -> res.add.t -> Skip",
        "inv.add.t.w -> tau{r[t] = x} -> tau{x = r[t] + w} -> res.add.t -> Skip",
        "inv.add.t.w -> tau{x = x + w - 1} -> tau{x = x + 1} -> res.add.t -> Skip"}},
      {"inc", false, {"inv.inc.t -> tau{x = x + 1} -> res.inc.t -> Skip"}},
      {"read",
       false,
       {"inv.read.t -> tau{r[t] = x} -> res.read.t.r[t] -> Skip",
        "inv.read.t -> tau{r[t] = x} -> ([r[t] == x] res.read.t.x -> Skip)",
        "inv.read.t -> res.read.t.(x + 0 * r[t]) -> Skip"}}}},
};

/* The first way half of the time. */
static const char *choose_way(const struct way_of *operation, struct random *random)
{
    unsigned count = 0;
    while (operation->ways[count])
        count++;
    return operation->ways[random_chance(random, 1, 2) ? 0 : random_below(random, count)];
}

struct random_node *csp_random_object(struct arena *arena, struct random *random)
{
    const struct object *object = &objects[random_below(random, sizeof objects / sizeof *objects)];
    struct random_node *parts[16];
    unsigned count = 0, operations = 0;
    struct text text = TEXT_EMPTY;
    unsigned threads = 2 + random_chance(random, 1, 4);
    bool alike = random_chance(random, 1, 2);
    text_format(&text, "%s\nvar r[%u];\n", object->variables, threads);
    parts[count++] = random_node_make(arena, RANDOM_MODEL, text_string(&text), NULL);
    while (operations < 3 && object->operations[operations].operation) {
        const struct way_of *operation = &object->operations[operations];
        text_clear(&text);
        text_format(&text, "Op%u(t%s) = %s;\n", operations, operation->takes ? ", w" : "",
                    choose_way(operation, random));
        parts[count++] = random_node_make(arena, RANDOM_DECLARATION, text_string(&text), NULL);
        operations++;
    }
    text_clear(&text);
    for (unsigned t = 0; t < (alike ? 1 : threads); t++) {
        struct random_node *calls[2];
        unsigned length = threads == 2 ? 1 + random_below(random, 2) : 1;
        for (unsigned i = 0; i < length; i++) {
            unsigned chosen = random_below(random, operations);
            struct text call = TEXT_EMPTY;
            text_format(&call, "Op%u(", chosen);
            if (alike)
                text_append_char(&call, 't');
            else
                text_format(&call, "%u", t);
            if (object->operations[chosen].takes)
                text_format(&call, ", %u", 1 + random_below(random, 2));
            text_append_char(&call, ')');
            calls[i] = random_node_make(arena, RANDOM_PROCESS, text_string(&call), NULL);
            text_release(&call);
        }
        text_clear(&text);
        const char *body =
            length == 2 ? alike && random_chance(random, 1, 2) ? "(@@ [] @@)" : "@@; @@" : "@@";
        /* the oracle takes it from T2 that there are three */
        text_format(&text, "T%u(%s) = %s;\n", alike ? threads - 1 : t, alike ? "t" : "", body);
        parts[count++] =
            random_node_list(arena, RANDOM_DECLARATION, text_string(&text), calls, length);
    }
    text_clear(&text);
    if (alike)
        text_format(&text, "Main() = ||| t:{0..%u} @ T%u(t);\n", threads - 1, threads - 1);
    else
        text_format(&text, "Main() = T0() ||| T1()%s;\n", threads == 3 ? " ||| T2()" : "");
    text_format(&text, "#assert Main() linearizes %s;\n", object->name);
    parts[count++] = random_node_make(arena, RANDOM_MODEL, text_string(&text), NULL);
    text_release(&text);
    return random_node_list(arena, RANDOM_MODEL, "", parts, count);
}
