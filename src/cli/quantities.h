/* Quantities as the arguments of options have them. False if it is something else. */
#ifndef CLI_QUANTITIES_H
#define CLI_QUANTITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "30s", "500ms", "1.5h" as seconds; "4G", "512M", "1KiB" as bytes. */
bool quantity_read_time(const char *text, double *seconds);
bool quantity_read_size(const char *text, size_t *bytes);

/* A number in decimal from `least` to `most`. */
bool quantity_read_number(const char *text, uint64_t least, uint64_t most, uint64_t *number);

#endif
