/* A dense simplex method for many linear programs that share their constraints.

   The tableau is condensed: a row for each basic variable, a column for each other one, the limits
   in the last column and the reduced costs in the last row. Variables 0 ... columns - 1 are those
   of x, the others the slacks of the rows. */
#include "core.h"

#include <math.h>

enum { OPTIMAL = 0, UNBOUNDED = 1, UNFINISHED = 2, INFEASIBLE = 3 };

/* A reduced cost or a limit below this is rounding; data are scaled to 1 before they come here. */
static const double ZERO = 1e-11;
/* A pivot must be larger: dividing by less would make weights out of rounding. */
static const double SMALLEST_PIVOT = 1e-8;
/* Ratios that differ by less are tied. */
static const double TIED = 1e-10;
/* After so many steps without gain the lowest index decides, which cannot run in circles. */
static const int64_t STALLED = 30;
/* Rounding adds up over exchanges; after so many the tableau is made anew from the data. */
static const int64_t EXCHANGES_KEPT = 400;
/* How far a solution may miss a constraint, or the dual one, before it is solved anew. */
static const double ALLOWED = 1e-9;

typedef struct {
    double *cells;
    int64_t *basic, *other;
    int64_t rows, columns;
} Tableau;

/* matrix x <= limits, x >= 0, and where it is solved. */
typedef struct {
    const double *matrix, *limits;
    Tableau tableau;
    double *turned, *spare;
} Region;

static double *row_of(const Tableau *tableau, int64_t row)
{
    return tableau->cells + row * (tableau->columns + 1);
}

static double product(const double *one, const double *other, int64_t length)
{
    double total = 0.0;
    for (int64_t j = 0; j < length; j++)
        total += one[j] * other[j];
    return total;
}

static double not_negative(double value)
{
    return value > 0.0 ? value : 0.0;
}

/* The column of the largest reduced cost, or the variable of the lowest number; -1: none. */
static int64_t entering(const Tableau *tableau, int lowest)
{
    const double *costs = row_of(tableau, tableau->rows);
    int64_t found = -1;
    double highest = ZERO;
    for (int64_t j = 0; j < tableau->columns; j++) {
        if (lowest) {
            if (costs[j] > ZERO && (found < 0 || tableau->other[j] < tableau->other[found]))
                found = j;
        } else if (costs[j] > highest) {
            found = j;
            highest = costs[j];
        }
    }
    return found;
}

/* The row whose limit is met first; the largest pivot among ties, or the lowest number. */
static int64_t leaving(const Tableau *tableau, int64_t column, int lowest)
{
    int64_t columns = tableau->columns;
    double nearest = INFINITY;
    for (int64_t i = 0; i < tableau->rows; i++) {
        const double *row = row_of(tableau, i);
        if (row[column] > SMALLEST_PIVOT && row[columns] < nearest * row[column])
            nearest = row[columns] / row[column];
    }
    int64_t found = -1;
    for (int64_t i = 0; i < tableau->rows; i++) {
        const double *row = row_of(tableau, i);
        double pivot = row[column];
        if (!(pivot > SMALLEST_PIVOT && row[columns] <= (nearest + TIED) * pivot))
            continue;
        if (found < 0)
            found = i;
        else if (lowest ? tableau->basic[i] < tableau->basic[found]
                        : pivot > row_of(tableau, found)[column])
            found = i;
    }
    return found;
}

/* Let the variable of `column` take the place of that of `row`. */
static void exchange(const Tableau *tableau, int64_t row, int64_t column)
{
    int64_t width = tableau->columns + 1;
    double *restrict own = row_of(tableau, row);
    double inverse = 1.0 / own[column];
    for (int64_t j = 0; j < width; j++)
        own[j] *= inverse;
    own[column] = inverse;
    for (int64_t i = 0; i <= tableau->rows; i++) {
        double *restrict cells = row_of(tableau, i);
        double factor = cells[column];
        if (i == row || factor == 0.0)
            continue;
        cells[column] = 0.0;
        for (int64_t j = 0; j < width; j++)
            cells[j] -= factor * own[j];
        /* Rounding must not make a limit negative; the sum of costs in the last row may be. */
        if (i < tableau->rows && -ALLOWED < cells[width - 1] && cells[width - 1] < 0.0)
            cells[width - 1] = 0.0;
    }
    int64_t kept = tableau->basic[row];
    tableau->basic[row] = tableau->other[column];
    tableau->other[column] = kept;
}

/* Exchange variables until no reduced cost is positive. Adds to `exchanges`, returns the status. */
static int64_t maximise(const Tableau *tableau, int64_t *exchanges)
{
    int64_t most = 50 * (tableau->rows + tableau->columns) + 1000, stalled = 0;
    for (int64_t step = 0; step < most; step++) {
        int64_t column = entering(tableau, stalled >= STALLED);
        int64_t row = column < 0 ? -1 : leaving(tableau, column, stalled >= STALLED);
        double *costs = row_of(tableau, tableau->rows);
        if (column < 0 || (row < 0 && costs[column] > SMALLEST_PIVOT)) {
            *exchanges += step;
            return column < 0 ? OPTIMAL : UNBOUNDED;
        }
        if (row < 0) {
            /* A gain of rounding along a column of rounding: there is nothing to be had. */
            costs[column] = 0.0;
            continue;
        }
        const double *own = row_of(tableau, row);
        stalled = own[tableau->columns] <= ZERO * own[column] ? stalled + 1 : 0;
        exchange(tableau, row, column);
    }
    *exchanges += most;
    return UNFINISHED;
}

/* Minus the transpose: rows become columns, limits become costs. */
static void turn(const Tableau *tableau, const Tableau *turned)
{
    for (int64_t i = 0; i <= tableau->rows; i++)
        for (int64_t j = 0; j <= tableau->columns; j++)
            row_of(turned, j)[i] = -row_of(tableau, i)[j];
}

/* The tableau of a point that keeps all limits: 0, or where a limit is negative, a corner.

   The corner is that of the smallest sum of x: minus this sum is the objective of a tableau that
   the dual simplex method can begin with, which is the primal one on the tableau turned over. */
static int64_t start(const Region *region, int64_t *exchanges)
{
    const Tableau *tableau = &region->tableau;
    int64_t rows = tableau->rows, columns = tableau->columns;
    int feasible = 1;
    for (int64_t i = 0; i < rows; i++) {
        double *cells = row_of(tableau, i);
        tableau->basic[i] = columns + i;
        for (int64_t j = 0; j < columns; j++)
            cells[j] = region->matrix[i * columns + j];
        cells[columns] = region->limits[i];
        feasible = feasible && region->limits[i] >= 0.0;
    }
    for (int64_t j = 0; j < columns; j++) {
        tableau->other[j] = j;
        row_of(tableau, rows)[j] = -1.0;
    }
    row_of(tableau, rows)[columns] = 0.0;
    if (feasible)
        return OPTIMAL;
    Tableau turned = {region->turned, tableau->other, tableau->basic, columns, rows};
    turn(tableau, &turned);
    int64_t status = maximise(&turned, exchanges);
    turn(&turned, tableau);
    for (int64_t i = 0; i < rows; i++)
        row_of(tableau, i)[columns] = not_negative(row_of(tableau, i)[columns]);
    return status == UNBOUNDED ? INFEASIBLE : status;
}

/* The reduced costs of `objective` at the present corner. */
static void set_objective(const Tableau *tableau, const double *objective)
{
    int64_t rows = tableau->rows, columns = tableau->columns;
    double *restrict costs = row_of(tableau, rows);
    for (int64_t j = 0; j < columns; j++)
        costs[j] = tableau->other[j] < columns ? objective[tableau->other[j]] : 0.0;
    costs[columns] = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        double weight = tableau->basic[i] < columns ? objective[tableau->basic[i]] : 0.0;
        const double *restrict own = row_of(tableau, i);
        if (weight != 0.0)
            for (int64_t j = 0; j <= columns; j++)
                costs[j] -= weight * own[j];
    }
}

/* The corner, with the rounding of the tableau taken out once.

   A row whose slack is no basic variable holds with equality; what it misses, computed from the
   data, times its column of the tableau is what the basic variables are off by. */
static void find_solution(const Region *region, double *solution)
{
    const Tableau *tableau = &region->tableau;
    int64_t rows = tableau->rows, columns = tableau->columns;
    double *missed = region->spare;
    for (int64_t j = 0; j < columns; j++)
        solution[j] = 0.0;
    for (int64_t i = 0; i < rows; i++)
        if (tableau->basic[i] < columns)
            solution[tableau->basic[i]] = row_of(tableau, i)[columns];
    for (int64_t j = 0; j < columns; j++) {
        int64_t row = tableau->other[j] - columns;
        missed[j] = 0.0;
        if (row >= 0)
            missed[j] = region->limits[row]
                        - product(region->matrix + row * columns, solution, columns);
    }
    for (int64_t i = 0; i < rows; i++)
        if (tableau->basic[i] < columns) {
            double *own = solution + tableau->basic[i];
            *own = not_negative(*own + product(missed, row_of(tableau, i), columns));
        }
}

/* Whether the solution and its prices keep their constraints, computed from the data. */
static int holds(const Region *region, const double *objective, const double *solution)
{
    const Tableau *tableau = &region->tableau;
    int64_t rows = tableau->rows, columns = tableau->columns;
    double *missing = region->spare;
    double allowed = ALLOWED;
    for (int64_t j = 0; j < columns; j++) {
        missing[j] = objective[j];
        /* A sum with weights in the millions is itself only known to some 1e-16 of them a term;
           weights beyond that are not believed. */
        double own = 1e-14 * solution[j];
        own = 100.0 * ALLOWED < own ? 100.0 * ALLOWED : own;
        allowed = own > allowed ? own : allowed;
    }
    for (int64_t i = 0; i < rows; i++)
        if (product(region->matrix + i * columns, solution, columns) > region->limits[i] + allowed)
            return 0;
    double worth = 0.0;
    for (int64_t j = 0; j < columns; j++) {
        int64_t row = tableau->other[j] - columns;
        if (row < 0)
            continue;
        double price = not_negative(-row_of(tableau, rows)[j]);
        worth += price * region->limits[row];
        for (int64_t feature = 0; feature < columns; feature++)
            missing[feature] -= price * region->matrix[row * columns + feature];
    }
    for (int64_t j = 0; j < columns; j++)
        if (missing[j] > ALLOWED)
            return 0;
    return fabs(worth - product(objective, solution, columns)) <= allowed;
}

/* From the present corner; whether the solution is one. */
static int solve(const Region *region, const double *objective, double *solution,
                 int64_t *exchanges)
{
    set_objective(&region->tableau, objective);
    int64_t status = maximise(&region->tableau, exchanges);
    find_solution(region, solution);
    return status == OPTIMAL && holds(region, objective, solution);
}

typedef struct {
    const double *objectives, *bounds;
    double *values, *solutions;
    int64_t *homes;
    int64_t count, columns;
} Family;

/* Program k has the solution of `home`, where its objective is `value`. */
static void lend(const Family *family, int64_t home, int64_t k, double value)
{
    int64_t columns = family->columns;
    family->values[k] = value;
    family->homes[k] = home;
    for (int64_t j = 0; j < columns; j++)
        family->solutions[k * columns + j] = family->solutions[home * columns + j];
}

static int are_same(const double *one, const double *other, int64_t length)
{
    int64_t j = 0;
    while (j < length && one[j] == other[j])
        j++;
    return j == length;
}

/* Take the solution of an earlier program with the same objective, if there is one. */
static int is_borrowed(const Family *family, int64_t k)
{
    int64_t columns = family->columns;
    const double *own = family->objectives + k * columns;
    for (int64_t earlier = 0; earlier < k; earlier++)
        if (family->homes[earlier] == earlier
            && are_same(family->objectives + earlier * columns, own, columns)) {
            lend(family, earlier, k, family->values[earlier]);
            return 1;
        }
    return 0;
}

/* Give the solution to all programs for which it reaches the bound. */
static void share(const Family *family, int64_t home)
{
    int64_t columns = family->columns;
    const double *solution = family->solutions + home * columns;
    for (int64_t k = 0; k < family->count; k++)
        if (family->homes[k] == -1) {
            double value = product(family->objectives + k * columns, solution, columns);
            if (value >= family->bounds[k] - ZERO)
                lend(family, home, k, value);
        }
}

static Region make_region(const double *matrix, const double *limits, int64_t rows,
                          int64_t columns, double *room, int64_t *places)
{
    int64_t cells = (rows + 1) * (columns + 1);
    Tableau tableau = {room, places, places + rows, rows, columns};
    return (Region){matrix, limits, tableau, room + cells, room + 2 * cells};
}

/* `room` has 2 (rows + 1) (columns + 1) + columns numbers, `places` has rows + columns. `counts`
   becomes the programs solved, the exchanges made and the programs solved a second time. */
RANKWISE_API int64_t rankwise_solve_family(
    const double *matrix, const double *limits, int64_t rows, int64_t columns,
    const double *objectives, const double *bounds, int64_t count, double *values,
    double *solutions, int64_t *homes, double *room, int64_t *places, int64_t *counts)
{
    Region region = make_region(matrix, limits, rows, columns, room, places);
    Family family = {objectives, bounds, values, solutions, homes, count, columns};
    int64_t since = EXCHANGES_KEPT;
    counts[0] = counts[1] = counts[2] = 0;
    for (int64_t k = 0; k < count; k++) {
        const double *objective = objectives + k * columns;
        double *solution = solutions + k * columns;
        if (homes[k] != -1 || is_borrowed(&family, k))
            continue;
        if (since >= EXCHANGES_KEPT) {
            int64_t status = start(&region, &counts[1]);
            since = 0;
            if (status != OPTIMAL)
                return status;
        }
        int64_t before = counts[1];
        int solved = solve(&region, objective, solution, &counts[1]);
        since += counts[1] - before;
        if (!solved) {
            counts[2]++;
            start(&region, &counts[1]);
            before = counts[1];
            solved = solve(&region, objective, solution, &counts[1]);
            since = solved ? counts[1] - before : EXCHANGES_KEPT;
        }
        if (!solved)
            continue;
        counts[0]++;
        values[k] = product(objective, solution, columns);
        homes[k] = k;
        share(&family, k);
    }
    return OPTIMAL;
}

/* Room as above. `duals` are the prices of the rows. */
RANKWISE_API int64_t rankwise_solve_one(
    const double *matrix, const double *limits, int64_t rows, int64_t columns,
    const double *objective, double *solution, double *duals, double *room, int64_t *places,
    int64_t *exchanges)
{
    Region region = make_region(matrix, limits, rows, columns, room, places);
    const Tableau *tableau = &region.tableau;
    exchanges[0] = 0;
    int64_t status = start(&region, exchanges);
    if (status != OPTIMAL)
        return status;
    set_objective(tableau, objective);
    status = maximise(tableau, exchanges);
    find_solution(&region, solution);
    for (int64_t i = 0; i < rows; i++)
        duals[i] = 0.0;
    for (int64_t j = 0; j < columns; j++)
        if (tableau->other[j] >= columns)
            duals[tableau->other[j] - columns] = not_negative(-row_of(tableau, rows)[j]);
    return status;
}
