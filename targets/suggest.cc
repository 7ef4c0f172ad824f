#include "targets/suggest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace ingot::targets {
namespace {

// Levenshtein's distance: insertions, deletions and substitutions of one letter, ignoring case.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = absl::ascii_tolower(a[i - 1]) == absl::ascii_tolower(b[j - 1]);
      const std::size_t substituted = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string_view> Suggest(std::string_view name,
                                        std::span<const std::string_view> candidates) {
  std::optional<std::string_view> best;
  std::size_t best_distance = name.size() / 3 + 1;
  bool best_extends = false;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = EditDistance(name, candidate);
    const bool extends = absl::StartsWithIgnoreCase(candidate, name);
    if (distance < best_distance ||
        (best && distance == best_distance && extends && !best_extends)) {
      best = candidate;
      best_distance = distance;
      best_extends = extends;
    }
  }
  return name.empty() ? std::nullopt : best;
}

std::string DidYouMean(std::string_view name, std::span<const std::string_view> candidates) {
  const std::optional<std::string_view> suggestion = Suggest(name, candidates);
  return suggestion ? absl::StrCat("; did you mean '", *suggestion, "'?") : std::string();
}

}  // namespace ingot::targets
