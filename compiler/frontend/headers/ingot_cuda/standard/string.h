// <string.h> for device code: memcpy, memmove, memset, memcmp, strlen and strcmp. The functions
// themselves are in ingot_cuda.h, which is always included.
#ifndef INGOT_CUDA_STANDARD_STRING_H_
#define INGOT_CUDA_STANDARD_STRING_H_

#pragma GCC system_header

#include "../../ingot_cuda.h"

#endif  // INGOT_CUDA_STANDARD_STRING_H_
