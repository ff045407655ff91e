#include "support/linux/block/disk_identity.h"

#include <algorithm>
#include <vector>

#include "support/hexadecimal.h"
#include "support/linux/block/sysfs.h"

namespace longshore::block {
namespace {

// As drivers write one: they compare texts.
bool is_number(std::string_view text) {
  const bool has_leading_zero = text.size() > 1 && text.front() == '0';
  return !text.empty() && !has_leading_zero &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(separator, start), text.size());
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

unsigned byte_at(std::string_view bytes, size_t index) {
  return static_cast<unsigned char>(bytes[index]);
}

// What follows the four bytes at the start of every vital product data page.
std::string_view page_content(std::string_view page) {
  if (page.size() < 4) return {};
  const size_t length = byte_at(page, 2) << 8 | byte_at(page, 3);
  return page.substr(4, length);
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\0')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\0')) text.remove_suffix(1);
  std::string ascii(text);
  std::ranges::replace_if(
      ascii, [](char c) { return static_cast<unsigned char>(c) > 0x7f; }, '?');
  return ascii;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) <= 0x7f; });
}

// An NVMe namespace's own number, the longer one first, as the kernel's wwid writes it. "": it has
// none.
std::string namespace_identifier(const BlockDevices& devices, const Disk& disk) {
  for (const char* attribute : {"nguid", "eui"}) {
    std::string digits = read_text_attribute(devices.path_of(disk, attribute)).value_or("");
    std::erase_if(digits, [](char c) { return c == '-' || c == ' '; });
    if (digits.find_first_not_of('0') != std::string::npos) return "eui." + digits;
  }
  return {};
}

}  // namespace

std::optional<Location> location_of(const BlockDevices& devices, const Disk& disk) {
  if (link_name(devices.path_of(disk, "device/subsystem")) == "scsi") {
    auto parts = split(link_name(devices.path_of(disk, "device")), ':');
    if (parts.size() != 4 || !std::ranges::all_of(parts, is_number)) return std::nullopt;
    return Location{parts[0], parts[1], parts[2], parts[3]};
  }
  // "nvme0n1"; with multipath the controller in the name is the subsystem's number.
  if (disk.name.starts_with("nvme")) {
    const auto parts = split(std::string_view(disk.name).substr(4), 'n');
    if (parts.size() == 2 && std::ranges::all_of(parts, is_number)) {
      return Location{parts[0], "", "", parts[1]};
    }
  }
  return std::nullopt;
}

std::string page83_identifier(std::string_view page) {
  std::string_view rest = page_content(page);
  while (rest.size() >= 4) {
    const unsigned code_set = byte_at(rest, 0) & 0xf;
    const unsigned association = byte_at(rest, 1) >> 4 & 0x3;
    const size_t length = byte_at(rest, 3);
    if (length > rest.size() - 4) break;
    const std::string_view identifier = rest.substr(4, length);
    constexpr unsigned kDevice = 0, kBinary = 1, kAscii = 2;
    if (association == kDevice && (code_set == kBinary || code_set == kAscii)) {
      if (code_set == kAscii && is_blank(identifier)) return {};
      return code_set == kAscii && is_ascii(identifier) ? std::string(identifier)
                                                        : support::hexadecimal(identifier);
    }
    rest.remove_prefix(4 + length);
  }
  return {};
}

std::string page83_of(const BlockDevices& devices, const Disk& disk) {
  if (const auto page = read_attribute(devices.path_of(disk, "device/vpd_pg83"))) {
    return page83_identifier(*page);
  }
  std::string wwid = read_text_attribute(devices.path_of(disk, "wwid")).value_or("");
  if (wwid.starts_with("eui.")) return wwid;
  // Of a namespace that has a UUID too the kernel tells that; Windows, and so GCP PD, does not.
  const std::string number = namespace_identifier(devices, disk);
  return number.empty() ? wwid : number;
}

std::string serial_number_of(const BlockDevices& devices, const Disk& disk) {
  if (const auto page = read_attribute(devices.path_of(disk, "device/vpd_pg80"))) {
    return trimmed(page_content(*page));
  }
  for (const char* attribute : {"serial", "device/serial"}) {  // virtio; NVMe
    if (const auto text = read_text_attribute(devices.path_of(disk, attribute))) {
      return trimmed(*text);
    }
  }
  return {};
}

}  // namespace longshore::block
