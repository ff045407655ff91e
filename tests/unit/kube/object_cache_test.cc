// What a cache keeps, whatever comes first: lists, events, replies of writes.
#include "kube/object_cache.h"

#include <catch2/catch.hpp>

#include "kube/resource_version.h"
#include "tests/unit/kube/cached_objects.h"

namespace longshore::kube {
namespace {

using test::bookmark;
using test::changed;
using test::deleted;
using test::object;
using test::replace;

std::string version_of(const ObjectCache& cache, const std::string& key) {
  const auto found = cache.find(key);
  return found ? found->resource_version : "none";
}

TEST_CASE("Versions are ordered as numbers of any size, and others are not") {
  CHECK(is_newer("10", "9"));
  CHECK(is_newer("123456789012345678901234567891", "123456789012345678901234567890"));
  CHECK(compare_versions("7", "7") == std::strong_ordering::equal);
  CHECK_FALSE(is_newer("9", "10"));
  for (const std::string_view other : {"", "0", "07", "-1", "7a", " 7"}) {
    CHECK_FALSE(compare_versions(other, "7"));
    CHECK_FALSE(compare_versions("7", other));
  }
}

TEST_CASE("Events change what a list has brought, and each is the cache's version") {
  ObjectCache cache;
  CHECK_FALSE(cache.is_synced());
  replace(cache, {object("a", 3), object("n/b", 5)}, 6);
  CHECK(cache.is_synced());
  CHECK(cache.apply(changed("a", 7)));
  CHECK(cache.apply(changed("n/c", 8)));
  CHECK(cache.apply(deleted("n/b", 9)));
  CHECK(cache.apply(deleted("never", 10)));
  CHECK(cache.apply(bookmark(20)));
  CHECK(cache.version() == "20");
  CHECK(cache.size() == 2);
  CHECK(version_of(cache, "a") == "7");
  CHECK(version_of(cache, "n/c") == "8");
  CHECK(version_of(cache, "n/b") == "none");
}

TEST_CASE("The reply of a write is taken when it is newer, and no older event undoes it") {
  ObjectCache cache;
  replace(cache, {object("a", 3)}, 10);
  cache.take(object("a", 15));
  cache.take(object("b", 16));
  CHECK(version_of(cache, "a") == "15");
  CHECK(version_of(cache, "b") == "16");
  cache.apply(changed("a", 12));
  cache.apply(deleted("a", 13));  // and it was made again at 15
  CHECK(version_of(cache, "a") == "15");
  cache.apply(changed("a", 15));
  cache.apply(deleted("b", 17));
  CHECK(version_of(cache, "b") == "none");
}

TEST_CASE("A reply that comes behind its event, or behind the object's end, changes nothing") {
  ObjectCache cache;
  replace(cache, {object("a", 3), object("b", 4)}, 10);
  cache.apply(changed("a", 12));
  cache.apply(deleted("b", 13));
  cache.take(object("a", 11));
  cache.take(object("b", 11));
  cache.take(object("c", 13));
  CHECK(version_of(cache, "a") == "12");
  CHECK(version_of(cache, "b") == "none");
  CHECK(version_of(cache, "c") == "none");
}

TEST_CASE("A reply before the first list, or of a version without order, is left to the watch") {
  ObjectCache cache;
  cache.take(object("a", 5));
  CHECK(cache.size() == 0);
  cache.replace({cache.keep({"a", "x", "{}"})}, "y");
  cache.take({"a", "z", "{}"});
  CHECK(version_of(cache, "a") == "x");
  cache.apply({WatchEvent::Type::kChanged, {"a", "b", "{}"}});
  CHECK(version_of(cache, "a") == "b");
}

TEST_CASE("A list that was read before a write's reply came does not undo it") {
  ObjectCache cache;
  replace(cache, {object("a", 3), object("b", 4)}, 10);
  cache.take(object("a", 15));
  cache.take(object("c", 16));
  replace(cache, {object("a", 11), object("b", 4)}, 12);
  CHECK(version_of(cache, "a") == "15");
  CHECK(version_of(cache, "c") == "16");
  CHECK(cache.version() == "12");
  // One that is newer has the last word.
  replace(cache, {}, 20);
  CHECK(cache.size() == 0);
}

TEST_CASE("Events older than what is known are refused: the server has gone back") {
  ObjectCache cache;
  replace(cache, {object("a", 3)}, 10);
  CHECK_FALSE(cache.apply(changed("a", 9)));
  CHECK_FALSE(cache.apply(bookmark(9)));
  CHECK(version_of(cache, "a") == "3");
  CHECK(cache.version() == "10");
}

TEST_CASE("When the server has gone back its list counts, with all that is older in it") {
  ObjectCache cache;
  replace(cache, {object("a", 90), object("b", 3)}, 100);
  cache.take(object("c", 110));
  SECTION("to a version before") { replace(cache, {object("a", 20)}, 50); }
  SECTION("and is past it again") { replace(cache, {object("a", 20)}, 200); }
  CHECK(cache.size() == 1);
  CHECK(version_of(cache, "a") == "20");
}

TEST_CASE("What a list has not changed is kept and not copied, and bytes are those in use") {
  ObjectCache cache;
  CHECK(cache.bytes() == 0);
  replace(cache, {object("a", 3), object("b", 4)}, 10);
  const size_t bytes = cache.bytes();
  CHECK(bytes > object("a", 3).json.size() + object("b", 4).json.size());
  const auto a = cache.find("a");
  replace(cache, {object("a", 3), object("b", 11)}, 12);
  CHECK(cache.find("a") == a);
  cache.apply(changed("a", 13));
  CHECK(cache.bytes() > bytes);  // the old one is still held here
  replace(cache, {}, 20);
  CHECK(cache.bytes() > 0);
}

}  // namespace
}  // namespace longshore::kube
