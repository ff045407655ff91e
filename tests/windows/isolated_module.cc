#include "tests/windows/isolated_module.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <mutex>
#include <utility>

#include "loader/image.h"
#include "supervise/child_factory.h"

namespace longshore::test {
namespace {

std::unique_ptr<observe::Log> log_into(std::shared_ptr<std::string> lines) {
  observe::LogOptions options;
  options.write = [lines = std::move(lines), mutex = std::make_shared<std::mutex>()](
                      observe::Level, std::string_view line) {
    const std::lock_guard lock(*mutex);
    *lines += line;
    *lines += '\n';
  };
  return observe::Log::open(options).value();
}

}  // namespace

IsolatedModule::IsolatedModule(const std::string& file, config::ProcessSettings process)
    : log_(log_into(lines_)) {
  auto inspection = loader::inspect_module((std::filesystem::current_path() / file).string(), {});
  INFO((inspection ? std::string() : inspection.error().message()));
  REQUIRE(inspection);
  config::ModuleSettings module;
  module.name = "trial";
  module.isolation = "process";
  module.process = std::move(process);
  auto code = supervise::make_child_module(std::move(*inspection), module, {}, nullptr, *log_);
  INFO((code ? std::string() : code.error().message()));
  REQUIRE(code);
  code_ = std::move(*code);
  loader::InstanceOptions options;
  options.name = module.name;
  auto instance = loader::Instance::create(code_, options, router_, *log_);
  REQUIRE(instance);
  instance_ = std::move(*instance);
  const auto started = instance_->start({}, {});
  INFO((started ? std::string() : started.error().message()));
  REQUIRE(started);
  auto routes = std::make_shared<router::RouteTable>();
  for (const auto& method : code_->facts().description.methods) {
    routes->by_method.emplace(method.full_name,
                              router::Route{std::make_shared<router::Method>(method), instance_});
  }
  router_.set_routes(std::move(routes));
}

IsolatedModule::~IsolatedModule() {
  if (!is_stopped_) CHECK(stop(std::chrono::seconds(10)) == "");
}

std::shared_ptr<WaitedAnswer> IsolatedModule::begin(std::string_view method,
                                                    std::string_view request) {
  auto answer = std::make_shared<WaitedAnswer>();
  router::CallRequest call;
  call.method = method;
  call.request = request;
  call.caller = std::make_shared<router::Caller>(router::Caller{"agent", "agent", nullptr});
  call.observer = answer;
  router_.call(std::move(call));
  return answer;
}

std::string IsolatedModule::call(std::string_view method, std::string_view request) {
  const auto answer = begin(method, request);
  if (!answer->wait()) return "no answer";
  if (answer->code == StatusCode::kOk) return answer->text;
  return status_code_name(answer->code) + ": " + answer->text;
}

std::string IsolatedModule::stop(std::chrono::nanoseconds time) {
  is_stopped_ = true;
  router_.set_routes(std::make_shared<router::RouteTable>());
  const auto stopped = instance_->stop(router::Clock::now() + time);
  return stopped ? std::string() : stopped.error().message();
}

}  // namespace longshore::test
