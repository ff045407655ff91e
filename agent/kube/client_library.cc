#include "kube/client_library.h"

#include <cstdio>
#include <exception>

#include "kube/io_loop.h"

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): names of C
[[gnu::visibility("default"), gnu::used]] extern const char longshore_kube_version[] =
    LONGSHORE_KUBE_VERSION;

[[gnu::visibility("default")]] longshore::kube::ApiLoop* longshore_kube_make_loop(char* why,
                                                                                  size_t size) {
  try {
    return new longshore::kube::IoLoop;
  } catch (const std::exception& error) {
    std::snprintf(why, size, "%s", error.what());
    return nullptr;
  }
}
// NOLINTEND(readability-identifier-naming)
}
