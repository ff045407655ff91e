// Rules for words: links in documents lead somewhere, and what was renamed has one name only.
#pragma once

#include "tests/style/source_tree.h"

namespace longshore::style {

// Relative links of Markdown name a file or folder of the tree, and a heading of it.
Findings check_links(const SourceTree& tree);

// Names that the code had before its second edition, which took the field's terms.
Findings check_old_names(const SourceTree& tree);

}  // namespace longshore::style
