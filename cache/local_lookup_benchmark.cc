// What a local cache hit costs beyond starting the process, part by part:
//
//   bazel run -c opt //cache:local_lookup_benchmark
//
// The store is in $TEST_TMPDIR or /tmp.

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "benchmark/benchmark.h"
#include "cache/action.h"
#include "cache/counters.h"
#include "cache/digest.h"
#include "cache/file_digest_memo.h"
#include "cache/local/local_store.h"
#include "cache/lookup.h"
#include "cache/merkle_tree.h"

namespace ingot::cache {
namespace {

class Folder {
 public:
  Folder() {
    const char* parent = std::getenv("TEST_TMPDIR");
    path_ = std::string(parent != nullptr ? parent : "/tmp") + "/ingot-benchmark-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

EncodedAction MakeAction(int number, EncodedTree& tree) {
  MerkleTree inputs;
  ActionSpec spec;
  if (!inputs.AddFile("src/k.ll", Sha256(std::to_string(number)), false).ok() ||
      !inputs.AddDirectory("toolchain", Sha256("toolchain")).ok()) {
    std::abort();
  }
  tree = inputs.Encode();
  spec.arguments = {"toolchain/ingot-compile",
                    "--target=nvptx64-nvidia-cuda",
                    "--cpu=sm_90",
                    "-O2",
                    "--emit=asm",
                    "-o",
                    "out.ptx",
                    "src/k.ll"};
  spec.output_paths = {"out.ptx"};
  spec.input_root_digest = tree.root_digest;
  spec.platform = PlatformProperties{{"OSFamily", "linux"}, {"ISA", "x86-64"}};
  return *EncodeAction(spec);
}

PublishRequest MakeRequest(const EncodedAction& action, const EncodedTree& tree,
                           std::span<const OutputContents> outputs) {
  return PublishRequest{.action = action,
                        .input_directories = tree.directories,
                        .output_files = outputs,
                        .stdout_raw = "",
                        .stderr_raw = "",
                        .exit_code = 0,
                        .execution_metadata = {},
                        .overwrite = false};
}

void BM_LookupHit(benchmark::State& state) {
  Folder folder;
  LocalBlobStore blobs(folder.path());
  LocalActionCache entries(folder.path());
  const std::string output(static_cast<size_t>(state.range(0)), 'x');
  EncodedTree tree;
  const EncodedAction action = MakeAction(0, tree);
  const std::vector<OutputContents> outputs = {{"out.ptx", output, false}};
  if (!Publish(entries, blobs, MakeRequest(action, tree, outputs)).ok()) std::abort();
  const std::vector<std::string> output_paths = {"out.ptx"};
  for (auto _ : state) {
    LookupResult found = Lookup(entries, blobs, action.key, output_paths);
    if (!found.hit.has_value()) state.SkipWithError("not a hit");
    benchmark::DoNotOptimize(found);
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_LookupHit)
    ->Arg(0)
    ->Arg(10'000)
    ->Arg(1 << 20)
    ->Arg(32 << 20)
    ->Unit(benchmark::kMicrosecond);

void BM_LookupMiss(benchmark::State& state) {
  Folder folder;
  LocalBlobStore blobs(folder.path());
  LocalActionCache entries(folder.path());
  const ActionKey key(Sha256("absent"));
  for (auto _ : state) {
    benchmark::DoNotOptimize(Lookup(entries, blobs, key, {}));
  }
}
BENCHMARK(BM_LookupMiss)->Unit(benchmark::kMicrosecond);

void BM_Publish(benchmark::State& state) {
  Folder folder;
  LocalBlobStore blobs(folder.path());
  LocalActionCache entries(folder.path());
  int number = 0;
  for (auto _ : state) {
    EncodedTree tree;
    const EncodedAction action = MakeAction(number, tree);
    std::string output(10'000, 'x');
    output += std::to_string(number++);
    const std::vector<OutputContents> outputs = {{"out.ptx", output, false}};
    if (!Publish(entries, blobs, MakeRequest(action, tree, outputs)).ok()) {
      state.SkipWithError("publish failed");
    }
  }
}
BENCHMARK(BM_Publish)->Unit(benchmark::kMicrosecond);

void BM_EncodeAction(benchmark::State& state) {
  for (auto _ : state) {
    EncodedTree tree;
    benchmark::DoNotOptimize(MakeAction(0, tree));
  }
}
BENCHMARK(BM_EncodeAction)->Unit(benchmark::kMicrosecond);

void BM_Sha256(benchmark::State& state) {
  const std::string bytes(static_cast<size_t>(state.range(0)), 'x');
  for (auto _ : state) benchmark::DoNotOptimize(Sha256(bytes));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Sha256)->Arg(100)->Arg(10'000)->Arg(1 << 20)->Arg(32 << 20);

void BM_FileDigestRemembered(benchmark::State& state) {
  Folder folder;
  const std::string path = folder.path() + "/tool";
  std::ofstream(path) << std::string(1 << 20, 'x');
  FileDigestMemo memo(folder.path() + "/memo", [] { return absl::Now() + absl::Hours(1); });
  // A memo as full as it gets, with the record that is asked for in its middle.
  for (size_t i = 0; i < FileDigestMemo::kMaximumRecords; ++i) {
    const std::string other = folder.path() + "/other" + std::to_string(i);
    std::ofstream(other) << i;
    if (!memo.FileDigest(other).ok()) std::abort();
    if (i == FileDigestMemo::kMaximumRecords / 2 && !memo.FileDigest(path).ok()) std::abort();
  }
  const int64_t read_before = memo.files_read();
  for (auto _ : state) benchmark::DoNotOptimize(memo.FileDigest(path));
  if (memo.files_read() != read_before) state.SkipWithError("not remembered");
}
BENCHMARK(BM_FileDigestRemembered)->Unit(benchmark::kMicrosecond);

void BM_CountersAdd(benchmark::State& state) {
  Folder folder;
  Counters counters(folder.path() + "/counters");
  for (auto _ : state) {
    if (!counters.Add({{Counter::kHit, 1}, {Counter::kBytesRead, 10'000}}).ok()) {
      state.SkipWithError("dropped");
    }
  }
}
BENCHMARK(BM_CountersAdd)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ingot::cache
