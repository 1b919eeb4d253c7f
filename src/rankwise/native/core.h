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

#endif
