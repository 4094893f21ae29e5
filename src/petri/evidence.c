#include "petri/evidence.h"

#include <inttypes.h>

#include "base/faults.h"

/* Transitions on a line. */
#define MOST_FIRED SIZE_OR_SMALL(1000, 2)

static void write_arcs(const char *key, struct arcs arcs, FILE *out)
{
    fprintf(out, "{\"%s\":[", key);
    for (uint32_t i = 0; i < arcs.count; i++) {
        const char *comma = i ? "," : "";
        if (arcs.items[i].count == OMEGA)
            fprintf(out, "%s[%" PRIu32 ",-1]", comma, arcs.items[i].place);
        else
            fprintf(out, "%s[%" PRIu32 ",%" PRIu32 "]", comma, arcs.items[i].place,
                    arcs.items[i].count);
    }
    fputs("]}\n", out);
}

static size_t write_run(const struct run *run, const struct net *net, FILE *out)
{
    size_t length = run->transitions.length, lines = 1;
    const char *comma = "";
    fputs("{\"start\":[", out);
    for (size_t p = 0; p < net->places.length; p++)
        if (run->initial[p]) {
            fprintf(out, "%s[%zu,%" PRIu32 "]", comma, p, run->initial[p]);
            comma = ",";
        }
    fputs("]}\n", out);
    for (size_t i = 0; i < length; i++) {
        bool first = i % MOST_FIRED == 0, last = i + 1 == length || (i + 1) % MOST_FIRED == 0;
        fprintf(out, "%s%" PRIu32 "%s", first ? "{\"fire\":[" : ",", run->transitions.items[i],
                last ? "]}\n" : "");
        lines += first;
    }
    return lines;
}

/* What may lie beside a token of each place that may hold one. */
static size_t write_pairs(const struct concurrency *pairs, FILE *out)
{
    size_t lines = 0;
    for (uint32_t p = 0; p < pairs->places; p++) {
        if (!bits_get(pairs->live, p))
            continue;
        const char *comma = "";
        fprintf(out, "{\"place\":%" PRIu32 ",\"with\":[", p);
        for (uint32_t q = 0; q <= p; q++)
            if (concurrency_has(pairs, p, q)) {
                fprintf(out, "%s%" PRIu32, comma, q);
                comma = ",";
            }
        fputs("]}\n", out);
        lines++;
    }
    return lines;
}

/* Of a place that is free any number of tokens. */
static void write_marking(const struct certificate *certificate, struct arcs marking,
                          const struct net *net, FILE *out)
{
    const char *comma = "";
    fputs("{\"marking\":[", out);
    for (uint32_t p = 0, i = 0; p < net->places.length; p++) {
        bool free = certificate->free.words && bits_get(certificate->free, p);
        uint32_t count = 0;
        if (i < marking.count && marking.items[i].place == p)
            count = marking.items[i++].count;
        if (free || count == OMEGA)
            fprintf(out, "%s[%" PRIu32 ",-1]", comma, p);
        else if (count)
            fprintf(out, "%s[%" PRIu32 ",%" PRIu32 "]", comma, p, count);
        else
            continue;
        comma = ",";
    }
    fputs("]}\n", out);
}

size_t evidence_write(const struct coverage *coverage, const struct net *net, FILE *out)
{
    const struct certificate *certificate = &coverage->certificate;
    if (coverage->verdict == VERDICT_UNSAFE)
        return write_run(&coverage->run, net, out);
    size_t lines = write_pairs(certificate->pairs, out);
    for (size_t i = 0; i < certificate->invariants.length; i++)
        write_arcs("weights", certificate->invariants.items[i], out);
    for (size_t i = 0; i < certificate->markings.length; i++)
        write_marking(certificate, certificate->markings.items[i], net, out);
    return lines + certificate->invariants.length + certificate->markings.length;
}

const char *evidence_set(const struct coverage *coverage)
{
    return coverage->certificate.kind == CERTIFICATE_COVER ? "closed forwards" : "closed backwards";
}
