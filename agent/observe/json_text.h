// Writes JSON: for lines of logs, the status and whatever else the agent says in it.
//
//   JsonText json;
//   json.object([&] {
//     json.member("file", path);
//     json.array("names", names, [&](const auto& name) { json.text(name); });
//   });
//   output << json.take();
//
// No library's writer, since texts come from strangers: of what they may hold those only know the
// half. See text/escape.h. Threads: one.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace longshore::observe {

// Values and members in order, with the commas between them.
class JsonText {
 public:
  // `body` writes the members.
  template <typename Body>
  void object(const Body& body) {
    enclosed('{', body, '}');
  }
  template <typename Body>
  void member_object(std::string_view key, const Body& body) {
    name(key);
    object(body);
  }

  // `body` is called with each item of `items`.
  template <typename Items, typename Body>
  void array(std::string_view key, const Items& items, const Body& body) {
    name(key);
    enclosed(
        '[',
        [&] {
          for (const auto& item : items) body(item);
        },
        ']');
  }

  void text(std::string_view value);
  void member(std::string_view key, std::string_view value);
  void member(std::string_view key, uint64_t value);
  void member(std::string_view key, std::chrono::milliseconds value);
  void flag(std::string_view key, bool value);
  // With so many digits behind the point.
  void decimal(std::string_view key, double value, int digits);
  // A value that is JSON already.
  void raw(std::string_view key, std::string_view json);

  std::string take() { return std::move(json_); }

 private:
  template <typename Body>
  void enclosed(char open, const Body& body, char close) {
    begin_value();
    json_ += open;
    needs_comma_ = false;
    body();
    json_ += close;
    needs_comma_ = true;
  }

  void begin_value();
  void name(std::string_view key);

  std::string json_;
  bool needs_comma_ = false;
};

// A text alone, in quotes.
std::string quoted(std::string_view text);

}  // namespace longshore::observe
