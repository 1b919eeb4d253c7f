/* Places of query words in stretches of tokens, which come from files. */
#include "core.h"

/* How often each of `terms` stands in each stretch of tokens: (stretches, terms), added up; -1 where
   a stretch lies outside the tokens. */
RANKWISE_API int64_t rankwise_count_places(const int32_t *tokens, int64_t n_tokens,
                                           const int64_t *begins, const int64_t *ends,
                                           int64_t stretches, const int64_t *terms, int64_t n_terms,
                                           int64_t *counts)
{
    for (int64_t stretch = 0; stretch < stretches; stretch++) {
        if (begins[stretch] < 0 || ends[stretch] > n_tokens)
            return -1;
        for (int64_t place = begins[stretch]; place < ends[stretch]; place++)
            for (int64_t number = 0; number < n_terms; number++)
                if (tokens[place] == terms[number])
                    counts[stretch * n_terms + number]++;
    }
    return 0;
}

/* Where each of `terms` stands in each stretch of tokens, from 0; next_place[cell] is where the
   places of the cell begin, of which there are as many as have been counted. */
RANKWISE_API void rankwise_fill_places(const int32_t *tokens, const int64_t *begins,
                                       const int64_t *ends, int64_t stretches,
                                       const int64_t *terms, int64_t n_terms, int64_t *next_place,
                                       int64_t *places)
{
    for (int64_t stretch = 0; stretch < stretches; stretch++)
        for (int64_t place = begins[stretch]; place < ends[stretch]; place++)
            for (int64_t number = 0; number < n_terms; number++)
                if (tokens[place] == terms[number])
                    places[next_place[stretch * n_terms + number]++] = place - begins[stretch];
}
