/* Reading and writing nets. */
#include "api/net.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/require.h"
#include "base/text.h"
#include "petri/format.h"
#include "petri/scan.h"

/* ---- reading ---- */

/* A thread transition system begins with a number, and nothing else does. */
static bool is_thread_system(const struct script *script)
{
    struct scan scan;
    scan_begin(script, &scan);
    return isdigit((unsigned char)script->text[scan.at]) != 0;
}

/* The others begin with a word or a number, or with a comment. */
static bool is_pnml(const struct script *script)
{
    return script->text[strspn(script->text, " \t\r\n")] == '<';
}

static enum status name_transitions(lp_net *net)
{
    size_t count = net->net.transitions.length;
    net->transition_names = arena_allocate(&net->arena, count * sizeof *net->transition_names);
    TRY_MEMORY(net->transition_names);
    for (size_t i = 0; i < count; i++) {
        const struct net_transition *transition = &net->net.transitions.items[i];
        char name[64];
        snprintf(name, sizeof name, "rule %zu, line %" PRIu32, i + 1, transition->line);
        net->transition_names[i] = transition->name;
        if (!transition->name)
            net->transition_names[i] = arena_copy_text(&net->arena, name, strlen(name));
        TRY_MEMORY(net->transition_names[i]);
    }
    return STATUS_OK;
}

/* `property` may be null. */
static enum status read_net(lp_net *net, const struct script *script, const struct script *property,
                            struct error *error)
{
    net->name = script->name;
    net->hash = hash_bytes(script->text, script->length, 0);
    if (is_pnml(script)) {
        TRY(net_read_pnml(script, &net->net, error));
        if (property) {
            TRY(net_read_targets(property, &net->net, error));
            net->hash = hash_bytes(property->text, property->length, net->hash);
        }
        if (!net->net.targets.length)
            return error_set(error, STATUS_INPUT, script->name, 0,
                             "expected a target, in a .target file beside it or in an element "
                             "toolspecific of linchpin, found none");
        return name_transitions(net);
    }
    if (!is_thread_system(script)) {
        TRY(net_read_spec(script, &net->net, error));
        return name_transitions(net);
    }
    TRY(net_read_tts(script, &net->net, error));
    if (!property)
        return error_set(error, STATUS_INPUT, script->name, 0,
                         "expected the property of the thread transition system in a .prop file "
                         "beside it, found none");
    TRY(net_read_prop(property, &net->net, error));
    net->hash = hash_bytes(property->text, property->length, net->hash);
    return name_transitions(net);
}

/* What `beside` is to a net, ".prop" say: with it in the place of `own`, which the path may end in,
 * or behind the path; false if there is neither. */
static bool find_beside(const char *path, const char *own, const char *beside, struct text *found)
{
    const char *end = strrchr(path, '.');
    if (strcmp(path, "-") == 0)
        return false;
    if (end && strcmp(end, own) == 0) {
        text_append_bytes(found, path, (size_t)(end - path));
        text_append(found, beside);
        if (access(text_string(found), F_OK) == 0)
            return true;
    }
    text_clear(found);
    text_append(found, path);
    text_append(found, beside);
    return access(text_string(found), F_OK) == 0;
}

static bool find_property(const struct script *script, const char *path, struct text *found)
{
    if (is_pnml(script))
        return find_beside(path, ".pnml", ".target", found);
    return is_thread_system(script) && find_beside(path, ".tts", ".prop", found);
}

static enum status read_files(lp_net *net, const char *path, const struct limits *limits,
                              struct error *error)
{
    struct script script, property;
    struct text other = TEXT_EMPTY;
    TRY(script_read(path, &net->arena, limits, &script, error));
    bool has_property = find_property(&script, path, &other);
    enum status status = STATUS_OK;
    if (has_property) {
        /* The script has no name of its own. */
        const char *kept = arena_copy_text(&net->arena, text_string(&other), other.length);
        status = kept ? script_read(kept, &net->arena, limits, &property, error) : STATUS_LIMIT;
    }
    text_release(&other);
    TRY(status);
    return read_net(net, &script, has_property ? &property : NULL, error);
}

static enum status read_texts(lp_net *net, const char *name, const char *text, size_t length,
                              const char *given, struct error *error)
{
    struct script script, property;
    TRY(script_from_text(name, text, length, &net->arena, &script, error));
    if (given)
        TRY(script_from_text(name, given, strlen(given), &net->arena, &property, error));
    return read_net(net, &script, given ? &property : NULL, error);
}

static lp_net *net_create(lp_context *context)
{
    lp_net *net = memory_zeroed(&context->budget, sizeof *net);
    if (!net)
        return NULL;
    net->magic = NET_MAGIC;
    net->context = context;
    arena_init(&net->arena, &context->budget);
    net_init(&net->net, &context->budget);
    return net;
}

void lp_net_destroy(lp_net *net)
{
    if (!net)
        return;
    REQUIRE_ALIVE(net, NET_MAGIC);
    net->magic = 0;
    net_release(&net->net);
    arena_release(&net->arena);
    memory_release(&net->context->budget, net, sizeof *net);
}

static lp_status finish(lp_net *created, enum status status, struct error *fault, lp_net **net,
                        lp_error *error)
{
    if (status == STATUS_LIMIT)
        error_set(fault, status, NULL, 0, "a limit was reached before the net was read");
    report_status(status, fault, error);
    *net = status == STATUS_OK ? created : NULL;
    if (status != STATUS_OK)
        lp_net_destroy(created);
    return (lp_status)status;
}

lp_status lp_net_read(lp_context *context, const char *path, lp_net **net, lp_error *error)
{
    return lp_net_read_within(context, path, 0, net, error);
}

lp_status lp_net_read_within(lp_context *context, const char *path, double timeout, lp_net **net,
                             lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(path);
    REQUIRE_NOT_NULL(net);
    struct error fault;
    struct limits limits;
    enum status status = STATUS_LIMIT;
    lp_net *created = net_create(context);
    limits_for(&limits, context, &context->budget, timeout);
    if (created) {
        created->net.limits = &limits;
        status = read_files(created, path, &limits, &fault);
        created->net.limits = NULL;
    }
    return finish(created, status, &fault, net, error);
}

lp_status lp_net_parse(lp_context *context, const char *name, const char *text, size_t length,
                       const char *property, lp_net **net, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(name);
    REQUIRE(text || length == 0, "text is null");
    REQUIRE_NOT_NULL(net);
    struct error fault;
    lp_net *created = net_create(context);
    enum status status = STATUS_LIMIT;
    if (created)
        status = read_texts(created, name, text ? text : "", length, property, &fault);
    return finish(created, status, &fault, net, error);
}

/* ---- what a net says of itself ---- */

const char *lp_net_name(const lp_net *net)
{
    REQUIRE_ALIVE(net, NET_MAGIC);
    return net->name;
}

uint64_t lp_net_hash(const lp_net *net)
{
    REQUIRE_ALIVE(net, NET_MAGIC);
    return net->hash;
}

size_t lp_net_places(const lp_net *net)
{
    REQUIRE_ALIVE(net, NET_MAGIC);
    return net->net.places.length;
}

size_t lp_net_transitions(const lp_net *net)
{
    REQUIRE_ALIVE(net, NET_MAGIC);
    return net->net.transitions.length;
}

/* ---- writing ---- */

static enum status write_named(const lp_net *net, const char *format, FILE *out,
                               struct error *error)
{
    if (strcmp(format, "prop") == 0) {
        net_write_prop(&net->net, out);
        return STATUS_OK;
    }
    for (size_t i = 0; i < NET_FORMATS; i++)
        if (strcmp(format, net_format_names[i]) == 0)
            return net_write(&net->net, (enum net_format)i, out, error);
    return error_set(error, STATUS_USAGE, NULL, 0,
                     "expected spec, tts, prop or pnml, found '%.100s'", format);
}

lp_status lp_net_write(const lp_net *net, const char *format, FILE *out, lp_error *error)
{
    REQUIRE_ALIVE(net, NET_MAGIC);
    REQUIRE_NOT_NULL(format);
    REQUIRE_NOT_NULL(out);
    struct error fault;
    return report_status(write_named(net, format, out, &fault), &fault, error);
}
