#include "main/descriptor_table.h"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

namespace longshore {
namespace {

size_t table_size() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("FDSize:")) return std::stoul(line.substr(7));
  }
  return 0;
}

struct SavedLimit {
  SavedLimit() { REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0); }
  ~SavedLimit() { static_cast<void>(setrlimit(RLIMIT_NOFILE, &limit)); }
  SavedLimit(const SavedLimit&) = delete;
  SavedLimit& operator=(const SavedLimit&) = delete;
  rlimit limit{};
};

TEST_CASE("Descriptors for all connections are there before there are threads") {
  const SavedLimit saved;
  const rlimit usual = {1024, saved.limit.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &usual) == 0);
  REQUIRE(table_size() < 4096);
  prepare_descriptor_table();
  const SavedLimit now;
  CHECK(now.limit.rlim_cur == 4096);
  CHECK(table_size() == 4096);
}

TEST_CASE("A higher limit stays") {
  const SavedLimit saved;
  const rlimit high = {5000, saved.limit.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &high) == 0);
  prepare_descriptor_table();
  const SavedLimit now;
  CHECK(now.limit.rlim_cur == 5000);
}

}  // namespace
}  // namespace longshore
