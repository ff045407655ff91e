// Reads the dynamic section of an ELF file, as the system's loader does: section headers, which it
// ignores, can say anything and are not looked at.
#include <elf.h>

#include <algorithm>
#include <map>
#include <optional>

#include "loader/byte_view.h"
#include "loader/entry_layout.h"
#include "loader/image_facts.h"

namespace longshore::loader {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
constexpr uint32_t kRelative = R_X86_64_RELATIVE;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
constexpr uint32_t kRelative = R_AARCH64_RELATIVE;
#else
#error "teach the ELF reader this machine"
#endif

constexpr uint64_t kMaxDynamicEntries = 4096;

class ElfReader {
 public:
  explicit ElfReader(std::span<const std::byte> bytes) : file_(bytes) {}

  Result<ImageFacts> read() {
    if (!read_header()) return unreadable("it is not a shared object for this machine");
    if (!read_dynamic()) return unreadable("its dynamic section is damaged or missing");
    if (!read_libraries()) return unreadable("its list of needed libraries is damaged");
    if (!read_symbols()) return unreadable("its table of symbols is damaged");
    facts_.has_search_path = dynamic_.contains(DT_RPATH) || dynamic_.contains(DT_RUNPATH);
    return with_entry(
        std::move(facts_),
        [this](uint64_t address, uint64_t size) { return file_offset(address, size); },
        [this](uint64_t address) { return pointer_at(address); }, file_, entry_address_);
  }

 private:
  bool read_header() {
    const auto header = file_.read<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_type != ET_DYN || header->e_machine != kMachine ||
        header->e_phentsize != sizeof(Elf64_Phdr)) {
      return false;
    }
    for (uint64_t i = 0; i < header->e_phnum; ++i) {
      const auto segment = file_.read<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr));
      if (!segment) return false;
      if (segment->p_type == PT_LOAD || segment->p_type == PT_DYNAMIC) {
        segments_.push_back(*segment);
      }
    }
    return true;
  }

  // Where `size` bytes at a virtual address stand in the file.
  std::optional<uint64_t> file_offset(uint64_t address, uint64_t size) const {
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
      const uint64_t within = address - segment.p_vaddr;
      if (within > segment.p_filesz || size > segment.p_filesz - within) continue;
      const uint64_t offset = segment.p_offset + within;
      if (offset >= segment.p_offset && file_.contains(offset, size)) return offset;
    }
    return std::nullopt;
  }

  template <typename T>
  std::optional<T> at(uint64_t address) const {
    const auto offset = file_offset(address, sizeof(T));
    return offset ? file_.read<T>(*offset) : std::nullopt;
  }

  bool read_dynamic() {
    const auto segment = std::find_if(segments_.begin(), segments_.end(),
                                      [](const auto& each) { return each.p_type == PT_DYNAMIC; });
    if (segment == segments_.end()) return false;
    for (uint64_t i = 0; i < kMaxDynamicEntries; ++i) {
      const auto entry = at<Elf64_Dyn>(segment->p_vaddr + i * sizeof(Elf64_Dyn));
      if (!entry) return false;
      if (entry->d_tag == DT_NULL) return true;
      if (entry->d_tag == DT_NEEDED || entry->d_tag == DT_AUXILIARY || entry->d_tag == DT_FILTER) {
        needed_.push_back(entry->d_un.d_val);  // the loader loads all three kinds
      } else if (!dynamic_.emplace(entry->d_tag, entry->d_un.d_val).second) {
        return false;  // we would heed the first of them, and the system's loader the last
      }
    }
    return false;
  }

  std::optional<uint64_t> dynamic(int64_t tag) const {
    const auto found = dynamic_.find(tag);
    return found == dynamic_.end() ? std::nullopt : std::optional(found->second);
  }

  std::optional<std::string> string_at(uint64_t index) const {
    const auto table = dynamic(DT_STRTAB);
    const auto size = dynamic(DT_STRSZ);
    if (!table || !size || index >= *size) return std::nullopt;
    const auto offset = file_offset(*table, *size);
    if (!offset) return std::nullopt;
    return file_.text(*offset + index,
                      static_cast<size_t>(std::min<uint64_t>(*size - index, kMaxTextBytes)));
  }

  bool read_libraries() {
    for (const uint64_t index : needed_) {
      auto name = string_at(index);
      if (!name) return false;
      facts_.libraries.push_back(std::move(*name));
    }
    return true;
  }

  bool read_symbols() {
    const auto table = dynamic(DT_SYMTAB);
    const auto count = symbol_count();
    if (!table || !count || *count > kMaxSymbols) return false;
    for (uint64_t i = 1; i < *count; ++i) {
      const auto symbol = at<Elf64_Sym>(*table + i * sizeof(Elf64_Sym));
      if (!symbol) return false;
      const auto visibility = ELF64_ST_VISIBILITY(symbol->st_other);
      if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol->st_info) == STB_LOCAL ||
          visibility == STV_HIDDEN || visibility == STV_INTERNAL) {
        continue;
      }
      auto name = string_at(symbol->st_name);
      if (!name) return false;
      if (*name == kEntrySymbol) entry_address_ = symbol->st_value;
      facts_.exports.push_back(std::move(*name));
    }
    return true;
  }

  // The table's length stands nowhere; the two kinds of hash tables imply it.
  std::optional<uint64_t> symbol_count() const {
    if (const auto hash = dynamic(DT_HASH)) return at<uint32_t>(*hash + 4);
    const auto table = dynamic(DT_GNU_HASH);
    if (!table) return std::nullopt;
    const auto bucket_count = at<uint32_t>(*table);
    const auto first_symbol = at<uint32_t>(*table + 4);
    const auto bloom_words = at<uint32_t>(*table + 8);
    if (!bucket_count || !first_symbol || !bloom_words || *bucket_count > kMaxSymbols) {
      return std::nullopt;
    }
    const uint64_t buckets = *table + 16 + uint64_t{*bloom_words} * 8;
    uint64_t last = 0;
    for (uint64_t i = 0; i < *bucket_count; ++i) {
      const auto bucket = at<uint32_t>(buckets + i * 4);
      if (!bucket) return std::nullopt;
      last = std::max<uint64_t>(last, *bucket);
    }
    if (last < *first_symbol) return *first_symbol;
    const uint64_t chains = buckets + uint64_t{*bucket_count} * 4;
    for (; last < kMaxSymbols; ++last) {
      const auto chain = at<uint32_t>(chains + (last - *first_symbol) * 4);
      if (!chain) return std::nullopt;
      if (*chain & 1) return last + 1;
    }
    return std::nullopt;
  }

  // The pointer that will stand at `address` once loaded, as an address within the image.
  std::optional<uint64_t> pointer_at(uint64_t address) const {
    const uint64_t table = dynamic(DT_RELA).value_or(0);
    const uint64_t count =
        std::min<uint64_t>(dynamic(DT_RELASZ).value_or(0) / sizeof(Elf64_Rela), kMaxSymbols);
    for (uint64_t i = 0; i < count; ++i) {
      const auto relocation = at<Elf64_Rela>(table + i * sizeof(Elf64_Rela));
      if (!relocation) return std::nullopt;
      if (relocation->r_offset == address && ELF64_R_TYPE(relocation->r_info) == kRelative) {
        return static_cast<uint64_t>(relocation->r_addend);
      }
    }
    return at<uint64_t>(address);  // packed relocations keep the value in place
  }

  ByteView file_;
  std::vector<Elf64_Phdr> segments_;
  std::map<int64_t, uint64_t> dynamic_;
  std::vector<uint64_t> needed_;
  std::optional<uint64_t> entry_address_;
  ImageFacts facts_;
};

}  // namespace

Result<ImageFacts> read_elf(std::span<const std::byte> bytes) { return ElfReader(bytes).read(); }

}  // namespace longshore::loader
