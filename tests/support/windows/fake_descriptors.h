// Descriptors as drivers make them, true and not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace longshore::test {

struct FakeIdentifier {
  uint32_t code_set = 1;
  uint32_t type = 3;
  uint32_t association = 0;
  std::string bytes;
  std::optional<uint16_t> size = std::nullopt;         // what it says of its size, if not the truth
  std::optional<uint16_t> next_offset = std::nullopt;  // and of the next one's place
};
std::string id_descriptor(const std::vector<FakeIdentifier>& identifiers,
                          std::optional<uint32_t> count = std::nullopt);
std::string device_descriptor(const std::string& serial_number);
std::string scsi_address(uint8_t port, uint8_t path, uint8_t target, uint8_t lun);

}  // namespace longshore::test
