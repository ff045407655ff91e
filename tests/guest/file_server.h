// The guest's file server on loopback, which file_server.sh starts. It has the share "share", which
// is the directory /srv/share, for the user "smbu".
//
// Each function throws std::runtime_error if it does not come about.
#pragma once

#include <string>

namespace longshore::test {

class FileServer {
 public:
  static constexpr const char* kShare = "//127.0.0.1/share";
  static constexpr const char* kDirectory = "/srv/share";
  static constexpr const char* kUser = "smbu";
  static constexpr const char* kFirstPassword = "P@ss,w0rd";

  // It runs, with the first password and an empty share. Only in a guest: what is in the directory
  // is gone.
  FileServer();

  void start();
  // With all its connections.
  void stop();
  void set_password(const std::string& password);
};

}  // namespace longshore::test
