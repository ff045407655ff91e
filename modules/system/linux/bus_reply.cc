#include "system/linux/bus_reply.h"

namespace longshore::system {
namespace {

// Each variant read as an array has at most this many texts; a unit never has as many dependants.
constexpr size_t kMaxTexts = 65'536;

}  // namespace

std::string BusReply::sender() const {
  const char* sender = library_->bus_message_get_sender(message_);
  return sender == nullptr ? "" : sender;
}

std::optional<std::string> BusReply::text() {
  const char* text = nullptr;
  if (library_->bus_message_read_basic(message_, 's', &text) > 0 ||
      library_->bus_message_read_basic(message_, 'o', &text) > 0) {
    return text;
  }
  return std::nullopt;
}

bool BusReply::each_property(const std::function<bool(const std::string& key)>& take) {
  if (library_->bus_message_enter_container(message_, 'a', "{sv}") <= 0) return false;
  while (library_->bus_message_enter_container(message_, 'e', "sv") > 0) {
    const auto key = text();
    if (!key) return false;
    if (!take(*key) && library_->bus_message_skip(message_, "v") < 0) return false;
    if (library_->bus_message_exit_container(message_) < 0) return false;
  }
  return library_->bus_message_exit_container(message_) >= 0;
}

std::optional<std::string> BusReply::variant_text() {
  if (library_->bus_message_enter_container(message_, 'v', "s") <= 0) return std::nullopt;
  auto value = text();
  library_->bus_message_exit_container(message_);
  return value;
}

std::optional<std::vector<std::string>> BusReply::variant_texts() {
  if (library_->bus_message_enter_container(message_, 'v', "as") <= 0) return std::nullopt;
  std::vector<std::string> values;
  if (library_->bus_message_enter_container(message_, 'a', "s") > 0) {
    while (values.size() < kMaxTexts) {
      auto value = text();
      if (!value) break;
      values.push_back(*std::move(value));
    }
    library_->bus_message_exit_container(message_);
  }
  library_->bus_message_exit_container(message_);
  return values;
}

}  // namespace longshore::system
