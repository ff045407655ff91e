// Rules for words: links in documents lead somewhere, what was renamed has one name only, and what
// drivers are told of security is short and safe to copy.
#pragma once

#include "tests/style/source_tree.h"

namespace longshore::style {

// Relative links of Markdown name a file or folder of the tree, and a heading of it.
Findings check_links(const SourceTree& tree);

// Names that the code had before its second edition, which took the field's terms.
Findings check_old_names(const SourceTree& tree);

// The chapter "Security" of README.md is one page: at most 60 lines, with what is promised, what is
// not, and how to report a fault.
Findings check_security_chapter(const SourceTree& tree);

// Wherever deploy/ mounts a socket's folder into a pod, it does so read-only.
Findings check_socket_mounts(const SourceTree& tree);

}  // namespace longshore::style
