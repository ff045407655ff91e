#include "supervise/child/inherited_pipes.h"
#include "supervise/child/windows/own_command_line.h"
#include "supervise/windows/frame_ends_windows.h"

namespace longshore::supervise {
namespace {

bool is_pipe(HANDLE handle) { return GetFileType(handle) == FILE_TYPE_PIPE; }

}  // namespace

Result<std::unique_ptr<FrameEnds>> take_inherited_pipes() {
  const auto own = OwnCommandLine::read();
  if (!own || !is_pipe(own->input) || !is_pipe(own->output)) {
    return Error(StatusCode::kFailedPrecondition, "find the pipes to the agent");
  }
  for (HANDLE const each : {own->input, own->output}) {
    SetHandleInformation(each, HANDLE_FLAG_INHERIT, 0);
  }
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
  return frame_ends_of(Handle(own->input), Handle(own->output));
}

bool are_pipes_open() {
  const auto own = OwnCommandLine::read();
  return own && is_pipe(own->input);
}

}  // namespace longshore::supervise
