#include "tests/support/loaded_module.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace longshore::test {

namespace {

longshore_bytes to_bytes(std::string_view text) { return {text.data(), text.size()}; }
std::string to_string(longshore_bytes bytes) {
  return {static_cast<const char*>(bytes.data), static_cast<size_t>(bytes.size)};
}

// Never closed, as the agent never closes one.
const longshore_module_entry* load_entry(const std::string& file) {
#if defined(_WIN32)
  HMODULE const image = LoadLibraryA(file.c_str());
  if (image == nullptr) throw std::runtime_error("cannot load " + file);
  FARPROC const entry = GetProcAddress(image, "longshore_module");
  if (entry == nullptr) throw std::runtime_error(file + " has no longshore_module");
  // A constant, which Windows calls a function as everything that is exported.
  return reinterpret_cast<const longshore_module_entry*>(reinterpret_cast<void*>(entry));
#else
  void* image = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (image == nullptr) throw std::runtime_error(::dlerror());
  void* entry = ::dlsym(image, "longshore_module");
  if (entry == nullptr) throw std::runtime_error(::dlerror());
  return static_cast<const longshore_module_entry*>(entry);
#endif
}

}  // namespace

// The host table; `context` is the LoadedModule. What no module under test needs is refused.
struct LoadedModule::Host {
  static LoadedModule& self(const longshore_host* host) {
    return *static_cast<LoadedModule*>(host->context);
  }

  // Does `function` with an unfinished call, under the lock.
  template <typename Function>
  static longshore_result with(const longshore_host* host, longshore_call handle,
                               Function function) {
    LoadedModule& module = self(host);
    const std::lock_guard lock(module.mutex_);
    const auto found = module.calls_.find(handle);
    if (found == module.calls_.end() || found->second.code) return LONGSHORE_STALE;
    return function(found->second);
  }

  static longshore_result call_info(const longshore_host* host, longshore_call handle,
                                    longshore_call_info* info) {
    return with(host, handle, [&](const Call& call) {
      info->remaining_ns = INT64_MAX;
      if (call.deadline) {
        const auto left = *call.deadline - std::chrono::steady_clock::now();
        info->remaining_ns = std::max<int64_t>(0, std::chrono::nanoseconds(left).count());
      }
      info->request_id = info->caller = info->on_behalf_of = to_bytes("test");
      return LONGSHORE_OK;
    });
  }

  static longshore_result call_state(const longshore_host* host, longshore_call handle) {
    return with(host, handle, [](const Call& call) {
      const bool late = call.deadline && std::chrono::steady_clock::now() >= *call.deadline;
      return late ? LONGSHORE_CANCELLED : LONGSHORE_OK;
    });
  }

  static longshore_result send(const longshore_host* host, longshore_call handle,
                               longshore_bytes message) {
    return with(host, handle, [&](Call& call) {
      call.message = to_string(message);
      return LONGSHORE_OK;
    });
  }

  static longshore_result finish(const longshore_host* host, longshore_call handle,
                                 longshore_status_code code, longshore_bytes text) {
    return with(host, handle, [&](Call& call) {
      call.code = code;
      call.text = to_string(text);
      return LONGSHORE_OK;
    });
  }

  static longshore_result invoke(const longshore_host*, const longshore_invoke_request*,
                                 longshore_invocation*) {
    return LONGSHORE_REFUSED;
  }
  static longshore_result cancel(const longshore_host*, longshore_invocation) {
    return LONGSHORE_STALE;
  }
  static longshore_result grant(const longshore_host*, longshore_invocation, uint32_t) {
    return LONGSHORE_STALE;
  }
  static longshore_result post(const longshore_host*, int64_t, void (*)(void*, longshore_result),
                               void*) {
    return LONGSHORE_REFUSED;
  }
  static void log(const longshore_host*, longshore_log_level, longshore_call, longshore_bytes) {}
};

LoadedModule::LoadedModule(const std::string& file) : entry_(load_entry(file)) {
  if (!description_.ParseFromArray(entry_->description,
                                   static_cast<int>(entry_->description_size))) {
    throw std::runtime_error("the description is no message");
  }
  // What 0.1 has: modules do without the rest.
  host_ = {offsetof(longshore_host, set_timer),
           LONGSHORE_ABI_MAJOR,
           1,
           this,
           &Host::call_info,
           &Host::call_state,
           &Host::send,
           &Host::finish,
           &Host::invoke,
           &Host::cancel,
           &Host::grant,
           &Host::post,
           &Host::log,
           nullptr,
           nullptr,
           nullptr,
           nullptr};
  if (entry_->create(&host_, &instance_, &functions_) != LONGSHORE_OK) {
    throw std::runtime_error("the module refused to create an instance");
  }
}

LoadedModule::~LoadedModule() { functions_->destroy(instance_); }

module::v1::Settings LoadedModule::default_settings() const {
  module::v1::Settings settings;
  for (const module::v1::Option& option : description_.options()) {
    (*settings.mutable_values())[option.name()] = option.default_value();
  }
  return settings;
}

template <typename Function>
Result<std::string> LoadedModule::run(std::optional<std::chrono::nanoseconds> timeout,
                                      Function function) {
  longshore_call handle = 0;
  {
    const std::lock_guard lock(mutex_);
    handle = ++last_call_;
    if (timeout) calls_[handle].deadline = std::chrono::steady_clock::now() + *timeout;
    calls_[handle];
  }
  function(handle);
  const std::lock_guard lock(mutex_);
  Call call = std::move(calls_.extract(handle).mapped());
  if (!call.code) throw std::runtime_error("the module returned without an answer");
  if (*call.code != 0) {
    return Error::of_text(static_cast<StatusCode>(*call.code), std::move(call.text));
  }
  return std::move(call.message);
}

Result<void> LoadedModule::start(const module::v1::Settings& settings) {
  const std::string bytes = settings.SerializeAsString();
  const auto result = run({}, [&](longshore_call call) {
    functions_->start(instance_, call, to_bytes(bytes), to_bytes(""));
  });
  if (!result) return result.error();
  return {};
}

Result<void> LoadedModule::stop() {
  const auto result = run({}, [&](longshore_call call) { functions_->stop(instance_, call); });
  if (!result) return result.error();
  return {};
}

Result<std::string> LoadedModule::call(const std::string& method, const std::string& request,
                                       std::optional<std::chrono::nanoseconds> timeout) {
  return run(timeout, [&](longshore_call call) {
    functions_->invoke(instance_, call, to_bytes(method), to_bytes(request));
  });
}

}  // namespace longshore::test
