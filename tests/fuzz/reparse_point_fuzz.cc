// Any bytes as a reparse point's data on NTFS, which whoever may write to a directory can make.
#include <cstdlib>
#include <span>

#include "support/windows/reparse_point.h"

namespace {

using longshore::support::ReparseKind;

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace longshore::support;
  const auto point = decode_reparse_point(std::as_bytes(std::span(data, size)));
  if (!point) return 0;
  require(point->target.empty() == (point->kind == ReparseKind::kOther));
  require(point->target.find(L'\0') == std::wstring::npos);
  // A prefix may be longer than the one that it takes the place of.
  require(point->target.size() <= size / 2 + 16);
  require(!point->is_relative || point->kind == ReparseKind::kSymbolicLink);
  require((point->kind == ReparseKind::kVolumeMountPoint) ==
          (is_volume_name(point->target) && point->tag == 0xA000'0003));
  if (point->kind == ReparseKind::kVolumeMountPoint) {
    const auto again = decode_reparse_point(encode_mount_point(point->target));
    require(again && again->kind == point->kind && again->target == point->target);
  }
  return 0;
}
