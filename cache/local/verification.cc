#include "cache/local/verification.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/local/file.h"
#include "cache/local/layout.h"
#include "cache/local/local_store.h"
#include "cache/local/remove_tree.h"
#include "cache/reapi.h"
#include "cache/result_seal.h"

namespace ingot::cache {
namespace {

constexpr std::size_t kPiece = 1 << 20;

// A larger entry is damage. More than kMaximumEntryBytes, since other programs may store more:
// results over gRPC's 4 MiB have been seen (bb-remote-execution issue 176).
constexpr int64_t kMaximumEntrySize = int64_t{64} << 20;

// An Action of Ingot's is two digests, a platform and a salt: some 200 bytes.
constexpr int64_t kMaximumActionSize = 4096;

// How often something that changes while it is looked at is looked at again.
constexpr int kAttempts = 3;

// What tells a file from another that took its name: nothing changes a stored file in place, and
// while the first is open its inode cannot be used again. The mtime is no part of it, as readers
// touch what they read.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  friend bool operator==(const Identity&, const Identity&) = default;
};

Identity IdentityOf(const struct stat& status) {
  return {status.st_dev, status.st_ino, status.st_size};
}

// What is known about one file.
struct Examined {
  enum Verdict { kGood, kGone, kBad } verdict = kGood;
  Identity identity;
  FindingKind kind = FindingKind::kDamagedBlob;
  std::string message;
};

Examined Gone() { return {.verdict = Examined::kGone, .identity = {}, .message = ""}; }

Examined Bad(const struct stat& status, FindingKind kind, std::string message) {
  return {.verdict = Examined::kBad,
          .identity = IdentityOf(status),
          .kind = kind,
          .message = std::move(message)};
}

// A descriptor of what is examined, kept until a repair is done.
class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { Reset(-1); }
  void Reset(int fd) {
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
  }
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

// Opens the regular file at `path`; `examined` says why there is none.
bool Open(const std::string& path, Descriptor& file, struct stat& status, Examined& examined) {
  if (lstat(path.c_str(), &status) != 0) {
    examined = errno == ENOENT || errno == ENOTDIR
                   ? Gone()
                   : Bad({}, FindingKind::kUnreadable,
                         std::string(FileError(errno, "stat", path).message()));
    return false;
  }
  if (!S_ISREG(status.st_mode)) {
    examined = Bad(status, FindingKind::kNotAFile, "it is not a regular file");
    return false;
  }
  file.Reset(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (file.get() < 0 || fstat(file.get(), &status) != 0) {
    examined = errno == ENOENT ? Gone()
                               : Bad(status, FindingKind::kUnreadable,
                                     std::string(FileError(errno, "open", path).message()));
    return false;
  }
  return true;
}

// Reads the file to its end, a piece at a time. Returns errno.
int ReadPieces(int fd, std::string& buffer, absl::FunctionRef<void(std::string_view)> take) {
  buffer.resize(kPiece);
  while (true) {
    const ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return 0;
    take(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)));
  }
}

// A failed read of a file that is there: EIO is the disk's word that the bytes are gone.
Examined ReadFailed(const struct stat& status, FindingKind damage, int error) {
  if (error == EIO) return Bad(status, damage, "the disk reports an I/O error");
  return Bad(status, FindingKind::kUnreadable,
             std::string(absl::ErrnoToStatus(error, "cannot read it").message()));
}

Examined ExamineBlob(const std::string& path, std::string_view hash, Descriptor& file,
                     std::string& buffer) {
  struct stat status;
  Examined examined;
  if (!Open(path, file, status, examined)) return examined;
  Sha256Hasher hasher;
  const int error =
      ReadPieces(file.get(), buffer, [&](std::string_view piece) { hasher.Update(piece); });
  if (error != 0) return ReadFailed(status, FindingKind::kDamagedBlob, error);
  const Digest actual = std::move(hasher).Finish();
  examined.identity = IdentityOf(status);
  if (actual.hash == hash) return examined;
  return Bad(status, FindingKind::kDamagedBlob,
             absl::StrCat("its contents have the digest ", actual.ToString()));
}

class Verification {
 public:
  Verification(const std::string& root, const VerificationOptions& options)
      : root_(root),
        temporary_folder_(absl::StrCat(root, "/tmp")),
        options_(options),
        blobs_(root),
        looked_at_(root, Access::kLook) {
    for (const VerificationSource& source : options.sources) {
      result_.sources.push_back({.name = source.name, .first_error = {}});
    }
  }

  VerificationResult Run() && {
    // Blobs first: what is damaged is gone by the time that entries are asked for their blobs.
    ForEachFile("cas", [&](const std::string& path, const std::string& name, std::string& buffer) {
      VerifyBlob(path, name, buffer);
    });
    is_damaged_ = !lost_.empty();
    ForEachFile("ac", [&](const std::string& path, const std::string& name, std::string& buffer) {
      VerifyEntry(path, name, buffer);
    });
    for (const Digest& key : keys_) RestoreDescription(ActionKey(key));
    for (auto& [hash, finding] : std::exchange(lost_, {})) Report(std::move(finding));
    std::sort(result_.findings.begin(), result_.findings.end(),
              [](const Finding& a, const Finding& b) {
                return std::tie(a.path, a.message) < std::tie(b.path, b.message);
              });
    return std::move(result_);
  }

 private:
  using Visit = absl::FunctionRef<void(const std::string& path, const std::string& name,
                                       std::string& buffer)>;

  // Calls `visit` for each file in the shards of `kind`, from several threads, a shard each.
  void ForEachFile(std::string_view kind, Visit visit) {
    const std::string folder = absl::StrCat(root_, "/", kind);
    std::vector<std::string> shards;
    ListFolder(folder, [&](std::string_view name) {
      if (IsShardName(name)) shards.push_back(absl::StrCat(folder, "/", name));
    });
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      std::string buffer;
      for (std::size_t i = next++; i < shards.size(); i = next++) {
        // Listed before it is read, since repairs change the folder.
        std::vector<std::string> names;
        ListFolder(shards[i], [&](std::string_view name) { names.emplace_back(name); });
        for (const std::string& name : names) {
          if (!IsSha256Hex(name) || name.substr(0, 2) != shards[i].substr(shards[i].size() - 2)) {
            const std::lock_guard<std::mutex> lock(mutex_);
            ++result_.other_files;
            continue;
          }
          visit(absl::StrCat(shards[i], "/", name), name, buffer);
        }
      }
    };
    unsigned threads = options_.threads;
    if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> others;
    try {
      for (unsigned i = 1; i < std::min<std::size_t>(threads, shards.size()); ++i) {
        others.emplace_back(work);
      }
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
      // No more threads are to be had: those that there are will do.
    }
    work();
  }

  void ListFolder(const std::string& path, absl::FunctionRef<void(std::string_view)> take) {
    // Behind a link there may be anybody's files, which no repair may touch.
    const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR* const folder = fd < 0 ? nullptr : fdopendir(fd);
    if (folder == nullptr) {
      if (errno == ENOENT) return;
      if (fd >= 0) close(fd);
      Report({path, FindingKind::kUnreadable,
              std::string(absl::ErrnoToStatus(errno, "cannot open it").message()), Repair::kNone,
              ""});
      return;
    }
    const absl::Cleanup close_folder = [folder] { closedir(folder); };
    while (const dirent* entry = readdir(folder)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") take(name);
    }
  }

  void Report(Finding finding) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++result_.damaged;
    if (finding.repair == Repair::kRestored) ++result_.restored;
    if (finding.repair == Repair::kRemoved || finding.repair == Repair::kRestored) {
      ++result_.repaired;
    }
    if (result_.findings.size() < kMaximumFindings) {
      result_.findings.push_back(std::move(finding));
    }
  }

  // Removes what `examined` is about, or leaves alone what took its place. True if there is
  // something to report.
  bool RemoveDamaged(const std::string& path, const Examined& examined, Finding& finding) {
    if (!options_.repair || examined.kind == FindingKind::kUnreadable) return true;
    const auto fail = [&](const absl::Status& status) {
      finding.repair = Repair::kFailed;
      absl::StrAppend(&finding.message, "; ", status.message());
      return true;
    };
    if (absl::Status made = MakeFolders(temporary_folder_, 0777); !made.ok()) return fail(made);
    const absl::StatusOr<std::string> name = RandomTemporaryName();
    if (!name.ok()) return fail(name.status());
    const std::string aside = absl::StrCat(temporary_folder_, "/", *name);
    if (rename(path.c_str(), aside.c_str()) != 0) {
      if (errno == ENOENT) return false;  // somebody else removed it
      return fail(FileError(errno, "remove", path));
    }
    struct stat status;
    if (lstat(aside.c_str(), &status) == 0 && !(IdentityOf(status) == examined.identity) &&
        S_ISREG(status.st_mode)) {
      // Somebody has replaced the damaged file since it was read. What they wrote goes back, unless
      // somebody was faster again.
      if (renameat2(AT_FDCWD, aside.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0 &&
          (errno == EEXIST || rename(aside.c_str(), path.c_str()) != 0)) {
        unlink(aside.c_str());
      }
      return false;
    }
    Removed removed;
    int64_t budget = std::numeric_limits<int64_t>::max();
    const int folder = open(temporary_folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
      RemoveTree(folder, *name, budget, removed);
      close(folder);
    }
    finding.repair = Repair::kRemoved;
    return true;
  }

  void VerifyBlob(const std::string& path, const std::string& hash, std::string& buffer) {
    Descriptor file;
    const Examined examined = ExamineBlob(path, hash, file, buffer);
    if (examined.verdict == Examined::kGone) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++result_.blobs;
      result_.bytes += examined.identity.size;
      if (examined.verdict == Examined::kBad && examined.kind != FindingKind::kUnreadable) {
        bad_blobs_.insert(hash);
      }
    }
    if (examined.verdict == Examined::kGood) return;
    Finding finding = {path, examined.kind, examined.message, Repair::kNone, ""};
    if (!RemoveDamaged(path, examined, finding)) return;
    if (finding.repair == Repair::kRemoved && !options_.sources.empty()) {
      // Its size is what asks for it: whoever names it knows that.
      const std::lock_guard<std::mutex> lock(mutex_);
      lost_.emplace(hash, std::move(finding));
    } else {
      Report(std::move(finding));
    }
  }

  // The key of the entry named by `hash`, if its Action is there.
  std::optional<ActionKey> KeyFromAction(const std::string& hash) const {
    struct stat status;
    if (stat(blobs_.LocationOf({hash, 0}).c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
      return std::nullopt;
    }
    // Its bytes were checked a moment ago, or it is new.
    if (bad_blobs_.contains(hash)) return std::nullopt;
    return ActionKey({hash, status.st_size});
  }

  // Sets `key` to the one under which the seal is right.
  absl::StatusOr<reapi::ActionResult> Decode(const std::string& hash, std::string_view bytes,
                                             std::optional<ActionKey>& key) const {
    key = KeyFromAction(hash);
    const bool is_known = key.has_value();
    if (!is_known) key.emplace(Digest{hash, 0});
    absl::StatusOr<reapi::ActionResult> decoded = DecodeActionResult(*key, bytes);
    if (decoded.ok() || is_known || decoded.status().message() != kSealMismatch) return decoded;
    for (int64_t size = 1; size <= kMaximumActionSize; ++size) {
      key.emplace(Digest{hash, size});
      absl::StatusOr<reapi::ActionResult> tried = DecodeActionResult(*key, bytes);
      if (tried.ok()) return tried;
    }
    return decoded;
  }

  static std::vector<reapi::Digest> References(const reapi::ActionResult& result) {
    std::vector<reapi::Digest> references;
    for (const reapi::OutputFile& file : result.output_files()) {
      if (file.contents().empty()) references.push_back(file.digest());
    }
    for (const reapi::OutputDirectory& folder : result.output_directories()) {
      references.push_back(folder.tree_digest());
    }
    if (result.has_stdout_digest() && result.stdout_raw().empty()) {
      references.push_back(result.stdout_digest());
    }
    if (result.has_stderr_digest() && result.stderr_raw().empty()) {
      references.push_back(result.stderr_digest());
    }
    return references;
  }

  bool IsThere(const Digest& digest) const {
    if (digest.IsEmpty()) return true;
    struct stat status;
    return stat(blobs_.LocationOf(digest).c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size == digest.size_bytes;
  }

  // Fetches a blob from the first other store that has it; they check it. If that does it, reports
  // what was found, or else `missing`; another thread may have done so already.
  bool Restore(const Digest& digest, Finding missing) {
    if (!options_.repair) return false;
    for (std::size_t i = 0; i < options_.sources.size(); ++i) {
      const VerificationSource& source = options_.sources[i];
      const absl::StatusOr<std::string> bytes = source.blobs->Get(digest);
      if (!bytes.ok()) {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::string& error = result_.sources[i].first_error;
        if (error.empty() && !absl::IsNotFound(bytes.status())) {
          error = std::string(bytes.status().message());
        }
        continue;
      }
      if (!blobs_.Put(digest, *bytes, PutMode::kOverwrite).ok()) return false;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!restored_.insert(digest.hash).second) return true;
        ++result_.sources[i].restored;
        if (auto lost = lost_.extract(digest.hash)) missing = std::move(lost.mapped());
      }
      missing.repair = Repair::kRestored;
      missing.source = source.name;
      Report(std::move(missing));
      return true;
    }
    return false;
  }

  // Reads a blob that describes an entry, from another store if it was lost here. Empty where it
  // cannot be had.
  std::string Have(const Digest& digest) {
    if (lost_.contains(digest.hash)) {
      Restore(digest,
              {blobs_.LocationOf(digest), FindingKind::kDamagedBlob, "", Repair::kNone, ""});
    }
    return looked_at_.Get(digest).value_or(std::string());
  }

  // Restores what says of what the entry of `key` is the result: what was lost of it. What was not
  // there before stays away, since no lookup needs it.
  void RestoreDescription(const ActionKey& key) {
    if (lost_.empty()) return;
    reapi::Action action;
    if (!action.ParseFromString(Have(key.digest()))) return;
    if (const auto command = FromProto(action.command_digest()); command.ok()) Have(*command);
    std::vector<reapi::Digest> folders = {action.input_root_digest()};
    while (!folders.empty()) {
      const absl::StatusOr<Digest> digest = FromProto(folders.back());
      folders.pop_back();
      if (!digest.ok() || !walked_.insert(*digest).second) continue;
      reapi::Directory directory;
      if (!directory.ParseFromString(Have(*digest))) continue;
      for (const auto& node : directory.directories()) folders.push_back(node.digest());
    }
  }

  // Looks for the blobs of `result`. Those that the other store has are restored and reported.
  Examined ExamineReferences(const std::string& path, const reapi::ActionResult& result,
                             bool is_ours, const struct stat& status) {
    for (const reapi::Digest& proto : References(result)) {
      const absl::StatusOr<Digest> digest = FromProto(proto);
      if (!digest.ok() || IsThere(*digest)) continue;
      // Of a foreign entry, what was damaged here a moment ago is put right; what is not here may
      // never have been.
      const std::string what = absl::StrCat("the blob ", digest->ToString(), " is not there");
      if (!is_ours && !bad_blobs_.contains(digest->hash)) continue;
      if (Restore(*digest, {path, FindingKind::kMissingBlob, what, Repair::kNone, ""})) continue;
      if (is_ours) return Bad(status, FindingKind::kMissingBlob, what);
    }
    return {.verdict = Examined::kGood, .identity = IdentityOf(status), .message = ""};
  }

  enum class Owner { kUnknown, kIngot, kOther };

  Examined ExamineEntry(const std::string& path, const std::string& hash, Descriptor& file,
                        std::string& buffer, Owner& owner) {
    struct stat status;
    Examined examined;
    if (!Open(path, file, status, examined)) return examined;
    if (status.st_size > kMaximumEntrySize) {
      return Bad(status, FindingKind::kDamagedEntry, "it is larger than any entry");
    }
    std::string bytes;
    const int error =
        ReadPieces(file.get(), buffer, [&](std::string_view piece) { bytes.append(piece); });
    if (error != 0) return ReadFailed(status, FindingKind::kDamagedEntry, error);
    std::optional<ActionKey> key;
    const absl::StatusOr<reapi::ActionResult> result = Decode(hash, bytes, key);
    if (!result.ok()) {
      return Bad(status, FindingKind::kDamagedEntry, std::string(result.status().message()));
    }
    const bool is_ours = result->execution_metadata().worker().starts_with(kWorkerPrefix);
    owner = is_ours ? Owner::kIngot : Owner::kOther;
    if (is_ours && is_damaged_) {
      const std::lock_guard<std::mutex> lock(mutex_);
      keys_.insert(key->digest());
    }
    return ExamineReferences(path, *result, is_ours, status);
  }

  void VerifyEntry(const std::string& path, const std::string& hash, std::string& buffer) {
    Descriptor file;
    Owner owner = Owner::kUnknown;
    Examined examined = ExamineEntry(path, hash, file, buffer, owner);
    // A collection takes an entry before its blobs, and a writer stores it after them: looking
    // again tells a missing blob from one that was missing for a moment.
    for (int attempt = 1; attempt < kAttempts && examined.verdict == Examined::kBad &&
                          examined.kind == FindingKind::kMissingBlob;
         ++attempt) {
      examined = ExamineEntry(path, hash, file, buffer, owner);
    }
    if (examined.verdict == Examined::kGone) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      result_.entries += owner == Owner::kIngot;
      result_.foreign_entries += owner == Owner::kOther;
    }
    if (examined.verdict == Examined::kGood) return;
    Finding finding = {path, examined.kind, examined.message, Repair::kNone, ""};
    if (RemoveDamaged(path, examined, finding)) Report(std::move(finding));
  }

  const std::string root_;
  const std::string temporary_folder_;
  const VerificationOptions& options_;
  LocalBlobStore blobs_;
  LocalBlobStore looked_at_;  // the same, and nothing counts as used
  bool is_damaged_ = false;   // some blobs are lost; known before the first entry is looked at
  std::mutex mutex_;          // of what follows, while there are threads
  std::set<std::string> bad_blobs_;  // complete before the first entry is looked at
  // Damaged blobs that were removed and may be had elsewhere, by hash.
  std::map<std::string, Finding> lost_;
  std::set<std::string> restored_;
  std::set<Digest> keys_;    // of Ingot's entries, if there may be something to restore for them
  std::set<Digest> walked_;  // directories whose descriptions were looked at
  VerificationResult result_;
};

}  // namespace

std::string_view FindingKindName(FindingKind kind) {
  switch (kind) {
    case FindingKind::kDamagedBlob:
      return "damaged blob";
    case FindingKind::kDamagedEntry:
      return "damaged entry";
    case FindingKind::kMissingBlob:
      return "missing blob";
    case FindingKind::kNotAFile:
      return "not a file";
    case FindingKind::kUnreadable:
      return "unreadable";
  }
  return "unknown";
}

std::string_view RepairName(Repair repair) {
  switch (repair) {
    case Repair::kNone:
      return "left";
    case Repair::kRemoved:
      return "removed";
    case Repair::kRestored:
      return "restored";
    case Repair::kFailed:
      return "not repaired";
  }
  return "unknown";
}

absl::StatusOr<VerificationResult> VerifyStore(const std::string& root,
                                               const VerificationOptions& options) {
  ABSL_RETURN_IF_ERROR(ListStoreFolders(root).status());
  return Verification(root, options).Run();
}

}  // namespace ingot::cache
