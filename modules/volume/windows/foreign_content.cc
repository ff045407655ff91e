#include "volume/windows/foreign_content.h"

namespace longshore::volume {
namespace {

using namespace std::string_view_literals;

struct Signature {
  size_t place;
  std::string_view bytes;
  const char* name;
};

constexpr Signature kSignatures[] = {
    {0, "XFSB"sv, "xfs"},
    {1080, "\x53\xef"sv, "ext4"},
    {64 << 10 | 64, "_BHRfS_M"sv, "btrfs"},
    {0, "LUKS\xba\xbe"sv, "LUKS"},
    {512, "LABELONE"sv, "LVM"},
    {4086, "SWAPSPACE2"sv, "swap"},
    {3, "-FVE-FS-"sv, "BitLocker"},
};

}  // namespace

std::optional<std::string> foreign_content(std::string_view start) {
  for (const Signature& each : kSignatures) {
    if (start.size() < each.place) continue;
    if (start.substr(each.place, each.bytes.size()) == each.bytes) return each.name;
  }
  return std::nullopt;
}

}  // namespace longshore::volume
