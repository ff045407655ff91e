// The attacks that hold most, while the agent replaces the module that they are on.
#include <stdexcept>
#include <utility>

#include "tests/hostile_clients/attack.h"

namespace longshore::hostile_clients {

Attack attack_called(const std::string& name) {
  for (const auto part : {request_attacks, answer_attacks, connection_attacks, frame_attacks}) {
    for (Attack& attack : part()) {
      if (attack.name == name) return std::move(attack);
    }
  }
  throw std::logic_error("there is no attack \"" + name + "\"");
}

std::vector<Attack> reload_attacks() {
  std::vector<Attack> attacks;
  for (const char* name : {"whole messages left open", "streams, unread",
                           "streams of a process, unread", "rapid reset"}) {
    Attack& attack = attacks.emplace_back(attack_called(name));
    attack.name += ", reloads";
    attack.is_reloaded = true;
    // Streams of the module before still hold something when those of the next have begun.
    attack.connection_bytes = 0;
  }
  return attacks;
}

}  // namespace longshore::hostile_clients
