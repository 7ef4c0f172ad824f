// A compilation with two outputs and its input tree, for tests of what looks up and publishes.
//
//   const Compilation compilation = Compilation::Make();
//   Lookup(actions, blobs, compilation.action.key, compilation.output_paths);

#ifndef INGOT_CACHE_TESTING_COMPILATION_H_
#define INGOT_CACHE_TESTING_COMPILATION_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "cache/action.h"
#include "cache/digest.h"
#include "cache/lookup.h"
#include "cache/merkle_tree.h"
#include "gmock/gmock.h"

namespace ingot::cache {

struct Compilation {
  EncodedTree tree;
  std::vector<std::string> output_paths = {"out.o", "out.map"};
  EncodedAction action;

  static Compilation Make(std::string_view source = "source") {
    MerkleTree tree;
    EXPECT_THAT(tree.AddFile("src/k.ll", Sha256(source), false), absl_testing::IsOk());
    EncodedTree encoded = tree.Encode();
    ActionSpec spec;
    spec.arguments = {"toolchain/ingot-compile", "src/k.ll"};
    spec.output_paths = {"out.o", "out.map"};
    spec.input_root_digest = encoded.root_digest;
    absl::StatusOr<EncodedAction> action = EncodeAction(spec);
    EXPECT_THAT(action, absl_testing::IsOk());
    return Compilation{.tree = std::move(encoded), .action = *std::move(action)};
  }

  // What is published for it: `outputs` are the two files.
  PublishRequest Request(const std::vector<OutputContents>& outputs,
                         std::string_view stderr_raw) const {
    PublishRequest request{.action = action,
                           .input_directories = tree.directories,
                           .output_files = outputs,
                           .stdout_raw = "",
                           .stderr_raw = stderr_raw,
                           .exit_code = 0,
                           .execution_metadata = {},
                           .overwrite = false};
    request.execution_metadata.mutable_execution_start_timestamp()->set_seconds(1'700'000'000);
    return request;
  }
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_TESTING_COMPILATION_H_
