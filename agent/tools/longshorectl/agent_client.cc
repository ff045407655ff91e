#include "tools/longshorectl/agent_client.h"

#include <optional>
#include <utility>

#include "tools/longshorectl/control_connection.h"

namespace longshore::ctl {
namespace {

constexpr size_t kMaxMessageBytes = 256u << 20;  // the agent has a bound of its own
// The successor's successor may be there by then, but not forever.
constexpr int kConnections = 5;

// Without an answer we cannot know, but this is how the agent turns somebody away.
Error turned_away(const std::string& socket, std::string reason) {
  return Error(StatusCode::kUnavailable, "get an answer at", socket)
      .because(std::move(reason))
      .advise(
          "the agent lets in root and its own user, and nobody from within a container; whom it "
          "refuses, its log names");
}

}  // namespace

class AgentClient::Answers final : public rpc::ClientCallHandler {
 public:
  explicit Answers(OnMessage on_message) : on_message_(std::move(on_message)) {}
  void on_message(std::string message) override { on_message_(std::move(message)); }
  void on_finish(rpc::Outcome result) override { outcome = std::move(result); }

  std::optional<rpc::Outcome> outcome;

 private:
  const OnMessage on_message_;
};

Result<std::unique_ptr<AgentClient>> AgentClient::connect(const std::string& socket,
                                                          std::chrono::nanoseconds timeout) {
  std::unique_ptr<AgentClient> client(new AgentClient(socket, timeout));
  if (auto opened = client->open_connection(); !opened) return std::move(opened).error();
  return client;
}

Result<void> AgentClient::open_connection() {
  auto transport = open_transport(context_, socket_);
  if (!transport) return std::move(transport).error();
  rpc::Limits limits;
  limits.max_message_bytes = kMaxMessageBytes;
  closed_ = std::make_shared<bool>(false);
  connection_ = rpc::make_client_connection(std::move(*transport), "localhost", limits);
  connection_->start([closed = closed_](const std::string&) { *closed = true; });
  return {};
}

void AgentClient::close_connection() {
  if (!connection_) return;
  connection_->close();
  context_.restart();
  context_.poll();
  connection_.reset();
}

AgentClient::~AgentClient() { close_connection(); }

rpc::ClientCallOptions AgentClient::options_for(const std::string& method) const {
  rpc::ClientCallOptions options;
  options.path = "/" + method;
  if (timeout_.count() > 0) options.timeout = timeout_;
  return options;
}

Result<void> AgentClient::wait_for(Answers& answers) {
  context_.restart();
  while (!answers.outcome && context_.run_one() > 0) {
  }
  context_.poll();  // the connection's own end, if it is that
  if (!answers.outcome) return Error::of_text(StatusCode::kInternal, "the call has no end");
  const rpc::Outcome& outcome = *answers.outcome;
  const bool lost = outcome.code == StatusCode::kUnavailable && *closed_;
  if (lost && !answered_ && !connection_->was_told_to_go()) {
    turned_away_ = true;
    return turned_away(socket_, outcome.text);
  }
  answered_ = true;
  if (outcome.code == StatusCode::kOk) return {};
  return Error::of_text(outcome.code, outcome.text);
}

Result<void> AgentClient::run(const Start& start, const OnMessage& on_message) {
  for (int connections = 1;; ++connections) {
    if (!connection_) {
      if (auto opened = open_connection(); !opened) return opened;
    }
    // What the agent said since its last answer comes first: mostly, that it takes no more calls.
    if (answered_) {
      context_.restart();
      context_.poll();
    }
    const auto answers = std::make_shared<Answers>(on_message);
    const auto running = start(answers);
    auto done = wait_for(*answers);
    const bool seen = !answers->outcome || !answers->outcome->unseen;
    if (done || seen || turned_away_ || connections == kConnections) return done;
    close_connection();
  }
}

Result<void> AgentClient::call(const std::string& method, const std::string& request,
                               const OnMessage& on_message) {
  const auto start = [&](const std::shared_ptr<Answers>& answers) {
    return connection_->call(options_for(method), request, answers);
  };
  return run(start, on_message);
}

Result<std::string> AgentClient::ask(const std::string& method, const std::string& request) {
  std::string answer;
  const auto start = [&](const std::shared_ptr<Answers>& answers) {
    auto running = connection_->open(options_for(method), answers);
    running->send(request);
    running->half_close();
    return running;
  };
  auto done = run(start, [&](std::string message) { answer = std::move(message); });
  if (!done) return std::move(done).error();
  return answer;
}

}  // namespace longshore::ctl
