/* A measure on the documents of a data set, for C code that takes it again and again. */
#ifndef RANKWISE_PREPARED_MEASURE_H
#define RANKWISE_PREPARED_MEASURE_H

#include "evaluating.h"

/* What does not depend on the scores; every member has eight bytes, as in prepared.py. */
typedef struct {
    query_lists lists;
    measure_tables tables;
    const measure_record *record;
    int64_t record_size;
    int64_t tie_mode; /* STRICT_ORDER or EXPECTED_TIES */
} prepared_measure;

/* So many keys may stand behind those of the longest query, for loops over several at once. */
#define PADDING_OF_KEYS 8

/* One query at a time: room for ranking it, and its rows and their scores, whose arrays are twice
   as long as the longest query, since sorting needs the rest. */
typedef struct {
    ranked_query query;
    double *keys;
    int64_t *rows;
    void *block;
} measuring_room;

/* Check the bounds of everything in `measure` and make the room; see `enum outcome`. */
int64_t open_room(measuring_room *room, const prepared_measure *measure);

void close_room(measuring_room *room);

/* Take the rows of query q from `order`, where they stand in some order; see `enum outcome`. */
int64_t take_rows(measuring_room *room, const prepared_measure *measure, int64_t q,
                  const int64_t *order);

/* Bring the rows into rank order under `scores`, which are numbers: falling score, then falling
   priority, then row. Nearly sorted rows cost little more than looking at them. */
void sort_on(measuring_room *room, const prepared_measure *measure, int64_t q,
             const double *scores);

/* The value of query q, for which `begin_query` was called, with the rows as they stand. */
double value_of_rows(measuring_room *room, const prepared_measure *measure, int64_t q);

#endif
