#include "support/heap_handed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *refusal_of(const struct heap_proof *proof,
                              const struct heap_placement *placement,
                              const struct word_arrays *views, struct heap_checked *checked)
{
    static const char said_first[] = "the certificate is wrong: ";
    const struct heap_certificate certificate = {.shape = proof->steps.shape,
                                                 .alphabet = proof->alphabet,
                                                 .specification = proof->specification,
                                                 .watches = proof->watches,
                                                 .initial = proof->initial,
                                                 .placement = placement,
                                                 .views = views};
    memset(proof->error, 0, sizeof *proof->error);
    const enum status status = heap_certificate_check(
        &certificate, proof->steps.system, proof->budget, proof->limits, checked, proof->error);
    if (status == STATUS_OK)
        return checked->is_too_large ? "there is no room for the check" : NULL;
    assert_int_equal(status, STATUS_INTERNAL);
    assert_memory_equal(proof->error->message, said_first, strlen(said_first));
    return proof->error->message + strlen(said_first);
}

static void take_over(const struct heap_proof *proof, uint32_t view, struct word_arrays *views)
{
    size_t length;
    const uint32_t *words = word_arrays_get(&proof->views, view, &length);
    assert_int_not_equal(word_arrays_intern(views, words, length, NULL), UINT32_MAX);
}

const char *heap_handed_refusal(const struct heap_proof *proof,
                                const struct heap_placement *placement, uint32_t without,
                                struct heap_checked *checked)
{
    struct word_arrays kept;
    word_arrays_init(&kept, proof->budget);
    for (uint32_t i = 0; i < proof->views.items.length; i++)
        if (i != without)
            take_over(proof, i, &kept);
    const char *refusal = refusal_of(proof, placement, &kept, checked);
    word_arrays_release(&kept);
    return refusal;
}

const char *heap_handed_refusal_without(const struct heap_proof *proof,
                                        enum heap_handed (*sort)(void *user,
                                                                 const struct heap_view *view),
                                        void *user, uint32_t *left_out)
{
    struct word_arrays kept;
    struct heap_checked checked;
    word_arrays_init(&kept, proof->budget);
    *left_out = 0;
    for (int pass = HEAP_HANDED_FIRST; pass <= HEAP_HANDED_LATER; pass++)
        for (uint32_t i = 0; i < proof->views.items.length; i++) {
            struct heap_view view;
            size_t length;
            heap_view_read(&proof->steps.shape, word_arrays_get(&proof->views, i, &length), &view);
            const enum heap_handed sorted = sort(user, &view);
            *left_out += pass == HEAP_HANDED_FIRST && sorted == HEAP_HANDED_NOT;
            if ((int)sorted == pass)
                take_over(proof, i, &kept);
        }
    const char *refusal = refusal_of(proof, proof->placement, &kept, &checked);
    word_arrays_release(&kept);
    return refusal;
}
