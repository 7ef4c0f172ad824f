// The Remote Execution API's messages under a short name.
//
//   reapi::ActionResult result;
//   result.set_exit_code(0);

#ifndef INGOT_CACHE_REAPI_H_
#define INGOT_CACHE_REAPI_H_

#include "build/bazel/remote/execution/v2/remote_execution.pb.h"  // IWYU pragma: export

namespace ingot::cache {

namespace reapi = ::build::bazel::remote::execution::v2;

}  // namespace ingot::cache

#endif  // INGOT_CACHE_REAPI_H_
