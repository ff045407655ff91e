// Linked into every program and module with AddressSanitizer, which asks the program for it.
//
// The runtime guesses where the thread-local variables of a loaded module are by what stands before
// them, and the leak check then reads at any address: with some layouts of the heap, which the
// length of a path decides, it ended by a signal ("Tracer caught signal 11"). glibc has these
// variables from malloc, where the check finds them without that.
// NOLINTNEXTLINE(readability-identifier-naming): the runtime calls it so
__attribute__((visibility("hidden"))) const char* __asan_default_options(void) {
  return "intercept_tls_get_addr=0";
}
