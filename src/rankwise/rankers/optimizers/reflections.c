/* Householder reflections in a fixed order of summation: no library and no thread moves a bit.

   Matrices are held column by column, so that all loops run along memory. */
#include "core.h"

#include <math.h>

/* Four sums, as one alone waits for each addition. */
static double dot(const double *left, const double *right, int64_t start, int64_t length)
{
    double first = 0.0, second = 0.0, third = 0.0, fourth = 0.0;
    int64_t row = start;
    for (; row + 4 <= length; row += 4) {
        first += left[row] * right[row];
        second += left[row + 1] * right[row + 1];
        third += left[row + 2] * right[row + 2];
        fourth += left[row + 3] * right[row + 3];
    }
    for (; row < length; row++)
        first += left[row] * right[row];
    return (first + second) + (third + fourth);
}

static void apply(double *restrict target, const double *restrict mirror, int64_t diagonal,
                  int64_t start, int64_t length, double factor)
{
    double total = (target[diagonal] + dot(mirror, target, start, length)) * factor;
    target[diagonal] -= total;
    for (int64_t row = start; row < length; row++)
        target[row] -= total * mirror[row];
}

/* `apply` to two columns, with the same sums in the same order: those of one wait less while those
   of the other are added. */
static void apply_to_two(double *restrict target, double *restrict second,
                         const double *restrict mirror, int64_t diagonal, int64_t start,
                         int64_t length, double factor)
{
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    double e = 0.0, f = 0.0, g = 0.0, h = 0.0;
    int64_t row = start;
    for (; row + 4 <= length; row += 4) {
        a += mirror[row] * target[row];
        b += mirror[row + 1] * target[row + 1];
        c += mirror[row + 2] * target[row + 2];
        d += mirror[row + 3] * target[row + 3];
        e += mirror[row] * second[row];
        f += mirror[row + 1] * second[row + 1];
        g += mirror[row + 2] * second[row + 2];
        h += mirror[row + 3] * second[row + 3];
    }
    for (; row < length; row++) {
        a += mirror[row] * target[row];
        e += mirror[row] * second[row];
    }
    double total = (target[diagonal] + ((a + b) + (c + d))) * factor;
    double other = (second[diagonal] + ((e + f) + (g + h))) * factor;
    target[diagonal] -= total;
    second[diagonal] -= other;
    for (row = start; row < length; row++) {
        target[row] -= total * mirror[row];
        second[row] -= other * mirror[row];
    }
}

/* Zero the entries of a column from row `start` on by reflecting them onto its diagonal.

   The reflection is I - tau v v', v being 1 at the diagonal; its other entries take the place of
   the zeros. It is applied to all later columns. From row `end` on the column holds zeros. Returns
   tau. */
static double reflect(double *columns, int64_t width, int64_t length, int64_t column, int64_t start,
                      int64_t end)
{
    double *own = columns + column * length;
    double squares = dot(own, own, start, end);
    if (squares == 0.0)
        return 0.0;
    double before = own[column];
    double after = -copysign(sqrt(before * before + squares), before);
    double divisor = before - after;
    for (int64_t row = start; row < end; row++)
        own[row] /= divisor;
    own[column] = after;
    double factor = (after - before) / after;
    int64_t other = column + 1;
    for (; other + 1 < width; other += 2)
        apply_to_two(columns + other * length, columns + (other + 1) * length, own, column, start,
                     end, factor);
    if (other < width)
        apply(columns + other * length, own, column, start, end, factor);
    return factor;
}

/* The first `width` rows are the triangle, of which only what is on and above the diagonal is
   read; the rows below it are spent. */
RANKWISE_API void rankwise_absorb_rows(double *columns, int64_t width, int64_t length)
{
    for (int64_t column = 0; column < width && column < length; column++)
        reflect(columns, width, length, column, width, length);
}

/* As above, where column j has zeros from the j + 1 first rows below the triangle on, as have those
   of a diagonal matrix: reflections before it fill no more. Sums go four rows at a time, so that
   without whole fours of zeros they have the same bits. */
RANKWISE_API void rankwise_absorb_diagonal(double *columns, int64_t width, int64_t length)
{
    for (int64_t column = 0; column < width && column < length; column++) {
        int64_t end = width + (column / 4 + 1) * 4;
        reflect(columns, width, length, column, width, end < length ? end : length);
    }
}

static void swap_columns(double *columns, int64_t length, int64_t one, int64_t other)
{
    for (int64_t row = 0; row < length; row++) {
        double kept = columns[one * length + row];
        columns[one * length + row] = columns[other * length + row];
        columns[other * length + row] = kept;
    }
}

/* QR in place, the largest remaining column first; `order` tells which columns came where. Ends
   where what remains is below `tolerance` times the largest, and returns the rank. */
static int64_t pivoted_triangle(double *columns, double *target, int64_t width, int64_t length,
                                double tolerance, int64_t *order)
{
    double largest = 0.0;
    int64_t steps = width < length ? width : length;
    for (int64_t step = 0; step < steps; step++) {
        int64_t best = step;
        double best_squares = -1.0;
        for (int64_t column = step; column < width; column++) {
            const double *own = columns + column * length;
            double squares = dot(own, own, step, length);
            if (squares > best_squares) {
                best = column;
                best_squares = squares;
            }
        }
        double norm = sqrt(best_squares);
        if (norm > largest)
            largest = norm;
        if (norm <= tolerance * largest)
            return step;
        swap_columns(columns, length, step, best);
        int64_t kept = order[step];
        order[step] = order[best];
        order[best] = kept;
        double factor = reflect(columns, width, length, step, step + 1, length);
        apply(target, columns + step * length, step, step + 1, length, factor);
    }
    return steps;
}

/* The solution of least norm of the triangle's `rank` first rows: QR of their transpose. */
static void solve_transposed(const double *columns, const double *target, int64_t width,
                             int64_t length, int64_t rank, double *transposed, double *factors,
                             double *found)
{
    for (int64_t row = 0; row < rank; row++)
        for (int64_t column = 0; column < width; column++)
            transposed[row * width + column] = column < row ? 0.0 : columns[column * length + row];
    for (int64_t row = 0; row < rank; row++)
        factors[row] = reflect(transposed, rank, width, row, row + 1, width);
    for (int64_t row = 0; row < rank; row++) {
        double rest = target[row];
        for (int64_t other = 0; other < row; other++)
            rest -= transposed[row * width + other] * found[other];
        found[row] = rest / transposed[row * width + row];
    }
    for (int64_t row = rank - 1; row >= 0; row--)
        apply(found, transposed + row * width, row, row + 1, width, factors[row]);
}

/* The x of least norm among those that minimise |A x - target|; returns the rank of A. `room` holds
   width * (width + 2) numbers; `columns` and `target` are spent. */
RANKWISE_API int64_t rankwise_minimal_norm(double *columns, double *target, int64_t width,
                                           int64_t length, double tolerance, int64_t *order,
                                           double *room, double *solution)
{
    double *factors = room + width * width, *found = factors + width;
    for (int64_t place = 0; place < width; place++) {
        order[place] = place;
        found[place] = 0.0;
    }
    int64_t rank = pivoted_triangle(columns, target, width, length, tolerance, order);
    solve_transposed(columns, target, width, length, rank, room, factors, found);
    for (int64_t place = 0; place < width; place++)
        solution[order[place]] = found[place];
    return rank;
}
