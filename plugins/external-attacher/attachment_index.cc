#include "attachment_index.h"

namespace longshore::external_attacher {

void AttachmentIndex::put(const std::string& attachment, const std::string& volume) {
  remove(attachment);
  if (volume.empty()) return;
  volumes_[attachment] = volume;
  by_volume_[volume].insert(attachment);
}

std::string AttachmentIndex::remove(const std::string& attachment) {
  const auto node = volumes_.extract(attachment);
  if (node.empty()) return {};
  const auto named = by_volume_.find(node.mapped());
  named->second.erase(attachment);
  if (named->second.empty()) by_volume_.erase(named);
  return node.mapped();
}

}  // namespace longshore::external_attacher
