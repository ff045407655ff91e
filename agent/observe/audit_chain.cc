#include "observe/audit_chain.h"

#include <algorithm>
#include <charconv>

#include "observe/sha256.h"

namespace longshore::observe {
namespace {

constexpr std::string_view kAnchor = "audit log anchor ";
constexpr std::string_view kHash = ",\"hash\":\"";
constexpr std::string_view kNumber = ",\"number\":";
constexpr size_t kHashDigits = 64;
constexpr size_t kChainDigits = 16;

bool is_hexadecimal(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::optional<uint64_t> number_of(std::string_view digits) {
  uint64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || read.ec != std::errc() || read.ptr != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return number;
}

// A message of a log begins behind one of these; a value of a field does not.
bool begins_message(std::string_view before) {
  if (before.empty()) return true;
  constexpr std::string_view kEnds[] = {" INFO  ", " ERROR ",        "]: ",           "<6>",
                                        "<3>",     "\"message\":\"", "\"MESSAGE\":\""};
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return before.ends_with(end); }) &&
         (before.front() == '{' || before.find('=') == std::string_view::npos);
}

// What follows `text` where it is the message of a line that no module has written.
std::optional<std::string_view> after_message(std::string_view line, std::string_view text) {
  const size_t at = line.find(text);
  if (at == std::string_view::npos || !begins_message(line.substr(0, at))) return std::nullopt;
  const std::string_view rest = line.substr(at + text.size());
  if (rest.find("module=") != std::string_view::npos ||
      rest.find("\"module\"") != std::string_view::npos) {
    return std::nullopt;
  }
  return rest;
}

// The value of a field that has neither spaces nor quotes in it.
std::string_view field_of(std::string_view fields, const std::string& name) {
  for (const std::string& key : {' ' + name + '=', '"' + name + "\":\""}) {
    const size_t at = fields.find(key);
    if (at == std::string_view::npos) continue;
    const std::string_view value = fields.substr(at + key.size());
    return value.substr(0, value.find_first_of(" \"\n"));
  }
  return {};
}

}  // namespace

std::string hash_after(std::string_view previous, std::string_view content) {
  return sha256_of(std::string(previous).append(content));
}

std::string sealed(std::string line, AuditLink& before) {
  line.pop_back();  // the brace
  line.append(kNumber).append(std::to_string(++before.number));
  before.hash = hash_after(before.hash, line);
  return line.append(kHash).append(before.hash).append("\"}");
}

std::optional<SealedLine> read_sealed(std::string_view line) {
  constexpr size_t kEnd = kHash.size() + kHashDigits + 2;
  if (line.size() < kEnd || !line.ends_with("\"}")) return std::nullopt;
  SealedLine sealed_line;
  sealed_line.content = line.substr(0, line.size() - kEnd);
  sealed_line.hash = line.substr(line.size() - kHashDigits - 2, kHashDigits);
  if (line.substr(sealed_line.content.size(), kHash.size()) != kHash) return std::nullopt;
  const size_t at = sealed_line.content.rfind(kNumber);
  if (at == std::string_view::npos || !is_hexadecimal(sealed_line.hash)) return std::nullopt;
  const auto number = number_of(sealed_line.content.substr(at + kNumber.size()));
  if (!number) return std::nullopt;
  sealed_line.number = *number;
  return sealed_line;
}

std::string anchor_text(const AuditLink& link) {
  return std::string(kAnchor) + link.chain + '/' + std::to_string(link.number) + '/' + link.hash;
}

std::optional<AuditLink> read_anchor(std::string_view line) {
  const auto rest = after_message(line, kAnchor);
  if (!rest) return std::nullopt;
  const size_t first = rest->find('/');
  const size_t second = first == std::string_view::npos ? first : rest->find('/', first + 1);
  if (first != kChainDigits || second == std::string_view::npos) return std::nullopt;
  const auto number = number_of(rest->substr(first + 1, second - first - 1));
  const std::string_view chain = rest->substr(0, first);
  const std::string_view hash = rest->substr(second + 1, kHashDigits);
  if (!number || hash.size() != kHashDigits || !is_hexadecimal(hash) || !is_hexadecimal(chain)) {
    return std::nullopt;
  }
  return AuditLink{std::string(chain), *number, std::string(hash)};
}

std::optional<AuditLoss> read_loss(std::string_view line) {
  const auto rest = after_message(line, kAuditLoss);
  if (!rest) return std::nullopt;
  const auto lines = number_of(field_of(*rest, "lost"));
  if (!lines) return std::nullopt;
  // Older agents did not tell where.
  const uint64_t number = number_of(field_of(*rest, "number")).value_or(0);
  return AuditLoss{std::string(field_of(*rest, "chain")), number, *lines};
}

}  // namespace longshore::observe
