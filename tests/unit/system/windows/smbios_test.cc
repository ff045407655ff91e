// The serial number in tables put together by hand, whole and damaged.
#include "system/windows/smbios.h"

#include <catch2/catch.hpp>
#include <string_view>
#include <vector>

namespace longshore::system {
namespace {

using namespace std::string_literals;

// A structure: its bytes behind the header, and its texts.
std::string structure(int type, const std::string& fields, const std::vector<std::string>& texts) {
  std::string bytes;
  bytes += static_cast<char>(type);
  bytes += static_cast<char>(4 + fields.size());
  bytes += "\x10\x00"s + fields;
  for (const std::string& text : texts) bytes += text + '\0';
  return bytes + (texts.empty() ? "\0\0"s : "\0"s);
}

// Manufacturer, product, version, serial number; and what later versions have behind them.
std::string system_information(int serial_number, const std::vector<std::string>& texts) {
  return structure(1, "\x01\x02\x00"s + static_cast<char>(serial_number) + std::string(19, 'u'),
                   texts);
}

std::string table_of(const std::string& structures) {
  std::string table = "\x00\x03\x04\x00"s;
  for (int shift = 0; shift < 32; shift += 8) {
    table += static_cast<char>(structures.size() >> shift & 0xff);
  }
  return table + structures;
}

std::optional<std::string> serial_in(const std::string& table) {
  // On the heap, and no longer: a sanitizer sees what is read behind its end.
  const std::vector<char> bytes(table.begin(), table.end());
  return smbios_serial_number(std::as_bytes(std::span(bytes)));
}

const std::string kBios = structure(0, std::string(20, '\1'), {"Vendor", "1.0", "01/01/2020"});
const std::string kEnd = structure(127, "", {});
const std::vector<std::string> kTexts = {"VMware, Inc.", "VMware7,1", " VMware-42 1e  "};

TEST_CASE("the serial number of the system is found among other structures") {
  CHECK(serial_in(table_of(kBios + system_information(3, kTexts) + kEnd)) == "VMware-42 1e");
  CHECK(serial_in(table_of(system_information(1, kTexts))) == "VMware, Inc.");
  // One without texts before it.
  CHECK(serial_in(table_of(structure(32, "\0\0\0"s, {}) + system_information(2, kTexts))) ==
        "VMware7,1");
}

TEST_CASE("a system without a serial number has none") {
  CHECK_FALSE(serial_in(table_of(kBios + kEnd)));
  CHECK_FALSE(serial_in(table_of(system_information(0, kTexts))));
  CHECK_FALSE(serial_in(table_of(system_information(4, kTexts))));
  CHECK_FALSE(serial_in(table_of(system_information(255, {}))));
  CHECK_FALSE(serial_in(table_of(system_information(1, {"  \t"}))));
  // Before version 2.0 the structure had no such field.
  CHECK_FALSE(serial_in(table_of(structure(1, "\x01\x02\x00"s, kTexts))));
  // What stands behind the end of the table is none of it.
  CHECK_FALSE(serial_in(table_of(kEnd + system_information(3, kTexts))));
}

TEST_CASE("a table that is cut short at any byte is read to there and no farther") {
  const std::string whole = table_of(kBios + system_information(3, kTexts) + kEnd);
  for (size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    const auto serial = serial_in(whole.substr(0, size));
    CHECK((!serial || serial == "VMware-42 1e"));
  }
  CHECK_FALSE(serial_in(""));
}

TEST_CASE("lengths that lie lead nowhere") {
  const std::string good = system_information(3, kTexts);
  // Of the structures: more than there is, and less.
  std::string table = table_of(good);
  table[4] = table[5] = table[6] = table[7] = '\xff';
  CHECK(serial_in(table) == "VMware-42 1e");
  table = table_of(good);
  table[4] = 5;
  table[5] = 0;
  CHECK_FALSE(serial_in(table));
  // Of one structure: shorter than its own header, and longer than the table.
  for (const char length : {'\0', '\1', '\3', '\xff'}) {
    std::string damaged = good;
    damaged[1] = length;
    CHECK_FALSE(serial_in(table_of(damaged)));
    CHECK_FALSE(serial_in(table_of(structure(0, "", {}).replace(1, 1, 1, length) + good)));
  }
  // No second zero behind the texts.
  CHECK_FALSE(serial_in(table_of(good.substr(0, good.size() - 1))));
}

}  // namespace
}  // namespace longshore::system
