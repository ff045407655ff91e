#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "observe/process_figures.h"

namespace longshore::observe {
namespace {

std::string contents(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// When the system was started, in seconds since 1970.
double boot_time() {
  std::istringstream lines(contents("/proc/stat"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("btime ")) return std::stod(line.substr(6));
  }
  return 0;
}

uint64_t count_of_descriptors() {
  std::error_code error;
  const std::filesystem::directory_iterator entries("/proc/self/fd", error);
  if (error) return 0;
  const auto count = std::distance(begin(entries), end(entries));
  return count > 0 ? static_cast<uint64_t>(count) - 1 : 0;  // without the one that reads them
}

}  // namespace

ProcessFigures process_figures() {
  ProcessFigures figures;
  const std::string stat = contents("/proc/self/stat");
  // The name, in parentheses, may hold anything; what follows has no parentheses.
  const size_t name_end = stat.rfind(')');
  if (name_end != std::string::npos) {
    std::istringstream fields(stat.substr(name_end + 1));
    const auto skip = [&](int count) {
      for (std::string ignored; count > 0; --count) fields >> ignored;
    };
    double user = 0;
    double system = 0;
    double start = 0;
    double resident_pages = 0;
    skip(11);  // to utime, the 14th of all
    fields >> user >> system;
    skip(6);
    fields >> start >> figures.virtual_bytes >> resident_pages;
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    figures.cpu_seconds = (user + system) / ticks;
    figures.start_time_seconds = boot_time() + start / ticks;
    figures.resident_bytes =
        static_cast<uint64_t>(resident_pages) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  }
  figures.open_descriptors = count_of_descriptors();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) figures.max_descriptors = limit.rlim_cur;
  return figures;
}

}  // namespace longshore::observe
