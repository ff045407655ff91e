#include <process.h>

#include "config/user_names.h"

namespace longshore::config {
namespace {

// Windows names users and groups by SID; endpoints that ask for them are not there yet.
Error unknown(const char* kind, const std::string& name) {
  return Error(StatusCode::kUnimplemented, std::string("find the ") + kind, name)
      .because("this version knows no users and groups on Windows");
}

}  // namespace

Result<unsigned> user_id_of(const std::string& name_or_number) {
  return unknown("user", name_or_number);
}

Result<unsigned> group_id_of(const std::string& name_or_number) {
  return unknown("group", name_or_number);
}

unsigned own_user_id() { return 0; }
std::vector<unsigned> own_group_ids() { return {}; }
int own_process_id() { return _getpid(); }

}  // namespace longshore::config
