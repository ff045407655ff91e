// Rewriting the text of a record.
#include "iscsi/linux/record_text.h"

#include <catch2/catch.hpp>
#include <string>

namespace longshore::iscsi {
namespace {

constexpr const char* kRecord =
    "# BEGIN RECORD 2.1.8\n"
    "node.name = iqn.2001-04.org.example:disks\n"
    "node.startup = automatic\n"
    "\n"
    "  node.session.auth.authmethod=None  \n"
    "node.session.auth.username_in = other\n"
    "node.conn[0].address = 192.0.2.1\n"
    "# END RECORD\n";

TEST_CASE("settings replace their lines and leave the others byte for byte") {
  const support::Secret changed =
      change_record(kRecord, {{"node.startup", "manual"},
                              {"node.session.auth.authmethod", "CHAP"},
                              {"node.session.auth.username", "node"},
                              {"node.session.auth.password", "node-secret-1"}});
  CHECK(changed.text() ==
        "# BEGIN RECORD 2.1.8\n"
        "node.name = iqn.2001-04.org.example:disks\n"
        "\n"
        "node.session.auth.username_in = other\n"
        "node.conn[0].address = 192.0.2.1\n"
        "node.startup = manual\n"
        "node.session.auth.authmethod = CHAP\n"
        "node.session.auth.username = node\n"
        "node.session.auth.password = node-secret-1\n"
        "# END RECORD\n");
}

TEST_CASE("settings without a value remove their lines, and changing twice changes nothing more") {
  const std::vector<RecordSetting> settings = {{"node.session.auth.username_in", {}},
                                               {"node.startup", "manual"}};
  const support::Secret once = change_record(kRecord, settings);
  CHECK_THAT(once.text(), !Catch::Contains("username_in"));
  CHECK(change_record(once.text(), settings).text() == once.text());
}

TEST_CASE("names are whole names, and comments are no settings") {
  const std::string record =
      "node.session.auth.password_in = a\n# node.session.auth.password = b\n"
      "node.session.auth.password\t=\tc\nnode.session.auth.password\n";
  CHECK(change_record(record, {{"node.session.auth.password", {}}}).text() ==
        "node.session.auth.password_in = a\n# node.session.auth.password = b\n");
}

TEST_CASE("records without an end, or without anything, get the settings at their end") {
  const std::vector<RecordSetting> settings = {{"a", "1"}};
  CHECK(change_record("", settings).text() == "a = 1\n");
  CHECK(change_record("b = 2\n", settings).text() == "b = 2\na = 1\n");
  CHECK(change_record("b = 2", settings).text() == "b = 2\na = 1\n");
  CHECK(change_record("# END RECORD", settings).text() == "a = 1\n# END RECORD");
  CHECK(change_record("# END RECORD\n# END RECORD\n", settings).text() ==
        "a = 1\n# END RECORD\n# END RECORD\n");
}

TEST_CASE("the mark is put in once, found, and taken out without a trace") {
  CHECK_FALSE(has_secrets_mark(kRecord));
  const support::Secret marked = with_secrets_mark(kRecord);
  CHECK(has_secrets_mark(marked.text()));
  CHECK(with_secrets_mark(marked.text()).text() == marked.text());
  CHECK(without_secrets(marked.text(), {}).text() == kRecord);
  CHECK(without_secrets(kRecord, {}).text() == kRecord);
  CHECK_FALSE(has_secrets_mark(""));
}

TEST_CASE("a record tells one portal, the last") {
  const support::Secret named = with_portal_mark(kRecord, "storage.example:3260");
  CHECK(named.text() ==
        "# Longshore: connected through storage.example:3260\n" + std::string(kRecord));
  CHECK(has_portal_mark(named.text(), "storage.example:3260"));
  CHECK_FALSE(has_portal_mark(named.text(), "storage.example:326"));
  CHECK_FALSE(has_portal_mark(named.text(), ""));
  CHECK_FALSE(has_portal_mark(kRecord, "storage.example:3260"));
  const support::Secret other = with_portal_mark(named.text(), "192.0.2.1:3260");
  CHECK_FALSE(has_portal_mark(other.text(), "storage.example:3260"));
  CHECK(has_portal_mark(other.text(), "192.0.2.1:3260"));
  CHECK(without_secrets(with_secrets_mark(other.text()).text(), {}).text() == other.text());
}

TEST_CASE("secrets are ours by the mark or by their value, and no other line is") {
  const std::string clean =
      "node.session.auth.username = node-secret-1\n"
      "# node.session.auth.password = node-secret-1\n";
  const std::string record = clean +
                             "node.session.auth.password = node-secret-1\n"
                             "node.session.auth.password_in\t=\ta=b # secret \n";
  CHECK(without_secrets(record, {}).text() == record);
  CHECK(without_secrets(record, {"node-secret", "node-secret-12", "b # secret", ""}).text() ==
        record);
  CHECK(without_secrets(record, {"a=b # secret", "node-secret-1"}).text() == clean);
  CHECK(without_secrets(with_secrets_mark(record).text(), {}).text() == clean);
}

}  // namespace
}  // namespace longshore::iscsi
