// A target that runs nothing by itself, and an observer that records: for tests of calls.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "router/call.h"
#include "router/router.h"
#include "waiting.h"

namespace longshore::router {

struct Events {
  std::vector<std::string> list;
  size_t count(const std::string& event) const {
    return static_cast<size_t>(std::count(list.begin(), list.end(), event));
  }
};

// Records what it is told. Calls are begun by the test.
class TestTarget final : public Target {
 public:
  Result<void> submit(std::shared_ptr<Call>) override {
    if (refuses) return Error(StatusCode::kUnavailable, "take the call").because("full");
    ++taken;
    return {};
  }
  bool has_moved() const override { return moved; }
  void execute(Call&) override { add("execute"); }
  void on_cancel(Call&) override { add("cancel"); }
  void on_writable(Call&) override { add("writable"); }
  void on_stuck(Call&) override { add("stuck"); }
  void on_refused(const Call&) override { add("refused"); }
  void on_end(Call&) override { add("end"); }

  bool await(const std::string& event, size_t times = 1) {
    return events.wait([&](const Events& all) { return all.count(event) >= times; });
  }
  size_t count(const std::string& event) const { return events.get().count(event); }

  bool refuses = false;
  bool moved = false;
  std::atomic<int> taken = 0;
  Watched<Events> events;

 private:
  void add(const char* event) {
    events.change([&](Events& all) { all.list.emplace_back(event); });
  }
};

struct Received {
  std::vector<std::string> messages;
  std::vector<std::pair<StatusCode, std::string>> outcomes;
};

class Recorder final : public CallObserver {
 public:
  bool on_message(std::string message) override {
    received.change([&](Received& all) { all.messages.push_back(std::move(message)); });
    return has_room;
  }
  std::optional<Error> refusal() const override { return refuses_with; }
  void on_response(std::string message) override {
    received.change([&](Received& all) {
      all.messages.push_back(std::move(message));
      all.outcomes.emplace_back(StatusCode::kOk, "");
    });
  }
  void on_finish(StatusCode code, std::string text) override {
    received.change([&](Received& all) { all.outcomes.emplace_back(code, std::move(text)); });
  }

  bool await() {
    return received.wait([](const Received& all) { return !all.outcomes.empty(); });
  }
  StatusCode code() const { return received.get().outcomes.at(0).first; }
  std::string text() const { return received.get().outcomes.at(0).second; }

  bool has_room = true;
  std::optional<Error> refuses_with;
  Watched<Received> received;
};

}  // namespace longshore::router
