// The audit log: its lines, which calls have one, its file while logrotate and full disks meddle.
#include "router/audit_log.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "router/message_schema.h"
#include "test_target.h"
#include "tests/support/temporary_directory.h"

namespace longshore::router {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

std::shared_ptr<Method> mutating_method() {
  auto schema = std::make_shared<MessageSchema>();
  schema->fields = {{1, {"path", 9, false, false, nullptr}},
                    {2, {"password", 9, false, true, nullptr}}};
  auto method = std::make_shared<Method>();
  method->full_name = "v1.Smb/Mount";
  method->service = "v1.Smb";
  method->name = "Mount";
  method->module = "smb";
  method->object_field = 1;
  method->request_schema = std::move(schema);
  return method;
}

// A router whose log goes to memory and whose audit log to a file.
struct World {
  explicit World(bool required = false) {
    observe::LogOptions options;
    options.write = [this](observe::Level, std::string_view line) { log_text += line; };
    log = *observe::Log::open(options);
    audit = std::make_unique<AuditLog>(*log);
    REQUIRE(audit->open(file, required));
    RouterOptions router_options;
    router_options.audit = audit.get();
    router = std::make_unique<Router>(timers, router_options);
    set_method(mutating_method());
  }

  void set_method(std::shared_ptr<const Method> method) {
    const std::string name = method->full_name;
    router->set_routes(
        std::make_shared<RouteTable>(RouteTable{{name, Route{std::move(method), target}}}));
  }

  std::shared_ptr<Call> begin(const std::string& bytes = "\x0a\x02/x\x12\x06hushed") {
    recorder = std::make_shared<Recorder>();
    CallRequest request;
    request.method = "v1.Smb/Mount";
    request.request = bytes;
    request.caller =
        std::make_shared<Caller>(Caller{"uid:7", "uid:7", nullptr, UserIds{7, {}}, 4711});
    request.request_id = "r1";
    request.observer = recorder;
    return router->call(std::move(request));
  }

  void call(StatusCode code = StatusCode::kOk, const std::string& text = {}) {
    const auto call = begin();
    REQUIRE(call);
    call->run();
    call->send("done");
    router->calls().remove(call->handle());
    call->finish(code, text);
  }

  std::vector<std::string> lines(const std::string& name = "audit.jsonl") const {
    std::ifstream stream(directory / name);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  TemporaryDirectory directory;
  const std::string file = directory / "audit.jsonl";
  std::string log_text;
  std::unique_ptr<observe::Log> log;
  std::unique_ptr<AuditLog> audit;
  Timers timers;
  std::shared_ptr<TestTarget> target = std::make_shared<TestTarget>();
  std::unique_ptr<Router> router;
  std::shared_ptr<Recorder> recorder;
};

// No file of this process may grow over so many bytes, as on a disk that is full.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a call that may change something has one line, without its secrets") {
  World world;
  world.call();
  world.call(StatusCode::kNotFound, "there is no \"server\"\n");
  const auto lines = world.lines();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("{\"time\":\"2"));
  CHECK(has(lines[0],
            R"(Z","request_id":"r1","caller":"uid:7","on_behalf_of":"uid:7","process":4711,)"
            R"("module":"smb","method":"v1.Smb/Mount","object":"/x","request":{"path":"/x"},)"
            R"("code":"OK","duration_ms":0.)"));
  CHECK(has(lines[1], R"("code":"NOT_FOUND","message":"there is no \"server\"\n","duration_ms":)"));
  CHECK(lines[1].back() == '}');
  CHECK_FALSE(has(lines[0] + lines[1], "hushed"));
  CHECK(world.audit->figures().written == 2);
  struct stat status {};
  REQUIRE(stat(world.file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("methods that only read, and what no description names, have no line") {
  World world;
  auto reads = mutating_method();
  reads->reads_only = true;
  world.set_method(reads);
  world.call();
  auto undescribed = mutating_method();
  undescribed->request_schema = nullptr;
  world.set_method(undescribed);
  world.call();
  CHECK(world.lines().empty());
}

TEST_CASE("refused calls have a line as well") {
  World world;
  auto method = mutating_method();
  method->callers = std::make_shared<CallerSet>();
  world.set_method(method);
  CHECK_FALSE(world.begin());
  method = mutating_method();
  method->denied = true;
  world.set_method(method);
  CHECK_FALSE(world.begin());
  world.set_method(mutating_method());
  world.target->refuses = true;
  world.begin();
  const auto lines = world.lines();
  REQUIRE(lines.size() == 3);
  CHECK(
      has(lines[0], R"("request":{"path":"/x"},"code":"PERMISSION_DENIED","message":"uid:7 may )"));
  CHECK(has(lines[1], R"("code":"PERMISSION_DENIED")"));
  CHECK(has(lines[2], R"("code":"UNAVAILABLE")"));
}

TEST_CASE("a call that is given up while the module is at it is told as unfinished, once") {
  World world;
  const auto running = world.begin();
  running->run();
  running->cancel();
  world.router->calls().remove(running->handle());
  running->finish(StatusCode::kOk, {});
  const auto queued = world.begin();
  queued->cancel();
  const auto lines = world.lines();
  REQUIRE(lines.size() == 2);
  CHECK(has(lines[0], R"("code":"CANCELLED")"));
  CHECK(has(lines[0], R"("unfinished":true})"));
  CHECK_FALSE(has(lines[1], "unfinished"));
}

TEST_CASE("a request that is long or broken is told by its size") {
  World world;
  const std::string long_path(AuditLog::kMaxRequestBytes, 'p');
  const auto call = world.begin("\x0a\x80\x40" + long_path);
  call->cancel();
  world.begin("\x0a\x70")->cancel();
  const auto lines = world.lines();
  REQUIRE(lines.size() == 2);
  CHECK(has(lines[0], R"("request_bytes":8195)"));
  CHECK(lines[0].size() < 2000);
  CHECK(has(lines[1], R"("request_bytes":2)"));
}

TEST_CASE("a file that was moved away is opened anew when told so, and lines go on before") {
  World world;
  world.call();
  REQUIRE(world.audit->reopen());
  fs::rename(world.file, world.directory / "audit.jsonl.1");
  world.call();
  CHECK(world.lines("audit.jsonl.1").size() == 2);
  REQUIRE(world.audit->reopen());
  world.call();
  CHECK(world.lines("audit.jsonl.1").size() == 2);
  CHECK(world.lines().size() == 1);
  fs::rename(world.file, world.directory / "audit.jsonl.2");
  fs::create_directory(world.file);
  CHECK_FALSE(world.audit->reopen());
  world.call();
  CHECK(world.lines("audit.jsonl.2").size() == 2);
}

TEST_CASE("what is not a plain file is no audit log") {
  World world;
  AuditLog other(*world.log);
  CHECK_FALSE(other.open(world.directory / "no/such/folder", false));
  CHECK_FALSE(other.open("/dev/null", false));
  fs::create_symlink(world.file, world.directory / "link");
  CHECK_FALSE(other.open(world.directory / "link", false));
  REQUIRE(mkfifo((world.directory / "fifo").c_str(), 0600) == 0);
  CHECK_FALSE(other.open(world.directory / "fifo", false));
}

TEST_CASE("while the file cannot be written calls go on, and lines follow whole, in order") {
  World world;
  world.call();
  {
    const SmallFiles full(fs::file_size(world.file) + 20);
    world.call(StatusCode::kNotFound, "second");
    world.call(StatusCode::kNotFound, "third");
    CHECK(world.lines().size() == 1);
    CHECK(world.audit->figures().waiting == 2);
  }
  CHECK(has(world.log_text, "the audit log cannot be written"));
  CHECK(world.recorder->code() == StatusCode::kNotFound);
  world.call();
  const auto lines = world.lines();
  REQUIRE(lines.size() == 4);
  CHECK(has(lines[1], "second"));
  CHECK(has(lines[2], "third"));
  CHECK(has(lines[3], R"("code":"OK")"));
  CHECK(has(world.log_text, "the audit log is written again"));
  CHECK(world.audit->figures().lost == 0);
}

TEST_CASE("lines that are too many to keep are counted as lost") {
  World world;
  world.call();
  {
    const SmallFiles full(fs::file_size(world.file));
    for (size_t i = 0; i < AuditLog::kMaxKept + 5; ++i) world.call();
  }
  CHECK(world.audit->figures().lost == 5);
  CHECK(has(world.log_text, "lines of the audit log are lost"));
  world.call();
  CHECK(world.lines().size() == AuditLog::kMaxKept + 2);
}

TEST_CASE("where the log is required, calls are refused until it can be written again") {
  World world(true);
  world.call();
  {
    const SmallFiles full(fs::file_size(world.file));
    world.call();  // nobody knows yet
    CHECK_FALSE(world.begin());
    CHECK(world.recorder->code() == StatusCode::kUnavailable);
    CHECK(has(world.recorder->text(), "audit log"));
    auto reads = mutating_method();
    reads->reads_only = true;
    world.set_method(reads);
    world.call();
    CHECK(world.recorder->code() == StatusCode::kOk);
    world.set_method(mutating_method());
  }
  world.call();
  CHECK(world.recorder->code() == StatusCode::kOk);
  CHECK(world.lines().size() == 4);
}

}  // namespace longshore::router
