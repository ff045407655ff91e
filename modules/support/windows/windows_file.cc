#include "support/windows/windows_file.h"

#include <winioctl.h>
#include <winternl.h>

#include <array>

#include "support/windows/file_error.h"
#include "support/windows/mount_manager.h"
#include "support/windows/reparse_point.h"
#include "support/windows/symbolic_link_privilege.h"

namespace longshore::support {
namespace {

constexpr ULONG kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr ULONG kOptions = FILE_OPEN_REPARSE_POINT | FILE_SYNCHRONOUS_IO_NONALERT;
constexpr size_t kMaxNameUnits = 0x7fff;

// Has its name only in newer headers.
constexpr auto kFileDispositionInfoEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(21);

std::error_code error_of(NTSTATUS status) {
  constexpr auto kDeletePending = static_cast<NTSTATUS>(0xC0000056);
  constexpr auto kFileDeleted = static_cast<NTSTATUS>(0xC0000123);
  // Programs are told ERROR_ACCESS_DENIED, which says something else.
  if (status == kDeletePending || status == kFileDeleted) {
    return windows_error(ERROR_DELETE_PENDING);
  }
  return windows_error(RtlNtStatusToDosError(status));
}

// The names in what GetFileInformationByHandleEx() gave, without "." and "..".
std::vector<std::wstring> names_in(const std::byte* entries) {
  std::vector<std::wstring> names;
  for (;;) {
    const auto* entry = reinterpret_cast<const FILE_ID_BOTH_DIR_INFO*>(entries);
    std::wstring name(entry->FileName, entry->FileNameLength / sizeof(wchar_t));
    if (name != L"." && name != L"..") names.push_back(std::move(name));
    if (entry->NextEntryOffset == 0) return names;
    entries += entry->NextEntryOffset;
  }
}

}  // namespace

ACCESS_MASK rights_for(FileAccess access) {
  constexpr ACCESS_MASK kLook = FILE_READ_ATTRIBUTES | SYNCHRONIZE;
  switch (access) {
    case FileAccess::kLook:
      break;
    case FileAccess::kList:
      return kLook | FILE_LIST_DIRECTORY;
    case FileAccess::kRemove:
      return kLook | FILE_LIST_DIRECTORY | FILE_WRITE_ATTRIBUTES | DELETE;
  }
  return kLook;
}

Handle WindowsFile::create(const std::wstring& name, const Creation& creation,
                           std::error_code& error) const {
  if (name.empty() || name.size() > kMaxNameUnits ||
      name.find_first_of(L"\\/:") != std::wstring::npos) {
    error = windows_error(ERROR_INVALID_NAME);
    return {};
  }
  UNICODE_STRING text{};
  text.Buffer = const_cast<wchar_t*>(name.data());
  text.Length = text.MaximumLength = static_cast<USHORT>(name.size() * sizeof(wchar_t));
  OBJECT_ATTRIBUTES attributes{};
  attributes.Length = sizeof(attributes);
  attributes.RootDirectory = handle_.get();
  attributes.ObjectName = &text;
  attributes.Attributes = OBJ_CASE_INSENSITIVE;
  IO_STATUS_BLOCK status_block{};
  HANDLE opened = nullptr;
  const NTSTATUS status = NtCreateFile(
      &opened, creation.rights, &attributes, &status_block, nullptr, FILE_ATTRIBUTE_NORMAL,
      kShareAll, creation.disposition, creation.options | kOptions, nullptr, 0);
  error = status >= 0 ? std::error_code() : error_of(status);
  return status >= 0 ? Handle(opened) : Handle();
}

OpenFile::Opened WindowsFile::open(const std::wstring& name, FileAccess access,
                                   std::error_code& error) {
  Handle opened = create(name, {rights_for(access), FILE_OPEN, 0}, error);
  return opened ? std::make_unique<WindowsFile>(std::move(opened)) : nullptr;
}

OpenFile::Opened WindowsFile::make_directory(const std::wstring& name, std::error_code& error) {
  Handle made =
      create(name, {rights_for(FileAccess::kLook), FILE_CREATE, FILE_DIRECTORY_FILE}, error);
  return made ? std::make_unique<WindowsFile>(std::move(made)) : nullptr;
}

std::error_code WindowsFile::make_link(const std::wstring& name, NewLinkType type,
                                       std::span<const std::byte> reparse_data) {
  constexpr ACCESS_MASK kRights =
      FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES | DELETE | SYNCHRONIZE;
  const ULONG options =
      type == NewLinkType::kToDirectory ? FILE_DIRECTORY_FILE : FILE_NON_DIRECTORY_FILE;
  std::error_code error;
  Handle made = create(name, {kRights, FILE_CREATE, options}, error);
  if (!made) return error;
  WindowsFile link(std::move(made));
  error = link.set_reparse_data(reparse_data);
  if (error.value() == ERROR_PRIVILEGE_NOT_HELD && enable_symbolic_link_privilege()) {
    error = link.set_reparse_data(reparse_data);
  }
  if (error) link.remove();
  return error;
}

std::error_code WindowsFile::set_reparse_data(std::span<const std::byte> data) const {
  DWORD size = 0;
  return error_unless(
      DeviceIoControl(handle_.get(), FSCTL_SET_REPARSE_POINT, const_cast<std::byte*>(data.data()),
                      static_cast<DWORD>(data.size()), nullptr, 0, &size, nullptr) != FALSE);
}

OpenFile::Facts WindowsFile::facts(std::error_code& error) {
  FILE_ATTRIBUTE_TAG_INFO info{};
  error = error_unless(GetFileInformationByHandleEx(handle_.get(), FileAttributeTagInfo, &info,
                                                    sizeof(info)) != FALSE);
  return {.is_directory = (info.FileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0,
          .is_reparse_point = (info.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0};
}

std::vector<std::byte> WindowsFile::read_reparse_data(std::error_code& error) {
  std::vector<std::byte> data(MAXIMUM_REPARSE_DATA_BUFFER_SIZE);
  DWORD size = 0;
  error =
      error_unless(DeviceIoControl(handle_.get(), FSCTL_GET_REPARSE_POINT, nullptr, 0, data.data(),
                                   static_cast<DWORD>(data.size()), &size, nullptr) != FALSE);
  if (error) return {};
  data.resize(size);
  return data;
}

std::vector<std::wstring> WindowsFile::list(std::error_code& error) {
  alignas(8) std::array<std::byte, 32 << 10> entries;
  for (auto type = FileIdBothDirectoryRestartInfo;; type = FileIdBothDirectoryInfo) {
    const bool listed =
        GetFileInformationByHandleEx(handle_.get(), type, entries.data(), entries.size()) != FALSE;
    error = error_unless(listed);
    if (!listed) {
      // An empty root directory has not even "." and "..".
      if (error.value() == ERROR_NO_MORE_FILES || error.value() == ERROR_FILE_NOT_FOUND) {
        error.clear();
      }
      return {};
    }
    std::vector<std::wstring> names = names_in(entries.data());
    if (!names.empty()) return names;
  }
}

std::error_code WindowsFile::remove() {
  FILE_DISPOSITION_INFO_EX info{};
  info.Flags = FILE_DISPOSITION_FLAG_DELETE | FILE_DISPOSITION_FLAG_POSIX_SEMANTICS |
               FILE_DISPOSITION_FLAG_IGNORE_READONLY_ATTRIBUTE;
  const std::error_code error =
      error_unless(SetFileInformationByHandle(handle_.get(), kFileDispositionInfoEx, &info,
                                              sizeof(info)) != FALSE);
  switch (error.value()) {
    case ERROR_INVALID_PARAMETER:
    case ERROR_INVALID_FUNCTION:
    case ERROR_NOT_SUPPORTED:
    case ERROR_CALL_NOT_IMPLEMENTED:
      return remove_when_closed();
    default:
      return error;
  }
}

std::error_code WindowsFile::remove_when_closed() {
  FILE_BASIC_INFO basic{};
  if (GetFileInformationByHandleEx(handle_.get(), FileBasicInfo, &basic, sizeof(basic)) != FALSE &&
      (basic.FileAttributes & FILE_ATTRIBUTE_READONLY) != 0) {
    FILE_BASIC_INFO writable{};  // what is zero stays as it is
    writable.FileAttributes = basic.FileAttributes & ~DWORD{FILE_ATTRIBUTE_READONLY};
    if (writable.FileAttributes == 0) writable.FileAttributes = FILE_ATTRIBUTE_NORMAL;
    SetFileInformationByHandle(handle_.get(), FileBasicInfo, &writable, sizeof(writable));
  }
  FILE_DISPOSITION_INFO info{};
  info.DeleteFile = TRUE;
  return error_unless(
      SetFileInformationByHandle(handle_.get(), FileDispositionInfo, &info, sizeof(info)) != FALSE);
}

std::wstring WindowsFile::final_path() const {
  std::wstring path(kMaxNameUnits + 1, L'\0');
  path.resize(GetFinalPathNameByHandleW(handle_.get(), path.data(), static_cast<DWORD>(path.size()),
                                        FILE_NAME_NORMALIZED));
  return path;
}

std::error_code WindowsFile::attach_volume(const std::wstring& volume) {
  if (const auto error = set_reparse_data(encode_mount_point(volume))) return error;
  // What the mount manager does not know is no path of the volume's: nobody would be let in.
  return tell_mount_point_made(final_path(), volume);
}

std::error_code WindowsFile::flush_volume(const std::wstring& volume) {
  const std::wstring device = volume.substr(0, volume.find_last_not_of(L'\\') + 1);
  const Handle opened(CreateFileW(device.c_str(), GENERIC_READ | GENERIC_WRITE, kShareAll, nullptr,
                                  OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!opened) return opened.error();
  return error_unless(FlushFileBuffers(opened.get()) != FALSE);
}

std::error_code WindowsFile::detach_volume(const std::wstring& volume) {
  const std::wstring path = final_path();
  struct {
    ULONG tag = IO_REPARSE_TAG_MOUNT_POINT;
    USHORT data_length = 0;
    USHORT reserved = 0;
  } header;
  DWORD size = 0;
  const std::error_code error =
      error_unless(DeviceIoControl(handle_.get(), FSCTL_DELETE_REPARSE_POINT, &header,
                                   sizeof(header), nullptr, 0, &size, nullptr) != FALSE);
  if (error) return error;
  // Should it not hear of it, it finds out when the volume comes again.
  if (!path.empty()) static_cast<void>(tell_mount_point_gone(path, volume));
  return {};
}

}  // namespace longshore::support
