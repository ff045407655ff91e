// What the codes of Windows' iSCSI initiator mean to a caller.
//
// Threads: plain functions and values.
#pragma once

#include <string>

#include "iscsi/windows/initiator_library.h"
#include "longshore/result.hpp"

namespace longshore::iscsi {

// Of the initiator's own codes, those that decide what is done next.
constexpr InitiatorCode kInitiatorNotFound = 0xEFFF000B;
constexpr InitiatorCode kInvalidSession = 0xEFFF001C;
constexpr InitiatorCode kSessionExists = 0xEFFF0016;
constexpr InitiatorCode kTargetNotFound = 0xEFFF0029;
constexpr InitiatorCode kPortalExists = 0xEFFF0032;
constexpr InitiatorCode kAlreadyLoggedIn = 0xEFFF003F;

// What is done to what, for errors.
struct InitiatorPurpose {
  const char* operation;  // completes "cannot ..."
  std::string object;

  Error error(StatusCode code) const { return {code, operation, object}; }
};

Error initiator_error(const InitiatorPurpose& purpose, InitiatorCode code);

}  // namespace longshore::iscsi
