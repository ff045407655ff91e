#include "longshore/testing/module_file.hpp"

#include <stdexcept>

#if defined(_WIN32)
#include "longshore/windows/wide_text.hpp"
#endif
#if defined(__linux__)
#include <dlfcn.h>
#endif

namespace longshore::testing {
namespace {

constexpr const char* kEntry = "longshore_module";

#if defined(_WIN32)
const void* find_entry(const std::string& path) {
  const HMODULE image = LoadLibraryW(wide(path).c_str());
  if (!image)
    throw std::runtime_error("cannot load " + path + ": error " + std::to_string(GetLastError()));
  return reinterpret_cast<const void*>(GetProcAddress(image, kEntry));
}
#else
const void* find_entry(const std::string& path) {
  void* image = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!image) throw std::runtime_error(std::string("cannot load the module: ") + dlerror());
  return dlsym(image, kEntry);
}
#endif

}  // namespace

ModuleFile::ModuleFile(const std::string& path)
    : entry_(static_cast<const longshore_module_entry*>(find_entry(path))) {
  if (!entry_) throw std::runtime_error(path + " exports no longshore_module");
}

}  // namespace longshore::testing
