#include "supervise/child/inherited_pipes.h"
#include "supervise/child/windows/own_command_line.h"
#include "supervise/windows/pipe_transport_windows.h"

namespace longshore::supervise {
namespace {

bool is_pipe(HANDLE handle) { return GetFileType(handle) == FILE_TYPE_PIPE; }

}  // namespace

Result<std::unique_ptr<PipeTransport>> take_inherited_pipes() {
  const auto own = OwnCommandLine::read();
  if (!own || !is_pipe(own->input) || !is_pipe(own->output)) {
    return Error(StatusCode::kFailedPrecondition, "find the pipes to the agent");
  }
  for (HANDLE const each : {own->input, own->output}) {
    SetHandleInformation(each, HANDLE_FLAG_INHERIT, 0);
  }
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
  return pipe_transport_of(Handle(own->input), Handle(own->output));
}

bool are_pipes_open() {
  const auto own = OwnCommandLine::read();
  return own && is_pipe(own->input);
}

}  // namespace longshore::supervise
