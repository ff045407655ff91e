// The guest's file server on loopback, which file_server.sh starts. It has the share "share", which
// is the directory /srv/share, and "share1" to "share50", all for the user "smbu".
//
// Each function throws std::runtime_error if it does not come about.
#pragma once

#include <string>
#include <vector>

namespace longshore::test {

class FileServer {
 public:
  static constexpr const char* kShare = "//127.0.0.1/share";
  static constexpr const char* kDirectory = "/srv/share";
  static constexpr const char* kUser = "smbu";
  static constexpr const char* kFirstPassword = "P@ss,w0rd";

  struct Settings {
    std::string without = {};             // a share that it does not have
    std::vector<std::string> lines = {};  // more of Samba's configuration
  };

  // It runs, with the first password and an empty share. Only in a guest: what is in the directory
  // is gone.
  FileServer();
  // Stops it if it is not as the next case expects it.
  ~FileServer();
  FileServer(const FileServer&) = delete;
  FileServer& operator=(const FileServer&) = delete;

  // Whether it is Samba, which alone can be frozen and takes lines.
  static bool is_samba();

  // Nothing if it runs.
  void start() { start(Settings()); }
  void start(const Settings& settings);
  // With all its connections.
  void stop();
  void set_password(const std::string& password);

  // None of its processes runs until thaw(); the kernel still accepts connections for it.
  void freeze();
  void thaw();

 private:
  bool is_usual_ = true;
};

}  // namespace longshore::test
