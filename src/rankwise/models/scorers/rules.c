/* Confidences of association rules that rows contain, declared in rules.py. */
#include "core.h"

static void add_rules(const uint8_t *left, const uint8_t *right, const int64_t *grades,
                      int64_t known, int64_t n_grades, int64_t bins, const uint8_t *row_left,
                      const uint8_t *row_right, int64_t rows, double least_support,
                      double least_confidence, double *cells, double *sums, int64_t *numbers)
{
    int64_t size = (right == NULL ? bins : bins * bins) * n_grades;
    for (int64_t cell = 0; cell < size; cell++)
        cells[cell] = 0.0;
    for (int64_t row = 0; row < known; row++) {
        int64_t items = right == NULL ? left[row] : left[row] * bins + right[row];
        cells[items * n_grades + grades[row]] += 1.0;
    }
    for (int64_t first = 0; first < size; first += n_grades) {
        double total = 0.0;
        for (int64_t grade = 0; grade < n_grades; grade++)
            total += cells[first + grade];
        for (int64_t grade = 0; grade < n_grades; grade++) {
            double count = cells[first + grade];
            int rule = count >= least_support && count >= 1.0 && count >= least_confidence * total;
            cells[first + grade] = rule ? count / total : -1.0;
        }
    }
    for (int64_t row = 0; row < rows; row++) {
        int64_t items = right == NULL ? row_left[row] : row_left[row] * bins + row_right[row];
        const double *found = cells + items * n_grades;
        for (int64_t grade = 0; grade < n_grades; grade++) {
            if (found[grade] > 0.0) {
                sums[row * n_grades + grade] += found[grade];
                numbers[row * n_grades + grade] += 1;
            }
        }
    }
}

/* Codes are (features, known) and (features, rows), below `bins`; grades lie below `n_grades`.
   Adds the confidence of every rule of one item, and of two items of features that are `paired`,
   to the sums (rows, n_grades) of the rows that contain it, and counts it in `numbers`. `cells` has
   room for bins * bins * n_grades. Returns -1 where a code or a grade lies outside. */
RANKWISE_API int64_t rankwise_add_rules(const uint8_t *codes, const int64_t *grades, int64_t known,
                                        int64_t n_grades, int64_t bins, const uint8_t *row_codes,
                                        int64_t rows, int64_t features, const uint8_t *paired,
                                        double least_support, double least_confidence,
                                        double *cells, double *sums, int64_t *numbers)
{
    for (int64_t row = 0; row < known; row++)
        if (grades[row] < 0 || grades[row] >= n_grades)
            return -1;
    for (int64_t place = 0; place < features * known; place++)
        if (codes[place] >= bins)
            return -1;
    for (int64_t place = 0; place < features * rows; place++)
        if (row_codes[place] >= bins)
            return -1;
    for (int64_t one = 0; one < features; one++) {
        add_rules(codes + one * known, NULL, grades, known, n_grades, bins, row_codes + one * rows,
                  NULL, rows, least_support, least_confidence, cells, sums, numbers);
        for (int64_t other = 0; other < one; other++)
            if (paired[one] && paired[other])
                add_rules(codes + one * known, codes + other * known, grades, known, n_grades,
                          bins, row_codes + one * rows, row_codes + other * rows, rows,
                          least_support, least_confidence, cells, sums, numbers);
    }
    return 0;
}

/* shared (rows, known): how many of the features, whose codes are (features, rows) and
   (features, known), have the same code. */
RANKWISE_API void rankwise_count_shared(const uint8_t *row_codes, int64_t rows,
                                        const uint8_t *codes, int64_t known, int64_t features,
                                        int64_t *shared)
{
    for (int64_t row = 0; row < rows; row++) {
        int64_t *counts = shared + row * known;
        for (int64_t other = 0; other < known; other++)
            counts[other] = 0;
        for (int64_t feature = 0; feature < features; feature++) {
            uint8_t code = row_codes[feature * rows + row];
            const uint8_t *column = codes + feature * known;
            for (int64_t other = 0; other < known; other++)
                counts[other] += column[other] == code;
        }
    }
}
