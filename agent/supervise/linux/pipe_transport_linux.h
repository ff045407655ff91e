// PipeTransport of two pipes and an eventfd.
#pragma once

#include <memory>

#include "longshore/linux/file_descriptor.hpp"
#include "supervise/pipe_transport.h"

namespace longshore::supervise {

// Both must not block.
Result<std::unique_ptr<PipeTransport>> pipe_transport_of(FileDescriptor input,
                                                         FileDescriptor output);

}  // namespace longshore::supervise
