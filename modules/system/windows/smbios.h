// The serial number in a machine's SMBIOS table (DMTF's DSP0134).
//
// Threads: plain functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace longshore::system {

// The serial number of the system (structure of type 1), without blanks at its ends, in a
// RawSMBIOSData as Windows hands it out: eight bytes, the last four of which are the length of the
// structures behind them. Nothing where it has none, or where the table ends before it does.
std::optional<std::string> smbios_serial_number(std::span<const std::byte> table);

}  // namespace longshore::system
