// Which VolumeAttachments name a PersistentVolume, so that nobody walks over all of them to know
// whether there is one. Those of every attacher count.
//
// Threads: one at a time. Owner: who watches the attachments.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace longshore::external_attacher {

class AttachmentIndex {
 public:
  // `volume`: empty: it names none. In place of what was known of this attachment.
  void put(const std::string& attachment, const std::string& volume);
  // Answers the volume that it named; empty: none.
  std::string remove(const std::string& attachment);

  bool has_volume(const std::string& volume) const { return attachments_.contains(volume); }

 private:
  std::map<std::string, std::string> volumes_;  // by attachment
  std::map<std::string, size_t> attachments_;   // how many, by volume
};

}  // namespace longshore::external_attacher
