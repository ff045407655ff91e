// What a reparse point on NTFS says: where a symbolic link or a junction leads, which volume is
// mounted on a directory.
//
// The kind is told by the tag, and of the tag that junctions and mount points share by what it
// leads to. Anybody who may write to a directory can make such bytes, so that nothing in them is
// believed but within bounds.
//
// Threads: plain functions and values. They call nothing of Windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace longshore::support {

enum class ReparseKind {
  kSymbolicLink,      // to a file, a directory or a share
  kJunction,          // to a directory of this node
  kVolumeMountPoint,  // a volume is mounted here
  kOther,             // of a filter driver: compressed or offline files, container layers, ...
};

struct ReparsePoint {
  ReparseKind kind = ReparseKind::kOther;
  uint32_t tag = 0;

  // Only of symbolic links: `target` counts from the directory that holds the link, or from the top
  // of its volume where it begins with a backslash.
  bool is_relative = false;

  // Where it leads, as programs write it: "C:\a", "\\server\share\a", and of a mount point the name
  // of the volume, "\\?\Volume{...}\". Anything else begins with "\\?\". Empty for kOther.
  std::wstring target;

  // Of kOther: whether it stands for something in another place, as links do. What is none is the
  // file or directory itself.
  bool is_name_surrogate() const { return (tag & 0x2000'0000) != 0; }
};

// Of the bytes that FSCTL_GET_REPARSE_POINT gives (REPARSE_DATA_BUFFER). Nothing: they are damaged.
std::optional<ReparsePoint> decode_reparse_point(std::span<const std::byte> data);

// The bytes of a symbolic link to an absolute path on a drive, "C:\a", or of a share,
// "\\server\share\a", for FSCTL_SET_REPARSE_POINT. Nothing: Windows keeps no link as long, which
// holds its path twice in 16 KiB.
std::optional<std::vector<std::byte>> encode_symbolic_link(std::wstring_view path);

// The bytes of the mount point of a volume, "\\?\Volume{...}\".
std::vector<std::byte> encode_mount_point(std::wstring_view volume);

// "\\?\Volume{8-4-4-4-12}\", in any case, with or without its last backslash.
bool is_volume_name(std::wstring_view name);

}  // namespace longshore::support
