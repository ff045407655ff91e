#include "loader/served_files.h"

#include <algorithm>
#include <set>

namespace longshore::loader {
namespace {

std::vector<std::string> with_imports(const DescribedFile& file, const DescribedFiles& files) {
  std::vector<std::string> bytes;
  std::set<std::string_view> seen{file.name};
  std::vector<const DescribedFile*> to_visit{&file};
  while (!to_visit.empty()) {
    const DescribedFile* next = to_visit.back();
    to_visit.pop_back();
    bytes.push_back(next->bytes);
    for (const auto& each : files) {
      const bool is_imported =
          std::ranges::find(next->dependencies, each->name) != next->dependencies.end();
      if (is_imported && seen.insert(each->name).second) to_visit.push_back(each.get());
    }
  }
  return bytes;
}

template <typename Condition>
std::vector<std::string> first_of(const std::vector<DescribedFiles>& modules,
                                  const Condition& condition) {
  for (const DescribedFiles& files : modules) {
    const auto found = std::ranges::find_if(files, condition);
    if (found != files.end()) return with_imports(**found, files);
  }
  return {};
}

}  // namespace

std::vector<std::string> ServedFiles::file(std::string_view name) const {
  return first_of(modules_, [&](const auto& file) { return file->name == name; });
}

std::vector<std::string> ServedFiles::file_with_symbol(std::string_view symbol) const {
  return first_of(modules_, [&](const auto& file) { return file->defines(symbol); });
}

}  // namespace longshore::loader
