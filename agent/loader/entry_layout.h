// Copies `longshore_module_entry` out of a file, given how the format maps addresses and pointers.
// Shared by the readers of ELF and PE.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "loader/byte_view.h"
#include "loader/image_facts.h"
#include "longshore/abi.h"

namespace longshore::loader {

// `offset_of(address, size)` gives the place in the file; `pointer_at(address)` the pointer that
// will stand there once loaded, as an address within the image.
template <typename OffsetOf, typename PointerAt>
std::optional<EntryFacts> read_entry(const OffsetOf& offset_of, const PointerAt& pointer_at,
                                     const ByteView& file, uint64_t address) {
  using Entry = longshore_module_entry;
  const auto offset = offset_of(address, sizeof(Entry));
  if (!offset) return std::nullopt;
  EntryFacts facts;
  facts.magic = *file.read<uint64_t>(*offset + offsetof(Entry, magic));
  facts.struct_size = *file.read<uint32_t>(*offset + offsetof(Entry, struct_size));
  facts.abi_major = *file.read<uint16_t>(*offset + offsetof(Entry, abi_major));
  facts.abi_minor_needed = *file.read<uint16_t>(*offset + offsetof(Entry, abi_minor_needed));

  const auto text = [&](size_t field) -> std::optional<std::string> {
    const auto pointer = pointer_at(address + field);
    const auto place = pointer ? offset_of(*pointer, 1) : std::nullopt;
    return place ? file.text(*place, kMaxTextBytes) : std::nullopt;
  };
  auto name = text(offsetof(Entry, name));
  auto version = text(offsetof(Entry, version));
  auto vendor = text(offsetof(Entry, vendor));
  const auto description = pointer_at(address + offsetof(Entry, description));
  const uint64_t size = *file.read<uint64_t>(*offset + offsetof(Entry, description_size));
  if (!name || !version || !vendor || !description || size > kMaxDescriptionBytes) {
    return std::nullopt;
  }
  const auto place = offset_of(*description, size);
  if (!place) return std::nullopt;
  facts.name = std::move(*name);
  facts.version = std::move(*version);
  facts.vendor = std::move(*vendor);
  facts.description = file.bytes(*place, size);
  return facts;
}

inline Error unreadable(std::string why) {
  return Error(StatusCode::kInvalidArgument, "read the module").because(std::move(why));
}

// Completes what a reader has found with the entry, which stands at `address` if it is exported.
template <typename OffsetOf, typename PointerAt>
Result<ImageFacts> with_entry(ImageFacts facts, const OffsetOf& offset_of,
                              const PointerAt& pointer_at, const ByteView& file,
                              const std::optional<uint64_t>& address) {
  if (!address) {
    return unreadable("it does not export " + std::string(kEntrySymbol) +
                      ", so it is not a module");
  }
  auto entry = read_entry(offset_of, pointer_at, file, *address);
  if (!entry) return unreadable("its " + std::string(kEntrySymbol) + " points outside of the file");
  facts.entry = std::move(*entry);
  return facts;
}

}  // namespace longshore::loader
