#include "support/windows/device_control.h"

#include <windows.h>
// After windows.h: what a device interface is called.
#include <setupapi.h>
#include <winioctl.h>

#include <algorithm>
#include <utility>

#include "longshore/windows/handle.hpp"

namespace longshore::support {
namespace {

// GUID_DEVINTERFACE_DISK; the header's is defined only where INITGUID is, which defines all others.
constexpr GUID kDiskInterface = {
    0x53f56307, 0xb6bf, 0x11d0, {0x94, 0xf2, 0x00, 0xa0, 0xc9, 0x1e, 0xfb, 0x8b}};

class SystemDevice final : public Device {
 public:
  explicit SystemDevice(Handle handle) : handle_(std::move(handle)) {}

  Answer control(uint32_t code, std::string_view request, size_t most) override {
    Answer answer;
    answer.bytes.resize(most);
    DWORD size = 0;
    // What the system takes as a request is never written to.
    void* in = request.empty() ? nullptr : const_cast<char*>(request.data());
    answer.error =
        error_unless(DeviceIoControl(handle_.get(), code, in, static_cast<DWORD>(request.size()),
                                     most == 0 ? nullptr : answer.bytes.data(),
                                     static_cast<DWORD>(most), &size, nullptr) != FALSE);
    answer.bytes.resize(std::min<size_t>(size, most));
    return answer;
  }

  Answer read(uint64_t offset, size_t size) override {
    Answer answer;
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(offset);
    place.OffsetHigh = static_cast<DWORD>(offset >> 32);
    answer.bytes.resize(size);
    DWORD count = 0;
    answer.error = error_unless(ReadFile(handle_.get(), answer.bytes.data(),
                                         static_cast<DWORD>(size), &count, &place) != FALSE);
    if (answer.error.value() == ERROR_HANDLE_EOF) answer.error.clear();
    answer.bytes.resize(std::min<size_t>(count, size));
    return answer;
  }

  std::error_code flush() override {
    return error_unless(FlushFileBuffers(handle_.get()) != FALSE);
  }

 private:
  Handle handle_;
};

// A list of SetupAPI's, which is no handle of the kernel's.
class DeviceList {
 public:
  DeviceList()
      : list_(SetupDiGetClassDevsW(&kDiskInterface, nullptr, nullptr,
                                   DIGCF_PRESENT | DIGCF_DEVICEINTERFACE)),
        error_(error_unless(list_ != INVALID_HANDLE_VALUE)) {}
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;
  ~DeviceList() {
    if (*this) SetupDiDestroyDeviceInfoList(list_);
  }

  explicit operator bool() const { return list_ != INVALID_HANDLE_VALUE; }
  // Why there is none.
  const std::error_code& error() const { return error_; }
  HDEVINFO get() const { return list_; }

 private:
  HDEVINFO list_;
  std::error_code error_;
};

// "" for an interface that has gone meanwhile.
std::wstring path_of(const DeviceList& list, SP_DEVICE_INTERFACE_DATA& interface_data) {
  DWORD size = 0;
  SetupDiGetDeviceInterfaceDetailW(list.get(), &interface_data, nullptr, 0, &size, nullptr);
  constexpr size_t kStart = offsetof(SP_DEVICE_INTERFACE_DETAIL_DATA_W, DevicePath);
  if (size <= kStart) return {};
  std::vector<DWORD> room(size / sizeof(DWORD) + 1);
  auto* detail = reinterpret_cast<SP_DEVICE_INTERFACE_DETAIL_DATA_W*>(room.data());
  detail->cbSize = sizeof(SP_DEVICE_INTERFACE_DETAIL_DATA_W);
  if (!SetupDiGetDeviceInterfaceDetailW(list.get(), &interface_data, detail, size, nullptr,
                                        nullptr)) {
    return {};
  }
  return detail->DevicePath;
}

DWORD rights_for(DeviceControl::Access access) {
  switch (access) {
    case DeviceControl::Access::kQuery:
      return 0;
    case DeviceControl::Access::kRead:
      return GENERIC_READ;
    case DeviceControl::Access::kWrite:
      break;
  }
  return GENERIC_READ | GENERIC_WRITE;
}

}  // namespace

DeviceControl::Opened SystemDeviceControl::open(const std::wstring& path, Access access) {
  Handle handle(CreateFileW(path.c_str(), rights_for(access), FILE_SHARE_READ | FILE_SHARE_WRITE,
                            nullptr, OPEN_EXISTING, 0, nullptr));
  if (!handle) return {handle.error(), nullptr};
  return {{}, std::make_unique<SystemDevice>(std::move(handle))};
}

DeviceControl::Interfaces SystemDeviceControl::disk_interfaces() {
  const DeviceList list;
  if (!list) return {list.error(), {}};
  Interfaces found;
  SP_DEVICE_INTERFACE_DATA interface_data{};
  interface_data.cbSize = sizeof(interface_data);
  for (DWORD index = 0;; ++index) {
    const bool is_found = SetupDiEnumDeviceInterfaces(list.get(), nullptr, &kDiskInterface, index,
                                                      &interface_data) != FALSE;
    found.error = error_unless(is_found);
    if (!is_found) break;
    if (std::wstring path = path_of(list, interface_data); !path.empty()) {
      found.paths.push_back(std::move(path));
    }
  }
  if (found.error.value() == ERROR_NO_MORE_ITEMS) found.error.clear();
  return found;
}

}  // namespace longshore::support
