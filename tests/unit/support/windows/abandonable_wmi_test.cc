// WMI that hangs, and who waits for it.
#include "support/windows/abandonable_wmi.h"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <mutex>
#include <set>

#include "tests/support/eventually.h"
#include "tests/support/outcome.h"

namespace longshore::support {
namespace {

using std::chrono::milliseconds;
using test::eventually;
using test::outcome;

// Hangs with what it is told to until it is told to return.
class HangingProvider final : public WmiProvider {
 public:
  ~HangingProvider() override { give_back(); }

  Result<std::vector<WmiObject>> query(const std::string&, const std::string& query) override {
    hang(query);
    return rows;
  }
  Result<WmiObject> call(const std::string&, const std::string& object, const std::string&,
                         const WmiObject&) override {
    hang(object);
    return answer;
  }

  void hang_with(const std::string& subject) {
    const std::lock_guard lock(mutex_);
    subjects_.insert(subject);
  }
  void give_back() {
    const std::lock_guard lock(mutex_);
    subjects_.clear();
    changed_.notify_all();
  }
  // So many threads hang in it.
  size_t hanging() {
    const std::lock_guard lock(mutex_);
    return hanging_;
  }

  Result<std::vector<WmiObject>> rows = std::vector<WmiObject>();
  Result<WmiObject> answer = WmiObject{{"ReturnValue", int64_t{0}}};

 private:
  void hang(const std::string& subject) {
    std::unique_lock lock(mutex_);
    ++hanging_;
    changed_.wait(lock, [&] { return !subjects_.contains(subject); });
    --hanging_;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> subjects_;
  size_t hanging_ = 0;
};

struct Asked {
  // A case that fails must not wait for ever.
  ~Asked() { provider->give_back(); }

  Result<std::vector<WmiObject>> ask(const std::string& query, const Deadline& deadline = {}) {
    return wmi.query(kStorageNamespace, query, deadline);
  }
  Result<WmiObject> call(const std::string& object, const Deadline& deadline = {}) {
    return wmi.call(kStorageNamespace, object, "Format", {{"FileSystem", std::string("NTFS")}},
                    deadline);
  }

  std::shared_ptr<HangingProvider> provider = std::make_shared<HangingProvider>();
  AbandonableWmi wmi{provider};
};

Deadline soon() { return Deadline().within(milliseconds(1)); }

TEST_CASE("a provider that hangs holds nobody past his deadline, and no other question up") {
  Asked asked;
  asked.provider->hang_with("disks");
  asked.provider->hang_with("volume 1");
  const auto late = asked.ask("disks", soon());
  REQUIRE(outcome(late) == "DEADLINE_EXCEEDED");
  CHECK_THAT(late.error().message(),
             Catch::Contains("\"disks\"") && Catch::Contains("WMI has not answered in the time"));
  const auto late_call = asked.call("volume 1", soon());
  REQUIRE(outcome(late_call) == "DEADLINE_EXCEEDED");
  CHECK_THAT(late_call.error().message(), Catch::Contains("\"volume 1.Format\""));
  // Nobody else waits for it, though he has all the time.
  const auto again = asked.ask("disks");
  REQUIRE(outcome(again) == "UNAVAILABLE");
  CHECK_THAT(again.error().message(), Catch::Contains("has not answered yet"));
  CHECK(outcome(asked.call("volume 1")) == "UNAVAILABLE");
  CHECK(outcome(asked.ask("volumes")) == "OK");
  CHECK(outcome(asked.call("volume 2")) == "OK");
}

TEST_CASE("what hung is asked again when the provider has come back") {
  Asked asked;
  asked.provider->hang_with("volume 1");
  REQUIRE(outcome(asked.call("volume 1", soon())) == "DEADLINE_EXCEEDED");
  asked.provider->give_back();
  CHECK(eventually([&] { return outcome(asked.call("volume 1")) == "OK"; }));
  CHECK(asked.provider->hanging() == 0);
}

TEST_CASE("no more than so many threads hang, whatever is asked") {
  Asked asked;
  const auto volume = [](size_t number) { return "volume " + std::to_string(number); };
  for (size_t i = 0; i < AbandonableWmi::kMostQuestions; ++i) {
    asked.provider->hang_with(volume(i));
    CHECK(outcome(asked.call(volume(i), soon())) == "DEADLINE_EXCEEDED");
  }
  for (const char* const one_more : {"volume 16", "volume 17"}) {
    const auto refused = asked.call(one_more);
    REQUIRE(outcome(refused) == "UNAVAILABLE");
    CHECK_THAT(refused.error().message(), Catch::Contains("16 other questions"));
  }
  CHECK(asked.provider->hanging() <= AbandonableWmi::kMostQuestions);
  asked.provider->give_back();
  CHECK(eventually([&] { return outcome(asked.call("volume 16")) == "OK"; }));
}

TEST_CASE("a caller who has gone is told so, and not that WMI was slow") {
  Asked asked;
  asked.provider->hang_with("disks");
  const Deadline gone{.cancelled = [&] { return asked.provider->hanging() > 0; }};
  CHECK(outcome(asked.ask("disks", gone)) == "CANCELLED");
}

TEST_CASE("no rows are an answer, and an error of the provider's is his") {
  Asked asked;
  const auto none = asked.ask("SELECT * FROM NoSuchClass");
  REQUIRE(none);
  CHECK(none->empty());
  asked.provider->rows = Error(StatusCode::kPermissionDenied, "ask WMI", "disks");
  CHECK(outcome(asked.ask("disks")) == "PERMISSION_DENIED");
  asked.provider->answer = Error(StatusCode::kUnimplemented, "call by WMI", "volume");
  CHECK(outcome(asked.call("volume 1")) == "UNIMPLEMENTED");
}

}  // namespace
}  // namespace longshore::support
