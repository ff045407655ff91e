// What this Windows really does with files and directories. Of Wine: links and mount points are
// left out, since it makes none, and the answer to that is asked.
#include "support/windows/windows_file.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "support/windows/file_error.h"
#include "support/windows/reparse_point.h"
#include "support/windows/windows_file_system.h"
#include "support/windows/windows_path.h"
#include "tests/support/temporary_directory.h"

namespace longshore::support {
namespace {

namespace fs = std::filesystem;
using LastName = FileSystemCalls::LastName;

class RealDirectory {
 public:
  std::unique_ptr<OpenFile> open(FileAccess access = FileAccess::kList) {
    auto opened = calls.open_path(verbatim(), LastName::kUnfollowed, access, error);
    REQUIRE(opened);
    return opened;
  }
  std::wstring verbatim() const { return L"\\\\?\\" + directory.path().wstring(); }
  fs::path at(const fs::path& name) const { return directory.path() / name; }

  test::TemporaryDirectory directory;
  WindowsFileSystem calls;
  std::error_code error;
};

TEST_CASE("a name is opened in the handle of its directory, and tells what it is") {
  RealDirectory real;
  test::write_file(real.at("file"), "content");
  fs::create_directory(real.at(L"\u00e4\u4e16"));
  const auto directory = real.open();
  CHECK(directory->facts(real.error).is_directory);
  const auto file = directory->open(L"FILE", FileAccess::kLook, real.error);
  REQUIRE(file);
  CHECK_FALSE(file->facts(real.error).is_directory);
  CHECK_FALSE(file->facts(real.error).is_reparse_point);
  const auto inner = directory->open(L"\u00e4\u4e16", FileAccess::kList, real.error);
  REQUIRE(inner);
  CHECK(inner->facts(real.error).is_directory);
  CHECK(inner->list(real.error).empty());
  CHECK_FALSE(real.error);
}

TEST_CASE("no name but one leads anywhere") {
  RealDirectory real;
  fs::create_directories(real.at("a/b"));
  test::write_file(real.at("file"), "content");
  const auto directory = real.open();
  for (const wchar_t* name : {L"", L"..", L"a\\b", L"\\", L"C:", L"none", L"a/b"}) {
    INFO(std::string(name, name + wcslen(name)));
    CHECK_FALSE(directory->open(name, FileAccess::kLook, real.error));
    CHECK(is_missing(real.error));
    if (std::wstring(name) == L"none") continue;
    CHECK_FALSE(directory->make_directory(name, real.error));
    CHECK(real.error);
  }
  const auto file = directory->open(L"file", FileAccess::kLook, real.error);
  CHECK_FALSE(file->open(L"x", FileAccess::kLook, real.error));
  CHECK(is_missing(real.error));
  CHECK_FALSE(directory->open(std::wstring(40'000, L'x'), FileAccess::kLook, real.error));
  CHECK(is_missing(real.error));
  CHECK_FALSE(real.calls.open_path(real.verbatim() + L"\\none\\x", LastName::kFollowed,
                                   FileAccess::kLook, real.error));
  CHECK(is_missing(real.error));
}

TEST_CASE("directories are made once, and all names are listed") {
  RealDirectory real;
  const auto directory = real.open();
  CHECK(directory->list(real.error).empty());
  CHECK_FALSE(real.error);
  for (int number = 0; number < 300; ++number) {
    const std::wstring name = std::wstring(100, L'n') + std::to_wstring(number);
    REQUIRE(directory->make_directory(name, real.error));
    CHECK_FALSE(directory->make_directory(name, real.error));
    CHECK(is_taken(real.error));
  }
  size_t found = 0;
  // Wine lists what was there when a handle was listed for the first time.
  for (const auto again = real.open();;) {
    const std::vector<std::wstring> names = again->list(real.error);
    REQUIRE_FALSE(real.error);
    if (names.empty()) break;
    for (const std::wstring& name : names) {
      ++found;
      const auto entry = again->open(name, FileAccess::kRemove, real.error);
      REQUIRE(entry);
      CHECK_FALSE(entry->remove());
    }
  }
  CHECK(found == 300);
  CHECK(fs::is_empty(real.directory.path()));
}

TEST_CASE("what is opened is removed by its handle, a directory only when it is empty") {
  RealDirectory real;
  fs::create_directories(real.at("full/inner"));
  test::write_file(real.at("read-only"), "content");
  SetFileAttributesW(real.at("read-only").c_str(), FILE_ATTRIBUTE_READONLY);
  const auto directory = real.open();
  const auto open = [&](const wchar_t* name) {
    return directory->open(name, FileAccess::kRemove, real.error);
  };
  CHECK(is_not_empty(open(L"full")->remove()));
  CHECK(fs::exists(real.at("full/inner")));
  CHECK_FALSE(open(L"read-only")->remove());
  CHECK_FALSE(fs::exists(real.at("read-only")));
  REQUIRE(directory->make_directory(L"empty", real.error));
  CHECK_FALSE(open(L"empty")->remove());
  CHECK_FALSE(fs::exists(real.at("empty")));
}

TEST_CASE("what is opened to look may not be removed") {
  RealDirectory real;
  test::write_file(real.at("file"), "content");
  const auto directory = real.open(FileAccess::kLook);
  CHECK(directory->open(L"file", FileAccess::kLook, real.error)->remove());
  CHECK(fs::exists(real.at("file")));
}

TEST_CASE("what is no reparse point has no reparse data") {
  RealDirectory real;
  CHECK(real.open()->read_reparse_data(real.error).empty());
  CHECK(real.error);
}

TEST_CASE("a link that this Windows refuses to make leaves nothing behind") {
  RealDirectory real;
  const auto directory = real.open();
  const auto damaged = std::vector<std::byte>(4);
  const NewLinkType type = GENERATE(NewLinkType::kToDirectory, NewLinkType::kToFile);
  CHECK(directory->make_link(L"link", type, damaged));
  CHECK(fs::is_empty(real.directory.path()));
  test::write_file(real.at("taken"), "content");
  CHECK(is_taken(directory->make_link(L"taken", type, *encode_symbolic_link(L"C:\\a"))));
  CHECK(fs::exists(real.at("taken")));
}

TEST_CASE("from a directory without a volume none is taken away") {
  RealDirectory real;
  fs::create_directory(real.at("plain"));
  const auto plain = real.open()->open(L"plain", FileAccess::kRemove, real.error);
  REQUIRE(plain);
  const std::wstring absent = L"\\\\?\\Volume{01234567-89ab-cdef-0123-456789abcdef}\\";
  CHECK(plain->flush_volume(absent));
  CHECK(plain->detach_volume(absent));
  CHECK(fs::exists(real.at("plain")));
}

TEST_CASE("the mount manager knows where the drive C: is mounted, and no volume of that name") {
  WindowsFileSystem calls;
  std::error_code error;
  std::wstring volume(64, L'\0');
  REQUIRE(GetVolumeNameForVolumeMountPointW(L"C:\\", volume.data(),
                                            static_cast<DWORD>(volume.size())) != FALSE);
  volume.resize(volume.find(L'\0'));
  CHECK(is_volume_name(volume));
  CHECK(calls.paths_of_volume(volume, error) == std::vector<std::wstring>{L"C:\\"});
  CHECK_FALSE(error);
  CHECK(calls.open_path(volume, LastName::kFollowed, FileAccess::kList, error));
  const std::wstring other = L"\\\\?\\Volume{01234567-89ab-cdef-0123-456789abcdef}\\";
  CHECK(calls.paths_of_volume(other, error).empty());
  CHECK(error);
}

TEST_CASE("whether something exists is told from not knowing") {
  RealDirectory real;
  CHECK(real.calls.exists(real.verbatim(), real.error));
  CHECK_FALSE(real.error);
  CHECK_FALSE(real.calls.exists(real.verbatim() + L"\\none\\x", real.error));
  CHECK_FALSE(real.error);
}

}  // namespace
}  // namespace longshore::support
