/* NDCG of a relaxed sort and its slopes in the scores, one query after the other.

   Matrices have a row for each rank and a column for each document. */
#include "core.h"

#include <math.h>

/* Sums of rows and columns below it count as it, so that nothing is divided by 0. */
static const double FLOOR = 1e-10;

static double divisor_of(double sum)
{
    return FLOOR > sum ? FLOOR : sum;
}

/* Row r, from 0: the softmax over i of ((n - 1 - 2r) s_i - sum_k |s_i - s_k|) / temperature. */
static void sort_relaxed(const double *scores, int64_t size, double temperature, double *away,
                         double *found)
{
    for (int64_t item = 0; item < size; item++) {
        away[item] = 0.0;
        for (int64_t other = 0; other < size; other++)
            away[item] += fabs(scores[item] - scores[other]);
    }
    for (int64_t rank = 0; rank < size; rank++) {
        double *row = found + rank * size;
        double highest = -INFINITY, mass = 0.0;
        for (int64_t item = 0; item < size; item++) {
            row[item] = ((double)(size - 1 - 2 * rank) * scores[item] - away[item]) / temperature;
            highest = row[item] > highest ? row[item] : highest;
        }
        for (int64_t item = 0; item < size; item++) {
            row[item] = exp(row[item] - highest);
            mass += row[item];
        }
        for (int64_t item = 0; item < size; item++)
            row[item] /= mass;
    }
}

static int all_near_one(const double *sums, int64_t size, double tolerance)
{
    for (int64_t item = 0; item < size; item++)
        if (!(fabs(sums[item] - 1.0) <= tolerance))
            return 0;
    return 1;
}

/* Divide columns, then rows, by their sums, until columns sum to 1; how often that was. */
static int64_t scale(double *matrix, double *sums, int64_t size, int64_t scalings,
                     double tolerance)
{
    for (int64_t step = 0; step < scalings; step++) {
        double *columns = sums + 2 * step * size, *rows = columns + size;
        for (int64_t item = 0; item < size; item++)
            columns[item] = 0.0;
        for (int64_t rank = 0; rank < size; rank++)
            for (int64_t item = 0; item < size; item++)
                columns[item] += matrix[rank * size + item];
        if (all_near_one(columns, size, tolerance))
            return step;
        for (int64_t rank = 0; rank < size; rank++) {
            double *row = matrix + rank * size;
            rows[rank] = 0.0;
            for (int64_t item = 0; item < size; item++) {
                row[item] /= divisor_of(columns[item]);
                rows[rank] += row[item];
            }
            for (int64_t item = 0; item < size; item++)
                row[item] /= divisor_of(rows[rank]);
        }
    }
    return scalings;
}

/* Take `matrix` back to before it was scaled, and `back`, slopes in it, along.

   Of y = x / sum x the slope in x is (u - sum u y) / sum x, u being that in y; at the floor it is
   u / floor. */
static void unscale(double *matrix, double *back, const double *sums, int64_t size, int64_t done,
                    double *inner)
{
    for (int64_t step = done - 1; step >= 0; step--) {
        const double *columns = sums + 2 * step * size, *rows = columns + size;
        for (int64_t item = 0; item < size; item++)
            inner[item] = 0.0;
        for (int64_t rank = 0; rank < size; rank++) {
            double *row = matrix + rank * size, *slopes = back + rank * size;
            double along = 0.0, divisor = divisor_of(rows[rank]);
            for (int64_t item = 0; item < size; item++)
                along += slopes[item] * row[item];
            if (rows[rank] < FLOOR)
                along = 0.0;
            for (int64_t item = 0; item < size; item++) {
                slopes[item] = (slopes[item] - along) / divisor;
                row[item] *= divisor;
                inner[item] += slopes[item] * row[item];
            }
        }
        for (int64_t item = 0; item < size; item++)
            if (columns[item] < FLOOR)
                inner[item] = 0.0;
        for (int64_t rank = 0; rank < size; rank++) {
            double *row = matrix + rank * size, *slopes = back + rank * size;
            for (int64_t item = 0; item < size; item++) {
                double divisor = divisor_of(columns[item]);
                slopes[item] = (slopes[item] - inner[item]) / divisor;
                row[item] *= divisor;
            }
        }
    }
}

static double sign_of(double value)
{
    if (value > 0.0)
        return 1.0;
    return value < 0.0 ? -1.0 : value * 0.0;
}

/* Add to `slopes` those in the scores, from those in the relaxed sort. */
static void go_back_through_sort(const double *scores, const double *relaxed, const double *back,
                                 int64_t size, double temperature, double *in_away, double *slopes)
{
    for (int64_t item = 0; item < size; item++)
        in_away[item] = 0.0;
    for (int64_t rank = 0; rank < size; rank++) {
        const double *shares = relaxed + rank * size, *own = back + rank * size;
        double along = 0.0;
        for (int64_t item = 0; item < size; item++)
            along += own[item] * shares[item];
        for (int64_t item = 0; item < size; item++) {
            double slope = shares[item] * (own[item] - along) / temperature;
            slopes[item] += (double)(size - 1 - 2 * rank) * slope;
            in_away[item] -= slope;
        }
    }
    for (int64_t item = 0; item < size; item++)
        for (int64_t other = 0; other < size; other++)
            slopes[item] +=
                sign_of(scores[item] - scores[other]) * (in_away[item] + in_away[other]);
}

/* `room` has 3 n^2 + (2 scalings + 1) n numbers for a query of n documents. */
static double relaxed_gain(const double *scores, const double *gains, const double *discounts,
                           int64_t size, double temperature, int64_t scalings, double tolerance,
                           double *room, double *slopes)
{
    double *relaxed = room, *scaled = relaxed + size * size, *back = scaled + size * size;
    double *spare = back + size * size, *sums = spare + size;
    sort_relaxed(scores, size, temperature, spare, relaxed);
    for (int64_t cell = 0; cell < size * size; cell++)
        scaled[cell] = relaxed[cell];
    int64_t done = scale(scaled, sums, size, scalings, tolerance);
    double total = 0.0;
    for (int64_t rank = 0; rank < size; rank++)
        for (int64_t item = 0; item < size; item++) {
            back[rank * size + item] = discounts[rank] * gains[item];
            total += scaled[rank * size + item] * back[rank * size + item];
        }
    unscale(scaled, back, sums, size, done, spare);
    go_back_through_sort(scores, relaxed, back, size, temperature, spare, slopes);
    return total;
}

static int has_gain(const double *gains, int64_t size)
{
    for (int64_t item = 0; item < size; item++)
        if (gains[item] > 0.0)
            return 1;
    return 0;
}

/* `away` has as many numbers as there are scores, `found` their square. */
RANKWISE_API void rankwise_relaxed_sort(const double *scores, int64_t size, double temperature,
                                        double *away, double *found)
{
    sort_relaxed(scores, size, temperature, away, found);
}

/* sum_q sum_r d_r sum_i P_ri g_i; its slopes in the scores go into `slopes`. `room` is for the
   longest query; NaN where the offsets do not rise within the documents, or a query is longer than
   `longest`, of which there are as many discounts. */
RANKWISE_API double rankwise_relaxed_gains(
    const double *scores, const double *gains, const double *discounts,
    const int64_t *query_offsets, int64_t queries, int64_t documents, int64_t longest,
    double temperature, int64_t scalings, double tolerance, double *room, double *slopes)
{
    double total = 0.0;
    for (int64_t query = 0; query < queries; query++) {
        int64_t first = query_offsets[query], last = query_offsets[query + 1];
        if (first < 0 || last < first || last > documents || last - first > longest)
            return NAN;
        for (int64_t row = first; row < last; row++)
            slopes[row] = 0.0;
        if (has_gain(gains + first, last - first))
            total += relaxed_gain(scores + first, gains + first, discounts, last - first,
                                  temperature, scalings, tolerance, room, slopes + first);
    }
    return total;
}
