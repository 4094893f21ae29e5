/* Writes random models to standard output, of those that the tests of the engines draw:
 *
 *     generate-model KIND SEED [COUNT]
 *
 * of COUNT seeds from SEED on, a zero byte behind each but the last. Same kind and seed, same text.
 * For runs of the program as a whole, by tests and `make soak`. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "petri/format.h"
#include "support/csp_random.h"
#include "support/lin_random.h"
#include "support/lin_random_pure.h"
#include "support/lin_random_stale.h"
#include "support/lin_random_write_once.h"
#include "support/net_random.h"

/* In `.lin`. */
static const struct {
    const char *kind;
    void (*print)(uint64_t seed, struct text *text);
} implementations[] = {
    {"lin", lin_random_print},           {"lin-points", lin_random_print_points},
    {"lin-sets", lin_random_print_sets}, {"lin-write-once", lin_random_print_write_once},
    {"lin-pure", lin_random_print_pure}, {"lin-stale", lin_random_print_stale},
    {"lin-away", lin_random_print_away}, {"lin-progress", lin_random_progress_print}};

/* In CSP#, by enum csp_random_shape. */
static const char *const shapes[CSP_RANDOM_SHAPES] = {"csp", "csp-object", "csp-symmetric",
                                                      "csp-network"};

static bool write_implementation(const char *kind, uint64_t seed)
{
    for (size_t i = 0; i < sizeof implementations / sizeof *implementations; i++)
        if (strcmp(kind, implementations[i].kind) == 0) {
            struct text text = TEXT_EMPTY;
            implementations[i].print(seed, &text);
            puts(text_string(&text));
            text_release(&text);
            return true;
        }
    return false;
}

static bool write_processes(const char *kind, uint64_t seed)
{
    for (unsigned i = 0; i < CSP_RANDOM_SHAPES; i++)
        if (strcmp(kind, shapes[i]) == 0) {
            struct csp_random *model = csp_random_create((enum csp_random_shape)i, seed);
            puts(csp_random_text(model));
            csp_random_destroy(model);
            return true;
        }
    return false;
}

/* A net in mist's format. */
static bool write_net(const char *kind, uint64_t seed)
{
    struct budget budget;
    struct random random;
    struct net_sample sample;
    struct net net;
    struct error error;
    if (strcmp(kind, "net") != 0)
        return false;
    budget_init(&budget, NULL, 0);
    random_seed(&random, seed);
    net_sample_random(&random, &sample);
    net_init(&net, &budget);
    net_sample_build(&sample, &net);
    bool written = net_write(&net, NET_SPEC, stdout, &error) == STATUS_OK;
    net_release(&net);
    return written;
}

static bool write_model(const char *kind, uint64_t seed)
{
    return write_implementation(kind, seed) || write_processes(kind, seed) || write_net(kind, seed);
}

/* False: it is none, or zero. */
static bool read_number(const char *text, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return *number > 0 && errno == 0 && end != text && *end == '\0';
}

int main(int argc, char **argv)
{
    uint64_t seed, count = 1;
    bool right = (argc == 3 || (argc == 4 && read_number(argv[3], &count))) &&
                 read_number(argv[2], &seed) && write_model(argv[1], seed);
    for (uint64_t i = 1; right && i < count; i++) {
        putchar('\0');
        write_model(argv[1], seed + i);
    }
    if (right)
        return fflush(stdout) ? 2 : 0;
    fputs("Usage: generate-model KIND SEED [COUNT], both from 1 on, of the kinds net", stderr);
    for (size_t i = 0; i < sizeof implementations / sizeof *implementations; i++)
        fprintf(stderr, ", %s", implementations[i].kind);
    for (size_t i = 0; i < CSP_RANDOM_SHAPES; i++)
        fprintf(stderr, ", %s", shapes[i]);
    fputc('\n', stderr);
    return 2;
}
