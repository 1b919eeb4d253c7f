/* The minimum of a parabola with prices on the size of each weight, one weight after the other. */
#include "core.h"

#include <math.h>

/* The v of least g . (v - w) + 1/2 (v - w) . H(v - w) + sum_j (a_j max(0, v_j) + b_j max(0, -v_j)).

   `weights` begins as w and becomes v, `slopes` begins as g. Each weight in turn takes the value
   that is best while the others stay; sweeps end where no weight would change the gradient by more
   than `slope`. */
RANKWISE_API void rankwise_minimise_model(const double *hessian, int64_t size, const double *rising,
                                          const double *falling, double slope, int64_t sweeps,
                                          double *slopes, double *weights)
{
    for (int64_t sweep = 0; sweep < sweeps; sweep++) {
        double largest = 0.0;
        for (int64_t j = 0; j < size; j++) {
            const double *row = hessian + j * size;
            double bend = row[j], value = 0.0;
            if (bend <= 0.0)
                continue;
            double target = bend * weights[j] - slopes[j];
            if (target > rising[j])
                value = (target - rising[j]) / bend;
            else if (target < -falling[j])
                value = (target + falling[j]) / bend;
            double change = value - weights[j];
            if (change != 0.0) {
                weights[j] = value;
                for (int64_t k = 0; k < size; k++)
                    slopes[k] += change * row[k];
                if (fabs(change) * bend > largest)
                    largest = fabs(change) * bend;
            }
        }
        if (largest <= slope)
            break;
    }
}
