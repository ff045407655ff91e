// What `csi-sidecars --check` finds, a line each, in the order in which it looks: what is right,
// what is wrong with what to do about it, and what could not be looked at since something else is
// wrong.
//
// Threads: one. Owner: the check.
#pragma once

#include <ostream>
#include <string_view>

namespace longshore::sidecars {

class CheckReport {
 public:
  explicit CheckReport(std::ostream& output) : output_(output) {}

  void ok(std::string_view sentence) { tell("ok", sentence); }
  void warning(std::string_view sentence) { tell("warning", sentence); }
  void unchecked(std::string_view sentence) { tell("not checked", sentence); }
  void wrong(std::string_view sentences) {  // a line each
    has_wrong_ = true;
    tell("wrong", sentences);
  }

  bool has_wrong() const { return has_wrong_; }

 private:
  void tell(std::string_view kind, std::string_view sentences);

  std::ostream& output_;
  bool has_wrong_ = false;
};

}  // namespace longshore::sidecars
