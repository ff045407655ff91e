// What drivers say of disks, byte by byte.
#include "tests/support/windows/fake_descriptors.h"

namespace longshore::test {
namespace {

void append(std::string& bytes, uint64_t number, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
}

}  // namespace

std::string id_descriptor(const std::vector<FakeIdentifier>& identifiers,
                          std::optional<uint32_t> count) {
  std::string rest;
  for (size_t i = 0; i < identifiers.size(); ++i) {
    const FakeIdentifier& each = identifiers[i];
    // As drivers do, each begins at a multiple of four; the last one has no next.
    const size_t whole = (16 + each.bytes.size() + 3) / 4 * 4;
    const size_t next = i + 1 == identifiers.size() ? 0 : whole;
    append(rest, each.code_set, 4);
    append(rest, each.type, 4);
    append(rest, each.size.value_or(static_cast<uint16_t>(each.bytes.size())), 2);
    append(rest, each.next_offset.value_or(static_cast<uint16_t>(next)), 2);
    append(rest, each.association, 4);
    rest += each.bytes;
    rest.append(whole - 16 - each.bytes.size(), '\0');
  }
  std::string bytes;
  append(bytes, 12, 4);
  append(bytes, 12 + rest.size(), 4);
  append(bytes, count.value_or(static_cast<uint32_t>(identifiers.size())), 4);
  return bytes + rest;
}

std::string device_descriptor(const std::string& serial_number) {
  constexpr uint32_t kHead = 40;
  std::string bytes;
  append(bytes, kHead, 4);
  append(bytes, kHead + serial_number.size() + 1, 4);
  append(bytes, 0, 4);     // types, removable, queueing
  bytes.append(12, '\0');  // vendor, product, revision: none
  append(bytes, serial_number.empty() ? 0 : kHead, 4);
  append(bytes, 0x11, 4);  // NVMe
  append(bytes, 0, 8);     // no properties of its own
  return bytes + serial_number + '\0';
}

std::string scsi_address(uint8_t port, uint8_t path, uint8_t target, uint8_t lun) {
  std::string bytes;
  append(bytes, 8, 4);
  for (const uint8_t number : {port, path, target, lun}) append(bytes, number, 1);
  return bytes;
}

}  // namespace longshore::test
