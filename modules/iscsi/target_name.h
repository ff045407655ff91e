// The names of targets (RFC 3720, section 3.2.6.3).
#pragma once

#include <string_view>

#include "longshore/result.hpp"

namespace longshore::iscsi {

// INVALID_ARGUMENT for what is no iSCSI name: "iqn.2001-04.org.example:anything" (a year, a month,
// the owner's domain, and what the owner likes), "eui." with 16 or "naa." with 16 or 32 hexadecimal
// digits; at most 223 bytes. Letters, digits and "-.:_" are what a name is made of here, so that
// one can be a file's name and an argument; letter case is left as it is, for targets differ in it.
// `operation` completes "cannot ...".
Result<void> check_target_name(std::string_view name, std::string_view operation);

}  // namespace longshore::iscsi
