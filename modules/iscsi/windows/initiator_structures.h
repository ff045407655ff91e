// The structures of iscsidsc.dll, Windows' iSCSI initiator, byte for byte as its documentation lays
// them out for 64 bits.
//
// In fixed-width types and without Windows' headers, so that what reads them runs under sanitizers
// and fuzzers on every system. There is no header to compare them with: mingw's does not compile,
// and has letters where the structures have pointers. So their offsets are written out here. What
// an answer points at is a number, for PointedAnswer.
//
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "support/windows/disk_structures.h"
#include "support/windows/guid.h"

namespace longshore::iscsi {

// ISCSI_TARGET_PORTALW
struct TargetPortal {
  char16_t symbolic_name[256];
  char16_t address[256];
  uint16_t socket;
};
static_assert(offsetof(TargetPortal, address) == 512);
static_assert(offsetof(TargetPortal, socket) == 1024);
static_assert(sizeof(TargetPortal) == 1026);

// ISCSI_LOGIN_OPTIONS. Its pointers are real ones: it is sent, and what an answer has in them is
// not looked at.
struct LoginOptions {
  uint32_t version;
  uint32_t information_specified;
  uint32_t login_flags;
  uint32_t authentication;
  uint32_t header_digest;
  uint32_t data_digest;
  uint32_t maximum_connections;
  uint32_t default_time_to_wait;
  uint32_t default_time_to_retain;
  uint32_t user_name_length;
  uint32_t password_length;
  uint8_t* user_name;
  uint8_t* password;
};
static_assert(offsetof(LoginOptions, user_name_length) == 36);
static_assert(offsetof(LoginOptions, user_name) == 48);
static_assert(sizeof(LoginOptions) == 64);

constexpr uint32_t kUserNameSpecified = 0x20;
constexpr uint32_t kPasswordSpecified = 0x40;
constexpr uint32_t kAuthenticationSpecified = 0x80;

// ISCSI_TARGET_PORTAL_INFO_EXW
struct TargetPortalInfo {
  char16_t initiator_name[256];
  uint32_t initiator_port;
  char16_t symbolic_name[256];
  char16_t address[256];
  uint16_t socket;
  uint64_t security_flags;
  LoginOptions login_options;
};
static_assert(offsetof(TargetPortalInfo, symbolic_name) == 516);
static_assert(offsetof(TargetPortalInfo, address) == 1028);
static_assert(offsetof(TargetPortalInfo, socket) == 1540);
static_assert(offsetof(TargetPortalInfo, security_flags) == 1544);
static_assert(sizeof(TargetPortalInfo) == 1616);

// ISCSI_UNIQUE_SESSION_ID, which connections have too.
struct InitiatorId {
  uint64_t adapter_unique;
  uint64_t adapter_specific;

  bool operator==(const InitiatorId&) const = default;
};
static_assert(sizeof(InitiatorId) == 16);

// ISCSI_CONNECTION_INFOW
struct ConnectionInfo {
  InitiatorId connection;
  uint64_t initiator_address;  // the address of a text, as the next one
  uint64_t target_address;
  uint16_t initiator_socket;
  uint16_t target_socket;
  uint8_t number[2];
};
static_assert(offsetof(ConnectionInfo, target_address) == 24);
static_assert(offsetof(ConnectionInfo, target_socket) == 34);
static_assert(sizeof(ConnectionInfo) == 40);

// ISCSI_SESSION_INFOW. Documents differ about which of the two names comes first.
struct SessionInfo {
  InitiatorId session;
  uint64_t initiator_name;  // the address of a text, as the next two
  uint64_t target_node_name;
  uint64_t target_name;
  uint8_t initiator_part[6];
  uint8_t target_part[2];
  uint32_t connection_count;
  uint64_t connections;  // the address of so many ConnectionInfo
};
static_assert(offsetof(SessionInfo, target_node_name) == 24);
static_assert(offsetof(SessionInfo, connection_count) == 48);
static_assert(offsetof(SessionInfo, connections) == 56);
static_assert(sizeof(SessionInfo) == 64);

// ISCSI_DEVICE_ON_SESSIONW
struct DeviceOnSession {
  char16_t initiator_name[256];
  char16_t target_name[224];
  struct {
    uint32_t length;
    uint8_t port;
    uint8_t path;
    uint8_t target;
    uint8_t lun;
  } address;
  support::Guid interface_type;
  char16_t interface_name[260];
  char16_t legacy_name[260];
  support::DeviceNumber number;
  uint32_t instance;
};
static_assert(offsetof(DeviceOnSession, interface_type) == 968);
static_assert(offsetof(DeviceOnSession, number) == 2024);
static_assert(sizeof(DeviceOnSession) == 2040);

}  // namespace longshore::iscsi
