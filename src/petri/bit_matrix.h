/* A matrix of bits whose rows and columns may grow. */
#ifndef PETRI_BIT_MATRIX_H
#define PETRI_BIT_MATRIX_H

#include "base/bits.h"

struct bit_matrix {
    struct budget *budget;
    uint64_t *bits; /* of all rows, one after the other */
    size_t rows;    /* that there is room for */
    size_t words;   /* of a row */
};

static inline void bit_matrix_init(struct bit_matrix *matrix, struct budget *budget)
{
    *matrix = (struct bit_matrix){.budget = budget};
}

static inline void bit_matrix_release(struct bit_matrix *matrix)
{
    memory_release(matrix->budget, matrix->bits,
                   matrix->rows * matrix->words * sizeof *matrix->bits);
    bit_matrix_init(matrix, matrix->budget);
}

/* Makes room for so many rows and columns at least; what is new is 0. Rows move. False when
 * refused. */
static inline MUST_CHECK bool bit_matrix_fit(struct bit_matrix *matrix, size_t rows, size_t columns)
{
    size_t words = matrix->words ? matrix->words : 1;
    while (words * WORD_BITS < columns)
        words *= 2;
    size_t count = matrix->rows ? matrix->rows : 16;
    while (count < rows)
        count *= 2;
    if (matrix->bits && words == matrix->words && count == matrix->rows)
        return true;
    uint64_t *bits = memory_zeroed(matrix->budget, count * words * sizeof *bits);
    if (!bits)
        return false;
    for (size_t i = 0; i < matrix->rows; i++)
        memcpy(bits + i * words, matrix->bits + i * matrix->words, matrix->words * sizeof *bits);
    memory_release(matrix->budget, matrix->bits,
                   matrix->rows * matrix->words * sizeof *matrix->bits);
    matrix->bits = bits;
    matrix->rows = count;
    matrix->words = words;
    return true;
}

static inline struct bits bit_matrix_row(const struct bit_matrix *matrix, uint32_t row)
{
    assert(row < matrix->rows);
    return (struct bits){matrix->bits + row * matrix->words, matrix->words * WORD_BITS};
}

#endif
