#include "sidecars/help_text.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/sidecars/made_up_controllers.h"

namespace longshore::sidecars {
namespace {

TEST_CASE("the help lists the flags of each controller from its options") {
  const std::string text = help_text(test::made_up_controllers());
  for (const char* part : {
           "\nlivenessprobe: A controller.\n",
           "  --livenessprobe-probe-timeout\n      (duration, default \"1s\") What it is for.\n",
           "  --node-driver-registrar-kubelet-registration-path\n      (string, required)",
           "  --csi-address  (of attacher, livenessprobe, node-driver-registrar, resizer)\n",
           "  --leader-election-namespace  (of attacher)\n",
           "  --controllers=LIST\n",
           "no installed controller has such an option:\n      --master",
           "  --kubeconfig=FILE\n",
       }) {
    CAPTURE(part);
    CHECK_THAT(text, Catch::Contains(part));
  }
}

TEST_CASE("no line of the help is longer than a terminal is wide") {
  const std::string text = help_text(test::made_up_controllers());
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    REQUIRE(end != std::string::npos);
    CAPTURE(text.substr(begin, end - begin));
    CHECK(end - begin <= 100);
    begin = end + 1;
  }
}

TEST_CASE("the help calls other options by their flags, and leaves plain words and other names") {
  InstalledControllers installed = test::made_up_controllers();
  config::ModuleSchema& probe = installed.described["livenessprobe"];
  probe.options.push_back(test::option("timeout", config::OptionType::kDuration, int64_t{1}));
  probe.options.front().doc = "Below probe_timeout, timeout, my_health_port.";
  CHECK_THAT(help_text(installed),
             Catch::Contains("Below --probe-timeout, timeout, my_health_port.\n"));
}

TEST_CASE("without controllers the help says what is missing") {
  CHECK_THAT(help_text({}), Catch::Contains("--module-dir=DIR\n"));
}

}  // namespace
}  // namespace longshore::sidecars
