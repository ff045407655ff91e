#include "tests/style/call_path.h"

#include <cctype>
#include <sstream>
#include <utility>

namespace longshore::style {
namespace {

constexpr std::string_view kFile = "agent/README.md";
constexpr std::string_view kHeading = "## The path of a call";
constexpr size_t kMostHandOvers = 2;

struct Step {
  int line = 0;
  std::string file;
  std::string function;  // "Router::call"

  std::string name() const { return function.substr(function.rfind(':') + 1); }
};

// Where `name(` stands as a word from `from` on.
size_t find_call(std::string_view code, const std::string& name, size_t from) {
  for (size_t at = code.find(name + "(", from); at != std::string_view::npos;
       at = code.find(name + "(", at + 1)) {
    if (at == 0 || !is_word(code[at - 1])) return at;
  }
  return std::string_view::npos;
}

// The place behind the bracket that closes the one at `at`.
size_t behind_bracket(std::string_view code, size_t at, char open, char close) {
  int depth = 0;
  for (; at < code.size(); ++at) {
    if (code[at] == open) ++depth;
    if (code[at] == close && --depth == 0) return at + 1;
  }
  return code.size();
}

// What stands between the braces of a function's definition; empty where there is none.
std::string_view body_of(std::string_view code, const std::string& name) {
  for (size_t at = find_call(code, name, 0); at != std::string_view::npos;
       at = find_call(code, name, at + 1)) {
    const size_t behind = behind_bracket(code, at + name.size(), '(', ')');
    const size_t next = code.find_first_of("{;,)", behind);
    if (next == std::string_view::npos || code[next] != '{') continue;
    // Not a call in a condition: "if (f()) {".
    if (code.substr(behind, next - behind).find_first_of("&|=+?") != std::string_view::npos)
      continue;
    return code.substr(next, behind_bracket(code, next, '{', '}') - next);
  }
  return {};
}

std::string in_ticks(const std::string& line, size_t& from) {
  const size_t begin = line.find('`', from);
  const size_t end = begin == std::string::npos ? begin : line.find('`', begin + 1);
  if (end == std::string::npos) return {};
  from = end + 1;
  return line.substr(begin + 1, end - begin - 1);
}

// The numbered lines of a block, each "1. `function` of `file`: ...".
std::vector<std::vector<Step>> blocks_of(const std::string& text, size_t& hand_overs) {
  std::vector<std::vector<Step>> blocks;
  std::istringstream lines(text);
  bool is_inside = false;
  bool is_new = true;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("## ")) is_inside = line == kHeading;
    if (!is_inside) continue;
    if (line.find("**Hand-over") != std::string::npos) ++hand_overs;
    if (line.empty() || std::isdigit(static_cast<unsigned char>(line.front())) == 0) {
      is_new = is_new || line.empty();
      continue;
    }
    size_t at = 0;
    Step step{number, {}, in_ticks(line, at)};
    step.file = "agent/" + in_ticks(line, at);
    if (std::exchange(is_new, false)) blocks.emplace_back();
    blocks.back().push_back(std::move(step));
  }
  return blocks;
}

}  // namespace

Findings check_call_path(const SourceTree& tree) {
  const auto document = tree.find(std::string(kFile));
  if (document == tree.end()) return {finding(kFile, 1, "is not there")};
  Findings findings;
  size_t hand_overs = 0;
  const auto blocks = blocks_of(document->second.text, hand_overs);
  if (blocks.empty()) findings.push_back(finding(kFile, 1, "has no path of a call"));
  if (hand_overs > kMostHandOvers) findings.push_back(finding(kFile, 1, "has more hand-overs"));
  for (const std::vector<Step>& block : blocks) {
    for (size_t i = 0; i < block.size(); ++i) {
      const Step& step = block[i];
      const auto file = tree.find(step.file);
      const std::string_view body =
          file == tree.end() ? "" : body_of(file->second.symbols, step.name());
      if (body.empty()) {
        findings.push_back(finding(kFile, step.line, step.function + " is not in " + step.file));
      } else if (i + 1 < block.size() &&
                 find_call(body, block[i + 1].name(), 0) == std::string_view::npos) {
        findings.push_back(
            finding(kFile, step.line, step.function + " does not call " + block[i + 1].function));
      }
    }
  }
  return findings;
}

}  // namespace longshore::style
