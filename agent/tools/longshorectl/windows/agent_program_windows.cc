#include <array>
#include <filesystem>
#include <thread>
#include <utility>

#include "longshore/windows/command_line.hpp"
#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"
#include "tools/longshorectl/agent_program.h"

namespace longshore::ctl {
namespace {

struct Pipe {
  Handle read;
  Handle write;
};

// Each end is closed in the program that has the other one.
Result<Pipe> make_pipe(bool program_reads) {
  HANDLE read = nullptr;
  HANDLE write = nullptr;
  if (const std::error_code error = error_unless(CreatePipe(&read, &write, nullptr, 0) != FALSE)) {
    return Error(StatusCode::kUnknown, "make a pipe").because(error);
  }
  Pipe pipe{Handle(read), Handle(write)};
  SetHandleInformation(program_reads ? pipe.read.get() : pipe.write.get(), HANDLE_FLAG_INHERIT,
                       HANDLE_FLAG_INHERIT);
  return pipe;
}

// All that the program writes to it. Its lines end as Windows' do, and here as anywhere else.
std::string read_all(const Handle& pipe) {
  std::string all;
  std::array<char, 4096> piece{};
  for (DWORD size = 0;
       ReadFile(pipe.get(), piece.data(), piece.size(), &size, nullptr) && size > 0;)
    all.append(piece.data(), size);
  for (size_t at = 0; (at = all.find("\r\n", at)) != std::string::npos;) all.erase(at, 1);
  return all;
}

std::filesystem::path own_folder() {
  std::array<wchar_t, 32768> path{};
  GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
  return std::filesystem::path(path.data()).parent_path();
}

}  // namespace

Result<ProgramEnd> run_agent_program(const std::vector<std::string>& arguments,
                                     const std::string& input) {
  const std::filesystem::path program = own_folder() / "longshored.exe";
  auto in = make_pipe(true);
  auto out = make_pipe(false);
  auto errors = make_pipe(false);
  if (!in || !out || !errors) return !in ? in.error() : !out ? out.error() : errors.error();
  STARTUPINFOW how{};
  how.cb = sizeof(how);
  how.dwFlags = STARTF_USESTDHANDLES;
  how.hStdInput = in->read.get();
  how.hStdOutput = out->write.get();
  how.hStdError = errors->write.get();
  std::vector<std::wstring> words{program.wstring()};
  for (const std::string& argument : arguments) words.push_back(wide(argument));
  std::wstring line = command_line(words);
  PROCESS_INFORMATION started{};
  const BOOL is_started = CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE,
                                         CREATE_NO_WINDOW, nullptr, nullptr, &how, &started);
  if (const std::error_code error = error_unless(is_started != FALSE)) {
    return Error(StatusCode::kUnknown, "start", program.string())
        .because(error)
        .advise("longshorectl reads configuration with the longshored that is installed with it");
  }
  const Handle process(started.hProcess);
  const Handle thread(started.hThread);
  in->read = Handle();
  out->write = Handle();
  errors->write = Handle();
  ProgramEnd end;
  std::thread writer([&] {
    static_cast<void>(write_all(in->write.get(), input));  // it may end before it has read all
    in->write = Handle();
  });
  std::thread reader([&] { end.errors = read_all(errors->read); });
  end.output = read_all(out->read);
  reader.join();
  writer.join();
  WaitForSingleObject(process.get(), INFINITE);
  DWORD code = 0;
  GetExitCodeProcess(process.get(), &code);
  end.exit_code = static_cast<int>(code);
  return end;
}

}  // namespace longshore::ctl
