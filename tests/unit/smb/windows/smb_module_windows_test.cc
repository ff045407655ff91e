// The module as its file, under Windows: settings, and its methods called with bytes. Wine has no
// SMB client to map by, so that a request gets no farther than to be told so.
#include <catch2/catch.hpp>
#include <string>

#include "longshore/module/v1.pb.h"
#include "tests/support/build_tree.h"
#include "tests/support/loaded_module.h"
#include "tests/support/wire_writer.h"

namespace longshore::smb {
namespace {

using test::LoadedModule;
using test::WireWriter;

class Served {
 public:
  Served() { REQUIRE(module_.start(module_.default_settings())); }
  ~Served() { CHECK(module_.stop()); }

  // "OK", or the code's name.
  std::string call(const std::string& method, const std::string& request) {
    const auto answer = module_.call(method, request);
    text_ = answer ? "" : answer.error().message();
    return answer ? "OK" : status_code_name(answer.error().code());
  }
  const std::string& error_text() const { return text_; }

 private:
  LoadedModule module_{test::built_module("smb")};
  std::string text_;
};

std::string new_request(const std::string& remote, const std::string& local) {
  return WireWriter().text(1, remote).text(2, local).text(3, "somebody").text(4, "t0psecret");
}

TEST_CASE("every version takes the same requests, with paths of Windows'") {
  Served served;
  const std::string service = GENERATE("v1alpha1.Smb/", "v1beta1.Smb/", "v1beta2.Smb/", "v1.Smb/");
  const std::string method = service + "NewSmbGlobalMapping";
  CHECK(served.call(method, "") == "INVALID_ARGUMENT");
  CHECK_THAT(served.error_text(), Catch::Contains("remote path is empty"));
  CHECK(served.call(method, new_request("\\\\files", "")) == "INVALID_ARGUMENT");
  CHECK(served.call(method, new_request("\\\\files\\share", "/var/lib/kubelet/x")) ==
        "INVALID_ARGUMENT");
  CHECK(served.call(method, new_request("\\\\files\\share", "C:\\Windows\\x")) ==
        "PERMISSION_DENIED");
  CHECK_THAT(served.error_text(), Catch::Contains("C:\\var\\lib\\kubelet"));
  CHECK(served.call(service + "RemoveSmbGlobalMapping", "\x0a\xff") == "INVALID_ARGUMENT");
}

TEST_CASE("a Windows without an SMB client to map by says so, and no secret") {
  Served served;
  for (const char* const method : {"v1.Smb/NewSmbGlobalMapping", "v1.Smb/RemoveSmbGlobalMapping"}) {
    CHECK(served.call(method, new_request("\\\\files\\share", "")) != "OK");
    CHECK_THAT(served.error_text(), Catch::Contains("WMI") && !Catch::Contains("t0psecret") &&
                                        !Catch::Contains("somebody"));
  }
}

TEST_CASE("the module does not start with a root that is none of Windows'") {
  LoadedModule module(test::built_module("smb"));
  auto settings = module.default_settings();
  auto* roots = (*settings.mutable_values())["allowed_roots"].mutable_strings_value();
  roots->clear_values();
  roots->add_values("/var/lib/kubelet");
  CHECK_FALSE(module.start(settings));
}

}  // namespace
}  // namespace longshore::smb
