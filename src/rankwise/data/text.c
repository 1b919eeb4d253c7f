/* Columns of texts: text i is data[starts[i]] to before data[ends[i]]. */
#include <string.h>

#include "core.h"

static int lies_within(int64_t start, int64_t end, int64_t size)
{
    return start >= 0 && start <= end && end <= size;
}

/* Copy all texts one after the other; how many bytes they are, or -1 where they do not fit. */
RANKWISE_API int64_t rankwise_pack_texts(const uint8_t *data, int64_t size, const int64_t *starts,
                                         const int64_t *ends, int64_t count, uint8_t *packed,
                                         int64_t room)
{
    int64_t filled = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!lies_within(starts[i], ends[i], size) || ends[i] - starts[i] > room - filled)
            return -1;
        int64_t length = ends[i] - starts[i];
        if (length > 0)
            memcpy(packed + filled, data + starts[i], (size_t)length);
        filled += length;
    }
    return filled;
}

/* For every text but the first, whether it differs from the one before; -1 where one is outside. */
RANKWISE_API int64_t rankwise_compare_texts(const uint8_t *data, int64_t size,
                                            const int64_t *starts, const int64_t *ends,
                                            int64_t count, uint8_t *different)
{
    for (int64_t i = 0; i < count; i++) {
        if (!lies_within(starts[i], ends[i], size))
            return -1;
        if (i == 0)
            continue;
        int64_t length = ends[i] - starts[i];
        different[i - 1] = length != ends[i - 1] - starts[i - 1] ||
                           memcmp(data + starts[i], data + starts[i - 1], (size_t)length) != 0;
    }
    return 0;
}
