// The table that the machine's firmware leaves to the system.
//
// Threads: any number at once.
#pragma once

#include <windows.h>

#include <cstddef>
#include <memory>
#include <span>

namespace longshore::system {

class FirmwareTable {
 public:
  virtual ~FirmwareTable() = default;

  // Fills the buffer with Windows' RawSMBIOSData. Answers how many bytes that has, also if they are
  // more than the buffer's; 0: `code` says why there is none.
  virtual DWORD read(std::span<std::byte> buffer, DWORD& code) = 0;
};

// GetSystemFirmwareTable's.
std::unique_ptr<FirmwareTable> native_firmware_table();

}  // namespace longshore::system
