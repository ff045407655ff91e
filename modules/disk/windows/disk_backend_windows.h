// The disk group on Windows: control codes of disks, and WMI to have them looked for.
//
// A disk's number is Windows' own, of "\\.\PhysicalDrive3". It holds until the disk is taken away
// or the node starts again. What is offline and read-only is Windows' own state too, whoever set
// it: its SAN policy, an administrator or this group.
//
// Threads: any number at once; no state but the configuration. Owner: outlives its calls; the
// layers outlive it.
#pragma once

#include <chrono>
#include <string_view>

#include "disk/disk_backend.h"
#include "support/windows/device_control.h"
#include "support/windows/disk_device.h"
#include "support/windows/new_guid.h"
#include "support/windows/node_volumes.h"
#include "support/windows/volume_functions.h"
#include "support/windows/wmi.h"

namespace longshore::disk {

class DiskBackendWindows final : public DiskBackend {
 public:
  struct Options {
    // A disk without a table counts as blank whatever it holds.
    bool overwrites_unknown_data = false;
    // A disk that is brought online is made writable, as far as Windows' attribute is concerned.
    bool clears_read_only = true;
    // For how long a volume's last users are waited for, as scanners that open what they see.
    std::chrono::milliseconds patience{3000};
    support::NewGuid new_guid = support::new_guid;
  };

  DiskBackendWindows(support::DeviceControl& devices, support::VolumeFunctions& volumes,
                     support::Wmi& wmi, Options options)
      : devices_(devices),
        functions_(volumes),
        volumes_(devices, volumes),
        wmi_(wmi),
        options_(std::move(options)) {}

  Result<std::map<uint32_t, DiskLocation>> locations() override;
  Result<std::map<uint32_t, DiskIdentity>> identities() override;
  Result<uint64_t> size_in_bytes(uint32_t number) override;
  Result<void> partition(uint32_t number, const Deadline& deadline) override;
  Result<void> rescan(const Deadline& deadline) override;
  Result<DiskState> state(uint32_t number) override;
  Result<void> set_online(uint32_t number, bool online, const Deadline& deadline) override;

 private:
  Result<void> check_changeable(support::DiskDevice& disk, std::string_view operation) const;
  Result<void> write_table(support::DiskDevice& disk, const support::DriveLayout& layout) const;
  Result<void> take_offline(support::DiskDevice& disk, const Deadline& deadline) const;
  Result<void> bring_online(support::DiskDevice& disk, const support::DiskAttributes& before) const;
  // Why a disk stays offline that was told to come online.
  Error still_offline(support::DiskDevice& disk) const;

  support::DeviceControl& devices_;
  support::VolumeFunctions& functions_;
  support::NodeVolumes volumes_;
  support::Wmi& wmi_;
  const Options options_;
};

}  // namespace longshore::disk
