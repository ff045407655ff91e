#include "tests/hostile_clients/told_memory.h"

#include <stdexcept>
#include <string_view>

#include "tests/support/test_client.h"
#include "tests/support/wire_reader.h"

namespace longshore::hostile_clients {
namespace {

using test::WireReader;

const std::string kEchoEndpoint = "echo";

// The number behind the first `key` after `from`.
uint64_t number_after(std::string_view text, const std::string& key, size_t from = 0) {
  const size_t at = from == std::string::npos ? from : text.find(key, from);
  if (at == std::string::npos) throw std::runtime_error("the agent does not tell " + key);
  return std::stoull(std::string(text.substr(at + key.size(), 24)));
}

ToldMemory memory_of(const WireReader& report, uint32_t field) {
  const std::vector<std::string> memory = report.texts(field);
  if (memory.empty()) throw std::runtime_error("GetStatus tells no memory");
  const WireReader figures(memory[0]);
  return {figures.number(1), figures.number(3)};
}

void add_of_control_socket(const AttackedAgent& agent, std::map<std::string, ToldMemory>& told) {
  test::TestClient client(agent.control_socket());
  const auto answer = client.call("longshore.admin.v1.Admin/GetStatus", {});
  if (answer->code() != StatusCode::kOk) throw std::runtime_error("GetStatus: " + answer->text());
  const WireReader status(answer->messages.at(0));
  told["GetStatus, the agent"] = memory_of(status, 13);
  for (const std::string& each : status.texts(6)) {
    const WireReader endpoint(each);
    if (endpoint.texts(1).at(0) == kEchoEndpoint) {
      told["GetStatus, the endpoint"] = memory_of(endpoint, 5);
    }
  }
}

void add_of_metrics(const std::string& page, std::map<std::string, ToldMemory>& told) {
  const std::string label = "{endpoint=\"" + kEchoEndpoint + "\"} ";
  told["metrics, the agent"] = {number_after(page, "\nlongshore_client_memory_bytes "),
                                number_after(page, "\nlongshore_client_memory_refusals_total ")};
  told["metrics, the endpoint"] = {
      number_after(page, "\nlongshore_endpoint_memory_bytes" + label),
      number_after(page, "\nlongshore_endpoint_memory_refusals_total" + label)};
}

void add_of_status_page(const std::string& page, std::map<std::string, ToldMemory>& told) {
  const auto memory_from = [&](size_t at) {
    return ToldMemory{number_after(page, "\"memory_bytes\":", at),
                      number_after(page, "\"memory_refusals\":", at)};
  };
  told["status page, the agent"] = memory_from(0);
  told["status page, the endpoint"] =
      memory_from(page.find("\"name\":\"" + kEchoEndpoint + "\"", page.find("\"endpoints\":")));
}

}  // namespace

std::map<std::string, ToldMemory> told_memory(const AttackedAgent& agent) {
  std::map<std::string, ToldMemory> told;
  add_of_control_socket(agent, told);
  add_of_metrics(agent.http_page("/metrics"), told);
  add_of_status_page(agent.http_page("/status"), told);
  return told;
}

}  // namespace longshore::hostile_clients
