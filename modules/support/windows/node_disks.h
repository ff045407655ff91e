// The disks of this node, as their device interfaces tell them.
//
// One disk that does not answer, or lies, is one disk: the others are told all the same, which
// csi-proxy's lists are not.
//
// Threads: any number at once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "longshore/result.hpp"
#include "support/windows/device_control.h"

namespace longshore::support {

// By number, opened for questions. Of several interfaces of one disk the first.
Result<std::map<uint32_t, std::unique_ptr<Device>>> open_disks(DeviceControl& devices,
                                                               std::string_view operation);

// What a disk calls itself; "" for what it does not say. See disk_answers.h.
std::string page83_of(Device& disk);
std::string serial_number_of(Device& disk);

// Where a disk hangs on a SCSI port, which storage drivers also say of what is none.
struct ScsiAddress {
  unsigned port = 0;
  unsigned path = 0;
  unsigned target = 0;
  unsigned lun = 0;
};
std::optional<ScsiAddress> scsi_address_of(Device& disk);

}  // namespace longshore::support
