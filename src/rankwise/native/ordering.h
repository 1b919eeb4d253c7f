/* The order of documents: by score, and by priority where scores are equal (ordering.c). */
#ifndef RANKWISE_ORDERING_H
#define RANKWISE_ORDERING_H

#include "core.h"

/* Sort keys[first..last) in descending order, with their rows; equal keys stay as they stand.
   Both arrays hold 2 * room elements: the second half is room that sorting needs; last <= room. */
void sort_descending(double *keys, int64_t *rows, int64_t room, int64_t first, int64_t last);

/* Put rows start .. start + size - 1 in rank order into `rows`, their scores into `keys`.
   Equal scores go by descending priority (NULL: none), then by row. Room as above, size <= room. */
void rank_rows(const double *scores, const double *priority, int64_t start, int64_t size,
               double *keys, int64_t *rows, int64_t room);

#endif
