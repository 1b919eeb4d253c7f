/* What every C file of the core includes: types, and the mark of functions that Python calls. */
#ifndef RANKWISE_CORE_H
#define RANKWISE_CORE_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define RANKWISE_API __declspec(dllexport)
#else
#define RANKWISE_API __attribute__((visibility("default")))
#endif

/* Before a function whose loops gain by wide registers: it is compiled for them too, and the loader
   takes what the processor has. The bits are the same: no sum is reordered, nothing contracted. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define RANKWISE_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define RANKWISE_WIDE
#endif

#endif
