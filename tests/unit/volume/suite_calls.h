// The service of a world, with the arguments that most cases do not vary, and its answers as texts.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/byte_units.h"
#include "tests/support/outcome.h"
#include "tests/unit/volume/worlds.h"

namespace longshore::volume {

using test::kMebibyte;
using test::outcome;
using Ids = std::vector<std::string>;

// The answer, or the code's name.
inline std::string answer(const Result<std::string>& result) {
  return result ? *result : status_code_name(result.error().code());
}

inline std::string answer(const Result<bool>& result) {
  return result ? (*result ? "true" : "false") : status_code_name(result.error().code());
}

template <typename World>
struct Calls {
  std::string format(const std::string& id) { return outcome(service.format(id, {}, "test")); }
  std::string mount(const std::string& id, const std::string& target) {
    return outcome(service.mount(id, target, {}, "test"));
  }
  std::string unmount(const std::string& id, const std::string& target) {
    return outcome(service.unmount(id, target, {}, "test"));
  }
  std::string resize(const std::string& id, int64_t size) {
    return outcome(service.resize(id, size, {}, "test"));
  }
  // The one volume of a disk that is partitioned for it, and a formatted one.
  std::string volume(size_t place = 0) {
    REQUIRE(outcome(world.partition(place)) == "OK");
    const Result<Ids> ids = service.list(world.number(place), 0);
    REQUIRE(outcome(ids) == "OK");
    REQUIRE(ids->size() == 1);
    return ids->front();
  }
  std::string formatted(size_t place = 0) {
    std::string id = volume(place);
    REQUIRE(format(id) == "OK");
    return id;
  }
  // A formatted one that is mounted there.
  std::string mounted(const std::string& target, size_t place = 0) {
    std::string id = formatted(place);
    world.put_directory(target);
    REQUIRE(mount(id, target) == "OK");
    return id;
  }

  World& world;
  VolumeService& service = world.service();
};

}  // namespace longshore::volume
