// The folders of headers below `ingot cc --sysroot=DIR`.
//
//   absl::Status status = AddSysroot(is_folder, arguments);
//   // arguments.invocation.front_end_options now ends with "-isystem/usr/lib/avr/include"

#ifndef INGOT_TOOLS_DRIVER_CC_SYSROOT_H_
#define INGOT_TOOLS_DRIVER_CC_SYSROOT_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "tools/driver/cc_arguments.h"

namespace ingot::driver {

// Gives `arguments`, of which --sysroot is known, the folders for headers that are in it: those
// where distributions and vendors put avr-libc, or for CUDA with a toolkit those of a host's
// libraries. InvalidArgument if there are none, or if the target has no such headers.
absl::Status AddSysroot(const std::function<bool(const std::string&)>& is_folder,
                        CcArguments& arguments);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_CC_SYSROOT_H_
