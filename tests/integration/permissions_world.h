// An agent with a module that changes things, or says so, and rules for it.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/wire_writer.h"
#include "tests/unit/observe/log_lines.h"

namespace longshore::test {

inline const std::string kSay = "longshore.echo.v1.Echo/Say";
inline const std::string kDo = "hostile.v1.Hostile/Do";

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct PermissionsWorld {
  PermissionsWorld() {
    // The folders above are the test's; those of the sockets are the agent's.
    std::filesystem::permissions(std::filesystem::path(directory.config_file()).parent_path(),
                                 std::filesystem::perms(0755));
  }

  void configure(const std::string& module_rules, const std::string& endpoint_rules,
                 const std::string& more = {}, const std::string& module = "tells_caller") const {
    directory.configure(
        "[agent.audit]\nfile = \"" + audit_file() + "\"\n[modules.hostile]\nlibrary = \"" +
        hostile_module(module) + "\"\n" + module_rules + "[endpoints.all]\naddress = \"unix://" +
        socket() + "\"\nmode = \"0666\"\nservices = [" + services + "]\n" + endpoint_rules + more);
  }
  std::string socket() const { return directory / "all/all.sock"; }
  std::string audit_file() const { return directory / "audit.jsonl"; }
  std::vector<std::string> audited(size_t wanted, const std::string& name = "audit.jsonl") const {
    // Each call as one text, its first line and its last: they may come after the answer.
    std::vector<std::string> calls;
    REQUIRE(eventually([&] {
      calls.clear();
      size_t open = 0;
      for (const std::string& line : lines_of(directory / name)) {
        if (has(line, R"("event":"end")")) {
          --open;
          for (std::string& call : calls) {
            if (call.back() != '\n' && handle_of(call) == handle_of(line)) call += line + '\n';
          }
        } else if (!has(line, R"("event":"opened")")) {
          const bool begins = has(line, R"("event":"begin")");
          if (begins) ++open;
          calls.push_back(begins ? line : line + '\n');
        }
      }
      return open == 0 && calls.size() >= wanted;
    }));
    return calls;
  }
  static std::string handle_of(const std::string& line) {
    const size_t at = line.find("\"call\":\"");
    return at == std::string::npos ? line : line.substr(at + 8, line.find('"', at + 8) - at - 8);
  }

  AgentDirectory directory;
  std::string services = "\"longshore.echo.v1.Echo\", \"hostile.v1.Hostile\"";  // of the socket
};

// The same, with an agent that serves by these rules.
struct ServingWorld : PermissionsWorld {
  explicit ServingWorld(const std::string& module_rules = {},
                        const std::string& endpoint_rules = {}, const std::string& more = {})
      : agent(configured(module_rules, endpoint_rules, more)) {
    INFO(directory.log());
    REQUIRE(agent.serves());
  }

  AgentProcess agent;

 private:
  const AgentDirectory& configured(const std::string& module_rules,
                                   const std::string& endpoint_rules,
                                   const std::string& more) const {
    configure(module_rules, endpoint_rules, more);
    return directory;
  }
};

inline std::string do_request(const std::string& object) {
  return WireWriter().text(1, object).text(2, "hush, this is secret");
}

}  // namespace longshore::test
