// "Did you mean": the known name that a misspelt one is closest to.
//
//   Suggest("sm_9", {"sm_80", "sm_90"})  ->  "sm_90"
//   DidYouMean("nothing_like_it", …)     ->  ""

#ifndef INGOT_TARGETS_SUGGEST_H_
#define INGOT_TARGETS_SUGGEST_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ingot::targets {

// The one of `candidates` with the smallest edit distance to `name`, ignoring case; nothing if the
// closest differs in more than a third of its letters. Of several as close, one that `name` is the
// beginning of, else the first.
std::optional<std::string_view> Suggest(std::string_view name,
                                        std::span<const std::string_view> candidates);

// "; did you mean 'X'?" for the suggestion, or an empty string where there is none: for the middle
// of a message.
std::string DidYouMean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_SUGGEST_H_
