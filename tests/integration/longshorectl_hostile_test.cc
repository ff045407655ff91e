// longshorectl against an agent that says the worst that it can: nothing of it reaches the
// terminal.
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "longshore/admin/v1.pb.h"
#include "rpc/asio_transport.h"
#include "rpc/server.h"
#include "tests/integration/hostile_text.h"
#include "tests/support/build_tree.h"
#include "tests/support/program_run.h"
#include "tests/support/temporary_directory.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace protobuf = google::protobuf;
using Local = boost::asio::local::stream_protocol;

// All texts of a message, and one of each that is repeated.
void fill(protobuf::Message& message) {
  const auto* reflection = message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const auto* field = message.GetDescriptor()->field(i);
    if (field->cpp_type() == protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
      fill(field->is_repeated() ? *reflection->AddMessage(&message, field)
                                : *reflection->MutableMessage(&message, field));
    } else if (field->cpp_type() == protobuf::FieldDescriptor::CPPTYPE_STRING) {
      if (field->is_repeated()) {
        reflection->AddString(&message, field, kHostile);
      } else {
        reflection->SetString(&message, field, kHostile);
      }
    }
  }
}

// What the method of the agent's own service answers; nothing for others.
std::string answer_of(const std::string& method) {
  const auto* service =
      admin::v1::GetStatusRequest::descriptor()->file()->FindServiceByName("Admin");
  const auto* described = service->FindMethodByName(method.substr(method.rfind('/') + 1));
  if (described == nullptr) return {};
  const std::unique_ptr<protobuf::Message> message(
      protobuf::MessageFactory::generated_factory()->GetPrototype(described->output_type())->New());
  fill(*message);
  return message->SerializeAsString();
}

class HostileCall final : public rpc::ServerCallHandler {
 public:
  HostileCall(std::shared_ptr<rpc::ServerStream> stream, std::string answer)
      : stream_(std::move(stream)), answer_(std::move(answer)) {}
  void on_message(std::string, rpc::MemoryCharge) override {
    if (answer_.empty()) return stream_->finish(StatusCode::kInternal, kHostile, {});
    stream_->send_and_finish(answer_);
  }
  void on_half_close() override {}
  std::chrono::steady_clock::time_point request_deadline() const override {
    return std::chrono::steady_clock::time_point::max();
  }
  void on_cancel() override {}
  void on_writable() override {}

 private:
  const std::shared_ptr<rpc::ServerStream> stream_;
  const std::string answer_;
};

// Serves clients on a thread of its own, one after the other.
class HostileAgent final : public rpc::ServiceHandler {
 public:
  // `fails`: every call, with a hostile text.
  HostileAgent(const std::string& socket, bool fails)
      : fails_(fails), acceptor_(context_, Local::endpoint(socket)) {
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  ~HostileAgent() override {
    boost::asio::post(context_, [this] {
      acceptor_.close();
      for (const auto& connection : connections_) connection->close();
    });
    thread_.join();
  }

  std::unique_ptr<rpc::ServerCallHandler> start_call(
      const rpc::CallHead& head, std::shared_ptr<rpc::ServerStream> stream) override {
    return std::make_unique<HostileCall>(std::move(stream),
                                         fails_ ? std::string() : answer_of(head.path));
  }

 private:
  void accept() {
    acceptor_.async_accept([this](boost::system::error_code error, Local::socket stream) {
      if (error) return;
      connections_.push_back(
          rpc::make_server_connection(rpc::make_transport(std::move(stream)), *this, {}));
      connections_.back()->start([](const std::string&) {});
      accept();
    });
  }

  const bool fails_;
  boost::asio::io_context context_;
  Local::acceptor acceptor_;
  std::vector<std::shared_ptr<rpc::ServerConnection>> connections_;
  std::thread thread_;
};

const std::vector<std::string> kCommands[] = {
    {"status"},
    {"modules"},
    {"modules", kHostile},
    {"controllers"},
    {"controllers", kHostile},
    {"controllers", "attacher", "--object", kHostile + "/x"},
    {"services"},
    {"top", "--count", "1", "--interval", "100ms"},
    {"top", "--count", "1", "--interval", "100ms", "--methods"},
    {"trace", "id"},
    {"trace", "--last"},
    {"log", "level"},
    {"log", "level", "info"},
    {"reload"},
    {"upgrade", "disk"},
    {"upgrade", kHostile},
    {"call", "v1.Disk/ListDiskIDs"},
    {"call", kHostile + "/x"},
    {"config", "diff", "--module-dir", "/" + kHostile},
    {"audit", "verify"},
    {"audit", "verify", kHostile},
    {"crashes", kHostile},
    {kHostile},
};

}  // namespace

TEST_CASE("Whatever an agent says, longshorectl drives no terminal with it") {
  const bool fails = GENERATE(false, true);
  const bool json = GENERATE(false, true);
  CAPTURE(fails, json);
  const TemporaryDirectory directory;
  const HostileAgent agent(directory / "control.sock", fails);
  for (const auto& command : kCommands) {
    std::vector<std::string> words{built_program("longshorectl"), "--socket",
                                   directory / "control.sock"};
    if (json) words.insert(words.end(), {"--output", "json"});
    words.insert(words.end(), command.begin(), command.end());
    const ProgramRun run = run_program(words);
    CAPTURE(command, run.exit_code);
    CHECK_FALSE((run.output + run.errors).empty());
    check_harmless(run.output);
    check_harmless(run.errors);
  }
}

TEST_CASE("What completes a command line is never what an agent made up") {
  const TemporaryDirectory directory;
  const HostileAgent agent(directory / "control.sock", false);
  for (const char* command : {"modules", "call", "trace", "top", "upgrade"}) {
    const ProgramRun run = run_program({built_program("longshorectl"), "__complete", "--",
                                        "--socket=" + (directory / "control.sock"), command, ""});
    CAPTURE(command);
    check_harmless(run.output);
    CHECK(run.output.find("forged") == std::string::npos);
  }
}
