// The words that this program was started with, without its own name, as UTF-8.
//
// Windows' C library gives `main` words in the ANSI code page, which has no place for most letters:
// there they are asked for anew. Threads: any.
#pragma once

#include <string>
#include <vector>

namespace longshore {

// Of what `main` was given.
std::vector<std::string> program_words(int argc, char** argv);

}  // namespace longshore
