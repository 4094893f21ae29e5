#include "support/heap_handed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

const char *heap_handed_refusal(const struct heap_proof *proof,
                                const struct heap_placement *placement, uint32_t without,
                                struct heap_checked *checked)
{
    static const char said_first[] = "the certificate is wrong: ";
    struct word_arrays kept;
    word_arrays_init(&kept, proof->budget);
    for (uint32_t i = 0; i < proof->views.items.length; i++) {
        size_t length;
        const uint32_t *words = word_arrays_get(&proof->views, i, &length);
        if (i != without)
            assert_int_not_equal(word_arrays_intern(&kept, words, length, NULL), UINT32_MAX);
    }
    const struct heap_certificate certificate = {.shape = proof->steps.shape,
                                                 .alphabet = proof->alphabet,
                                                 .specification = proof->specification,
                                                 .watches = proof->watches,
                                                 .initial = proof->initial,
                                                 .placement = placement,
                                                 .views = &kept};
    memset(proof->error, 0, sizeof *proof->error);
    const enum status status = heap_certificate_check(
        &certificate, proof->steps.system, proof->budget, proof->limits, checked, proof->error);
    word_arrays_release(&kept);
    if (status == STATUS_OK)
        return checked->is_too_large ? "there is no room for the check" : NULL;
    assert_int_equal(status, STATUS_INTERNAL);
    assert_memory_equal(proof->error->message, said_first, strlen(said_first));
    return proof->error->message + strlen(said_first);
}
