// A SCSI disk of a test's own: the kernel's scsi_debug, which keeps its contents in memory.
//
// Each is alone on a host adapter and has a store of its own. Its size is set for all when the
// guest starts; see guest_init.
#pragma once

#include <cstdint>
#include <string>

namespace longshore::test {

class ScsiDisk {
 public:
  // Plugs one in and waits for its node. Throws when none comes.
  ScsiDisk();
  ScsiDisk(const ScsiDisk&) = delete;
  ScsiDisk& operator=(const ScsiDisk&) = delete;
  // Takes its adapter away. The one made last has to end first.
  ~ScsiDisk();

  // Unplugs the disk, also while it is in use.
  void unplug() const;

  void make_read_only() const;

  const std::string& name() const { return name_; }  // "sda"
  std::string node() const { return "/dev/" + name_; }
  uint32_t number() const { return number_; }  // what the disk group calls it
  // The four numbers of its place: "3:0:0:0".
  const std::string& place() const { return place_; }

  // A file about the device in sysfs: "state", "wwid", "rescan".
  std::string attribute(const std::string& name) const;
  void set_attribute(const std::string& name, const std::string& value) const;

 private:
  // Writes zeros where something may be found; false if that is not possible.
  bool cleared() const;

  std::string place_, name_;
  uint32_t number_ = 0;
};

// How large all of them say that they are, in GiB; 0 is their true size. Takes effect on a rescan.
void set_virtual_size_of_scsi_disks(int gibibytes);

}  // namespace longshore::test
