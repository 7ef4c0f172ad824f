// One suite of tests for every implementation of the two cache interfaces. An implementation's test
// says how to make one, and how to break it:
//
//   class LocalUnderTest : public StoreUnderTest { ... };
//   INSTANTIATE_TEST_SUITE_P(Local, StoreContractTest,
//                            testing::Values([] { return std::make_unique<LocalUnderTest>(); }));

#ifndef INGOT_CACHE_TESTING_STORE_CONTRACT_H_
#define INGOT_CACHE_TESTING_STORE_CONTRACT_H_

#include <functional>
#include <memory>
#include <string_view>

#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "gtest/gtest.h"

namespace ingot::cache {

// An empty store. The setters put bytes where the implementation keeps a blob or an entry, as
// damage would.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  virtual BlobStore& blob_store() = 0;
  virtual ActionCache& action_cache() = 0;
  // Whether FindMissing() can tell what is there; else it has to list everything.
  virtual bool can_find() const { return true; }
  virtual void SetBlobBytes(const Digest& digest, std::string_view bytes) = 0;
  virtual void SetEntryBytes(const ActionKey& key, std::string_view bytes) = 0;
};

class StoreContractTest
    : public testing::TestWithParam<std::function<std::unique_ptr<StoreUnderTest>()>> {
 protected:
  BlobStore& blobs() { return store_->blob_store(); }
  ActionCache& entries() { return store_->action_cache(); }
  StoreUnderTest& store() { return *store_; }

 private:
  std::unique_ptr<StoreUnderTest> store_ = GetParam()();
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_TESTING_STORE_CONTRACT_H_
