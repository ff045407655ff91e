// The volume group while WMI hangs, on a Windows that is made up.
#include <catch2/catch.hpp>
#include <condition_variable>
#include <mutex>

#include "support/windows/abandonable_wmi.h"
#include "tests/support/eventually.h"
#include "tests/support/windows/fake_node.h"
#include "tests/unit/volume/suite_calls.h"

namespace longshore::volume {
namespace {

using test::eventually;

// The node's WMI, of which a method hangs while a test wants it.
class HangingProvider final : public support::WmiProvider {
 public:
  explicit HangingProvider(test::FakeNode& node) : node_(node) {}

  Result<std::vector<support::WmiObject>> query(const std::string& name_space,
                                                const std::string& query) override {
    return node_.query(name_space, query, {});
  }
  Result<support::WmiObject> call(const std::string& name_space, const std::string& object,
                                  const std::string& method,
                                  const support::WmiObject& arguments) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return object != hanging_; });
    return node_.call(name_space, object, method, arguments, {});
  }

  void hang_with(std::string object) {
    const std::lock_guard lock(mutex_);
    hanging_ = std::move(object);
    changed_.notify_all();
  }

 private:
  test::FakeNode& node_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string hanging_;
};

struct Hanging {
  // A case that fails must not wait for ever.
  ~Hanging() { provider->hang_with({}); }

  WindowsWorld world{Setup{.disks = 2}};
  Calls<WindowsWorld> calls{world};
  std::shared_ptr<HangingProvider> provider = std::make_shared<HangingProvider>(world.node());
  support::AbandonableWmi wmi{provider};
  support::AllowedRoots roots = *support::AllowedRoots::from({"C:\\var\\lib\\kubelet"});
  test::TemporaryDirectory state;
  VolumeBackendWindows backend{{world.node(), world.node(), world.files(), wmi},
                               {.roots = roots,
                                .state_directory = state.path().string(),
                                .patience = std::chrono::milliseconds(0)}};
  VolumeService service{roots, backend};
};

TEST_CASE("a format that hangs in WMI holds nothing else up, and is found done afterwards") {
  Hanging hanging;
  const std::string id = hanging.calls.volume(0);
  const std::string other = hanging.calls.volume(1);
  hanging.provider->hang_with("MSFT_Volume=" + id);
  // On a busy machine the time may be over before WMI is asked.
  Result<void> late;
  REQUIRE(eventually([&] {
    late = hanging.backend.format(id, Deadline().within(std::chrono::milliseconds(100)));
    return !late && late.error().message().find(".Format") != std::string::npos;
  }));
  CHECK(outcome(late) == "DEADLINE_EXCEEDED");
  CHECK_THAT(late.error().message(), Catch::Contains("WMI has not answered"));
  const auto again = hanging.service.format(id, {}, "test");
  REQUIRE(outcome(again) == "UNAVAILABLE");
  CHECK_THAT(again.error().message(), Catch::Contains("WMI has not answered"));
  // What needs no WMI, and WMI for another volume.
  CHECK(answer(hanging.service.is_formatted(id)) == "false");
  CHECK(outcome(hanging.service.stats(id)) == "OK");
  CHECK(outcome(hanging.service.format(other, {}, "test")) == "OK");
  hanging.world.put_directory(hanging.world.at("target"));
  CHECK(outcome(hanging.service.mount(other, hanging.world.at("target"), {}, "test")) == "OK");

  hanging.provider->hang_with({});
  CHECK(eventually([&] { return outcome(hanging.service.format(id, {}, "test")) == "OK"; }));
  CHECK(answer(hanging.service.is_formatted(id)) == "true");
}

}  // namespace
}  // namespace longshore::volume
