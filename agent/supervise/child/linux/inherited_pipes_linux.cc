#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "supervise/child/inherited_pipes.h"
#include "supervise/linux/child_process.h"
#include "supervise/linux/pipe_transport_linux.h"

namespace longshore::supervise {
namespace {

bool is_pipe(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode);
}

}  // namespace

Result<std::unique_ptr<PipeTransport>> take_inherited_pipes() {
  if (!is_pipe(kInputDescriptor) || !is_pipe(kOutputDescriptor)) {
    return Error(StatusCode::kFailedPrecondition, "find the pipes to the agent");
  }
  for (const int each : {kInputDescriptor, kOutputDescriptor, kImageDescriptor}) {
    fcntl(each, F_SETFD, FD_CLOEXEC);
  }
  for (const int each : {kInputDescriptor, kOutputDescriptor}) fcntl(each, F_SETFL, O_NONBLOCK);
  signal(SIGPIPE, SIG_IGN);
  return pipe_transport_of(FileDescriptor(kInputDescriptor), FileDescriptor(kOutputDescriptor));
}

bool are_pipes_open() { return is_pipe(kInputDescriptor); }

}  // namespace longshore::supervise
