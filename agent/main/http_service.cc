#include "main/http_service.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "http_description.h"
#include "longshore/host/http.pb.h"
#include "router/parsed_request.h"

namespace longshore {
namespace {

using host::v1::HttpEvent;

// For the thread for ports, which waits for the threads of ports.
constexpr std::chrono::seconds kStopTime{5};

std::string event_of(HttpEvent::Type type, uint64_t id, const std::string& address = {}) {
  HttpEvent event;
  event.set_type(type);
  event.set_id(id);
  event.set_address(address);
  return event.SerializeAsString();
}

std::string key_of(const config::HttpAddress& address) {
  return address.host + ' ' + std::to_string(address.port);
}

observe::HttpPage no_such_page(const observe::HttpQuery&) {
  return observe::text_page(404, "There is nothing here.\n");
}

bool is_printable(const std::string& text) {
  return std::ranges::all_of(text, [](char each) { return each >= ' ' && each < 0x7f; });
}

Error cannot_serve(StatusCode code, const std::string& what) {
  return Error(code, "serve over HTTP on", what);
}

}  // namespace

Result<std::shared_ptr<HttpService>> HttpService::make() {
  return services::make_host_service<HttpService>(http_description);
}

void HttpService::start(router::Timers& timers, observe::Log& log,
                        const services::CurrentConfiguration& configuration) {
  log_ = &log;
  // Only a restart changes it.
  const auto own = config::parse_http_address(configuration()->agent.http.address);
  if (own && own->unix_path.empty() && own->port != 0) own_port_ = key_of(*own);
  ports_thread_.emplace(timers, "http-ports", 1);
}

observe::LateHttpPages HttpService::before(observe::HttpPages own) {
  return [weak = weak_from_this(), own = std::move(own)](
             const observe::HttpQuery& query,
             const observe::HttpAnswer& answer) -> std::shared_ptr<void> {
    if (const auto self = weak.lock()) return self->take(self->own_port_, query, answer, own);
    answer(own(query));
    return nullptr;
  };
}

void HttpService::own_port_is(const std::string& trouble) {
  decltype(wait_for_own_port_) waiting;
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) return;
    own_port_trouble_ = trouble;
    waiting.swap(wait_for_own_port_);
  }
  for (auto& [call, wanted] : waiting) {
    ports_thread_->post([self = shared_from_this(), call = call, wanted = std::move(wanted)] {
      self->begin_page(call, wanted);
    });
  }
}

Result<void> HttpService::begin(router::Call& call) {
  if (call.method().name == "Serve") return serve(call);
  auto answered = respond(call);
  if (answered) {
    call.send({});
    call.finish(StatusCode::kOk, {});
  }
  return answered;
}

Result<void> HttpService::serve(router::Call& call) {
  auto message = router::parsed_request<host::v1::HttpServeRequest>(call.request());
  if (!message) return std::move(message).error();
  host::v1::HttpServeRequest& request = *message;
  Wanted wanted;
  wanted.address = request.address();
  if (wanted.address.starts_with(':')) wanted.address.insert(0, "[::]");
  const auto parsed = config::parse_http_address(wanted.address);
  if (!parsed || !parsed->unix_path.empty()) {
    return cannot_serve(StatusCode::kInvalidArgument, request.address())
        .because("it is not an IP address and a port")
        .advise("write it as 127.0.0.1:9808, [::1]:9808 or :9808");
  }
  wanted.parsed = *parsed;
  wanted.path = request.path();
  if (!wanted.path.starts_with('/') || wanted.path.size() > 256 || !is_printable(wanted.path) ||
      wanted.path.find('?') != wanted.path.npos) {
    return cannot_serve(StatusCode::kInvalidArgument, request.address())
        .because("its path \"" + wanted.path + "\" is not one such as /healthz");
  }
  wanted.port = key_of(*parsed);
  // Each that takes any port gets one of its own.
  if (parsed->port == 0) wanted.port += ' ' + std::to_string(call.handle());
  ports_thread_->post([self = shared_from_this(), wanted = std::move(wanted),
                       weak = std::weak_ptr(std::static_pointer_cast<router::Call>(
                           call.shared_from_this()))] { self->begin_page(weak, wanted); });
  return {};
}

void HttpService::begin_page(const std::weak_ptr<router::Call>& call, const Wanted& wanted) {
  const auto serving = call.lock();
  if (!serving || serving->is_over()) return;
  if (wanted.port == own_port_) {
    const std::lock_guard lock(mutex_);
    if (!own_port_trouble_) {
      wait_for_own_port_.emplace_back(call, wanted);
      return;
    }
  }
  if (const auto opened = open(serving, wanted); !opened) {
    serving->finish(opened.error().code(), opened.error().message());
  }
  close_unused();  // also where it was cancelled meanwhile
}

Result<void> HttpService::open(const std::shared_ptr<router::Call>& call, const Wanted& wanted) {
  auto port = port_of(wanted);
  if (!port) return std::move(port).error();
  observe::HttpStatusServer* const server = (*port)->server.get();
  std::string address = wanted.address;
  if (server) {
    address.replace(address.rfind(':') + 1, std::string::npos, std::to_string(server->port()));
  }
  // Before there is a page: requests are told of on another thread.
  pending_.listening(*call, event_of(HttpEvent::TYPE_LISTENING, 0, address));
  bool is_started = false;
  {
    const std::lock_guard lock(mutex_);
    is_started = std::exchange((*port)->is_started, true);
    (*port)->pages[wanted.path] = {call->handle(), call->caller().module, call};
  }
  if (call->is_over()) on_end(*call);  // which found no page
  if (is_started || !server) return {};
  return server->start();
}

Result<HttpService::Port*> HttpService::port_of(const Wanted& wanted) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) {
      return cannot_serve(StatusCode::kUnavailable, wanted.address).because("the agent is ending");
    }
    size_t pages = 0;
    for (const auto& [key, each] : ports_) pages += each.pages.size();
    if (pages >= kMaxPages) {
      return cannot_serve(StatusCode::kResourceExhausted, wanted.address)
          .because(std::to_string(kMaxPages) + " pages are served already");
    }
    const auto found = ports_.find(wanted.port);
    if (found != ports_.end()) {
      if (!found->second.pages.contains(wanted.path)) return &found->second;
      return cannot_serve(StatusCode::kAlreadyExists, wanted.address)
          .because("another controller serves " + wanted.path + " there")
          .advise("give one of them another port");
    }
    if (wanted.port == own_port_) {
      if (own_port_trouble_->empty()) return &ports_[wanted.port];
      return Error::of_text(StatusCode::kUnavailable, *own_port_trouble_);
    }
  }
  observe::HttpServerOptions options;
  options.page_timeout = kPageTimeout;
  auto server = observe::HttpStatusServer::listen_late(
      wanted.parsed.host, wanted.parsed.port,
      [weak = weak_from_this(), port = wanted.port](const observe::HttpQuery& query,
                                                    const observe::HttpAnswer& answer) {
        const auto self = weak.lock();
        return self ? self->take(port, query, answer, &no_such_page) : nullptr;
      },
      *log_, options);
  if (!server) return std::move(server).error();
  const std::lock_guard lock(mutex_);
  Port& port = ports_[wanted.port];
  port.server = *std::move(server);
  return &port;
}

void HttpService::on_end(router::Call& call) {
  pending_.remove(call);
  std::vector<observe::HttpAnswer> unanswered;
  bool is_unused = false;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [key, port] : ports_) {
      const size_t erased = std::erase_if(
          port.pages, [&](const auto& each) { return each.second.serve == call.handle(); });
      is_unused = is_unused || (erased > 0 && port.pages.empty());
    }
    for (auto each = requests_.begin(); each != requests_.end();) {
      if (each->second.serve == call.handle()) {
        unanswered.push_back(std::move(each->second.answer));
        each = requests_.erase(each);
      } else {
        ++each;
      }
    }
  }
  for (const auto& answer : unanswered) {
    answer(observe::text_page(503, "Nobody serves this any more.\n"));
  }
  if (is_unused) ports_thread_->post([self = shared_from_this()] { self->close_unused(); });
}

void HttpService::close_unused() {
  std::vector<Port> unused;  // ended without the lock, which their threads may wait for
  const std::lock_guard lock(mutex_);
  for (auto each = ports_.begin(); each != ports_.end();) {
    if (each->second.pages.empty()) {
      unused.push_back(std::move(each->second));
      each = ports_.erase(each);
    } else {
      ++each;
    }
  }
}

std::shared_ptr<void> HttpService::take(const std::string& port, const observe::HttpQuery& query,
                                        const observe::HttpAnswer& answer,
                                        const observe::HttpPages& other) {
  std::shared_ptr<router::Call> call;
  uint64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto at = ports_.find(port);
    if (at != ports_.end()) {
      const auto page = at->second.pages.find(query.path);
      if (page != at->second.pages.end()) call = page->second.call.lock();
      if (call) {
        id = ++last_id_;
        requests_[id] = {page->second.serve, page->second.module, answer};
      }
    }
  }
  if (!call) {
    answer(other(query));
    return nullptr;
  }
  if (!pending_.request(*call, id, event_of(HttpEvent::TYPE_REQUEST, id))) {
    if (forget(id)) answer(observe::text_page(503, "Too many requests wait for an answer.\n"));
    return nullptr;
  }
  return std::shared_ptr<void>(
      nullptr, [weak = weak_from_this(), call = std::weak_ptr(call), id](void*) {
        const auto self = weak.lock();
        const auto serving = call.lock();
        if (!self || !self->forget(id) || !serving) return;
        self->pending_.gone(*serving, id, event_of(HttpEvent::TYPE_GONE, id));
      });
}

bool HttpService::forget(uint64_t id) {
  const std::lock_guard lock(mutex_);
  return requests_.erase(id) > 0;
}

Result<void> HttpService::respond(const router::Call& call) {
  auto message = router::parsed_request<host::v1::HttpRespondRequest>(call.request());
  if (!message) return std::move(message).error();
  host::v1::HttpRespondRequest& request = *message;
  const auto refused = [&](StatusCode code, std::string why) {
    return Error(code, "answer the HTTP request", std::to_string(request.id()))
        .because(std::move(why));
  };
  if (request.status() < 200 || request.status() > 599) {
    return refused(StatusCode::kInvalidArgument,
                   std::to_string(request.status()) + " is no status from 200 to 599");
  }
  if (!is_printable(request.content_type()) ||
      request.content_type().size() > kMaxContentTypeBytes ||
      request.body().size() > kMaxBodyBytes) {
    return refused(StatusCode::kInvalidArgument, "its content type is no line of text of up to " +
                                                     std::to_string(kMaxContentTypeBytes) +
                                                     " bytes, or its body has more than " +
                                                     std::to_string(kMaxBodyBytes) + " bytes");
  }
  // A client would take the body for the begin of the next answer.
  if ((request.status() == 204 || request.status() == 304) && !request.body().empty()) {
    return refused(
        StatusCode::kInvalidArgument,
        "it has a body, and one of the status " + std::to_string(request.status()) + " has none");
  }
  observe::HttpAnswer answer;
  {
    const std::lock_guard lock(mutex_);
    const auto found = requests_.find(request.id());
    if (found == requests_.end() || found->second.module != call.caller().module) {
      return refused(StatusCode::kNotFound, "nobody waits for it any more");
    }
    answer = std::move(found->second.answer);
    requests_.erase(found);
  }
  answer({request.status(), request.content_type(), std::move(*request.mutable_body()), {}});
  return {};
}

void HttpService::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_stopped_, true)) return;
  }
  if (ports_thread_ && !ports_thread_->drain(router::Clock::now() + kStopTime)) return;
  std::map<std::string, Port> ports;  // ended without the lock
  const std::lock_guard lock(mutex_);
  ports.swap(ports_);
}

}  // namespace longshore
