// Files that are no modules, or were once: each gets a sentence, none is loaded.
#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "hostile_world.h"
#include "tests/support/build_tree.h"
#include "tests/support/temporary_directory.h"

namespace longshore::hostile {
namespace {

using test::TemporaryDirectory;
using test::write_file;

std::string contents(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST_CASE("What is not a file, or not a module's, is refused with its reason") {
  const TemporaryDirectory folder;
  CHECK(load_error(folder / "nothing").message() ==
        "cannot read the module \"" + (folder / "nothing") + "\": No such file or directory");
  CHECK(load_error(folder / "nothing").code() == StatusCode::kNotFound);

  CHECK(load_error(folder.path()).message() ==
        "cannot read the module \"" + folder.path().string() + "\": it is not a regular file");

  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK(load_error(folder / "fifo").message() ==
        "cannot read the module \"" + (folder / "fifo") + "\": it is not a regular file");

  CHECK(load_error("/dev/zero").message() ==
        "cannot read the module \"/dev/zero\": it is not a regular file");

  write_file(folder / "empty", "");
  CHECK(load_error(folder / "empty").message() == "cannot read the module \"" + (folder / "empty") +
                                                      "\": its size of 0 bytes is not a module's");

  // A sparse file larger than any module: not read at all.
  write_file(folder / "huge", "x");
  std::filesystem::resize_file(folder / "huge", uint64_t{1} << 40);
  CHECK(load_error(folder / "huge").message().find("is not a module's") != std::string::npos);

  for (const std::string& text : {std::string("x"), std::string("#!/bin/sh\necho hello\n"),
                                  std::string(1 << 20, '\0'), std::string("\x7f") + "ELF"}) {
    write_file(folder / "text", text);
    CHECK(load_error(folder / "text").message() ==
          (folder / "text") +
              ": cannot read the module: it is not a shared object for this machine");
  }
}

TEST_CASE("A program is no module") {
  CHECK(load_error("/proc/self/exe").message().rfind("/proc/self/exe: cannot ", 0) == 0);
}

// An error with a sentence about the module; or facts, where the damage is in what nobody reads.
void check_harmless(const std::string& file) {
  const auto facts = loader::inspect_module(file, {});
  if (!facts) CHECK(facts.error().message().find(file + ": cannot ") == 0);
}

TEST_CASE("A module that was cut short is refused or unharmed, at every length") {
  const TemporaryDirectory folder;
  const std::string whole = contents(file_of("behaves"));
  for (size_t size = 1; size < whole.size(); size += 61) {
    INFO(size);
    write_file(folder / "cut.so", whole.substr(0, size));
    check_harmless(folder / "cut.so");
  }
}

TEST_CASE("The echo module is refused when it was cut short") {
  const TemporaryDirectory folder;
  std::filesystem::copy_file(test::built_module("echo"), folder / "cut.so");
  REQUIRE(loader::inspect_module(folder / "cut.so", {}));
  const uintmax_t whole = std::filesystem::file_size(folder / "cut.so");
  // The dynamic section stands near the end of what is loaded.
  for (uintmax_t part = 1; part <= 8; ++part) {
    std::filesystem::resize_file(folder / "cut.so", whole / (part * part * 8));
    const auto facts = loader::inspect_module(folder / "cut.so", {});
    INFO(part);
    REQUIRE_FALSE(facts);
    CHECK(facts.error().message().find((folder / "cut.so") + ": cannot ") == 0);
  }
}

TEST_CASE("A module with one wrong byte is refused or unharmed, wherever the byte is") {
  const TemporaryDirectory folder;
  const std::string whole = contents(file_of("behaves"));
  const std::string file = folder / "wrong.so";
  size_t refused = 0;
  // All of the headers, then a sample of the rest.
  for (size_t place = 0; place < whole.size(); place += place < 1024 ? 1 : 13) {
    for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
      INFO(place << " " << flip);
      std::string wrong = whole;
      wrong[place] = static_cast<char>(static_cast<unsigned char>(wrong[place]) ^ flip);
      write_file(file, wrong);
      check_harmless(file);
      refused += !loader::inspect_module(file, {});
    }
  }
  CHECK(refused > 100);
}

}  // namespace
}  // namespace longshore::hostile
