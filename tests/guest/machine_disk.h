// A disk of the virtual machine's own, plugged in and pulled out while the guest runs.
//
// Threads: one. At most kMachineDisks at a time.
#pragma once

#include <cstdint>
#include <string>

#include "tests/guest/machine_monitor.h"

namespace longshore::test {

// The files for their contents that run_guest.sh has.
inline constexpr int kMachineDisks = 2;

struct MachineDiskSetup {
  std::string kind = "scsi-hd";  // QEMU's name; or "nvme", "virtio-blk-pci"
  int store = 0;                 // which of the files
  int sector_bytes = 512;        // what the kernel reads and writes at a time
  std::string fails = {};        // "read", "write" or "flush": what ends in an input/output error
  std::string serial = {};       // of SCSI page 0x80
  // What follows only SCSI has.
  int lun = 0;
  // Page 0x83, in this order, each only if it is given.
  std::string device_id = {};  // text of the vendor's own
  std::string wwn = {};        // the disk's name, "0x5000c50015ea71ac"
  std::string port_wwn = {};   // the name of the port that leads to it
};

class MachineDisk {
 public:
  // Plugs it in, empty, and waits until it can be opened. Throws when none comes.
  MachineDisk(MachineMonitor& monitor, const MachineDiskSetup& setup);
  MachineDisk(const MachineDisk&) = delete;
  MachineDisk& operator=(const MachineDisk&) = delete;
  // Pulls it out if that is still to be done.
  ~MachineDisk();

  // Pulls it out, also while it is in use.
  void pull_out();
  // Gives it another size, without a word to the guest but SCSI's own.
  void resize(int64_t bytes);

  // What the disk group calls it.
  uint32_t number() const { return number_; }
  const std::string& name() const { return name_; }  // "sda"
  // A file about the SCSI device in sysfs, byte for byte: "vpd_pg83".
  std::string attribute(const std::string& name) const;

 private:
  void make_faulty(const std::string& operation);
  void release();

  MachineMonitor& monitor_;
  std::string store_, device_, name_;
  std::string drive_;  // the store, or what stands before it and fails
  uint32_t number_ = 0;
};

}  // namespace longshore::test
