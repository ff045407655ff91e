// A module in C++: derive from Module, register services in `start`, export it with one line.
//
//   class EchoModule final : public longshore::Module {
//     longshore::Result<void> start(const longshore::Settings& settings,
//                                   std::string_view handover) override {
//       add_service("acme.Echo", echo_).unary("Say", &Echo::say);
//       return {};
//     }
//     Echo echo_;
//   };
//   #include "module_description.h"
//   LONGSHORE_MODULE(EchoModule, "acme-echo", "1.0.0", "Acme Inc.")
//
// The base class turns the C functions of abi.h into typed handlers and keeps exceptions inside.
// Rules for the module's code: no mutable global state (images stay mapped and instances come and
// go), no thread_local with a destructor, no thread left when `stop` returns.
#pragma once

#include <google/protobuf/stubs/logging.h>

#include <memory>
#include <string>
#include <string_view>

#include "longshore/abi.h"
#include "longshore/context.hpp"
#include "longshore/open_stream.hpp"
#include "longshore/result.hpp"
#include "longshore/secret.hpp"
#include "longshore/service.hpp"
#include "longshore/settings.hpp"

namespace longshore {

namespace detail {
template <typename Derived>
struct Trampolines;

// Protobuf tells standard error, which is the agent's, of every text that is not UTF-8: whoever
// sends requests could fill a log with it. Set when the image is loaded, before there are threads.
inline const bool kProtobufIsSilent = [] {
  google::protobuf::SetLogHandler(nullptr);
  return true;
}();
}  // namespace detail

// One instance. Owner: the agent, through create and destroy.
// States: created -> start -> serving -> stop -> destroyed.
class Module {
 public:
  // The minor version of the ABI without which it cannot do; a class that cannot hides it by one of
  // its own. What is newer in this SDK asks the agent whether it is there.
  static constexpr uint16_t kAbiMinorNeeded = 1;

  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  virtual ~Module() = default;

  // [control] Takes the settings and registers the services. An error keeps the instance from
  // serving; its text is what the administrator sees.
  virtual Result<void> start(const Settings& settings, std::string_view handover) = 0;

  // [control] Ends background work. What it returns is the next instance's `handover`. Calls may
  // still be running; the agent waits for them afterwards.
  virtual Result<std::string> stop(Context context) {
    static_cast<void>(context);
    return std::string();
  }

  // [completion] Nobody waits for the call any more. Handlers that poll Context::cancelled need
  // not override it.
  virtual void on_cancel(longshore_call call) { static_cast<void>(call); }

 protected:
  template <typename Implementation>
  ServiceBuilder<Implementation> add_service(std::string name, Implementation& implementation) {
    return {handlers_, streams_, std::move(name), implementation};
  }

  // Valid from `start` on.
  const longshore_host* host() const { return host_; }

  void log(longshore_log_level level, std::string_view text) const {
    host_->log(host_, level, 0, to_bytes(text));
  }

  // Says that the module serves, but badly, and why; empty: it is well again. Administrators see
  // it in `longshorectl modules`, /readyz?verbose and the metrics. Agents of ABI 0.1 do not.
  void set_degraded(std::string_view reason) const {
    if (has(host_, &longshore_host::set_degraded)) host_->set_degraded(host_, to_bytes(reason));
  }

 private:
  template <typename Derived>
  friend struct detail::Trampolines;

  void handle(longshore_call call, std::string_view method, std::string_view request) {
    const Context context(host_, call);
    const auto handler = handlers_.find(method);
    if (handler == handlers_.end()) {
      return detail::finish(context, StatusCode::kUnimplemented,
                            "the module has no method " + std::string(method));
    }
    handler->second(context, request);
  }

  const longshore_host* host_ = nullptr;
  detail::HandlerMap handlers_;
  detail::OpenStreams streams_;
};

namespace detail {

// The C functions of one module class. Each is a barrier: an exception ends as INTERNAL.
template <typename Derived>
struct Trampolines {
  template <typename Function>
  static void guarded(Module* self, longshore_call call, Function&& function) noexcept {
    if (const auto reason = thrown_by(function)) {
      finish(Context(self->host_, call), StatusCode::kInternal, *reason);
    }
  }

  static Module* module_of(void* self) { return static_cast<Derived*>(self); }

  static longshore_result create(const longshore_host* host, void** self,
                                 const longshore_instance** functions) noexcept {
    try {
      auto module = std::make_unique<Derived>();
      static_cast<Module&>(*module).host_ = host;
      *self = module.release();
      *functions = &kFunctions;
      return LONGSHORE_OK;
    } catch (...) {
      return LONGSHORE_REFUSED;
    }
  }

  static void start(void* self, longshore_call call, longshore_bytes settings,
                    longshore_bytes handover) noexcept {
    Module* module = module_of(self);
    guarded(module, call, [&] {
      const std::unique_ptr<module::v1::Settings> message = parsed(settings);
      if (!message) {
        return finish(Context(module->host_, call), StatusCode::kInvalidArgument,
                      "the settings are not a valid message");
      }
      finish(Context(module->host_, call),
             module->start(Settings(std::move(*message)), to_view(handover)));
    });
  }

  // Null if they are no message. Where memory runs out protobuf leaves a map that must not be
  // destroyed: that message is given up.
  static std::unique_ptr<module::v1::Settings> parsed(longshore_bytes settings) {
    auto message = std::make_unique<module::v1::Settings>();
    try {
      if (message->ParseFromArray(settings.data, static_cast<int>(settings.size))) return message;
      return nullptr;
    } catch (...) {
      static_cast<void>(message.release());
      throw;
    }
  }

  static void invoke(void* self, longshore_call call, longshore_bytes method,
                     longshore_bytes request) noexcept {
    Module* module = module_of(self);
    guarded(module, call, [&] { module->handle(call, to_view(method), to_view(request)); });
  }

  static void cancel(void* self, longshore_call call) noexcept {
    Module* module = module_of(self);
    module->streams_.cancel(call);
    contain(module->host_, [&] { module->on_cancel(call); });
  }

  static void writable(void* self, longshore_call call) noexcept {
    module_of(self)->streams_.writable(call);
  }

  static void stop(void* self, longshore_call call) noexcept {
    Module* module = module_of(self);
    guarded(module, call, [&] {
      const Context context(module->host_, call);
      Result<std::string> handover = module->stop(context);
      if (!handover) {
        return finish(context, handover.error().code(), handover.error().message());
      }
      if (!handover->empty()) module->host_->send(module->host_, call, to_bytes(*handover));
      wipe(*handover);  // it may be a secret
      finish(context, StatusCode::kOk, {});
    });
  }

  static void destroy(void* self) noexcept { delete static_cast<Derived*>(self); }

  static constexpr longshore_instance kFunctions = {
      sizeof(longshore_instance), 0, &start, &invoke, &cancel, &writable, &stop, &destroy};
};

}  // namespace detail
}  // namespace longshore

// Exports the class as the module of this file. Stands once, at namespace scope, after
// #include "module_description.h" (which longshore_add_module() makes).
#define LONGSHORE_MODULE(Class, name_, version_, vendor_)                    \
  extern "C" LONGSHORE_EXPORT const longshore_module_entry longshore_module; \
  const longshore_module_entry longshore_module = {                          \
      LONGSHORE_MODULE_MAGIC,                                                \
      sizeof(longshore_module_entry),                                        \
      LONGSHORE_ABI_MAJOR,                                                   \
      Class::kAbiMinorNeeded,                                                \
      name_,                                                                 \
      version_,                                                              \
      vendor_,                                                               \
      longshore_module_description,                                          \
      longshore_module_description_size,                                     \
      &::longshore::detail::Trampolines<Class>::create};
