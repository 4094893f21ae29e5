/* What is behind lp_net. */
#ifndef API_NET_H
#define API_NET_H

#include <linchpin/cover.h>

#include "api/objects.h"
#include "petri/net.h"

#define NET_MAGIC UINT32_C(0x6c706e65)

struct lp_net {
    uint32_t magic;
    lp_context *context;
    struct arena arena; /* the texts, and what names transitions */
    struct net net;
    const char *name;
    const char **transition_names; /* distinct where the transitions differ */
    uint64_t hash;
};

#endif
