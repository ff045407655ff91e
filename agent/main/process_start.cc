#include "main/process_start.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <system_error>

#include "main/exit_codes.h"
#include "observe/crash_handler.h"

#if !defined(_WIN32)
#include "main/descriptor_table.h"
#include "router/heaps.h"
#endif

namespace longshore {
namespace {

const char* own_name = "longshored";

void say_last(const char* text) {
  std::fputs(own_name, stderr);
  std::fputs(text, stderr);
}

// For an exception that nobody takes.
[[noreturn]] void end_at_once() {
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    end_without_memory();
  } catch (const std::system_error& failure) {
    if (failure.code() == std::errc::resource_unavailable_try_again) {
      say_last(": the system gives no thread; the agent ends\n");
      std::_Exit(kStartError);
    }
  } catch (...) {
  }
  std::abort();
}

#if !defined(_WIN32)
// Until the agent waits for these signals nothing is there that would have to be stopped. The first
// process of a container gets no signal that it has no handler for, and would be killed only when
// its time to end is over.
void end_at_signals() {
  for (const int signal : {SIGTERM, SIGINT}) {
    const auto before = std::signal(signal, [](int) { std::_Exit(0); });
    if (before == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}
#endif

}  // namespace

void prepare_process(const char* program) {
  own_name = program;
#if !defined(_WIN32)
  end_at_signals();
  prepare_descriptor_table();
  router::share_heaps();
#endif
  std::set_terminate(end_at_once);
}

void end_without_memory() {
  say_last(": out of memory; the agent ends\n");
  observe::reason_of_abort = "out of memory";
  std::abort();
}

void end_process(int exit_code) {
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(exit_code);
}

}  // namespace longshore
