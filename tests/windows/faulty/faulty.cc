// A DLL with every fault that check_binaries.sh looks for.
#include <string>

extern "C" __declspec(dllimport) int foreign_function();

namespace {

thread_local std::string text_of_thread;

}  // namespace

extern "C" __declspec(dllexport) const int longshore_module = 1;

extern "C" __declspec(dllexport) int second() {
  text_of_thread += "x";
  return foreign_function();
}
