#include "tests/support/build_tree.h"

#if defined(_WIN32)
#include <windows.h>
#endif

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace longshore::test {

namespace fs = std::filesystem;

#ifdef _WIN32

std::string built_program(const std::string& name) { return name + ".exe"; }

namespace {

std::string own_build() {
  std::wstring program(32'768, L'\0');
  program.resize(GetModuleFileNameW(nullptr, program.data(), static_cast<DWORD>(program.size())));
  return fs::path(program).parent_path().parent_path().string();
}

}  // namespace

std::string built_modules() { return own_build() + "\\modules"; }
std::string built_module(const std::string& name) {
  const std::string file = "longshore-" + name + ".dll";
  return fs::exists(file) ? file : built_modules() + "\\" + file;
}

std::string hostile_folder() { return own_build() + "\\hostile"; }
std::string hostile_module(const std::string& name) {
  return hostile_folder() + "\\" + name + ".dll";
}

#else

namespace {

// Programs lie in "bin" of their build.
std::string own_build() { return fs::read_symlink("/proc/self/exe").parent_path().parent_path(); }

std::string build_tree() {
  const char* other = std::getenv("LONGSHORE_BUILD_TREE");
  return other != nullptr ? other : own_build();
}

}  // namespace

std::string built_program(const std::string& name) {
  // Those of the tests themselves are in no other build.
  const std::string own = own_build() + "/bin/" + name;
  const std::string other = build_tree() + "/bin/" + name;
  return fs::exists(other) ? other : own;
}

std::string built_modules() { return build_tree() + "/modules"; }
std::string built_module(const std::string& name) {
  return built_modules() + "/longshore-" + name + ".so";
}

std::string hostile_folder() { return own_build() + "/hostile"; }
std::string hostile_module(const std::string& name) {
  return hostile_folder() + "/" + name + ".so";
}

#endif

std::string source_tree() {
  const std::string cache = own_build() + "/CMakeCache.txt", key = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  std::ifstream file(cache);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return line.substr(key.size());
  }
  throw std::runtime_error("there is no " + key + " in " + cache);
}

}  // namespace longshore::test
