/* Binary search, for whatever is sorted. */
#ifndef BASE_BISECT_H
#define BASE_BISECT_H

/* Moves `low` to the first number, up to `high`, of which `before` is false: an expression of the
 * number `middle` that is true up to there and false from there on.
 *
 *     uint32_t low = 0, high = count;
 *     BISECT(low, high, middle, items[middle] < wanted); */
#define BISECT(low, high, middle, before)                                                          \
    while ((low) < (high)) {                                                                       \
        __typeof__(low) middle = (low) + ((high) - (low)) / 2;                                     \
        if (before)                                                                                \
            (low) = middle + 1;                                                                    \
        else                                                                                       \
            (high) = middle;                                                                       \
    }

#endif
