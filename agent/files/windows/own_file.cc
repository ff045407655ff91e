#include "files/windows/own_file.h"

// windows.h comes before it.
#include <sddl.h>

#include <filesystem>
#include <memory>

#include "longshore/windows/local_memory.hpp"
#include "longshore/windows/wide_text.hpp"

namespace longshore::files {
namespace {

// The system's account, administrators and whoever runs the agent, for what lies in it too.
constexpr const wchar_t* kOwnOnly = L"D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;OW)";

bool is_link(HANDLE file) {
  FILE_ATTRIBUTE_TAG_INFO facts{};
  return GetFileInformationByHandleEx(file, FileAttributeTagInfo, &facts, sizeof(facts)) &&
         (facts.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

DWORD sharing_of(OthersMay others) {
  switch (others) {
    case OthersMay::kRead:
      return FILE_SHARE_READ | FILE_SHARE_DELETE;
    case OthersMay::kWrite:
      return FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    case OthersMay::kNothing:
      break;
  }
  return 0;
}

}  // namespace

Result<void> make_own_folder(const std::string& path) {
  const auto failed = [&](const std::error_code& error) {
    return Error(StatusCode::kUnknown, "make the folder", path).because(error);
  };
  const std::filesystem::path whole(wide(path));
  std::error_code error;
  std::filesystem::create_directories(whole.parent_path(), error);
  if (error) return failed(error);
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  error = error_unless(ConvertStringSecurityDescriptorToSecurityDescriptorW(
                           kOwnOnly, SDDL_REVISION_1, &descriptor, nullptr) != FALSE);
  if (error) return failed(error);
  const LocalMemory<void> owned(descriptor);
  SECURITY_ATTRIBUTES attributes = {sizeof(SECURITY_ATTRIBUTES), descriptor, FALSE};
  const std::error_code refusal =
      error_unless(CreateDirectoryW(whole.c_str(), &attributes) != FALSE);
  if (!refusal) return {};
  if (refusal.value() == ERROR_ALREADY_EXISTS && std::filesystem::is_directory(whole, error)) {
    return {};
  }
  return failed(refusal);
}

Result<Handle> open_own_file(const std::string& path, DWORD access, OthersMay others) {
  const std::wstring name = wide(path);
  Handle file(CreateFileW(name.c_str(), access | FILE_READ_ATTRIBUTES, sharing_of(others), nullptr,
                          OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT,
                          nullptr));
  if (!file) {
    const std::error_code error = file.error();
    const StatusCode code =
        error.value() == ERROR_PATH_NOT_FOUND ? StatusCode::kNotFound : StatusCode::kUnknown;
    return Error(code, "open the file", path).because(error);
  }
  if (is_link(file.get())) {
    return Error(StatusCode::kFailedPrecondition, "open the file", path)
        .because("a link is in its place");
  }
  return file;
}

}  // namespace longshore::files
