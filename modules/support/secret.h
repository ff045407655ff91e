// A text that nobody shall find in memory afterwards: overwritten when it is let go.
//
// Threads: a plain value. Owner: exactly one; moving it overwrites where it was.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace longshore::support {

// Overwrites all of the text's memory, what is behind its end too, and empties it. A plain
// std::string that is moved or dropped leaves its bytes behind.
inline void wipe(std::string& text) {
  volatile char* const bytes = text.data();
  for (size_t i = 0; i < text.capacity(); ++i) bytes[i] = '\0';
  text.clear();
}

class Secret {
 public:
  Secret() = default;
  // Takes a copy and wipes the original.
  explicit Secret(std::string& original) : text_(original) { wipe(original); }
  Secret(Secret&& other) noexcept : text_(std::move(other.text_)) { wipe(other.text_); }
  Secret& operator=(Secret&& other) noexcept {
    if (this != &other) {
      wipe(text_);
      text_ = std::move(other.text_);
      wipe(other.text_);
    }
    return *this;
  }
  ~Secret() { wipe(text_); }

  // The original stays as it is, and is somebody else's to wipe.
  static Secret copy_of(std::string_view original) {
    Secret secret;
    secret.append(original);
    return secret;
  }

  // Whatever memory becomes too small on the way is wiped.
  void append(std::string_view more) {
    if (text_.size() + more.size() > text_.capacity()) {
      Secret larger;
      larger.text_.reserve(2 * (text_.size() + more.size()));
      larger.text_ += text_;
      *this = std::move(larger);
    }
    text_ += more;
  }

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }

 private:
  std::string text_;
};

}  // namespace longshore::support
