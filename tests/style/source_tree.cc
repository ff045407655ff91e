#include "tests/style/source_tree.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>

namespace longshore::style {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

namespace {

// Where the literal that begins with the quote at `start` ends, exclusively.
size_t end_of_literal(std::string_view text, size_t start) {
  const char quote = text[start];
  if (quote == '"' && start > 0 && text[start - 1] == 'R') {
    const size_t open = text.find('(', start);
    if (open == std::string_view::npos) return text.size();
    const std::string close = ")" + std::string(text.substr(start + 1, open - start - 1)) + "\"";
    const size_t end = text.find(close, open);
    return end == std::string_view::npos ? text.size() : end + close.size();
  }
  size_t at = start + 1;
  while (at < text.size() && text[at] != quote && text[at] != '\n') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

// 1'000'000: the quote belongs to a number.
bool separates_digits(std::string_view text, size_t quote) {
  size_t word = quote;
  while (word > 0 && (is_word(text[word - 1]) || text[word - 1] == '\'')) --word;
  return word < quote && std::isdigit(static_cast<unsigned char>(text[word])) != 0;
}

void blank(std::string& text, size_t from, size_t to) {
  for (size_t i = from; i < to; ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

void split_code(SourceFile& file) {
  const std::string_view text = file.text;
  file.code = file.symbols = file.text;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (text.substr(at, 2) == "//") {
      end = std::min(text.find('\n', at), text.size());
      blank(file.code, at, end);
      blank(file.symbols, at, end);
    } else if (text.substr(at, 2) == "/*") {
      const size_t close = text.find("*/", at + 2);
      end = close == std::string_view::npos ? text.size() : close + 2;
      blank(file.code, at, end);
      blank(file.symbols, at, end);
    } else if (text[at] == '"' || (text[at] == '\'' && !separates_digits(text, at))) {
      end = end_of_literal(text, at);
      blank(file.symbols, at + 1, end - 1);
    }
    at = end;
  }
}

void find_includes(SourceFile& file) {
  static const std::regex kInclude(R"(^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"])",
                                   std::regex::ECMAScript | std::regex::multiline);
  const std::string& code = file.code;
  for (std::sregex_iterator it(code.begin(), code.end(), kInclude), end; it != end; ++it) {
    const auto offset = static_cast<size_t>(it->position(1));
    if (file.symbols[offset] == ' ') continue;  // inside a string
    file.includes.push_back({(*it)[2], (*it)[1] == "\"", line_of(code, offset)});
    blank(file.symbols, static_cast<size_t>(it->position()), offset + it->str(2).size() + 2);
  }
}

}  // namespace

bool is_header(std::string_view path) { return path.ends_with(".h") || path.ends_with(".hpp"); }

bool is_cpp(std::string_view path) {
  return is_header(path) || path.ends_with(".cc") || path.ends_with(".c");
}

std::string_view folder(std::string_view path, int depth) {
  for (; depth > 0; --depth) {
    const size_t slash = path.find('/');
    if (slash == std::string_view::npos) return {};
    path.remove_prefix(slash + 1);
  }
  const size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

int line_of(std::string_view text, size_t offset) {
  return 1 + static_cast<int>(std::ranges::count(text.substr(0, offset), '\n'));
}

std::string finding(std::string_view path, int line, std::string_view sentence) {
  std::string text(path);
  text.append(":").append(std::to_string(line)).append(": ").append(sentence);
  return text;
}

SourceFile make_file(std::string_view path, std::string text) {
  SourceFile file;
  file.text = std::move(text);
  if (is_cpp(path)) {
    split_code(file);
    find_includes(file);
  }
  return file;
}

SourceTree read_tree(const std::filesystem::path& root) {
  namespace fs = std::filesystem;
  SourceTree tree;
  fs::recursive_directory_iterator it(root);
  for (const fs::recursive_directory_iterator end; it != end; ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory()) {
      const bool hidden = name.starts_with('.') && name != ".ci";
      // Where presets build: while another one is configured anew it has no cache.
      const bool is_build_tree =
          (it.depth() == 0 && name == "build") || fs::exists(it->path() / "CMakeCache.txt");
      if (hidden || is_build_tree || name == "corpus") it.disable_recursion_pending();
    } else if (it->is_regular_file()) {
      std::ifstream input(it->path(), std::ios::binary);
      std::string text(std::istreambuf_iterator<char>(input), {});
      const std::string path = it->path().lexically_relative(root).generic_string();
      if (text.find('\0') == std::string::npos) tree[path] = make_file(path, std::move(text));
    }
  }
  return tree;
}

}  // namespace longshore::style
