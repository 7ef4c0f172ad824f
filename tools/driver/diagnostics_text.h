// The compile tool's diagnostics as the user reads them: with the user's own paths instead of those
// of the input root, and with colour only where it is wanted. Diagnostics are stored as the tool
// wrote them, so that they can be shown again for every hit, whoever asks.
//
//   DiagnosticsForUser("src/k.c:1:2: error: no\n", request, false);  // "lib/k.c:1:2: error: no\n"

#ifndef INGOT_TOOLS_DRIVER_DIAGNOSTICS_TEXT_H_
#define INGOT_TOOLS_DRIVER_DIAGNOSTICS_TEXT_H_

#include <string>
#include <string_view>

#include "compiler/plan/canonical_request.h"

namespace ingot::driver {

// `text` for the user who made `request`. Only paths that say where something is are replaced: at
// the start of a line, and in "In file included from".
std::string DiagnosticsForUser(std::string_view text, const compiler::CanonicalRequest& request,
                               bool color);

// `text`, which the preprocessor made (--emit=preprocessed), for the user who made `request`: its
// line markers name the user's own files. It is stored as the tool wrote it, like diagnostics.
std::string PreprocessedForUser(std::string_view text, const compiler::CanonicalRequest& request);

// The user's own name for what the compiler called `requested`; "<stdin>" for standard input.
// `requested` itself if it is not below a root, such as a header of the toolchain.
std::string UserPath(std::string_view requested, const compiler::CanonicalRequest& request);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_DIAGNOSTICS_TEXT_H_
