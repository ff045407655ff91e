#include "support/windows/windows_path.h"

#include <windows.h>

#include <catch2/catch.hpp>
#include <string>

namespace longshore::support {
namespace {

std::string parsed_windows(std::string_view text) {
  const auto path = WindowsPath::parse(text, "test");
  return path ? path->text() : path.error().message();
}

WindowsPath windows_path(std::string_view text) { return *WindowsPath::parse(text, "test"); }

TEST_CASE("an absolute Windows path is taken in its shortest spelling") {
  CHECK(parsed_windows("C:\\var\\lib\\kubelet") == "C:\\var\\lib\\kubelet");
  CHECK(parsed_windows("c:\\\\var\\.\\lib\\\\kubelet\\") == "C:\\var\\lib\\kubelet");
  CHECK(parsed_windows("z:\\") == "Z:\\");
  CHECK(parsed_windows("C:\\.") == "C:\\");
}

TEST_CASE("Windows names that only resemble forbidden ones are taken") {
  CHECK(parsed_windows("C:\\a..b\\..c\\.d") == "C:\\a..b\\..c\\.d");
  CHECK(parsed_windows("C:\\a b\\\u00e4\\{1-2}~1") == "C:\\a b\\\u00e4\\{1-2}~1");
  CHECK(parsed_windows("C:\\null\\com\\com10\\console\\auxiliary") ==
        "C:\\null\\com\\com10\\console\\auxiliary");
}

TEST_CASE("what is no absolute Windows path is refused with the reason") {
  struct Case {
    std::string_view path;
    const char* reason;
  };
  using namespace std::string_view_literals;
  const auto [text, reason] = GENERATE(values<Case>({
      {"", "not an absolute Windows path"},
      {"var\\lib", "not an absolute Windows path"},
      {"C:", "not an absolute Windows path"},
      {"C:var", "invalid characters"},
      {"\\var", "invalid character \\ at beginning"},
      {"\\\\server\\share", "invalid character \\ at beginning"},
      {"\\\\?\\C:\\var", "invalid character \\ at beginning"},
      {"\\\\.\\PhysicalDrive0", "invalid character \\ at beginning"},
      {"\\??\\C:\\var", "invalid character \\ at beginning"},
      {"/var/lib/kubelet", "invalid characters"},
      {"C:/var", "invalid characters"},
      {"C:\\var/lib", "invalid characters"},
      {"C:\\a:stream", "invalid characters"},
      {"C:\\a\\..\\b", "the name \"..\""},
      {"C:\\..", "the name \"..\""},
      {"C:\\a?", "invalid characters"},
      {"C:\\a*", "invalid characters"},
      {"C:\\a|b", "invalid characters"},
      {"C:\\<a>", "invalid characters"},
      {"C:\\\"a\"", "invalid characters"},
      {"C:\\a\nb", "invalid characters"},
      {"C:\\a\0b"sv, "invalid characters"},
      {"C:\\a\xff", "no UTF-8"},
      {"C:\\a.", "ends with a dot or a blank"},
      {"C:\\a \\b", "ends with a dot or a blank"},
      {"C:\\...", "ends with a dot or a blank"},
      {"C:\\nul", "the name of a device"},
      {"C:\\a\\CON.txt", "the name of a device"},
      {"C:\\aux .txt\\b", "the name of a device"},
      {"C:\\Com1", "the name of a device"},
      {"C:\\lpt\u00b9.x", "the name of a device"},
  }));
  CAPTURE(text);
  const auto result = WindowsPath::parse(text, "look for");
  REQUIRE_FALSE(result);
  CHECK(result.error().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(result.error().message(), Catch::StartsWith("cannot look for"));
  CHECK_THAT(result.error().message(), Catch::Contains(reason));
}

TEST_CASE("a rooted path without a drive lies on the drive that Windows runs from") {
  const auto rooted = [](std::string_view text) {
    const auto path = WindowsPath::parse_rooted(text, "test");
    return path ? path->text() : path.error().message();
  };
  wchar_t directory[MAX_PATH];
  REQUIRE(GetSystemWindowsDirectoryW(directory, MAX_PATH) != 0);
  const std::string drive = {static_cast<char>(directory[0]), ':'};
  CHECK(rooted("\\var\\lib\\kubelet\\") == drive + "\\var\\lib\\kubelet");
  CHECK(rooted("\\") == drive + "\\");
  CHECK(rooted("d:\\var") == "D:\\var");
  CHECK_THAT(rooted("\\var\\..\\lib"), Catch::Contains("the name \"..\""));
  CHECK_THAT(rooted("\\nul"), Catch::Contains("the name of a device"));
  CHECK_THAT(rooted("\\var/lib"), Catch::Contains("invalid characters"));
  for (const char* refused : {"\\\\server\\share", "\\\\?\\C:\\var", "\\\\.\\PhysicalDrive0",
                              "\\\\?\\Volume{1}\\", "\\??\\C:\\var"}) {
    CAPTURE(refused);
    CHECK(rooted(refused) == parsed_windows(refused));
    CHECK_THAT(rooted(refused), Catch::Contains("invalid character \\ at beginning"));
  }
  for (const char* relative : {"", "var\\lib", "C:", "C:var", "/var/lib"}) {
    CAPTURE(relative);
    CHECK(rooted(relative) == parsed_windows(relative));
  }
}

TEST_CASE("a Windows path may be as long as Windows takes it, and no longer") {
  const std::string name(WindowsPath::kMaxNameUnits, 'n');
  CHECK(WindowsPath::parse("C:\\" + name, "test"));
  CHECK_THAT(parsed_windows("C:\\" + name + "n"),
             Catch::Contains("exceeds maximum characters: 255"));
  std::string wide_name;
  for (size_t i = 0; i < WindowsPath::kMaxNameUnits; ++i) wide_name += "\u4e16";
  CHECK(WindowsPath::parse("C:\\" + wide_name, "test"));
  std::string longest = "C:";
  while (longest.size() + 101 <= WindowsPath::kMaxUnits) longest += "\\" + std::string(100, 'n');
  CHECK(WindowsPath::parse(longest, "test"));
  CHECK_THAT(parsed_windows(longest + "\\" + name),
             Catch::Contains("exceeds maximum characters: 32700"));
  CHECK(parsed_windows(std::string(1u << 20, 'x')).size() < 1000);
}

TEST_CASE("a Windows path knows its name, its parent and what lies beneath it") {
  CHECK(windows_path("C:\\a\\b").name() == "b");
  CHECK(windows_path("C:\\").name().empty());
  CHECK(windows_path("C:\\a\\b").parent().text() == "C:\\a");
  CHECK(windows_path("C:\\a").parent().text() == "C:\\");
  CHECK(windows_path("C:\\").parent().text() == "C:\\");
  CHECK(windows_path("C:\\a\\b").is_within(windows_path("c:\\A")));
  CHECK(windows_path("C:\\a").is_within(windows_path("C:\\")));
  CHECK_FALSE(windows_path("C:\\ab").is_within(windows_path("C:\\a")));
  CHECK_FALSE(windows_path("D:\\a").is_within(windows_path("C:\\a")));
  CHECK(windows_path("C:\\A\\b\\c").below(windows_path("c:\\a")) == "b\\c");
  CHECK(windows_path("C:\\a").below(windows_path("C:\\")) == "a");
  CHECK(windows_path("C:\\a").below(windows_path("C:\\A")).empty());
  CHECK(windows_path("C:\\\u00c4") == windows_path("c:\\\u00e4"));
  CHECK(windows_path("C:\\a\\b").names() == std::vector<std::string_view>{"a", "b"});
  CHECK(windows_path("C:\\a").verbatim() == L"\\\\?\\C:\\a");
}

}  // namespace
}  // namespace longshore::support
