/* The small quadratic program of cutting planes, by sequential minimal optimisation. */
#include "core.h"

static double curvature(const double *products, int64_t size, int64_t one, int64_t other)
{
    double squares = products[one * size + one] + products[other * size + other];
    double found = squares - 2.0 * products[one * size + other], least = 1e-15 * squares + 1e-300;
    /* Equal cuts differ by rounding only; any small positive number lets the step be clipped. */
    return found < least ? least : found;
}

/* The part to take weight from; `widest` is the steepest slope of any exchange with `gainer`. */
static int64_t find_loser(const double *products, int64_t size, const double *gradient,
                          const double *shares, int64_t gainer, double *widest)
{
    int64_t loser = gainer;
    double promised = 0.0;
    *widest = 0.0;
    for (int64_t row = 0; row < size; row++) {
        double slope = gradient[row] - gradient[gainer];
        if (shares[row] > 0.0 && slope > 0.0) {
            if (slope > *widest)
                *widest = slope;
            double fall = slope * slope / curvature(products, size, gainer, row);
            if (fall > promised) {
                promised = fall;
                loser = row;
            }
        }
    }
    return loser;
}

/* Minimise 1/2 a'Qa - b'a over a >= 0, sum a = 1, from the feasible start in `shares`; `gradient`
   begins as -b.

   Each step moves weight from one part to another: to the part of the lowest gradient, from the
   part that promises the largest fall (Fan, Chen, Lin 2005, JMLR 6). Ends where no exchange has a
   slope above the tolerance, which then bounds the distance to the minimum. */
RANKWISE_API void rankwise_simplex_program(const double *products, int64_t size, double tolerance,
                                           int64_t steps, double *gradient, double *shares)
{
    for (int64_t row = 0; row < size; row++)
        if (shares[row] > 0.0)
            for (int64_t column = 0; column < size; column++)
                gradient[column] += products[row * size + column] * shares[row];
    for (int64_t step = 0; step < steps; step++) {
        int64_t gainer = 0;
        for (int64_t row = 1; row < size; row++)
            if (gradient[row] < gradient[gainer])
                gainer = row;
        double widest;
        int64_t loser = find_loser(products, size, gradient, shares, gainer, &widest);
        if (widest <= tolerance)
            break;
        double moved = (gradient[loser] - gradient[gainer])
                       / curvature(products, size, gainer, loser);
        /* The whole share is set to 0, not subtracted: rounding would leave a rest. */
        if (moved < shares[loser]) {
            shares[loser] -= moved;
        } else {
            moved = shares[loser];
            shares[loser] = 0.0;
        }
        shares[gainer] += moved;
        for (int64_t row = 0; row < size; row++)
            gradient[row] += moved * (products[row * size + gainer] - products[row * size + loser]);
    }
    double sum = 0.0;
    for (int64_t row = 0; row < size; row++)
        sum += shares[row];
    for (int64_t row = 0; row < size; row++)
        shares[row] /= sum;
}
