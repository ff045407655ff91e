// Texts that are known only while the demonstration runs: numbers of disks, ids of volumes.
//
// A text names them as "<volume>".
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace longshore::demo {

// Threads: one at a time.
class Values {
 public:
  void set(const std::string& name, const std::string& value) { values_[name] = value; }

  // The text with what is known in the place of its name.
  std::string fill(const std::string& text) const;

  // Whether the text is as the pattern says. A name that is not known yet stands for anything and
  // is known from then on; it ends where the character that follows it comes first.
  bool match(const std::string& pattern, const std::string& text);

  // As a number; 0 for what is unknown or no number.
  uint64_t number(const std::string& name) const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace longshore::demo
