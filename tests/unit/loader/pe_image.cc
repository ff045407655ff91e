#include "tests/unit/loader/pe_image.h"

#include "longshore/abi.h"

namespace longshore::loader {

PeImage::PeImage(const PeContents& contents) : bytes(kOffset) {
  put<uint16_t>(0, 0x5a4d);  // MZ
  put<uint32_t>(0x3c, 0x40);
  put<uint32_t>(0x40, 0x4550);  // PE
  put<uint16_t>(0x44, contents.machine);
  put<uint16_t>(0x46, 1);    // sections
  put<uint16_t>(0x54, 240);  // the optional header's size
  put<uint16_t>(0x56, contents.characteristics);
  put<uint16_t>(0x58, 0x20b);  // PE32+
  put<uint64_t>(0x58 + 24, kBase);
  put<uint32_t>(0x58 + 108, 16);
  append_entry(contents);
  append_exports(contents.exports);
  append_imports(contents.libraries);
  put<uint32_t>(kSections + 12, kAddress);
  put<uint32_t>(kSections + 16, static_cast<uint32_t>(bytes.size()) - kOffset);
  put<uint32_t>(kSections + 20, kOffset);
}

uint32_t PeImage::append_text(const std::string& text) {
  const uint32_t address = end_address();
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  bytes.push_back(std::byte{0});
  return address;
}

void PeImage::append_entry(const PeContents& contents) {
  longshore_module_entry entry{};
  entry.magic = LONGSHORE_MODULE_MAGIC;
  entry.struct_size = sizeof(entry);
  entry.abi_major = LONGSHORE_ABI_MAJOR;
  entry.description_size = contents.description.size();
  put(kOffset, entry);
  const auto point = [&](size_t field, const std::string& text) {
    put<uint64_t>(kOffset + field, kBase + append_text(text));
  };
  point(offsetof(longshore_module_entry, name), contents.name);
  point(offsetof(longshore_module_entry, version), "1.0");
  point(offsetof(longshore_module_entry, vendor), "Nobody");
  point(offsetof(longshore_module_entry, description), contents.description);
}

void PeImage::append_exports(const std::vector<std::string>& names) {
  const auto count = static_cast<uint32_t>(names.size());
  std::vector<uint32_t> texts;
  for (const auto& name : names) texts.push_back(append_text(name));
  const uint32_t functions = end_address();
  for (uint32_t i = 0; i < count; ++i) put<uint32_t>(bytes.size(), kAddress);
  const uint32_t pointers = end_address();
  for (const uint32_t text : texts) put<uint32_t>(bytes.size(), text);
  const uint32_t ordinals = end_address();
  for (uint32_t i = 0; i < count; ++i) put<uint16_t>(bytes.size(), static_cast<uint16_t>(i));
  put<uint32_t>(kDirectories, end_address());
  const size_t directory = bytes.size();
  put<uint32_t>(directory + 20, count);
  put<uint32_t>(directory + 24, count);
  put<uint32_t>(directory + 28, functions);
  put<uint32_t>(directory + 32, pointers);
  put<uint32_t>(directory + 36, ordinals);
}

void PeImage::append_imports(const std::vector<std::string>& libraries) {
  std::vector<uint32_t> texts;
  for (const auto& library : libraries) texts.push_back(append_text(library));
  texts.push_back(0);
  put<uint32_t>(kDirectories + 8, end_address());
  const size_t directory = bytes.size();
  for (size_t i = 0; i < texts.size(); ++i) {
    put<uint32_t>(directory + i * 20 + 12, texts[i]);
    put<uint32_t>(directory + i * 20 + 16, 0);
  }
}

}  // namespace longshore::loader
