/* Shapley values of features in sums of trees, declared in shapley.py. */
#include "core.h"

#include <math.h>

enum { FROM_NEITHER, FROM_ROW, FROM_REFERENCE };

/* LightGBM's kZeroThreshold, a single precision number, as in trees.c. */
static const double NEARLY_ZERO = 1e-35f;

typedef struct {
    const int64_t *columns, *missing, *missing_left, *left, *right;
    const double *thresholds, *values;
    const double *shares; /* u! v! / (u + v + 1)! at u * (deepest + 1) + v */
    int64_t deepest;
    const double *row, *reference;
    int64_t *marks;                     /* of every feature: whose value it has on this path */
    int64_t *row_path, *reference_path; /* the features that are marked, in their order */
    double *contributions;
} Walk;

static int goes_left(const Walk *walk, int64_t node, double value)
{
    int absent = isnan(value);
    int is_missing = (walk->missing[node] != 0 && absent) ||
                     (walk->missing[node] == 1 && fabs(value) <= NEARLY_ZERO);
    if (is_missing)
        return walk->missing_left[node] == 1;
    return (absent ? 0.0 : value) <= walk->thresholds[node];
}

/* A leaf is reached where all of `own` features have the row's value and all of `other` the
   reference's: the game of being there gives each of the former own^-1 C(own + other, own)^-1, and
   takes as much, with the two exchanged, from each of the latter. */
static void share_leaf(const Walk *walk, double value, int64_t own, int64_t other)
{
    if (own > 0) {
        double share = value * walk->shares[(own - 1) * (walk->deepest + 1) + other];
        for (int64_t k = 0; k < own; k++)
            walk->contributions[walk->row_path[k]] += share;
    }
    if (other > 0) {
        double share = value * walk->shares[own * (walk->deepest + 1) + other - 1];
        for (int64_t k = 0; k < other; k++)
            walk->contributions[walk->reference_path[k]] -= share;
    }
}

/* Both ways are gone only where row and reference part at a feature that is not marked yet. */
static void descend(const Walk *walk, int64_t node, int64_t own, int64_t other)
{
    while (node >= 0) {
        int64_t column = walk->columns[node], mark = walk->marks[column];
        int64_t side[2] = {walk->right[node], walk->left[node]};
        int64_t of_row = side[goes_left(walk, node, walk->row[column])];
        int64_t of_reference = side[goes_left(walk, node, walk->reference[column])];
        if (of_row == of_reference || mark == FROM_ROW) {
            node = of_row;
        } else if (mark == FROM_REFERENCE) {
            node = of_reference;
        } else {
            walk->marks[column] = FROM_ROW;
            walk->row_path[own] = column;
            descend(walk, of_row, own + 1, other);
            walk->marks[column] = FROM_REFERENCE;
            walk->reference_path[other] = column;
            descend(walk, of_reference, own, other + 1);
            walk->marks[column] = FROM_NEITHER;
            return;
        }
    }
    share_leaf(walk, walk->values[-1 - node], own, other);
}

/* Add to contributions[i], of `width` features, those of row i against each reference. The trees
   are sound and no deeper than `deepest`; `marks` are 0, and the paths have room for `deepest`. */
RANKWISE_API void rankwise_tree_contributions(
    const int64_t *columns, const double *thresholds, const int64_t *missing,
    const int64_t *missing_left, const int64_t *left, const int64_t *right, const double *values,
    const int64_t *roots, int64_t trees, const double *shares, int64_t deepest, const double *rows,
    int64_t n_rows, const double *references, int64_t n_references, int64_t width, int64_t *marks,
    int64_t *row_path, int64_t *reference_path, double *contributions)
{
    Walk walk = {columns, missing, missing_left,   left, right, thresholds, values, shares,
                 deepest, NULL,    NULL,           marks, row_path, reference_path, NULL};
    for (int64_t i = 0; i < n_rows; i++)
        for (int64_t k = 0; k < n_references; k++) {
            walk.row = rows + i * width;
            walk.reference = references + k * width;
            walk.contributions = contributions + i * width;
            for (int64_t tree = 0; tree < trees; tree++)
                descend(&walk, roots[tree], 0, 0);
        }
}
