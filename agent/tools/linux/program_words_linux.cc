#include "tools/program_words.h"

namespace longshore {

std::vector<std::string> program_words(int argc, char** argv) {
  if (argc < 1) return {};
  return {argv + 1, argv + argc};
}

}  // namespace longshore
