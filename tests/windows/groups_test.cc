// The six groups as a client of csi-proxy's meets them on Windows: longshored.exe in csi-proxy's
// place, with its command line, at all 23 pipes. What the groups do is tested in tests/unit.
#include <boost/asio/ip/tcp.hpp>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "longshore/windows/wide_text.hpp"
#include "tests/support/eventually.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_reader.h"
#include "tests/support/wire_writer.h"
#include "tests/windows/agent_program.h"
#include "tests/windows/in_csi_proxys_place.h"
#include "tests/windows/started_program.h"

using namespace longshore;
using namespace longshore::test;
using Catch::Contains;

namespace {

struct Group {
  std::string name;
  std::string service;
  std::vector<std::string> versions;
};

const std::vector<Group> kGroups = {
    {"disk", "Disk", {"v1alpha1", "v1beta1", "v1beta2", "v1beta3", "v1"}},
    {"filesystem", "Filesystem", {"v1alpha1", "v1beta1", "v1beta2", "v1", "v2alpha1"}},
    {"volume", "Volume", {"v1alpha1", "v1beta1", "v1beta2", "v1beta3", "v1", "v2alpha1"}},
    {"smb", "Smb", {"v1alpha1", "v1beta1", "v1beta2", "v1"}},
    {"iscsi", "Iscsi", {"v1alpha1", "v1alpha2"}},
    {"system", "System", {"v1alpha1"}},
};

uint16_t free_port() {
  using boost::asio::ip::tcp;
  boost::asio::io_context io;
  return tcp::acceptor(io, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0))
      .local_endpoint()
      .port();
}

bool is_old(const std::string& version) { return version == "v1alpha1" || version == "v1beta1"; }

}  // namespace

TEST_CASE("each of csi-proxy's 23 pipes serves its group's version and nothing else") {
  const InCsiProxysPlace csi_proxy;
  size_t pipes = 0;
  for (const Group& group : kGroups) {
    for (const std::string& version : group.versions) {
      CAPTURE(group.name, version);
      TestClient client(csi_proxy_pipe(group.name, version));
      ++pipes;
      const std::string other = version == "v1" ? "v1beta1" : "v1";
      CHECK(client.call(other + "." + group.service + "/Anything", "")->code() ==
            StatusCode::kUnimplemented);
      const auto unknown = client.call(version + "." + group.service + "/Anything", "");
      CHECK(unknown->code() == StatusCode::kUnimplemented);
      CHECK_THAT(unknown->text(), Contains("Anything"));
    }
  }
  CHECK(pipes == 23);
}

TEST_CASE("directories are made, found and removed by every version of the filesystem group") {
  const InCsiProxysPlace csi_proxy;
  const std::string version = GENERATE("v1alpha1", "v1beta1", "v1beta2", "v1", "v2alpha1");
  CAPTURE(version);
  TestClient client(csi_proxy_pipe("filesystem", version));
  const auto call = [&](const std::string& method, const std::string& request) {
    return client.call(version + ".Filesystem/" + method, request);
  };
  const std::string path = csi_proxy.path("pods\\\u00e4 b\\mount");
  const std::string request = WireWriter().text(1, path);
  const uint32_t exists = is_old(version) ? 2 : 1;
  const auto found = [&] { return call("PathExists", request)->messages.at(0); };
  CHECK(found().empty());
  CHECK(call("Mkdir", request)->code() == StatusCode::kOk);
  CHECK(std::filesystem::is_directory(std::filesystem::path(wide(path))));
  CHECK(found() == WireWriter().number(exists, 1).bytes());
  const std::string is_link = is_old(version) ? "IsMountPoint" : "IsSymlink";
  CHECK(call(is_link, request)->messages == std::vector<std::string>{""});
  // Wine makes no links.
  const std::string link = csi_proxy.path("link");
  const auto refused = call(is_old(version) ? "LinkPath" : "CreateSymlink",
                            WireWriter().text(1, path).text(2, link));
  CHECK(refused->code() != StatusCode::kOk);
  CHECK_THAT(refused->text(), Contains("link"));
  CHECK(call("PathExists", WireWriter().text(1, link))->messages.at(0).empty());
  if (version == "v2alpha1") {
    std::filesystem::create_directories(std::filesystem::path(wide(path)) / "more");
    CHECK(call("RmdirContents", request)->code() == StatusCode::kOk);
    CHECK(std::filesystem::is_empty(std::filesystem::path(wide(path))));
  }
  CHECK(call("Rmdir", request)->code() == StatusCode::kOk);
  CHECK(found().empty());
}

TEST_CASE("paths that are none, or lie elsewhere, are refused as csi-proxy refuses them") {
  const InCsiProxysPlace csi_proxy;
  TestClient client(csi_proxy_pipe("filesystem", "v1"));
  const auto refusal = [&](const std::string& path) {
    const auto answer = client.call("v1.Filesystem/Mkdir", WireWriter().text(1, path));
    CHECK(answer->code() != StatusCode::kOk);
    return answer->text();
  };
  CHECK_THAT(refusal("C:\\Windows\\new"), Contains("not within the allowed roots"));
  CHECK_THAT(refusal("/var/lib/kubelet"), Contains("invalid characters"));
  CHECK_THAT(refusal("\\\\server\\share"), Contains("invalid character \\ at beginning"));
  CHECK_THAT(refusal(csi_proxy.path("a\\..\\..\\b")), Contains("invalid characters"));
  CHECK_THAT(refusal(""), Contains("not an absolute Windows path"));
}

TEST_CASE("what Wine knows of disks, services and the firmware is answered at their pipes") {
  const InCsiProxysPlace csi_proxy;
  TestClient disks(csi_proxy_pipe("disk", "v1"));
  CHECK(disks.call("v1.Disk/ListDiskIDs", "")->code() == StatusCode::kOk);
  CHECK(disks.call("v1.Disk/ListDiskLocations", "")->code() == StatusCode::kOk);
  const auto first = disks.call("v1.Disk/GetDiskStats", "");
  REQUIRE(first->code() == StatusCode::kOk);
  CHECK(WireReader(first->messages.at(0)).number(1) > 0);
  TestClient services(csi_proxy_pipe("system", "v1alpha1"));
  const auto running = services.call("v1alpha1.System/GetService", WireWriter().text(1, "RpcSs"));
  REQUIRE(running->code() == StatusCode::kOk);
  CHECK(WireReader(running->messages.at(0)).texts(1).size() == 1);  // its display name
  // The machine's, if Wine may read it.
  const auto serial = services.call("v1alpha1.System/GetBIOSSerialNumber", "");
  CHECK((serial->code() == StatusCode::kOk || serial->code() == StatusCode::kNotFound));
}

TEST_CASE("csi-proxy's flags of paths, log and metrics do under Wine what they did") {
  const TemporaryDirectory work;
  const AgentFolder folder;
  const uint16_t port = free_port();
  const std::string address = "127.0.0.1:" + std::to_string(port);
  const StartedProgram agent("longshored",
                             {"--working-dir", work.path().string(), "-logtostderr=false",
                              "-log_file=" + (folder / "csi-proxy.log"), "-require-privacy=false",
                              "-metrics-bind-address", address, "-alsologtostderr=false"},
                             folder / "output");
  const auto log = [&] { return text_of(folder / "csi-proxy.log"); };
  CAPTURE(text_of(folder / "output"), log());
  REQUIRE(eventually([&] { return log().find(" serving ") != std::string::npos; }));
  TestClient client(csi_proxy_pipe("filesystem", "v1"));
  CHECK(client.call("v1.Filesystem/Mkdir", WireWriter().text(1, work / "pods"))->code() ==
        StatusCode::kOk);
  CHECK(std::filesystem::is_directory(work.path() / "pods"));
  CHECK_THAT(text_of(folder / "output"), Contains("-alsologtostderr does nothing"));
  boost::asio::ip::tcp::iostream http("127.0.0.1", std::to_string(port));
  http << "GET /metrics HTTP/1.1\r\nHost: " << address << "\r\nConnection: close\r\n\r\n"
       << std::flush;
  const std::string page{std::istreambuf_iterator<char>(http), {}};
  CHECK_THAT(page, Contains("grpc_server_handled_total") && Contains("Mkdir"));
}

TEST_CASE("a faulty command line of csi-proxy's ends with a sentence") {
  const auto end = run_program("longshored", {"-windows-service=perhaps"});
  CHECK(end.exit_code == 1);
  CHECK_THAT(end.output, Contains("neither true nor false"));
}
