#include "cache/testing/in_memory_store.h"

#include <memory>
#include <string_view>

#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/testing/store_contract.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

class InMemoryUnderTest : public StoreUnderTest {
 public:
  BlobStore& blob_store() override { return blobs_; }
  ActionCache& action_cache() override { return entries_; }
  void SetBlobBytes(const Digest& digest, std::string_view bytes) override {
    blobs_.SetBytes(digest, bytes);
  }
  void SetEntryBytes(const ActionKey& key, std::string_view bytes) override {
    entries_.SetBytes(key, bytes);
  }

 private:
  InMemoryBlobStore blobs_;
  InMemoryActionCache entries_;
};

INSTANTIATE_TEST_SUITE_P(InMemory, StoreContractTest,
                         testing::Values([] { return std::make_unique<InMemoryUnderTest>(); }));

}  // namespace
}  // namespace ingot::cache
