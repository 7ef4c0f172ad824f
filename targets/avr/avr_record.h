// The record of AVR microcontrollers: every device and family that LLVM 22 knows.

#ifndef INGOT_TARGETS_AVR_AVR_RECORD_H_
#define INGOT_TARGETS_AVR_AVR_RECORD_H_

#include "targets/record.h"

namespace ingot::targets {

// 8-bit AVR. A CPU is a device ("atmega328p", of family "avr5") or a family itself ("avr5"). CPU
// facts: "kind", which is "device" or "family"; "arch", the number of the architecture in an ELF
// header and in avr-gcc's __AVR_ARCH__.
extern const TargetRecord kAvrTarget;

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_AVR_AVR_RECORD_H_
