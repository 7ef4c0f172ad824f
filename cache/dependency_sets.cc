#include "cache/dependency_sets.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cache/digest.h"
#include "cache/local/file.h"

namespace ingot::cache {
namespace {

namespace fs = std::filesystem;

// The file: kFirstLine, then for each record its size as a line and its bytes, and last the
// SHA-256 of all before, 64 digits. Damage makes the file count as empty.
constexpr std::string_view kFirstLine = "ingot dependency sets 1\n";
constexpr std::size_t kHashDigits = 64;

std::string Encode(const std::vector<std::string_view>& records) {
  std::string bytes(kFirstLine);
  for (const std::string_view record : records) {
    absl::StrAppend(&bytes, record.size(), "\n", record);
  }
  bytes += Sha256(bytes).hash;
  return bytes;
}

std::vector<std::string> Decode(std::string_view bytes) {
  if (bytes.size() < kFirstLine.size() + kHashDigits || !bytes.starts_with(kFirstLine)) return {};
  const std::string_view hash = bytes.substr(bytes.size() - kHashDigits);
  bytes.remove_suffix(kHashDigits);
  if (Sha256(bytes).hash != hash) return {};
  bytes.remove_prefix(kFirstLine.size());
  std::vector<std::string> records;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    std::size_t size = 0;
    if (end == std::string_view::npos || !absl::SimpleAtoi(bytes.substr(0, end), &size) ||
        size > bytes.size() - end - 1) {
      return {};
    }
    records.emplace_back(bytes.substr(end + 1, size));
    bytes.remove_prefix(end + 1 + size);
  }
  return records;
}

bool IsRequest(const std::string& name) {
  return name.size() == kHashDigits && name.find_first_not_of("0123456789abcdef") == name.npos;
}

// Removes the least recently written files of `folder` until three quarters of the most are left:
// so that not every new request has to look.
void Bound(const std::string& folder) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!IsRequest(entry->path().filename().string())) continue;
    std::error_code gone;
    const fs::file_time_type time = entry->last_write_time(gone);
    if (!gone) files.emplace_back(time, entry->path());
  }
  if (files.size() <= DependencySets::kMaximumRequests) return;
  std::sort(files.begin(), files.end());
  files.resize(files.size() - DependencySets::kMaximumRequests * 3 / 4);
  for (const auto& [time, path] : files) fs::remove(path, error);
}

}  // namespace

std::string DependencySets::PathOf(const Digest& request) const {
  return absl::StrCat(folder_, "/", std::string_view(request.hash).substr(0, 2), "/", request.hash);
}

std::vector<std::string> DependencySets::Load(const Digest& request) const {
  if (folder_.empty()) return {};
  const absl::StatusOr<std::string> bytes =
      ReadFile(PathOf(request), {.exact_size = std::nullopt, .maximum_size = kMaximumBytes});
  if (!bytes.ok()) return {};
  return Decode(*bytes);
}

absl::Status DependencySets::Remember(
    const Digest& request, std::string_view record,
    const std::function<bool(std::string_view older)>& is_same) const {
  if (folder_.empty()) return absl::OkStatus();
  const std::vector<std::string> older = Load(request);
  std::vector<std::string_view> records = {record};
  std::size_t size = record.size();
  for (const std::string& one : older) {
    size += one.size();
    if (one == record || (is_same && is_same(one)) || records.size() == kMaximumRecords ||
        size > kMaximumBytes / 2) {
      continue;
    }
    records.push_back(one);
  }
  const std::string path = PathOf(request);
  const std::string folder = path.substr(0, path.rfind('/'));
  if (absl::Status status = MakeFolders(folder, 0700); !status.ok()) return status;
  const absl::Status status =
      WriteFileAtomically(folder, path, Encode(records), Durability::kNoSync);
  if (status.ok() && older.empty()) Bound(folder);
  return status;
}

}  // namespace ingot::cache
