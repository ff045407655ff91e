#include "hostile_world.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/support/build_tree.h"

namespace longshore::hostile {
namespace {

using router::Clock;

class WaitingObserver final : public router::CallObserver {
 public:
  bool on_message(std::string) override { throw std::logic_error("a unary call has no messages"); }
  void on_response(std::string message) override { end({StatusCode::kOk, {}, std::move(message)}); }
  void on_finish(StatusCode code, std::string text) override { end({code, std::move(text), {}}); }

  Answer wait() {
    std::unique_lock lock(mutex_);
    if (!ended_.wait_for(lock, std::chrono::seconds(60), [&] { return answer_.has_value(); })) {
      throw std::runtime_error("the call has no outcome");
    }
    return *answer_;
  }

 private:
  void end(Answer answer) {
    const std::lock_guard lock(mutex_);
    if (answer_) throw std::logic_error("a second outcome");
    answer_ = std::move(answer);
    ended_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<Answer> answer_;
};

// Instances that must not be freed: threads of theirs hang.
void keep(std::shared_ptr<loader::Instance> instance) {
  static auto* kept = new std::vector<std::shared_ptr<loader::Instance>>;
  kept->push_back(std::move(instance));
}

std::string new_log_file() {
  std::string folder = std::filesystem::temp_directory_path() / "longshore-hostile-XXXXXX";
  if (!mkdtemp(folder.data())) throw std::runtime_error("no temporary directory");
  return folder + "/log";
}

}  // namespace

World::World()
    : log_file(new_log_file()),
      log(observe::Log::open({.level = observe::Level::kDebug, .file = log_file}).value()),
      router(timers, {.max_message_bytes = kMaxMessageBytes}) {
  static std::string folder = std::filesystem::path(log_file).parent_path();
  std::atexit([] {
    std::error_code ignored;  // a folder left in /tmp fails no test
    std::filesystem::remove_all(folder, ignored);
  });
}

World& World::get() {
  static World* world = new World;
  return *world;
}

size_t World::count_logged(const std::string& text) const {
  std::ifstream file(log_file);
  size_t count = 0;
  for (std::string line; std::getline(file, line);) count += line.find(text) != std::string::npos;
  return count;
}

bool World::logged(const std::string& text) const {
  return eventually([&] { return count_logged(text) > 0; });
}

std::string file_of(const std::string& module) { return test::hostile_module(module); }

namespace {

Result<std::shared_ptr<loader::Image>> load(const std::string& file) {
  Result<loader::Inspection> inspection = loader::inspect_module(file, {});
  if (!inspection) return std::move(inspection).error();
  return loader::load_module(std::move(*inspection), kMaxImages);
}

}  // namespace

Subject::Subject(const std::string& module, loader::InstanceOptions options) {
  options.name = module;
  World& world = World::get();
  const auto image = load(file_of(module));
  INFO((image ? "" : image.error().message()));
  REQUIRE(image);
  auto instance = loader::Instance::create(*image, options, world.router, *world.log);
  INFO((instance ? "" : instance.error().message()));
  REQUIRE(instance);
  instance_ = *instance;
}

Subject& Subject::started() {
  const auto result = instance_->start({}, {});
  INFO((result ? "" : result.error().message()));
  REQUIRE(result);
  return *this;
}

Answer Subject::call(const std::string& request, std::chrono::nanoseconds timeout) {
  static const auto caller =
      std::make_shared<router::Caller>(router::Caller{"embedder", "embedder", nullptr});
  const auto observer = std::make_shared<WaitingObserver>();
  router::CallRequest call;
  call.request = request;
  call.caller = caller;
  call.timeout = timeout;
  call.observer = observer;
  const auto method =
      std::make_shared<router::Method>(instance_->facts().description.methods.at(0));
  method->long_running = is_long_running_;
  World::get().router.call_directly(instance_, method, std::move(call));
  return observer->wait();
}

std::string Subject::stop(std::chrono::milliseconds time) {
  const auto stopped = instance_->stop(Clock::now() + time);
  if (stopped) return {};
  keep(instance_);
  return stopped.error().message();
}

Error load_error(const std::string& file) {
  const auto image = load(file);
  REQUIRE_FALSE(image);
  return image.error();
}

Error create_error(const std::string& module, loader::InstanceOptions options) {
  World& world = World::get();
  const auto image = load(file_of(module));
  REQUIRE(image);
  options.name = module;
  const auto instance = loader::Instance::create(*image, options, world.router, *world.log);
  REQUIRE_FALSE(instance);
  return instance.error();
}

}  // namespace longshore::hostile
