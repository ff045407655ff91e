// Windows DLLs as the loader sees them before it loads one, on whatever system this runs.
#include <catch2/catch.hpp>

#include "loader/image_facts.h"
#include "longshore/abi.h"
#include "tests/unit/loader/pe_image.h"

namespace longshore::loader {
namespace {

std::string refusal(const PeImage& image) {
  const auto facts = read_pe(image.bytes);
  REQUIRE_FALSE(facts);
  CHECK(facts.error().code() == StatusCode::kInvalidArgument);
  return facts.error().message();
}

constexpr const char* kNoDll = "cannot read the module: it is not a DLL for this machine";
constexpr const char* kBadExports = "cannot read the module: its table of exports is damaged";
constexpr const char* kBadImports =
    "cannot read the module: its list of needed libraries is damaged";
constexpr const char* kBadEntry =
    "cannot read the module: its longshore_module points outside of the file";

TEST_CASE("A DLL tells its exports, its libraries and its entry") {
  PeContents contents;
  contents.exports = {"another", "longshore_module"};
  contents.libraries = {"KERNEL32.dll", "zlib1.dll"};
  const auto facts = read_pe(PeImage(contents).bytes);
  REQUIRE(facts);
  CHECK(facts->exports == contents.exports);
  CHECK(facts->libraries == contents.libraries);
  CHECK(facts->entry.magic == LONGSHORE_MODULE_MAGIC);
  CHECK(facts->entry.struct_size == sizeof(longshore_module_entry));
  CHECK(facts->entry.abi_major == LONGSHORE_ABI_MAJOR);
  CHECK(facts->entry.name == "longshore-small");
  CHECK(facts->entry.version == "1.0");
  CHECK(facts->entry.vendor == "Nobody");
  CHECK(facts->entry.description == "description");
}

TEST_CASE("Libraries that are loaded later are told too") {
  PeImage image;
  const size_t directory = image.bytes.size();
  const uint32_t address = static_cast<uint32_t>(directory) - PeImage::kOffset + PeImage::kAddress;
  image.put<uint32_t>(directory + 4, address + 64);       // of the first entry
  image.put<uint32_t>(directory + 32 + 4, 0);             // the end of the list
  image.put<uint64_t>(directory + 64, 0x6c6c642e657461);  // "ate.dll"
  image.put<uint32_t>(PeImage::kDirectories + 13 * 8, address);
  image.put<uint32_t>(PeImage::kSections + 16,
                      static_cast<uint32_t>(image.bytes.size()) - PeImage::kOffset);
  const auto facts = read_pe(image.bytes);
  REQUIRE(facts);
  CHECK(facts->libraries == std::vector<std::string>{"KERNEL32.dll", "ate.dll"});

  image.put<uint32_t>(PeImage::kDirectories + 13 * 8, 0x7fffffff);
  CHECK(refusal(image) == kBadImports);
}

TEST_CASE("What is no DLL for this machine is refused") {
  PeImage image;
  SECTION("another magic") { image.put<uint16_t>(0, 0x457f); }
  SECTION("headers that lie outside") { image.put<uint32_t>(0x3c, 0xfffffff0); }
  SECTION("no PE signature") { image.put<uint32_t>(0x40, 0x454e); }
  SECTION("a 32-bit machine") { image.put<uint16_t>(0x44, 0x14c); }
  SECTION("a program") { image.put<uint16_t>(0x56, 0x0022); }
  SECTION("PE32") { image.put<uint16_t>(0x58, 0x10b); }
  SECTION("too few directories") { image.put<uint32_t>(0x58 + 108, 1); }
  SECTION("too many sections") { image.put<uint16_t>(0x46, 97); }
  SECTION("sections that lie outside") { image.put<uint16_t>(0x54, 0xffff); }
  CHECK(refusal(image) == kNoDll);
}

TEST_CASE("A DLL whose tables point nowhere is refused") {
  PeImage image;
  SECTION("exports") {
    image.put<uint32_t>(PeImage::kDirectories, 0xfffffff0);
    CHECK(refusal(image) == kBadExports);
  }
  SECTION("imports") {
    image.put<uint32_t>(PeImage::kDirectories + 8, 0xfffffff0);
    CHECK(refusal(image) == kBadImports);
  }
  SECTION("the entry's name") {
    image.put<uint64_t>(PeImage::kOffset + offsetof(longshore_module_entry, name), 8);
    CHECK(refusal(image) == kBadEntry);
  }
  SECTION("the description's end") {
    image.put<uint64_t>(PeImage::kOffset + offsetof(longshore_module_entry, description_size),
                        uint64_t{1} << 20);
    CHECK(refusal(image) == kBadEntry);
  }
  SECTION("a description of all memory") {
    image.put<uint64_t>(PeImage::kOffset + offsetof(longshore_module_entry, description_size),
                        UINT64_MAX);
    CHECK(refusal(image) == kBadEntry);
  }
}

TEST_CASE("A DLL that exports something else is no module") {
  PeContents contents;
  contents.exports = {"DllMain"};
  CHECK(refusal(PeImage(contents)) ==
        "cannot read the module: it does not export longshore_module, so it is not a module");
  PeImage nothing;
  nothing.put<uint32_t>(PeImage::kDirectories, 0);
  CHECK(refusal(nothing) ==
        "cannot read the module: it does not export longshore_module, so it is not a module");
}

TEST_CASE("A DLL that was cut short is refused, at every length") {
  const PeImage whole;
  constexpr size_t kUnread = 4;  // at the end of the list of libraries
  for (size_t size = 0; size < whole.bytes.size() - kUnread; ++size) {
    INFO(size);
    PeImage cut;
    cut.bytes.resize(size);
    REQUIRE_FALSE(read_pe(cut.bytes));
  }
}

}  // namespace
}  // namespace longshore::loader
