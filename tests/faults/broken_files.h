// The test's side of files that fail: writes the part of a plan that names them.
//
// Threads: one at a time; the process whose files fail may run meanwhile.
#pragma once

#include <string>

#include "tests/faults/fault_plan.h"

namespace longshore::test {

// Calls on files whose path contains the text, and not the other one, fail, with each of the errors
// that are set then, until `mend_files`.
FileFaults& break_files(FileFaults& files, const std::string& path_part,
                        const std::string& spared_part = {});

// Sets the error of each operation on files; folders and links are made as ever.
void break_all(FileFaults& files, int error);

// Only the call of this number fails, from 1 on, of all on files whose path contains the text. That
// it was made, `files.failed` tells.
void break_call(FileFaults& files, const std::string& path_part, int error, uint64_t number);

void mend_files(FileFaults& files);

}  // namespace longshore::test
