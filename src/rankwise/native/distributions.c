/* Tails and quantiles of the distributions that tests of significance need, declared in
   distributions.py. Tails keep their relative precision down to the smallest numbers: powers and
   products that many roundings would go into are carried with twice the digits (Dekker, 1971, A
   floating-point technique for extending the available precision, Numerische Mathematik 18). */
#include "core.h"

#include <float.h>
#include <math.h>

static const double ROOT_OF_PI = 1.7724538509055160273;
static const double ROOT_OF_TWO_PI = 2.5066282746310005024;
/* √½ in two parts. */
static const double ROOT_OF_HALF = 0.70710678118654752440, ROOT_OF_HALF_REST = -4.8336466567264567e-17;

enum { MOST_STEPS = 20000 };

/* A number as the sum of two: the second one holds what the first has no digits for. */
typedef struct {
    double high, low;
} Twofold;

static Twofold normalized(double high, double low)
{
    double sum = high + low;
    return (Twofold){sum, low - (sum - high)};
}

static Twofold product_of(double a, double b)
{
    double product = a * b;
    return (Twofold){product, fma(a, b, -product)};
}

static Twofold times(Twofold a, Twofold b)
{
    Twofold product = product_of(a.high, b.high);
    return normalized(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static Twofold over(Twofold a, Twofold b)
{
    double quotient = a.high / b.high;
    Twofold back = product_of(quotient, b.high);
    double rest = ((a.high - back.high) - back.low) + a.low - quotient * b.low;
    return normalized(quotient, rest / b.high);
}

static Twofold square_root(Twofold a)
{
    double root = sqrt(a.high);
    Twofold back = product_of(root, root);
    double rest = ((a.high - back.high) - back.low) + a.low;
    return normalized(root, rest / (2.0 * root));
}

/* a to the power n, by squaring. */
static double power(Twofold a, int64_t n)
{
    Twofold result = {1.0, 0.0};
    for (; n > 0; n /= 2) {
        if (n % 2)
            result = times(result, a);
        a = times(a, a);
    }
    return result.high;
}

/* Γ(f/2 + ½) / Γ(f/2 + 1): a product of rationals for small f, else the first terms of the
   expansion in powers of 1 / (f/2 + ¼)², whose error is below the last digit from f = 100 on. */
static double gamma_ratio(int64_t f)
{
    if (f < 100) {
        double ratio = f % 2 ? 2.0 / ROOT_OF_PI : ROOT_OF_PI;
        for (int64_t g = f % 2 + 2; g <= f; g += 2)
            ratio *= (double)(g - 1) / (double)g;
        return ratio;
    }
    double z = 0.5 * (double)f + 0.25, w = 1.0 / (z * z);
    return (1.0 + w * (-1.0 / 64.0 + w * (21.0 / 8192.0 - w * (671.0 / 524288.0)))) / sqrt(z);
}

/* I_x(a, b) · a B(a, b) / (x^a y^b), y = 1 - x: the even part of the continued fraction DLMF
   8.17.22, written with a y - b x, which must not be negative, so that nothing cancels; by Lentz's
   method. */
static double beta_fraction(double a, double b, double x, double y)
{
    double ahead = a * y - b * x;
    double whole = a * (ahead + 1.0) / (a + 1.0), c = whole, d = 0.0;
    for (double n = 1.0; n < MOST_STEPS; n += 1.0) {
        double odd = a + 2.0 * n - 1.0;
        double above = (a + n - 1.0) * (a + b + n - 1.0) * n * (b - n) * (x / odd) * (x / odd);
        double below = n + n * (b - n) * x / odd +
                       (a + n) * (ahead + 1.0 + n * (1.0 + y)) / (a + 2.0 * n + 1.0);
        d = 1.0 / (below + above * d);
        c = below + above / c;
        whole *= c * d;
        if (fabs(c * d - 1.0) <= DBL_EPSILON)
            break;
    }
    return a / whole;
}

/* Student's distribution at t ≥ 0 with f degrees of freedom: what lies beyond t, what lies between
   0 and t, and t times the density. */
typedef struct {
    double tail, centre, slope;
} Student;

static Student student_at(int64_t f, double t)
{
    if (isinf(t))
        return (Student){0.0, 0.5, 0.0};
    Twofold freedom = {(double)f, 0.0}, root, square = product_of(t, t);
    double x, y; /* f / (f + t²) and the rest of 1 */
    if (t < 1e100) {
        double sum = square.high + freedom.high, part = sum - square.high;
        double rest = (square.high - (sum - part)) + (freedom.high - part) + square.low;
        Twofold ratio = over(freedom, normalized(sum, rest));
        root = square_root(ratio);
        x = ratio.high;
        y = square.high / sum;
    } else {
        root = over(square_root(freedom), (Twofold){t, 0.0});
        x = 0.0;
        y = 1.0;
    }
    double a = 0.5 * (double)f;
    double front = power(root, f) * sqrt(y) * gamma_ratio(f) / ROOT_OF_PI;
    if (t >= 1.0) {
        double tail = 0.5 * front * beta_fraction(a, 0.5, x, y);
        return (Student){tail, 0.5 - tail, front * a};
    }
    double centre = front * a * beta_fraction(0.5, a, y, x);
    return (Student){0.5 - centre, centre, front * a};
}

/* P(T > t) for f ≥ 1. */
RANKWISE_API double rankwise_student_tail(int64_t f, double t)
{
    if (isnan(t) || f < 1)
        return NAN;
    Student found = student_at(f, fabs(t));
    return t >= 0.0 ? found.tail : 0.5 + found.centre;
}

/* P(Z > z). */
RANKWISE_API double rankwise_normal_tail(double z)
{
    double scaled = z * ROOT_OF_HALF;
    double rest = fma(z, ROOT_OF_HALF, -scaled) + z * ROOT_OF_HALF_REST;
    if (isinf(z))
        return z > 0.0 ? 0.0 : 1.0;
    return 0.5 * erfc(scaled) - exp(-scaled * scaled) / ROOT_OF_PI * rest;
}

/* The z ≥ 0 with P(Z > z) = tail ≤ ½. The logarithm of the tail is nearly a parabola, and Newton's
   steps on it end in a few; near the middle the mass between 0 and z is what has all digits. */
static double normal_upper(double tail)
{
    double z = tail < 0.25 ? sqrt(-2.0 * log(2.0 * tail)) : (0.5 - tail) * ROOT_OF_TWO_PI;
    for (int step = 0; step < 60; step++) {
        double density = exp(-0.5 * z * z) / ROOT_OF_TWO_PI, beyond = rankwise_normal_tail(z);
        double by = tail < 0.25 ? log(beyond / tail) * beyond / density
                                : (0.5 - tail - 0.5 * erf(z * ROOT_OF_HALF)) / density;
        z += by;
        if (!(fabs(by) > DBL_EPSILON * z))
            break;
    }
    return z;
}

/* The z with P(Z ≤ z) = p. */
RANKWISE_API double rankwise_normal_quantile(double p)
{
    if (!(p >= 0.0 && p <= 1.0))
        return NAN;
    if (p == 0.0 || p == 1.0)
        return p == 0.0 ? -INFINITY : INFINITY;
    return p < 0.5 ? -normal_upper(p) : normal_upper(1.0 - p);
}

/* The t ≥ 0 with P(T > t) = tail ≤ ½. Student's tail is the heavier one and convex, the mass
   between 0 and t concave: Newton's steps from the normal quantile never pass the goal. */
static double student_upper(int64_t f, double tail)
{
    double t = normal_upper(tail);
    for (int step = 0; step < MOST_STEPS && t > 0.0; step++) {
        Student here = student_at(f, t);
        double missed = tail < 0.25 ? here.tail - tail : 0.5 - tail - here.centre;
        double by = t * (missed / here.slope);
        t += by;
        if (!(fabs(by) > DBL_EPSILON * t))
            break;
    }
    return t;
}

/* The t with P(T ≤ t) = p, for f ≥ 1. */
RANKWISE_API double rankwise_student_quantile(int64_t f, double p)
{
    if (!(p >= 0.0 && p <= 1.0) || f < 1)
        return NAN;
    if (p == 0.0 || p == 1.0)
        return p == 0.0 ? -INFINITY : INFINITY;
    return p < 0.5 ? -student_upper(f, p) : student_upper(f, 1.0 - p);
}

/* Σ_{i ≤ k} C(n, i) / 2ⁿ for 0 ≤ k ≤ n < 2³⁰: the last term, and the others as parts of it. */
RANKWISE_API double rankwise_fair_coin_tail(int64_t k, int64_t n)
{
    if (k < 0 || k > n || n >= 1 << 30)
        return NAN;
    if (2 * k >= n)
        return k == n ? 1.0 : 1.0 - rankwise_fair_coin_tail(n - k - 1, n);
    Twofold last = {1.0, 0.0};
    int exponent = -(int)n;
    for (int64_t i = 1; i <= k; i++) {
        last = times(last, over((Twofold){(double)(n - i + 1), 0.0}, (Twofold){(double)i, 0.0}));
        if (last.high > 0x1p500) {
            last = (Twofold){last.high * 0x1p-500, last.low * 0x1p-500};
            exponent += 500;
        }
    }
    double sum = 1.0, part = 1.0;
    for (int64_t i = k; i > 0 && part > sum * DBL_EPSILON * 0.01; i--) {
        part *= (double)i / (double)(n - i + 1);
        sum += part;
    }
    return ldexp(last.high * sum, exponent);
}
