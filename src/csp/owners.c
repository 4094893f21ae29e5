/* Alphabets do not change while components step: rows of them are few, and what is known of a row
 * is kept by its number. */
#include "csp/owners.h"

#include <assert.h>

#include "base/hash.h"

void csp_owners_init(struct csp_owners *owners, struct budget *budget)
{
    word_arrays_init(&owners->alphabets, budget);
    vectors_init(budget, &owners->unions, &owners->known);
    table_init(&owners->numbers, budget);
}

void csp_owners_release(struct csp_owners *owners)
{
    word_arrays_release(&owners->alphabets);
    vectors_release(&owners->unions, &owners->known);
    table_release(&owners->numbers);
}

uint32_t csp_alphabets(struct csp_owners *owners, const uint32_t *sets, size_t count)
{
    return word_arrays_intern(&owners->alphabets, sets, count, NULL);
}

enum status csp_owners_of(struct csp_owners *owners, const struct csp_terms *terms,
                          uint32_t alphabets, label l, uint64_t *found)
{
    const uint64_t hash = hash_pair(alphabets, l);
    for (struct table_search search = table_search(&owners->numbers, hash); table_next(&search);) {
        const struct csp_owned *known = &owners->known.items[search.number];
        if (known->alphabets == alphabets && known->label == l) {
            *found = known->owners;
            return STATUS_OK;
        }
    }
    size_t count;
    const uint32_t *sets = word_arrays_get(&owners->alphabets, alphabets, &count);
    assert(count <= OWNERS_MOST);
    *found = 0;
    for (size_t i = 0; i < count; i++)
        *found |= (uint64_t)label_set_has(terms, sets[i], l) << i;
    TRY_MEMORY(vector_push(&owners->known, ((struct csp_owned){alphabets, l, *found})));
    return granted(table_add(&owners->numbers, hash, (uint32_t)owners->known.length - 1));
}

/* ---- leaves ---- */

static bool is_parallel(const struct csp_terms *terms, term t)
{
    return term_kind_of(terms, t) == TERM_KIND_PARALLEL;
}

/* Whether the first of some label sets is the union of the others. */
static bool is_union(const struct csp_terms *terms, const uint32_t *sets, size_t count)
{
    size_t length;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *labels = shared_words_get(&terms->pool->label_sets, sets[i], &length);
        for (size_t j = 0; j < length; j++) {
            bool found = i > 0 && label_set_has(terms, sets[0], labels[j]);
            for (size_t k = 1; k < count && i == 0 && !found; k++)
                found = label_set_has(terms, sets[k], labels[j]);
            if (!found)
                return false;
        }
    }
    return true;
}

enum known_union {
    UNION_UNKNOWN,
    UNION_IT_IS,
    UNION_IT_IS_NOT
};

/* Whether an alphabet is the union of those of the components of the `||` that it is of. */
static enum status is_union_of(struct csp_owners *owners, const struct csp_terms *terms,
                               uint32_t set, term t, bool *is)
{
    size_t length;
    const uint32_t *at = term_words(terms, t, &length);
    uint32_t row[1 + OWNERS_MOST];
    *is = false;
    if (at[0] > OWNERS_MOST)
        return STATUS_OK;
    row[0] = set;
    for (uint32_t i = 0; i < at[0]; i++)
        row[1 + i] = at[1 + at[0] + i];
    const uint32_t alphabets = csp_alphabets(owners, row, 1 + (size_t)at[0]);
    TRY_MEMORY(alphabets != UINT32_MAX);
    while (owners->unions.length <= alphabets)
        TRY_MEMORY(vector_push(&owners->unions, UNION_UNKNOWN));
    uint8_t *known = &owners->unions.items[alphabets];
    if (*known == UNION_UNKNOWN)
        *known = is_union(terms, row, 1 + (size_t)at[0]) ? UNION_IT_IS : UNION_IT_IS_NOT;
    *is = *known == UNION_IT_IS;
    return STATUS_OK;
}

/* Counts on; *apart: no alphabet that is no union has been met. */
static enum status count_leaves(struct csp_owners *owners, const struct csp_terms *terms, term t,
                                uint32_t *count, bool *apart)
{
    size_t length;
    const uint32_t *at = term_words(terms, t, &length);
    for (uint32_t i = 0; i < at[0] && *apart && *count <= OWNERS_MOST; i++) {
        if (!is_parallel(terms, at[1 + i])) {
            ++*count;
            continue;
        }
        TRY(is_union_of(owners, terms, at[1 + at[0] + i], at[1 + i], apart));
        if (*apart)
            TRY(count_leaves(owners, terms, at[1 + i], count, apart));
    }
    return STATUS_OK;
}

enum status csp_leaves(struct csp_owners *owners, const struct csp_terms *terms, term t,
                       uint32_t *count)
{
    size_t length;
    bool apart = is_parallel(terms, t);
    *count = 0;
    if (!apart)
        return STATUS_OK;
    TRY(count_leaves(owners, terms, t, count, &apart));
    if (!apart || *count > OWNERS_MOST || *count == term_words(terms, t, &length)[0])
        *count = 0;
    return STATUS_OK;
}

uint32_t csp_leaves_within(const struct csp_terms *terms, term component)
{
    size_t length;
    uint32_t count = 0;
    if (!is_parallel(terms, component))
        return 1;
    const uint32_t *at = term_words(terms, component, &length);
    for (uint32_t i = 0; i < at[0]; i++)
        count += csp_leaves_within(terms, at[1 + i]);
    return count;
}

bool csp_leaves_list(const struct csp_terms *terms, term t, csp_leaf_list *leaves,
                     csp_leaf_list *sets)
{
    size_t length;
    const uint32_t *at = term_words(terms, t, &length);
    for (uint32_t i = 0; i < at[0]; i++) {
        if (is_parallel(terms, at[1 + i])) {
            if (!csp_leaves_list(terms, at[1 + i], leaves, sets))
                return false;
        } else if (!vector_push(leaves, at[1 + i]) || !vector_push(sets, at[1 + at[0] + i])) {
            return false;
        }
    }
    return true;
}

uint32_t csp_leaf_component(const struct csp_terms *terms, term t, uint32_t leaf)
{
    size_t length;
    const uint32_t *at = term_words(terms, t, &length);
    uint32_t component = 0;
    for (uint32_t within; (within = csp_leaves_within(terms, at[1 + component])) <= leaf;) {
        leaf -= within;
        component++;
        assert(component < at[0]);
    }
    return component;
}
