// Calls one method over and over on a connection of its own, with a request whose only field is a
// text: a driver's process, for benches and for tests that kill it in the midst of a call.
//
//   call_client SOCKET METHOD TEXT CALLS [IN_FLIGHT]
//
// 0 calls: until it is killed. Says "calling" after its first answer, then one line of JSON; exits
// with 1 when a call failed.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string>

#include "tests/bench/client/call_load.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

namespace longshore::bench {
namespace {

bool run(const std::string& socket, CallLoad load) {
  test::TestClient client(socket);
  const CallFigures first = measure_calls(client, {load.method, load.request, 1});
  std::printf("calling\n");
  std::fflush(stdout);
  const CallFigures figures = measure_calls(client, load);
  const size_t failures = first.failures + figures.failures;
  std::printf(
      "{\"calls\":%zu,\"failures\":%zu,\"p50_us\":%.1f,\"p99_us\":%.1f,"
      "\"calls_per_second\":%.0f}\n",
      load.calls + 1, failures, figures.p50_us, figures.p99_us, figures.calls_per_second);
  return failures == 0;
}

}  // namespace
}  // namespace longshore::bench

int main(int count, char** words) {
  if (count < 5 || count > 6) {
    std::fputs("usage: call_client SOCKET METHOD TEXT CALLS [IN_FLIGHT]\n", stderr);
    return 2;
  }
  longshore::bench::CallLoad load{words[2], longshore::test::WireWriter().text(1, words[3])};
  load.calls = std::strtoul(words[4], nullptr, 10);
  if (load.calls == 0) load.calls = std::numeric_limits<size_t>::max();
  if (count == 6) load.in_flight = std::strtoul(words[5], nullptr, 10);
  try {
    return longshore::bench::run(words[1], load) ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "call_client: %s\n", failure.what());
    return 1;
  }
}
