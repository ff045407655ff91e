#include "tests/drivers/caller.h"

#include <stdexcept>
#include <utility>

#include "tests/support/require.h"

namespace longshore::test {
namespace {

using Kind = Interruption::Kind;
using Clock = std::chrono::steady_clock;

}  // namespace

std::string to_string(const Interruption& interruption) {
  static const std::map<Kind, std::string> kNames = {
      {Kind::kNone, "nothing happens"},
      {Kind::kDriverRestart, "the driver restarts before"},
      {Kind::kKillBetween, "the agent is killed before"},
      {Kind::kKillDuring, "the agent is killed during"},
      {Kind::kKillBeforeAnswer,
       "the agent is killed when it has done all, before the answer comes"},
      {Kind::kRestartAtEachRow, "the driver restarts before the first call of each row"},
      {Kind::kKillAtEachRow, "the agent is killed before and during the first call of each row"},
      {Kind::kLostAnswerAtEachRow, "the answer of the first call of each row is lost"}};
  const std::string name = kNames.at(interruption.kind);
  switch (interruption.kind) {
    case Kind::kNone:
    case Kind::kRestartAtEachRow:
    case Kind::kKillAtEachRow:
    case Kind::kLostAnswerAtEachRow:
      return name;
    default:
      break;
  }
  return name + " " +
         (interruption.call == kEveryCall ? "every call"
                                          : "call " + std::to_string(interruption.call));
}

Caller::Caller(const Driver& driver, DriverNode& node, const Interruption& interruption)
    : driver_(driver), node_(node), interruption_(interruption) {
  restart();
}

void Caller::restart() {
  clients_.clear();
  silent_.clear();
  for (const GroupVersion& each : driver_.groups) leave_silent_connection(each.group);
}

void Caller::leave_silent_connection(const std::string& group) {
  silent_.emplace_back(node_.socket(group, driver_.version_of(group)));
}

TestClient& Caller::client(const std::string& group) {
  auto& client = clients_[group];
  if (client == nullptr || !client->accepts_calls()) {
    client = std::make_unique<TestClient>(node_.socket(group, driver_.version_of(group)));
  }
  return *client;
}

bool Caller::is_due(Kind kind) const {
  if (interruption_.kind != kind) return false;
  return interruption_.call == kEveryCall || interruption_.call == calls();
}

bool Caller::is_due_at_row(Kind kind, const Call& row) {
  return interruption_.kind == kind && interrupted_rows_.insert(&row).second;
}

void Caller::kill_agent() {
  ++kills_;
  was_interrupted_ = true;
  node_.kill_and_start_agent();
  clients_.clear();
}

Reply Caller::call(const Call& row, const Arguments& arguments) {
  const Wire& wire = driver_.has_beta_wire ? beta_wire() : v1_wire();
  const WireMethod& wire_method = wire.at(row.method);
  has_lost_answer_ = false;
  if (is_due(Kind::kDriverRestart) && !std::exchange(was_interrupted_, true)) throw DriverRestart();
  if (is_due_at_row(Kind::kRestartAtEachRow, row)) {
    was_interrupted_ = true;
    throw DriverRestart();
  }
  const bool is_new_row = is_due_at_row(Kind::kKillAtEachRow, row);
  if (is_new_row || is_due(Kind::kKillBetween)) kill_agent();
  const auto answer =
      answer_of(wire_method, row, arguments, is_new_row || is_due(Kind::kKillDuring));
  if (is_due_at_row(Kind::kLostAnswerAtEachRow, row)) {
    has_lost_answer_ = was_interrupted_ = true;
    clients_.clear();
  }
  Reply reply;
  if (has_lost_answer_) {
    reply.error = "rpc error: code = Unavailable desc = error reading from server: EOF";
  } else if (answer->code() == StatusCode::kOk) {
    wire_method.answer(answer->messages.at(0), reply);
  } else {
    reply.error =
        "rpc error: code = " + status_code_name(answer->code()) + " desc = " + answer->text();
  }
  return reply;
}

std::chrono::nanoseconds Caller::moment_of_kill(const Call& row) const {
  std::chrono::nanoseconds whole{0};
  if (interruption_.kind == Kind::kKillAtEachRow) {
    const auto found = expected_.of_rows.find(&row);
    if (found != expected_.of_rows.end()) whole = found->second;
  } else if (calls() < expected_.in_order.size()) {
    whole = expected_.in_order[calls()];
  }
  return std::chrono::duration_cast<std::chrono::nanoseconds>(whole * interruption_.moment);
}

std::shared_ptr<Answer> Caller::answer_of(const WireMethod& method, const Call& row,
                                          const Arguments& arguments, bool is_cut) {
  const bool is_unheard = is_due(Kind::kKillBeforeAnswer);
  const std::string name =
      driver_.version_of(method.group) + "." + method.service + "/" + method.name;
  const auto begin = Clock::now();
  TestClient& connection = client(method.group);
  const auto answer = connection.start(name, method.request(arguments));
  if (is_cut) {
    // Not a wait for anything: the moment of the kill is what varies.
    const bool is_answered =
        connection.run_until([&] { return answer->finished(); }, moment_of_kill(row));
    if (!is_answered) ++cut_calls_;
  } else {
    require(connection.run_until([&] { return answer->finished(); }), "no answer to " + name);
    answer->call.reset();
  }
  const auto taken = Clock::now() - begin;
  times_.in_order.push_back(taken);
  times_.of_rows.emplace(&row, taken);
  if (is_cut || is_unheard) {
    has_lost_answer_ = true;
    kill_agent();
  }
  return answer;
}

}  // namespace longshore::test
