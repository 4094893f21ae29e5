/* SHA-256 (FIPS 180-4): names the files that a certificate speaks of. It includes no other module,
 * for linchpin-recheck is built of it too. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_DIGITS 64

struct sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
};

void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t length);

/* The digest of all that was added, in hexadecimal digits; nothing may be added afterwards. */
void sha256_end(struct sha256 *sha, char digits[static SHA256_DIGITS + 1]);

#endif
