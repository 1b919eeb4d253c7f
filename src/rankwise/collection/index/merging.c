/* Loops of the index: count words, invert documents.

   Tokens and boundaries come from files: stretches outside the tokens, and terms outside the
   vocabulary, end a function with -1. */
#include "core.h"

typedef struct {
    const int32_t *tokens;
    int64_t n_tokens;
    const int64_t *boundaries;
    int64_t documents, streams, first, last, terms;
} view;

/* The stretch of a document that the view covers; 0 where it lies outside the tokens. */
static int find_stretch(const view *all, int64_t document, int64_t *begin, int64_t *end)
{
    *begin = all->boundaries[document * all->streams + all->first];
    *end = all->boundaries[document * all->streams + all->last + 1];
    return 0 <= *begin && *begin <= *end && *end <= all->n_tokens;
}

/* Documents of each term, words and distinct words of each document; `seen` begins as -1. */
RANKWISE_API int64_t rankwise_count_postings(const int32_t *tokens, int64_t n_tokens,
                                             const int64_t *boundaries, int64_t documents,
                                             int64_t streams, int64_t first, int64_t last,
                                             int64_t terms, int32_t *seen,
                                             int64_t *document_frequencies, int32_t *lengths,
                                             int32_t *unique_lengths)
{
    view all = {tokens, n_tokens, boundaries, documents, streams, first, last, terms};
    for (int64_t document = 0; document < documents; document++) {
        int64_t begin, end;
        int32_t distinct = 0;
        if (!find_stretch(&all, document, &begin, &end))
            return -1;
        for (int64_t place = begin; place < end; place++) {
            int32_t term = tokens[place];
            if (term < 0 || term >= terms)
                return -1;
            if (seen[term] != document) {
                seen[term] = (int32_t)document;
                document_frequencies[term]++;
                distinct++;
            }
        }
        lengths[document] = (int32_t)(end - begin);
        unique_lengths[document] = distinct;
    }
    return 0;
}

/* Documents and frequencies of each term, documents rising, after their counts have been taken;
   `seen` begins as -1, next_posting[term] where the term's postings begin. */
RANKWISE_API int64_t rankwise_fill_postings(const int32_t *tokens, int64_t n_tokens,
                                            const int64_t *boundaries, int64_t documents,
                                            int64_t streams, int64_t first, int64_t last,
                                            int64_t terms, int32_t *seen, int64_t *next_posting,
                                            int64_t postings, int32_t *found, int32_t *frequencies)
{
    view all = {tokens, n_tokens, boundaries, documents, streams, first, last, terms};
    for (int64_t document = 0; document < documents; document++) {
        int64_t begin, end;
        if (!find_stretch(&all, document, &begin, &end))
            return -1;
        for (int64_t place = begin; place < end; place++) {
            int32_t term = tokens[place];
            if (term < 0 || term >= terms)
                return -1;
            if (seen[term] == document) {
                frequencies[next_posting[term] - 1]++;
                continue;
            }
            if (next_posting[term] >= postings)
                return -1;
            seen[term] = (int32_t)document;
            found[next_posting[term]] = (int32_t)document;
            frequencies[next_posting[term]++] = 1;
        }
    }
    return 0;
}
