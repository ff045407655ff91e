#include "tests/drivers/reactions.h"

#include <algorithm>
#include <sstream>

namespace longshore::test {
namespace {

Verdict fails(Findings& found, const std::string& why) {
  found.failure = why;
  return Verdict::kFails;
}

// Takes the disk of which the answer says what `is_it` looks for. Where the machine gives it no
// such property, it is taken by its number.
template <typename Properties, typename IsIt>
Verdict take_disk(Findings& found, const Reply& reply,
                  const std::map<uint32_t, Properties>& properties, bool has_property,
                  const IsIt& is_it) {
  if (reply.failed()) return fails(found, reply.error);
  if (!has_property) {
    found.disk = found.context.disk.number;
    return Verdict::kGoesOn;
  }
  for (const auto& [number, its] : properties) {
    if (!is_it(its)) continue;
    found.disk = number;
    return number == found.context.disk.number ? Verdict::kGoesOn
                                               : fails(found, "it is another disk");
  }
  return fails(found, "none of " + std::to_string(properties.size()) + " disks is the volume's");
}

std::string last_word(const std::string& text) {
  std::istringstream words(text);
  std::string last;
  for (std::string word; words >> word;) last = word;
  return last;
}

}  // namespace

Verdict required(Findings& found, const Reply& reply) {
  return reply.failed() ? fails(found, reply.error) : Verdict::kGoesOn;
}

Verdict ignored(Findings&, const Reply&) { return Verdict::kGoesOn; }

Verdict remembered(Findings& found, const Reply& reply) {
  found.remembered = reply.error;
  return Verdict::kGoesOn;
}

Verdict tells_existence(Findings& found, const Reply& reply) {
  found.exists = reply.yes;
  return required(found, reply);
}

Verdict done_if_link(Findings& found, const Reply& reply) {
  if (reply.yes) return Verdict::kDone;
  return required(found, reply);
}

Verdict done_if_link_else_goes_on(Findings&, const Reply& reply) {
  return reply.yes ? Verdict::kDone : Verdict::kGoesOn;
}

Verdict tells_whether_mounted(Findings& found, const Reply& reply) {
  found.mounted = reply.yes;
  return required(found, reply);
}

Verdict done_if_absent(Findings& found, const Reply& reply) {
  if (!reply.failed() && !reply.yes) return Verdict::kDone;
  return required(found, reply);
}

Verdict must_exist(Findings& found, const Reply& reply) {
  if (!reply.failed() && !reply.yes) return fails(found, "it is not there");
  return required(found, reply);
}

Verdict takes_disk_by_lun(Findings& found, const Reply& reply) {
  const std::string& lun = found.context.disk.lun;
  return take_disk(found, reply, reply.locations, !lun.empty(),
                   [&](const Reply::Location& location) { return location.lun == lun; });
}

Verdict takes_disk_by_serial_part(Findings& found, const Reply& reply) {
  const std::string& serial = found.context.disk.serial;
  return take_disk(found, reply, reply.identities, !serial.empty(),
                   [&](const Reply::Identity& identity) {
                     return identity.serial.find(serial) != std::string::npos;
                   });
}

Verdict takes_disk_by_last_word_of_page83(Findings& found, const Reply& reply) {
  // Blanks alone have no last word.
  for (const auto& [number, identity] : reply.identities) {
    if (!identity.page83.empty() && last_word(identity.page83).empty()) return Verdict::kPanics;
  }
  const std::string name = last_word(found.context.disk.page83);
  return take_disk(
      found, reply, reply.identities, !name.empty(),
      [&](const Reply::Identity& identity) { return last_word(identity.page83) == name; });
}

Verdict takes_disk_by_page83(Findings& found, const Reply& reply) {
  const std::string& page83 = found.context.disk.page83;
  return take_disk(found, reply, reply.identities, !page83.empty(),
                   [&](const Reply::Identity& identity) { return identity.page83 == page83; });
}

Verdict first_volume_or_panic(Findings& found, const Reply& reply) {
  if (!reply.failed() && reply.ids.empty()) return Verdict::kPanics;
  return first_volume(found, reply);
}

Verdict first_volume(Findings& found, const Reply& reply) {
  if (reply.failed()) return fails(found, reply.error);
  if (reply.ids.empty()) return fails(found, "the list of volumes is empty");
  found.volume = reply.ids.front();
  return Verdict::kGoesOn;
}

Verdict tells_whether_formatted(Findings& found, const Reply& reply) {
  found.formatted = reply.yes;
  return required(found, reply);
}

Verdict takes_volume(Findings& found, const Reply& reply) {
  found.volume = reply.text;
  return required(found, reply);
}

Verdict takes_volume_if_any(Findings& found, const Reply& reply) {
  found.volume = reply.text;
  return Verdict::kGoesOn;
}

Verdict takes_disk_bytes_or_panic(Findings& found, const Reply& reply) {
  return reply.failed() ? Verdict::kPanics : takes_disk_bytes(found, reply);
}

Verdict takes_disk_bytes(Findings& found, const Reply& reply) {
  found.disk_bytes = reply.total_bytes;
  return required(found, reply);
}

Verdict takes_filesystem_bytes(Findings& found, const Reply& reply) {
  found.filesystem_bytes = reply.total_bytes;
  return required(found, reply);
}

Verdict takes_disk(Findings& found, const Reply& reply) {
  found.disk = reply.disk;
  return required(found, reply);
}

}  // namespace longshore::test
