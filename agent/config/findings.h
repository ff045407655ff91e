// What is wrong with a configuration, or to be warned of, all of it, at its place.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace longshore::config {

// A place in one of the files that were read. Lines and columns count from 1.
struct Place {
  size_t file = 0;  // index in the order of merging
  uint32_t line = 1;
  uint32_t column = 1;

  auto operator<=>(const Place&) const = default;
};

// "agent.toml:12:3"; `files` as in Configuration.
std::string text_of(const Place& place, const std::vector<std::string>& files);

// Collects while the files are read and checked; nothing stops at the first. Owner: one load.
class Findings {
 public:
  void add(const Place& place, std::string sentence) {
    findings_.push_back({place, std::move(sentence)});
  }
  bool empty() const { return findings_.empty(); }
  size_t size() const { return findings_.size(); }

  // Sorted by place: `FILE:LINE:COLUMN: sentence`. Control characters that came out
  // of the files are escaped, so that a line stays a line.
  std::vector<std::string> lines(const std::vector<std::string>& files) const;
  // These in one text.
  std::string text(const std::vector<std::string>& files) const;

 private:
  struct Finding {
    Place place;
    std::string sentence;

    auto operator<=>(const Finding&) const = default;
  };
  std::vector<Finding> findings_;
};

}  // namespace longshore::config
