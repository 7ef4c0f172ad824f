#include "tools/driver/asked_store.h"

#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/history.h"
#include "cache/lookup.h"
#include "cache/remote/open_remote.h"
#include "cache/testing/compilation.h"
#include "cache/testing/http_server.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/driver/environment.h"
#include "tools/driver/remote_flags.h"
#include "tools/driver/store.h"

namespace ingot::driver {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::_;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class AskedStoreTest : public testing::Test {
 protected:
  AskedStoreTest() {
    paths_.store = folder_.path() + "/store";
    paths_.state = folder_.path() + "/state";
    remote_.cache = absl::StrCat("http://me:secret@", server_.authority());
  }

  AskedStore Open() {
    absl::StatusOr<AskedStore> store = OpenToAsk(environment_, paths_, remote_);
    EXPECT_THAT(store, IsOk());
    return *std::move(store);
  }

  void Publish(cache::ActionCache& actions, cache::BlobStore& blobs) {
    const std::vector<cache::OutputContents> outputs = {{"out.o", "object"}, {"out.map", "map"}};
    ASSERT_THAT(cache::Publish(actions, blobs, compilation_.Request(outputs, "")), IsOk());
  }
  void PublishIn(const std::string& path) {
    LocalFolder folder(path);
    Publish(folder.actions, folder.blobs);
  }
  void PublishRemotely() {
    const auto remote = cache::OpenRemote({.url = server_.url()}).value();
    Publish(remote->actions(), remote->blobs());
  }

  static void Damage(const std::string& path) { std::ofstream(path) << "damaged"; }

  // The answer without its place, which ends with the store.
  KeyAnswer Ask() {
    KeyAnswer answer = AskAbout(Open(), key(), compilation_.output_paths);
    answer.place = nullptr;
    return answer;
  }
  const cache::ActionKey& key() const { return compilation_.action.key; }

  std::ostringstream out_, err_;
  const Environment environment_{
      .variable = [](std::string_view) -> std::optional<std::string> { return std::nullopt; },
      .ingot_variables = nullptr,
      .out = out_,
      .err = err_,
      .executable = ""};
  const cache::Compilation compilation_ = cache::Compilation::Make();
  cache::TemporaryDirectory folder_;
  cache::HttpCacheContents contents_;
  std::optional<cache::HttpServer::Response> fault_;  // in place of an answer
  cache::HttpServer server_{[this](const cache::HttpServer::Request& request) {
    return fault_.has_value() ? *fault_ : contents_.Answer(request);
  }};
  StorePaths paths_;
  RemoteFlags remote_;
};

TEST_F(AskedStoreTest, SaysWhichPlaceHasTheResult) {
  paths_.layers = {folder_.path() + "/image", folder_.path() + "/other"};
  PublishRemotely();
  const AskedStore store = Open();
  const auto ask = [&] {
    const KeyAnswer answer = AskAbout(store, key(), std::nullopt);
    EXPECT_EQ(answer.state, KeyState::kStored);
    EXPECT_THAT(answer.notes, IsEmpty());
    EXPECT_THAT(answer.text, HasSubstr(answer.place->name));
    return answer.place->kind;
  };
  EXPECT_EQ(ask(), "remote");
  PublishIn(paths_.layers[1]);
  EXPECT_EQ(ask(), "layer 2");
  PublishIn(paths_.layers[0]);
  EXPECT_EQ(ask(), "layer 1");
  PublishIn(paths_.store);
  EXPECT_EQ(ask(), "local");
}

TEST_F(AskedStoreTest, TheRemoteIsNotAskedForWhatIsHere) {
  PublishIn(paths_.store);
  EXPECT_EQ(Ask().state, KeyState::kStored);
  EXPECT_THAT(FindEntry(Open(), key()), IsOk());
  EXPECT_THAT(Describe(Open(), key()), IsOk());
  EXPECT_EQ(server_.connections(), 0);
}

TEST_F(AskedStoreTest, TheRemoteIsAskedOnceForAnEntry) {
  EXPECT_EQ(Ask().state, KeyState::kNeverStored);
  EXPECT_THAT(server_.lines(), ElementsAre(absl::StrCat("GET /ac/", key().hash())));
}

TEST_F(AskedStoreTest, ARemoteThatCannotAnswerIsTheAnswer) {
  fault_ = cache::HttpServer::Response{.status = 403};
  const KeyAnswer answer = Ask();
  EXPECT_EQ(answer.state, KeyState::kRemoteError);
  EXPECT_EQ(answer.local_state, KeyState::kNeverStored);
  EXPECT_THAT(answer.text,
              AllOf(HasSubstr(server_.url()), HasSubstr("403"), Not(HasSubstr("secret"))));
  EXPECT_THAT(answer.notes, ElementsAre(StartsWith("on this machine: never stored: ")));
  std::string error;
  EXPECT_THAT(FindEntry(Open(), key(), Reach::kRemote, &error),
              StatusIs(absl::StatusCode::kUnavailable, StartsWith("remote error: ")));
  EXPECT_THAT(error, HasSubstr("403"));
  EXPECT_THAT(FindEntry(Open(), key(), Reach::kThisMachine),
              StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(AskedStoreTest, WhatWasEvictedHereMayBeInARemoteThatCannotAnswer) {
  fault_ = cache::HttpServer::Response{.status = 403};
  OpenStore(paths_)
      ->history->Append({.kind = cache::HistoryEventKind::kCopied, .key = key().ToString()})
      .IgnoreError();
  KeyAnswer answer = Ask();
  EXPECT_EQ(answer.state, KeyState::kRemoteError);
  EXPECT_EQ(answer.local_state, KeyState::kEvicted);
  fault_.reset();
  answer = Ask();
  EXPECT_EQ(answer.state, KeyState::kEvicted);
  EXPECT_THAT(answer.text, HasSubstr("copied here"));
}

TEST_F(AskedStoreTest, DamageHereIsGraverThanARemoteThatCannotAnswer) {
  PublishIn(paths_.store);
  Damage(LocalFolder(paths_.store).actions.LocationOf(key()));
  fault_ = cache::HttpServer::Response{.hang_up = true};
  const KeyAnswer answer = Ask();
  EXPECT_EQ(answer.state, KeyState::kCorrupt);
  EXPECT_THAT(answer.notes, ElementsAre(StartsWith("remote error: ")));
}

TEST_F(AskedStoreTest, TheDamageBeforeAHitIsNoted) {
  PublishIn(paths_.store);
  PublishRemotely();
  Damage(LocalFolder(paths_.store).actions.LocationOf(key()));
  const KeyAnswer answer = Ask();
  EXPECT_EQ(answer.state, KeyState::kStored);
  EXPECT_THAT(answer.notes, ElementsAre(AllOf(HasSubstr(paths_.store), HasSubstr("corrupt"))));
}

TEST_F(AskedStoreTest, ARemoteIsEnough) {
  paths_.store.clear();
  PublishRemotely();
  EXPECT_EQ(Ask().state, KeyState::kStored);
  remote_.cache.reset();
  EXPECT_THAT(OpenToAsk(environment_, paths_, remote_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no store")));
}

TEST_F(AskedStoreTest, TheRemoteNeedsTheSizeInTheKey) {
  PublishRemotely();
  const AskedStore store = Open();
  const cache::ActionKey unknown = ResolveKey(key().hash(), store).value();
  EXPECT_EQ(unknown.digest().size_bytes, 0);
  const KeyAnswer answer = AskAbout(store, unknown, std::nullopt);
  EXPECT_EQ(answer.state, KeyState::kNeverStored);
  EXPECT_THAT(answer.notes, Contains(HasSubstr("HASH/SIZE")));
  EXPECT_THAT(FindEntry(store, unknown),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("HASH/SIZE")));
  EXPECT_EQ(AskAbout(store, key(), std::nullopt).state, KeyState::kStored);
}

TEST_F(AskedStoreTest, AWrongSizeIsNoDamage) {
  PublishIn(paths_.store);
  const AskedStore store = Open();
  EXPECT_THAT(ResolveKey(key().ToString(), store), IsOk());
  EXPECT_THAT(ResolveKey(absl::StrCat(key().hash(), "/1"), store),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(key().ToString())));
  // A damaged Action says nothing about its size.
  Damage(LocalFolder(paths_.store).blobs.LocationOf(key().digest()));
  EXPECT_THAT(ResolveKey(absl::StrCat(key().hash(), "/1"), store), IsOk());
}

TEST_F(AskedStoreTest, TheDescriptionComesFromTheRemoteWhereItIsMissingHere) {
  PublishRemotely();
  EXPECT_THAT(Describe(Open(), key()), IsOk());
  EXPECT_THAT(Describe(Open(), key(), Reach::kThisMachine),
              StatusIs(absl::StatusCode::kNotFound, _));
}

}  // namespace
}  // namespace ingot::driver
