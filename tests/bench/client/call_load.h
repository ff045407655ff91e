// How long calls of one method take, over a socket or a pipe, for one caller.
#pragma once

#include <cstddef>
#include <string>

namespace longshore::test {
class TestClient;
}

namespace longshore::bench {

struct CallLoad {
  std::string method;   // "v1.Filesystem/PathExists"
  std::string request;  // bytes
  size_t calls = 0;
  size_t in_flight = 1;
};

struct CallFigures {
  size_t failures = 0;
  double p50_us = 0;
  double p99_us = 0;
  double calls_per_second = 0;
};

// Makes the calls, as many at once as are to be in flight. Throws where an answer does not come.
CallFigures measure_calls(test::TestClient& client, const CallLoad& load);

}  // namespace longshore::bench
