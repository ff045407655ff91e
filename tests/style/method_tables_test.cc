#include "tests/style/method_tables.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/style/this_tree.h"

namespace longshore::style {
namespace {

const std::string kLayers =
    "| disk | fake |\n|---|---|\n| Stats (OldStats) | yes |\n| Scan | yes |\n";
const std::string kTitles = "\n| disk | v1alpha1 | v1 |\n|---|---|---|\n";
const std::string kStats = "| Stats (OldStats) | Wine | made up |\n";
const std::string kScan = "| Scan | - | Wine |\n";

// Of a group whose two versions have three names of methods.
SourceTree disk_group(const std::string& page) {
  return tree_of(
      {{"tests/README.md", page},
       {"modules/disk/description.textproto", ""},
       {"sdk/proto/disk/v1alpha1.proto", "service Disk {\n  rpc OldStats(A) returns (B) {\n"},
       {"sdk/proto/disk/v1.proto", "service Disk {\n  rpc Stats(A)\n  rpc Scan(A) returns (B);\n"},
       {"sdk/proto/csi/v1.proto", "service Node {\n  rpc Publish(A) returns (B);\n"}});
}

size_t faulty_tables(const std::string& page) {
  return check_method_tables(disk_group(page)).size();
}

TEST_CASE("each method of each version is in the tables of tests/README.md") {
  CHECK(check_method_tables(this_tree()) == Findings());
  // The page is what is read: without it all are missing, 23 columns among it.
  SourceTree tree = this_tree();
  tree.erase("tests/README.md");
  CHECK(check_method_tables(tree).size() > 23);
}

TEST_CASE("a method or version that a table lacks, or has too much, is found") {
  CHECK(faulty_tables(kLayers + kTitles + kStats + kScan) == 0);
  CHECK(check_method_tables(disk_group(kLayers + kTitles + kStats)) ==
        Findings{"tests/README.md:1: disk: v1.Scan is in no row"});
  CHECK(faulty_tables(kTitles + kStats + kScan) == 3);
  CHECK(faulty_tables(kLayers) == 2);
  CHECK(faulty_tables(
            kLayers +
            "\n| disk | v1 |\n|---|---|\n| Stats (OldStats) | Wine |\n| Scan | Wine |\n") == 1);
  CHECK(faulty_tables(kLayers + kTitles + kStats + "| Scan | Wine | Wine |\n") == 1);
  CHECK(faulty_tables(kLayers + kTitles + kStats + "| Scan | - | - |\n") == 1);
  CHECK(faulty_tables(kLayers + kTitles + kStats + "| Scan | - | compiled |\n") == 1);
  CHECK(faulty_tables(kLayers + kTitles + kStats + "| Scan | - |\n") == 1);
  // Of another group, or behind the table's end.
  CHECK(faulty_tables(kLayers + "\n| volume | v1alpha1 | v1 |\n|---|---|---|\n" + kStats + kScan) ==
        2);
  CHECK(faulty_tables(kLayers + kTitles + kStats + "\n" + kScan) == 1);
}

}  // namespace
}  // namespace longshore::style
