// The function of kernel32.dll behind FirmwareTable.
#include "system/windows/firmware_table.h"

namespace longshore::system {
namespace {

constexpr DWORD kRawSmbios = 0x52534D42;  // 'RSMB'

class NativeFirmwareTable final : public FirmwareTable {
 public:
  DWORD read(std::span<std::byte> buffer, DWORD& code) override {
    SetLastError(ERROR_SUCCESS);
    const UINT size =
        GetSystemFirmwareTable(kRawSmbios, 0, buffer.data(), static_cast<DWORD>(buffer.size()));
    code = size == 0 ? GetLastError() : ERROR_SUCCESS;
    return size;
  }
};

}  // namespace

std::unique_ptr<FirmwareTable> native_firmware_table() {
  return std::make_unique<NativeFirmwareTable>();
}

}  // namespace longshore::system
