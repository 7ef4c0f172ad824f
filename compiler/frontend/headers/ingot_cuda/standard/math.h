// <math.h> for device code: nothing to add. The functions themselves are in ingot_cuda.h, which is
// always included.
#ifndef INGOT_CUDA_STANDARD_MATH_H_
#define INGOT_CUDA_STANDARD_MATH_H_

#pragma GCC system_header

#include "../../ingot_cuda.h"

#endif  // INGOT_CUDA_STANDARD_MATH_H_
