// Plays open-iscsi's iscsiadm on the files of its own folder; see open_iscsi_stand_in.h.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr int kTransportFailed = 4;
constexpr int kSessionNotFound = 2;
constexpr int kInvalid = 7;
constexpr int kLogoutFailed = 10;
constexpr int kSessionExists = 15;
constexpr int kFatalLogin = 19;
constexpr int kNothingFound = 21;
constexpr int kLoginRefused = 24;
constexpr int kNotConnected = 32;

// As open-iscsi writes it, but much shorter.
std::string record_text(const std::string& target, const std::string& address,
                        const std::string& port) {
  return "# BEGIN RECORD 2.1.8\nnode.name = " + target +
         "\nnode.tpgt = 1\nnode.startup = automatic\niface.iscsi_ifacename = default\n"
         "node.session.auth.authmethod = CHAP\nnode.session.auth.username = of-iscsid-conf\n"
         "node.session.timeo.replacement_timeout = 120\nnode.conn[0].address = " +
         address + "\nnode.conn[0].port = " + port +
         "\nnode.conn[0].timeo.login_timeout = 15\n# END RECORD\n";
}

class StandIn {
 public:
  StandIn(fs::path folder, std::vector<std::string> arguments)
      : folder_(std::move(folder)), arguments_(std::move(arguments)) {}

  int run() {
    keep_arguments();
    std::string answer;
    if (std::ifstream(folder_ / "answer") >> answer) {
      if (answer == "hang") ::pause();
      if (answer == "forget") drop_comments();
      if (answer == "exists") return make_session(0, "FREE") == 0 ? kSessionExists : kInvalid;
      if (answer != "forget" && answer != "ending") {
        std::cerr << "iscsiadm: told to answer " << answer << "\n";
        return std::stoi(answer);
      }
    }
    const std::string mode = value_of("-m");
    if (mode == "discoverydb") return has("--discover") ? discover() : change_portal();
    if (mode == "node") return has("--login") ? log_in() : delete_record();
    if (mode == "session") {
      const int code = log_out();
      return answer == "ending" ? kNotConnected : code;
    }
    return kInvalid;
  }

 private:
  void keep_arguments() const {
    std::string line;
    for (const std::string& argument : arguments_) line += (line.empty() ? "" : "|") + argument;
    std::ofstream(folder_ / "calls", std::ios::app) << line << "\n";
  }

  bool has(const std::string& argument) const {
    for (const std::string& each : arguments_) {
      if (each == argument) return true;
    }
    return false;
  }

  std::string value_of(const std::string& option) const {
    for (size_t place = 0; place + 1 < arguments_.size(); ++place) {
      if (arguments_[place] == option) return arguments_[place + 1];
    }
    return {};
  }

  // "192.0.2.1,3260" of "192.0.2.1:3260", "::1,3260" of "[::1]:3260".
  std::string portal() const {
    std::string text = value_of("-p");
    const size_t colon = text.rfind(':');
    std::string address = text.substr(0, colon);
    if (address.starts_with('[')) address = address.substr(1, address.size() - 2);
    return address + "," + text.substr(colon + 1);
  }
  fs::path portal_record() const {
    return folder_ / "database/send_targets" / portal() / "st_config";
  }
  fs::path record() const {
    return folder_ / "database/nodes" / value_of("-T") / (portal() + ",1") / "default";
  }

  int discover() const {
    std::ifstream targets(folder_ / "portals" / portal());
    if (!targets) return kTransportFailed;
    bool found = false;
    for (std::string name; std::getline(targets, name); found = true) {
      std::cout << value_of("-p") << ",1 " << name << "\n";
      if (has("new")) make_record(name);
    }
    return found ? 0 : kNothingFound;
  }

  void make_record(const std::string& target) const {
    const fs::path path = folder_ / "database/nodes" / target / (portal() + ",1") / "default";
    if (fs::exists(path)) return;
    fs::create_directories(path.parent_path());
    const size_t comma = portal().rfind(',');
    std::ofstream(path) << record_text(target, portal().substr(0, comma),
                                       portal().substr(comma + 1));
  }

  int change_portal() const {
    if (value_of("-o") == "new") {
      fs::create_directories(portal_record().parent_path());
      std::ofstream(portal_record()) << "# BEGIN RECORD 2.1.8\n# END RECORD\n";
      return 0;
    }
    fs::remove_all(portal_record().parent_path());
    fs::remove_all(folder_ / "database/nodes");
    return 0;
  }

  int delete_record() const {
    if (!fs::exists(record())) return kNothingFound;
    fs::remove_all(record().parent_path());
    return 0;
  }

  // "name = value" or "name value".
  static std::map<std::string, std::string> read_settings(const fs::path& path) {
    std::map<std::string, std::string> settings;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      const size_t space = line.find(' ');
      if (line.starts_with('#') || space == line.npos) continue;
      const std::string value = line.substr(space + 1);
      settings[line.substr(0, space)] = value.starts_with("= ") ? value.substr(2) : value;
    }
    return settings;
  }

  int log_in() const {
    if (!fs::exists(record())) return kNothingFound;
    auto wanted = read_settings(record());
    if (wanted["node.name"] != value_of("-T")) return kNothingFound;  // it was cut short
    auto target = read_settings(folder_ / "targets" / value_of("-T"));
    const std::string auth = "node.session.auth.";
    if (target.contains("username") &&
        (wanted[auth + "authmethod"] != "CHAP" || wanted[auth + "username"] != target["username"] ||
         wanted[auth + "password"] != target["secret"])) {
      return kLoginRefused;
    }
    if (wanted.contains(auth + "password_in") &&
        (wanted[auth + "username_in"] != target["own_username"] ||
         wanted[auth + "password_in"] != target["own_secret"])) {
      return kFatalLogin;
    }
    return make_session(std::stoi(target["disks"]), "LOGGED_IN");
  }

  // As open-iscsi leaves a record that it has rewritten.
  void drop_comments() const {
    std::string text;
    std::ifstream file(record());
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with('#')) text += line + "\n";
    }
    std::ofstream(record()) << text;
  }

  int make_session(int disks, const std::string& state) const {
    const fs::path sessions = folder_ / "sys/class/iscsi_session";
    int number = 1;
    while (fs::exists(sessions / ("session" + std::to_string(number)))) ++number;
    const fs::path session = sessions / ("session" + std::to_string(number));
    const fs::path connection =
        folder_ / "sys/class/iscsi_connection" / ("connection" + std::to_string(number) + ":0");
    for (const auto& entry :
         fs::exists(sessions) ? fs::directory_iterator(sessions) : fs::directory_iterator()) {
      std::string name;
      std::getline(std::ifstream(entry.path() / "targetname"), name);
      if (name == value_of("-T")) return kSessionExists;
    }
    fs::create_directories(session / "device");
    // Beside the device, which is a link in a real sysfs, to the host's folder with both in it.
    fs::create_directories(session / "scsi_host/host0");
    std::ofstream(session / "scsi_host/host0/scan");
    fs::create_directories(connection);
    const size_t comma = portal().rfind(',');
    std::ofstream(connection / "persistent_address") << portal().substr(0, comma) << "\n";
    std::ofstream(connection / "persistent_port") << portal().substr(comma + 1) << "\n";
    std::ofstream(session / "targetname") << value_of("-T") << "\n";
    for (int disk = 0; disk < disks; ++disk) make_disk(session, number, disk);
    std::ofstream(session / "state") << state << "\n";
    return 0;
  }

  // Also where an earlier disk's link is left.
  static void link_to(const std::string& what, const fs::path& path) {
    fs::remove(path);
    fs::create_symlink(what, path);
  }

  void make_disk(const fs::path& session, int number, int disk) const {
    const std::string letters = {static_cast<char>('a' + number), static_cast<char>('a' + disk)};
    const std::string name = "sd" + letters;
    const std::string target = "0:0:" + std::to_string(number);
    const fs::path unit =
        session / "device" / ("target" + target) / (target + ":" + std::to_string(disk));
    const fs::path block = folder_ / "sys/block" / name;
    fs::create_directories(unit / "block" / name);
    fs::create_directories(block / "holders");
    fs::create_directories(block / "device");
    std::ofstream(unit / "type") << "0\n";
    std::ofstream(block / "diskseq") << 100 * number + disk << "\n";
    std::ofstream(block / "size") << "2048\n";
    const std::string device = "65535:" + std::to_string(100 * number + disk);
    std::ofstream(block / "dev") << device << "\n";
    link_to("../../block/" + name, folder_ / "sys/dev/block" / device);
    link_to("../bdi/" + device, block / "bdi");
    link_to("../bdi/" + device, unit / "block" / name / "bdi");
    // Nobody opens a disk whose target is lost; there is no node of this one.
    std::ofstream(block / "device/state") << "transport-offline\n";
  }

  static std::vector<std::string> disks_of(const fs::path& session) {
    std::vector<std::string> disks;
    for (const auto& target : fs::directory_iterator(session / "device")) {
      for (const auto& unit : fs::directory_iterator(target)) {
        for (const auto& disk : fs::directory_iterator(unit.path() / "block")) {
          disks.push_back(disk.path().filename());
        }
      }
    }
    return disks;
  }

  // Whether nobody could mount it now. A disk without a node is one of files only.
  static bool is_held(const std::string& disk) {
    const int opened = ::open(("/dev/" + disk).c_str(), O_RDONLY | O_EXCL | O_CLOEXEC);
    if (opened < 0) return errno == EBUSY || errno == ENOENT;
    ::close(opened);
    return false;
  }

  int log_out() const {
    const std::string number = value_of("-r");
    const fs::path session = folder_ / "sys/class/iscsi_session" / ("session" + number);
    if (!fs::exists(session)) return kSessionNotFound;
    for (const std::string& disk : disks_of(session)) {
      if (!is_held(disk)) return kLogoutFailed;
      fs::remove_all(folder_ / "sys/block" / disk);
    }
    fs::remove_all(session);
    fs::remove_all(folder_ / "sys/class/iscsi_connection" / ("connection" + number + ":0"));
    return 0;
  }

  fs::path folder_;
  std::vector<std::string> arguments_;
};

}  // namespace

int main(int count, char** arguments) {
  return StandIn(fs::path(arguments[0]).parent_path(), {arguments + 1, arguments + count}).run();
}
