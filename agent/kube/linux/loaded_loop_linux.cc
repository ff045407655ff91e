#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "config/ownership.h"
#include "kube/client_library.h"
#include "kube/loaded_loop.h"

namespace longshore::kube {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "longshore-kube.so";
constexpr const char* kFolder = "/usr/libexec/longshore";

}  // namespace

std::string client_library_file() {
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  const fs::path beside = own.parent_path() / kName;
  if (!error && fs::exists(beside, error)) return beside.string();
  return (fs::path(kFolder) / kName).string();
}

Result<std::unique_ptr<ApiLoop>> load_loop(const std::string& file,
                                           const config::AgentSettings& agent) {
  const auto failed = [&](const std::string& why) {
    return Error(StatusCode::kFailedPrecondition, "load the client of API servers", file)
        .because(why);
  };
  std::error_code error;
  if (!fs::exists(file, error)) {
    return failed(error ? error.message() : "there is no such file")
        .advise("install the package longshore-sidecars, then run longshorectl reload");
  }
  const Result<std::vector<config::UserId>> owners = config::owners_of_code(agent);
  if (!owners) return owners.error();
  if (auto owned = config::check_ownership(file, *owners); !owned) return owned.error();
  // Kept as it is: what it has given away is of its code.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* const why = dlerror();
    return failed(why == nullptr ? "the system does not say why" : why);
  }
  const auto* const version = static_cast<const char*>(dlsym(library, kLibraryVersionName));
  if (version == nullptr || std::string_view(version) != LONGSHORE_KUBE_VERSION) {
    return failed("it is of version " + std::string(version == nullptr ? "unknown" : version) +
                  ", and this agent of " LONGSHORE_KUBE_VERSION)
        .advise("install the packages of one version, and restart the agent");
  }
  void* const make = dlsym(library, kMakeLoopName);
  if (make == nullptr) return failed("it does not export " + std::string(kMakeLoopName));
  std::array<char, 256> why{};
  std::unique_ptr<ApiLoop> loop(reinterpret_cast<MakeLoopFunction*>(make)(why.data(), why.size()));
  if (!loop) return failed(why.data());
  return loop;
}

}  // namespace longshore::kube
