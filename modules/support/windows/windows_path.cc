#include "support/windows/windows_path.h"

#include <windows.h>

#include <algorithm>
#include <array>

#include "longshore/windows/wide_text.hpp"
#include "support/ascii.h"
#include "support/quotable_path.h"

namespace longshore::support {
namespace {

constexpr size_t kDriveBytes = 3;  // "C:\"

// Those of NTFS. A colon would name another stream of a file.
constexpr std::string_view kForbidden = "\"/:?*|<>";

bool is_utf8(std::string_view text) {
  return text.empty() || MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.data(),
                                             static_cast<int>(text.size()), nullptr, 0) > 0;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> names;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\\'), text.size());
    const std::string_view name = text.substr(0, end);
    if (!name.empty() && name != ".") names.push_back(name);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

// "nul", "COM1.txt": Windows opens a device, in whatever folder the name stands. What stands before
// the first dot counts, without blanks at its end.
bool is_device(std::string_view name) {
  std::string_view base = name.substr(0, name.find('.'));
  while (base.ends_with(' ')) base.remove_suffix(1);
  constexpr std::array kPlain = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"};
  if (std::ranges::any_of(kPlain, [&](const char* each) { return same_name(base, each); })) {
    return true;
  }
  if (base.size() < 4 ||
      !(same_name(base.substr(0, 3), "COM") || same_name(base.substr(0, 3), "LPT")))
    return false;
  const std::string_view digit = base.substr(3);
  // The superscripts are digits to Windows.
  return (digit.size() == 1 && digit[0] >= '0' && digit[0] <= '9') || digit == "\u00b9" ||
         digit == "\u00b2" || digit == "\u00b3";
}

std::string complaint_about_name(std::string_view name) {
  if (name == "..") return "the path contains invalid characters: the name \"..\"";
  if (wide(name).size() > WindowsPath::kMaxNameUnits) {
    return "a name in the path exceeds maximum characters: " +
           std::to_string(WindowsPath::kMaxNameUnits);
  }
  if (name.ends_with('.') || name.ends_with(' ')) {
    return "the path contains invalid characters: a name that ends with a dot or a blank, which "
           "Windows would drop";
  }
  if (is_device(name)) return "the path contains invalid characters: the name of a device";
  return {};
}

// What is wrong with the text, or "". In csi-proxy's order.
std::string complaint_about(std::string_view text) {
  if (text.size() > 3 * WindowsPath::kMaxUnits || wide(text).size() > WindowsPath::kMaxUnits) {
    return "the path's length of " + std::to_string(text.size()) +
           " bytes exceeds maximum characters: " + std::to_string(WindowsPath::kMaxUnits);
  }
  if (text.starts_with('\\')) {
    return "the path has an invalid character \\ at beginning: it is a UNC path, one of a device, "
           "or one without a drive";
  }
  const bool has_drive =
      text.size() >= kDriveBytes && is_letter(text[0]) && text[1] == ':' && text[2] == '\\';
  const std::string_view rest = has_drive ? text.substr(kDriveBytes) : text;
  const auto is_forbidden = [](unsigned char c) {
    return c < 0x20 || kForbidden.find(static_cast<char>(c)) != std::string_view::npos;
  };
  // "C:" alone is no absolute path, whatever the colon.
  const bool is_relative_to_drive = !has_drive && text.size() == 2 && text[1] == ':';
  if (!is_relative_to_drive && std::ranges::any_of(rest, is_forbidden)) {
    return "the path contains invalid characters: one of \" / : ? * | < > or a control character";
  }
  if (!is_utf8(text)) return "the path contains invalid characters: it is no UTF-8";
  if (!has_drive) {
    return "the path is not an absolute Windows path: it has to begin with a drive, as "
           "C:\\var\\lib\\kubelet";
  }
  for (const std::string_view name : split(rest)) {
    if (std::string complaint = complaint_about_name(name); !complaint.empty()) return complaint;
  }
  return {};
}

// "\\server", "\\?\", "\\.\", and the "\??\" of Windows' own kernel.
bool leads_off_drives(std::string_view text) {
  return text.starts_with("\\\\") || text.starts_with("\\??");
}

std::string system_drive() {
  std::array<wchar_t, MAX_PATH + 1> directory{};
  const bool is_told = GetSystemWindowsDirectoryW(directory.data(), MAX_PATH) != 0;
  return {is_told ? static_cast<char>(directory[0]) : 'C', ':'};
}

}  // namespace

bool same_name(std::string_view left, std::string_view right) {
  const std::wstring a = wide(left);
  const std::wstring b = wide(right);
  return CompareStringOrdinal(a.data(), static_cast<int>(a.size()), b.data(),
                              static_cast<int>(b.size()), TRUE) == CSTR_EQUAL;
}

Result<WindowsPath> WindowsPath::parse(std::string_view text, std::string_view operation) {
  if (std::string complaint = complaint_about(text); !complaint.empty()) {
    return Error(StatusCode::kInvalidArgument, std::string(operation), quotable_path(text))
        .because(std::move(complaint));
  }
  std::string shortest(text.substr(0, kDriveBytes));
  shortest.front() = to_upper(shortest.front());
  for (const std::string_view name : split(text.substr(kDriveBytes))) {
    if (shortest.size() > kDriveBytes) shortest += '\\';
    shortest += name;
  }
  return WindowsPath(std::move(shortest));
}

Result<WindowsPath> WindowsPath::parse_rooted(std::string_view text, std::string_view operation) {
  if (!text.starts_with('\\') || leads_off_drives(text)) return parse(text, operation);
  return parse(system_drive().append(text), operation);
}

std::wstring WindowsPath::verbatim() const { return L"\\\\?\\" + wide(text_); }

std::vector<std::string_view> WindowsPath::names() const {
  return split(std::string_view(text_).substr(kDriveBytes));
}

std::string_view WindowsPath::name() const {
  return std::string_view(text_).substr(text_.rfind('\\') + 1);
}

WindowsPath WindowsPath::parent() const {
  return WindowsPath(text_.substr(0, std::max<size_t>(text_.rfind('\\'), kDriveBytes)));
}

bool WindowsPath::is_within(const WindowsPath& ancestor) const {
  const auto own = names();
  const auto above = ancestor.names();
  return text_.front() == ancestor.text_.front() && own.size() >= above.size() &&
         std::equal(above.begin(), above.end(), own.begin(), same_name);
}

// The two may differ in their case, and so in their length: by names, not by bytes.
std::string_view WindowsPath::below(const WindowsPath& ancestor) const {
  const auto own = names();
  const size_t above = ancestor.names().size();
  if (own.size() <= above) return {};
  return std::string_view(text_).substr(static_cast<size_t>(own[above].data() - text_.data()));
}

bool WindowsPath::operator==(const WindowsPath& other) const {
  return same_name(text_, other.text_);
}

}  // namespace longshore::support
