/* Loops over the places of query words in documents.

   Cell document * positions + word holds the rising places of one query word in one document:
   places[offsets[cell]] to places[offsets[cell + 1] - 1]. */
#include "core.h"

#include <math.h>

typedef struct {
    const int64_t *offsets, *places;
} cells;

/* Between the nearest places of two cells. */
static double cell_distance(const cells *all, int64_t one, int64_t other)
{
    int64_t i = all->offsets[one], j = all->offsets[other];
    double least = INFINITY;
    while (i < all->offsets[one + 1] && j < all->offsets[other + 1]) {
        int64_t apart = all->places[i] - all->places[j];
        double distance = (double)(apart < 0 ? -apart : apart);
        if (distance < least)
            least = distance;
        if (apart < 0)
            i++;
        else
            j++;
    }
    return least;
}

/* Least and mean over pairs of chosen words that occur of their distance, which is that of their
   nearest places; infinity where there is no pair. `occurring` is room for `words` cells. */
RANKWISE_API void rankwise_pair_distances(const int64_t *offsets, const int64_t *places,
                                          int64_t documents, int64_t positions,
                                          const int64_t *chosen, int64_t words, int64_t *occurring,
                                          double *least, double *mean)
{
    cells all = {offsets, places};
    for (int64_t document = 0; document < documents; document++) {
        int64_t n = 0;
        double total = 0.0;
        least[document] = mean[document] = INFINITY;
        for (int64_t word = 0; word < words; word++) {
            int64_t cell = document * positions + chosen[word];
            if (offsets[cell] < offsets[cell + 1])
                occurring[n++] = cell;
        }
        for (int64_t first = 0; first < n; first++)
            for (int64_t second = first + 1; second < n; second++) {
                double distance = cell_distance(&all, occurring[first], occurring[second]);
                if (distance < least[document])
                    least[document] = distance;
                total += distance;
            }
        if (n > 1)
            mean[document] = total / ((double)(n * (n - 1)) / 2.0);
    }
}

/* Words in the shortest passage with every chosen word that occurs, or 0.

   The passage is found by moving the word that stands first, again and again, to its next place.
   `at` is room for one number a word. */
RANKWISE_API void rankwise_shortest_covers(const int64_t *offsets, const int64_t *places,
                                           int64_t documents, int64_t positions,
                                           const int64_t *chosen, int64_t words, int64_t *at,
                                           int64_t *covers)
{
    for (int64_t document = 0; document < documents; document++) {
        const int64_t *own = offsets + document * positions;
        covers[document] = 0;
        for (int64_t word = 0; word < words; word++)
            at[word] = own[chosen[word]];
        for (int running = 1; running;) {
            int64_t least = -1, low = 0, high = 0;
            for (int64_t word = 0; word < words; word++) {
                if (own[chosen[word]] == own[chosen[word] + 1])
                    continue;
                int64_t place = places[at[word]];
                if (least < 0 || place < low) {
                    least = word;
                    low = place;
                }
                if (place > high)
                    high = place;
            }
            if (least < 0)
                break;
            if (covers[document] == 0 || high - low + 1 < covers[document])
                covers[document] = high - low + 1;
            at[least]++;
            running = at[least] < own[chosen[least] + 1];
        }
    }
}

/* Occurrences of pairs of words at most `farthest` apart, over all given pairs. */
RANKWISE_API void rankwise_near_pairs(const int64_t *offsets, const int64_t *places,
                                      int64_t documents, int64_t positions, const int64_t *pairs,
                                      int64_t n_pairs, int64_t farthest, int64_t ordered,
                                      double *found)
{
    for (int64_t document = 0; document < documents; document++) {
        const int64_t *own = offsets + document * positions;
        found[document] = 0.0;
        for (int64_t pair = 0; pair < n_pairs; pair++) {
            int64_t one = pairs[2 * pair], other = pairs[2 * pair + 1], begin = own[other];
            for (int64_t i = own[one]; i < own[one + 1]; i++) {
                while (begin < own[other + 1] && places[begin] < places[i] - farthest)
                    begin++;
                for (int64_t j = begin; j < own[other + 1] && places[j] <= places[i] + farthest; j++)
                    if (places[j] > places[i] || (places[j] < places[i] && !ordered))
                        found[document] += 1.0;
            }
        }
    }
}
