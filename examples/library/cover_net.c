#include <linchpin/linchpin.h>
#include <stdio.h>
#include <string.h>

static const char net_text[] = "vars idle inside free "
                               "rules idle >= 1, free >= 1 ->"
                               "      idle' = idle - 1, inside' = inside + 1;"
                               "init idle >= 0, inside = 0, free = 1 "
                               "target inside >= 2";

// Any number of threads, and a lock that forgets that it was taken.
int main(void)
{
    lp_context *context = lp_context_create(0);
    lp_net *net;
    lp_coverage *coverage;
    lp_error error;
    if (lp_net_parse(context, "lock", net_text, strlen(net_text), NULL, &net, &error) ||
        lp_cover(context, net, NULL, &coverage, &error)) {
        fprintf(stderr, "%s:%u: %s\n", error.file, error.line, error.message);
        return 2;
    }
    printf("%s: %s\n", coverage->verdict == LP_UNSAFE ? "unsafe" : "safe or unknown",
           coverage->reason);
    lp_coverage_destroy(coverage);
    lp_net_destroy(net);
    lp_context_destroy(context);
    return 0;
}
