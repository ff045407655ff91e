// A CSI driver as a table: which calls each of its node methods makes, in which order, and what it
// does with each answer. The tables are azuredisk.cc and its neighbours; sequence.h runs them.
//
// The drivers are Windows'. On Linux their paths are POSIX paths below an allowed root. Where a
// driver looks at its own filesystem (a link's text, what is mounted), so does the row:
// node_files.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::test {

class NodeFiles;

// The calls, by csi-proxy's names of v1.
enum class Method {
  kRescan,
  kListDiskLocations,
  kListDiskIDs,
  kPartitionDisk,
  kSetDiskOnline,   // SetDiskState
  kSetDiskOffline,  // SetDiskState
  kGetDiskStats,
  kListVolumesOnDisk,
  kIsVolumeFormatted,
  kFormatVolume,
  kMountVolume,
  kUnmountVolume,
  kResizeVolume,
  kResizeVolumeOfDisk,  // ResizeVolume, with a disk's number where a volume's id belongs
  kGetVolumeStats,
  kGetDiskNumberFromVolumeID,
  kGetVolumeIDFromTargetPath,
  kWriteVolumeCache,
  kPathExists,
  kMkdir,
  kRmdir,  // with force, as all drivers do
  kCreateSymlink,
  kIsSymlink,
  kNewSmbGlobalMapping,
  kRemoveSmbGlobalMapping,
  kGetBIOSSerialNumber,
};
std::string_view name_of(Method method);

// The path that a call or a look is about.
enum class Place { kNone, kStaging, kStagingParent, kTarget, kTargetParent };

// An answer, of whatever version; what the method does not have stays empty.
struct Reply {
  struct Location {
    std::string lun;
  };
  struct Identity {
    std::string page83, serial;
  };

  // As Go's clients print it: "rpc error: code = NotFound desc = ...". Empty: it succeeded.
  std::string error;
  bool yes = false;
  std::string text;  // a volume's id, a serial number
  std::vector<std::string> ids;
  uint32_t disk = 0;
  int64_t total_bytes = 0, used_bytes = 0;
  std::map<uint32_t, Location> locations;
  std::map<uint32_t, Identity> identities;

  bool failed() const { return !error.empty(); }
};

// By what a driver finds its disk among all. What is empty the disk does not have: a loop device
// has none of it, and is taken by its number.
struct DiskIdentity {
  uint32_t number = 0;
  std::string lun, page83, serial;
};

// What the driver is told of the volume, and by the machine.
struct VolumeContext {
  DiskIdentity disk;
  std::string staging, target;
  int64_t wanted_bytes = 0;  // of a stage or an expansion
  // What is mapped where, of drivers of shares: the directory below which the agent mounts them, on
  // Linux.
  std::string share, username, password, mappings;
  std::string driver_folder;  // what the driver keeps on the node
  NodeFiles* files = nullptr;
};

// What a node method has found out since it began; gone at its end.
struct Findings {
  const VolumeContext& context;
  bool exists = false, formatted = false, mounted = false, resize_wanted = false;
  bool is_last_reference = false;  // of the volumes that are staged on its share
  uint32_t disk = 0;
  std::string volume;
  int64_t disk_bytes = 0, filesystem_bytes = 0;
  std::string remembered;  // an error that counts only if the goal is not reached
  std::string link;        // the text of the link at the staging path
  std::string failure = {};
};

// What becomes of the node method after a row.
enum class Verdict {
  kGoesOn,
  kDone,    // it answers OK at once
  kFails,   // it answers an error: `failure` says which
  kPanics,  // the driver's process ends
};

using Condition = bool (*)(const Findings&);
using Reaction = Verdict (*)(Findings&, const Reply&);
using Deed = Verdict (*)(Findings&);

// A call to the agent.
struct Call {
  Method method;
  Place place = Place::kNone;
  Reaction reaction;
};
// What the driver does by itself.
struct Local {
  Deed deed;
};

// Whether a whole life comes to a row.
enum class Reach {
  kReached,
  kNever,  // the driver's own conditions exclude it, or it is for a state that no life here has
};

struct Row {
  Condition when;
  std::variant<Call, Local> what;
  Reach reach = Reach::kReached;
};
using Rows = std::vector<Row>;

// A row after which the driver cannot go on when its answer is lost, with csi-proxy neither: what
// is left then makes every repetition fail before it changes anything.
struct DeadEnd {
  bool (*is_reached)(const VolumeContext&);
  void (*administrator)(const VolumeContext&);  // what has to be done about it by hand
};

struct GroupVersion {
  std::string group, version;
};

struct Driver {
  std::string name;
  // The sockets that it opens at its start.
  std::vector<GroupVersion> groups;
  bool has_beta_wire;

  Rows start;  // of its process
  Rows stage, publish, stats, expand, unpublish, unstage;
  bool uses_disk = true;       // else a share
  bool keeps_mapping = false;  // of the share, when the volume is unstaged
  bool makes_staging = false;  // the staging path, where the kubelet has not
  // Each stage and expansion leaves a connection behind that says nothing.
  bool connects_anew = false;
  // What is asked of it when the disk has grown: the disk's size and so much more. Nothing of
  // drivers of shares, which do not expand.
  std::vector<int64_t> expansions = {0};
  std::vector<DeadEnd> dead_ends = {};  // of unstage

  const std::string& version_of(const std::string& group) const;
};

// All tables of a driver, by the names of its methods.
std::vector<std::pair<std::string_view, const Rows*>> tables_of(const Driver& driver);

// How many rows with calls a whole life comes to.
size_t rows_of_calls(const Driver& driver);

}  // namespace longshore::test
