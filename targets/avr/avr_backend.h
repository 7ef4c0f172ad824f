// The backend of AVR microcontrollers: LLVM's AVR code generator.

#ifndef INGOT_TARGETS_AVR_AVR_BACKEND_H_
#define INGOT_TARGETS_AVR_AVR_BACKEND_H_

#include "targets/backend.h"

namespace ingot::targets {

// The one instance; lives for the whole process.
const Backend& AvrBackend();

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_AVR_AVR_BACKEND_H_
