// A real module's file, and the same with one of its parts spoilt.
#include <elf.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>

#include "loader/image_facts.h"
#include "tests/support/build_tree.h"

namespace longshore::loader {
namespace {

class Elf {
 public:
  Elf() {
    std::ifstream stream(test::built_module("echo"), std::ios::binary);
    text_.assign(std::istreambuf_iterator<char>(stream), {});
    REQUIRE(text_.size() > sizeof(Elf64_Ehdr));
  }

  Result<ImageFacts> read() const { return read_elf(std::as_bytes(std::span(text_))); }
  std::string refusal() const {
    const auto facts = read();
    REQUIRE_FALSE(facts);
    return facts.error().message();
  }

  Elf64_Ehdr& header() { return *reinterpret_cast<Elf64_Ehdr*>(text_.data()); }
  Elf64_Phdr& segment(uint32_t type) {
    auto* segments = reinterpret_cast<Elf64_Phdr*>(text_.data() + header().e_phoff);
    for (int i = 0; i < header().e_phnum; ++i) {
      if (segments[i].p_type == type) return segments[i];
    }
    throw std::runtime_error("no such segment");
  }
  // The entry of the dynamic section with this tag.
  Elf64_Dyn& dynamic(int64_t tag) {
    auto* entry = reinterpret_cast<Elf64_Dyn*>(text_.data() + segment(PT_DYNAMIC).p_offset);
    while (entry->d_tag != tag) {
      if (entry->d_tag == DT_NULL) throw std::runtime_error("no such entry");
      ++entry;
    }
    return *entry;
  }

 private:
  std::string text_;
};

constexpr const char* kNoObject =
    "cannot read the module: it is not a shared object for this machine";
constexpr const char* kBadDynamic =
    "cannot read the module: its dynamic section is damaged or missing";
constexpr const char* kBadNeeded =
    "cannot read the module: its list of needed libraries is damaged";
constexpr const char* kBadSymbols = "cannot read the module: its table of symbols is damaged";

TEST_CASE("A module tells what it is, what it exports and what it needs") {
  const auto facts = Elf().read();
  INFO((facts ? "" : facts.error().message()));
  REQUIRE(facts);
  CHECK(facts->entry.name == "longshore-echo");
  CHECK_FALSE(facts->entry.description.empty());
  CHECK(facts->exports == std::vector<std::string>{std::string(kEntrySymbol)});
  CHECK(std::count(facts->libraries.begin(), facts->libraries.end(), "libc.so.6") == 1);
  CHECK_FALSE(facts->has_search_path);
}

TEST_CASE("What is no shared object for this machine is refused") {
  Elf elf;
  SECTION("another magic") { elf.header().e_ident[0] = 'M'; }
  SECTION("32 bits") { elf.header().e_ident[EI_CLASS] = ELFCLASS32; }
  SECTION("the other byte order") { elf.header().e_ident[EI_DATA] = ELFDATA2MSB; }
  SECTION("an object file") { elf.header().e_type = ET_REL; }
  SECTION("another machine") { elf.header().e_machine = EM_68K; }
  SECTION("segments that lie outside") { elf.header().e_phoff = UINT64_MAX - 8; }
  SECTION("segments of another size") { elf.header().e_phentsize = 8; }
  CHECK(elf.refusal() == kNoObject);
}

TEST_CASE("A dynamic section that cannot be trusted is refused") {
  Elf elf;
  SECTION("missing") { elf.segment(PT_DYNAMIC).p_type = PT_NULL; }
  SECTION("outside") { elf.segment(PT_DYNAMIC).p_vaddr = uint64_t{1} << 60; }
  // The system's loader would take the second one.
  SECTION("said twice") { elf.dynamic(DT_STRSZ).d_tag = DT_STRTAB; }
  CHECK(elf.refusal() == kBadDynamic);
}

TEST_CASE("Tables that point nowhere are refused") {
  Elf elf;
  SECTION("the names") {
    elf.dynamic(DT_STRTAB).d_un.d_ptr = uint64_t{1} << 60;
    CHECK(elf.refusal() == kBadNeeded);
  }
  SECTION("a library's name") {
    elf.dynamic(DT_NEEDED).d_un.d_val = UINT64_MAX;
    CHECK(elf.refusal() == kBadNeeded);
  }
  SECTION("the symbols") {
    elf.dynamic(DT_SYMTAB).d_un.d_ptr = uint64_t{1} << 60;
    CHECK(elf.refusal() == kBadSymbols);
  }
  SECTION("the hash table, which tells how many symbols there are") {
    elf.dynamic(DT_GNU_HASH).d_un.d_ptr = uint64_t{1} << 60;
    CHECK(elf.refusal() == kBadSymbols);
  }
}

TEST_CASE("Everything that makes the system's loader load or search more is told") {
  Elf elf;
  const auto tag = GENERATE(int64_t{DT_AUXILIARY}, int64_t{DT_FILTER});
  const auto before = elf.read();
  elf.dynamic(DT_FLAGS_1).d_tag = tag;
  elf.dynamic(tag).d_un.d_val = elf.dynamic(DT_NEEDED).d_un.d_val;
  const auto after = elf.read();
  REQUIRE(before);
  REQUIRE(after);
  CHECK(after->libraries.size() == before->libraries.size() + 1);

  Elf searching;
  searching.dynamic(DT_FLAGS_1).d_tag = DT_RUNPATH;
  REQUIRE(searching.read());
  CHECK(searching.read()->has_search_path);
}

}  // namespace
}  // namespace longshore::loader
