#include "tests/guest/new_disk.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/support/eventually.h"

namespace longshore::test {

namespace fs = std::filesystem;

std::set<std::string> disk_names() {
  std::set<std::string> names;
  // A disk that is being plugged in is here last.
  for (const auto& entry : fs::directory_iterator("/sys/block")) {
    const std::string name = entry.path().filename();
    const bool is_of_a_kind =
        name.starts_with("sd") || name.starts_with("vd") || name.starts_with("nvme");
    if (is_of_a_kind && fs::exists(entry.path() / "device") && fs::exists("/dev/" + name)) {
      names.insert(name);
    }
  }
  return names;
}

std::string await_new_disk(const std::set<std::string>& before) {
  std::string found;
  const bool came = eventually([&] {
    for (const std::string& name : disk_names()) {
      // The last that the kernel makes before it lets anybody open it.
      if (!before.contains(name) && fs::is_symlink("/sys/block/" + name + "/bdi")) found = name;
    }
    return !found.empty();
  });
  if (!came) throw std::runtime_error("the kernel made no disk");
  return found;
}

uint32_t disk_number(const std::string& name) {
  uint32_t number = 0;
  std::ifstream("/sys/class/block/" + name + "/diskseq") >> number;
  return number;
}

}  // namespace longshore::test
