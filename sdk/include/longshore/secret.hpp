// Bytes that nobody shall find in memory afterwards: passwords, and requests that carry them.
//
// Freed memory keeps its bytes until something else is written there, which may be never, and a
// core dump or a look at the process shows them. So they are overwritten before they are let go.
//
// Threads: plain functions and values.
#pragma once

#include <string.h>  // explicit_bzero

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace longshore {

// Overwrites so many bytes. No compiler leaves it out because nobody reads them any more.
inline void wipe(char* bytes, size_t count) {
  if (count == 0) return;
#ifdef _WIN32
  volatile char* const kept = bytes;  // as SecureZeroMemory does, whose header brings macros
  for (size_t i = 0; i < count; ++i) kept[i] = '\0';
#else
  ::explicit_bzero(bytes, count);
#endif
}

// Overwrites all of the text's memory, what is behind its end too, and empties it.
inline void wipe(std::string& text) {
  wipe(text.data(), text.capacity());
  text.clear();
}

// Room for `size` bytes that is never inside of the object. A short text that lies there is copied
// when the object is moved, and stays behind; one with memory of its own is handed over. The same
// memory is then wiped once, at the end of the way. Memory that is too small is wiped here, after
// the text has moved out of it.
inline void reserve_apart(std::string& text, size_t size) {
  const size_t room = std::max(size, std::string().capacity() + 1);
  if (room <= text.capacity()) return;
  std::string larger;
  larger.reserve(room);
  larger.append(text);
  wipe(text);
  text = std::move(larger);
}

// Grows a text in pieces, at most a few times for each doubling of its size. `more` is not in it.
inline void append_apart(std::string& text, std::string_view more) {
  if (more.empty()) return;
  const size_t size = text.size() + more.size();
  reserve_apart(text, size <= text.capacity() ? size : std::max(size, 2 * text.capacity()));
  text.append(more);
}

// A text that is wiped when it is let go. Owner: exactly one; moving it wipes where it was.
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
  void append(std::string_view more) { append_apart(text_, more); }

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }

 private:
  std::string text_;
};

}  // namespace longshore
