// Reading all of a local store: whether every blob is what its name says, and every result whole.
//
//   absl::StatusOr<VerificationResult> result = VerifyStore(root, {.repair = true});
//   for (const Finding& finding : result->findings) ...  // sorted by path, at most
//   kMaximumFindings
//
// What is read:
// - Blobs: a file in `cas` must have the SHA-256 that it is named by. Files are read in pieces.
// - Entries of the action cache: each must be an ActionResult whose seal, if it has one, is right
//   (cache/result_seal.h). The seal covers the key as "hash/size"; a file's name has only the hash.
//   The size is that of the Action, which is a blob of that very hash; where that was evicted,
//   every size that an Action of Ingot's can have is tried.
// - For entries that Ingot stored, the blobs they name must be there, with the right size. An entry
//   without a seal is another program's: Bazel may have its blobs elsewhere and checks them itself,
//   so only an entry that does not parse at all is damage.
//
// Repair is removal, so that the next lookup is a plain miss instead of a warning; or, where
// another store has the right bytes of a blob, putting those in its place. Other stores are asked
// for what an entry names, and for what describes an entry of Ingot's: only that has a known size,
// and nobody looks for anything else. Whatever they answer, verification goes on. Anybody may use
// the store meanwhile: a file that is to be removed is moved to ROOT/tmp first and looked at there;
// if it is not the one that was found damaged, since somebody replaced it, it goes back. Nothing
// counts as used.

#ifndef INGOT_CACHE_LOCAL_VERIFICATION_H_
#define INGOT_CACHE_LOCAL_VERIFICATION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cache/blob_store.h"

namespace ingot::cache {

enum class FindingKind {
  kDamagedBlob,   // other bytes than its name says
  kDamagedEntry,  // not an ActionResult, or one that does not match its seal
  kMissingBlob,   // an entry of Ingot's that names a blob which is not there; the path is the
                  // entry's
  kNotAFile,      // a folder or something else where a file should be
  kUnreadable,    // could not be read, so nothing is known about it
};

// "damaged blob" and so on.
std::string_view FindingKindName(FindingKind kind);

enum class Repair {
  kNone,      // left as it was: not asked for, or nothing that can be done
  kRemoved,   // the damaged file is gone
  kRestored,  // the right bytes were fetched from another store
  kFailed,    // could not be repaired; the message says why
};

// "left", "removed" and so on.
std::string_view RepairName(Repair repair);

struct Finding {
  std::string path;
  FindingKind kind;
  std::string message;  // what is wrong, without the path
  Repair repair = Repair::kNone;
  std::string source;  // of what was restored: the name of the store that had it
};

// Another store, which has good copies of some blobs.
struct VerificationSource {
  std::string name;
  BlobStore* blobs = nullptr;  // not owned; must be thread-safe
};

// What became of asking one.
struct VerificationSourceReport {
  std::string name;
  int64_t restored = 0;     // findings that it had the right bytes for
  std::string first_error;  // what it could not answer first; empty if it always could
};

// More than anybody reads. Beyond it findings are repaired and counted, but not listed.
inline constexpr std::size_t kMaximumFindings = 10'000;

struct VerificationOptions {
  bool repair = false;
  std::vector<VerificationSource> sources;  // asked in this order, and only to repair
  unsigned threads = 0;                     // 0: one for each core
};

struct VerificationResult {
  int64_t blobs = 0;
  int64_t bytes = 0;
  int64_t entries = 0;          // Ingot's
  int64_t foreign_entries = 0;  // other programs', checked for parsing only
  int64_t other_files = 0;      // names that nobody looks for where they are

  std::vector<Finding> findings;
  int64_t damaged = 0;                            // all findings
  int64_t repaired = 0;                           // those that were removed or restored
  int64_t restored = 0;                           // of these, those whose right bytes are there now
  std::vector<VerificationSourceReport> sources;  // those of the options
};

// NotFound if there is nothing at `root`, FailedPrecondition if that is not a folder.
absl::StatusOr<VerificationResult> VerifyStore(const std::string& root,
                                               const VerificationOptions& options);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_LOCAL_VERIFICATION_H_
