#include "support/linux/mount_points.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_set>
#include <utility>

namespace longshore::support {
namespace {

// Of a mount whose parent lies out of the process's root and is not listed.
constexpr uint64_t kNoParent = std::numeric_limits<uint64_t>::max();
constexpr size_t kNoEnd = std::string_view::npos;

// The parent's id and the point.
using ChildKey = std::pair<uint64_t, std::string_view>;
struct ChildHash {
  size_t operator()(const ChildKey& key) const {
    return std::hash<std::string_view>()(key.second) ^ std::hash<uint64_t>()(key.first);
  }
};
// To places in the list.
using Children = std::unordered_map<ChildKey, size_t, ChildHash>;

Children children_among(const std::vector<Mount>& mounts) {
  std::unordered_set<uint64_t> ids;
  for (const Mount& mount : mounts) ids.insert(mount.id);
  Children children;
  for (size_t i = 0; i < mounts.size(); ++i) {
    const Mount& mount = mounts[i];
    const bool is_top = mount.parent == mount.id || !ids.contains(mount.parent);
    children[{is_top ? kNoParent : mount.parent, mount.point}] = i;
  }
  return children;
}

// Of "/a/b": after "/" comes "/a", then "/a/b", then nothing. `end`: the size of the one before.
size_t next_end(std::string_view path, size_t end) {
  if (end >= path.size()) return kNoEnd;
  return std::min(path.find('/', end == 1 ? 1 : end + 1), path.size());
}

// Goes along the path and over onto what is mounted on the way, as the kernel does.
std::optional<size_t> walk(const std::vector<Mount>& mounts, const Children& children,
                           std::string_view path) {
  std::optional<size_t> here;
  uint64_t id = kNoParent;
  // A list that changed while it was read may go in circles.
  size_t crossed = 0;
  for (size_t end = 1; end != kNoEnd && crossed <= mounts.size();) {
    const auto child = children.find({id, path.substr(0, end)});
    if (child == children.end()) {
      end = next_end(path, end);
      continue;
    }
    here = child->second;
    id = mounts[*here].id;
    ++crossed;
  }
  return here;
}

}  // namespace

MountPoints::MountPoints(const std::vector<Mount>& mounts) {
  const Children children = children_among(mounts);
  for (const Mount& mount : mounts) {
    const auto top = walk(mounts, children, mount.point);
    if (!top || mounts[*top].point != mount.point) continue;
    visible_.insert_or_assign(mount.point, *top);
    if (has_size_.size() <= mount.point.size()) has_size_.resize(mount.point.size() + 1);
    has_size_[mount.point.size()] = true;
  }
}

std::optional<size_t> MountPoints::mount_of(std::string_view path) const {
  // What is longer than each point is none.
  if (path.size() > has_size_.size()) path = path.substr(0, path.rfind('/', has_size_.size()));
  for (std::string_view above = path;; above = above.substr(0, above.rfind('/'))) {
    if (above.empty()) above = "/";
    if (above.size() < has_size_.size() && has_size_[above.size()]) {
      if (const auto found = visible_.find(above); found != visible_.end()) return found->second;
    }
    if (above == "/") return std::nullopt;
  }
}

}  // namespace longshore::support
