/* Reads mist's .spec (github.com/pierreganty/mist, src/parser.y), as far as it describes Petri
 * nets:
 *
 *     vars NAME...
 *     rules { NAME >= N, ... -> NAME' = NAME + N, NAME' = NAME - N, ...; }
 *                                      nothing before the arrow, or `true`: it takes nothing
 *     init NAME = N, NAME >= N, ...
 *     target { NAME >= N, ... }        a line each, any of them
 *     invariants { NAME = WEIGHT, ... }
 *
 * A place that `init` does not name has any number of tokens, as in mist. */
#include <string.h>

#include "petri/format.h"
#include "petri/name_numbers.h"
#include "petri/scan.h"

#define NOT_A_NET "; only Petri nets are decided, "

struct spec_reader {
    struct scan scan;
    struct net *net;
    struct error *error;
    struct name_numbers names; /* of the places */
    const char *declared;      /* what they are called where another is found */
    VECTOR(struct arc) takes, gives, some;
    uint32_t line;            /* where the last condition ended */
    VECTOR(uint32_t) where;   /* by place: where in `some` it would be */
    VECTOR(uint32_t) changed; /* by place: the rule that changed it last, plus one */
};

/* ---- names ---- */

/* The place that the word names; NET_NONE: none. */
static uint32_t named_place(const struct spec_reader *reader)
{
    const struct scan *scan = &reader->scan;
    return name_numbers_find(&reader->names, scan->script->text + scan->at, scan->length);
}

/* A place that has been declared; stands behind it then. */
static enum status read_place(struct spec_reader *reader, uint32_t *number)
{
    if (!scan_is_name(&reader->scan))
        return scan_complain(&reader->scan, "the name of a place", reader->error);
    *number = named_place(reader);
    if (*number == NET_NONE)
        return scan_complain(&reader->scan, reader->declared, reader->error);
    scan_next(&reader->scan);
    return STATUS_OK;
}

static bool at_section(const struct spec_reader *reader)
{
    static const char *const names[] = {"rules", "init", "target", "invariants"};
    bool found = reader->scan.length == 0;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        found = found || scan_is(&reader->scan, names[i]);
    return found;
}

static enum status read_vars(struct spec_reader *reader)
{
    TRY(scan_expect(&reader->scan, "vars", reader->error));
    while (!at_section(reader)) {
        if (!scan_is_name(&reader->scan))
            return scan_complain(&reader->scan, "the name of a place, or `rules`", reader->error);
        if (named_place(reader) != NET_NONE)
            return scan_complain(&reader->scan, "a place that is not declared yet", reader->error);
        char name[256];
        const struct scan *scan = &reader->scan;
        if (scan->length >= sizeof name)
            return scan_complain(scan, "a name of at most 255 letters", reader->error);
        memcpy(name, scan->script->text + scan->at, scan->length);
        name[scan->length] = 0;
        TRY_MEMORY(net_add_place(reader->net, name, 0, true) != NET_NONE &&
                   name_numbers_add(&reader->names, scan->script->text + scan->at, scan->length) &&
                   vector_push(&reader->changed, 0) && vector_push(&reader->where, 0));
        scan_next(&reader->scan);
    }
    return STATUS_OK;
}

/* ---- conditions ---- */

enum sign {
    SIGN_AT_LEAST,
    SIGN_EQUALS,
};

/* NAME >= N, or where `equals` allows it NAME = N. */
static enum status read_condition(struct spec_reader *reader, bool equals, struct arc *arc,
                                  enum sign *sign)
{
    struct scan *scan = &reader->scan;
    const char *expected = equals ? "'>=' or '='" : "'>='";
    TRY(read_place(reader, &arc->place));
    if (scan_is(scan, "in"))
        return scan_complain(scan,
                             equals ? "'>=' or '=' (intervals are not supported)"
                                    : "'>='" NOT_A_NET "without conditions from above",
                             reader->error);
    *sign = scan_is(scan, "=") ? SIGN_EQUALS : SIGN_AT_LEAST;
    if (*sign == SIGN_EQUALS && !equals)
        return scan_complain(scan, "'>='" NOT_A_NET "without conditions from above", reader->error);
    if (*sign == SIGN_AT_LEAST && !scan_is(scan, ">="))
        return scan_complain(scan, expected, reader->error);
    scan_next(scan);
    reader->line = scan->line;
    return scan_number(scan, "a number of tokens", NET_MOST_TOKENS, &arc->count, reader->error);
}

/* Where the place's condition is in reader->some; its length: nowhere. */
static size_t condition_of(const struct spec_reader *reader, uint32_t number)
{
    size_t at = reader->where.items[number];
    bool there = at < reader->some.length && reader->some.items[at].place == number;
    return there ? at : reader->some.length;
}

/* Conditions with commas between them, into reader->some. */
static enum status read_conditions(struct spec_reader *reader)
{
    enum sign sign;
    struct arc arc;
    reader->some.length = 0;
    do {
        if (reader->some.length)
            scan_next(&reader->scan);
        place at = reader->scan.at;
        TRY(read_condition(reader, false, &arc, &sign));
        if (condition_of(reader, arc.place) < reader->some.length)
            return script_error(reader->scan.script, at, reader->error,
                                "expected one condition for each place, found a second one");
        reader->where.items[arc.place] = (uint32_t)reader->some.length;
        TRY_MEMORY(vector_push(&reader->some, arc));
    } while (scan_is(&reader->scan, ","));
    return STATUS_OK;
}

/* ---- rules ---- */

/* NAME' = NAME + N, or - N, or nothing; what the guard says is in reader->some. */
static enum status read_change(struct spec_reader *reader, uint32_t rule)
{
    struct scan *scan = &reader->scan;
    uint32_t changed, other, count = 0;
    TRY(read_place(reader, &changed));
    if (reader->changed.items[changed] == rule + 1)
        return scan_complain(scan, "one change for each place, found a second one;", reader->error);
    reader->changed.items[changed] = rule + 1;
    TRY(scan_expect(scan, "'", reader->error));
    TRY(scan_expect(scan, "=", reader->error));
    if (!scan_is_name(scan))
        return scan_complain(scan, "the same place again" NOT_A_NET "without resets",
                             reader->error);
    struct scan before = *scan;
    TRY(read_place(reader, &other));
    if (other != changed)
        return scan_complain(&before, "the same place again" NOT_A_NET "without transfers",
                             reader->error);
    bool less = scan_is(scan, "-");
    if (!less && !scan_is(scan, "+"))
        return STATUS_OK;
    scan_next(scan);
    before = *scan;
    if (scan_is_name(scan))
        return scan_complain(scan, "a number of tokens" NOT_A_NET "without transfers",
                             reader->error);
    TRY(scan_number(scan, "a number of tokens", NET_MOST_TOKENS, &count, reader->error));
    size_t guard = condition_of(reader, changed);
    uint32_t guarded = guard < reader->some.length ? reader->some.items[guard].count : 0;
    if (less && count > guarded)
        return script_error(scan->script, before.at, reader->error,
                            "expected a guard of at least %u for what is taken, found %u", count,
                            guarded);
    /* What is looked at and not taken was already given back. */
    if (less && count)
        reader->gives.items[guard].count -= count;
    struct arc more = {changed, count};
    return granted(less || vector_push(&reader->gives, more));
}

static enum status read_rule(struct spec_reader *reader)
{
    struct scan *scan = &reader->scan;
    uint32_t rule = (uint32_t)reader->net->transitions.length, line = scan->line;
    reader->some.length = reader->gives.length = 0;
    if (scan_is(scan, "true"))
        scan_next(scan);
    else if (!scan_is(scan, "->"))
        TRY(read_conditions(reader));
    TRY(scan_expect(scan, "->", reader->error));
    for (size_t i = 0; i < reader->some.length; i++)
        TRY_MEMORY(vector_push(&reader->gives, reader->some.items[i]));
    while (!scan_is(scan, ";")) {
        TRY(read_change(reader, rule));
        if (scan_is(scan, ","))
            scan_next(scan);
        else if (!scan_is(scan, ";"))
            return scan_complain(scan, "',' or ';'", reader->error);
    }
    scan_next(scan);
    uint32_t added =
        net_add_transition(reader->net, NULL, line, reader->some.items, reader->some.length,
                           reader->gives.items, reader->gives.length);
    return added == NET_NONE ? STATUS_LIMIT : STATUS_OK;
}

/* ---- the other sections ---- */

static enum status read_init(struct spec_reader *reader)
{
    struct scan *scan = &reader->scan;
    TRY(scan_expect(scan, "init", reader->error));
    for (size_t p = 0; p < reader->changed.length; p++)
        reader->changed.items[p] = 0;
    while (!at_section(reader)) {
        struct arc arc;
        enum sign sign = SIGN_EQUALS;
        struct scan before = *scan;
        TRY(read_condition(reader, true, &arc, &sign));
        if (reader->changed.items[arc.place]++)
            return scan_complain(&before, "each place once", reader->error);
        struct net_place *described = &reader->net->places.items[arc.place];
        described->initial = arc.count;
        described->open = sign == SIGN_AT_LEAST;
        if (scan_is(scan, ","))
            scan_next(scan);
        else if (!at_section(reader))
            return scan_complain(scan, "',' or `target`", reader->error);
    }
    return STATUS_OK;
}

/* A target begins on a line of its own: a comma that was forgotten would make an `or` of an `and`.
 */
static enum status read_target(struct spec_reader *reader)
{
    TRY(read_conditions(reader));
    TRY_MEMORY(net_add_target(reader->net, reader->some.items, reader->some.length) != NET_NONE);
    if (at_section(reader) || !scan_is_name(&reader->scan) || reader->scan.line != reader->line)
        return STATUS_OK;
    return scan_complain(&reader->scan,
                         "',' between the conditions of a target, or another target on a line of "
                         "its own",
                         reader->error);
}

static enum status read_targets(struct spec_reader *reader)
{
    TRY(scan_expect(&reader->scan, "target", reader->error));
    do {
        TRY(read_target(reader));
    } while (!at_section(reader));
    return STATUS_OK;
}

static enum status read_invariant(struct spec_reader *reader)
{
    struct scan *scan = &reader->scan;
    reader->some.length = 0;
    do {
        struct arc arc;
        if (reader->some.length)
            scan_next(scan);
        TRY(read_place(reader, &arc.place));
        TRY(scan_expect(scan, "=", reader->error));
        TRY(scan_number(scan, "a weight", NET_MOST_TOKENS, &arc.count, reader->error));
        TRY_MEMORY(vector_push(&reader->some, arc));
    } while (scan_is(scan, ","));
    uint32_t added = net_add_invariant(reader->net, reader->some.items, reader->some.length);
    return added == NET_NONE ? STATUS_LIMIT : STATUS_OK;
}

static enum status read_sections(struct spec_reader *reader)
{
    struct scan *scan = &reader->scan;
    TRY(read_vars(reader));
    TRY(scan_expect(scan, "rules", reader->error));
    while (!at_section(reader))
        TRY(read_rule(reader));
    TRY(read_init(reader));
    TRY(read_targets(reader));
    if (scan->length) {
        TRY(scan_expect(scan, "invariants", reader->error));
        while (scan->length)
            TRY(read_invariant(reader));
    }
    return STATUS_OK;
}

/* The places of the net are those that have been declared. */
static enum status read_only_targets(struct spec_reader *reader)
{
    const struct net *net = reader->net;
    for (size_t p = 0; p < net->places.length; p++) {
        const char *name = net->places.items[p].name;
        TRY_MEMORY(name_numbers_add(&reader->names, name, strlen(name)) &&
                   vector_push(&reader->where, 0));
    }
    do {
        TRY(read_target(reader));
    } while (reader->scan.length);
    return STATUS_OK;
}

enum status net_read_targets(const struct script *script, struct net *net, struct error *error)
{
    struct spec_reader reader = {.net = net, .error = error, .declared = "a place of the net"};
    struct budget *budget = net->places.budget;
    name_numbers_init(&reader.names, budget);
    vectors_init(budget, &reader.some, &reader.where);
    scan_begin(script, &reader.scan);
    net->targets.length = 0;
    enum status status = read_only_targets(&reader);
    name_numbers_release(&reader.names);
    vectors_release(&reader.some, &reader.where);
    return status;
}

enum status net_read_spec(const struct script *script, struct net *net, struct error *error)
{
    struct spec_reader reader = {
        .net = net, .error = error, .declared = "a place that `vars` declares"};
    struct budget *budget = net->places.budget;
    name_numbers_init(&reader.names, budget);
    vectors_init(budget, &reader.takes, &reader.gives, &reader.some, &reader.where,
                 &reader.changed);
    scan_begin(script, &reader.scan);
    enum status status = read_sections(&reader);
    name_numbers_release(&reader.names);
    vectors_release(&reader.takes, &reader.gives, &reader.some, &reader.where, &reader.changed);
    return status;
}
