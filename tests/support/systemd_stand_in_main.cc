// A stand-in for systemd as a program, for trying the agent where there is no systemd:
//   systemd-stand-in <bus address> <unit>=<description>...
// Each unit can be started and stopped. Ends with its standard input.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>

#include "tests/support/systemd_stand_in.h"

int main(int count, char** arguments) {
  try {
    if (count < 2) {
      std::fputs("usage: systemd-stand-in <bus address> <unit>=<description>...\n", stderr);
      return 2;
    }
    longshore::test::SystemdStandIn stand_in(arguments[1]);
    for (int index = 2; index < count; ++index) {
      const std::string text = arguments[index];
      const size_t equals = text.find('=');
      longshore::test::StandInUnit unit;
      if (equals != std::string::npos) unit.description = text.substr(equals + 1);
      stand_in.put(text.substr(0, equals), unit);
    }
    std::puts("ready");
    std::fflush(stdout);
    for (char byte = 0; ::read(STDIN_FILENO, &byte, 1) > 0;) {
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "systemd-stand-in: %s\n", error.what());
    return 1;
  }
}
