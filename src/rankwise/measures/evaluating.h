/* Ranking queries and taking measures from the order, for C code that scores documents itself.

       ranked_query query;
       double *room = make_room(&query, longest, measures);      NULL: no memory
       for each query q:
           begin_query(&query, &lists, q);                       judged labels, ideal list
           for each vector of scores:
               rank_documents(&query, &lists, q, scores, mode);  0: a score is NaN
               value = measure_value(&query, record, &tables);
       free(room);

   Code that keeps an order of its own puts rows and scores into `query.rows` and `query.scores` and
   calls `take_order` in place of `rank_documents`. */
#ifndef RANKWISE_EVALUATING_H
#define RANKWISE_EVALUATING_H

#include "ranked_query.h"

/* What the functions that Python calls return. */
enum outcome { DONE = 0, NO_MEMORY = 1, LISTS_DO_NOT_FIT = 2, SCORE_IS_NAN = 3 };

/* The documents of queries, flat: rows offsets[q] .. offsets[q] + retrieved[q] - 1 have scores, the
   rest up to offsets[q + 1] are judged but were not retrieved. `ideal_of[q]` is the query whose
   judged documents make the ideal list of q; `ideal_labels` has their labels where not NULL. */
typedef struct {
    int64_t queries;
    int64_t documents;
    const int64_t *offsets;
    const int64_t *retrieved;
    const int64_t *ideal_of;
    const double *labels;
    const double *priority; /* NULL: tied documents stand as in the input */
    const double *ideal_labels;
} query_lists;

/* Whether offsets, lengths and ideal lists of queries first .. last - 1 stay within the arrays. */
int lists_fit(const query_lists *lists, int64_t first, int64_t last);

/* The largest number of documents of a query in first .. last - 1, ideal lists included. */
int64_t longest_list(const query_lists *lists, int64_t first, int64_t last);

/* Whether the tables have all gains and discounts that the records need for such lists. */
int tables_reach(const measure_record *records, int64_t measures, const measure_tables *tables,
                 int64_t longest);

/* Room for queries of up to `longest` documents and `measures` measures: one block to be freed. */
double *make_room(ranked_query *query, int64_t longest, int64_t measures);

void begin_query(ranked_query *query, const query_lists *lists, int64_t q);

int rank_documents(ranked_query *query, const query_lists *lists, int64_t q, const double *scores,
                   int64_t tie_mode);

void take_order(ranked_query *query, const query_lists *lists, int64_t q, int64_t tie_mode);

/* The value of a measure: NaN where the query is left out, -infinity where it only counts as 0. */
double measure_value(ranked_query *query, const measure_record *measure,
                     const measure_tables *tables);

#endif
