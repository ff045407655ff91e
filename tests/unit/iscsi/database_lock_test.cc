// Open-iscsi's lock: who waits for whom, and which links are taken for left.
#include "iscsi/linux/database_lock.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "tests/support/temporary_directory.h"

namespace longshore::iscsi {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class LockFolder {
 public:
  std::string path() const { return directory_ / "lock"; }
  std::string link() const { return path() + "/lock.write"; }
  std::string file_of_open_iscsi() const { return path() + "/lock"; }

  // As open-iscsi does it.
  void make_files() const {
    fs::create_directories(path());
    test::write_file(file_of_open_iscsi(), "");
  }
  bool lock_as_open_iscsi() const {
    return ::link(file_of_open_iscsi().c_str(), link().c_str()) == 0;
  }
  bool is_locked_by_open_iscsi() const {
    return fs::exists(link()) && fs::equivalent(link(), file_of_open_iscsi());
  }

 private:
  test::TemporaryDirectory directory_;
};

TEST_CASE("the lock keeps open-iscsi out, and others of ours") {
  const LockFolder folder;
  folder.make_files();
  CHECK_FALSE(DatabaseLock::is_of_agent(folder.path()));
  {
    const auto lock = DatabaseLock::take(folder.path(), 0ms);
    REQUIRE(lock);
    CHECK(DatabaseLock::is_of_agent(folder.path()));
    CHECK_FALSE(folder.lock_as_open_iscsi());
    CHECK(errno == EEXIST);
    const auto second = DatabaseLock::take(folder.path(), 30ms);
    REQUIRE_FALSE(second);
    CHECK(second.error().code() == StatusCode::kUnavailable);
  }
  CHECK_FALSE(fs::exists(folder.link()));
  CHECK(DatabaseLock::take(folder.path(), 0ms));
}

TEST_CASE("open-iscsi's own lock is waited for") {
  const LockFolder folder;
  folder.make_files();
  REQUIRE(folder.lock_as_open_iscsi());
  CHECK_FALSE(DatabaseLock::is_of_agent(folder.path()));
  const auto begin = std::chrono::steady_clock::now();
  std::thread other([&] { fs::remove(folder.link()); });
  CHECK(DatabaseLock::take(folder.path(), 100s));
  other.join();
  CHECK(std::chrono::steady_clock::now() - begin < 100s);
}

TEST_CASE("a lock that nobody touches for the whole patience was left, and is replaced") {
  const LockFolder folder;
  folder.make_files();
  REQUIRE(folder.lock_as_open_iscsi());
  const auto begin = std::chrono::steady_clock::now();
  {
    const auto lock = DatabaseLock::take(folder.path(), 50ms);
    REQUIRE(lock);
    CHECK(std::chrono::steady_clock::now() - begin >= 50ms);
    CHECK(DatabaseLock::is_of_agent(folder.path()));
    CHECK_FALSE(folder.lock_as_open_iscsi());
  }
  CHECK(folder.lock_as_open_iscsi());
}

TEST_CASE("a lock that goes from one to the other is nobody's to replace") {
  const LockFolder folder;
  folder.make_files();
  REQUIRE(folder.lock_as_open_iscsi());
  std::atomic<bool> has_begun = false, ends = false;
  std::thread others([&] {
    // What links come and go for the file, but that there is one at every moment.
    const std::string second = folder.path() + "/second";
    for (; !ends; has_begun = true) {
      ::link(folder.file_of_open_iscsi().c_str(), second.c_str());
      ::unlink(second.c_str());
    }
  });
  while (!has_begun) std::this_thread::yield();
  const auto refused = DatabaseLock::take(folder.path(), 300ms);
  ends = true;
  others.join();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kUnavailable);
  CHECK_THAT(refused.error().message(), Catch::Contains(folder.link()));
  CHECK(folder.is_locked_by_open_iscsi());
}

TEST_CASE("a lock that was lost to open-iscsi is not taken from whoever has it then") {
  const LockFolder folder;
  folder.make_files();
  {
    const auto lock = DatabaseLock::take(folder.path(), 0ms);
    REQUIRE(lock);
    REQUIRE(fs::remove(folder.link()));
    REQUIRE(folder.lock_as_open_iscsi());
  }
  CHECK(folder.is_locked_by_open_iscsi());
}

TEST_CASE("a lock that has no place is an error that names it") {
  const test::TemporaryDirectory directory;
  const auto lock = DatabaseLock::take(directory / "missing/lock", 0ms);
  REQUIRE_FALSE(lock);
  CHECK_THAT(lock.error().message(), Catch::Contains("missing/lock"));
}

}  // namespace
}  // namespace longshore::iscsi
