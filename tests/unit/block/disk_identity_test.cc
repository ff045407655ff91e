#include "support/linux/block/disk_identity.h"

#include <catch2/catch.hpp>
#include <tuple>

#include "tests/unit/block/fake_sysfs.h"

namespace longshore::block {
namespace {

constexpr unsigned kBinary = 1, kAscii = 2, kUtf8 = 3;
constexpr unsigned kDevice = 0, kPort = 1, kTarget = 2;
constexpr unsigned kVendor = 0, kEui64 = 2, kNaa = 3, kRelativePort = 4;

char byte(size_t value) { return static_cast<char>(value); }

struct Designator {
  unsigned code_set;
  unsigned association;
  unsigned type;
  std::string identifier;
};

std::string bytes_of(const Designator& designator) {
  std::string bytes{byte(designator.code_set), byte(designator.association << 4 | designator.type),
                    '\0', byte(designator.identifier.size())};
  return bytes + designator.identifier;
}

std::string page_of(const std::string& content, unsigned number = 0x83) {
  return std::string{'\0', byte(number), byte(content.size() >> 8), byte(content.size() & 0xff)} +
         content;
}

std::string page_of(const std::vector<Designator>& designators) {
  std::string content;
  for (const Designator& designator : designators) content += bytes_of(designator);
  return page_of(content);
}

const std::string kWwn("\x60\x02\x2A\x00\xff\x01\x02\x03", 8);

TEST_CASE("the first identifier of the device itself is the disk's, whatever its type") {
  const Designator port{kBinary, kPort, kRelativePort, std::string("\0\0\0\1", 4)};
  const Designator target{kAscii, kTarget, kVendor, "target"};
  const Designator vendor{kAscii, kDevice, kVendor, "Nutanix NFS_5_0_1  "};
  const Designator naa{kBinary, kDevice, kNaa, kWwn};
  const Designator eui{kBinary, kDevice, kEui64, "12345678"};
  CHECK(page83_identifier(page_of({naa})) == "60022a00ff010203");
  CHECK(page83_identifier(page_of({vendor, naa})) == "Nutanix NFS_5_0_1  ");
  CHECK(page83_identifier(page_of({naa, vendor})) == "60022a00ff010203");
  CHECK(page83_identifier(page_of({port, target, eui, naa})) == "3132333435363738");
  CHECK(page83_identifier(page_of({port, target})).empty());
}

TEST_CASE("identifiers of other code sets are passed over") {
  const unsigned code_set = GENERATE(0u, kUtf8, 15u);
  const Designator other{code_set, kDevice, kNaa, "other"};
  CHECK(page83_identifier(page_of({other})).empty());
  CHECK(page83_identifier(page_of({other, {kAscii, kDevice, kVendor, "mine"}})) == "mine");
}

TEST_CASE("the bits beside code set and association do not count") {
  std::string page = page_of({{kAscii, kDevice, kVendor, "mine"}});
  page[4] = byte(0x50 | kAscii);  // the protocol
  page[5] = byte(0x80 | kVendor);
  CHECK(page83_identifier(page) == "mine");
}

TEST_CASE("text that is no ASCII is told as bytes") {
  CHECK(page83_identifier(page_of({{kAscii, kDevice, kVendor, "d\xe9j\xe0"}})) == "64e96ae0");
  const std::string with_nul("a\0b", 3);
  CHECK(page83_identifier(page_of({{kAscii, kDevice, kVendor, with_nul}})) == with_nul);
}

TEST_CASE("GCP PD takes the last word of what is not empty, so what has no word is empty") {
  const std::string blank = GENERATE(as<std::string>(), " ", "        ", "\t \n\v\f\r");
  const Designator naa{kBinary, kDevice, kNaa, kWwn};
  CHECK(page83_identifier(page_of({{kAscii, kDevice, kVendor, blank}})).empty());
  CHECK(page83_identifier(page_of({{kAscii, kDevice, kVendor, blank}, naa})).empty());
  // Of bytes it has words.
  CHECK(page83_identifier(page_of({{kBinary, kDevice, kVendor, " "}})) == "20");
  const std::string name = "Google  persistent-disk-1";
  CHECK(page83_identifier(page_of({{kAscii, kDevice, kVendor, name}})) == name);
}

TEST_CASE("vSphere compares with a disk's uuid: 32 hexadecimal digits in small letters") {
  const std::string naa("\x60\x00\xC2\x9A\x5B\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xFF", 16);
  CHECK(page83_identifier(page_of({{kBinary, kDevice, kNaa, naa}})) ==
        "6000c29a5b00112233445566778899ff");
}

TEST_CASE("an empty identifier of the device is the first all the same") {
  CHECK(page83_identifier(
            page_of({{kAscii, kDevice, kVendor, ""}, {kAscii, kDevice, kVendor, "second"}}))
            .empty());
}

TEST_CASE("lengths that lie end the reading where the page ends") {
  const std::string good = bytes_of({kAscii, kDevice, kVendor, "mine"});
  const std::string port = bytes_of({kBinary, kPort, kRelativePort, "1234"});
  std::string too_long = good;
  too_long[3] = byte(200);
  CHECK(page83_identifier(page_of(too_long)).empty());
  CHECK(page83_identifier(page_of(port + too_long)).empty());
  std::string port_too_long = port;
  port_too_long[3] = byte(255);
  CHECK(page83_identifier(page_of(port_too_long + good)).empty());

  std::string page = page_of(good);
  page[3] = byte(good.size() - 1);  // ends within the identifier
  CHECK(page83_identifier(page).empty());
  page[3] = byte(good.size() + 50);  // beyond the page
  CHECK(page83_identifier(page) == "mine");
  page[3] = 0;
  CHECK(page83_identifier(page).empty());
  // What follows the page's own end is not its.
  CHECK(page83_identifier(page_of(port) + good).empty());
}

TEST_CASE("a page that is cut off anywhere has its identifier or none") {
  const std::string page =
      page_of({{kBinary, kPort, kRelativePort, "1234"}, {kAscii, kDevice, kVendor, "mine"}});
  for (size_t size = 0; size < page.size(); ++size) {
    CAPTURE(size);
    CHECK(page83_identifier(page.substr(0, size)).empty());
  }
  CHECK(page83_identifier(page) == "mine");
}

TEST_CASE("page 83 is the kernel's copy of the page, or the wwid") {
  const FakeSysfs sysfs;
  const BlockDevices devices = devices_in(sysfs, "*");
  sysfs.put_disk("sda", "1", "8:0");
  sysfs.put("sda/device/vpd_pg83", page_of({{kBinary, kDevice, kNaa, kWwn}}));
  sysfs.put("sda/wwid", "not this");
  sysfs.put_disk("nvme0n1", "2", "259:0");
  sysfs.put("nvme0n1/wwid", "eui.0025388b710116a1\n");
  sysfs.put_disk("vda", "3", "254:0");
  CHECK(page83_of(devices, disk_named("sda")) == "60022a00ff010203");
  CHECK(page83_of(devices, disk_named("nvme0n1")) == "eui.0025388b710116a1");
  CHECK(page83_of(devices, disk_named("vda")).empty());
}

// The first 16 digits behind "eui." as a number are the namespace's in the machine's metadata.
TEST_CASE("GCP PD finds an NVMe disk by NGUID or EUI-64, also where it has a UUID") {
  const std::string uuid = "uuid.f3c8a2de-0c6d-4b0b-8c6b-6f1ad3b2c901\n";
  const std::string none = "nvme.1b36-766f6c-51454d55-00000001\n";
  const std::string nguid = "10cc9636-b6e3-ce3b-0000-000000000000\n";
  const std::string eui = "10 cc 96 36 b6 e3 ce 3b\n";
  const std::string zeros = "00000000-0000-0000-0000-000000000000\n";
  const auto [wwid, its_nguid, its_eui, expected] =
      GENERATE_COPY(table<std::string, std::string, std::string, std::string>({
          {uuid, nguid, "", "eui.10cc9636b6e3ce3b0000000000000000"},
          {uuid, nguid, "00 25 38 8b 71 01 16 a1\n", "eui.10cc9636b6e3ce3b0000000000000000"},
          {uuid, "", eui, "eui.10cc9636b6e3ce3b"},
          {uuid, zeros, eui, "eui.10cc9636b6e3ce3b"},
          {uuid, "", "", "uuid.f3c8a2de-0c6d-4b0b-8c6b-6f1ad3b2c901"},
          {uuid, zeros, "00 00 00 00 00 00 00 00\n", "uuid.f3c8a2de-0c6d-4b0b-8c6b-6f1ad3b2c901"},
          {none, "", "", "nvme.1b36-766f6c-51454d55-00000001"},
          {"", "", eui, "eui.10cc9636b6e3ce3b"},
          {"eui.0025388b710116a1\n", "", "00 25 38 8b 71 01 16 a1\n", "eui.0025388b710116a1"},
      }));
  CAPTURE(wwid, its_nguid, its_eui);
  const FakeSysfs sysfs;
  sysfs.put_disk("nvme0n1", "1", "259:0");
  // The kernel shows none that is all zeros.
  if (!wwid.empty()) sysfs.put("nvme0n1/wwid", wwid);
  if (!its_nguid.empty()) sysfs.put("nvme0n1/nguid", its_nguid);
  if (!its_eui.empty()) sysfs.put("nvme0n1/eui", its_eui);
  CHECK(page83_of(devices_in(sysfs, "*"), disk_named("nvme0n1")) == expected);
}

TEST_CASE("the serial number is the SCSI page's, virtio's or NVMe's") {
  const FakeSysfs sysfs;
  const BlockDevices devices = devices_in(sysfs, "*");
  for (const char* name : {"sda", "vda", "nvme0n1", "loop0"}) sysfs.put_disk(name, "1", name);
  sysfs.put("sda/device/vpd_pg80", page_of("  S3Z5 NB0K \0", 0x80));
  sysfs.put("vda/serial", "vol-0123456789abcdef\n");
  sysfs.put("nvme0n1/device/serial", "S4EWNX0\xff 123  \n");
  CHECK(serial_number_of(devices, disk_named("sda")) == "S3Z5 NB0K");
  CHECK(serial_number_of(devices, disk_named("vda")) == "vol-0123456789abcdef");
  CHECK(serial_number_of(devices, disk_named("nvme0n1")) == "S4EWNX0? 123");
  CHECK(serial_number_of(devices, disk_named("loop0")).empty());
  // AWS EBS looks for the volume's name in it, with its letters as they are.
  sysfs.put("nvme0n1/device/serial", "vol02190fee5da4d75e3\n");
  CHECK(serial_number_of(devices, disk_named("nvme0n1")) == "vol02190fee5da4d75e3");

  sysfs.put("sda/device/vpd_pg80", std::string("\0\x80\0", 3));
  CHECK(serial_number_of(devices, disk_named("sda")).empty());
  sysfs.put("sda/device/vpd_pg80", page_of(std::string(4, '\0'), 0x80));
  CHECK(serial_number_of(devices, disk_named("sda")).empty());
}

std::string text_of(const std::optional<Location>& location) {
  if (!location) return "none";
  return location->adapter + "/" + location->bus + "/" + location->target + "/" + location->unit;
}

// azuredisk compares the unit with a LUN that it writes in decimal.
TEST_CASE("a SCSI disk is where its address says") {
  const auto [address, expected] = GENERATE(table<std::string, std::string>({
      {"0:0:1:0", "0/0/1/0"},
      {"12:3:45:16385", "12/3/45/16385"},
      {"1:0:0:63", "1/0/0/63"},
      {"1:0:0:063", "none"},
      {"1:0:0: 1", "none"},
      {"0:0:1", "none"},
      {"0:0:1:0:0", "none"},
      {"0:0::0", "none"},
      {"a:0:1:0", "none"},
      {"0:0:1:-1", "none"},
      {"0:0:1:0 ", "none"},
  }));
  CAPTURE(address);
  const FakeSysfs sysfs;
  sysfs.put_disk("sda", "1", "8:0");
  std::filesystem::create_directories(sysfs.root() + "/devices/host/" + address);
  std::filesystem::create_directory_symlink(
      "../../bus/scsi", sysfs.root() + "/devices/host/" + address + "/subsystem");
  sysfs.put_link("sda/device", "../host/" + address);
  CHECK(text_of(location_of(devices_in(sysfs), disk_named("sda"))) == expected);
}

TEST_CASE("an NVMe disk is where its name says, and other disks are nowhere") {
  const auto [name, expected] = GENERATE(table<std::string, std::string>({
      {"nvme0n1", "0///1"},
      {"nvme10n23", "10///23"},
      {"nvme0c1n1", "none"},
      {"nvme0", "none"},
      {"nvmen1", "none"},
      {"nvme0n", "none"},
      {"nvme", "none"},
      {"vda", "none"},
      {"loop0", "none"},
      {"dm-0", "none"},
  }));
  CAPTURE(name);
  const FakeSysfs sysfs;
  sysfs.put_disk(name, "1", "259:0");
  std::filesystem::create_directories(sysfs.root() + "/devices/virtio0");
  sysfs.put_link("virtio0/subsystem", "../../bus/virtio");
  sysfs.put_link(name + "/device", "../virtio0");
  CHECK(text_of(location_of(devices_in(sysfs, "*"), disk_named(name))) == expected);
}

}  // namespace
}  // namespace longshore::block
