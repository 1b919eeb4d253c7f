/* The limit for benchmarks/reading.py: LETOR text parsed with no check at all, on all processors.

       unchecked_reader FILE WIDTH THREADS      prints the seconds from opening to arrays

   It takes every byte for what it should be: whole indices from 1 to WIDTH, plain decimal numbers,
   one blank between fields, no comment, a line feed after every row. Anything else is undefined. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double TENS[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11};

typedef struct {
    const uint8_t *begin, *end;
    int64_t rows, first_row;
    pthread_t thread;
} part;

static double *features, *labels;
static int64_t *queries, width;

static const uint8_t *read_number(const uint8_t *at, double *value)
{
    int negative = *at == '-';
    int64_t digits = 0;
    for (at += negative; *at >= '0'; at++)
        digits = digits * 10 + *at - '0';
    const uint8_t *point = at;
    if (*at == '.')
        for (at++; *at >= '0'; at++)
            digits = digits * 10 + *at - '0';
    double size = digits / TENS[at > point ? at - point - 1 : 0];
    *value = negative ? -size : size;
    return at;
}

static void *count(void *given)
{
    part *one = given;
    for (const uint8_t *at = one->begin; at < one->end; at++, one->rows++)
        at = memchr(at, '\n', one->end - at);
    return NULL;
}

static void *parse(void *given)
{
    part *one = given;
    int64_t row = one->first_row;
    for (const uint8_t *at = one->begin; at < one->end; at++, row++) {
        double *cells = features + row * width;
        at = read_number(at, &labels[row]) + 5;
        int64_t query = 0;
        for (; *at >= '0'; at++)
            query = query * 10 + *at - '0';
        queries[row] = query;
        while (*at == ' ') {
            int64_t index = 0;
            for (at++; *at != ':'; at++)
                index = index * 10 + *at - '0';
            at = read_number(at + 1, &cells[index - 1]);
        }
    }
    return NULL;
}

static void in_threads(void *(*work)(void *), part *parts, int threads)
{
    for (int i = 0; i < threads; i++)
        pthread_create(&parts[i].thread, NULL, work, &parts[i]);
    for (int i = 0; i < threads; i++)
        pthread_join(parts[i].thread, NULL);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

int main(int count_of_arguments, char **arguments)
{
    int threads = count_of_arguments > 3 ? atoi(arguments[3]) : 1;
    double begun = now();
    int file = open(arguments[1], O_RDONLY);
    struct stat facts;
    fstat(file, &facts);
    width = atoi(arguments[2]);
    const uint8_t *text =
        mmap(NULL, facts.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    part parts[64];
    const uint8_t *at = text, *end = text + facts.st_size;
    for (int i = 0; i < threads; i++) {
        const uint8_t *cut = text + facts.st_size * (i + 1) / threads;
        cut = i + 1 < threads ? (const uint8_t *)memchr(cut, '\n', end - cut) + 1 : end;
        parts[i] = (part){.begin = at, .end = cut};
        at = cut;
    }
    in_threads(count, parts, threads);
    int64_t rows = 0;
    for (int i = 0; i < threads; rows += parts[i++].rows)
        parts[i].first_row = rows;
    /* As large arrays of numpy: zeros, in large pages. */
    size_t bytes = (rows * width * sizeof(double) + (1 << 21)) & ~(size_t)((1 << 21) - 1);
    features = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(features, bytes, MADV_HUGEPAGE);
    labels = malloc(rows * sizeof(double));
    queries = malloc(rows * sizeof(int64_t));
    in_threads(parse, parts, threads);
    printf("%.6f %ld %.17g\n", now() - begun, (long)rows, features[(rows - 1) * width]);
    return 0;
}
