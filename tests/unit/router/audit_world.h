// A router with an audit log in a folder of its own.
#pragma once

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "observe/audit_chain.h"
#include "router/audit_log.h"
#include "router/message_schema.h"
#include "test_target.h"
#include "tests/support/temporary_directory.h"
#include "user_ids.h"

namespace longshore::router {

inline std::shared_ptr<Method> mutating_method() {
  auto schema = std::make_shared<MessageSchema>();
  schema->fields = {{1, {"path", 9, false, false, nullptr}},
                    {2, {"password", 9, false, true, nullptr}}};
  auto method = std::make_shared<Method>();
  method->full_name = "v1.Smb/Mount";
  method->service = "v1.Smb";
  method->name = "Mount";
  method->module = "smb";
  method->object_field = 1;
  method->request_schema = std::move(schema);
  return method;
}

// A router whose log goes to memory and whose audit log to a file.
struct AuditWorld {
  explicit AuditWorld(bool required = false, int64_t max_size = 0,
                      std::chrono::milliseconds between_anchors = AuditOptions{}.between_anchors) {
    observe::LogOptions options;
    options.write = [this](observe::Level, std::string_view line) {
      const std::lock_guard lock(log_mutex);
      (log_text += line) += '\n';
    };
    log = *observe::Log::open(options);
    audit = std::make_unique<AuditLog>(*log, timers);
    REQUIRE(audit->open({.file = file,
                         .mark = mark,
                         .required = required,
                         .max_size = max_size,
                         .between_anchors = between_anchors}));
    RouterOptions router_options;
    router_options.audit = audit.get();
    router = std::make_unique<Router>(timers, router_options);
    set_method(mutating_method());
  }

  void set_method(std::shared_ptr<const Method> method) {
    const std::string name = method->full_name;
    router->set_routes(std::make_shared<RouteTable>(
        RouteTable{.by_method = {{name, Route{std::move(method), target}}}}));
  }

  std::shared_ptr<Call> begin(const std::string& bytes = "\x0a\x02/x\x12\x06hushed") {
    recorder = std::make_shared<Recorder>();
    CallRequest request;
    request.method = "v1.Smb/Mount";
    request.request = bytes;
    request.caller = std::make_shared<Caller>(Caller{"uid:7", "uid:7", nullptr, ids_of(7), 4711});
    request.request_id = "r1";
    request.observer = recorder;
    auto call = router->call(std::move(request));
    audit->settle();
    return call;
  }

  void call(StatusCode code = StatusCode::kOk, const std::string& text = {}) {
    const auto call = begin();
    REQUIRE(call);
    call->run();
    call->send("done");
    call->finish(code, text);
  }

  // Without those that open a file.
  std::vector<std::string> lines(const std::string& name = "audit.jsonl") const {
    audit->settle();
    std::ifstream stream(directory / name);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
      if (line.find("\"event\":\"opened\"") == std::string::npos) lines.push_back(line);
    }
    return lines;
  }

  // How far the agent's log says that the chain has come, each time that it says so.
  std::vector<observe::AuditLink> anchors() {
    const std::lock_guard lock(log_mutex);
    std::vector<observe::AuditLink> anchors;
    std::istringstream stream(log_text);
    for (std::string line; std::getline(stream, line);) {
      if (auto anchor = observe::read_anchor(line)) anchors.push_back(std::move(*anchor));
    }
    return anchors;
  }

  test::TemporaryDirectory directory;
  const std::string file = directory / "audit.jsonl";
  const std::string mark = directory / "mark";
  std::mutex log_mutex;  // for log_text, while something may be written
  std::string log_text;
  std::unique_ptr<observe::Log> log;
  Timers timers;
  std::unique_ptr<AuditLog> audit;
  std::shared_ptr<TestTarget> target = std::make_shared<TestTarget>();
  std::unique_ptr<Router> router;
  std::shared_ptr<Recorder> recorder;
};

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace longshore::router
