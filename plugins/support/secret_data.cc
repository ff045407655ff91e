#include "support/secret_data.h"

#include <boost/json/memory_resource.hpp>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

#include "longshore/kube/json_fields.hpp"

namespace longshore::plugins {
namespace {

// Memory of a parser, which nobody finds anything in afterwards.
class WipedMemory final : public boost::json::memory_resource {
  void* do_allocate(size_t size, size_t alignment) override {
    return ::operator new(size, std::align_val_t(alignment));
  }
  void do_deallocate(void* memory, size_t size, size_t alignment) override {
    wipe(static_cast<char*>(memory), size);
    ::operator delete(memory, std::align_val_t(alignment));
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

// Nothing: it is not base64, as servers write it.
std::optional<Secret> base64_decoded(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) return std::nullopt;
  Secret decoded;
  for (; !text.empty(); text.remove_prefix(4)) {
    const bool is_last = text.size() == 4;
    const size_t padding = !is_last ? 0 : text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; ++i) {
      const size_t digit = i < 4 - padding ? kDigits.find(text[i]) : 0;
      if (digit == kDigits.npos) return std::nullopt;
      bits = bits << 6 | static_cast<uint32_t>(digit);
    }
    const char bytes[] = {static_cast<char>(bits >> 16), static_cast<char>(bits >> 8),
                          static_cast<char>(bits)};
    decoded.append({bytes, 3 - padding});
  }
  return decoded;
}

// One part of a path, and not one that leads to another object.
bool is_path_segment(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of("/%?#") == name.npos;
}

}  // namespace

Result<std::string> secret_path(const SecretReference& reference) {
  if (!is_path_segment(reference.name) || !is_path_segment(reference.name_space)) {
    return Error(StatusCode::kInvalidArgument, "read the Secret",
                 reference.name_space + '/' + reference.name)
        .because("it is no namespace and name");
  }
  return "/api/v1/namespaces/" + reference.name_space + "/secrets/" + reference.name;
}

Result<std::map<std::string, Secret>> parse_secret_data(std::string_view json) {
  WipedMemory memory;
  kubernetes::JsonDocument document("Secret", json, &memory);
  document.read_name();
  std::map<std::string, Secret> data;
  document.root().each_text("data", [&](std::string_view key, std::string_view text) {
    auto bytes = base64_decoded(text);
    if (!bytes) return document.complain("data." + std::string(key) + " is not base64");
    data.emplace(key, *std::move(bytes));
  });
  if (auto checked = document.check(); !checked) return std::move(checked).error();
  return data;
}

}  // namespace longshore::plugins
