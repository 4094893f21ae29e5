/* What the library of C++ has compiled of std::unordered_map and its kin, in code that says what it
 * accesses: hashing of bytes, and when there are too few buckets. */
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/execution.h"

/* std::__detail::_Prime_rehash_policy; a const member function changes the second part. */
struct policy {
    float most_load;    /* elements of a bucket, on average */
    size_t next_growth; /* elements for which there are buckets; 0: none were asked for yet */
};

static size_t next_prime(size_t least)
{
    for (size_t number = least > 2 ? least | 1 : 2;; number += 2) {
        bool is_prime = true;
        for (size_t divisor = 3; is_prime && divisor * divisor <= number; divisor += 2)
            is_prime = number % divisor != 0;
        if (is_prime)
            return number;
    }
}

static float load_of(const struct policy *policy, const void *at)
{
    execution_plain(&policy->most_load, sizeof policy->most_load, false, at);
    return policy->most_load;
}

static void set_growth(struct policy *policy, size_t growth, const void *at)
{
    execution_plain(&policy->next_growth, sizeof policy->next_growth, true, at);
    policy->next_growth = growth;
}

static size_t buckets_for(struct policy *policy, size_t least, const void *at)
{
    size_t count = next_prime(least);
    set_growth(policy, (size_t)((double)count * (double)load_of(policy, at)), at);
    return count;
}

BOUND_FUNCTION(size_t, _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm, struct policy *policy,
               size_t least)
{
    return buckets_for(policy, least, CALLER);
}

/* A std::pair<bool, std::size_t>. */
struct growth {
    bool grows;
    size_t buckets;
};

BOUND_FUNCTION(struct growth, _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm,
               struct policy *policy, size_t buckets, size_t elements, size_t more)
{
    enum {
        LEAST = 11 /* elements that the first buckets are for */
    };
    const void *at = CALLER;
    execution_plain(&policy->next_growth, sizeof policy->next_growth, false, at);
    size_t wanted = elements + more;
    if (wanted <= policy->next_growth)
        return (struct growth){false, 0};
    if (policy->next_growth == 0 && wanted < LEAST)
        wanted = LEAST;
    double load = (double)load_of(policy, at), needed = (double)wanted / load;
    if (needed < (double)buckets) {
        set_growth(policy, (size_t)((double)buckets * load), at);
        return (struct growth){false, 0};
    }
    size_t least = (size_t)needed + 1;
    return (struct growth){true,
                           buckets_for(policy, least > 2 * buckets ? least : 2 * buckets, at)};
}

static size_t hash(const void *bytes, size_t size, size_t seed, const void *at)
{
    if (size > 0)
        execution_plain(bytes, size, false, at);
    return (size_t)hash_bytes(bytes, size, seed);
}

BOUND_FUNCTION(size_t, _ZSt11_Hash_bytesPKvmm, const void *bytes, size_t size, size_t seed)
{
    return hash(bytes, size, seed, CALLER);
}

BOUND_FUNCTION(size_t, _ZSt15_Fnv_hash_bytesPKvmm, const void *bytes, size_t size, size_t seed)
{
    return hash(bytes, size, seed, CALLER);
}
