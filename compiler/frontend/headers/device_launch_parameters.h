// A name that CUDA sources include. All that it would bring is there already.
#ifndef INGOT_DEVICE_LAUNCH_PARAMETERS_H_
#define INGOT_DEVICE_LAUNCH_PARAMETERS_H_

#pragma GCC system_header

#include "ingot_cuda.h"

#endif  // INGOT_DEVICE_LAUNCH_PARAMETERS_H_
