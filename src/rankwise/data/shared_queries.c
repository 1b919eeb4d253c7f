/* Digests of rows, by which queries are known whatever the order of their documents. */
#include <string.h>

#include "core.h"

#define ODD UINT64_C(0x9E3779B97F4A7C15)
#define MIX UINT64_C(0xBF58476D1CE4E5B9)

static uint64_t scramble(uint64_t number)
{
    uint64_t mixed = (number ^ (number >> 32)) * MIX;
    return mixed ^ (mixed >> 32);
}

/* The bits of a number, those of +0 for both zeros, scrambled by an odd factor of its column. */
static uint64_t digest_cell(double value, uint64_t column)
{
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return scramble(bits * (scramble((column + 1) * ODD) | 1));
}

/* A digest of each row of (rows, columns) numbers, to which 0 adds nothing. */
RANKWISE_API void rankwise_digest_rows(const double *values, int64_t rows, int64_t columns,
                                       int64_t *digests)
{
    for (int64_t row = 0; row < rows; row++) {
        uint64_t sum = 0;
        for (int64_t column = 0; column < columns; column++)
            sum += digest_cell(values[row * columns + column], (uint64_t)column);
        digests[row] = (int64_t)scramble(sum);
    }
}

/* The same of rows that have the entries from offsets[row] to the next. */
RANKWISE_API void rankwise_digest_sparse_rows(const double *values, const int32_t *columns,
                                              const int64_t *offsets, int64_t rows,
                                              int64_t *digests)
{
    for (int64_t row = 0; row < rows; row++) {
        uint64_t sum = 0;
        for (int64_t entry = offsets[row]; entry < offsets[row + 1]; entry++)
            sum += digest_cell(values[entry], (uint64_t)columns[entry]);
        digests[row] = (int64_t)scramble(sum);
    }
}

/* For each query, whether it has `least` different digests; `known` has room for so many. */
RANKWISE_API void rankwise_have_different_rows(const int64_t *digests, const int64_t *offsets,
                                               int64_t queries, int64_t least, int64_t *known,
                                               uint8_t *have)
{
    for (int64_t query = 0; query < queries; query++) {
        int64_t found = 0;
        for (int64_t row = offsets[query]; row < offsets[query + 1] && found < least; row++) {
            int64_t place = 0;
            while (place < found && known[place] != digests[row])
                place++;
            if (place == found)
                known[found++] = digests[row];
        }
        have[query] = found >= least;
    }
}
