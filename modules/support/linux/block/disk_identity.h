// Where a disk is plugged in and what it calls itself, from sysfs.
//
// The rules are csi-proxy's, whose clients compare the strings letter for letter (csi-proxy reads
// the same from STORAGE_DEVICE_ID_DESCRIPTOR).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/linux/block/block_devices.h"

namespace longshore::block {

// Decimal numbers. SCSI: host, channel, target and unit. NVMe: the controller's index as the
// adapter and the namespace as the unit; the others are empty.
struct Location {
  std::string adapter;
  std::string bus;
  std::string target;
  std::string unit;
};

// Nothing for disks without such an address: virtio, loop, dm.
std::optional<Location> location_of(const BlockDevices& devices, const Disk& disk);

// The first identifier of vital product data page 0x83 that is the device's own (not its port's or
// target's) and is text (taken as it is) or bytes (in lower-case hexadecimal, as is text that is no
// ASCII: messages hold UTF-8). "" if there is none, if it is of nothing but white space (which ends
// GCP PD's driver: it takes the last word of what is not empty), or if the page is damaged before
// it. Every offset is checked against the page's end.
std::string page83_identifier(std::string_view page);

// That of the disk, from its page or, where the kernel keeps none (NVMe), "eui." and the
// namespace's NGUID or else EUI-64 in hexadecimal; its wwid if it has neither. "" if unknown.
std::string page83_of(const BlockDevices& devices, const Disk& disk);

// The serial number without white space at its ends, "" if unknown. What is no ASCII is "?".
std::string serial_number_of(const BlockDevices& devices, const Disk& disk);

}  // namespace longshore::block
