// Modules that answer what the agent asks of them as a test tells them to.
#pragma once

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/module_entry.h"
#include "router/timers.h"

namespace longshore::core {

// Code that answers as it is told.
class AnsweringCode final : public loader::ModuleCode {
 public:
  using Answer = std::function<void(const longshore_host* host, longshore_call call)>;

  AnsweringCode(std::shared_ptr<const loader::ModuleFacts> facts, Answer answer)
      : ModuleCode(std::move(facts)), answer_(std::move(answer)) {}

  longshore_result create(const longshore_host* host, void** self,
                          const longshore_instance** functions) override {
    static const longshore_instance table = {
        sizeof(longshore_instance),
        0,
        [](void* of, longshore_call call, longshore_bytes, longshore_bytes) { finish(of, call); },
        [](void* of, longshore_call call, longshore_bytes, longshore_bytes) {
          auto& code = *static_cast<AnsweringCode*>(of);
          code.answer_(code.host_, call);
        },
        &AnsweringCode::finish,  // what was not answered before
        nullptr,
        [](void* of, longshore_call call) { finish(of, call); },
        [](void*) {}};
    host_ = host;
    *self = this;
    *functions = &table;
    return LONGSHORE_OK;
  }

 private:
  static void finish(void* of, longshore_call call) {
    const longshore_host* const host = static_cast<AnsweringCode*>(of)->host_;
    host->finish(host, call, 0, {nullptr, 0});
  }

  const Answer answer_;
  const longshore_host* host_ = nullptr;
};

// An agent with some, which are controllers.
struct AnsweringModules {
  ~AnsweringModules() {
    for (const ModuleEntry& entry : entries) {
      if (entry.instance) {
        CHECK(entry.instance->stop(router::Clock::now() + std::chrono::seconds(10)));
      }
    }
  }

  // What it serves is in the description.
  ModuleEntry& add(const std::string& name, AnsweringCode::Answer answer,
                   loader::ModuleDescription description) {
    auto facts = std::make_shared<loader::ModuleFacts>();
    facts->description = std::move(description);
    loader::InstanceOptions options;
    options.name = name;
    ModuleEntry& entry = entries.emplace_back();
    entry.settings.name = name;
    entry.settings.is_controller = true;
    entry.facts = facts;
    entry.instance =
        loader::Instance::create(std::make_shared<AnsweringCode>(facts, std::move(answer)), options,
                                 router, *log)
            .value();
    REQUIRE(entry.instance->start({}, {}));
    return entry;
  }
  static AnsweringCode::Answer answers(const std::string& response) {
    return [response](const longshore_host* host, longshore_call call) {
      host->send(host, call, {response.data(), response.size()});
      host->finish(host, call, 0, {nullptr, 0});
    };
  }

  std::unique_ptr<observe::Log> log =
      observe::Log::open({.write = [](observe::Level, std::string_view) {}}).value();
  router::Timers timers;
  router::Router router{timers, {}};
  std::vector<ModuleEntry> entries;
};

}  // namespace longshore::core
