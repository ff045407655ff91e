// What a log wrote to its file, without the times.
#pragma once

#include <fstream>
#include <string>
#include <vector>

namespace longshore::test {

inline std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// "INFO  message" of "2026-11-21T04:31:35.123Z INFO  message".
inline std::vector<std::string> messages_of(const std::string& file) {
  constexpr size_t kTimeLength = 25;
  std::vector<std::string> messages;
  for (const std::string& line : lines_of(file)) {
    messages.push_back(line.size() < kTimeLength ? line : line.substr(kTimeLength));
  }
  return messages;
}

}  // namespace longshore::test
