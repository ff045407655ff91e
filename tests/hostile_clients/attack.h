// What a hostile client does to an agent, and what it must not bring about.
//
//   table of attacks ──► Trial (trial.h): an agent, a victim on another socket, and the attacker
//
// Threads: an attack runs on its caller's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/hostile_clients/agent_watch.h"
#include "tests/hostile_clients/attacked_agent.h"
#include "tests/hostile_clients/attacked_system.h"
#include "tests/hostile_clients/raw_client.h"
#include "tests/support/is_long.h"
#include "tests/support/is_thorough.h"

namespace longshore::hostile_clients {

inline constexpr unsigned kNobody = 65534;
// A method that answers with what it got, and one of the control socket.
inline constexpr const char* kSay = "/longshore.echo.v1.Echo/Say";
inline constexpr const char* kGetStatus = "/longshore.admin.v1.Admin/GetStatus";
// Keys of the module "echo": in a process of its own.
inline constexpr const char* kInProcess = "isolation = \"process\"\n";
// What every server says first: an empty SETTINGS at least.
inline constexpr size_t kGreetingBytes = 9;

// What an attack has at hand. Its connections stay open until it is destroyed.
class Attacker {
 public:
  Attacker(const AttackedAgent& attacked, const AgentWatch& of_memory)
      : agent(attacked), watch(of_memory) {}

  RawClient& connect(const std::string& socket, std::optional<unsigned> user = {});
  // Connects, says the preface and SETTINGS, and waits for the server's.
  RawClient& greet(const std::string& socket, uint32_t window = 65535,
                   std::optional<unsigned> user = {});
  void disconnect_all() { clients.clear(); }

  // Keeps all connections as they are, reading what comes if `reads`.
  void hold(std::chrono::milliseconds time, bool reads);
  // Whether the agent has grown by so much that more would only harm this machine.
  bool has_enough() const;
  // `fault` when it is not so.
  void expect(bool is_so, const std::string& fault);

  // What is attacked: the socket of "echo", or the control socket.
  bool on_control = false;
  std::string socket() const;
  // Of those that it serves; that of "echo" answers with what it got.
  const char* method() const;

  const AttackedAgent& agent;
  const AgentWatch& watch;
  Traffic traffic;
  std::vector<std::unique_ptr<RawClient>> clients;
  std::vector<std::string> faults;
};

struct Attack {
  std::string name;
  std::function<void(Attacker&)> run;
  // More of the configuration; the keys in front of the first table are those of the socket "echo".
  std::string configuration = {};
  std::string echo_module = {};  // keys of the module "echo"
  // The most that the agent may grow by for each of its connections; 0: only the whole counts.
  size_t connection_bytes = 0;
  bool on_control = false;  // see Attacker
  // Whether the agent has to tell, wherever it tells of itself, that it holds something for the
  // clients and has refused them more.
  bool is_told = false;
  // Whether the agent is reloaded all the time, each time with another module "echo".
  bool is_reloaded = false;
  Need needs = Need::kNothing;
};

// The same, for systems that have what it needs.
Attack needing(Need need, Attack attack);

// The same frame so many times.
std::string many(const std::string& frame, int count);

// Descriptors of the attacker's own that come with its bytes: none of them gets into the agent.
void send_descriptors(Attacker& attacker, const std::string& socket);

// The table, by what is abused.
std::vector<Attack> request_attacks();
std::vector<Attack> answer_attacks();
std::vector<Attack> http_attacks();
std::vector<Attack> connection_attacks();
std::vector<Attack> frame_attacks();
std::vector<Attack> call_attacks();
std::vector<Attack> waiting_call_attacks();  // with methods that wait, as only "echo" has them
// Those of the frames and calls, to the control socket.
std::vector<Attack> control_attacks();
// Some of them while the agent is reloaded.
std::vector<Attack> reload_attacks();

// One of the requests, answers, connections or frames. Throws where there is none of that name.
Attack attack_called(const std::string& name);

using test::is_long;
// `plain` times, ten times as often in the long run, and a quarter with sanitizers and over pipes.
int times(int plain);
// How many streams an attack opens on a connection: as many as it may have, where that is not too
// dear. With sanitizers, where their memory is not judged, a quarter, but for tests/run_tests
// --all.
int streams();

}  // namespace longshore::hostile_clients
