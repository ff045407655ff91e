#include "system/linux/sd_bus_library.h"

#include <dlfcn.h>

namespace longshore::system {
namespace {

// Finds functions by name until one is missing.
class Symbols {
 public:
  explicit Symbols(void* image) : image_(image) {}

  template <typename Function>
  void find(Function& function, const char* name) {
    if (missing_ != nullptr) return;
    function = reinterpret_cast<Function>(::dlsym(image_, name));
    if (function == nullptr) missing_ = name;
  }
  const char* missing() const { return missing_; }

 private:
  void* image_;
  const char* missing_ = nullptr;
};

Error unavailable(const std::string& cause) {
  return Error(StatusCode::kUnavailable, "use systemd through", "libsystemd.so.0").because(cause);
}

}  // namespace

Result<SdBusLibrary> SdBusLibrary::load() {
  void* image = ::dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (image == nullptr) return unavailable(::dlerror());
  SdBusLibrary library;
  Symbols symbols(image);
  symbols.find(library.bus_new, "sd_bus_new");
  symbols.find(library.bus_close_unref, "sd_bus_close_unref");
  symbols.find(library.bus_set_address, "sd_bus_set_address");
  symbols.find(library.bus_set_bus_client, "sd_bus_set_bus_client");
  symbols.find(library.bus_start, "sd_bus_start");
  symbols.find(library.bus_is_ready, "sd_bus_is_ready");
  symbols.find(library.bus_process, "sd_bus_process");
  symbols.find(library.bus_wait, "sd_bus_wait");
  symbols.find(library.bus_call, "sd_bus_call");
  symbols.find(library.bus_add_filter, "sd_bus_add_filter");
  symbols.find(library.bus_error_free, "sd_bus_error_free");
  symbols.find(library.bus_message_unref, "sd_bus_message_unref");
  symbols.find(library.bus_message_new_method_call, "sd_bus_message_new_method_call");
  symbols.find(library.bus_message_append_basic, "sd_bus_message_append_basic");
  symbols.find(library.bus_message_read_basic, "sd_bus_message_read_basic");
  symbols.find(library.bus_message_enter_container, "sd_bus_message_enter_container");
  symbols.find(library.bus_message_exit_container, "sd_bus_message_exit_container");
  symbols.find(library.bus_message_skip, "sd_bus_message_skip");
  symbols.find(library.bus_message_is_signal, "sd_bus_message_is_signal");
  symbols.find(library.bus_message_get_sender, "sd_bus_message_get_sender");
  if (symbols.missing() == nullptr) return library;
  return unavailable(std::string("it has no ") + symbols.missing());
}

}  // namespace longshore::system
