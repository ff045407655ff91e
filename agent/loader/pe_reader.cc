// Reads the export and import directories of a 64-bit DLL. The few structures that are needed are
// read by offset, as Microsoft's "PE Format" lists them, so the reader works on every system.
#include <algorithm>
#include <optional>
#include <vector>

#include "loader/byte_view.h"
#include "loader/entry_layout.h"
#include "loader/image_facts.h"

namespace longshore::loader {
namespace {

constexpr uint16_t kPe32Plus = 0x20b;
constexpr uint16_t kIsDll = 0x2000;
constexpr uint32_t kMaxSections = 96;
constexpr uint64_t kMaxLibraries = 4096;

#if defined(__aarch64__)
constexpr uint16_t kMachine = 0xaa64;
#else
constexpr uint16_t kMachine = 0x8664;
#endif

// A directory that lists libraries: where it is among the directories, and what its entries are.
struct LibraryList {
  uint64_t directory;
  uint64_t entry_size;
  uint64_t name_offset;
};
constexpr LibraryList kImports{1, 20, 12};
constexpr LibraryList kDelayedImports{13, 32, 4};  // loaded at the first call of one of theirs

struct Section {
  uint32_t address;
  uint32_t file_size;
  uint32_t file_offset;
};

class PeReader {
 public:
  explicit PeReader(std::span<const std::byte> bytes) : file_(bytes) {}

  Result<ImageFacts> read() {
    if (!read_headers()) return unreadable("it is not a DLL for this machine");
    if (!read_exports()) return unreadable("its table of exports is damaged");
    if (!read_libraries(kImports) || !read_libraries(kDelayedImports)) {
      return unreadable("its list of needed libraries is damaged");
    }
    return with_entry(
        std::move(facts_),
        [this](uint64_t address, uint64_t size) { return file_offset(address, size); },
        [this](uint64_t address) { return pointer_at(address); }, file_, entry_address_);
  }

 private:
  bool read_headers() {
    const auto dos_magic = file_.read<uint16_t>(0);
    const auto header = file_.read<uint32_t>(0x3c);
    if (!dos_magic || *dos_magic != 0x5a4d || !header) return false;
    const uint64_t start = *header;
    const auto magic = file_.read<uint32_t>(start);
    const auto machine = file_.read<uint16_t>(start + 4);
    const auto section_count = file_.read<uint16_t>(start + 6);
    const auto optional_size = file_.read<uint16_t>(start + 20);
    const auto characteristics = file_.read<uint16_t>(start + 22);
    const uint64_t optional = start + 24;
    const auto kind = file_.read<uint16_t>(optional);
    const auto base = file_.read<uint64_t>(optional + 24);
    if (!magic || *magic != 0x4550 || !machine || *machine != kMachine || !section_count ||
        *section_count > kMaxSections || !optional_size || !characteristics ||
        !(*characteristics & kIsDll) || !kind || *kind != kPe32Plus || !base) {
      return false;
    }
    image_base_ = *base;
    directories_ = optional + 112;
    const auto directory_count = file_.read<uint32_t>(optional + 108);
    if (!directory_count || *directory_count < 2) return false;
    directory_count_ = *directory_count;
    const uint64_t sections = optional + *optional_size;
    for (uint64_t i = 0; i < *section_count; ++i) {
      const auto address = file_.read<uint32_t>(sections + i * 40 + 12);
      const auto size = file_.read<uint32_t>(sections + i * 40 + 16);
      const auto offset = file_.read<uint32_t>(sections + i * 40 + 20);
      if (!address || !size || !offset) return false;
      sections_.push_back({*address, *size, *offset});
    }
    return true;
  }

  std::optional<uint64_t> file_offset(uint64_t address, uint64_t size) const {
    for (const Section& section : sections_) {
      if (address < section.address) continue;
      const uint64_t within = address - section.address;
      if (within > section.file_size || size > section.file_size - within) continue;
      const uint64_t offset = section.file_offset + within;
      if (file_.contains(offset, size)) return offset;
    }
    return std::nullopt;
  }

  template <typename T>
  std::optional<T> at(uint64_t address) const {
    const auto offset = file_offset(address, sizeof(T));
    return offset ? file_.read<T>(*offset) : std::nullopt;
  }

  std::optional<std::string> text_at(uint64_t address) const {
    const auto offset = file_offset(address, 1);
    return offset ? file_.text(*offset, kMaxTextBytes) : std::nullopt;
  }

  // The file holds pointers as if it were loaded at its preferred address.
  std::optional<uint64_t> pointer_at(uint64_t address) const {
    const auto value = at<uint64_t>(address);
    if (!value || *value < image_base_) return std::nullopt;
    return *value - image_base_;
  }

  bool read_exports() {
    const auto directory = file_.read<uint32_t>(directories_);
    if (!directory) return false;
    if (*directory == 0) return true;  // it exports nothing
    const auto function_count = at<uint32_t>(uint64_t{*directory} + 20);
    const auto name_count = at<uint32_t>(uint64_t{*directory} + 24);
    const auto functions = at<uint32_t>(uint64_t{*directory} + 28);
    const auto names = at<uint32_t>(uint64_t{*directory} + 32);
    const auto ordinals = at<uint32_t>(uint64_t{*directory} + 36);
    if (!function_count || !name_count || !functions || !names || !ordinals ||
        *name_count > kMaxSymbols) {
      return false;
    }
    for (uint64_t i = 0; i < *name_count; ++i) {
      const auto name_address = at<uint32_t>(*names + i * 4);
      const auto ordinal = at<uint16_t>(*ordinals + i * 2);
      if (!name_address || !ordinal || *ordinal >= *function_count) return false;
      auto name = text_at(*name_address);
      const auto address = at<uint32_t>(*functions + uint64_t{*ordinal} * 4);
      if (!name || !address) return false;
      if (*name == kEntrySymbol) entry_address_ = *address;
      facts_.exports.push_back(std::move(*name));
    }
    return true;
  }

  bool read_libraries(const LibraryList& list) {
    if (list.directory >= directory_count_) return true;
    const auto directory = file_.read<uint32_t>(directories_ + list.directory * 8);
    if (!directory) return false;
    if (*directory == 0) return true;
    for (uint64_t i = 0; i < kMaxLibraries; ++i) {
      const auto name_address = at<uint32_t>(*directory + i * list.entry_size + list.name_offset);
      if (!name_address) return false;
      if (*name_address == 0) return true;
      auto name = text_at(*name_address);
      if (!name) return false;
      facts_.libraries.push_back(std::move(*name));
    }
    return false;
  }

  ByteView file_;
  uint64_t image_base_ = 0;
  uint64_t directories_ = 0;
  uint64_t directory_count_ = 0;
  std::vector<Section> sections_;
  std::optional<uint64_t> entry_address_;
  ImageFacts facts_;
};

}  // namespace

Result<ImageFacts> read_pe(std::span<const std::byte> bytes) { return PeReader(bytes).read(); }

}  // namespace longshore::loader
