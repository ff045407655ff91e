// The monitor of the virtual machine around the guest (QEMU's, which speaks QMP), at a virtio port
// of the guest's: a test changes the hardware under its own kernel.
//
// Threads: one.
#pragma once

#include <string>

#include "longshore/linux/file_descriptor.hpp"

namespace longshore::test {

class MachineMonitor {
 public:
  // Whether this guest has one at all.
  static bool exists();

  // Throws when the machine does not answer.
  MachineMonitor();

  // Does one command and gives the answer; `arguments` is a JSON object. Throws with the machine's
  // words when it refuses.
  std::string execute(const std::string& command, const std::string& arguments = "{}");

 private:
  // Gives the number that the answer will have.
  int send(const std::string& command, const std::string& arguments);
  // Leaves out what else the machine says until then; empty when no answer comes.
  std::string answer_to(int number);

  FileDescriptor port_;
  std::string received_;
  int last_ = 0;
};

}  // namespace longshore::test
