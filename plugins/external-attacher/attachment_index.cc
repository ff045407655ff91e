#include "attachment_index.h"

namespace longshore::external_attacher {

void AttachmentIndex::put(const std::string& attachment, const std::string& volume) {
  remove(attachment);
  if (volume.empty()) return;
  volumes_[attachment] = volume;
  ++attachments_[volume];
}

std::string AttachmentIndex::remove(const std::string& attachment) {
  const auto node = volumes_.extract(attachment);
  if (node.empty()) return {};
  const auto named = attachments_.find(node.mapped());
  if (--named->second == 0) attachments_.erase(named);
  return node.mapped();
}

}  // namespace longshore::external_attacher
