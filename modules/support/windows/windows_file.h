// An OpenFile that is a handle.
//
// Owner: the handle's. Threads: one at a time.
#pragma once

#include <windows.h>

#include "longshore/windows/handle.hpp"
#include "support/windows/file_system_calls.h"

namespace longshore::support {

// The rights that Windows is asked for.
ACCESS_MASK rights_for(FileAccess access);

class WindowsFile final : public OpenFile {
 public:
  explicit WindowsFile(Handle handle) : handle_(std::move(handle)) {}

  Opened open(const std::wstring& name, FileAccess access, std::error_code& error) override;
  Opened make_directory(const std::wstring& name, std::error_code& error) override;
  std::error_code make_link(const std::wstring& name, NewLinkType type,
                            std::span<const std::byte> reparse_data) override;
  Facts facts(std::error_code& error) override;
  std::vector<std::byte> read_reparse_data(std::error_code& error) override;
  std::vector<std::wstring> list(std::error_code& error) override;
  std::error_code remove() override;
  std::error_code attach_volume(const std::wstring& volume) override;
  std::error_code flush_volume(const std::wstring& volume) override;
  std::error_code detach_volume(const std::wstring& volume) override;

 private:
  struct Creation {
    ACCESS_MASK rights;
    ULONG disposition;
    ULONG options;
  };

  // With the prefix \\?\; "" if it has none any more.
  std::wstring final_path() const;
  Handle create(const std::wstring& name, const Creation& creation, std::error_code& error) const;
  // As older filesystems can: the name goes when the last handle is closed.
  std::error_code remove_when_closed();
  std::error_code set_reparse_data(std::span<const std::byte> data) const;

  Handle handle_;
};

}  // namespace longshore::support
