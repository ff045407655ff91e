// The trees that the style tests look at.
#pragma once

#include <map>
#include <string>

#include "tests/style/source_tree.h"
#include "tests/support/build_tree.h"

namespace longshore::style {

// This repository.
inline const SourceTree& this_tree() {
  static const SourceTree tree = read_tree(test::source_tree());
  return tree;
}

// A made one, for rules that must find something.
inline SourceTree tree_of(const std::map<std::string, std::string>& texts) {
  SourceTree tree;
  for (const auto& [path, text] : texts) tree[path] = make_file(path, text);
  return tree;
}

}  // namespace longshore::style
