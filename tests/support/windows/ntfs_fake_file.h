// A file of NtfsFake's, and one that is opened.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/windows/ntfs_fake.h"

namespace longshore::test {

// Threads: under the fake's lock.
struct NtfsFake::Node {
  // As NTFS compares names.
  struct ByName {
    bool operator()(const std::string& left, const std::string& right) const;
  };

  bool is_directory = false;
  std::vector<std::byte> reparse_data;
  std::map<std::string, NodePointer, ByName> entries;
  Node* parent = nullptr;  // none: a root, or removed
  std::string name;        // of a root its path
  bool is_removed = false;
};

// Owner: who opened it; the fake outlives it.
class NtfsFake::File final : public support::OpenFile {
 public:
  File(NtfsFake& fake, NodePointer node, support::FileAccess access);
  ~File() override;

  Opened open(const std::wstring& name, support::FileAccess access,
              std::error_code& error) override;
  Opened make_directory(const std::wstring& name, std::error_code& error) override;
  std::error_code make_link(const std::wstring& name, support::NewLinkType type,
                            std::span<const std::byte> reparse_data) override;
  Facts facts(std::error_code& error) override;
  std::vector<std::byte> read_reparse_data(std::error_code& error) override;
  std::vector<std::wstring> list(std::error_code& error) override;
  std::error_code remove() override;
  std::error_code attach_volume(const std::wstring& volume) override;
  std::error_code flush_volume(const std::wstring& volume) override;
  std::error_code detach_volume(const std::wstring& volume) override;

 private:
  std::error_code ask(const std::string& call, const std::wstring& name) const;
  std::error_code check(const std::wstring& name) const;
  NodePointer make(const std::wstring& name, bool is_directory, std::error_code& error);

  NtfsFake& fake_;
  const NodePointer node_;
  const support::FileAccess access_;
};

}  // namespace longshore::test
