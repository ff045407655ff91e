// Any bytes as the SMBIOS table that a machine's firmware left: what is found in it stands in it.
#include <cstdlib>
#include <span>
#include <string_view>

#include "system/windows/smbios.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto serial = longshore::system::smbios_serial_number(std::as_bytes(std::span(data, size)));
  if (!serial) return 0;
  const std::string_view table(reinterpret_cast<const char*>(data), size);
  if (serial->empty() || serial->find('\0') != std::string::npos) std::abort();
  if (table.find(*serial) == std::string_view::npos) std::abort();
  return 0;
}
