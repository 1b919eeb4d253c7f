/* The error on left-out queries of least squares with one more feature, without solving anew.

   With the features S chosen so far as the columns of X, all rows weighted and counted from their
   means in the query, G = (X X' + mu I)^-1 is never written out; kept are C = G F for all features
   F, a = G y, and, with G_q its block of the rows of query q, D_q = G_q^-1 C_q and p_q = G_q^-1 a_q.
   p_q are the errors that the function learned from all other queries makes on q. */
#include "core.h"

/* totals: sum_q |p_q|^2 after feature j has been added, for every j, in one pass over the rows.

   With u = C_j, delta = 1 + F_j' u and g = D_qj, adding j makes p_q to p_q + kappa g, where
   kappa = (u_q' p_q - F_j' a) / (delta - u_q' g). `room` holds six numbers for each feature. */
RANKWISE_API RANKWISE_WIDE void rankwise_candidate_errors(const double *features, const double *products,
                                            const double *inverse_products, const double *solved,
                                            const double *errors, int64_t width,
                                            const int64_t *offsets, int64_t queries, double *room,
                                            double *totals)
{
    double *growth = room, *shares = room + width, *missed = room + 2 * width;
    double *own = room + 3 * width, *along = room + 4 * width, *squares = room + 5 * width;
    double known = 0.0;
    for (int64_t j = 0; j < width; j++) {
        growth[j] = 1.0;
        shares[j] = totals[j] = 0.0;
    }
    for (int64_t row = 0; row < offsets[queries]; row++)
        for (int64_t j = 0; j < width; j++) {
            growth[j] += features[row * width + j] * products[row * width + j];
            shares[j] += features[row * width + j] * solved[row];
        }
    for (int64_t query = 0; query < queries; query++) {
        for (int64_t j = 0; j < width; j++)
            missed[j] = own[j] = along[j] = squares[j] = 0.0;
        for (int64_t row = offsets[query]; row < offsets[query + 1]; row++) {
            known += errors[row] * errors[row];
            for (int64_t j = 0; j < width; j++) {
                double product = products[row * width + j];
                double inverse = inverse_products[row * width + j];
                missed[j] += product * errors[row];
                own[j] += product * inverse;
                along[j] += errors[row] * inverse;
                squares[j] += inverse * inverse;
            }
        }
        for (int64_t j = 0; j < width; j++) {
            double step = (missed[j] - shares[j]) / (growth[j] - own[j]);
            totals[j] += step * (2.0 * along[j] + step * squares[j]);
        }
    }
    for (int64_t j = 0; j < width; j++)
        totals[j] += known;
}

/* Bring C, D, a and p up to date in place: two passes over the rows.

   C <- C - u t with t = u' F / delta; D_q <- D_q + g (g' C_q - delta t) / (delta - u_q' g), with C as
   it was. `room` holds two numbers for each feature. */
RANKWISE_API RANKWISE_WIDE void rankwise_add_feature(const double *features, double *products,
                                       double *inverse_products, double *solved, double *errors,
                                       int64_t width, const int64_t *offsets, int64_t queries,
                                       int64_t chosen, double *room)
{
    double *meets = room, *moves = room + width, growth = 1.0, share = 0.0;
    for (int64_t j = 0; j < width; j++)
        meets[j] = 0.0;
    for (int64_t row = 0; row < offsets[queries]; row++) {
        double value = features[row * width + chosen];
        growth += value * products[row * width + chosen];
        share += value * solved[row];
        for (int64_t j = 0; j < width; j++)
            meets[j] += value * products[row * width + j];
    }
    for (int64_t j = 0; j < width; j++)
        meets[j] /= growth;
    for (int64_t query = 0; query < queries; query++) {
        int64_t first = offsets[query], last = offsets[query + 1];
        double own = 0.0, missed = 0.0;
        for (int64_t j = 0; j < width; j++)
            moves[j] = 0.0;
        for (int64_t row = first; row < last; row++) {
            double inverse = inverse_products[row * width + chosen];
            own += products[row * width + chosen] * inverse;
            missed += products[row * width + chosen] * errors[row];
            for (int64_t j = 0; j < width; j++)
                moves[j] += inverse * products[row * width + j];
        }
        double rest = growth - own;
        for (int64_t j = 0; j < width; j++)
            moves[j] = (moves[j] - growth * meets[j]) / rest;
        for (int64_t row = first; row < last; row++) {
            double inverse = inverse_products[row * width + chosen];
            double direction = products[row * width + chosen];
            errors[row] += (missed - share) / rest * inverse;
            solved[row] -= direction * share / growth;
            for (int64_t j = 0; j < width; j++) {
                inverse_products[row * width + j] += inverse * moves[j];
                products[row * width + j] -= direction * meets[j];
            }
        }
    }
}
