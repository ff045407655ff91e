// The life of a server of the gRPC C++ library that is a process of its own: it says "serving" when
// it does, and ends with SIGTERM or SIGINT.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <iostream>
#include <memory>
#include <string>

namespace longshore::test {

// The process's exit code. `configure`: what the server is made with beside its socket and service.
inline int run_grpc_server(
    const std::string& socket, grpc::CallbackGenericService& service,
    const std::function<void(grpc::ServerBuilder&)>& configure = [](grpc::ServerBuilder&) {}) {
  // Before the library starts its threads, so that all of them leave the signal to sigwait.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + socket, grpc::InsecureServerCredentials());
  builder.RegisterCallbackGenericService(&service);
  configure(builder);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) return 1;
  std::cout << "serving" << std::endl;
  int signal = 0;
  sigwait(&signals, &signal);
  server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
  return 0;
}

}  // namespace longshore::test
