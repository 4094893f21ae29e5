/* Any bytes, read as a Petri net: as PNML if they begin with '<', as a thread transition system if
 * they begin with a digit, else as mist has them.
 *
 * Whatever the text is, reading it must end with a net or a message that has a place; a net must be
 * the same when it is written and read again; and what is said of it must pass its check. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "petri/cover.h"
#include "petri/format.h"

#define MEMORY  ((size_t)16 << 20)
#define LONGEST 4000
#define TIME    UINT64_C(50000000) /* ns for an answer */

static void must(bool condition, const char *what, const char *detail)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_net: %s: %s\n", what, detail);
    abort();
}

static char *write_net(const struct net *net, enum net_format format, size_t *length)
{
    char *written = NULL;
    struct error error = {0};
    FILE *out = open_memstream(&written, length);
    must(out != NULL, "memory", "for writing");
    must(net_write(net, format, out, &error) == STATUS_OK, "writing", error.message);
    fclose(out);
    return written;
}

static enum status read_net(const struct script *script, struct net *net, struct error *error)
{
    struct arc target[2] = {{0, 1}, {0, 2}};
    bool is_pnml = script->text[0] == '<';
    if (!is_pnml && !isdigit((unsigned char)script->text[0]))
        return net_read_spec(script, net, error);
    enum status status =
        is_pnml ? net_read_pnml(script, net, error) : net_read_tts(script, net, error);
    if (is_pnml && (net->targets.length || !net->places.length))
        return status;
    target[1].place = (uint32_t)net->places.length - 1;
    if (status == STATUS_OK && net_add_target(net, target, 2) == NET_NONE)
        status = STATUS_LIMIT;
    return status;
}

static void must_equal(struct arcs left, struct arcs right)
{
    bool same = left.count == right.count;
    for (uint32_t i = 0; same && i < left.count; i++)
        same = left.items[i].place == right.items[i].place &&
               left.items[i].count == right.items[i].count;
    must(same, "written again", "the arcs are others");
}

/* Names aside, which a format may not take. */
static void must_be_same(const struct net *net, const struct net *again)
{
    must(net->places.length == again->places.length, "written again", "the places are others");
    for (size_t p = 0; p < net->places.length; p++)
        must(net->places.items[p].initial == again->places.items[p].initial &&
                 net->places.items[p].open == again->places.items[p].open,
             "written again", "the initial marking is another");
    must(net->transitions.length == again->transitions.length, "written again", "so are the steps");
    for (size_t t = 0; t < net->transitions.length; t++) {
        must_equal(net->transitions.items[t].takes, again->transitions.items[t].takes);
        must_equal(net->transitions.items[t].gives, again->transitions.items[t].gives);
    }
    must(net->targets.length == again->targets.length, "written again", "the targets are others");
    for (size_t i = 0; i < net->targets.length; i++)
        must_equal(net->targets.items[i], again->targets.items[i]);
}

static void write_again(const struct net *net, enum net_format format, struct arena *arena)
{
    size_t length;
    struct script script;
    struct error error = {0};
    struct net again;
    char *once = write_net(net, format, &length);
    net_init(&again, arena->budget);
    enum status status = script_from_text("again", once, length, arena, &script, &error);
    if (status == STATUS_OK)
        status = format == NET_PNML ? net_read_pnml(&script, &again, &error)
                                    : net_read_spec(&script, &again, &error);
    must(status == STATUS_OK || status == STATUS_LIMIT, "read again", error.message);
    if (status == STATUS_OK)
        must_be_same(net, &again);
    net_release(&again);
    free(once);
}

static void solve(const struct net *net, struct budget *budget)
{
    struct limits limits;
    struct coverage coverage;
    struct error error = {0};
    limits_init(&limits, budget);
    limits.deadline = clock_nanoseconds() + TIME;
    enum status status = cover_solve(net, budget, &limits, NULL, &coverage, &error);
    must(status == STATUS_OK, "solving", error.message);
    coverage_release(&coverage);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > LONGEST)
        return 0;
    struct budget budget;
    struct arena arena;
    struct script script;
    struct net net;
    struct error error = {0};
    budget_init(&budget, NULL, MEMORY);
    arena_init(&arena, &budget);
    net_init(&net, &budget);
    enum status status =
        script_from_text("fuzz", (const char *)data, size, &arena, &script, &error);
    if (status == STATUS_OK)
        status = read_net(&script, &net, &error);
    if (status == STATUS_OK) {
        write_again(&net, NET_PNML, &arena);
        if (net.targets.length && net.places.length) /* mist's format has one at least */
            write_again(&net, NET_SPEC, &arena);
        solve(&net, &budget);
    } else {
        must(status == STATUS_LIMIT || status == STATUS_INPUT, "refused", "as neither");
        must(status == STATUS_LIMIT || error.message[0], "refused", "without a message");
        must(status == STATUS_LIMIT || error.line > 0, "refused without a place", error.message);
    }
    net_release(&net);
    arena_release(&arena);
    must(budget.used == 0, "memory", "is left");
    return 0;
}
