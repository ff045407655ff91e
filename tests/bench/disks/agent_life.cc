#include "tests/bench/disks/agent_life.h"

#include <stdexcept>

#include "tests/support/wire_writer.h"

namespace longshore::bench {

using test::WireWriter;

namespace {

std::string socket_of(const test::AgentDirectory& directory, const std::string& group) {
  return directory / ("run/csi-proxy/" + group + "-v1/csi-proxy-" + group + "-v1.sock");
}

std::string call(test::TestClient& client, const std::string& method, const std::string& request) {
  const auto answer = client.call(method, request);
  if (answer->code() != StatusCode::kOk) throw std::runtime_error(method + ": " + answer->text());
  return answer->messages.at(0);
}

}  // namespace

DiskClient::DiskClient(const test::AgentDirectory& directory)
    : disk_(socket_of(directory, "disk")), volume_(socket_of(directory, "volume")) {}

std::string DiskClient::disk(const std::string& method, const std::string& request) {
  return call(disk_, "v1.Disk/" + method, request);
}

std::string DiskClient::volume(const std::string& method, const std::string& request) {
  return call(volume_, "v1.Volume/" + method, request);
}

// ListVolumesOnDiskResponse: field 1, length, text.
std::string DiskClient::volume_on(uint32_t disk_number) {
  const std::string answer = volume("ListVolumesOnDisk", WireWriter().number(1, disk_number));
  if (answer.size() < 2) throw std::runtime_error("the disk has no volume");
  return answer.substr(2, static_cast<unsigned char>(answer[1]));
}

std::string configuration_for(const std::string& disk_names, const std::string& root,
                              const std::string& filesystem) {
  return "[modules.disk]\nsettings.disk_names = [" + disk_names +
         "]\n[modules.volume]\nsettings.disk_names = [" + disk_names +
         "]\nsettings.allowed_roots = [\"" + root + "\"]\nsettings.filesystem = \"" + filesystem +
         "\"\n";
}

void live_by_calls(DiskClient& client, test::LoopDisk& disk, const std::string& target,
                   uint64_t grown, Stopwatch& times) {
  times.time("partition",
             [&] { client.disk("PartitionDisk", WireWriter().number(1, disk.number())); });
  const std::string id = client.volume_on(disk.number());
  const std::string of_volume = WireWriter().text(1, id);
  const std::string at_target = WireWriter().text(1, id).text(2, target);
  times.time("format", [&] { client.volume("FormatVolume", of_volume); });
  times.time("mount", [&] { client.volume("MountVolume", at_target); });
  if (grown != 0) {
    disk.grow(grown);
    times.time("resize", [&] { client.volume("ResizeVolume", of_volume); });
  }
  times.time("unmount", [&] { client.volume("UnmountVolume", at_target); });
}

}  // namespace longshore::bench
