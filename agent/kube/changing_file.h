// A small file that others replace while the agent runs, as kubelet does with a Pod's token and
// authorities: what is read is what is there now.
//
// The text that was read last stays when the file cannot be read for a while.
//
// Threads: one. Owner: who needs the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "longshore/result.hpp"
#include "longshore/secret.hpp"

namespace longshore::kube {

class ChangingFile {
 public:
  explicit ChangingFile(std::string path) : path_(std::move(path)) {}

  // An error: there has never been a text.
  Result<void> read();

  const std::string& path() const { return path_; }
  const std::string& text() const { return text_.text(); }
  // Without line ends and blanks before and behind it.
  std::string_view trimmed() const;
  // Grows by one with each text that is another than the one before.
  uint64_t version() const { return version_; }

 private:
  Result<void> read_now();

  const std::string path_;
  Secret text_;
  uint64_t version_ = 0;
};

}  // namespace longshore::kube
