// Measures the disk and volume groups on loop disks: a volume's whole life beside the commands that
// do the same, every call that reads, and ListDiskIDs with many disks.
#include <linux/capability.h>

#include <csignal>
#include <cstdlib>
#include <deque>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>

#include "tests/bench/disks/agent_life.h"
#include "tests/bench/disks/command_life.h"
#include "tests/support/wire_writer.h"

namespace longshore::bench {
namespace {

using test::AgentDirectory;
using test::AgentProcess;
using test::LoopDisk;
using test::WireWriter;

constexpr uint64_t kBytes = uint64_t{512} << 20, kGrown = uint64_t{1} << 30;

bool may_grow_ext4() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    uint64_t capabilities = 0;
    if (word == "CapEff:" && status >> std::hex >> capabilities) {
      return (capabilities >> CAP_SYS_RESOURCE & 1) != 0;
    }
  }
  return false;
}

std::string names_of(const std::deque<LoopDisk>& disks) {
  std::string names;
  for (const LoopDisk& disk : disks) {
    names.append(names.empty() ? "\"" : ", \"").append(disk.name()).append("\"");
  }
  return names;
}

void print_lives(const std::string& filesystem, const Stopwatch& ours, const Stopwatch& commands) {
  std::cout << "\n"
            << filesystem << std::string(16 - filesystem.size(), ' ')
            << "   agent ms  commands ms\n";
  const auto row = [](const std::string& name, double first, double second) {
    std::cout << std::left << std::setw(16) << name << std::right << std::setw(11) << first
              << std::setw(13) << second << "\n";
  };
  for (const std::string& step : ours.steps()) {
    row(step, ours.median_ms(step), commands.median_ms(step));
  }
  row("whole life", ours.total_ms(), commands.total_ms());
  const double over = (ours.total_ms() / commands.median_ms("format") - 1) * 100;
  std::cout << "The agent's whole life is " << over << " % over the command's mkfs alone, "
            << (1 - ours.total_ms() / commands.total_ms()) * 100
            << " % below the commands' total.\n";
}

void measure_lives(const std::string& filesystem, int rounds) {
  const uint64_t grown = filesystem != "ext4" || may_grow_ext4() ? kGrown : 0;
  if (grown == 0) {
    std::cout << "\next4 is not resized: growing it while it is mounted needs CAP_SYS_RESOURCE, "
                 "which this process lacks.\n";
  }
  AgentDirectory directory;
  const std::string target = directory.root() + "/target";
  std::filesystem::create_directory(target);
  Stopwatch ours, commands;
  for (int round = 0; round < rounds; ++round) {
    {
      std::deque<LoopDisk> disks;
      disks.emplace_back(kBytes);
      directory.configure(configuration_for(names_of(disks), directory.root(), filesystem));
      AgentProcess agent(directory);
      DiskClient client(directory);
      live_by_calls(client, disks.front(), target, grown, ours);
    }
    LoopDisk disk(kBytes);
    live_by_commands(disk, filesystem, target, grown, commands);
  }
  print_lives(filesystem, ours, commands);
}

// The middle of many calls, in milliseconds.
template <typename Call>
double median_of(const Call& call) {
  Stopwatch times;
  for (int count = 0; count < 200; ++count) times.time("call", call);
  return times.median_ms("call");
}

void measure_reads() {
  std::deque<LoopDisk> disks;
  disks.emplace_back(kBytes);
  AgentDirectory directory;
  const std::string target = directory.root() + "/target";
  std::filesystem::create_directory(target);
  directory.configure(configuration_for(names_of(disks), directory.root(), "ext4"));
  AgentProcess agent(directory);
  DiskClient client(directory);
  const std::string of_disk = WireWriter().number(1, disks.front().number());
  client.disk("PartitionDisk", of_disk);
  const std::string id = client.volume_on(disks.front().number());
  const std::string of_volume = WireWriter().text(1, id), of_target = WireWriter().text(1, target);
  const std::string at_target = WireWriter().text(1, id).text(2, target);
  client.volume("FormatVolume", of_volume);
  client.volume("MountVolume", at_target);

  std::cout << "\nread call                        p50 ms\n";
  const auto row = [](const std::string& method, double median) {
    std::cout << std::left << std::setw(30) << method << std::right << std::setw(9) << median
              << std::endl;
  };
  for (const char* method : {"ListDiskLocations", "ListDiskIDs"}) {
    row(method, median_of([&] { client.disk(method, {}); }));
  }
  for (const char* method : {"GetDiskStats", "GetDiskState"}) {
    row(method, median_of([&] { client.disk(method, of_disk); }));
  }
  row("ListVolumesOnDisk", median_of([&] { client.volume("ListVolumesOnDisk", of_disk); }));
  for (const char* method : {"IsVolumeFormatted", "GetVolumeStats", "GetDiskNumberFromVolumeID"}) {
    row(method, median_of([&] { client.volume(method, of_volume); }));
  }
  row("GetVolumeIDFromTargetPath",
      median_of([&] { client.volume("GetVolumeIDFromTargetPath", of_target); }));
  client.volume("UnmountVolume", at_target);
}

void measure_many_disks(size_t count) {
  std::deque<LoopDisk> disks;
  for (size_t made = 0; made < count; ++made) disks.emplace_back(uint64_t{16} << 20);
  AgentDirectory directory;
  directory.configure(configuration_for(names_of(disks), directory.root(), "ext4"));
  AgentProcess agent(directory);
  DiskClient client(directory);
  for (const LoopDisk& disk : disks) {
    client.disk("PartitionDisk", WireWriter().number(1, disk.number()));
  }
  const std::string first = WireWriter().number(1, disks.front().number());
  std::cout << "with " << std::setw(2) << count << " disks: ListDiskIDs "
            << median_of([&] { client.disk("ListDiskIDs", {}); }) << " ms, ListVolumesOnDisk "
            << median_of([&] { client.volume("ListVolumesOnDisk", first); }) << " ms" << std::endl;
}

}  // namespace
}  // namespace longshore::bench

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // of a command that ends before it has read its input
  try {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
    std::cout << std::fixed << std::setprecision(2);
    for (const char* filesystem : {"ext4", "xfs", "btrfs"}) {
      longshore::bench::measure_lives(filesystem, rounds);
    }
    longshore::bench::measure_reads();
    std::cout << "\n";
    longshore::bench::measure_many_disks(8);
    longshore::bench::measure_many_disks(64);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "disk_bench: " << error.what() << "\n";
    return 1;
  }
}
