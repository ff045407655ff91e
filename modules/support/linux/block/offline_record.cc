#include "support/linux/block/offline_record.h"

#include <sys/xattr.h>

#include <cerrno>
#include <string>

namespace longshore::block {

namespace {

constexpr const char* kAttribute = "trusted.longshore.offline";

}  // namespace

bool is_taken_offline(const Disk& disk) {
  char value[16];  // a number of 32 bits has at most ten digits
  const ssize_t size = ::lgetxattr(disk.node.c_str(), kAttribute, value, sizeof(value));
  if (size < 0) return false;
  return std::string_view(value, static_cast<size_t>(size)) == std::to_string(disk.number);
}

Result<void> record_offline(const FileDescriptor& opened, const Disk& disk,
                            std::string_view operation) {
  const std::string value = std::to_string(disk.number);
  const std::error_code error =
      error_unless(::fsetxattr(opened.get(), kAttribute, value.data(), value.size(), 0) == 0);
  if (!error) return {};
  return Error(StatusCode::kUnimplemented, std::string(operation), disk.node)
      .because("its node cannot keep that it is offline: " + error.message())
      .advise(
          "the record is the extended attribute " + std::string(kAttribute) +
          ", which takes CAP_SYS_ADMIN and a writable /dev of the kernel's (devtmpfs, or a tmpfs)");
}

Result<void> remove_offline_record(const FileDescriptor& opened, const Disk& disk,
                                   std::string_view operation) {
  const std::error_code error = error_unless(::fremovexattr(opened.get(), kAttribute) == 0);
  if (!error || error.value() == ENODATA) return {};
  return Error(StatusCode::kUnknown, std::string(operation), disk.node)
      .because(error)
      .advise("that it is offline is the extended attribute " + std::string(kAttribute) +
              " of its node, which takes CAP_SYS_ADMIN and a writable /dev to remove");
}

Error offline_disk_refused(uint32_t disk_number, std::string_view operation,
                           std::string_view object) {
  return Error(StatusCode::kFailedPrecondition, std::string(operation), std::string(object))
      .because("disk " + std::to_string(disk_number) + " is offline")
      .advise("SetDiskState brings it online");
}

}  // namespace longshore::block
