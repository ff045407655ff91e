// The files of this repository, read once, and C++ text with what a rule must not look at blanked.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace longshore::style {

struct Include {
  std::string name;  // "rpc/server.h"
  bool in_quotes = false;
  int line = 0;
};

struct SourceFile {
  std::string text;
  // For C and C++; empty for others. Both keep every line and column of `text`.
  std::string code;     // without comments
  std::string symbols;  // without comments, contents of strings and includes
  std::vector<Include> includes;
};

// By path relative to the root, with slashes.
using SourceTree = std::map<std::string, SourceFile>;

// Reads the text files that belong to the project: all but build trees, hidden folders and the
// inputs of fuzzers.
SourceTree read_tree(const std::filesystem::path& root);

// One file, as `read_tree` would read it.
SourceFile make_file(std::string_view path, std::string text);

bool is_cpp(std::string_view path);
bool is_header(std::string_view path);

// "agent" of "agent/rpc/server.h"; empty for a file at the top. `depth` 1 gives "rpc".
std::string_view folder(std::string_view path, int depth = 0);

// Whether `c` may stand in an identifier.
bool is_word(char c);

int line_of(std::string_view text, size_t offset);

// What a rule has to say: "agent/rpc/server.h:3: ..." each.
using Findings = std::vector<std::string>;
std::string finding(std::string_view path, int line, std::string_view sentence);

}  // namespace longshore::style
