/* Pairs of documents with different labels (pairwise_accuracy.c). */
#ifndef RANKWISE_PAIRWISE_ACCURACY_H
#define RANKWISE_PAIRWISE_ACCURACY_H

#include "../ranked_query.h"

/* Count the pairs of different labels among the retrieved documents into `query->pairs`, and those
   in the wrong order into `query->wrong_pairs`; a pair within a tie group counts one half. */
void count_pairs(ranked_query *query);

#endif
