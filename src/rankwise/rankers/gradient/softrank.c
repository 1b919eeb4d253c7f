/* NDCG expected under random scores: every document's chance of every rank. */
#include "core.h"

#include <math.h>

/* Φ(x), the chance that a standard normal number is below x. */
static double normal_below(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

static double normal_density(double x)
{
    return 0.39894228040143267794 * exp(-0.5 * x * x);
}

/* beats[i * size + j]: the chance that document i scores above j. */
static void fill_chances(const double *scores, int64_t size, double spread, double *beats)
{
    for (int64_t i = 0; i < size; i++) {
        beats[i * size + i] = 0.0;
        for (int64_t j = 0; j < i; j++) {
            double chance = normal_below((scores[i] - scores[j]) / spread);
            beats[i * size + j] = chance;
            beats[j * size + i] = 1.0 - chance;
        }
    }
}

/* The chances of the ranks below `cutoff` of document j, the others joining one by one; ranks
   holds the chances before each of them joins, and at last those of all. */
static void join_documents(const double *beats, int64_t size, int64_t j, int64_t cutoff,
                           double *ranks)
{
    for (int64_t r = 0; r < cutoff; r++)
        ranks[r] = r == 0;
    for (int64_t i = 0; i < size; i++) {
        const double *before = ranks + i * cutoff;
        double *after = ranks + (i + 1) * cutoff;
        double chance = beats[i * size + j];
        after[0] = before[0] * (1.0 - chance);
        for (int64_t r = 1; r < cutoff; r++)
            after[r] = before[r - 1] * chance + before[r] * (1.0 - chance);
    }
}

/* Back through the joins: `worth` holds what each rank is worth, and is changed. */
static void leave_documents(const double *scores, const double *beats, int64_t size, int64_t j,
                            int64_t cutoff, double spread, double gain, const double *ranks,
                            double *worth, double *slopes)
{
    for (int64_t i = size - 1; i >= 0; i--) {
        const double *before = ranks + i * cutoff;
        double chance = beats[i * size + j];
        double slope = 0.0;
        for (int64_t r = 0; r < cutoff; r++) {
            double next = r + 1 < cutoff ? worth[r + 1] : 0.0;
            slope += before[r] * (next - worth[r]);
            worth[r] = chance * next + (1.0 - chance) * worth[r];
        }
        if (i == j)
            continue;
        slope *= gain * normal_density((scores[i] - scores[j]) / spread) / spread;
        slopes[i] += slope;
        slopes[j] -= slope;
    }
}

/* Σ_q Σ_j g_j Σ_r d(r) p_j(r), p_j(r) the chance that document j has rank r when every score is
   normal around its mean; `spread` is the deviation of the difference of two. Slopes in the means
   are added to `slopes`. Room: beats for the square of the longest query, ranks for its length and
   one, times cutoff, worth for cutoff. */
RANKWISE_API double rankwise_expected_gains(const double *scores, const int64_t *query_offsets,
                                            int64_t queries, const double *gains,
                                            const double *discounts, int64_t cutoff, double spread,
                                            double *beats, double *ranks, double *worth,
                                            double *slopes)
{
    double total = 0.0;
    for (int64_t query = 0; query < queries; query++) {
        int64_t first = query_offsets[query];
        int64_t size = query_offsets[query + 1] - first;
        fill_chances(scores + first, size, spread, beats);
        for (int64_t j = 0; j < size; j++) {
            double gain = gains[first + j];
            if (gain == 0.0)
                continue;
            join_documents(beats, size, j, cutoff, ranks);
            double value = 0.0;
            for (int64_t r = 0; r < cutoff; r++) {
                value += discounts[r] * ranks[size * cutoff + r];
                worth[r] = discounts[r];
            }
            total += gain * value;
            leave_documents(scores + first, beats, size, j, cutoff, spread, gain, ranks, worth,
                            slopes + first);
        }
    }
    return total;
}
