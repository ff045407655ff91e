#include "loader/described_file.h"

#include <algorithm>
#include <functional>

namespace longshore::loader {
namespace {

namespace descriptors = module::descriptors;

size_t hash_of(std::string_view name) { return std::hash<std::string_view>()(name); }

void collect_symbols(const std::string& scope, const descriptors::Message& message,
                     std::vector<size_t>& symbols) {
  const std::string name = qualified(scope, message.name());
  const auto add = [&](const auto& part) { symbols.push_back(hash_of(name + "." + part.name())); };
  symbols.push_back(hash_of(name));
  for (const auto& field : message.field()) add(field);
  for (const auto& extension : message.extension()) add(extension);
  for (const auto& type : message.enum_type()) add(type);
  for (const auto& nested : message.nested_type()) collect_symbols(name, nested, symbols);
}

std::vector<size_t> symbols_of(const descriptors::File& file) {
  std::vector<size_t> symbols;
  const auto add = [&](const std::string& name) { symbols.push_back(hash_of(name)); };
  for (const auto& message : file.message_type()) {
    collect_symbols(file.package(), message, symbols);
  }
  for (const auto& type : file.enum_type()) add(qualified(file.package(), type.name()));
  for (const auto& extension : file.extension()) add(qualified(file.package(), extension.name()));
  for (const auto& service : file.service()) {
    const std::string name = qualified(file.package(), service.name());
    add(name);
    for (const auto& method : service.method()) add(name + "." + method.name());
  }
  std::sort(symbols.begin(), symbols.end());
  symbols.shrink_to_fit();
  return symbols;
}

}  // namespace

std::string qualified(const std::string& scope, const std::string& name) {
  return scope.empty() ? name : scope + "." + name;
}

DescribedFile::DescribedFile(const descriptors::File& file)
    : name(file.name()),
      dependencies(file.dependency().begin(), file.dependency().end()),
      bytes(file.SerializeAsString()),
      symbols_(symbols_of(file)) {}

bool DescribedFile::defines(std::string_view full_name) const {
  return std::binary_search(symbols_.begin(), symbols_.end(), hash_of(full_name));
}

}  // namespace longshore::loader
