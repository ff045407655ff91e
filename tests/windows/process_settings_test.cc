// What the configuration of a module's process may say on Windows, and how its command line is
// made.
#include <windows.h>

// windows.h comes before it.
#include <shellapi.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "longshore/windows/command_line.hpp"
#include "supervise/process_settings.h"
#include "supervise/windows/exit_words.h"

using namespace longshore;
using namespace longshore::supervise;

TEST_CASE("what Windows has nothing of is refused by its key") {
  config::ModuleSettings module;
  module.name = "disk";
  std::string key;
  SECTION("another user") {
    module.process.user = "nobody";
    key = "user";
  }
  SECTION("capabilities") {
    module.process.capabilities = {"CAP_SYS_ADMIN"};
    key = "capabilities";
  }
  SECTION("a limit of descriptors") {
    module.process.files_max = 100;
    key = "files_max";
  }
  const auto log = observe::Log::open({.write = [](observe::Level, std::string_view) {}}).value();
  ChildOptions options;
  const auto applied = apply_process_settings(module, {}, *log, options);
  REQUIRE_FALSE(applied);
  CHECK(applied.error().code() == StatusCode::kUnimplemented);
  CHECK(applied.error().message() ==
        "cannot limit the process of the module \"disk\": there is no modules.disk.process." + key +
            " on Windows; leave it out");
}

TEST_CASE("a command line is taken apart into the words that it was made of") {
  const std::vector<std::wstring> words = {L"C:\\Program Files\\longshore-modulehost.exe",
                                           L"",
                                           L"two words",
                                           L"a \"quotation\"",
                                           L"at the end\\",
                                           L"two\\\\",
                                           L"before\\\\\"it",
                                           L"tab\there",
                                           L"\u00e4\u4e16"};
  int count = 0;
  wchar_t** const apart = CommandLineToArgvW(command_line(words).c_str(), &count);
  REQUIRE(apart);
  const std::vector<std::wstring> again(apart, apart + count);
  LocalFree(apart);
  CHECK(again == words);
}

TEST_CASE("exit codes are told in words") {
  CHECK(process_end_of(0).words == "exited with code 0");
  CHECK(process_end_of(3).words == "exited with code 3");
  CHECK(process_end_of(kKilledCode).words == "was killed");
  CHECK(process_end_of(0xC00000FD).words == "crashed with a stack overflow (0xC00000FD)");
  CHECK(process_end_of(0xC0000999).words == "crashed with the status 0xC0000999");
}
