/* The walk of documents through flat trees; trees.py declares these functions and states the rules.
   All nodes and leaves of a model are packed into one table once. Scoring then walks with sixteen
   documents at a time, whose steps do not wait for each other. */
#include "core.h"

#include <math.h>

/* A leaf is a node that leads to itself, so that documents that are there may go on walking. */
typedef struct {
    double threshold; /* a leaf's value */
    int32_t column;
    int32_t child[2]; /* right, left */
    uint8_t missing;
    uint8_t missing_left;
} Node;

enum { NODE_DOUBLES = 3, ROWS_AT_ONCE = 16, ROWS_IN_CACHE = 256, STEPS_BETWEEN_LOOKS = 8 };
_Static_assert(sizeof(Node) == NODE_DOUBLES * sizeof(double), "Python makes room for the table");

/* LightGBM's kZeroThreshold, a single precision number. */
static const double NEARLY_ZERO = 1e-35f;

static int leads_on(int64_t child, int64_t node, int64_t inner, int64_t leaves)
{
    return child >= -leaves && child < inner && (child < 0 || child > node);
}

static int32_t place_of(int64_t child, int64_t inner)
{
    return (int32_t)(child >= 0 ? child : inner - 1 - child);
}

static int64_t depth_below(int64_t child, const int64_t *depths)
{
    return child >= 0 ? depths[child] : 0;
}

/* Write all nodes, then all leaves, to `table`, and to `depths` the most steps from each node to a
   leaf. Returns 0, or -1 where a child or a root leads out of the table or to a node before it, or
   a column is not one of `width`. */
RANKWISE_API int32_t rankwise_pack_trees(const int64_t *columns, const double *thresholds,
                                         const int64_t *missing, const int64_t *missing_left,
                                         const int64_t *left, const int64_t *right, int64_t inner,
                                         const int64_t *roots, int64_t trees, const double *values,
                                         int64_t leaves, int64_t width, double *table,
                                         int64_t *depths)
{
    Node *nodes = (Node *)table;
    if (inner > INT32_MAX || leaves > INT32_MAX - inner || width < 1 || width > INT32_MAX)
        return -1;
    for (int64_t leaf = 0; leaf < leaves; leaf++) {
        int32_t here = (int32_t)(inner + leaf);
        nodes[here] = (Node){values[leaf], 0, {here, here}, 0, 0};
    }
    for (int64_t node = inner - 1; node >= 0; node--) {
        int64_t column = columns[node];
        if (!leads_on(left[node], node, inner, leaves) || column < 0 || column >= width ||
            !leads_on(right[node], node, inner, leaves))
            return -1;
        nodes[node] = (Node){thresholds[node],
                             (int32_t)column,
                             {place_of(right[node], inner), place_of(left[node], inner)},
                             (uint8_t)missing[node],
                             missing_left[node] == 1};
        int64_t to_left = depth_below(left[node], depths);
        int64_t to_right = depth_below(right[node], depths);
        depths[node] = 1 + (to_left > to_right ? to_left : to_right);
    }
    for (int64_t tree = 0; tree < trees; tree++)
        if (!leads_on(roots[tree], -1, inner, leaves))
            return -1;
    return 0;
}

/* Careless documents have every value, and meet no node where values near zero are missing. */
static inline int goes_left(const Node *node, double value, int careful)
{
    if (!careful)
        return value <= node->threshold;
    int absent = isnan(value);
    int is_missing = (node->missing != 0 && absent) ||
                     (node->missing == 1 && fabs(value) <= NEARLY_ZERO);
    return is_missing ? node->missing_left : (absent ? 0.0 : value) <= node->threshold;
}

static inline int all_at_leaves(const int32_t *here, int count, int64_t inner)
{
    int at_leaves = 0;
    for (int i = 0; i < count; i++)
        at_leaves += here[i] >= inner;
    return at_leaves == count;
}

/* Add the leaves that `count` rows reach to their totals. */
static inline void walk(const Node *nodes, int64_t inner, int32_t root, int64_t depth,
                        const double *rows, int64_t width, int count, int careful, double *totals)
{
    int32_t here[ROWS_AT_ONCE];
    for (int i = 0; i < count; i++)
        here[i] = root;
    for (int64_t step = 1; step <= depth; step++) {
        for (int i = 0; i < count; i++) {
            const Node *node = nodes + here[i];
            here[i] = node->child[goes_left(node, rows[i * width + node->column], careful)];
        }
        if (step % STEPS_BETWEEN_LOOKS == 0 && all_at_leaves(here, count, inner))
            break;
    }
    for (int i = 0; i < count; i++)
        totals[i] += nodes[here[i]].threshold;
}

typedef struct {
    const Node *nodes;
    int64_t inner;
    const int64_t *depths;
    const int64_t *roots;
    int64_t trees;
} Forest;

static inline void walk_all(const Forest *forest, const double *rows, int64_t count, int64_t width,
                            int careful, double *totals)
{
    for (int64_t tree = 0; tree < forest->trees; tree++) {
        int32_t root = place_of(forest->roots[tree], forest->inner);
        int64_t depth = depth_below(forest->roots[tree], forest->depths);
        int64_t row = 0;
        for (; row + ROWS_AT_ONCE <= count; row += ROWS_AT_ONCE)
            walk(forest->nodes, forest->inner, root, depth, rows + row * width, width,
                 ROWS_AT_ONCE, careful, totals + row);
        for (; row < count; row++)
            walk(forest->nodes, forest->inner, root, depth, rows + row * width, width, 1, careful,
                 totals + row);
    }
}

static int any_absent(const double *values, int64_t count)
{
    int absent = 0;
    for (int64_t i = 0; i < count; i++)
        absent |= values[i] != values[i];
    return absent;
}

/* Add to `totals` the leaves that rows first .. last - 1 reach, tree after tree. The table, the
   depths and the roots are those that rankwise_pack_trees returned 0 for; rows are at least as wide
   as it was told. With `zeros_missing` some node takes values near zero for missing. */
RANKWISE_API void rankwise_add_leaves(const double *table, int64_t inner, const int64_t *depths,
                                      const int64_t *roots, int64_t trees, int32_t zeros_missing,
                                      const double *features, int64_t width, int64_t first,
                                      int64_t last, double *totals)
{
    const Forest forest = {(const Node *)table, inner, depths, roots, trees};
    for (int64_t begin = first; begin < last; begin += ROWS_IN_CACHE) {
        int64_t count = last - begin < ROWS_IN_CACHE ? last - begin : ROWS_IN_CACHE;
        const double *rows = features + begin * width;
        if (zeros_missing || any_absent(rows, count * width))
            walk_all(&forest, rows, count, width, 1, totals + begin);
        else
            walk_all(&forest, rows, count, width, 0, totals + begin);
    }
}
