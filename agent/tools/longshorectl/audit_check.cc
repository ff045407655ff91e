#include "tools/longshorectl/audit_check.h"

#include <algorithm>
#include <cstdlib>
#include <istream>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

namespace longshore::ctl {
namespace {

using observe::AuditLink;
using observe::AuditLoss;

constexpr std::string_view kNothingToCompare =
    "the journal tells nothing of these files, so that they were compared with nothing: it must be "
    "the log of the agent that wrote them, and reach back to a line that they have; the agent "
    "tells "
    "it at its start, at a reload (longshorectl reload), and each minute in which there were lines";

constexpr size_t kMaxLineBytes = 64 << 10;  // more than any line has, see router/audit_file.cc
constexpr size_t kMaxFaults = 100;          // of a file that are told one by one

// The lines of what may be any file. Of one that is longer than the log's the rest is passed over.
class Lines {
 public:
  explicit Lines(std::istream& stream) : stream_(stream), buffer_(kMaxLineBytes + 2) {}

  bool next() {
    stream_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    auto count = static_cast<size_t>(stream_.gcount());
    is_too_long_ = stream_.fail() && !stream_.eof() && count > 0;
    if (is_too_long_) {
      stream_.clear();
      stream_.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    } else if (count > 0 && !stream_.eof()) {
      --count;  // the line end
    }
    text_ = {buffer_.data(), count};
    return count > 0 || !stream_.fail();
  }
  std::string_view text() const { return text_; }
  bool is_too_long() const { return is_too_long_; }
  // Whether it lacks a line end.
  bool is_torn() const { return stream_.eof(); }

 private:
  std::istream& stream_;
  std::vector<char> buffer_;
  std::string_view text_;
  bool is_too_long_ = false;
};

// The text of a member, as far as no quote is in it.
std::string member(const std::string& content, const std::string& name) {
  const std::string key = "\"" + name + "\":\"";
  const size_t at = content.find(key);
  if (at == std::string::npos) return {};
  const size_t begin = at + key.size();
  return content.substr(begin, content.find('"', begin) - begin);
}

uint64_t number_member(const std::string& content, const std::string& name) {
  const std::string key = "\"" + name + "\":";
  const size_t at = content.find(key);
  return at == std::string::npos ? 0
                                 : std::strtoull(content.c_str() + at + key.size(), nullptr, 10);
}

std::string lines_text(uint64_t lines) {
  return std::to_string(lines) + " lines that could not be written are lost";
}

}  // namespace

void AuditCheck::add_file(const std::string& name, std::istream& lines) {
  File file{.name = name};
  size_t place = 0;
  size_t faults = 0;
  for (Lines line(lines); line.next();) {
    ++place;
    const auto read = line.is_too_long() ? std::nullopt : observe::read_sealed(line.text());
    if (read) {
      file.lines.push_back(
          {place, read->number, std::string(read->hash), std::string(read->content)});
    } else if (line.is_torn() && !line.is_too_long()) {
      file.is_torn = true;  // the agent was killed while it wrote; its next start mends it
    } else if (++faults <= kMaxFaults) {
      file.faults.push_back(name + ":" + std::to_string(place) + ": the line is not sealed");
    }
  }
  if (faults > kMaxFaults) {
    file.faults.push_back(name + ": " + std::to_string(faults - kMaxFaults) +
                          " more lines are not sealed");
  }
  if (!file.lines.empty()) file.chain = member(file.lines.front().content, "chain");
  files_.push_back(std::move(file));
}

void AuditCheck::add_journal(std::istream& lines) {
  has_journal_ = true;
  for (Lines line(lines); line.next();) {
    if (line.is_too_long()) continue;  // by its end it might be a module's
    if (auto anchor = observe::read_anchor(line.text())) anchors_.push_back(std::move(*anchor));
    if (auto loss = observe::read_loss(line.text())) losses_.push_back(std::move(*loss));
  }
}

AuditCheck::Result AuditCheck::result() const {
  Result result;
  std::map<std::string, std::vector<const File*>> chains;
  for (const File& file : files_) {
    result.findings.insert(result.findings.end(), file.faults.begin(), file.faults.end());
    if (file.is_torn) result.remarks.push_back(file.name + ": the last line is torn");
    result.lines += file.lines.size();
    if (file.lines.empty()) {
      // The agent writes one when it makes a file.
      if (file.faults.empty()) result.findings.push_back(file.name + ": it has no whole line");
      continue;
    }
    if (file.chain.empty()) {
      result.findings.push_back(file.name + ": its first line names no chain");
    }
    chains[file.chain].push_back(&file);
  }
  for (auto& [chain, files] : chains) {
    std::sort(files.begin(), files.end(), [](const File* a, const File* b) {
      return a->lines.front().number < b->lines.front().number;
    });
    check_chain(files, result);
    compare_anchors(chain, files, result);
    tell_lost(files, result);
    tell_losses(chain, files, result);
    tell_unfinished(files, result);
  }
  tell_losses({}, {}, result);
  std::set<std::string> lost;
  for (const AuditLink& anchor : anchors_) {
    if (!chains.contains(anchor.chain)) lost.insert(anchor.chain);
  }
  for (const std::string& chain : lost) {
    result.findings.push_back("the journal tells of the chain " + chain +
                              ", of which no file is here");
  }
  if (has_journal_ && result.anchors == 0) result.findings.emplace_back(kNothingToCompare);
  return result;
}

void AuditCheck::check_chain(const std::vector<const File*>& files, Result& result) {
  const Line& first = files.front()->lines.front();
  std::string previous = member(first.content, "previous");
  uint64_t number = first.number - 1;
  if (number > 0) {
    result.remarks.push_back("lines 1 to " + std::to_string(number) + " of the chain " +
                             files.front()->chain +
                             " are in no file here: whether max_files let them go or somebody cut "
                             "them off cannot be told");
  }
  for (const File* file : files) {
    for (const Line& line : file->lines) {
      const std::string at = file->name + ":" + std::to_string(line.place) + ": ";
      if (line.number != number + 1) {
        result.findings.push_back(at + "number " + std::to_string(line.number) + " follows " +
                                  std::to_string(number));
      } else if (observe::hash_after(previous, line.content) != line.hash) {
        result.findings.push_back(at +
                                  "the hash does not fit: this line or the one before was changed");
      }
      number = line.number;
      previous = line.hash;
    }
  }
}

void AuditCheck::compare_anchors(const std::string& chain, const std::vector<const File*>& files,
                                 Result& result) const {
  std::map<uint64_t, std::string> hashes;
  const Line& first = files.front()->lines.front();
  // The file before the first one may be gone.
  if (first.number > 1) hashes[first.number - 1] = member(first.content, "previous");
  for (const File* file : files) {
    for (const Line& line : file->lines) hashes[line.number] = line.hash;
  }
  std::optional<uint64_t> last;
  for (const AuditLink& anchor : anchors_) {
    if (anchor.chain != chain || anchor.number < hashes.begin()->first) continue;
    ++result.anchors;
    last = std::max(last.value_or(0), anchor.number);
    const auto line = hashes.find(anchor.number);
    const std::string number = std::to_string(anchor.number);
    if (line == hashes.end()) {
      result.findings.push_back("the journal tells of line " + number +
                                ", which is in no file: "
                                "the log was cut");
    } else if (line->second != anchor.hash) {
      result.findings.push_back("line " + number +
                                " has another hash than the journal tells: the "
                                "log was changed");
    }
  }
  if (!last) return;
  const auto after = std::distance(hashes.upper_bound(*last), hashes.end());
  result.remarks.push_back(std::to_string(after) + " lines after the last anchor, line " +
                           std::to_string(*last) + " of the chain " + chain +
                           ", are not covered: they may have been changed, and others cut off");
}

// What the lines themselves tell.
void AuditCheck::tell_lost(const std::vector<const File*>& files, Result& result) {
  for (const File* file : files) {
    for (const Line& line : file->lines) {
      if (member(line.content, "event") != "lost") continue;
      const uint64_t lost = number_member(line.content, "lines");
      const uint64_t refused = number_member(line.content, "refused_calls");
      const std::string at = file->name + ":" + std::to_string(line.place) + ": ";
      if (lost > 0) result.findings.push_back(at + lines_text(lost) + " before this one");
      if (refused > 0) {
        result.remarks.push_back(at + std::to_string(refused) +
                                 " calls were refused, since the log could not be written");
      }
    }
  }
}

// What the agent's log tells of its end, unless the next agent has written it to the file. An agent
// that could not open the file names no chain.
void AuditCheck::tell_losses(const std::string& chain, const std::vector<const File*>& files,
                             Result& result) const {
  std::map<uint64_t, uint64_t> lost;  // after which line; an agent tells the loss before it anew
  for (const AuditLoss& loss : losses_) {
    if (loss.chain == chain) lost[loss.number] = std::max(lost[loss.number], loss.lines);
  }
  for (const auto& [number, lines] : lost) {
    const auto tells = [after = number](const Line& line) {
      return line.number > after && member(line.content, "event") == "lost";
    };
    const bool is_told = std::ranges::any_of(
        files, [&](const File* file) { return std::ranges::any_of(file->lines, tells); });
    if (lines == 0 || is_told) continue;
    result.findings.push_back("the journal tells of an agent's end: " + lines_text(lines) +
                              (number > 0 ? " after line " + std::to_string(number) : ""));
  }
}

void AuditCheck::tell_unfinished(const std::vector<const File*>& files, Result& result) {
  std::map<std::string, std::string> begun;  // by call
  for (const File* file : files) {
    for (const Line& line : file->lines) {
      const std::string event = member(line.content, "event");
      const std::string call = member(line.content, "call");
      if (event == "end") begun.erase(call);
      if (event == "begin") {
        begun[call] = "request " + member(line.content, "request_id") + " (" +
                      member(line.content, "method") + ") began and has no outcome";
      }
    }
  }
  for (const auto& [call, sentence] : begun) result.remarks.push_back(sentence);
}

}  // namespace longshore::ctl
