// How JSON is printed, by all commands.

#ifndef INGOT_TOOLS_DRIVER_JSON_H_
#define INGOT_TOOLS_DRIVER_JSON_H_

#include <ostream>

#include "nlohmann/json.hpp"

namespace ingot::driver {

// Prints `json`, indented. Paths and messages may hold bytes that are no UTF-8, which JSON cannot:
// they are replaced.
inline void PrintJson(std::ostream& out, const nlohmann::json& json) {
  out << json.dump(2, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace)
      << "\n";
}

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_JSON_H_
