#include "support/windows/reparse_point.h"

#include <algorithm>

namespace longshore::support {
namespace {

constexpr uint32_t kSymbolicLinkTag = 0xA000'000C;
constexpr uint32_t kMountPointTag = 0xA000'0003;
constexpr uint32_t kIsRelativeFlag = 1;

// REPARSE_DATA_BUFFER: tag (4), length of what follows the header (2), reserved (2). Then offset
// and length in bytes of two names, and of a symbolic link its flags (4); then the names.
constexpr size_t kHeaderBytes = 8;
constexpr size_t kMountPointNames = kHeaderBytes + 8;
constexpr size_t kSymbolicLinkNames = kHeaderBytes + 12;
constexpr size_t kMaxBytes = size_t{16} * 1024;  // MAXIMUM_REPARSE_DATA_BUFFER_SIZE

// How the object manager names what programs write without a prefix.
constexpr std::wstring_view kObjectPrefix = L"\\??\\";
constexpr std::wstring_view kVerbatimPrefix = L"\\\\?\\";

uint32_t little_endian_at(std::span<const std::byte> data, size_t offset, size_t bytes) {
  uint32_t number = 0;
  for (size_t i = bytes; i > 0; --i) {
    number = number << 8 | std::to_integer<uint32_t>(data[offset + i - 1]);
  }
  return number;
}

void append_little_endian(std::vector<std::byte>& data, size_t number, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) data.push_back(static_cast<std::byte>(number >> (8 * i)));
}

void append_utf16(std::vector<std::byte>& data, std::wstring_view text) {
  for (const wchar_t unit : text) append_little_endian(data, static_cast<size_t>(unit), 2);
}

// The first of the two names, which the system follows; the other one is for show, and may lie.
// `names`: where they begin. Nothing: it does not lie in the data, or is no name.
std::optional<std::wstring> substitute_name(std::span<const std::byte> data, size_t names) {
  if (data.size() < names) return std::nullopt;
  const size_t offset = little_endian_at(data, kHeaderBytes, 2);
  const size_t length = little_endian_at(data, kHeaderBytes + 2, 2);
  if (offset % 2 != 0 || length % 2 != 0 || length == 0) return std::nullopt;
  if (names + offset + length > data.size()) return std::nullopt;
  std::wstring name;
  for (size_t i = 0; i < length; i += 2) {
    name += static_cast<wchar_t>(little_endian_at(data, names + offset + i, 2));
  }
  if (name.find(L'\0') != std::wstring::npos) return std::nullopt;
  return name;
}

bool is_ascii_letter(wchar_t c) { return (c >= L'a' && c <= L'z') || (c >= L'A' && c <= L'Z'); }

// "C:" or "C:\...", as programs write it.
std::optional<std::wstring> path_on_drive(std::wstring_view name) {
  if (name.size() < 2 || !is_ascii_letter(name[0]) || name[1] != L':') return std::nullopt;
  if (name.size() == 2) return std::wstring(name) + L"\\";
  if (name[2] != L'\\') return std::nullopt;
  return std::wstring(name);
}

bool starts_with_word(std::wstring_view name, std::wstring_view lower_case_word) {
  if (name.size() < lower_case_word.size()) return false;
  return std::equal(lower_case_word.begin(), lower_case_word.end(), name.begin(),
                    [](wchar_t word, wchar_t c) {
                      return word == c || (is_ascii_letter(c) && word == (c | 0x20));
                    });
}

// An absolute target, from the object manager's name.
std::wstring as_programs_write(std::wstring_view name) {
  if (!name.starts_with(kObjectPrefix)) {
    return (name.starts_with(kVerbatimPrefix) ? L"" : L"\\\\?\\GLOBALROOT") + std::wstring(name);
  }
  name.remove_prefix(kObjectPrefix.size());
  if (auto path = path_on_drive(name)) return *path;
  constexpr std::wstring_view kShare = L"unc\\";
  if (starts_with_word(name, kShare)) {
    return L"\\\\" + std::wstring(name.substr(kShare.size()));
  }
  return std::wstring(kVerbatimPrefix) + std::wstring(name);
}

}  // namespace

bool is_volume_name(std::wstring_view name) {
  constexpr std::wstring_view kShape = L"\\\\?\\Volume{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}";
  if (name.ends_with(L'\\')) name.remove_suffix(1);
  if (name.size() != kShape.size()) return false;
  if (!name.starts_with(kVerbatimPrefix)) return false;
  if (!starts_with_word(name.substr(kVerbatimPrefix.size()), L"volume{")) return false;
  constexpr size_t kFirstDigit = 11;
  return std::equal(kShape.begin() + kFirstDigit, kShape.end(), name.begin() + kFirstDigit,
                    [](wchar_t shape, wchar_t c) {
                      if (shape != L'x') return shape == c;
                      return (c >= L'0' && c <= L'9') ||
                             ((c | 0x20) >= L'a' && (c | 0x20) <= L'f' && is_ascii_letter(c));
                    });
}

std::optional<ReparsePoint> decode_reparse_point(std::span<const std::byte> data) {
  if (data.size() < kHeaderBytes || data.size() > kMaxBytes) return std::nullopt;
  ReparsePoint point;
  point.tag = little_endian_at(data, 0, 4);
  if (point.tag != kSymbolicLinkTag && point.tag != kMountPointTag) return point;
  const size_t length = little_endian_at(data, 4, 2);
  if (kHeaderBytes + length > data.size()) return std::nullopt;
  data = data.first(kHeaderBytes + length);

  const bool is_symbolic_link = point.tag == kSymbolicLinkTag;
  auto name = substitute_name(data, is_symbolic_link ? kSymbolicLinkNames : kMountPointNames);
  if (!name) return std::nullopt;
  if (is_symbolic_link) {
    point.kind = ReparseKind::kSymbolicLink;
    point.is_relative = (little_endian_at(data, kSymbolicLinkNames - 4, 4) & kIsRelativeFlag) != 0;
    point.target = point.is_relative ? *std::move(name) : as_programs_write(*name);
    return point;
  }
  point.target = as_programs_write(*name);
  point.kind = ReparseKind::kJunction;
  if (is_volume_name(point.target)) {
    point.kind = ReparseKind::kVolumeMountPoint;
    if (!point.target.ends_with(L'\\')) point.target += L'\\';
  }
  return point;
}

std::optional<std::vector<std::byte>> encode_symbolic_link(std::wstring_view path) {
  // "\\server\share" has its place among the system's objects below UNC.
  const std::wstring substitute =
      path.starts_with(L"\\\\")
          ? std::wstring(kObjectPrefix) + L"UNC" + std::wstring(path.substr(1))
          : std::wstring(kObjectPrefix) + std::wstring(path);
  const size_t names_bytes = 2 * (substitute.size() + path.size());
  if (kSymbolicLinkNames + names_bytes > kMaxBytes) return std::nullopt;
  std::vector<std::byte> data;
  append_little_endian(data, kSymbolicLinkTag, 4);
  append_little_endian(data, kSymbolicLinkNames - kHeaderBytes + names_bytes, 2);
  append_little_endian(data, 0, 2);
  append_little_endian(data, 0, 2);
  append_little_endian(data, 2 * substitute.size(), 2);
  append_little_endian(data, 2 * substitute.size(), 2);
  append_little_endian(data, 2 * path.size(), 2);
  append_little_endian(data, 0, 4);  // flags: absolute
  append_utf16(data, substitute);
  append_utf16(data, path);
  return data;
}

// As SetVolumeMountPointW writes it: each name ends with a zero, and the second, for people, is
// empty.
std::vector<std::byte> encode_mount_point(std::wstring_view volume) {
  constexpr size_t kZeroBytes = 2;  // of a zero in UTF-16
  std::wstring substitute(volume);
  if (substitute.starts_with(L"\\\\?\\")) substitute[1] = L'?';
  const size_t bytes = 2 * substitute.size();
  std::vector<std::byte> data;
  append_little_endian(data, kMountPointTag, 4);
  append_little_endian(data, kMountPointNames - kHeaderBytes + bytes + 2 * kZeroBytes, 2);
  append_little_endian(data, 0, 2);
  append_little_endian(data, 0, 2);
  append_little_endian(data, bytes, 2);
  append_little_endian(data, bytes + kZeroBytes, 2);
  append_little_endian(data, 0, 2);
  append_utf16(data, substitute);
  append_little_endian(data, 0, 2);
  append_little_endian(data, 0, 2);
  return data;
}

}  // namespace longshore::support
