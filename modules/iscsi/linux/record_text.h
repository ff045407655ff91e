// The text of one record of open-iscsi's database: lines of "name = value".
//
// Threads: plain functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/secret.h"

namespace longshore::iscsi {

// What a record is to have: a value, or no such line. The value is not copied.
struct RecordSetting {
  std::string_view name;
  std::optional<std::string_view> value;
};

// The record with these settings; every other line stays as it is, byte for byte. They are put
// before "# END RECORD", or at the end where that is missing. Returned as a secret, because a
// record can hold some.
support::Secret change_record(std::string_view record, const std::vector<RecordSetting>& settings);

// The settings whose values are CHAP secrets: this node's and the target's.
constexpr std::string_view kPassword = "node.session.auth.password";
constexpr std::string_view kPasswordOfTarget = "node.session.auth.password_in";

// Whether it names its target and its portal. Open-iscsi writes records in place, and one that was
// cut short while it did, or by a power failure, is found by nobody any more.
bool is_whole_record(std::string_view record);

// A line that says whose the secrets in a record are: where it stands they are of a login of ours.
constexpr std::string_view kSecretsMark =
    "# Longshore: the CHAP secrets here are of a login that is running, and removed after it.";

// Whether the mark stands in the record.
bool has_secrets_mark(std::string_view record);

// The record with the mark.
support::Secret with_secrets_mark(std::string_view record);

// Another mark says through which portal ("storage.example:3260") a login of ours went: a record is
// named by an address, and the portal's name may have others later. A record has one at most.
bool has_portal_mark(std::string_view record, std::string_view portal);
support::Secret with_portal_mark(std::string_view record, std::string_view portal);

// The record without the mark and the CHAP secrets that are ours: all of a record with the mark,
// and otherwise those that are one of `ours`. Open-iscsi drops the mark, as it drops every comment,
// when it rewrites a record for an administrator.
support::Secret without_secrets(std::string_view record, const std::vector<std::string_view>& ours);

}  // namespace longshore::iscsi
