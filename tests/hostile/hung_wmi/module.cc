// A module that asks WMI, as those of the disk, smb and volume groups do, where WMI's provider says
// nothing: it answers when a byte comes on the socket whose number is asked for. It writes there
// that it was asked, and that it was let go of.
#include "longshore/module.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "hostile/v1.pb.h"
#include "longshore/deadline.hpp"
#include "module_description.h"
#include "support/windows/abandonable_wmi.h"

namespace longshore::hostile {
namespace {

using support::WmiObject;

void write_line(int socket, std::string_view line) {
  if (write(socket, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
}

class SilentProvider final : public support::WmiProvider {
 public:
  ~SilentProvider() override {
    if (socket_ >= 0) write_line(socket_, "let go\n");
  }

  Result<std::vector<WmiObject>> query(const std::string&, const std::string& query) override {
    const int socket = std::stoi(query);
    socket_ = socket;
    write_line(socket, "asked\n");
    char byte = 0;
    if (read(socket, &byte, 1) != 1) std::abort();
    return std::vector<WmiObject>{{{"Late", true}}};
  }
  Result<WmiObject> call(const std::string&, const std::string& object, const std::string&,
                         const WmiObject&) override {
    return Error(StatusCode::kUnimplemented, "call by WMI", object);
  }

 private:
  std::atomic<int> socket_ = -1;
};

class HungWmiModule final : public Module {
 public:
  Result<::hostile::v1::DoResponse> ask(Context context, const ::hostile::v1::DoRequest& request) {
    const auto rows =
        wmi_.query(support::kStorageNamespace, request.object(), deadline_of(context));
    if (!rows) return rows.error();
    return ::hostile::v1::DoResponse();
  }

 private:
  Result<void> start(const Settings&, std::string_view) override {
    add_service("hostile.v1.Hostile", *this).unary("Do", &HungWmiModule::ask);
    return {};
  }

  support::AbandonableWmi wmi_{std::make_shared<SilentProvider>()};
};

}  // namespace
}  // namespace longshore::hostile

LONGSHORE_MODULE(longshore::hostile::HungWmiModule, "longshore-hung-wmi", "1.0.0", "Hostile")
