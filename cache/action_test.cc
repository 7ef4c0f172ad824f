#include "cache/action.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "cache/digest.h"
#include "cache/merkle_tree.h"
#include "cache/reapi.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const PlatformProperties kPlatform = {{"ISA", "x86-64"}, {"OSFamily", "linux"}};

// The directory of merkle_tree_test's GoldenTrees.
ActionSpec GoldenSpec() {
  ActionSpec spec;
  spec.arguments = {"/usr/bin/llc", "-o", "out.ptx", "a.txt"};
  spec.environment_variables = {{"LC_ALL", "C"}};
  spec.output_paths = {"out.ptx"};
  spec.input_root_digest =
      *Digest::Parse("6e5a1e4eb4b399e733bd2c4c1a2479cf0b54945d7c004ddf3f851b7d57e2e1fc/252");
  return spec;
}

std::string KeyOf(const ActionSpec& spec) {
  absl::StatusOr<EncodedAction> action = EncodeAction(spec);
  EXPECT_THAT(action, IsOk());
  return action.ok() ? action->key.ToString() : "";
}

// The vectors below were made with another implementation of protobuf. They are frozen: a change is
// a change of every key in every cache.

constexpr std::string_view kGoldenCommand =
    "b0a773ad79ce1ca326274c966617f38b3e7dab6f2cd8c359f375e6466694b933/56";

TEST(ActionTest, GoldenCommand) {
  absl::StatusOr<EncodedAction> action = EncodeAction(GoldenSpec());
  ASSERT_THAT(action, IsOk());
  EXPECT_EQ(action->command_digest.ToString(), kGoldenCommand);
  EXPECT_EQ(Sha256(action->command), action->command_digest);
}

TEST(ActionTest, GoldenActionWithoutPlatformAndSalt) {
  absl::StatusOr<EncodedAction> action = EncodeAction(GoldenSpec());
  ASSERT_THAT(action, IsOk());
  EXPECT_EQ(action->key.ToString(),
            "bdbedd6299f857c2e3f1b0ab927424bc0ea6925de4bad35d73c9ecc5b464a7fa/141");
  EXPECT_EQ(Sha256(action->action), action->key.digest());
}

TEST(ActionTest, GoldenActionMessagesWhoseCommandHasNoPlatform) {
  const Digest command = *Digest::Parse(kGoldenCommand);
  const Digest root = GoldenSpec().input_root_digest;
  EXPECT_EQ(Sha256(EncodeActionMessage(command, root, kPlatform, "s1")).ToString(),
            "ed85efdb67f33c0cab576d4ae42fe62d4cb0854a1ea09cb81801ac6c0bc7f31a/181");
  EXPECT_EQ(Sha256(EncodeActionMessage(command, root, PlatformProperties(), "")).ToString(),
            "cec01c39232b4f49b741f35f1a1cb6026e65525c83a35d154ddf16264ecf3116/143");
}

TEST(ActionTest, GoldenActionWithPlatformInBothMessages) {
  ActionSpec spec = GoldenSpec();
  spec.platform = kPlatform;
  spec.salt = "s1";
  absl::StatusOr<EncodedAction> action = EncodeAction(spec);
  ASSERT_THAT(action, IsOk());
  EXPECT_EQ(action->command_digest.ToString(),
            "61ca05fbb2c76e1a71ddcbac7d1b7893d0edfa660cf8c41081baa2c52c76b9f9/92");
  EXPECT_EQ(action->key.ToString(),
            "4658fed162f026d16965a5c30ea9054a8188b82a7f236a946b0019a3d96765f7/181");

  spec.platform = PlatformProperties();
  spec.salt = "";
  action = EncodeAction(spec);
  ASSERT_THAT(action, IsOk());
  EXPECT_EQ(action->command_digest.ToString(),
            "54c3715223f1f69fee1012a749f11c1bc1564402182a1239de5861e2f425b6c1/58");
  EXPECT_EQ(action->key.ToString(),
            "473ab49334fdeafa393d30579f02f2d18bb01e59c8e0db0a5fb46017274000bb/143");
}

TEST(ActionTest, OrderOfFillingInLeavesNoTrace) {
  std::vector<std::string> outputs = {"a", "\u00e9", "\ufffd", "\U0001f600"};
  PlatformProperties platform = {{"ISA", "x86-64"}, {"ISA", "x86-64+avx2"}, {"OSFamily", "linux"}};
  ActionSpec spec = GoldenSpec();
  spec.output_paths = outputs;
  spec.platform = platform;
  const std::string key = KeyOf(spec);
  std::sort(outputs.begin(), outputs.end());
  do {
    spec.output_paths = outputs;
    spec.output_paths.push_back(outputs[1]);  // a path given twice is one path
    EXPECT_EQ(KeyOf(spec), key);
  } while (std::next_permutation(outputs.begin(), outputs.end()));
  spec.output_paths = outputs;
  std::sort(platform.begin(), platform.end());
  do {
    spec.platform = platform;
    EXPECT_EQ(KeyOf(spec), key);
  } while (std::next_permutation(platform.begin(), platform.end()));
}

TEST(ActionTest, RepeatedFieldsAreSortedByUtf8Bytes) {
  ActionSpec spec = GoldenSpec();
  spec.environment_variables = {{"\U0001f600", "4"}, {"\ufffd", "3"}, {"\u00e9", "2"}, {"a", "1"}};
  spec.output_paths = {"\U0001f600", "\ufffd", "\u00e9", "a", "a"};
  spec.platform = PlatformProperties{{"b", "1"}, {"a", "2"}, {"a", "1"}};
  absl::StatusOr<EncodedAction> encoded = EncodeAction(spec);
  ASSERT_THAT(encoded, IsOk());
  reapi::Command command;
  ASSERT_TRUE(command.ParseFromString(encoded->command));
  std::vector<std::string> values;
  for (const auto& variable : command.environment_variables()) values.push_back(variable.value());
  EXPECT_THAT(values, ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(command.output_paths(), ElementsAre("a", "\u00e9", "\ufffd", "\U0001f600"));
  reapi::Action action;
  ASSERT_TRUE(action.ParseFromString(encoded->action));
  std::vector<std::string> properties;
  for (const auto& property : action.platform().properties()) {
    properties.push_back(property.name() + "=" + property.value());
  }
  EXPECT_THAT(properties, ElementsAre("a=1", "a=2", "b=1"));
}

TEST(ActionTest, WhatMustNeverBeSetIsNot) {
  ActionSpec spec = GoldenSpec();
  spec.platform = kPlatform;
  absl::StatusOr<EncodedAction> encoded = EncodeAction(spec);
  ASSERT_THAT(encoded, IsOk());
  reapi::Command command;
  ASSERT_TRUE(command.ParseFromString(encoded->command));
  EXPECT_EQ(command.working_directory(), "");
  reapi::Action action;
  ASSERT_TRUE(action.ParseFromString(encoded->action));
  EXPECT_FALSE(action.has_timeout());
  EXPECT_FALSE(action.do_not_cache());
}

TEST(ActionTest, EveryFieldIsPartOfTheKey) {
  std::vector<ActionSpec> specs(1, GoldenSpec());
  const auto with = [&](auto change) {
    ActionSpec spec = GoldenSpec();
    change(spec);
    specs.push_back(spec);
  };
  with([](ActionSpec& s) { s.arguments[0] = "/usr/bin/llc2"; });
  with([](ActionSpec& s) { s.arguments.push_back(""); });
  with([](ActionSpec& s) { s.arguments = {"/usr/bin/llc", "-o", "a.txt", "out.ptx"}; });
  with([](ActionSpec& s) { s.environment_variables["LC_ALL"] = "D"; });
  with([](ActionSpec& s) { s.environment_variables["A"] = ""; });
  with([](ActionSpec& s) { s.environment_variables.clear(); });
  with([](ActionSpec& s) { s.output_paths = {"out.pty"}; });
  with([](ActionSpec& s) { s.output_paths = {"out.ptx", "out.pty"}; });
  with([](ActionSpec& s) { s.input_root_digest = EmptyDigest(); });
  with([](ActionSpec& s) { ++s.input_root_digest.size_bytes; });
  with([](ActionSpec& s) { s.platform = PlatformProperties(); });
  with([](ActionSpec& s) { s.platform = PlatformProperties{{"ISA", "x86-64"}}; });
  with([](ActionSpec& s) { s.platform = PlatformProperties{{"ISA", "arm-a64"}}; });
  with(
      [](ActionSpec& s) { s.platform = PlatformProperties{{"ISA", "x86-64"}, {"ISA", "x86-64"}}; });
  with([](ActionSpec& s) { s.salt = "s1"; });
  with([](ActionSpec& s) { s.salt = std::string("\0", 1); });
  std::vector<std::string> keys;
  for (const ActionSpec& spec : specs) keys.push_back(KeyOf(spec));
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::unique(keys.begin(), keys.end()), keys.end());
}

TEST(ActionTest, WhatTheProtocolForbidsIsRefusedNamingTheValue) {
  const auto refused = [](auto change) {
    ActionSpec spec = GoldenSpec();
    change(spec);
    return EncodeAction(spec).status();
  };
  const auto naming = [](std::string_view text) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text));
  };
  EXPECT_THAT(refused([](ActionSpec& s) { s.arguments.clear(); }), naming("arguments"));
  EXPECT_THAT(refused([](ActionSpec& s) { s.arguments[0].clear(); }), naming("arguments"));
  EXPECT_THAT(refused([](ActionSpec& s) { s.arguments[1] = "\xe9"; }), naming("\\xe9"));
  EXPECT_THAT(refused([](ActionSpec& s) { s.arguments[1] = std::string("a\0b", 3); }),
              naming("NUL"));
  EXPECT_THAT(refused([](ActionSpec& s) { s.environment_variables["A=B"] = ""; }), naming("A=B"));
  EXPECT_THAT(refused([](ActionSpec& s) { s.environment_variables[""] = "x"; }), naming("name"));
  EXPECT_THAT(refused([](ActionSpec& s) { s.environment_variables["A"] = "\xff"; }),
              naming("\\xff"));
  EXPECT_THAT(refused([](ActionSpec& s) { s.output_paths = {"/abs"}; }), naming("/abs"));
  EXPECT_THAT(refused([](ActionSpec& s) { s.output_paths = {"d/"}; }), naming("d/"));
  EXPECT_THAT(refused([](ActionSpec& s) { s.output_paths = {"d", "d-e", "d/f"}; }), naming("d/f"));
  EXPECT_THAT(refused([](ActionSpec& s) { s.platform = PlatformProperties{{"", "x"}}; }),
              naming("name"));
  EXPECT_THAT(refused([](ActionSpec& s) { s.platform = PlatformProperties{{"a", "\xff"}}; }),
              naming("\\xff"));
  EXPECT_THAT(refused([](ActionSpec& s) { s.input_root_digest = Digest(); }), naming("input root"));
}

}  // namespace
}  // namespace ingot::cache
