// Any bytes as what Windows' disks and volumes answer to control codes, but for partition tables.
//
// The first byte decides what they are.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "support/windows/disk_answers.h"

namespace longshore::support {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) <= 0x7f; });
}

void read_identifier(std::string_view answer) {
  const std::string identifier = page83_identifier(answer);
  // Two digits a byte of what was there at most.
  require(is_ascii(identifier) && identifier.size() <= 2 * answer.size());
}

void read_serial_number(std::string_view answer) {
  const std::string serial = serial_number(answer);
  require(is_ascii(serial) && serial.size() < answer.size() + 1);
  require(serial.find('\0') == std::string::npos);
}

void read_extents(std::string_view answer) {
  const auto extents = disk_extents(answer);
  if (!extents) return;
  require(extents->size() * 24 + 8 <= answer.size());
  for (const DiskExtent& extent : *extents) {
    require(extent.offset <= INT64_MAX && extent.length <= INT64_MAX);
  }
}

void read_numbers(std::string_view answer) {
  require(disk_number(answer) != 0xffffffff);
  for (const auto& size : {length_in(answer), size_of_geometry(answer)}) {
    require(!size || *size <= INT64_MAX);
  }
  require(!is_dirty(answer) || answer.size() >= 4);
  if (const auto attributes = disk_attributes(answer)) {
    require(attributes->read_only == ((answer[8] & 2) != 0));
  }
}

constexpr void (*kReaders[])(std::string_view) = {read_identifier, read_serial_number, read_extents,
                                                  read_numbers};

}  // namespace
}  // namespace longshore::support

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace longshore::support;
  if (size == 0) return 0;
  kReaders[data[0] % std::size(kReaders)]({reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
